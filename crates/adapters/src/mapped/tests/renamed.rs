//! A version that nobody knows: a member has another name, or says another word.

use super::{headlines, put, seen, whole};
use crate::mapped::map::Word;
use crate::mapped::{maps, of};
use headsup_core::observation::{Fact, SessionEnd};
use headsup_core::prompt::Actor;
use serde_json::{Value, json};
use std::slice::from_ref;

fn is_understood(fact: &Fact) -> bool {
    !matches!(fact, Fact::NotUnderstood { .. })
}

fn ends(how: SessionEnd) -> Fact {
    Fact::SessionEnded { how }
}

#[test]
fn what_an_event_must_have_is_counted_where_it_is_not_there_or_says_another_word() {
    for map in maps() {
        for must in &map.musts {
            for event in &must.events {
                let at = format!("{} {event}.{}", map.kind, must.member);
                assert!(map.rows(event).next().is_some(), "{at}");
                let known = whole(map, event);
                assert_eq!(seen(map, event, &known).strange, None, "{at}");
                let mut renamed = known.clone();
                let value = renamed.as_object_mut().unwrap().remove(&must.member).unwrap();
                renamed[format!("{}V2", must.member)] = value;
                let told = seen(map, event, &renamed);
                assert_eq!(told.strange, Some(must.member.as_str()), "{at}");
                let is_owner = must.tells_whose || map.members.session.contains(&must.member);
                assert!(!is_owner || !is_understood(&told.fact), "{at}: {told:?}");
                let mut anew = known;
                put(&mut anew, from_ref(&must.member), &json!("news"));
                let is_any = must.tells_whose || must.is.is_empty();
                assert_eq!(seen(map, event, &anew).strange.is_none(), is_any, "{at}");
            }
        }
    }
}

/// One name for all turns would make each of them a part of the first, which has ended.
#[test]
fn a_turn_with_what_is_no_name_is_not_taken_for_the_one_before_and_is_counted() {
    let cursor = of("cursor").unwrap();
    let strange = |generation: &Value| {
        let mut stop = json!({"conversation_id": "s-1", "status": "completed"});
        put(&mut stop, &cursor.members.turn, generation);
        seen(cursor, "stop", &stop).strange
    };
    for none in [json!(""), json!(true), json!([]), json!(["g-1"]), json!({"id": "g-1"})] {
        let turns = [
            ("sessionStart", json!({})),
            ("beforeSubmitPrompt", json!({"prompt": "x", "generation_id": none})),
            ("stop", json!({"status": "completed", "generation_id": none})),
            ("beforeSubmitPrompt", json!({"prompt": "y", "generation_id": none})),
        ];
        assert_eq!(headlines("cursor", &turns), ["idle", "working", "done", "working"], "{none}");
        assert_eq!(strange(&none), Some("generation_id"), "{none}");
    }
    for name in [json!("g-1"), json!(7)] {
        assert_eq!(strange(&name), None, "{name}");
    }
    // It has another name.
    assert_eq!(strange(&json!(null)), Some("generation_id"));
}

#[test]
fn what_tells_calls_and_helpers_apart_is_counted_where_it_is_of_another_type() {
    let strange =
        |kind: &str, event: &str, payload: Value| seen(of(kind).unwrap(), event, &payload).strange;
    let call = json!({"session_id": "s-1", "tool_name": "Shell", "tool_call_id": {"id": "c-1"}});
    assert_eq!(strange("kimi", "PermissionRequest", call), Some("tool_call_id"));
    let helper = json!({"taskId": "t-2", "agent_id": "h", "parent_agent_id": {"id": "m"}});
    assert_eq!(strange("cline", "agent_end", helper), Some("parent_agent_id"));
    let nested = json!({
        "taskId": "t-1", "agent_id": "m", "parent_agent_id": null, "tool_call": {"id": 7, "name": "bash"},
    });
    assert_eq!(strange("cline", "tool_call", nested), Some("tool_call.id"));
}

/// Its end would be the main agent's, if nobody knew of its start.
#[test]
fn every_helper_that_is_told_of_must_be_named() {
    for map in maps() {
        let told = |word| map.events.iter().filter(move |row| row.fact == word);
        for row in told(Word::HelperStarted).chain(told(Word::HelperEnded)) {
            let is_named = |path: &String| map.musts(&row.name).any(|must| must.member == *path);
            assert!(map.members.helper.iter().any(is_named), "{} {}", map.kind, row.name);
        }
    }
}

#[test]
fn no_program_leaves_but_by_a_word_that_says_so() {
    for map in maps() {
        for row in map.events.iter().filter(|row| row.fact == Word::SessionEnded) {
            let words = row.when.as_ref().map_or(0, |when| when.is.len());
            assert!(words > 0, "{} {}", map.kind, row.name);
        }
    }
}

#[test]
fn an_end_with_a_reason_that_nobody_knows_is_left_to_the_process_and_counted() {
    for kind in ["droid", "grok", "kimi", "pi"] {
        let map = of(kind).unwrap();
        let event = if kind == "pi" { "session_shutdown" } else { "SessionEnd" };
        let told = |reason: Value| {
            let mut payload = whole(map, event);
            put(&mut payload, &map.members.helper, &Value::Null);
            put(&mut payload, &["reason".to_owned()], &reason);
            let seen = seen(map, event, &payload);
            (seen.fact, seen.strange)
        };
        for none in [json!(null), json!("")] {
            assert_eq!(told(none), (ends(SessionEnd::Either), Some("reason")), "{kind}");
        }
        for news in [json!("evaporated"), json!(7), json!({}), json!(["clear"])] {
            let told = told(news);
            assert_eq!(told, (ends(SessionEnd::Unclear), Some("reason")), "{kind}");
        }
    }
    for (kind, word, how) in [
        ("droid", "clear", SessionEnd::Clear),
        ("droid", "prompt_input_exit", SessionEnd::Exit),
        ("grok", "clear", SessionEnd::Clear),
        ("grok", "shutdown", SessionEnd::Either),
        ("kimi", "exit", SessionEnd::Either),
    ] {
        let map = of(kind).unwrap();
        let mut payload = whole(map, "SessionEnd");
        put(&mut payload, &map.members.helper, &Value::Null);
        put(&mut payload, &["reason".to_owned()], &json!(word));
        let seen = seen(map, "SessionEnd", &payload);
        assert_eq!((seen.fact, seen.strange), (ends(how), None), "{kind} {word}");
    }
}

#[test]
fn a_stop_behind_a_helper_that_is_not_named_is_no_end_of_the_turn() {
    let kimi = [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "x", "is_steer": false})),
        ("PreToolUse", json!({"tool_name": "Agent", "tool_call_id": "c-1"})),
        ("SubagentStart", json!({"subagent_name": "coder"})),
        ("Stop", json!({})),
        ("SubagentStop", json!({"subagent_name": "coder"})),
        ("Stop", json!({})),
    ];
    // That of the helper itself, its end, and the main agent's own.
    let read = headlines("kimi", &kimi);
    assert_eq!(read[0], "idle");
    assert!(read[1..6].iter().all(|headline| headline == "working"), "{read:?}");
    assert_eq!(read[6], "done");
    let helper = json!({"subagent_id": "h", "subagent_type": "x"});
    let begins = [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "x", "promptId": "p"})),
        ("SubagentStart", helper.clone()),
        ("SubagentStart", helper.clone()),
    ];
    let stop = ("Stop", json!({"promptId": "p", "reason": "end_turn"}));
    let end = ("SubagentStop", helper);
    let leaves = json!({"subagent_id": "h", "subagent_type": "x", "reason": "exit"});
    let one_runs = [&begins[..], &[stop.clone(), end.clone(), ("SessionEnd", leaves)]].concat();
    let read = headlines("grok", &one_runs);
    assert!(read[1..].iter().all(|headline| headline == "working"), "{read:?}");
    let read = headlines("grok", &[&begins[..], &[stop, end.clone(), end]].concat());
    assert_eq!(read[5..], ["working", "done"]);
    // Whoever prompts next has seen it rest.
    let [_, prompt, tool, start, stop, ..] = &kimi;
    let next = [prompt, tool, start, stop, prompt, stop].map(Clone::clone);
    assert_eq!(headlines("kimi", &next).last().unwrap(), "done");
}

#[test]
fn whose_a_helpers_event_is_must_stand_in_it() {
    let told = |kind: &str, event: &str, payload: Value| {
        let seen = seen(of(kind).unwrap(), event, &payload);
        (seen.fact, seen.strange, seen.session)
    };
    // Which one it is has another name: a helper's all the same.
    let cline = json!({"taskId": "t-2", "agentId": "h", "parent_agent_id": "m"});
    let ended = || Fact::NamesakeEnded { name: "unnamed".to_owned() };
    assert_eq!(told("cline", "agent_end", cline.clone()), (ended(), Some("agent_id"), None));
    let (begun, ..) = told("cline", "agent_start", cline.clone());
    assert_eq!(begun, Fact::NamesakeStarted { name: "unnamed".to_owned() });
    assert_eq!(told("cline", "tool_call", cline).0, Fact::HelperWorks);
    let vibe = json!({"sessionId": "s-2", "parent_session_id": "s-1"});
    let of_main = (ended(), Some("session_id"), Some("s-1".to_owned()));
    assert_eq!(told("mistral-vibe", "post_agent", vibe), of_main);
    // Whether it is one has another name.
    let cline = json!({"taskId": "t-2", "agent_id": "h", "parentAgentId": "m"});
    let vibe = json!({"session_id": "s-2", "parentSessionId": "s-1", "tool_name": "bash"});
    for (kind, event, payload) in [
        ("cline", "agent_end", &cline),
        ("cline", "agent_error", &cline),
        ("cline", "session_shutdown", &cline),
        ("mistral-vibe", "post_agent", &vibe),
        ("mistral-vibe", "pre_tool", &vibe),
    ] {
        let (fact, ..) = told(kind, event, payload.clone());
        assert!(!is_understood(&fact), "{kind} {event}: {fact:?}");
    }
    let main = json!({"taskId": "t-1", "agent_id": "m", "parent_agent_id": null});
    let (fact, strange, session) = told("cline", "agent_end", main);
    assert!(matches!(fact, Fact::TurnEnded { .. }), "{fact:?}");
    assert_eq!((strange, session.as_deref()), (None, Some("t-1")));
}

/// Only its start and its end say which helper it is; all that happens in it says of which type.
#[test]
fn what_comes_out_of_a_helper_without_its_name_says_no_more_than_that_one_works() {
    let map = of("grok").unwrap();
    let of_helper = json!({
        "sessionId": "s-2", "subagentType": "explore", "promptId": "p-2", "toolName": "bash",
        "notificationType": "permission_prompt", "error": "rate_limit", "reason": "end_turn",
        "source": "startup", "trigger": "manual",
    });
    let is_helpers = |word| matches!(word, Word::HelperStarted | Word::HelperEnded);
    for row in map.events.iter().filter(|row| !is_helpers(row.fact)) {
        let mut payload = of_helper.clone();
        if let Some(when) = &row.when
            && let Some(word) = when.is.first()
        {
            put(&mut payload, from_ref(&when.member), &json!(word));
        }
        let seen = seen(map, &row.name, &payload);
        let fact = match row.fact {
            Word::ToolStarted => Fact::HelperWorks,
            _ => Fact::Nothing,
        };
        assert_eq!((seen.fact, seen.session), (fact, None), "{}", row.name);
    }
    let start = json!({"sessionId": "s-1", "subagentType": "explore", "subagentId": "h"});
    let id = "h".to_owned();
    assert_eq!(seen(map, "SubagentStart", &start).fact, Fact::SubagentStarted { id });
    let tool = json!({"sessionId": "s-1", "toolName": "bash", "promptId": "p"});
    let seen = seen(map, "PreToolUse", &tool);
    assert!(matches!(seen.fact, Fact::ToolStarted { actor: Actor::Main, .. }), "{seen:?}");
}

#[test]
fn a_stop_with_a_reason_that_nobody_knows_or_with_none_is_no_completion_and_is_counted() {
    let map = of("grok").unwrap();
    let stop = |member: &str, reason: Value| {
        let mut stop = json!({"sessionId": "s-1", "promptId": "p"});
        stop[member] = reason;
        seen(map, "Stop", &stop)
    };
    for (member, reason) in [
        ("reason", json!("paused")),
        ("reason", json!(7)),
        ("reason", json!({})),
        ("reason", Value::Null),
        // It has another name.
        ("stopReason", json!("end_turn")),
    ] {
        let told = stop(member, reason.clone());
        let unclear = (Fact::TurnUnanswered, Some("reason"));
        assert_eq!((told.fact, told.strange), unclear, "{member}: {reason}");
    }
    let told = stop("reason", json!("end_turn"));
    assert!(matches!(told.fact, Fact::TurnEnded { .. }), "{told:?}");
    assert_eq!(told.strange, None);
}

#[test]
fn an_answer_that_does_not_say_to_which_call_it_is_is_counted() {
    let map = of("kimi").unwrap();
    for event in ["PermissionRequest", "PermissionResult"] {
        for (member, strange) in [("tool_call_id", None), ("callId", Some("tool_call_id"))] {
            let mut told =
                json!({"session_id": "s-1", "tool_name": "Bash", "decision": "approved"});
            told[member] = json!("c-1");
            let told = seen(map, event, &told);
            assert!(is_understood(&told.fact), "{event} {told:?}");
            assert_eq!(told.strange, strange, "{event} {member}");
        }
    }
}

/// It comes when the session ends, also in the middle of a turn.
#[test]
fn the_stop_at_the_end_of_a_session_ends_no_turn() {
    let grok = [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "x", "promptId": "p"})),
        ("Stop", json!({"reason": "shutdown"})),
        ("Stop", json!({"promptId": "p", "reason": "end_turn"})),
    ];
    assert_eq!(headlines("grok", &grok), ["idle", "working", "working", "done"]);
}
