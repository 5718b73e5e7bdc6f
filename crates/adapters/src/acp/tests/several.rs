//! Several sessions in one connection: which of them the seat is in.

use super::{Rig, seen};
use headsup_core::event::EventBody;
use headsup_core::status::Headline;
use serde_json::json;

fn take_up(rig: &mut Rig, id: u32, session: &str) {
    let params = json!({"cwd": format!("/home/dev/{session}"), "sessionId": session});
    rig.client(&json!({"id": id, "method": "session/load", "params": params}));
    let models = json!({"currentModelId": format!("model-{session}")});
    rig.agent(&json!({"id": id, "result": {"models": models}}));
}

fn call(rig: &mut Rig, session: &str, title: &str) {
    rig.update(session, &json!({"sessionUpdate": "session_info_update", "title": title}));
}

fn titles(rig: &Rig) -> Vec<String> {
    rig.said.iter().filter_map(|said| seen(said).title).collect()
}

fn session(rig: &Rig) -> &str {
    &rig.seat.session.as_ref().unwrap().id
}

#[test]
fn the_seat_goes_over_to_a_session_that_was_taken_up_beside_a_turn_once_it_has_one_of_its_own() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    take_up(&mut rig, 6, "t");
    let told = seen(rig.said.last().unwrap());
    assert_eq!((told.cwd, told.model), (None, None), "they are another session's");
    assert_eq!(rig.prompt(7, "t"), "working");
    assert_eq!(rig.stop(7, "end_turn"), "working");
    assert_eq!(session(&rig), "s");
    assert_eq!(rig.stop(5, "end_turn"), "done");
    let before = rig.events.len();
    assert_eq!(rig.prompt(8, "t"), "working");
    assert_eq!(session(&rig), "t");
    let told = seen(rig.said.iter().find(|said| said.takes_up).unwrap());
    assert_eq!(told.cwd.as_deref(), Some("/home/dev/t"));
    assert_eq!(told.model.as_deref(), Some("model-t"));
    let is_rest = |event: &EventBody| match event {
        EventBody::StatusChanged(change) => change.to != Headline::Working,
        _ => false,
    };
    assert!(!rig.events[before..].iter().any(is_rest), "nothing rests in between");
    assert_eq!(rig.stop(8, "end_turn"), "done");
    // It is there now.
    rig.prompt(9, "t");
    assert_eq!(rig.stop(9, "end_turn"), "done");
    assert_eq!(rig.said.iter().filter(|said| said.takes_up).count(), 1);
}

#[test]
fn what_another_session_asks_waits_though_the_seat_could_go_over() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    take_up(&mut rig, 6, "t");
    rig.stop(5, "end_turn");
    assert_eq!(rig.ask(0, "s"), "blocked");
    assert_eq!(rig.prompt(7, "t"), "blocked");
    assert_eq!(session(&rig), "s");
    assert_eq!(rig.answer(0), "working");
    assert_eq!(rig.stop(7, "end_turn"), "done");
    rig.prompt(8, "t");
    assert_eq!(session(&rig), "t");
}

#[test]
fn what_another_session_is_called_is_told_once_the_seat_is_in_it() {
    let mut rig = Rig::with_session();
    call(&mut rig, "s", "First");
    call(&mut rig, "t", "Second");
    assert_eq!(titles(&rig), ["First"]);
    take_up(&mut rig, 5, "t");
    assert_eq!(titles(&rig), ["First", "Second"]);
    // Also of one that was taken up beside a turn.
    rig.prompt(6, "t");
    take_up(&mut rig, 7, "s");
    call(&mut rig, "s", "Third");
    rig.stop(6, "end_turn");
    assert_eq!(titles(&rig).len(), 2);
    assert_eq!(rig.prompt(8, "s"), "working", "it was left before");
    assert_eq!(session(&rig), "s");
    assert_eq!(titles(&rig).last().map(String::as_str), Some("Third"));
}
