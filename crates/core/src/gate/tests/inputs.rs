//! Input requests: they end by answer, deadline or cancel alone, and the workflow waits for them.

use super::script::Script;
use crate::gate::{self, Ask};
use crate::observation::{Fact, SessionEnd};
use crate::prompt::{
    Answerable, Input, NewPrompt, OnTimeout, PromptKind, Resolution, ResolvedBy, Risk, Via,
};
use crate::status::{BlockedReason, Headline};
use crate::time::UnixMs;
use crate::workflow::{By, Stage};
use proptest::prelude::*;

fn question(id: &str, expires_at: UnixMs, on_timeout: OnTimeout) -> Ask {
    let plain = NewPrompt::plain(BlockedReason::Question, Some("Which?"));
    let (kind, answerable) = (PromptKind::Input, vec![Answerable::Api]);
    let input = Input {
        dedupe_key: None,
        default_action: "wait".to_owned(),
        expires_at,
        on_timeout,
        risk: Risk::Low,
        moved_stage: true,
        delivered: Vec::new(),
        seen: Vec::new(),
    };
    Ask { id: id.to_owned(), ask: NewPrompt { kind, answerable, ..plain }, input }
}

fn ask(script: &mut Script, id: &str, on_timeout: OnTimeout) -> Vec<&'static str> {
    let question = question(id, script.now.plus(60_000), on_timeout);
    let decision = gate::open_input(&mut script.seat, question, By::Agent, script.now).unwrap();
    decision.events.iter().map(crate::event::EventBody::kind).collect()
}

fn stage(script: &Script) -> Option<Stage> {
    script.seat.stage.as_ref().map(|status| status.stage)
}

#[test]
fn what_must_not_go_unanswered_blocks_whatever_else_is_answered_later() {
    let mut script = Script::working();
    ask(&mut script, "a-p1", OnTimeout::Block);
    ask(&mut script, "a-p2", OnTimeout::Default);
    let over = Resolution::of(ResolvedBy::Timeout, script.now);
    gate::resolve_input(&mut script.seat, "a-p1", over, script.now);
    assert_eq!(stage(&script), Some(Stage::AwaitingInput));
    let answered =
        Resolution { value: Some("1".into()), ..Resolution::of(ResolvedBy::Human, script.now) };
    gate::resolve_input(&mut script.seat, "a-p2", answered, script.now);
    assert_eq!(stage(&script), Some(Stage::Blocked));
    assert_eq!(script.seat.unanswered, None);
}

/// It is no dialog that something behind the stop has asked.
#[test]
fn a_turn_that_was_cut_short_beside_its_helper_is_over_with_that_while_a_question_is_open() {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(Fact::TurnOver);
    script.tick(gate::SETTLE_MS);
    assert_eq!(script.phrase(), "working(background)");
    ask(&mut script, "a-p1", OnTimeout::Block);
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.tick(3_000);
    assert_eq!(
        (script.phrase().as_str(), script.outcome()),
        ("idle(turn_ended)", Some("interrupted"))
    );
}

#[test]
fn the_workflow_names_a_question_that_is_open() {
    let mut script = Script::working();
    for (id, title) in [("a-p1", "First?"), ("a-p2", "Second?"), ("a-p3", "Third?")] {
        let mut question = question(id, script.now.plus(60_000), OnTimeout::Default);
        question.ask.title = title.to_owned();
        gate::open_input(&mut script.seat, question, By::Agent, script.now).unwrap();
    }
    let mut answer = |id: &str| {
        let answered = Resolution::of(ResolvedBy::Human, script.now);
        let decision = gate::resolve_input(&mut script.seat, id, answered, script.now);
        let message = script.seat.stage.as_ref().and_then(|status| status.message.clone());
        (message, decision.events.iter().map(crate::event::EventBody::kind).collect::<Vec<_>>())
    };
    // What it does not name may end without a word of the workflow.
    assert_eq!(answer("a-p2"), (Some("First?".to_owned()), vec!["prompt.resolved"]));
    let told = vec!["prompt.resolved", "stage.changed"];
    assert_eq!(answer("a-p1"), (Some("Third?".to_owned()), told));
    assert_eq!(answer("a-p3").0, None);
}

#[test]
fn a_move_that_changes_no_status_is_told_as_a_move_alone() {
    let mut script = Script::working();
    let mut moved = |stage| {
        let said = gate::Said::default();
        let decision = gate::set_stage(&mut script.seat, stage, By::Agent, &said, script.now);
        let events = decision.unwrap().events;
        let kinds: Vec<_> = events.iter().map(crate::event::EventBody::kind).collect();
        kinds.iter().filter(|kind| **kind == "agent.status_changed").count()
    };
    assert_eq!(moved(Stage::Working), 0, "it works, and is at work");
    assert_eq!(moved(Stage::Blocked), 1);
    assert_eq!(moved(Stage::Working), 1);
}

#[test]
fn a_question_makes_its_agent_blocked_and_the_workflow_wait() {
    let mut script = Script::working();
    let events = ask(&mut script, "a-p9", OnTimeout::Default);
    let moves = ["stage.changed"; 3];
    assert_eq!(events, [&["prompt.opened"][..], &moves, &["agent.status_changed"]].concat());
    assert_eq!(
        (script.headline(), stage(&script)),
        (Headline::Blocked, Some(Stage::AwaitingInput))
    );
    // Its turn goes on meanwhile.
    assert_eq!(script.seat.turn().word(), "working");
    assert!(ask(&mut script, "a-p10", OnTimeout::Default).iter().all(|of| *of == "prompt.opened"));
    let answered =
        Resolution { value: Some("1".into()), ..Resolution::of(ResolvedBy::Human, script.now) };
    gate::resolve_input(&mut script.seat, "a-p9", answered.clone(), script.now);
    assert_eq!(stage(&script), Some(Stage::AwaitingInput));
    gate::resolve_input(&mut script.seat, "a-p10", answered.clone(), script.now);
    assert_eq!((script.headline(), stage(&script)), (Headline::Working, Some(Stage::Working)));
    let again = gate::resolve_input(&mut script.seat, "a-p10", answered, script.now);
    assert_eq!(again, gate::Decision::default());
}

#[test]
fn nothing_that_its_process_does_ends_a_question() {
    let mut script = Script::working();
    ask(&mut script, "a-p9", OnTimeout::Default);
    script.hook(Fact::TurnInterrupted { turn_ref: None });
    script.hook(Fact::SessionEnded { how: SessionEnd::Exit });
    assert_eq!(script.headline(), Headline::Ended);
    assert!(gate::input(&script.seat, "a-p9").is_some());
}

#[test]
fn a_deadline_takes_what_was_said_and_tells_whether_anybody_saw_it() {
    for (on_timeout, value, stage_then) in [
        (OnTimeout::Default, Some("wait"), Stage::Working),
        (OnTimeout::Block, None, Stage::Blocked),
        (OnTimeout::Fail, None, Stage::Working),
    ] {
        let mut script = Script::working();
        ask(&mut script, "a-p9", on_timeout);
        let deadline = gate::next_expiry(&script.seat).unwrap();
        assert!(gate::time_out(&mut script.seat, deadline.plus(-1), script.now).is_empty());
        gate::mark_input(&mut script.seat, "a-p9", Via::Web, true, script.now);
        let decisions = gate::time_out(&mut script.seat, deadline, script.now);
        let resolved = decisions[0].events.iter().find_map(|event| match event {
            crate::event::EventBody::PromptResolved { prompt } => prompt.resolution.clone(),
            _ => None,
        });
        let resolved = resolved.unwrap();
        assert_eq!((resolved.by, resolved.value.as_deref()), (ResolvedBy::Timeout, value));
        assert!(!resolved.nobody_saw_it);
        assert_eq!(stage(&script), Some(stage_then), "{on_timeout:?}");
    }
}

#[test]
fn an_agent_asks_only_where_its_workflow_can_wait_and_a_person_anywhere() {
    let mut script = Script::working();
    for next in [Stage::Working, Stage::Blocked] {
        let said = gate::Said::default();
        gate::set_stage(&mut script.seat, next, By::Agent, &said, script.now).unwrap();
    }
    let asked = || question("a-p9", UnixMs(i64::MAX), OnTimeout::Default);
    let refused = gate::open_input(&mut script.seat, asked(), By::Agent, script.now).unwrap_err();
    assert_eq!(refused.legal, [Stage::Working]);
    assert!(script.seat.prompts.is_empty());
    gate::open_input(&mut script.seat, asked(), By::Person, script.now).unwrap();
    let resolution = Resolution::cancelled(script.now);
    gate::resolve_input(&mut script.seat, "a-p9", resolution, script.now);
    assert_eq!(stage(&script), Some(Stage::Blocked));
}

#[test]
fn what_was_put_off_is_put_off_no_more_once_its_time_is_over() {
    let mut script = Script::working();
    let until = script.now.plus(60_000);
    gate::snooze(&mut script.seat, Some(until), script.now);
    assert_eq!(gate::next_expiry(&script.seat), Some(until));
    assert!(gate::time_out(&mut script.seat, until.plus(-1), script.now).is_empty());
    let over = gate::time_out(&mut script.seat, until, script.now);
    assert_eq!((over.len(), over[0].changed, over[0].events.len()), (1, true, 1));
    assert_eq!((script.seat.snoozed_until, gate::next_expiry(&script.seat)), (None, None));
}

#[test]
fn deadlines_move_with_a_clock_that_is_set_back() {
    let mut script = Script::working();
    ask(&mut script, "a-p9", OnTimeout::Default);
    let before = gate::next_expiry(&script.seat).unwrap();
    gate::shift_deadlines(&mut script.seat, -5_000, script.now);
    assert_eq!(gate::next_expiry(&script.seat), Some(before.plus(-5_000)));
}

#[test]
fn what_was_put_off_moves_with_a_clock_that_is_set() {
    for by_ms in [-28_800_000, 7_200_000] {
        let mut script = Script::working();
        let until = script.now.plus(60_000);
        gate::snooze(&mut script.seat, Some(until), script.now);
        let moved = gate::shift_deadlines(&mut script.seat, by_ms, script.now);
        assert_eq!(script.seat.snoozed_until, Some(until.plus(by_ms)));
        assert_eq!((moved.changed, moved.events.len()), (true, 1), "{by_ms}");
    }
}

/// What may happen to the questions of one agent.
#[derive(Clone, Debug)]
enum Happens {
    /// A question that stands so many seconds.
    Asked(u8),
    Answered(usize),
    TakenBack(usize),
    /// So many seconds.
    Time(u8),
    /// Its process comes to an end, or its next prompt.
    Ends,
    Prompted,
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        3 => (1..90_u8).prop_map(Happens::Asked),
        3 => (0..6_usize).prop_map(Happens::Answered),
        1 => (0..6_usize).prop_map(Happens::TakenBack),
        2 => (1..90_u8).prop_map(Happens::Time),
        1 => Just(Happens::Ends),
        1 => Just(Happens::Prompted),
    ]
}

proptest! {
    /// Against a model that knows only which questions are open, and until when.
    #[test]
    fn every_question_ends_once_and_the_workflow_waits_as_long_as_one_is_open(
        course in prop::collection::vec(happens(), 1..40)
    ) {
        let mut script = Script::working();
        let mut open: Vec<(String, UnixMs)> = Vec::new();
        let (mut asked, mut told, mut ended) = (0_usize, Vec::new(), 0_usize);
        for step in course {
            let mut events = Vec::new();
            match step {
                Happens::Asked(seconds) => {
                    asked += 1;
                    let (id, until) = (format!("a-p{asked}"), script.now.plus(i64::from(seconds) * 1_000));
                    let question = question(&id, until, OnTimeout::Default);
                    let now = script.now;
                    events = gate::open_input(&mut script.seat, question, By::Agent, now).unwrap().events;
                    open.push((id, until));
                }
                Happens::Answered(which) | Happens::TakenBack(which) if which < open.len() => {
                    let by = match step {
                        Happens::Answered(_) => ResolvedBy::Human,
                        _ => ResolvedBy::Cancelled,
                    };
                    let (id, _) = open.remove(which);
                    let (resolution, now) = (Resolution::of(by, script.now), script.now);
                    events = gate::resolve_input(&mut script.seat, &id, resolution, now).events;
                    ended += 1;
                }
                Happens::Answered(_) | Happens::TakenBack(_) => {}
                Happens::Time(seconds) => {
                    script.after(i64::from(seconds) * 1_000);
                    let now = script.now;
                    let decisions = gate::time_out(&mut script.seat, now, now);
                    events = decisions.into_iter().flat_map(|decision| decision.events).collect();
                    let before = open.len();
                    open.retain(|(_, until)| *until > now);
                    ended += before - open.len();
                }
                Happens::Ends => drop(script.hook(Fact::SessionEnded { how: SessionEnd::Exit })),
                Happens::Prompted => drop(script.hook(super::script::prompt("t2"))),
            }
            told.extend(events.iter().filter_map(|event| match event {
                crate::event::EventBody::PromptResolved { prompt } => Some(prompt.id.clone()),
                _ => None,
            }));
            let ids: Vec<&str> = script.seat.inputs().map(|open| open.id.as_str()).collect();
            prop_assert_eq!(ids, open.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>());
            prop_assert_eq!(told.len(), ended, "each end is told once");
            if asked > 0 {
                let waits = stage(&script) == Some(Stage::AwaitingInput);
                prop_assert_eq!(waits, !open.is_empty());
            }
        }
    }
}

#[test]
fn an_answer_is_to_be_told_until_the_agent_knows_it() {
    let mut script = Script::working();
    let human = Resolution::of(ResolvedBy::Human, script.now);
    let own = Resolution { via: Some(Via::AgentClient), ..human.clone() };
    let over = Resolution::of(ResolvedBy::Timeout, script.now);
    let declined = Resolution { declined: true, ..human.clone() };
    for (id, resolution) in [("a-p1", human), ("a-p2", own), ("a-p3", over), ("a-p4", declined)] {
        ask(&mut script, id, OnTimeout::Default);
        gate::resolve_input(&mut script.seat, id, resolution, script.now);
    }
    assert_eq!(script.seat.untold, ["a-p1", "a-p4"]);
    let kept = serde_json::to_string(&script.seat).unwrap();
    let kept: crate::seat::Seat = serde_json::from_str(&kept).unwrap();
    assert_eq!(kept.untold, script.seat.untold);
    for is_new in [true, false] {
        let decision = gate::mark_told(&mut script.seat, "a-p1");
        assert_eq!((decision.changed, decision.events.len()), (is_new, 0));
    }
    assert_eq!(script.seat.untold, ["a-p4"]);
}
