//! A merge that a person has agreed to and that did not happen: its agent is blocked by that, where its
//! workflow can be, and it stands in its log. So whoever has agreed sees it, and the agent does.

use super::super::staging::Staging;
use crate::job::Refusal;
use crate::store::pulls::{Block, PullRow};
use headsup_adapters::text;
use headsup_core::gate::{self, Decision, Said};
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::PullState;
use headsup_core::workflow::{By, Stage};

/// Tells it of a pull request. `what` did not happen, `why` says the reason.
pub(super) fn tell(
    staging: &mut Staging<'_>,
    pull: &str,
    agent: &AgentId,
    what: &str,
    why: &str,
) -> Result<(), Refusal> {
    let says = format!("{what} was agreed to and did not happen: {why}");
    let (message, blockers) = (text::line(&says, text::DETAIL), [text::line(why, text::DETAIL)]);
    let (now, mut blocks) = (staging.now, false);
    staging.change(agent, None, |seat| {
        let blocked = Said { message: Some(&message), blockers: &blockers, ..Said::default() };
        let mut all = Decision::default();
        let path = path(seat);
        for stage in path {
            let said = if *stage == Stage::Blocked { blocked } else { Said::default() };
            // Each is a move that its agent might make.
            let moved = gate::set_stage(seat, *stage, By::Agent, &said, now).unwrap_or_default();
            all.changed |= moved.changed;
            all.events.extend(moved.events);
        }
        blocks = !path.is_empty();
        all.events.push(gate::append_activity(seat, None, Some(message.clone()), now));
        all
    })?;
    if blocks {
        super::change(staging, pull, |row| {
            row.blocks.retain(|block| block.agent != *agent);
            row.blocks.push(Block { agent: agent.clone(), message });
            Ok(())
        })?;
    }
    Ok(())
}

/// Once it is merged or closed, nobody is blocked by it any more. Whoever has said something else since stays there.
pub(super) fn over(staging: &mut Staging<'_>, pull: &str) -> Result<(), Refusal> {
    let Some(PullRow { doc, blocks, .. }) = staging.pulls.get(pull) else { return Ok(()) };
    if doc.state == PullState::Open || blocks.is_empty() {
        return Ok(());
    }
    let PullDoc { head_branch, base_branch, state, .. } = doc;
    let says = format!("the pull request of {head_branch} into {base_branch} is {}", state.word());
    let (message, blocks, now) = (text::line(&says, text::DETAIL), blocks.clone(), staging.now);
    for Block { agent, message: blocked } in blocks {
        staging.change(&agent, None, |seat| {
            let at = seat.stage.as_ref();
            if !at.is_some_and(|at| {
                at.stage == Stage::Blocked && at.message.as_ref() == Some(&blocked)
            }) {
                return Decision::default();
            }
            let said = Said { message: Some(&message), ..Said::default() };
            // It is a move that its agent might make.
            gate::set_stage(seat, Stage::Working, By::Agent, &said, now).unwrap_or_default()
        })?;
    }
    super::change(staging, pull, |row| {
        row.blocks.clear();
        Ok(())
    })
}

/// From where it is to blocked. Nothing: it waits for something else, or is over.
fn path(seat: &Seat) -> &'static [Stage] {
    match seat.stage.as_ref().map(|at| at.stage) {
        None | Some(Stage::Working) => &[Stage::Blocked],
        Some(Stage::Started | Stage::AwaitingReview) => &[Stage::Working, Stage::Blocked],
        _ => &[],
    }
}
