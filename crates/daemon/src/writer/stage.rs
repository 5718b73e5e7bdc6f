//! A workflow moves, by the word of its agent or of a person; a person wants to be left alone.

use super::batch::done;
use super::staging::Staging;
use super::verdict;
use crate::job::{Answer, Moved, Refusal};
use headsup_core::gate::{self, Decision, Said};
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use headsup_core::workflow::{By, Stage};

pub(super) fn set(staging: &mut Staging<'_>, moved: &Moved) -> Answer {
    let Moved { agent, registers, stage, by, message, phase, progress, blockers } = moved;
    if *registers && staging.seat(agent).is_none() {
        verdict::appear(staging, agent)?;
    }
    let seat = staging.seat(agent).ok_or(Refusal::NoSuchAgent)?;
    // An agent would pass its own question by.
    if *by == By::Agent && *stage == Stage::Working && gate::waits_for(&seat).is_some() {
        return Err(Refusal::OpenQuestion);
    }
    let said = Said {
        message: message.as_deref(),
        phase: phase.as_deref(),
        progress: *progress,
        blockers,
    };
    let now = staging.now;
    let mut refused = None;
    staging.change(agent, None, |seat| {
        gate::set_stage(seat, *stage, *by, &said, now).unwrap_or_else(|illegal| {
            refused = Some(Refusal::IllegalStage { from: illegal.from, to: illegal.to, by: *by });
            Decision::default()
        })
    })?;
    match refused {
        None => Ok(done(staging, agent)),
        Some(refusal) => Err(refusal),
    }
}

pub(super) fn snooze(staging: &mut Staging<'_>, agent: &AgentId, until: Option<UnixMs>) -> Answer {
    let now = staging.now;
    match staging.change(agent, None, |seat| gate::snooze(seat, until, now))? {
        true => Ok(done(staging, agent)),
        false => Err(Refusal::NoSuchAgent),
    }
}
