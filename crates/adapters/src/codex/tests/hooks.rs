//! Sessions, turns, tools, helpers, compaction.

use super::{Event, TURN, fact, hook, seen};
use crate::HookContext;
use headsup_core::observation::{Background, Fact, SessionEnd, SessionStart, Submitter};
use headsup_core::prompt::Actor;

fn turn() -> String {
    TURN.to_owned()
}

#[test]
fn a_session_start_says_how() {
    for (source, how) in [
        ("startup", SessionStart::Startup),
        ("resume", SessionStart::Resume),
        ("clear", SessionStart::Clear),
        ("compact", SessionStart::Compact),
        ("fork", SessionStart::Fork),
        ("teleport", SessionStart::Startup),
    ] {
        let members = format!(r#""source":"{source}""#);
        let started = seen("SessionStart", &members, &HookContext::default());
        assert_eq!(started.fact, Fact::SessionStarted { how, attach: None });
        let is_news = source == "teleport";
        assert_eq!(started.strange, is_news.then_some("source"), "{source}");
    }
}

#[test]
fn a_fork_without_a_log_is_a_conversation_beside_the_one_that_goes_on() {
    for (source, log, how) in [
        ("fork", "null", SessionStart::Side),
        ("fork", "7", SessionStart::Fork),
        ("startup", "null", SessionStart::Startup),
    ] {
        let body = format!(
            r#"{{"session_id":"s-2","cwd":"/home/dev/api","hook_event_name":"SessionStart",
                "source":"{source}","transcript_path":{log}}}"#
        );
        let started = hook(None, body.as_bytes(), &HookContext::default());
        assert_eq!(started.fact, Fact::SessionStarted { how, attach: None }, "{source} {log}");
    }
    // Of one that does not say where its log is nobody knows.
    let body = r#"{"session_id":"s-2","cwd":"/","hook_event_name":"SessionStart","source":"fork"}"#;
    let how = SessionStart::Fork;
    let started = hook(None, body.as_bytes(), &HookContext::default());
    assert_eq!(started.fact, Fact::SessionStarted { how, attach: None });
}

#[test]
fn of_a_session_end_its_process_tells_whether_it_is_the_programs() {
    let ended = |how| Fact::SessionEnded { how };
    assert_eq!(fact("SessionEnd", r#""reason":"other""#), ended(SessionEnd::Either));
    assert_eq!(fact("SessionEnd", r#""reason":"exit""#), ended(SessionEnd::Exit));
    assert_eq!(fact("SessionEnd", ""), ended(SessionEnd::Either));
    assert_eq!(fact("SessionEnd", r#""reason":"moved""#), ended(SessionEnd::Unclear));
    assert_eq!(fact("SessionEnd", r#""reason":7"#), ended(SessionEnd::Unclear));
    assert_eq!(fact("SessionEnd", r#""reason":"clear""#), ended(SessionEnd::Clear));
}

#[test]
fn a_turn_has_a_name_from_its_prompt_to_its_end() {
    let by = Submitter::Person;
    let prompted = Fact::PromptSubmitted { by, turn_ref: Some(turn()) };
    assert_eq!(fact("UserPromptSubmit", r#""prompt":"go""#), prompted);
    let background = Background { logged: true, ..Background::unlisted() };
    assert_eq!(fact("Stop", ""), Fact::TurnEnded { background, turn_ref: Some(turn()) });
    // Of a run that keeps no log, nothing else tells its end.
    let unlogged = Fact::TurnEnded { background: Background::unlisted(), turn_ref: Some(turn()) };
    let body = r#"{"session_id":"s-1","turn_id":"t-1","transcript_path":null}"#;
    let context = HookContext::default();
    assert_eq!(hook(Some("Stop"), body.as_bytes(), &context).fact, unlogged);
    assert_eq!(fact("Interrupt", ""), Fact::TurnInterrupted { turn_ref: Some(turn()) });
}

#[test]
fn requests_to_the_model_say_nothing() {
    assert_eq!(fact("PreModelRequest", ""), Fact::Nothing);
    let failed = r#""status":"failed","error":"We are busy","token_usage":null"#;
    assert_eq!(fact("PostModelRequest", failed), Fact::Nothing);
}

#[test]
fn a_tools_start_and_its_end_are_of_one_call() {
    let members = r#""tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"exec-1""#;
    let Fact::ToolStarted { actor, tool, turn_ref } = fact("PreToolUse", members) else {
        panic!("no start")
    };
    assert_eq!((actor, turn_ref), (Actor::Main, Some(turn())));
    assert_eq!((tool.name.as_str(), tool.id.as_deref()), ("Bash", Some("exec-1")));
    let ended = fact("PostToolUse", members);
    let (tools, interrupted) = (vec![tool], false);
    assert_eq!(
        ended,
        Fact::ToolsEnded { actor: Actor::Main, tools, interrupted, turn_ref: Some(turn()) }
    );
}

#[test]
fn a_compaction_ends_the_turn_only_if_a_person_asked_for_it() {
    let begun = Fact::CompactionBegun { turn_ref: turn() };
    assert_eq!(fact("PreCompact", r#""trigger":"manual""#), begun);
    let nameless = r#""trigger":"manual","turn_id":null"#;
    assert_eq!(fact("PreCompact", nameless), Fact::CompactionStarted);
    for (trigger, manual) in [
        (r#""manual""#, Some(true)),
        (r#""auto""#, Some(false)),
        (r#""later""#, None),
        ("7", None),
        ("null", None),
    ] {
        let ended = fact("PostCompact", &format!(r#""trigger":{trigger}"#));
        assert_eq!(ended, Fact::CompactionEnded { manual }, "{trigger}");
    }
}

#[test]
fn a_helpers_events_touch_its_own_tools_and_prompts_alone() {
    let id = "a-1".to_owned();
    let own = r#""agent_id":"a-1","agent_type":"default","tool_name":"Bash""#;
    assert_eq!(fact("SubagentStart", own), Fact::RunStarted { id: id.clone(), run: turn() });
    let nameless = format!(r#"{own},"turn_id":null"#);
    assert_eq!(fact("SubagentStart", &nameless), Fact::SubagentStarted { id: id.clone() });
    assert_eq!(fact("SubagentStop", own), Fact::SubagentEnded { id: id.clone() });
    for event in ["Stop", "Interrupt", "SessionStart", "SessionEnd", "UserPromptSubmit"] {
        assert_eq!(fact(event, own), Fact::Nothing, "{event}");
    }
    let Fact::ToolStarted { actor, .. } = fact("PreToolUse", own) else { panic!("no start") };
    assert_eq!(actor, Actor::Sub(id));
}

/// Nor need anything else in it say that it is a helper's: the turn goes on with it.
#[test]
fn the_start_of_a_helper_without_any_name_holds_the_turn_and_is_counted() {
    let name = || "unnamed".to_owned();
    for members in ["", r#""agentId":"a-1","agentType":"default""#] {
        for (event, fact) in [
            ("SubagentStart", Fact::NamesakeStarted { name: name() }),
            ("SubagentStop", Fact::NamesakeEnded { name: name() }),
        ] {
            let seen = seen(event, members, &HookContext::default());
            assert_eq!((seen.fact, seen.strange), (fact, Some("agent_id")), "{event} {members}");
            assert_eq!(seen.log_path, None, "{event} {members}");
        }
    }
}

#[test]
fn each_member_that_decides_is_counted_where_it_is_missing() {
    let strange =
        |event: &str, members: &str| seen(event, members, &HookContext::default()).strange;
    let call = r#""tool_name":"Bash","tool_use_id":"c-1""#;
    let of_no_turn = format!(r#"{call},"turn_id":null"#);
    for (event, members, member) in [
        ("PreToolUse", r#""tool_name":"Bash""#, "tool_use_id"),
        ("PostToolUse", r#""tool_use_id":"c-1""#, "tool_name"),
        ("PreToolUse", of_no_turn.as_str(), "turn_id"),
        ("PermissionRequest", r#""tool_name":"Bash","turn_id":7"#, "turn_id"),
        ("Interrupt", r#""turn_id":null"#, "turn_id"),
        ("PreCompact", r#""trigger":"auto","turn_id":null"#, "turn_id"),
        ("PostCompact", r#""trigger":"later""#, "trigger"),
        ("SubagentStart", r#""agent_id":"a-1","agent_type":"x","turn_id":null"#, "turn_id"),
    ] {
        assert_eq!(strange(event, members), Some(member), "{event} {members}");
    }
    for (event, members) in [
        ("PreToolUse", call),
        ("PostToolUse", call),
        ("PermissionRequest", r#""tool_name":"Bash""#),
        ("Interrupt", ""),
        ("PostCompact", r#""trigger":"manual""#),
        ("SubagentStop", r#""agent_id":"a-1","agent_type":"x""#),
        ("PreModelRequest", ""),
    ] {
        assert_eq!(strange(event, members), None, "{event} {members}");
    }
}

/// A later version may call the id otherwise.
#[test]
fn a_helpers_event_without_its_id_is_that_of_a_helper_without_a_name() {
    let helpers = r#""agentId":"a-1","agent_type":"default","tool_name":"Bash""#;
    let (name, unnamed) = ("unnamed".to_owned(), Actor::Sub("unnamed".to_owned()));
    assert_eq!(fact("SubagentStart", helpers), Fact::NamesakeStarted { name: name.clone() });
    assert_eq!(fact("SubagentStop", helpers), Fact::NamesakeEnded { name });
    let other = r#""agent_id":7,"agent_type":"default""#;
    let started = Fact::RunStarted { id: "7".to_owned(), run: turn() };
    assert_eq!(fact("SubagentStart", other), started);
    for event in Event::ALL {
        let name = format!("{event:?}");
        let seen = seen(&name, helpers, &HookContext::default());
        match &seen.fact {
            Fact::ToolStarted { actor, .. }
            | Fact::ToolsEnded { actor, .. }
            | Fact::PromptOpened { actor, .. } => assert_eq!(*actor, unnamed, "{name}"),
            Fact::NamesakeStarted { .. } | Fact::NamesakeEnded { .. } => {}
            other => assert!(matches!(other, Fact::NotUnderstood { .. }), "{name}: {other:?}"),
        }
        let is_counted = matches!(seen.fact, Fact::NotUnderstood { .. });
        assert!(is_counted || seen.strange == Some("agent_id"), "{name}");
        assert_eq!((seen.log_path, seen.model), (None, None), "{name}");
    }
    for main in [r#""agent_type":null"#, r#""agent_type":"""#] {
        assert!(matches!(fact("Stop", main), Fact::TurnEnded { .. }), "{main}");
    }
}

/// `codex "do it"`: its start is told just before that prompt.
#[test]
fn one_that_was_started_with_a_prompt_is_not_ready_for_one_before() {
    for (header, expected) in
        [(r#"{"asked":true}"#, SessionStart::Asked), ("{}", SessionStart::Startup)]
    {
        let context = HookContext::parse(header);
        let body = br#"{"session_id":"s-1","source":"startup"}"#;
        let started = crate::hook("codex", Some("SessionStart"), body, &context).unwrap();
        assert_eq!(started.fact, Fact::SessionStarted { how: expected, attach: None });
    }
}
