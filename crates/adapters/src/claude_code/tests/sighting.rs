//! What a sighting carries beside its fact.

use super::{context, fact, hook, seen};
use crate::{Activity, Ancestor, HookContext};
use headsup_core::observation::Fact;

fn action(event: &str, members: &str) -> Option<String> {
    seen(event, members, &[]).activity.and_then(|activity| activity.action)
}

#[test]
fn session_folder_and_log_come_from_the_payload() {
    let seen = seen("Stop", "", &[]);
    assert_eq!(seen.session.as_deref(), Some("s-1"));
    assert_eq!(seen.cwd.as_deref(), Some("/home/dev/api"));
    let log = "/home/dev/.claude/projects/-home-dev-api/s-1.jsonl";
    assert_eq!(seen.log_path.as_deref(), Some(log));
}

#[test]
fn without_one_in_the_payload_the_environments_session_is_taken() {
    let context = context(&[("CLAUDE_CODE_SESSION_ID", "s-2")]);
    assert_eq!(hook(Some("Stop"), b"{}", &context).session.as_deref(), Some("s-2"));
    let told = br#"{"session_id":"s-1"}"#;
    assert_eq!(hook(Some("Stop"), told, &context).session.as_deref(), Some("s-1"));
    assert_eq!(hook(Some("Stop"), b"", &context).session.as_deref(), Some("s-2"));
}

#[test]
fn the_model_is_the_main_agents() {
    let model = |event: &str, members: &str| seen(event, members, &[]).model;
    assert_eq!(model("SessionStart", r#""model":"opus""#).as_deref(), Some("opus"));
    assert_eq!(model("SessionStart", r#""model":"x","agent_id":"a""#), None);
    assert_eq!(model("SubagentStart", r#""model":"x","agent_id":"a""#), None);
    let switched = r#""from_model":"a","to_model":"b","model":"c""#;
    assert_eq!(model("PostModelSwitch", switched).as_deref(), Some("b"));
    assert_eq!(model("PreModelSwitch", switched), None);
}

#[test]
fn a_changed_folder_is_the_new_one() {
    let cwd = |members: &str| seen("CwdChanged", members, &[]).cwd;
    assert_eq!(cwd("").as_deref(), Some("/home/dev/api"));
    assert_eq!(cwd(r#""new_cwd":"/home/dev/web""#).as_deref(), Some("/home/dev/web"));
}

#[test]
fn pane_and_process_come_from_the_hooks_surroundings() {
    let parent = |pid, start, comm: &str| Ancestor { pid, start, comm: comm.to_owned() };
    let mut context: HookContext = context(&[("CLAUDE_PID", "42"), ("TMUX_PANE", "%5")]);
    context.parents = vec![parent(50, 9, "sh"), parent(42, 8, "claude"), parent(7, 1, "claude")];
    let seen = hook(Some("Stop"), b"{}", &context);
    assert_eq!(seen.tmux_pane.as_deref(), Some("%5"));
    assert_eq!(seen.process.as_ref().map(|found| (found.pid, found.start_ticks)), Some((42, 8)));
    context.env.insert("CLAUDE_PID".to_owned(), "4711".to_owned());
    let nearest = hook(Some("Stop"), b"{}", &context).process;
    assert_eq!(nearest.map(|found| found.pid), Some(42));
    context.parents = vec![parent(50, 9, "sh"), parent(43, 8, "node")];
    assert_eq!(hook(Some("Stop"), b"{}", &context).process, None);
}

#[test]
fn the_payloads_event_name_wins_over_the_command_lines() {
    let seen = hook(Some("Stop"), br#"{"hook_event_name":"SessionEnd"}"#, &context(&[]));
    assert_eq!(seen.event, "SessionEnd");
    assert!(matches!(seen.fact, Fact::SessionEnded { .. }));
    let seen = hook(Some("Stop"), br#"{"hook_event_name":7}"#, &context(&[]));
    assert!(matches!(seen.fact, Fact::TurnEnded { .. }));
}

#[test]
fn a_tool_call_is_an_activity() {
    let members = r#""tool_name":"Bash","tool_input":{"command":"cargo test","description":"x"}"#;
    let tool = Some("Bash".to_owned());
    let expected = Activity { tool, action: Some("cargo test".to_owned()) };
    assert_eq!(seen("PreToolUse", members, &[]).activity, Some(expected));
    assert_eq!(seen("PostToolUse", members, &[]).activity, None);
    let question =
        r#""tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Which?"}]}"#;
    assert_eq!(action("PreToolUse", question).as_deref(), Some("Which?"));
}

#[test]
fn a_turns_start_and_end_are_activities() {
    assert_eq!(
        action("UserPromptSubmit", r#""prompt":"fix\nit""#).as_deref(),
        Some("prompt: fix it")
    );
    let woken = r#""prompt":"<task-notification>\n<summary>Job done</summary>""#;
    assert_eq!(action("UserPromptSubmit", woken).as_deref(), Some("woken: Job done"));
    assert_eq!(action("Stop", "").as_deref(), Some("turn ended"));
    assert_eq!(
        action("Stop", r#""last_assistant_message":"Done.""#).as_deref(),
        Some("said: Done.")
    );
    assert_eq!(
        action("StopFailure", r#""error":"overloaded""#).as_deref(),
        Some("failed: overloaded")
    );
    assert_eq!(action("Stop", r#""agent_id":"a-1""#), None);
}

#[test]
fn an_activity_is_short_and_holds_no_key() {
    let key = format!("{}{}", "sk-ant-", "a1B2c3D4".repeat(8));
    let prompt = format!(r#""prompt":"use {key} and {}""#, "word ".repeat(100));
    let action = action("UserPromptSubmit", &prompt).unwrap();
    assert!(action.starts_with("prompt: use [redacted] and"));
    assert_eq!(action.chars().count(), 120);
}

#[test]
fn a_failures_detail_is_short() {
    let members = format!(r#""last_assistant_message":"{}""#, "x ".repeat(400));
    let Fact::TurnFailed { detail, .. } = fact("StopFailure", &members) else {
        panic!("a failure fails")
    };
    assert_eq!(detail.unwrap().chars().count(), 300);
}
