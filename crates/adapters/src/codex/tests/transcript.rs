//! The log's lines.

use crate::{LogLine, helper_line, helper_logs, is_helper_log, log_line, strange_line};
use headsup_core::observation::{Background, Fact, Submitter};
use headsup_core::prompt::{Actor, Resolution, ToolRef};
use headsup_core::time::UnixMs;
use std::path::Path;

fn line(text: &str) -> LogLine {
    log_line("codex", text.as_bytes()).unwrap()
}

fn event(payload: &str) -> LogLine {
    line(&format!(
        r#"{{"timestamp":"2026-11-21T21:38:37.638Z","ordinal":17,"type":"event_msg",
            "payload":{payload}}}"#
    ))
}

fn turn() -> String {
    "t-1".to_owned()
}

#[test]
fn a_turn_begins() {
    let begun = |attribution: &str| {
        event(&format!(r#"{{"type":"task_started"{attribution},"turn_id":"t-1"}}"#)).fact
    };
    let by = |by| Some(Fact::PromptSubmitted { by, turn_ref: Some(turn()) });
    let trigger = |word: &str| format!(r#","turn_attribution":{{"turn_trigger":"{word}"}}"#);
    assert_eq!(begun(&trigger("user")), by(Submitter::Person));
    assert_eq!(begun(&trigger("exec")), by(Submitter::Person));
    assert_eq!(begun(&trigger("goal")), by(Submitter::Goal));
    assert_eq!(begun(&trigger("automation")), by(Submitter::Program));
    assert_eq!(begun(""), by(Submitter::Program));
}

#[test]
fn a_turn_ends_as_it_should_or_by_an_error_or_by_a_person() {
    let ended = event(r#"{"type":"task_complete","turn_id":"t-1","last_agent_message":"Hi"}"#);
    let background = Background { logged: true, ..Background::default() };
    assert_eq!(ended.fact, Some(Fact::TurnEnded { background, turn_ref: Some(turn()) }));
    assert_eq!(ended.name, "task_complete");
    assert_eq!(ended.written_at.as_deref(), Some("2026-11-21T21:38:37.638Z"));
    let aborted = event(r#"{"type":"turn_aborted","turn_id":"t-1","reason":"interrupted"}"#);
    assert_eq!(aborted.fact, Some(Fact::TurnInterrupted { turn_ref: Some(turn()) }));
}

#[test]
fn a_command_of_the_agents_ends_its_call_and_one_of_a_persons_none() {
    let ended = |kind: &str, source: &str| {
        event(&format!(
            r#"{{"type":"item_completed","turn_id":"t-1","item":{{"type":"{kind}","id":"exec-1",
                "command":["bash","-lc","ls"],"source":"{source}","aggregated_output":"a"}}}}"#
        ))
    };
    let tool = ToolRef { name: "Bash".to_owned(), id: Some("exec-1".to_owned()), input: None };
    let (actor, tools, turn_ref) = (Actor::Main, vec![tool], Some(turn()));
    let fact = Fact::ToolsEnded { actor, tools, interrupted: false, turn_ref };
    let read = ended("CommandExecution", "unified_exec_startup");
    assert_eq!(
        (read.name.as_str(), read.fact, read.is_prompt),
        ("item_completed", Some(fact), false)
    );
    assert_eq!(ended("CommandExecution", "user_shell").fact, None);
    assert_eq!(ended("UserMessage", "agent").fact, None);
    let nameless = r#"{"type":"item_completed","item":{"type":"CommandExecution","id":"exec-1","source":"agent"}}"#;
    assert_eq!(event(nameless).fact, None, "of no turn");
}

#[test]
fn an_answer_to_a_question_is_told_by_the_name_of_its_call() {
    let kept =
        |payload: &str| line(&format!(r#"{{"type":"retained_context","payload":{payload}}}"#));
    let read = kept(
        r#"{"type":"verified_answer","turn_id":"t-1","call_id":"call-1",
            "questions":[{"question":"Which?","answer":"Red"}],"acceptance_order":2}"#,
    );
    let (call, resolution) = ("call-1".to_owned(), Resolution::elsewhere(UnixMs::default()));
    assert_eq!(read.fact, Some(Fact::CallRefused { call, resolution }));
    assert_eq!(read.name, "verified_answer");
    for other in [
        r#"{"type":"verified_answer","turn_id":"t-1"}"#,
        r#"{"type":"verified_answer","call_id":7}"#,
        r#"{"type":"dreamt","call_id":"call-1"}"#,
        "7",
    ] {
        assert_eq!(kept(other), LogLine::default(), "{other}");
    }
}

#[test]
fn a_goal_that_is_active_begins_the_next_turn_behind_a_stop() {
    for (status, is_active) in [("active", true), ("paused", false), ("complete", false)] {
        let read = event(&format!(
            r#"{{"type":"thread_goal_updated","threadId":"s-1","goal":{{"threadId":"s-1",
                "objective":"do it","status":"{status}","tokensUsed":0}}}}"#
        ));
        assert_eq!(read.fact, Some(Fact::WakeQueued(is_active)), "{status}");
        assert_eq!(read.name, "thread_goal_updated");
    }
    let answer = |kind: &str, output: &str| {
        line(&format!(
            r#"{{"type":"response_item","payload":{{"type":"{kind}","call_id":"c","output":{output:?}}}}}"#
        ))
    };
    let goal = |status: &str| format!(r#"{{"goal":{{"threadId":"s-1","status":"{status}"}}}}"#);
    for (status, is_active) in [("active", true), ("complete", false)] {
        let read = answer("function_call_output", &goal(status));
        assert_eq!(read.fact, Some(Fact::WakeQueued(is_active)), "{status}");
        let another = format!("Output: {}", goal(status));
        assert_eq!(answer("function_call_output", &another).fact, None, "of another tool");
        assert_eq!(answer("message", &goal(status)).fact, None);
    }
    let cleared = event(r#"{"type":"thread_goal_cleared","threadId":"s-1"}"#);
    assert_eq!(cleared.fact, Some(Fact::WakeQueued(false)));
}

#[test]
fn a_turn_goes_on_where_another_hook_undoes_its_stop() {
    let item = r#""item":{"type":"HookPrompt","id":"msg-1",
        "fragments":[{"text":"Go on.","hookRunId":"stop:11:/home/dev/.codex/hooks.json"}]}"#;
    let read = event(&format!(r#"{{"type":"item_completed","turn_id":"t-1",{item}}}"#));
    let fact = Fact::StopUndone { turn_ref: turn() };
    assert_eq!(
        (read.name.as_str(), read.fact, read.is_prompt),
        ("item_completed", Some(fact), false)
    );
    let nameless = event(&format!(r#"{{"type":"item_completed",{item}}}"#));
    assert_eq!(nameless.fact, None, "of no turn");
}

#[test]
fn an_error_has_a_word() {
    for (info, word) in [
        (r#""internal_server_error""#, "internal_server_error"),
        (
            r#"{"response_too_many_failed_attempts":{"http_status_code":429}}"#,
            "response_too_many_failed_attempts",
        ),
        ("null", "unknown"),
        ("7", "unknown"),
        ("{}", "unknown"),
    ] {
        let failed = event(&format!(
            r#"{{"type":"task_complete","turn_id":"t-1",
                "error":{{"message":"no luck","codex_error_info":{info}}}}}"#
        ));
        let (code, detail) = (word.to_owned(), Some("no luck".to_owned()));
        assert_eq!(failed.fact, Some(Fact::TurnFailed { code, detail, turn_ref: Some(turn()) }));
    }
}

#[test]
fn prompts_and_model_are_metadata() {
    let item =
        |kind: &str| event(&format!(r#"{{"type":"item_completed","item":{{"type":"{kind}"}}}}"#));
    assert!(item("UserMessage").is_prompt);
    assert!(!item("AgentMessage").is_prompt);
    let context = line(r#"{"type":"turn_context","payload":{"model":"gpt-6.1-sol"}}"#);
    assert_eq!((context.model.as_deref(), context.fact), (Some("gpt-6.1-sol"), None));
}

#[test]
fn all_other_lines_say_nothing() {
    for text in [
        r#"{"type":"compacted","payload":{"message":"a summary"}}"#,
        r#"{"type":"response_item","payload":{"type":"task_complete","turn_id":"t-1"}}"#,
        r#"{"type":"event_msg","payload":{"type":"token_count"}}"#,
        r#"{"type":"event_msg","payload":7}"#,
        r#"{"type":"tomorrow"}"#,
    ] {
        assert_eq!(line(text), LogLine::default(), "{text}");
    }
}

#[test]
fn what_a_line_says_anew_is_named_by_its_member() {
    let news = |text: &str| strange_line("codex", text.as_bytes());
    assert_eq!(news(r#"{"type":"tomorrow"}"#), Some("type"));
    for of in ["event_msg", "response_item"] {
        for payload in [r#"{"type":"dreamt"}"#, r#"{"kind":"message"}"#, "7"] {
            let line = format!(r#"{{"type":"{of}","payload":{payload}}}"#);
            assert_eq!(news(&line), Some(of), "{line}");
        }
    }
    for known in [
        r#"{"type":"world_state","payload":{"type":"dreamt"}}"#,
        r#"{"type":"event_msg","payload":{"type":"token_count"}}"#,
        r#"{"type":"response_item","payload":{"type":"reasoning"}}"#,
        // No line, and a broken one.
        "",
        "[]",
        r#"{"type":7}"#,
        r#"{"type":"tomorrow","x":tru}"#,
    ] {
        assert_eq!(news(known), None, "{known}");
    }
}

#[test]
fn of_a_line_that_is_not_whole_nothing_is_believed() {
    for text in
        ["", "7", "{", r#"{"type":"event_msg","payload":{"type":"task_complete","last":tru}}"#]
    {
        assert_eq!(log_line("codex", text.as_bytes()), None, "{text}");
    }
}

#[test]
fn a_helpers_own_log_tells_that_it_was_stopped_has_failed_or_is_over() {
    let fact = |payload: &str| {
        let line = format!(
            r#"{{"timestamp":"2026-11-21T21:40:39.948Z","type":"event_msg","payload":{{{payload}}}}}"#
        );
        helper_line("codex", "h-1", line.as_bytes()).unwrap().fact
    };
    let own = r#""root_turn_id":"t-1","turn_id":"t-2""#;
    let ended = Some(Fact::RunEnded { id: "h-1".to_owned(), run: "t-2".to_owned() });
    let aborted =
        |reason: &str| fact(&format!(r#""type":"turn_aborted",{own},"reason":"{reason}""#));
    assert_eq!(aborted("interrupted"), ended);
    assert_eq!(aborted("replaced"), None, "it goes on with something else");
    let failed = format!(r#""type":"task_complete",{own},"error":{{"message":"no luck"}}"#);
    assert_eq!(fact(&failed), ended);
    assert_eq!(fact(&format!(r#""type":"task_complete",{own}"#)), ended, "its hook may be lost");
    // Its beginning is a copy of the main agent's log.
    let copied = r#""type":"turn_aborted","root_turn_id":"t-1","turn_id":"t-1""#;
    assert_eq!(fact(&format!(r#"{copied},"reason":"interrupted""#)), None);
    assert_eq!(fact(r#""type":"turn_aborted","turn_id":"t-2","reason":"interrupted""#), None);
}

#[test]
fn a_command_in_a_helpers_log_ends_that_helpers_call() {
    let fact = |thread: &str, source: &str| {
        let line = format!(
            r#"{{"type":"event_msg","payload":{{"type":"item_completed","thread_id":"{thread}",
                "turn_id":"t-2","item":{{"type":"CommandExecution","id":"exec-1","source":"{source}"}}}}}}"#
        );
        helper_line("codex", "h-1", line.as_bytes()).unwrap().fact
    };
    let tool = ToolRef { name: "Bash".to_owned(), id: Some("exec-1".to_owned()), input: None };
    let (actor, tools) = (Actor::Sub("h-1".to_owned()), vec![tool]);
    let (interrupted, turn_ref) = (false, Some("t-2".to_owned()));
    let ended = Fact::ToolsEnded { actor, tools, interrupted, turn_ref };
    assert_eq!(fact("h-1", "unified_exec_startup"), Some(ended));
    assert_eq!(fact("h-1", "user_shell"), None);
    // Copied from its main agent's.
    assert_eq!(fact("m-1", "unified_exec_startup"), None);
}

#[test]
fn a_helpers_log_stands_in_a_days_folder_and_ends_with_its_id() {
    let log = Path::new("/home/ada/.codex/sessions/2026/11/21/rollout-2026-11-21T21-40-37-m.jsonl");
    assert_eq!(helper_logs("codex", log), Some(Path::new("/home/ada/.codex/sessions")));
    assert_eq!(helper_logs("claude-code", log), None);
    assert!(is_helper_log("rollout-2026-11-21T21-40-39-h-1.jsonl", "h-1"));
    for other in ["rollout-2026-11-21T21-40-39-xh-1.jsonl", "rollout-h-1.json", "h-1.jsonl"] {
        assert!(!is_helper_log(other, "h-1"), "{other}");
    }
}
