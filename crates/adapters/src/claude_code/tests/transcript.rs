//! The transcript's lines.

use crate::{LogLine, log_line, strange_line};
use headsup_core::observation::{Background, Fact, Level, Submitter};
use headsup_core::prompt::ResolvedBy;
use headsup_core::status::WorkingReason;

fn line(text: &str) -> LogLine {
    log_line("claude-code", text.as_bytes()).unwrap()
}

fn user(members: &str, text: &str) -> LogLine {
    line(&format!(
        r#"{{"type":"user","sessionId":"s-1","promptId":"p-1",{members}
            "message":{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    ))
}

fn logged(by: Submitter) -> Fact {
    Fact::PromptLogged { by, turn_ref: "p-1".to_owned() }
}

fn interrupted() -> Fact {
    Fact::TurnInterrupted { turn_ref: Some("p-1".to_owned()) }
}

#[test]
fn an_interruption_ends_the_turn_of_its_prompt() {
    assert_eq!(user("", "[Request interrupted by user]").fact, Some(interrupted()));
    assert_eq!(user("", "[Request interrupted by user for tool use]").fact, Some(interrupted()));
    assert_eq!(user(r#""interruptedMessageId":"m-1","#, "").fact, Some(interrupted()));
}

#[test]
fn false_positive_a_person_may_type_the_same_words() {
    let typed = user(r#""origin":{"kind":"human"},"#, "[Request interrupted by user] is what?");
    assert_eq!(typed.fact, Some(logged(Submitter::Person)));
    assert!(typed.is_prompt);
    assert_eq!(user("", "Why [Request interrupted by user]?").fact, None);
    let result = r#"{"type":"user","message":{"content":[{"type":"tool_result",
        "content":"[Request interrupted by user]"}]}}"#;
    assert_eq!(line(result).fact, None);
}

/// Members in the order of the program's own.
fn rejected(denial: &str, feedback: &str) -> Option<Fact> {
    line(&format!(
        r#"{{"isSidechain":false,"promptId":"p-1","type":"user","message":{{"role":"user","content":[
            {{"type":"tool_result","content":"The tool use was rejected","is_error":true,
            "tool_use_id":"c-1"}}]}},"toolUseResult":"Error",{denial}{feedback}"sessionId":"s-1"}}"#
    ))
    .fact
}

#[test]
fn a_refusal_with_words_ends_its_call() {
    let by_person = r#""toolDenialKind":"user-rejected","#;
    let fact = rejected(by_person, r#""userFeedback":"do not","#);
    let Some(Fact::CallRefused { call, resolution }) = &fact else { panic!("{fact:?}") };
    assert_eq!((call.as_str(), resolution.by), ("c-1", ResolvedBy::Human));
    assert_eq!(resolution.value.as_deref(), Some("deny"));
    // Without words an interruption follows, and a rule has asked nobody.
    assert_eq!(rejected(by_person, ""), None);
    assert_eq!(rejected(by_person, r#""userFeedback":"","#), None);
    assert_eq!(rejected(r#""toolDenialKind":"permission-rule","#, ""), None);
    // Words may stand beside a yes, too.
    assert_eq!(rejected("", r#""userFeedback":"and then lint","#), None);
}

#[test]
fn what_a_background_task_tells_waits_in_the_queue() {
    let queue = |members: &str| line(&format!(r#"{{"type":"queue-operation",{members}}}"#)).fact;
    let told = r#""operation":"enqueue","content":"<task-notification>\n<task-id>a1</task-id>""#;
    assert_eq!(queue(told), Some(Fact::WakeQueued(true)));
    let typed = r#""operation":"enqueue","content":"and lint it""#;
    assert_eq!(queue(typed), Some(Fact::PromptQueued));
    assert_eq!(queue(r#""operation":"enqueue","content":"/clear""#), None);
    assert_eq!(queue(r#""operation":"enqueue""#), None);
    assert_eq!(queue(r#""operation":"dequeue""#), Some(Fact::WakeQueued(false)));
    assert_eq!(queue(r#""operation":"remove""#), Some(Fact::WakeQueued(false)));
    let told = r#""operation":"remove","reason":"absorbed_mid_turn""#;
    assert_eq!(queue(told), Some(Fact::WakeAbsorbed));
    assert_eq!(queue(r#""sessionId":"s-1""#), None);
}

#[test]
fn a_compaction_that_a_person_stopped_ends_its_turn() {
    let says = |text: &str, subtype: &str| {
        line(&format!(r#"{{"type":"system","subtype":"{subtype}","content":"{text}"}}"#)).fact
    };
    let stopped = "<local-command-stderr>Error: Compaction canceled.</local-command-stderr>";
    let interrupted = Fact::TurnInterrupted { turn_ref: None };
    assert_eq!(says(stopped, "local_command"), Some(interrupted));
    assert_eq!(says(stopped, "informational"), None);
    let printed = "<local-command-stdout>Compaction canceled.</local-command-stdout>";
    assert_eq!(says(printed, "local_command"), None);
}

/// A line as 2.1.330 writes it, but for members that say nothing here.
#[test]
fn a_compaction_that_has_failed_ends_its_turn_as_failed() {
    let failed = line(
        r#"{"parentUuid":"u1","isSidechain":false,"type":"system","subtype":"local_command","content":"<local-command-stderr>Error during compaction: API Error: 500 no. If it persists, check your inference gateway (127.0.0.1:1).</local-command-stderr>","level":"info","timestamp":"2026-11-27T21:06:57.835Z","isMeta":false,"commandRun":{"command":"compact","args":""},"commandOutcome":{"kind":"failed"},"sessionId":"s-1","version":"2.1.330"}"#,
    );
    let code = "compaction_failed".to_owned();
    assert_eq!(failed.fact, Some(Fact::TurnFailed { code, detail: None, turn_ref: None }));
    // Nothing to sum up is no failure, and it says so on its ordinary output.
    let short = r#"{"type":"system","subtype":"local_command","content":"<local-command-stdout>Not enough messages to compact.</local-command-stdout>","commandRun":{"command":"compact","args":""}}"#;
    assert_eq!(line(short).fact, None);
}

/// A line as 2.1.330 writes it, but for members that say nothing here.
#[test]
fn the_end_of_a_compaction_is_told_if_a_person_has_asked_for_it() {
    let told = |metadata: &str| {
        line(&format!(
            r#"{{"parentUuid":null,"isSidechain":false,"type":"system","subtype":"compact_boundary","content":"Conversation compacted","level":"info",{metadata}"sessionId":"s-1"}}"#
        ))
    };
    let wanted = told(r#""compactMetadata":{"trigger":"manual","preTokens":1212},"#);
    assert_eq!(wanted.fact, Some(Fact::CompactionEnded { manual: Some(true) }));
    assert_eq!(wanted.name, "compact_boundary");
    for other in [r#""compactMetadata":{"trigger":"auto"},"#, r#""compactMetadata":7,"#, ""] {
        assert_eq!(told(other).fact, None, "{other}");
    }
}

/// Lines as 2.1.330 writes them, but for members that say nothing here.
#[test]
fn what_the_program_does_by_itself_for_a_person_is_a_command() {
    let of = |kind: &str, says: &str| {
        line(&format!(
            r#"{{"parentUuid":"u1","isSidechain":false,{kind},{says},"sessionId":"s-1"}}"#
        ))
    };
    let system = r#""type":"system","subtype":"local_command","level":"info","isMeta":false"#;
    let ran = r#""content":"<command-name>/context</command-name>\n            <command-message>context</command-message>\n            <command-args></command-args>""#;
    let seen = of(system, ran);
    assert_eq!((seen.fact, seen.name.as_str()), (Some(Fact::CommandRan), "local_command"));
    // What it has printed says it no second time, and `/compact` is told to the agent.
    let printed = r#""content":"<local-command-stdout> Context usage</local-command-stdout>""#;
    assert_eq!(of(system, printed).fact, None);
    let told = r#""message":{"role":"user","content":"<command-name>/compact</command-name>"}"#;
    assert_eq!(of(r#""type":"user""#, told).fact, None);
}

#[test]
fn an_api_error_message_ends_the_turn_as_failed() {
    let text = r#"{"type":"assistant","isApiErrorMessage":true,"error":"rate_limit",
        "sessionId":"s-1","message":{"model":"<synthetic>"}}"#;
    let failed = line(text);
    let code = "rate_limit".to_owned();
    assert_eq!(failed.fact, Some(Fact::TurnFailed { code, detail: None, turn_ref: None }));
    assert_eq!((failed.session.as_deref(), failed.model), (Some("s-1"), None));
}

#[test]
fn a_retry_says_that_it_still_works() {
    let retry = line(r#"{"type":"system","subtype":"api_error","retryAttempt":1}"#);
    let reason = Some(WorkingReason::Retrying);
    assert_eq!(retry.fact, Some(Fact::Level(Level::Working { reason })));
    assert_eq!(retry.name, "api_error");
    for wait in ["522", "522.25"] {
        let text = format!(r#"{{"type":"system","subtype":"api_error","retryInMs":{wait}}}"#);
        assert_eq!(line(&text).fact, Some(Fact::AsksAgain { wait_ms: 522 }));
    }
}

#[test]
fn what_a_hook_of_a_stop_has_said_undoes_that() {
    let said = |members: &str, text: &str| {
        line(&format!(
            r#"{{"type":"user","sessionId":"s-1","promptId":"p-1",{members}
                "message":{{"role":"user","content":"{text}"}}}}"#
        ))
    };
    let undone = said(r#""isMeta":true,"#, r"Stop hook feedback:\n[check.sh]: not yet\n");
    assert_eq!(undone.fact, Some(Fact::StopUndone { turn_ref: "p-1".to_owned() }));
    assert!(!undone.is_prompt);
    // A person may type these words, and others are told in the same way.
    let typed = said(r#""origin":{"kind":"human"},"#, "Stop hook feedback: what is that?");
    assert_eq!(typed.fact, Some(logged(Submitter::Person)));
    for (members, text) in
        [("", "Stop hook feedback: x"), (r#""isMeta":true,"#, "<system-reminder>")]
    {
        assert_eq!(said(members, text).fact, None, "{text}");
    }
}

#[test]
fn a_persons_prompt_is_told_by_the_name_of_its_turn() {
    let typed = user(r#""origin":{"kind":"human"},"promptSource":"typed","#, "go");
    assert_eq!((typed.fact, typed.name.as_str()), (Some(logged(Submitter::Person)), "user"));
    // So is what a background task tells, which is no prompt of a person's.
    let told = user(r#""origin":{"kind":"task-notification","producer":"session-task"},"#, "go");
    assert_eq!((told.fact, told.is_prompt), (Some(logged(Submitter::Program)), false));
    // What a run is started with, and commands of the person's own.
    for other in [r#""promptSource":"sdk","#, r#""origin":{"kind":"other"},"#, ""] {
        assert_eq!(user(other, "go").fact, None, "{other}");
    }
    assert_eq!(user(r#""isMeta":true,"origin":{"kind":"human"},"#, "go").fact, None);
    let nameless = r#"{"type":"user","origin":{"kind":"human"},"message":{"content":"go"}}"#;
    assert_eq!(line(nameless).fact, None);
}

#[test]
fn a_helpers_lines_say_nothing() {
    let helper = user(r#""isSidechain":true,"#, "[Request interrupted by user]");
    assert_eq!((helper.fact, helper.is_prompt), (None, false));
}

#[test]
fn the_past_has_prompts_model_and_title() {
    assert!(user(r#""origin":{"kind":"human"},"#, "go").is_prompt);
    assert!(!user(r#""origin":{"kind":"task-notification"},"#, "done").is_prompt);
    let model = line(r#"{"type":"assistant","message":{"model":"claude-sonnet-4-5"}}"#).model;
    assert_eq!(model.as_deref(), Some("claude-sonnet-4-5"));
    assert_eq!(line(r#"{"type":"ai-title","aiTitle":"Fix it"}"#).title.as_deref(), Some("Fix it"));
}

#[test]
fn long_lines_and_broken_ones_are_taken_as_they_come() {
    let long = "x".repeat(300_000);
    let text = format!(
        r#"{{"type":"attachment","attachment":{{"type":"prompt_snapshot","p":"{long}"}}}}"#
    );
    assert_eq!(line(&text).fact, None);
    for bad in ["", "{", "null", "[]", "{}", r#"{"type":7}"#, "\u{feff}x"] {
        assert_eq!(log_line("claude-code", bad.as_bytes()), None, "{bad}");
    }
    assert_eq!(log_line("custom", b"{\"type\":\"user\"}"), None);
}

#[test]
fn the_time_that_a_turn_took_is_its_end_unless_helpers_go_on() {
    let took = |members: &str| {
        line(&format!(r#"{{"type":"system","subtype":"turn_duration",{members}"durationMs":373}}"#))
            .fact
    };
    let ended = Fact::TurnEnded { background: Background::default(), turn_ref: None };
    assert_eq!(took(""), Some(ended));
    assert_eq!(took(r#""pendingBackgroundAgentCount":1,"#), None);
    assert_eq!(took(r#""isSidechain":true,"#), None);
}

#[test]
fn the_last_answer_of_a_run_without_a_terminal_is_the_end_of_its_turn() {
    let said = |entry: &str, reason: &str| {
        line(&format!(
            r#"{{"type":"assistant","entrypoint":"{entry}","message":{{"role":"assistant",
                "content":[{{"type":"text","text":"x"}}],"stop_reason":"{reason}"}}}}"#
        ))
        .fact
    };
    let ended = Fact::TurnEnded { background: Background::default(), turn_ref: None };
    assert_eq!(said("sdk-cli", "end_turn"), Some(ended));
    assert_eq!(said("sdk-cli", "tool_use"), None);
    assert_eq!(said("cli", "end_turn"), None);
}

#[test]
fn what_a_line_says_anew_is_named_by_its_member() {
    let news = |text: &str| strange_line("claude-code", text.as_bytes());
    let says = |members: &str| {
        news(&format!(r#"{{"type":"assistant","message":{{"role":"assistant",{members}}}}}"#))
    };
    assert_eq!(news(r#"{"type":"hologram"}"#), Some("type"));
    assert_eq!(news(r#"{"type":"system","subtype":"turn_dreamt"}"#), Some("subtype"));
    assert_eq!(news(r#"{"type":"system"}"#), Some("subtype"));
    assert_eq!(says(r#""stop_reason":"bored","content":[]"#), Some("stop_reason"));
    assert_eq!(says(r#""stop_reason":7,"content":[]"#), Some("stop_reason"));
    let block = r#""content":[{"type":"text","text":"x"},{"type":"smell","text":"[x]"}]"#;
    assert_eq!(says(block), Some("content"));
    assert_eq!(says(r#""content":[{"kind":"text"}]"#), Some("content"));
    for known in [
        r#"{"type":"file-history-snapshot","messageId":"m"}"#,
        r#"{"type":"attachment","attachment":{"type":"smell"}}"#,
        r#"{"type":"api-request-blob","message":7}"#,
        r#"{"type":"system","subtype":"away_summary","content":"x"}"#,
        r#"{"type":"user","message":{"role":"user","content":"hologram"}}"#,
    ] {
        assert_eq!(news(known), None, "{known}");
    }
    assert_eq!(says(r#""stop_reason":null,"content":[{"type":"thinking"}]"#), None);
    // No line, a broken one, and another program's.
    for none in ["", "{", "[]", r#"{"type":7}"#, r#"{"type":"hologram","x":tru}"#] {
        assert_eq!(news(none), None, "{none}");
    }
    assert_eq!(strange_line("custom", br#"{"type":"hologram"}"#), None);
}
