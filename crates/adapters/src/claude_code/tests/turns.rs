//! Sessions, turns, helpers, compaction, notices.

use super::super::KIND;
use super::{TURN, fact, seen};
use crate::HookContext;
use headsup_core::observation::{Background, Fact, SessionEnd, SessionStart, Submitter};
use headsup_core::status::Attach;

fn started(how: SessionStart) -> Fact {
    Fact::SessionStarted { how, attach: None }
}

fn ended(subagents: &[&str], shells: u32) -> Fact {
    let subagents = subagents.iter().map(|id| (*id).to_owned()).collect();
    Fact::TurnEnded {
        background: Background { subagents, shells, ..Background::default() },
        turn_ref: Some(TURN.to_owned()),
    }
}

fn stop(tasks: &str) -> Fact {
    fact("Stop", &format!(r#""stop_hook_active":false,"background_tasks":{tasks}"#))
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
        assert_eq!(fact("SessionStart", &format!(r#""source":"{source}""#)), started(how));
    }
    assert_eq!(fact("SessionStart", ""), started(SessionStart::Startup));
}

#[test]
fn a_session_start_with_a_word_that_nobody_knows_is_counted() {
    let strange = |members: &str| seen("SessionStart", members, &[]).strange;
    for known in ["startup", "resume", "clear", "compact", "fork"] {
        assert_eq!(strange(&format!(r#""source":"{known}""#)), None, "{known}");
    }
    for news in ["", r#""source":"compaction""#, r#""source":["clear"]"#, r#""how":"clear""#] {
        assert_eq!(strange(news), Some("source"), "{news}");
    }
}

#[test]
fn a_session_start_says_whether_a_person_is_there() {
    for (value, attach) in
        [("1", Some(Attach::Interactive)), ("0", Some(Attach::Headless)), ("2", None), ("", None)]
    {
        let seen = seen("SessionStart", "", &[("CLAUDE_CODE_SESSION_ATTENDED", value)]);
        assert_eq!(seen.attach, attach);
        let how = SessionStart::Startup;
        assert_eq!(seen.fact, Fact::SessionStarted { how, attach });
    }
}

/// `claude -p "do it"`. Under a host the same variable says that nobody can type to it, and it waits for its host.
#[test]
fn a_run_that_was_started_with_its_prompt_does_not_wait_for_one() {
    for (attended, told, attach, how) in [
        ("0", r#""attach":"headless","prompted":true"#, Attach::Headless, SessionStart::Prompted),
        ("0", r#""attach":"headless""#, Attach::Headless, SessionStart::Startup),
        ("0", r#""later":1"#, Attach::Headless, SessionStart::Startup),
        ("", r#""attach":"headless","prompted":true"#, Attach::Headless, SessionStart::Prompted),
        ("1", r#""attach":"headless","prompted":true"#, Attach::Interactive, SessionStart::Startup),
        // `claude "do it"`: somebody can type to it, and it has its prompt all the same.
        ("1", r#""asked":true"#, Attach::Interactive, SessionStart::Asked),
        ("0", r#""asked":true"#, Attach::Headless, SessionStart::Startup),
    ] {
        let env = format!(r#"{{"CLAUDE_CODE_SESSION_ATTENDED":"{attended}"}}"#);
        let context = HookContext::parse(&format!(r#"{{"env":{env},{told}}}"#));
        let body = br#"{"session_id":"s-1","cwd":"/p","source":"startup"}"#;
        let seen = crate::hook(KIND, Some("SessionStart"), body, &context).unwrap();
        let attach = Some(attach);
        assert_eq!(seen.fact, Fact::SessionStarted { how, attach }, "{attended} {told}");
    }
}

/// `claude -p --resume ID "do it"`, `claude -p -c`, and both with `--fork-session`.
#[test]
fn nor_does_one_that_goes_on_with_a_conversation() {
    for (source, prompted, alone) in [
        ("resume", SessionStart::PromptedResume, SessionStart::Resume),
        ("fork", SessionStart::Prompted, SessionStart::Fork),
        ("clear", SessionStart::Clear, SessionStart::Clear),
        ("compact", SessionStart::Compact, SessionStart::Compact),
    ] {
        let how = |told: &str| {
            let env = r#"{"CLAUDE_CODE_SESSION_ATTENDED":"0"}"#;
            let context = HookContext::parse(&format!(r#"{{"env":{env},{told}}}"#));
            let body = format!(r#"{{"session_id":"s-1","cwd":"/p","source":"{source}"}}"#);
            crate::hook(KIND, Some("SessionStart"), body.as_bytes(), &context).unwrap().fact
        };
        let attach = Some(Attach::Headless);
        let told = how(r#""attach":"headless","prompted":true"#);
        assert_eq!(told, Fact::SessionStarted { how: prompted, attach }, "{source}");
        let told = how(r#""attach":"headless""#);
        assert_eq!(told, Fact::SessionStarted { how: alone, attach }, "{source}");
    }
}

/// What follows in its process is begun by a person.
#[test]
fn the_prompt_that_it_was_started_with_is_of_its_first_conversation() {
    for (source, how) in [
        ("startup", SessionStart::Asked),
        ("clear", SessionStart::Clear),
        ("resume", SessionStart::Resume),
        ("fork", SessionStart::Fork),
        ("compact", SessionStart::Compact),
    ] {
        let env = r#"{"CLAUDE_CODE_SESSION_ATTENDED":"1"}"#;
        let context = HookContext::parse(&format!(r#"{{"env":{env},"asked":true}}"#));
        let body = format!(r#"{{"session_id":"s-1","cwd":"/p","source":"{source}"}}"#);
        let seen = crate::hook(KIND, Some("SessionStart"), body.as_bytes(), &context).unwrap();
        let attach = Some(Attach::Interactive);
        assert_eq!(seen.fact, Fact::SessionStarted { how, attach }, "{source}");
    }
}

#[test]
fn clear_and_resume_end_a_conversation_and_all_else_the_process() {
    for (reason, how) in [
        ("clear", SessionEnd::Clear),
        ("resume", SessionEnd::Clear),
        ("logout", SessionEnd::Exit),
        ("prompt_input_exit", SessionEnd::Exit),
        ("other", SessionEnd::Exit),
    ] {
        let fact = fact("SessionEnd", &format!(r#""reason":"{reason}""#));
        assert_eq!(fact, Fact::SessionEnded { how });
    }
    assert_eq!(fact("SessionEnd", ""), Fact::SessionEnded { how: SessionEnd::Either });
    for news in [r#""moved_to_background""#, r#"["clear"]"#, r#"{"code":"other"}"#, "7"] {
        let unknown = seen("SessionEnd", &format!(r#""reason":{news}"#), &[]);
        assert_eq!(unknown.fact, Fact::SessionEnded { how: SessionEnd::Unclear }, "{news}");
        assert_eq!(unknown.strange, Some("reason"), "{news}");
    }
}

#[test]
fn a_prompt_is_a_persons_unless_a_background_task_woke_the_session() {
    for (members, by) in [
        (r#""prompt":"fix it""#, Submitter::Person),
        (r#""prompt":"why is there a <task-notification> in my log?""#, Submitter::Person),
        (r#""prompt":"fix it","source":"user""#, Submitter::Person),
        (r#""prompt":"<task-notification>\n<task-id>b1</task-id>""#, Submitter::Program),
        (r#""prompt":"\n<task-notification>""#, Submitter::Program),
        (r#""prompt":"go on","source":"system""#, Submitter::Program),
        ("", Submitter::Person),
    ] {
        let expected = Fact::PromptSubmitted { by, turn_ref: Some(TURN.to_owned()) };
        assert_eq!(fact("UserPromptSubmit", members), expected, "{members}");
    }
}

#[test]
fn a_stop_ends_the_turn_and_counts_what_goes_on() {
    let task = |kind: &str, status: &str| {
        format!(r#"{{"id":"{kind}-1","type":"{kind}","status":"{status}"}}"#)
    };
    assert_eq!(stop("[]"), ended(&[], 0));
    assert_eq!(stop(&format!("[{}]", task("shell", "running"))), ended(&[], 1));
    let all = ["shell", "subagent", "workflow", "teammate", "cloud session", "new"];
    let all: Vec<String> = all.iter().map(|kind| task(kind, "running")).collect();
    let helpers = ["subagent-1", "workflow-1", "teammate-1", "new-1"];
    let Fact::TurnEnded { background, .. } = stop(&format!("[{}]", all.join(","))) else {
        panic!("a Stop is a turn's end")
    };
    assert_eq!(background.shells, 1);
    // An id with white space is none; the task counts all the same.
    assert_eq!(background.subagents.len(), 5);
    assert!(helpers.iter().all(|id| background.subagents.contains(&(*id).to_owned())));
    assert!(background.subagents.contains(&"task-5".to_owned()));
}

#[test]
fn a_watched_command_counts_as_a_shell() {
    assert_eq!(stop(r#"[{"id":"m","type":"monitor","status":"running"}]"#), ended(&[], 1));
}

#[test]
fn only_live_background_tasks_count() {
    let task = |status: &str| format!(r#"[{{"id":"a","type":"subagent"{status}}}]"#);
    assert_eq!(stop(&task(r#","status":"running""#)), ended(&["a"], 0));
    assert_eq!(stop(&task(r#","status":"pending""#)), ended(&["a"], 0));
    assert_eq!(stop(&task("")), ended(&["a"], 0));
    for over in ["completed", "failed", "killed"] {
        assert_eq!(stop(&task(&format!(r#","status":"{over}""#))), ended(&[], 0));
    }
    // What is over leaves the list, whatever the state of what stays is called.
    assert_eq!(stop(&task(r#","status":"in_progress""#)), ended(&["a"], 0));
}

#[test]
fn a_stop_without_its_list_leaves_the_helpers_that_run() {
    let background = Background::unclear();
    let turn_ref = Some(TURN.to_owned());
    for members in ["", r#""background_tasks":null"#, r#""backgroundTasks":[]"#] {
        let ended = Fact::TurnEnded { background: background.clone(), turn_ref: turn_ref.clone() };
        assert_eq!(fact("Stop", members), ended, "{members}");
    }
}

#[test]
fn a_stop_with_a_new_state_or_type_or_without_its_list_is_counted() {
    let strange = |members: &str| seen("Stop", members, &[]).strange;
    let tasks = |members: &str| format!(r#""background_tasks":[{{"id":"a",{members}}}]"#);
    let task = |status: &str| tasks(&format!(r#""type":"subagent","status":"{status}""#));
    // A shell whose type has another name would count as a helper.
    let untyped = [
        r#""status":"running""#,
        r#""kind":"shell","status":"running""#,
        r#""type":"command","status":"running""#,
        r#""type":7,"status":"running""#,
    ];
    let untyped = untyped.map(tasks);
    for members in [String::new(), task("in_progress")].into_iter().chain(untyped) {
        assert_eq!(strange(&members), Some("background_tasks"), "{members}");
    }
    let monitor = tasks(r#""type":"monitor","status":"running""#);
    let none = r#""background_tasks":[]"#.to_owned();
    for members in [none, task("running"), task("completed"), monitor] {
        assert_eq!(strange(&members), None, "{members}");
    }
}

#[test]
fn a_stop_failure_fails_the_turn_with_its_code() {
    let code = "rate_limit".to_owned();
    let detail = Some("API Error: 429".to_owned());
    assert_eq!(
        fact("StopFailure", r#""error":"rate_limit","last_assistant_message":"API Error: 429""#),
        Fact::TurnFailed { code, detail, turn_ref: Some(TURN.to_owned()) }
    );
    for members in ["", r#""error":"""#, r#""error":{"type":"x"}"#] {
        let code = "unknown".to_owned();
        let expected = Fact::TurnFailed { code, detail: None, turn_ref: Some(TURN.to_owned()) };
        assert_eq!(fact("StopFailure", members), expected);
    }
}

#[test]
fn helpers_start_and_end() {
    let members = r#""agent_id":"a-1","agent_type":"general-purpose""#;
    let id = "a-1".to_owned();
    assert_eq!(fact("SubagentStart", members), Fact::SubagentStarted { id: id.clone() });
    assert_eq!(fact("SubagentStop", members), Fact::SubagentEnded { id });
}

#[test]
fn compactions_own_helper_is_nobody() {
    let members = r#""agent_id":"a-1","agent_type":"""#;
    assert_eq!(fact("SubagentStop", members), Fact::Nothing);
    assert_eq!(fact("SubagentStart", members), Fact::Nothing);
}

#[test]
fn a_helper_without_an_id_is_not_understood() {
    for event in ["SubagentStart", "SubagentStop"] {
        assert!(matches!(fact(event, ""), Fact::NotUnderstood { .. }));
    }
}

#[test]
fn a_helpers_own_turn_is_not_the_main_agents() {
    for event in ["Stop", "StopFailure", "UserPromptSubmit", "SessionEnd", "PreCompact"] {
        for id in [r#""a-1""#, "7", r#""not an id""#] {
            let members = format!(r#""agent_id":{id},"agent_type":"x""#);
            assert_eq!(fact(event, &members), Fact::Nothing, "{event} {id}");
        }
    }
    for none in ["null", r#""""#] {
        let members = format!(r#""agent_id":{none},"background_tasks":[]"#);
        assert_eq!(fact("Stop", &members), ended(&[], 0));
    }
}

#[test]
fn compaction_starts_and_ends() {
    let begun = Fact::CompactionBegun { turn_ref: TURN.into() };
    assert_eq!(fact("PreCompact", r#""trigger":"auto""#), begun);
    for (trigger, manual) in [
        (r#""manual""#, Some(true)),
        (r#""auto""#, Some(false)),
        (r#""new""#, None),
        ("7", None),
        ("null", None),
    ] {
        let ended = fact("PostCompact", &format!(r#""trigger":{trigger}"#));
        assert_eq!(ended, Fact::CompactionEnded { manual }, "{trigger}");
    }
}

#[test]
fn notices_confirm_or_say_idle_and_never_more() {
    let notice = |kind: &str| fact("Notification", &format!(r#""notification_type":"{kind}""#));
    assert_eq!(notice("idle_prompt"), Fact::IdleNotice { turn_ref: Some(TURN.into()) });
    for kind in [
        "permission_prompt",
        "elicitation_dialog",
        "agent_needs_input",
        "worker_permission_prompt",
        "elicitation_url_dialog",
    ] {
        assert_eq!(notice(kind), Fact::PromptConfirmed, "{kind}");
    }
    for kind in ["elicitation_response", "auth_success", "agent_completed", "new_notice"] {
        assert_eq!(notice(kind), Fact::Nothing, "{kind}");
    }
    assert_eq!(fact("Notification", r#""message":"Claude needs you""#), Fact::Nothing);
}

#[test]
fn to_do_items_models_and_settings_are_no_status() {
    for event in [
        "UserPromptExpansion",
        "PreModelSwitch",
        "PostModelSwitch",
        "TaskCreated",
        "TaskCompleted",
        "TeammateIdle",
        "MessageDisplay",
        "ConfigChange",
        "CwdChanged",
        "FileChanged",
        "DirectoryAdded",
        "InstructionsLoaded",
        "Setup",
        "WorktreeCreate",
        "WorktreeRemove",
    ] {
        assert_eq!(fact(event, ""), Fact::Nothing, "{event}");
    }
}
