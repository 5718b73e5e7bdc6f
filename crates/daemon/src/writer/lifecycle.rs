//! A person has an agent put away, taken up again, or ended. What is done with its process is done
//! by whoever has asked, once this is stored.

use super::batch::done;
use super::staging::Staging;
use crate::job::{Answer, LifecycleAct, Refusal};
use headsup_core::gate::{self, Decision, Description};
use headsup_core::id::AgentId;
use headsup_core::seat::{Leaving, Seat};

pub(super) fn perform(staging: &mut Staging<'_>, act: &LifecycleAct) -> Answer {
    let now = staging.now;
    match act {
        LifecycleAct::Leave { agent, leaving, ready, launch } => change(staging, agent, |seat| {
            let decision = match leaving {
                Leaving::Suspend => {
                    gate::may_suspend(seat).map_err(Refusal::Unfit)?;
                    is_ready(seat.process.id == *ready && ready.is_some())?;
                    let launch = launch.clone();
                    let about = Description { launch, ..Description::default() };
                    drop(gate::describe(seat, &about, now));
                    gate::suspend(seat, now)
                }
                Leaving::Stop => {
                    gate::may_stop(seat).map_err(Refusal::Unfit)?;
                    is_ready(seat.process.id == *ready)?;
                    gate::stop(seat, now)
                }
            };
            decision.map_err(Refusal::Unfit)
        }),
        LifecycleAct::Resume { agent, token, is_ready: ready, with_words } => {
            let take_up = if *with_words { gate::resume_with_words } else { gate::resume };
            change(staging, agent, |seat| {
                gate::may_resume(seat, now).map_err(Refusal::Unfit)?;
                is_ready(*ready)?;
                take_up(seat, token, now).map_err(Refusal::Unfit)
            })
        }
    }
}

fn is_ready(is_so: bool) -> Result<(), Refusal> {
    is_so.then_some(()).ok_or(Refusal::NotReady)
}

fn change(
    staging: &mut Staging<'_>,
    agent: &AgentId,
    act: impl FnOnce(&mut Seat) -> Result<Decision, Refusal>,
) -> Answer {
    let mut refused = None;
    let found = staging.change(agent, None, |seat| {
        act(seat).unwrap_or_else(|refusal| {
            refused = Some(refusal);
            Decision::default()
        })
    })?;
    match (found, refused) {
        (false, _) => Err(Refusal::NoSuchAgent),
        (true, Some(refusal)) => Err(refusal),
        (true, None) => Ok(done(staging, agent)),
    }
}
