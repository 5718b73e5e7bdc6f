//! Version 2 of the protocol, a draft: the session tells what it does.

use super::Rig;
use headsup_core::event::EventBody;
use headsup_core::observation::BackgroundShells;
use serde_json::json;

fn rig() -> Rig {
    let mut rig = Rig::new();
    rig.client(&json!({"id": 0, "method": "initialize", "params": {"protocolVersion": 2}}));
    rig.agent(&json!({"id": 0, "result": {"protocolVersion": 2}}));
    rig.client(&json!({"id": 1, "method": "session/new", "params": {}}));
    rig.agent(&json!({"id": 1, "result": {"sessionId": "s"}}));
    rig
}

fn state(rig: &mut Rig, members: &str) -> String {
    let update = format!(r#"{{"sessionUpdate":"state_update",{members}}}"#);
    rig.update("s", &serde_json::from_str(&update).unwrap())
}

fn taken_in(rig: &mut Rig, id: u32) -> String {
    rig.agent(&json!({"id": id, "result": {"messageId": "m"}}))
}

#[test]
fn a_prompt_that_is_taken_in_is_not_over() {
    let mut rig = rig();
    assert_eq!(rig.prompt(5, "s"), "working");
    assert_eq!(taken_in(&mut rig, 5), "working");
    assert_eq!(state(&mut rig, r#""state":"running""#), "working");
    assert_eq!(state(&mut rig, r#""state":"idle","stopReason":"end_turn""#), "done");
    assert_eq!(state(&mut rig, r#""state":"idle","stopReason":"end_turn""#), "done");
    // The same in another order.
    assert_eq!(rig.prompt(6, "s"), "working");
    assert_eq!(state(&mut rig, r#""state":"running""#), "working");
    assert_eq!(state(&mut rig, r#""state":"idle","stopReason":"end_turn""#), "working");
    assert_eq!(taken_in(&mut rig, 6), "done");
    assert_eq!(rig.seat.counters.turns, 2);
}

#[test]
fn every_reason_to_stop_has_its_outcome() {
    for (stop, headline) in [
        (r#","stopReason":"end_turn""#, "done"),
        (r#","stopReason":"cancelled""#, "idle"),
        (r#","stopReason":"refusal""#, "idle"),
        (r#","stopReason":"error""#, "failed"),
        (r#","stopReason":"_own""#, "idle"),
        (r#","stopReason":null"#, "idle"),
        ("", "idle"),
    ] {
        let mut rig = rig();
        rig.prompt(5, "s");
        taken_in(&mut rig, 5);
        state(&mut rig, r#""state":"running""#);
        assert_eq!(state(&mut rig, &format!(r#""state":"idle"{stop}"#)), headline, "{stop}");
    }
}

#[test]
fn what_requires_action_is_blocked_until_it_goes_on() {
    let mut rig = rig();
    rig.prompt(5, "s");
    taken_in(&mut rig, 5);
    state(&mut rig, r#""state":"running""#);
    assert_eq!(state(&mut rig, r#""state":"requires_action""#), "blocked");
    assert_eq!(rig.ask(0, "s"), "blocked");
    assert_eq!(rig.seat.prompts.len(), 1, "now it is known what for");
    assert_eq!(rig.answer(0), "working");
    assert_eq!(state(&mut rig, r#""state":"requires_action""#), "blocked");
    assert_eq!(state(&mut rig, r#""state":"running""#), "working");
    assert_eq!(state(&mut rig, r#""state":"idle","stopReason":"end_turn""#), "done");
}

#[test]
fn what_still_requires_action_after_an_answer_is_blocked_again() {
    let mut rig = rig();
    rig.prompt(5, "s");
    taken_in(&mut rig, 5);
    state(&mut rig, r#""state":"requires_action""#);
    rig.ask(0, "s");
    rig.answer(0);
    // As a rule it says in a moment that it goes on: nobody is told of the moment.
    rig.now = rig.now.plus(1_500);
    rig.tick();
    assert_eq!(rig.headline(), "blocked");
    assert_eq!(state(&mut rig, r#""state":"running""#), "working");
    rig.ask(1, "s");
    state(&mut rig, r#""state":"requires_action""#);
    rig.answer(1);
    state(&mut rig, r#""state":"running""#);
    rig.now = rig.now.plus(1_500);
    rig.tick();
    assert_eq!(rig.headline(), "working");
    let opened = rig.events.iter().filter(|event| matches!(event, EventBody::PromptOpened { .. }));
    assert_eq!(opened.count(), 4);
}

#[test]
fn a_prompt_that_is_only_taken_in_is_not_work_for_ever() {
    let mut rig = rig();
    assert!(!rig.traffic.is_only_expected());
    rig.prompt(5, "s");
    assert!(!rig.traffic.is_only_expected());
    assert_eq!(taken_in(&mut rig, 5), "working");
    assert!(rig.traffic.is_only_expected());
    // It may be heard of at any time.
    assert_eq!(state(&mut rig, r#""state":"running""#), "working");
    assert!(!rig.traffic.is_only_expected());
    assert_eq!(state(&mut rig, r#""state":"idle","stopReason":"end_turn""#), "done");
    rig.prompt(6, "s");
    taken_in(&mut rig, 6);
    assert_eq!(state(&mut rig, r#""state":"idle""#), "idle", "or of its rest");
    rig.prompt(7, "s");
    taken_in(&mut rig, 7);
    rig.prompt(8, "t");
    assert!(!rig.traffic.is_only_expected(), "another one is at work");
}

#[test]
fn work_that_the_agent_begins_is_a_turn_too() {
    let mut rig = rig();
    assert_eq!(state(&mut rig, r#""state":"running""#), "working");
    assert_eq!(state(&mut rig, r#""state":"idle","stopReason":"end_turn""#), "done");
    assert_eq!(state(&mut rig, r#""state":"requires_action""#), "blocked");
    assert_eq!(state(&mut rig, r#""state":"idle","stopReason":"cancelled""#), "idle");
    assert_eq!(state(&mut rig, r#""state":"of tomorrow""#), "idle");
}

#[test]
fn a_helper_in_the_background_is_work_and_a_shell_is_not() {
    let mut rig = rig();
    rig.prompt(5, "s");
    taken_in(&mut rig, 5);
    state(&mut rig, r#""state":"running""#);
    let helper = r#""state":"idle","stopReason":"end_turn","background":[{"type":"subagent"}]"#;
    assert_eq!(state(&mut rig, helper), "working");
    let shell = r#""state":"idle","stopReason":"end_turn","background":[{"type":"terminal"}]"#;
    assert_eq!(state(&mut rig, shell), "done");
    assert_eq!(rig.seat.shells, 1);
}

#[test]
fn a_helper_goes_on_until_a_list_is_without_it() {
    for said in [
        "",
        r#","background":null"#,
        r#","background":{"items":[{"type":"subagent"}]}"#,
        r#","background":[{"type":"agent"}]"#,
        r#","background":[{"kind":"subagent"}]"#,
        r#","background":["of tomorrow"]"#,
    ] {
        let mut rig = rig();
        state(&mut rig, r#""state":"running","background":[{"type":"subagent"}]"#);
        let idle = format!(r#""state":"idle","stopReason":"end_turn"{said}"#);
        assert_eq!(state(&mut rig, &idle), "working", "{said}");
        assert_eq!(state(&mut rig, r#""state":"idle","background":[]"#), "done", "{said}");
    }
    // So does all else.
    let mut rig = rig();
    run(&mut rig, "s");
    let calls = r#""background":[{"type":"terminal"},{"type":"tool_call"}]"#;
    let idle = format!(r#""state":"idle","stopReason":"end_turn",{calls}"#);
    assert_eq!(state(&mut rig, &idle), "done");
    assert_eq!((state(&mut rig, r#""state":"idle""#), rig.seat.shells), ("done".to_owned(), 2));
}

#[test]
fn what_an_agent_does_not_know_of_itself_nobody_knows() {
    let (running, unknown) = (r#""state":"running""#, r#""state":"unknown""#);
    let mut rig = rig();
    rig.prompt(5, "s");
    taken_in(&mut rig, 5);
    assert_eq!(state(&mut rig, running), "working");
    let said = rig.traffic.stands().unwrap();
    rig.tell(said);
    assert_eq!(state(&mut rig, unknown), "unknown");
    assert!(rig.traffic.stands().is_none(), "it is not confirmed");
    for status in ["in_progress", "completed"] {
        let call =
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": status});
        assert_eq!(rig.update("s", &call), "unknown", "{status}");
    }
    // Nothing has ended with that, and what is asked waits.
    assert_eq!(state(&mut rig, running), "working");
    assert_eq!(state(&mut rig, unknown), "unknown");
    assert_eq!(rig.ask(0, "s"), "blocked");
    assert_eq!(rig.answer(0), "unknown");
    assert_eq!(state(&mut rig, r#""state":"requires_action""#), "blocked");
    assert_eq!(state(&mut rig, unknown), "unknown");
    assert_eq!(state(&mut rig, r#""state":"idle","stopReason":"end_turn""#), "done");
    assert_eq!((rig.seat.counters.turns, rig.seat.prompts.len()), (1, 0));
    // At rest it may be at work, too; and a prompt tells more.
    assert_eq!(state(&mut rig, unknown), "unknown");
    assert_eq!(state(&mut rig, r#""state":"idle""#), "done");
    assert_eq!(state(&mut rig, unknown), "unknown");
    assert_eq!(rig.prompt(6, "s"), "working");
    assert_eq!(taken_in(&mut rig, 6), "working");
    assert_eq!(state(&mut rig, r#""state":"idle","stopReason":"end_turn""#), "done");
    assert_eq!(rig.seat.counters.turns, 2);
}

#[test]
fn a_session_of_which_nobody_knows_hides_no_work() {
    let unknown = r#""state":"unknown""#;
    let mut rig = rig();
    run(&mut rig, "s");
    assert_eq!(state(&mut rig, unknown), "unknown");
    assert_eq!(run(&mut rig, "t"), "working");
    assert_eq!(rest(&mut rig, "t", Some("end_turn"), 0), "unknown");
    let helper = format!(r#"{unknown},"background":[{{"type":"subagent"}}]"#);
    assert_eq!(state(&mut rig, &helper), "working");
    assert_eq!(state(&mut rig, &format!(r#"{unknown},"background":[]"#)), "unknown");
    assert_eq!(rest(&mut rig, "s", Some("end_turn"), 0), "done");
    assert_eq!(rig.seat.counters.turns, 1);
}

#[test]
fn an_error_of_one_session_counts_once_all_are_done() {
    let (end, error) = (Some("end_turn"), Some("error"));
    let mut rig = rig();
    run(&mut rig, "s");
    run(&mut rig, "t");
    assert_eq!(rest(&mut rig, "s", error, 0), "working");
    assert_eq!(rest(&mut rig, "t", end, 1), "failed");
    assert_eq!((rig.outcome(), rig.seat.shells), (Some("failed"), 1));
    // Said again it is no end of the next turn.
    run(&mut rig, "t");
    assert_eq!(rest(&mut rig, "s", error, 0), "working");
    assert_eq!(rest(&mut rig, "t", end, 0), "done");
}

#[test]
fn a_helper_that_ends_behind_a_turn_lets_it_end_as_it_did() {
    for (stop, headline) in [("end_turn", "done"), ("cancelled", "idle"), ("error", "failed")] {
        let mut rig = rig();
        state(&mut rig, r#""state":"running""#);
        let helper = r#""background":[{"type":"subagent"}]"#;
        let ended = format!(r#""state":"idle","stopReason":"{stop}",{helper}"#);
        assert_eq!(state(&mut rig, &ended), "working", "{stop}");
        assert_eq!(state(&mut rig, &format!(r#""state":"idle",{helper}"#)), "working", "{stop}");
        assert_eq!(state(&mut rig, r#""state":"idle","background":[]"#), headline, "{stop}");
    }
}

#[test]
fn a_shell_that_ends_behind_a_turn_is_counted_no_more_and_ends_no_other_turn() {
    let idle = |rig: &mut Rig, stop: &str, shells: usize| {
        let shells = [r#"{"type":"terminal"}"#].repeat(shells).join(",");
        state(rig, &format!(r#""state":"idle"{stop},"background":[{shells}]"#))
    };
    let stop = r#","stopReason":"end_turn""#;
    let mut rig = rig();
    state(&mut rig, r#""state":"running""#);
    for (stop, shells) in [(stop, 2), ("", 1), (stop, 3), ("", 0), (stop, 0)] {
        assert_eq!(idle(&mut rig, stop, shells), "done");
        assert_eq!(usize::try_from(rig.seat.shells), Ok(shells));
        let stands = rig.traffic.stands().unwrap();
        rig.tell(stands);
        assert_eq!(usize::try_from(rig.seat.shells), Ok(shells));
    }
    let is_end = |event: &&EventBody| matches!(event, EventBody::TurnCompleted { .. });
    assert_eq!((rig.seat.counters.turns, rig.events.iter().filter(is_end).count()), (1, 1));
    // It is known before the prompt is taken in; and an end that says nothing of it.
    rig.prompt(5, "s");
    assert_eq!(idle(&mut rig, stop, 1), "working");
    assert_eq!((taken_in(&mut rig, 5), rig.seat.shells), ("done".to_owned(), 1));
    state(&mut rig, r#""state":"running""#);
    assert_eq!(idle(&mut rig, r#","stopReason":"cancelled""#, 1), "idle");
    assert_eq!((idle(&mut rig, "", 0), rig.seat.shells), ("idle".to_owned(), 0));
    // Where they keep the turn open, the last one ends it.
    rig.seat.background_shells = BackgroundShells::Working;
    state(&mut rig, r#""state":"running""#);
    assert_eq!(idle(&mut rig, stop, 2), "working");
    assert_eq!(idle(&mut rig, "", 1), "working");
    assert_eq!(idle(&mut rig, "", 0), "done");
}

/// The session is idle, with so many terminals behind it.
fn rest(rig: &mut Rig, session: &str, stop: Option<&str>, shells: u32) -> String {
    let background: Vec<_> = (0..shells).map(|_| json!({"type": "terminal"})).collect();
    let update = json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": stop,
        "background": background});
    rig.update(session, &update)
}

fn run(rig: &mut Rig, session: &str) -> String {
    let update = json!({"sessionUpdate": "state_update", "state": "running", "background": []});
    rig.update(session, &update)
}

#[test]
fn what_goes_on_behind_is_counted_whatever_way_the_turn_ended() {
    let ends = [(Some("cancelled"), "idle"), (Some("error"), "failed"), (None, "idle")];
    for (stop, headline) in ends {
        for before in [0, 2, 3] {
            let mut rig = rig();
            run(&mut rig, "s");
            assert_eq!(rest(&mut rig, "s", Some("end_turn"), before), "done");
            assert_eq!(rig.seat.shells, before);
            run(&mut rig, "s");
            for shells in [2, 2, 0, 0, 1, 3, 1, 2] {
                assert_eq!(rest(&mut rig, "s", stop, shells), headline, "{stop:?} {shells}");
                assert_eq!(rig.seat.shells, shells, "{stop:?} after {before}");
                let stands = rig.traffic.stands().unwrap();
                rig.tell(stands);
                assert_eq!(rig.seat.shells, shells, "{stop:?} after {before}");
            }
            // None goes on when the next one ends, either.
            run(&mut rig, "s");
            assert_eq!(rest(&mut rig, "s", stop, 0), headline);
            assert_eq!((rig.seat.shells, rig.seat.counters.turns), (0, 3));
        }
    }
}

#[test]
fn what_has_ended_behind_a_turn_is_not_counted_at_its_end() {
    let mut rig = rig();
    run(&mut rig, "s");
    rest(&mut rig, "s", Some("end_turn"), 2);
    // It waits until the end of the turn, which is a failure.
    rig.prompt(5, "s");
    assert_eq!(rest(&mut rig, "s", None, 1), "working");
    let refused = json!({"id": 5, "error": {"code": -32_602, "message": "no"}});
    assert_eq!((rig.agent(&refused), rig.seat.shells), ("failed".to_owned(), 1));
    // An end that lists it is told once.
    run(&mut rig, "s");
    let said = rig.said.len();
    rest(&mut rig, "s", Some("end_turn"), 3);
    assert_eq!((rig.said.len(), rig.seat.shells), (said + 1, 3));
    // What nobody has started is counted too.
    rest(&mut rig, "t", None, 4);
    assert_eq!((rig.seat.shells, rig.seat.counters.turns), (7, 3));
}

#[test]
fn what_goes_on_behind_is_that_of_all_sessions() {
    let mut rig = rig();
    run(&mut rig, "s");
    rest(&mut rig, "s", Some("end_turn"), 1);
    run(&mut rig, "t");
    assert_eq!(rest(&mut rig, "t", Some("cancelled"), 2), "idle");
    assert_eq!(rig.seat.shells, 3);
    let close = json!({"id": 8, "method": "session/close", "params": {"sessionId": "t"}});
    rig.client(&close);
    rig.agent(&json!({"id": 8, "result": {}}));
    assert_eq!(rig.seat.shells, 1);
    run(&mut rig, "s");
    assert_eq!(rest(&mut rig, "s", Some("end_turn"), 2), "done");
    // A new session begins nothing anew in those that there are, and takes up no turn.
    rig.client(&json!({"id": 9, "method": "session/new", "params": {}}));
    rig.agent(&json!({"id": 9, "result": {"sessionId": "u"}}));
    assert_eq!((rig.seat.shells, rig.seat.counters.turns), (2, 3));
    for shells in [1, 0] {
        rest(&mut rig, "s", None, shells);
        assert_eq!((rig.seat.shells, rig.seat.counters.turns), (shells, 3));
    }
}

#[test]
fn the_first_reason_of_a_turn_stands_however_often_its_session_is_idle() {
    let (end, cancelled) = (Some("end_turn"), Some("cancelled"));
    for (first, second, headline) in [
        (end, None, "done"),
        (end, cancelled, "done"),
        (cancelled, None, "idle"),
        (cancelled, end, "idle"),
        (None, end, "done"),
        (None, None, "idle"),
    ] {
        let mut rig = rig();
        rig.prompt(5, "s");
        run(&mut rig, "s");
        assert_eq!(rest(&mut rig, "s", first, 0), "working");
        assert_eq!(rest(&mut rig, "s", second, 0), "working");
        assert_eq!(taken_in(&mut rig, 5), headline, "{first:?} {second:?}");
        // It is no reason of the next turn.
        rig.prompt(6, "s");
        run(&mut rig, "s");
        rest(&mut rig, "s", None, 0);
        assert_eq!(taken_in(&mut rig, 6), "idle", "{first:?} {second:?}");
    }
}

#[test]
fn a_prompt_that_is_refused_ends_no_other_work() {
    let mut rig = rig();
    rig.prompt(5, "s");
    taken_in(&mut rig, 5);
    state(&mut rig, r#""state":"running""#);
    rig.prompt(6, "s");
    let refused = json!({"id": 6, "error": {"code": -32_602, "message": "no"}});
    assert_eq!(rig.agent(&refused), "working");
    assert_eq!(state(&mut rig, r#""state":"idle","stopReason":"end_turn""#), "done");
    rig.prompt(7, "s");
    let refused = json!({"id": 7, "error": {"code": -32_602, "message": "no"}});
    assert_eq!(rig.agent(&refused), "failed");
}

#[test]
fn an_agent_of_the_first_version_may_tell_its_state_too() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    state(&mut rig, r#""state":"running""#);
    assert_eq!(rig.stop(5, "end_turn"), "done", "the answer is the end");
}

#[test]
fn what_is_asked_between_turns_waits_however_often_its_session_is_idle() {
    let mut rig = rig();
    run(&mut rig, "s");
    assert_eq!(rest(&mut rig, "s", Some("end_turn"), 0), "done");
    let form = |id: u32| {
        let params = json!({"sessionId": "s", "message": "Which one?"});
        json!({"id": id, "method": "elicitation/create", "params": params})
    };
    let accepted = |id: u32| json!({"id": id, "result": {"action": "accept"}});
    assert_eq!(rig.agent(&form(7)), "blocked");
    assert_eq!(rest(&mut rig, "s", Some("end_turn"), 0), "blocked");
    assert_eq!(rig.client(&accepted(7)), "done");
    // Beside a session that works.
    run(&mut rig, "t");
    assert_eq!(rig.agent(&form(8)), "blocked");
    assert_eq!(rest(&mut rig, "s", None, 0), "blocked");
    assert_eq!(rig.client(&accepted(8)), "working");
    assert_eq!(rest(&mut rig, "t", Some("end_turn"), 0), "done");
    // Its own turn takes it along.
    run(&mut rig, "s");
    assert_eq!(rig.agent(&form(9)), "blocked");
    assert_eq!(rest(&mut rig, "s", Some("end_turn"), 0), "done");
    assert!(rig.seat.prompts.is_empty());
}
