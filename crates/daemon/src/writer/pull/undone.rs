//! A merge that a person has agreed to and that did not happen: its agent is blocked by that, where its
//! workflow can be, and it stands in its log. So whoever has agreed sees it, and the agent does.

use super::super::staging::Staging;
use crate::job::Refusal;
use headsup_adapters::text;
use headsup_core::gate::{self, Decision, Said};
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::workflow::{By, Stage};

/// Tells it. `what` did not happen, `why` says the reason.
pub(super) fn tell(
    staging: &mut Staging<'_>,
    agent: &AgentId,
    what: &str,
    why: &str,
) -> Result<(), Refusal> {
    let says = format!("{what} was agreed to and did not happen: {why}");
    let (message, blockers) = (text::line(&says, text::DETAIL), [text::line(why, text::DETAIL)]);
    let now = staging.now;
    staging
        .change(agent, None, |seat| {
            let blocked = Said { message: Some(&message), blockers: &blockers, ..Said::default() };
            let mut all = Decision::default();
            for stage in path(seat) {
                let said = if *stage == Stage::Blocked { blocked } else { Said::default() };
                // Each is a move that its agent might make.
                let moved =
                    gate::set_stage(seat, *stage, By::Agent, &said, now).unwrap_or_default();
                all.changed |= moved.changed;
                all.events.extend(moved.events);
            }
            all.events.push(gate::append_activity(seat, None, Some(message.clone()), now));
            all
        })
        .map(drop)
}

/// From where it is to blocked. Nothing: it waits for something else, or is over.
fn path(seat: &Seat) -> &'static [Stage] {
    match seat.stage.as_ref().map(|at| at.stage) {
        None | Some(Stage::Working) => &[Stage::Blocked],
        Some(Stage::Started | Stage::AwaitingReview) => &[Stage::Working, Stage::Blocked],
        _ => &[],
    }
}
