//! One test per decision of the table in `normalize`.

use super::{KIND, hook};
use crate::hook_table::events_to_register;
use crate::terminal::title;
use crate::{HookContext, Sighting};
use headsup_core::observation::{Background, Fact, Level, SessionEnd, SessionStart, Submitter};
use headsup_core::prompt::{Actor, PromptKind};

fn seen(event: &str, members: &str) -> Sighting {
    let comma = if members.is_empty() { "" } else { "," };
    let body = format!(
        r#"{{"session_id":"s-1","cwd":"/home/dev/api","prompt_id":"s-1########0",
            "hook_event_name":"{event}"{comma}{members}}}"#
    );
    hook(None, body.as_bytes(), &HookContext::default())
}

fn fact(event: &str, members: &str) -> Fact {
    seen(event, members).fact
}

/// The turn of every payload here.
const TURN: &str = "s-1########0";

#[test]
fn every_event_that_is_registered_is_understood_and_others_are_not() {
    for event in events_to_register(KIND) {
        let fact = fact(event, r#""agent_id":"a-1""#);
        assert!(!matches!(fact, Fact::NotUnderstood { .. }), "{event}");
    }
    assert_eq!(
        fact("CoffeeBreak", ""),
        Fact::NotUnderstood { why: "unknown event CoffeeBreak".into() }
    );
    assert!(matches!(
        hook(Some("Stop"), b"", &HookContext::default()).fact,
        Fact::NotUnderstood { .. }
    ));
}

#[test]
fn a_persons_prompt_is_told_from_the_programs_own() {
    let by = |members: &str| match fact("UserPromptSubmit", members) {
        Fact::PromptSubmitted { by, turn_ref } => (by, turn_ref),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        by(r#""prompt":"go","submitted_prompt":"go""#),
        (Submitter::Person, Some(TURN.into()))
    );
    assert_eq!(by(r#""prompt":"""#), (Submitter::Program, Some(TURN.into())));
    assert_eq!(seen("UserPromptSubmit", r#""prompt":"""#).activity, None);
}

/// 0.21.2 names no turn: a step of tools in the middle of one begins no other.
#[test]
fn a_turn_without_a_name_goes_on_behind_its_tools() {
    let prompted = |members: &str| {
        let body = format!(r#"{{"hook_event_name":"UserPromptSubmit",{members}}}"#);
        hook(None, body.as_bytes(), &HookContext::default()).fact
    };
    let by = |by| Fact::PromptSubmitted { by, turn_ref: None };
    assert_eq!(prompted(r#""prompt":"""#), Fact::Nothing);
    assert_eq!(prompted(r#""prompt":"go","submitted_prompt":"go""#), by(Submitter::Person));
    assert_eq!(prompted(r#""prompt":"A helper is done.""#), by(Submitter::Program));
    assert_eq!(prompted(r#""session_id":"s-1""#), by(Submitter::Program));
}

#[test]
fn a_session_that_is_cleared_does_not_end_the_program() {
    assert_eq!(
        fact("SessionEnd", r#""reason":"clear""#),
        Fact::SessionEnded { how: SessionEnd::Clear }
    );
    let either = Fact::SessionEnded { how: SessionEnd::Either };
    assert_eq!(fact("SessionEnd", r#""reason":"prompt_input_exit""#), either);
    assert_eq!(fact("SessionEnd", ""), either);
    let unclear = Fact::SessionEnded { how: SessionEnd::Unclear };
    assert_eq!(fact("SessionEnd", r#""reason":"moved""#), unclear);
    assert_eq!(fact("SessionEnd", r#""reason":7"#), unclear);
    for (source, how) in [
        ("startup", SessionStart::Early),
        ("resume", SessionStart::EarlyResume),
        ("clear", SessionStart::Clear),
        ("compact", SessionStart::Compact),
        ("branch", SessionStart::Fork),
    ] {
        let started = seen("SessionStart", &format!(r#""source":"{source}""#));
        assert_eq!(started.fact, Fact::SessionStarted { how, attach: None });
        assert_eq!(started.strange, None, "{source}");
    }
    assert_eq!(seen("SessionStart", r#""source":"compaction""#).strange, Some("source"));
}

#[test]
fn a_request_is_a_permission_or_a_question() {
    let kind = |members: &str| match fact("PermissionRequest", members) {
        Fact::PromptOpened { prompt, .. } => {
            (prompt.kind, prompt.title, prompt.tool.map(|t| t.name))
        }
        other => panic!("{other:?}"),
    };
    let shell = kind(r#""tool_name":"run_shell_command","tool_input":{"command":"ls"}"#);
    let name = Some("run_shell_command".to_owned());
    assert_eq!(shell, (PromptKind::Permission, "run_shell_command: ls".into(), name));
    let ask = r#""tool_name":"ask_user_question","tool_input":{"questions":[{"question":"Red?"}]}"#;
    assert_eq!(kind(ask).0, PromptKind::Question);
    assert_eq!(kind(ask).1, "Red?");
    let plan = kind(r#""tool_name":"exit_plan_mode","tool_input":{"plan":"1. do it"}"#);
    let name = Some("exit_plan_mode".to_owned());
    assert_eq!(plan, (PromptKind::PlanApproval, "Plan ready for approval".into(), name));
}

#[test]
fn what_goes_on_behind_a_stop_are_helpers() {
    let stop = |tasks: &str| fact("Stop", &format!(r#""background_tasks":{tasks}"#));
    let running = r#"[{"id":"a-1","status":"running"},{"id":"a-2","status":"completed"}]"#;
    let background = Background { subagents: vec!["a-1".into()], ..Background::default() };
    assert_eq!(stop(running), Fact::TurnEnded { background, turn_ref: Some(TURN.into()) });
    assert!(matches!(stop("7"), Fact::NotUnderstood { .. }));
    let ended = Fact::TurnEnded { background: Background::unclear(), turn_ref: Some(TURN.into()) };
    assert_eq!(fact("Stop", ""), ended);
    assert_eq!(seen("Stop", "").strange, Some("background_tasks"));
    let listed = |task: &str| seen("Stop", &format!(r#""background_tasks":[{task}]"#)).strange;
    let (untyped, shell) = (r#"{"status":"running"}"#, r#"{"type":"shell","status":"running"}"#);
    assert_eq!((listed(untyped), listed(shell)), (None, None));
    let command = r#"{"type":"command","status":"running"}"#;
    assert_eq!(listed(command), Some("background_tasks"));
    assert_eq!(seen("SessionEnd", r#""reason":"moved""#).strange, Some("reason"));
    assert_eq!(fact("Stop", r#""agent_id":"a-1""#), Fact::Nothing);
}

#[test]
fn the_free_prompt_is_told_for_the_main_agent_alone() {
    let idle = r#""notification_type":"idle_prompt""#;
    assert_eq!(fact("Notification", idle), Fact::TurnOver);
    assert_eq!(fact("Notification", &format!(r#"{idle},"agent_id":"a-1""#)), Fact::Nothing);
    assert_eq!(fact("Notification", r#""notification_type":"auth_success""#), Fact::Nothing);
}

#[test]
fn only_a_compaction_that_a_person_asked_for_has_a_start_and_an_end() {
    assert_eq!(fact("PreCompact", r#""trigger":"manual""#), Fact::CompactionStarted);
    let ended = Fact::CompactionEnded { manual: Some(true) };
    assert_eq!(fact("PostCompact", r#""trigger":"manual""#), ended);
    assert_eq!(fact("PreCompact", r#""trigger":"auto""#), Fact::Nothing);
    assert_eq!(fact("PostCompact", r#""trigger":"auto""#), Fact::Nothing);
    // One whose wish is not told ends what has begun by a person's.
    assert_eq!(fact("PostCompact", r#""trigger":null"#), Fact::CompactionEnded { manual: None });
}

#[test]
fn a_helpers_call_is_the_helpers() {
    let Fact::ToolGranted { actor, .. } = fact("PreToolUse", r#""agent_id":"a-1","tool_name":"x""#)
    else {
        panic!("no call")
    };
    assert_eq!(actor, Actor::Sub("a-1".into()));
}

/// A later version may call the id otherwise: `agent_type` stands in a helper's events alone.
#[test]
fn a_helpers_event_without_its_id_is_not_the_main_agents_and_is_counted() {
    let (name, unnamed) = ("unnamed".to_owned(), Actor::Sub("unnamed".to_owned()));
    let helpers = r#""agentId":"a-1","agent_type":"general-purpose","tool_name":"x","tool_calls":[],
        "notification_type":"idle_prompt","background_tasks":[],"error":"x","trigger":"manual",
        "reason":"clear","source":"startup""#;
    for event in events_to_register(KIND) {
        let seen = seen(event, helpers);
        match &seen.fact {
            Fact::ToolGranted { actor, .. }
            | Fact::ToolsEnded { actor, .. }
            | Fact::PromptOpened { actor, .. } => assert_eq!(*actor, unnamed, "{event}"),
            Fact::NamesakeStarted { .. } | Fact::NamesakeEnded { .. } | Fact::Nothing => {}
            other => assert!(matches!(other, Fact::NotUnderstood { .. }), "{event}: {other:?}"),
        }
        let is_refused = matches!(seen.fact, Fact::NotUnderstood { .. });
        assert!(is_refused || seen.strange == Some("agent_id"), "{event}");
    }
    // Nor need anything in its start and its end say so.
    for members in [helpers, "", r#""agentId":"a-1""#] {
        for (event, fact) in [
            ("SubagentStart", Fact::NamesakeStarted { name: name.clone() }),
            ("SubagentStop", Fact::NamesakeEnded { name: name.clone() }),
        ] {
            let seen = seen(event, members);
            assert_eq!((seen.fact, seen.strange), (fact, Some("agent_id")), "{event} {members}");
        }
    }
    let named = r#""agent_id":"a-1","agent_type":"general-purpose""#;
    let (started, id) = (seen("SubagentStart", named), "a-1".to_owned());
    assert_eq!((started.fact, started.strange), (Fact::SubagentStarted { id }, None));
    for main in [r#""agent_type":null"#, r#""agent_type":"""#] {
        let stop = fact("Stop", &format!(r#"{main},"background_tasks":[]"#));
        assert!(matches!(stop, Fact::TurnEnded { .. }), "{main}");
    }
}

#[test]
fn a_call_that_ends_by_a_word_that_nobody_knows_is_counted() {
    let strange = |status: &str| {
        let call = format!(r#"{{"tool_name":"x","tool_call_id":"c-1"{status}}}"#);
        seen("PostToolBatch", &format!(r#""tool_calls":[{call}]"#)).strange
    };
    for news in ["", r#","status":"withdrawn""#, r#","status":7"#, r#","state":"cancelled""#] {
        assert_eq!(strange(news), Some("tool_calls.status"), "{news}");
    }
    for known in ["success", "error", "cancelled"] {
        assert_eq!(strange(&format!(r#","status":"{known}""#)), None, "{known}");
    }
    assert_eq!(seen("UserPromptSubmit", r#""text":"go""#).strange, Some("prompt"));
}

/// A hook of a failed turn as it was seen: `sh`, what runs this hook alone, the program, which was
/// started twice anew.
#[test]
fn what_runs_a_hook_alone_is_not_the_program() {
    let header = r#"{"env":{"QWEN_CODE_LAUNCHER_PID":"41"},"parents":[
        {"pid":50,"start":9,"comm":"sh"},{"pid":48,"start":9,"comm":"node"},
        {"pid":43,"start":3,"comm":"node"},{"pid":42,"start":2,"comm":"node"},
        {"pid":41,"start":1,"comm":"node"},{"pid":7,"start":1,"comm":"bash"}]}"#;
    let seen = hook(Some("StopFailure"), b"{}", &HookContext::parse(header));
    assert_eq!(seen.process.map(|process| process.pid), Some(42));
    // Its launcher was killed, and it goes on below the first process of all.
    let orphaned = r#"{"env":{"QWEN_CODE_LAUNCHER_PID":"41"},"parents":[
        {"pid":50,"start":9,"comm":"sh"},{"pid":48,"start":9,"comm":"node"},
        {"pid":43,"start":3,"comm":"node"},{"pid":42,"start":2,"comm":"node"},
        {"pid":1,"start":1,"comm":"node"}]}"#;
    let seen = hook(Some("Stop"), b"{}", &HookContext::parse(orphaned));
    assert_eq!(seen.process.map(|process| process.pid), Some(42));
    // A version that does not start itself anew.
    let alone = r#"{"env":{"QWEN_CODE_LAUNCHER_PID":"41"},"parents":[
        {"pid":50,"start":9,"comm":"sh"},{"pid":41,"start":1,"comm":"node"},
        {"pid":7,"start":1,"comm":"bash"}]}"#;
    let seen = hook(Some("Stop"), b"{}", &HookContext::parse(alone));
    assert_eq!(seen.process.map(|process| process.pid), Some(41));
}

#[test]
fn the_title_says_what_it_does() {
    assert_eq!(title(KIND, "Qwen - project"), Some(Level::Idle { shells: 0 }));
    let working = Some(Level::Working { reason: None });
    assert_eq!(title(KIND, "\u{25d0}\u{fe0e} Qwen - project"), working);
    assert!(matches!(title(KIND, "\u{2733} Qwen - project"), Some(Level::Blocked { .. })));
    for nothing in ["", "Qwen - ", "vim", "\u{25c7} Qwen - x", "a Qwen - x"] {
        assert_eq!(title(KIND, nothing), None, "{nothing}");
    }
}

#[test]
fn a_step_whose_calls_were_all_cancelled_ends_the_turn() {
    let batch = |statuses: &[&str], more: &str| {
        let call = |status: &&str| {
            format!(
                r#"{{"tool_name":"run_shell_command","tool_call_id":"c-1","status":"{status}"}}"#
            )
        };
        let calls: Vec<String> = statuses.iter().map(call).collect();
        let calls = calls.join(",");
        match fact("PostToolBatch", &format!(r#""tool_calls":[{calls}]{more}"#)) {
            Fact::ToolsEnded { interrupted, .. } => interrupted,
            other => panic!("{other:?}"),
        }
    };
    for (statuses, ends) in [
        (&["cancelled"][..], true),
        (&["cancelled", "cancelled"], true),
        (&["success"], false),
        (&["error"], false),
        // The result of the other goes to the model.
        (&["success", "cancelled"], false),
        (&["cancelled", "error"], false),
        (&[], false),
    ] {
        assert_eq!(batch(statuses, ""), ends, "{statuses:?}");
    }
    assert!(!batch(&["cancelled"], r#","agent_id":"a-1""#), "a helper's turn is its own");
}
