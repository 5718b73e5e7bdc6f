//! What each message does to the status.

use super::Rig;
use headsup_core::event::EventBody;
use serde_json::json;

#[test]
fn a_prompt_in_flight_is_a_turn_and_its_answer_says_how_it_ended() {
    let failed = |code: i64| json!({"id": 5, "error": {"code": code, "message": "it broke"}});
    let result = |reason: &str| json!({"id": 5, "result": {"stopReason": reason}});
    for (answer, headline, outcome) in [
        (result("end_turn"), "done", "completed"),
        (result("max_tokens"), "idle", "interrupted"),
        (result("max_turn_requests"), "idle", "interrupted"),
        (result("refusal"), "idle", "interrupted"),
        (result("cancelled"), "idle", "interrupted"),
        (result("of tomorrow"), "idle", "interrupted"),
        (json!({"id": 5, "result": {}}), "idle", "interrupted"),
        (json!({"id": 5, "result": null}), "idle", "interrupted"),
        (failed(-32_603), "failed", "failed"),
        (failed(-32_000), "failed", "failed"),
        (json!({"id": 5, "error": {}}), "failed", "failed"),
        (failed(-32_800), "idle", "interrupted"),
    ] {
        let mut rig = Rig::with_session();
        assert_eq!(rig.headline(), "idle");
        assert_eq!(rig.prompt(5, "s"), "working");
        let chunk = json!({"sessionUpdate": "agent_message_chunk", "content": {"text": "hi"}});
        assert_eq!(rig.update("s", &chunk), "working");
        assert_eq!(rig.agent(&answer), headline, "{answer}");
        assert_eq!(rig.outcome(), Some(outcome), "{answer}");
        assert_eq!(rig.prompt(6, "s"), "working");
        assert_eq!(rig.stop(6, "end_turn"), "done");
    }
}

#[test]
fn who_has_said_nothing_is_starting_and_one_that_has_a_session_idle() {
    let mut rig = Rig::new();
    let asked = json!({"id": 0, "method": "initialize", "params": {"protocolVersion": 1}});
    assert_eq!(rig.client(&asked), "starting");
    assert_eq!(rig.agent(&json!({"id": 0, "result": {"protocolVersion": 1}})), "idle");
    rig.client(&json!({"id": "n", "method": "session/new", "params": {"cwd": "/home/dev/x"}}));
    let made = json!({"sessionId": "s-1", "models": {"currentModelId": "fast"}});
    assert_eq!(rig.agent(&json!({"id": "n", "result": made})), "idle");
    assert_eq!(rig.seat.session.as_ref().unwrap().id, "s-1");
    let seen = super::seen(rig.said.last().unwrap());
    assert_eq!(seen.model.as_deref(), Some("fast"));
    assert_eq!(seen.cwd.as_deref(), Some("/home/dev/x"));
}

#[test]
fn who_refuses_the_first_request_has_failed_with_its_reason() {
    let asked = |id: u32| json!({"id": id, "method": "initialize", "params": {}});
    let refused =
        |id: u32| json!({"id": id, "error": {"code": -32_603, "message": "no such model"}});
    let mut rig = Rig::new();
    rig.client(&asked(0));
    assert_eq!(rig.agent(&refused(0)), "failed");
    let outcome = rig.seat.outcome.as_ref().unwrap();
    assert_eq!(outcome.code.as_deref(), Some("internal_error"));
    assert_eq!(rig.seat.turn.detail.as_deref(), Some("no such model"));
    // Asked again it may come up after all.
    rig.client(&asked(1));
    rig.agent(&json!({"id": 1, "result": {"protocolVersion": 1}}));
    assert_eq!(rig.prompt(2, "s"), "working");
    assert_eq!(rig.stop(2, "end_turn"), "done");
    // Of one that is there it says nothing, nor of one that works.
    rig.client(&asked(3));
    assert_eq!(rig.agent(&refused(3)), "done");
    let mut rig = Rig::new();
    rig.client(&asked(0));
    rig.prompt(1, "s");
    assert_eq!(rig.agent(&refused(0)), "working");
}

#[test]
fn the_model_is_the_one_that_the_session_works_with() {
    let model = |rig: &Rig| rig.said.last().and_then(|said| super::seen(said).model);
    let options = |model: &str| {
        json!([
            {"id": "mode", "category": "mode", "currentValue": "model"},
            {"id": "engine", "category": "model", "currentValue": model,
                "options": [{"value": "fast", "name": "Fast"}]},
        ])
    };
    let mut rig = Rig::new();
    rig.client(&json!({"id": 1, "method": "session/new", "params": {"cwd": "/home/dev/x"}}));
    let made = json!({"sessionId": "s", "configOptions": options("fast")});
    rig.agent(&json!({"id": 1, "result": made}));
    assert_eq!(model(&rig).as_deref(), Some("fast"));
    // By the agent itself; said again it is no news.
    let update = json!({"sessionUpdate": "config_option_update", "configOptions": options("slow")});
    assert_eq!(rig.update("s", &update), "idle");
    assert_eq!(model(&rig).as_deref(), Some("slow"));
    let told = rig.said.len();
    rig.update("s", &update);
    assert_eq!(rig.said.len(), told);
    // By the client, once the agent has taken it.
    let params = json!({"sessionId": "s", "configId": "engine", "value": "deep"});
    rig.client(&json!({"id": 2, "method": "session/set_config_option", "params": params}));
    assert_eq!(rig.said.len(), told);
    rig.agent(&json!({"id": 2, "result": {"configOptions": options("deep")}}));
    assert_eq!(model(&rig).as_deref(), Some("deep"));
    let params = json!({"sessionId": "s", "modelId": "fast"});
    let asked = json!({"method": "session/set_model", "params": params});
    let ask = |id: u32| {
        let mut asked = asked.clone();
        asked["id"] = id.into();
        asked
    };
    rig.client(&ask(3));
    rig.agent(&json!({"id": 3, "error": {"code": -32602, "message": "no such model"}}));
    assert_eq!(model(&rig).as_deref(), Some("deep"), "it was refused");
    rig.prompt(5, "s");
    rig.client(&ask(4));
    assert_eq!(rig.agent(&json!({"id": 4, "result": null})), "working");
    assert_eq!(model(&rig).as_deref(), Some("fast"));
    assert_eq!(rig.stop(5, "end_turn"), "done");
}

#[test]
fn the_model_of_another_session_than_the_seats_is_not_told() {
    let told = |rig: &Rig| -> Vec<String> {
        rig.said.iter().filter_map(|said| super::seen(said).model).collect()
    };
    let mut rig = Rig::new();
    let take_up = |rig: &mut Rig, id: u32, session: &str, model: &str| {
        rig.client(&json!({"id": id, "method": "session/new", "params": {}}));
        let models = json!({"currentModelId": model});
        rig.agent(&json!({"id": id, "result": {"sessionId": session, "models": models}}));
    };
    let set = |rig: &mut Rig, id: u32, session: &str, model: &str| {
        let params = json!({"sessionId": session, "modelId": model});
        rig.client(&json!({"id": id, "method": "session/set_model", "params": params}));
        rig.agent(&json!({"id": id, "result": {}}));
    };
    take_up(&mut rig, 1, "s", "fast");
    take_up(&mut rig, 2, "t", "slow");
    set(&mut rig, 3, "s", "deep");
    assert_eq!(told(&rig), ["fast", "slow"]);
    set(&mut rig, 4, "t", "wide");
    assert_eq!(told(&rig), ["fast", "slow", "wide"]);
    // Beside a turn the seat stays where it is.
    rig.prompt(5, "t");
    take_up(&mut rig, 6, "u", "tiny");
    assert_eq!(told(&rig).len(), 3);
    rig.stop(5, "end_turn");
    // What was said of a session before it was taken up holds where its answer says nothing.
    rig.client(&json!({"id": 7, "method": "session/load", "params": {"sessionId": "s"}}));
    rig.agent(&json!({"id": 7, "result": {}}));
    assert_eq!(told(&rig).last().map(String::as_str), Some("deep"));
}

#[test]
fn the_first_answer_ends_no_turn_that_was_begun_before_it() {
    let initialize =
        |id: u32| json!({"id": id, "method": "initialize", "params": {"protocolVersion": 1}});
    let answer = |id: u32| json!({"id": id, "result": {"protocolVersion": 1}});
    let mut rig = Rig::new();
    rig.client(&initialize(0));
    rig.client(&json!({"id": 1, "method": "session/load", "params": {"sessionId": "s"}}));
    assert_eq!(rig.prompt(5, "s"), "working");
    assert_eq!(rig.agent(&answer(0)), "working");
    assert_eq!(rig.agent(&json!({"id": 1, "result": {}})), "working");
    // Nor one that comes again.
    rig.client(&initialize(6));
    assert_eq!(rig.agent(&answer(6)), "working");
    rig.ask(0, "s");
    rig.client(&initialize(7));
    assert_eq!(rig.agent(&answer(7)), "blocked");
    assert_eq!(rig.answer(0), "working");
    assert_eq!(rig.stop(5, "end_turn"), "done");
    assert_eq!((rig.outcome(), rig.seat.counters.turns), (Some("completed"), 1));
    rig.client(&initialize(8));
    assert_eq!(rig.agent(&answer(8)), "done");
}

#[test]
fn the_agent_is_blocked_until_the_last_of_its_requests_is_answered() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    assert_eq!(rig.ask(0, "s"), "blocked");
    assert_eq!(rig.ask(1, "s"), "blocked");
    let update =
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed"});
    assert_eq!(rig.update("s", &update), "blocked");
    assert_eq!(rig.answer(1), "blocked");
    assert_eq!(rig.answer(0), "working");
    assert_eq!(rig.answer(0), "working");
    let opened = rig.events.iter().filter(|event| matches!(event, EventBody::PromptOpened { .. }));
    assert_eq!(opened.count(), 2);
    let resolved = rig.events.iter().filter_map(|event| match event {
        EventBody::PromptResolved { prompt } => prompt.resolution.as_ref()?.value.clone(),
        _ => None,
    });
    assert_eq!(resolved.collect::<Vec<_>>(), ["yes", "yes"]);
}

#[test]
fn a_request_is_over_when_it_is_withdrawn_refused_or_its_turn_ends() {
    let cancel = json!({"method": "$/cancel_request", "params": {"requestId": 0}});
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    rig.ask(0, "s");
    assert_eq!(rig.agent(&cancel), "working");
    rig.ask(1, "s");
    let refused = json!({"id": 1, "error": {"code": -32_601, "message": "no"}});
    assert_eq!(rig.client(&refused), "working");
    rig.ask(3, "s");
    let cancel = json!({"method": "session/cancel", "params": {"sessionId": "s"}});
    assert_eq!(rig.client(&cancel), "working", "whoever has cancelled it is not waited for");
    rig.ask(2, "s");
    // Three of four agents end the turn before the client has answered (measured).
    assert_eq!(rig.stop(5, "cancelled"), "idle");
    let cancelled = json!({"id": 2, "result": {"outcome": {"outcome": "cancelled"}}});
    assert_eq!(rig.client(&cancelled), "idle");
    assert!(rig.seat.prompts.is_empty());
    assert_eq!(rig.prompt(6, "s"), "working");
}

#[test]
fn a_request_in_no_turn_leaves_everything_as_it_was() {
    let cancel = json!({"method": "$/cancel_request", "params": {"requestId": 1}});
    let mut rig = Rig::with_session();
    assert_eq!(rig.ask(0, "s"), "blocked");
    assert_eq!(rig.answer(0), "idle");
    for (stop, headline) in [("end_turn", "done"), ("refusal", "idle")] {
        rig.prompt(5, "s");
        assert_eq!(rig.stop(5, stop), headline);
        let turns = |rig: &Rig| {
            let is_turn = |event: &&EventBody| {
                matches!(event, EventBody::TurnStarted { .. } | EventBody::TurnCompleted { .. })
            };
            rig.events.iter().filter(is_turn).count()
        };
        let before = (turns(&rig), rig.outcome());
        assert_eq!(rig.ask(0, "s"), "blocked");
        assert_eq!(rig.answer(0), headline);
        assert_eq!(rig.ask(1, "s"), "blocked");
        assert_eq!(rig.agent(&cancel), headline);
        assert_eq!((turns(&rig), rig.outcome()), before);
    }
    // A prompt of a person's answers nothing, and begins a turn.
    assert_eq!(rig.ask(2, "s"), "blocked");
    assert_eq!(rig.prompt(6, "t"), "blocked");
    assert_eq!(rig.answer(2), "working");
    assert_eq!(rig.stop(6, "end_turn"), "done");
}

#[test]
fn what_was_asked_before_a_turn_of_its_session_is_one_prompt_throughout() {
    let mut rig = Rig::with_session();
    assert_eq!(rig.ask(0, "s"), "blocked");
    let id = rig.seat.prompts[0].id.clone();
    let before = rig.events.len();
    assert_eq!(rig.prompt(5, "s"), "blocked");
    let ids: Vec<&str> = rig.seat.prompts.iter().map(|open| open.id.as_str()).collect();
    assert_eq!(ids, [id.as_str()]);
    let moves = |event: &EventBody| match event {
        EventBody::PromptOpened { .. } | EventBody::PromptResolved { .. } => true,
        other => matches!(other, EventBody::StatusChanged(_)),
    };
    assert!(!rig.events[before..].iter().any(moves), "{:?}", &rig.events[before..]);
    assert_eq!(rig.answer(0), "working");
    assert_eq!(rig.stop(5, "end_turn"), "done");
}

#[test]
fn ids_are_told_apart_by_their_side_and_by_their_type() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    // The agent counts too.
    assert_eq!(rig.ask(5, "s"), "blocked");
    assert_eq!(rig.agent(&json!({"id": "5", "result": {"stopReason": "end_turn"}})), "blocked");
    assert_eq!(rig.answer(5), "working");
    assert_eq!(rig.stop(5, "end_turn"), "done");
}

#[test]
fn a_turn_is_over_when_no_session_has_a_prompt_in_flight() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    rig.client(&json!({"id": 6, "method": "session/new", "params": {}}));
    assert_eq!(rig.agent(&json!({"id": 6, "result": {"sessionId": "t"}})), "working");
    rig.prompt(7, "t");
    assert_eq!(rig.ask(0, "t"), "blocked");
    assert_eq!(rig.stop(5, "end_turn"), "blocked");
    assert_eq!(rig.answer(0), "working");
    assert_eq!(rig.ask(1, "s"), "blocked", "asked in a session that rests");
    assert_eq!(rig.stop(7, "end_turn"), "blocked");
    assert_eq!(rig.answer(1), "done", "an answer is no other end");
    let turns = rig.events.iter().filter(|event| matches!(event, EventBody::TurnStarted { .. }));
    assert_eq!(turns.count(), 1);
}

#[test]
fn what_a_session_at_rest_asks_ends_no_turn_in_another_way() {
    for (reason, headline) in
        [("end_turn", "done"), ("cancelled", "idle"), ("error", "failed"), ("refusal", "idle")]
    {
        let mut rig = Rig::with_session();
        rig.prompt(5, "s");
        rig.ask(0, "t");
        assert_eq!(rig.stop(5, reason), "blocked");
        assert_eq!(rig.answer(0), headline, "{reason}");
        // What begins then has an end of its own.
        rig.prompt(6, "s");
        rig.ask(1, "t");
        rig.stop(6, "end_turn");
        assert_eq!(rig.prompt(7, "s"), "blocked");
        rig.client(&json!({"id": 8, "method": "session/close", "params": {"sessionId": "s"}}));
        assert_eq!(rig.agent(&json!({"id": 8, "result": {}})), "blocked");
        assert_eq!(rig.answer(1), "idle");
    }
}

#[test]
fn a_prompt_with_many_files_is_a_prompt() {
    for count in [1, 61, 62, 64, 300] {
        let mut rig = Rig::with_session();
        let file = |n: usize| {
            let resource = json!({"uri": format!("file:///x/{n}"), "text": "x".repeat(3_000)});
            json!({"type": "resource", "resource": resource})
        };
        let files: Vec<_> = (0..count).map(file).collect();
        let params = json!({"sessionId": "s", "prompt": files});
        let prompt = json!({"id": 5, "method": "session/prompt", "params": params});
        assert_eq!(rig.client(&prompt), "working", "{count}");
        assert_eq!(rig.stop(5, "end_turn"), "done", "{count}");
    }
}

#[test]
fn a_request_that_was_withdrawn_may_be_made_again_under_its_id() {
    let mut rig = Rig::with_session();
    for id in 5..5_000 {
        rig.prompt(id, "s");
        rig.ask(0, "s");
        assert_eq!(rig.stop(id, "end_turn"), "done", "{id}");
    }
    assert_eq!(rig.prompt(5, "s"), "working");
    assert_eq!(rig.ask(0, "s"), "blocked");
    assert_eq!(rig.answer(0), "working");
}

#[test]
fn requests_without_end_are_bounded_and_none_stays_open_for_ever() {
    let mut rig = Rig::with_session();
    // One id is one request, however often it comes.
    rig.prompt(5, "s");
    rig.prompt(5, "s");
    assert_eq!(rig.stop(5, "end_turn"), "done");
    for id in 0..5_000 {
        rig.prompt(id, "s");
    }
    for id in 0..1_000 {
        rig.ask(id, "s");
    }
    let stands = rig.traffic.stands().unwrap();
    assert!(stands.prompts < 1_000, "{}", stands.prompts);
    for id in 0..1_000 {
        rig.answer(id);
    }
    for id in 0..5_000 {
        rig.stop(id, "end_turn");
    }
    assert_eq!(rig.headline(), "done");
}

#[test]
fn tools_are_shown_while_they_run_and_old_ones_are_not() {
    let mut rig = Rig::with_session();
    let call = |status: &str| {
        json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "ls", "kind": "execute",
            "status": status})
    };
    rig.update("s", &call("pending"));
    assert_eq!(rig.seat.counters.tools, 0, "a loaded session tells of its past");
    rig.prompt(5, "s");
    rig.update("s", &call("pending"));
    rig.update("s", &call("in_progress"));
    assert_eq!(rig.seat.turn.detail.as_deref(), Some("execute"));
    rig.update("s", &call("completed"));
    rig.update("s", &call("completed"));
    assert_eq!((rig.seat.counters.tools, rig.seat.open_tools.len()), (1, 0));
    assert_eq!(rig.stop(5, "end_turn"), "done");
    assert_eq!(rig.update("s", &call("in_progress")), "done", "a straggler starts nothing");
}

#[test]
fn a_question_is_no_permission() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    let call = json!({"toolCallId": "c", "title": "Ask user 1 question", "kind": "think",
        "_meta": {"toolName": "ask_user_question"}});
    let params = json!({"sessionId": "s", "options": [], "toolCall": call});
    rig.agent(&json!({"id": 0, "method": "session/request_permission", "params": params}));
    assert_eq!(rig.seat.turn().phrase(), "blocked(question)");
    rig.answer(0);
    let params = json!({"sessionId": "s", "mode": "form", "message": "Which?"});
    rig.agent(&json!({"id": 1, "method": "elicitation/create", "params": params}));
    assert_eq!(rig.seat.turn().phrase(), "blocked(elicitation)");
    assert_eq!(rig.client(&json!({"id": 1, "result": {"action": "decline"}})), "working");
}

#[test]
fn what_is_no_message_changes_nothing_and_is_counted() {
    let mut rig = Rig::with_session();
    rig.prompt(5, "s");
    let before = rig.said.len();
    for line in ["", "{", "null", "[]", "log: ready", "\u{feff}", "{\"id\":5}x", "[1,2]", "\"x\""] {
        assert_eq!(rig.line(super::Side::Agent, line), "working", "{line:?}");
    }
    assert!(rig.said.len() > before && rig.said.len() < before + 8, "{}", rig.said.len());
    // This is one: somebody could not read a request.
    let before = rig.said.len();
    let unread = json!({"id": null, "error": {"code": -32_700, "message": "Parse error"}});
    assert_eq!(rig.agent(&unread), "working");
    assert_eq!(rig.client(&unread), "working");
    assert_eq!(rig.said.len(), before);
    let batch = json!([{"id": 5, "result": {"stopReason": "end_turn"}}, {"method": "x/y"}]);
    assert_eq!(rig.agent(&batch), "done");
}
