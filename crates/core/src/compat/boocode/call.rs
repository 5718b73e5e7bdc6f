//! Which call an event is about. None is named, so they are told apart by the order in which they began.

use super::Meaning;
use super::event::TOOL;
use crate::observation::Fact;
use crate::prompt::{Actor, NewPrompt, ToolRef};
use crate::seat::{AskedOnce, Seat};

/// What an event says of a seat as it is, with the call that it is about. A question is about the last call that
/// nobody has asked about. What ends then may be another call that was there before: that answers no question, and the
/// last of them does. A call whose question was answered says nothing of others: it may have been refused, and then
/// nobody tells its end.
pub(super) fn of_a_call(meaning: Meaning, fact: Fact, seat: &Seat) -> Fact {
    match fact {
        Fact::ToolStarted { actor, tool, turn_ref } => {
            let known = open(seat).last().filter(|_| meaning == Meaning::ToolChecked).cloned();
            let tool = known.unwrap_or(ToolRef { id: Some(next(seat)), ..tool });
            Fact::ToolStarted { actor, tool, turn_ref }
        }
        Fact::PromptOpened { actor, prompt, settle_ms, turn_ref } => {
            let free = open(seat).filter(|call| !is_asked(seat, call)).last().cloned();
            if free.is_none() && is_told(seat, &prompt) {
                return Fact::PromptConfirmed;
            }
            let id = asks_anew(meaning, seat).then(|| next(seat));
            let unheard = prompt.tool.map(|tool| ToolRef { id, ..tool });
            let prompt = NewPrompt { tool: free.or(unheard), ..prompt };
            Fact::PromptOpened { actor, prompt, settle_ms, turn_ref }
        }
        Fact::ToolsEnded { actor, tools, interrupted, turn_ref } => {
            let tools = ended(seat).map_or(tools, |call| vec![call.clone()]);
            Fact::ToolsEnded { actor, tools, interrupted, turn_ref }
        }
        Fact::Answered | Fact::Reported(_) => match asked(seat) {
            Some(tools) => {
                let (actor, turn_ref) = (Actor::Main, None);
                Fact::ToolsEnded { actor, tools, interrupted: false, turn_ref }
            }
            None => fact,
        },
        other => other,
    }
}

/// What the ids of the calls of its turn begin with.
fn of_turn(seat: &Seat) -> String {
    let turn = &seat.turn;
    let seq = if turn.open { turn.seq } else { turn.seq + 1 };
    format!("{TOOL}-{seq}-")
}

/// The id of the next call that begins.
fn next(seat: &Seat) -> String {
    format!("{}{}", of_turn(seat), seat.counters.tools + 1)
}

/// Is a question about a call whose start was not told surely another one than those of the turns before, which are
/// over with them? A notice may be late; and where one was asked in this turn it may be that one, told twice.
fn asks_anew(meaning: Meaning, seat: &Seat) -> bool {
    let of_turn = of_turn(seat);
    let is_of_turn =
        |asked: &AskedOnce| asked.tool.id.as_deref().is_some_and(|id| id.starts_with(&of_turn));
    let is_before = seat.made.as_deref().is_some_and(|made| {
        let asked = &made.repeats.asked;
        !asked.is_empty() && !asked.iter().any(is_of_turn)
    });
    matches!(meaning, Meaning::Asks(_)) && is_before
}

/// The calls that go on, oldest first. One of a turn before was stopped with that.
fn open(seat: &Seat) -> impl Iterator<Item = &ToolRef> {
    let of_turn = of_turn(seat);
    seat.open_tools.iter().filter(|open| open.actor.is_main()).map(|open| &open.tool).filter(
        move |tool| {
            tool.name == TOOL && tool.id.as_deref().is_some_and(|id| id.starts_with(&of_turn))
        },
    )
}

/// The calls that are asked about, if in the open turn nothing else is.
fn asked(seat: &Seat) -> Option<Vec<ToolRef>> {
    let calls: Vec<&ToolRef> = open(seat).collect();
    let mut tools = Vec::new();
    for prompt in seat.own_prompts() {
        let tool = prompt.ask.tool.as_ref().filter(|tool| calls.contains(tool))?;
        tools.push(tool.clone());
    }
    (seat.turn.open && !tools.is_empty()).then_some(tools)
}

/// Is it a question that is open about a call? There is no other one that it could be about.
fn is_told(seat: &Seat, prompt: &NewPrompt) -> bool {
    let mut calls = open(seat);
    calls.any(|call| {
        let is_its = |ask: &NewPrompt| ask.kind == prompt.kind && ask.tool.as_ref() == Some(call);
        seat.own_prompts().any(|open| is_its(&open.ask))
    })
}

fn is_asked(seat: &Seat, call: &ToolRef) -> bool {
    seat.own_prompts().any(|open| open.ask.tool.as_ref() == Some(call))
}

/// The call that is taken to have ended. One that began behind a question says nothing of others: that was answered.
fn ended(seat: &Seat) -> Option<&ToolRef> {
    let calls: Vec<&ToolRef> = open(seat).collect();
    let asked = calls.iter().rposition(|call| is_asked(seat, call)).unwrap_or_default();
    let before = calls.iter().take(asked).find(|call| !is_asked(seat, call));
    let first = || calls.iter().find(|call| is_asked(seat, call)).or(calls.first());
    before.or_else(first).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate;
    use crate::id::AgentId;
    use crate::observation::{Delivery, Observation};
    use crate::source::Source;
    use crate::time::UnixMs;

    /// What the agent is called behind each of these events.
    fn told(events: &[&str]) -> Vec<&'static str> {
        told_every(1_000, events)
    }

    /// The same where they come one so many milliseconds after the other. A notice is called by its type.
    fn told_every(ms: i64, events: &[&str]) -> Vec<&'static str> {
        let mut at = UnixMs(0);
        let mut seat = Seat::new(AgentId::slug("a"), "custom", Source::Hook, at);
        let mut words = Vec::new();
        for &name in events {
            at = at.plus(ms);
            let notice = || Meaning::of("Notification", Some(name));
            let meaning = Meaning::of(name, None).or_else(notice).unwrap();
            let fact = meaning.of_seat(&seat).unwrap();
            let observation = Observation {
                at,
                delivery: Delivery::Live,
                source: Source::Hook,
                session: None,
                process: None,
                made_at: None,
                name: name.to_owned(),
                fact,
            };
            gate::admit(&mut seat, &observation);
            words.push(seat.headline().word());
        }
        words
    }

    #[test]
    fn the_end_of_another_call_that_was_there_before_answers_no_question() {
        let events = [
            "UserPromptSubmit",
            "PreToolUse",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PostToolUse",
            "Stop",
        ];
        let words = ["working", "working", "working", "blocked", "blocked", "working", "done"];
        assert_eq!(told(&events), words);
    }

    #[test]
    fn each_of_several_questions_is_answered_by_the_end_of_a_call() {
        let events = [
            "PreToolUse",
            "PreToolUse",
            "PermissionRequest",
            "PermissionRequest",
            "PostToolUse",
            "PostToolUse",
        ];
        let words = ["working", "working", "blocked", "blocked", "blocked", "working"];
        assert_eq!(told(&events), words);
    }

    #[test]
    fn the_end_of_the_one_call_does_also_where_its_start_was_not_told_or_another_came_after() {
        for events in [
            &["PreToolUse", "PermissionRequest", "PostToolUse"][..],
            &["UserPromptSubmit", "PermissionRequest", "PostToolUse"],
            &["PreToolUse", "PermissionRequest", "PreToolUse", "PostToolUse"],
            // Behind a yes.
            &["UserPromptSubmit", "exec_approval_request", "PreToolUse", "PostToolUse"],
            // The rules of the program are asked about a call that goes on.
            &["preToolUse", "permissionRequest", "PermissionRequest", "postToolUse"],
            &["permissionRequest", "PermissionRequest", "permissionRequest", "postToolUse"],
        ] {
            let words = told(events);
            assert!(words.contains(&"blocked"), "{events:?}: {words:?}");
            assert_eq!(words.last(), Some(&"working"), "{events:?}");
        }
    }

    /// In its own turn a question may be told once more.
    #[test]
    fn what_is_asked_behind_the_end_of_a_turn_was_not_answered_in_it() {
        let turn = ["UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse"];
        let ends = ["working", "working", "blocked", "working"];
        let cases: &[(&[&str], &[&str])] = &[
            (&["exec_approval_request", "Stop"], &["working", "done"]),
            (
                &["Stop", "exec_approval_request", "PostToolUse", "Stop"],
                &["done", "blocked", "working", "done"],
            ),
            (
                &["Stop", "UserPromptSubmit", "exec_approval_request", "PreToolUse", "PostToolUse"],
                &["done", "working", "blocked", "blocked", "working"],
            ),
            // It is told twice, and answered once.
            (
                &["Stop", "PermissionRequest", "exec_approval_request", "PermissionResult"],
                &["done", "blocked", "blocked", "working"],
            ),
            // One call after the other, and no start of any.
            (
                &["Stop", "PermissionRequest", "PostToolUse", "PermissionRequest", "PostToolUse"],
                &["done", "blocked", "working", "blocked", "working"],
            ),
            // A notice may be of the one that was answered.
            (&["Stop", "permission_prompt"], &["done", "done"]),
        ];
        for &(behind, words) in cases {
            let told = told_every(10, &[&turn[..], behind].concat());
            assert_eq!(told, [&ends[..], words].concat(), "{behind:?}");
        }
    }

    /// Nobody tells the end of a call that a person has refused.
    #[test]
    fn a_call_that_was_refused_holds_no_later_question_open() {
        let asks = ["PreToolUse", "PermissionRequest"];
        for answer in ["UserPromptSubmit", "PermissionResult", "Start"] {
            let behind = [&["UserPromptSubmit"][..], &asks, &[answer], &asks, &["PostToolUse"]];
            let words = told(&behind.concat());
            let expected =
                ["working", "working", "blocked", "working", "working", "blocked", "working"];
            assert_eq!(words, expected, "{answer}");
            let first = [&asks[..], &[answer], &asks, &["PostToolUse"]];
            assert_eq!(told(&first.concat()), expected[1..], "{answer}");
        }
        // Nor one about a call whose start was not told.
        let events = [&asks[..], &["UserPromptSubmit", "PermissionRequest", "PostToolUse"]];
        assert_eq!(told(&events.concat()).last(), Some(&"working"));
        // Nor does it make two of a question that is told twice.
        let asks_twice = [&asks[..], &["exec_approval_request", "PostToolUse"]].concat();
        let events = [&asks[..], &["UserPromptSubmit"], &asks_twice[..]];
        assert_eq!(told(&events.concat()).last(), Some(&"working"));
        // All that was asked is answered.
        let events = [
            "PreToolUse",
            "PreToolUse",
            "PermissionRequest",
            "PermissionRequest",
            "PermissionResult",
        ];
        assert_eq!(told(&events).last(), Some(&"working"));
    }
}
