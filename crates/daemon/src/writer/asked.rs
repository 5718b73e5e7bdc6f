//! Prompts in the log of what an agent did: each that was asked, and what became of it.

use headsup_core::event::EventBody;
use headsup_core::gate::Decision;
use headsup_core::seat::Seat;
use headsup_core::status::OutcomeKind;
use headsup_core::time::UnixMs;
use headsup_core::timeline::Entry;
use headsup_core::words;

/// The events of one change, with an entry behind each prompt's. The seat's own last activity
/// stays what it did: what it asks is told by its prompts.
pub(super) fn noted(seat: &Seat, decision: Decision, now: UnixMs) -> Vec<EventBody> {
    let Decision { events, only_rests, .. } = decision;
    let ended = events.iter().find_map(end);
    let end = match seat.process.state.is_running() {
        // That it is over is all that is known: of a person's answer it says nothing.
        true if only_rests => ended.and(Some(OutcomeKind::Aborted)),
        true => ended,
        false => Some(OutcomeKind::Aborted),
    };
    let state = seat.turn().word();
    let mut all = Vec::with_capacity(events.len());
    for event in events {
        let action = match &event {
            EventBody::PromptOpened { prompt } => Some(words::asked(prompt)),
            EventBody::PromptResolved { prompt } => Some(words::answered(prompt, end)),
            _ => None,
        };
        all.push(event);
        all.extend(action.map(|action| {
            let (tool, action, state) = (None, Some(action), state.into());
            EventBody::ActivityAppended { entry: Entry { ts: now, tool, action, state } }
        }));
    }
    all
}

/// How the turn ends here, if it does so without its work done.
fn end(event: &EventBody) -> Option<OutcomeKind> {
    let EventBody::TurnCompleted { outcome: Some(outcome), .. } = event else { return None };
    let stops = matches!(outcome.kind, OutcomeKind::Interrupted | OutcomeKind::Aborted);
    stops.then_some(outcome.kind)
}
