//! One test per decision of the table in `normalize`.

use super::{KIND, hook};
use crate::hook_table::{asks_again_ms, events_to_register};
use crate::terminal::{silent_title_ms, title};
use crate::transcript::log_line;
use crate::{HookContext, Sighting};
use headsup_core::observation::{Fact, Level, SessionEnd, SessionStart, Submitter};
use headsup_core::prompt::PromptKind;
use headsup_core::time::UnixMs;

fn seen(event: &str, members: &str) -> Sighting {
    let comma = if members.is_empty() { "" } else { "," };
    let body = format!(
        r#"{{"session_id":"s-1","cwd":"/home/dev/api","hook_event_name":"{event}"{comma}{members}}}"#
    );
    hook(None, body.as_bytes(), &HookContext::default())
}

fn fact(event: &str, members: &str) -> Fact {
    seen(event, members).fact
}

#[test]
fn eight_events_are_registered_and_none_of_the_models() {
    let events = events_to_register(KIND);
    assert_eq!(events.len(), 8);
    for event in events {
        assert!(!event.contains("Model"), "{event}");
        let said = fact(event, r#""notification_type":"ToolPermission""#);
        assert!(!matches!(said, Fact::NotUnderstood { .. }), "{event}");
    }
    assert!(matches!(fact("CoffeeBreak", ""), Fact::NotUnderstood { .. }));
}

#[test]
fn an_answer_that_is_no_text_any_more_is_counted() {
    for news in ["7", "true", "[]", r#"{"text":"done"}"#] {
        let ended = seen("AfterAgent", &format!(r#""prompt_response":{news}"#));
        assert_eq!((ended.fact, ended.strange), (Fact::TurnUnanswered, Some("prompt_response")));
    }
    assert_eq!(seen("AfterAgent", r#""prompt_response":"""#).strange, None);
}

#[test]
fn a_session_that_is_cleared_does_not_end_the_program() {
    let how = SessionEnd::Clear;
    assert_eq!(fact("SessionEnd", r#""reason":"clear""#), Fact::SessionEnded { how });
    let how = SessionEnd::Exit;
    assert_eq!(fact("SessionEnd", r#""reason":"exit""#), Fact::SessionEnded { how });
    let how = SessionEnd::Either;
    let unsaid = fact("SessionEnd", r#""reason_new":"clear""#);
    assert_eq!(unsaid, Fact::SessionEnded { how }, "its process tells");
    let how = SessionEnd::Unclear;
    for news in [r#""reason":"moved""#, r#""reason":{}"#, r#""reason":["exit"]"#] {
        let ended = seen("SessionEnd", news);
        assert_eq!((ended.fact, ended.strange), (Fact::SessionEnded { how }, Some("reason")));
    }
    for (source, how) in [
        ("startup", SessionStart::Early),
        ("resume", SessionStart::EarlyResume),
        ("clear", SessionStart::Clear),
    ] {
        let started = seen("SessionStart", &format!(r#""source":"{source}""#));
        assert_eq!(started.fact, Fact::SessionStarted { how, attach: None });
        assert_eq!(started.strange, None, "{source}");
    }
    assert_eq!(seen("SessionStart", r#""source":"compaction""#).strange, Some("source"));
}

/// `gemini -p`, which may go on with a conversation.
#[test]
fn a_run_that_was_started_with_its_prompt_does_not_wait_for_one() {
    for (source, how) in [
        ("startup", SessionStart::Prompted),
        ("resume", SessionStart::Prompted),
        ("clear", SessionStart::Clear),
    ] {
        let context = HookContext::parse(r#"{"attach":"headless","prompted":true}"#);
        let body = format!(r#"{{"session_id":"s-1","cwd":"/p","source":"{source}"}}"#);
        let seen = crate::hook(KIND, Some("SessionStart"), body.as_bytes(), &context).unwrap();
        assert_eq!(seen.fact, Fact::SessionStarted { how, attach: context.attach });
    }
}

#[test]
fn a_person_has_the_conversation_summed_up_and_the_log_tells_of_its_end() {
    assert_eq!(fact("PreCompress", r#""trigger":"manual""#), Fact::CompactionStarted);
    for other in ["", r#""trigger":"auto""#, r#""trigger":{}"#] {
        assert_eq!(fact("PreCompress", other), Fact::Nothing, "{other}");
    }
    let line = |text: &str| log_line(KIND, text.as_bytes()).and_then(|line| line.fact);
    let ended = Some(Fact::CompactionEnded { manual: Some(true) });
    assert_eq!(line(r#"{"$set":{"sessionId":"897e2ece-e781-41ab-bd51-7c3fd1f86ccf"}}"#), ended);
    assert_eq!(line(r#"{"type":"error","content":"Failed to compress chat history."}"#), ended);
    for other in [
        r#"{"$set":{"lastUpdated":"2026-11-23T07:00:20.394Z"}}"#,
        r#"{"$set":{"messages":[{"sessionId":"x"}]}}"#,
        r#"{"type":"info","content":""}"#,
        r#"{"$set":{"sessionId":"897e"}"#,
    ] {
        assert_eq!(line(other), None, "{other}");
    }
}

#[test]
fn a_turn_without_a_word_has_not_come_to_its_end() {
    let ended = fact("AfterAgent", r#""prompt_response":"Hello.""#);
    assert!(matches!(ended, Fact::TurnEnded { .. }));
    // Nor has anybody said that a person has stopped it.
    for nothing in ["[no response text]", "", " ", "  \\n"] {
        let silent = fact("AfterAgent", &format!(r#""prompt_response":"{nothing}""#));
        assert_eq!(silent, Fact::TurnUnanswered, "{nothing}");
    }
}

#[test]
fn a_prompt_of_its_own_behind_a_call_is_no_persons() {
    let prompted = |prompt: &str| {
        let seen = seen("BeforeAgent", &format!(r#""prompt":"{prompt}""#));
        (seen.fact, seen.activity.is_some())
    };
    let by = |by| Fact::PromptSubmitted { by, turn_ref: None };
    let own = "[System: You successfully executed a tool but returned an empty response. Please analyze the tool output and explain your progress or final answer.]";
    assert_eq!(prompted(own), (by(Submitter::Program), false));
    for persons in ["go".to_owned(), format!("Why does it say {own}")] {
        assert_eq!(prompted(&persons), (by(Submitter::Person), true));
    }
    assert_eq!((asks_again_ms(KIND), asks_again_ms("custom")), (Some(700), None));
}

#[test]
fn a_notice_is_a_permission_or_a_question_and_names_no_call_but_a_command() {
    let shown = |details: &str| {
        let members = format!(
            r#""notification_type":"ToolPermission","message":"May I?","details":{details}"#
        );
        match fact("Notification", &members) {
            Fact::DialogShown { prompt, .. } => (prompt.kind, prompt.title, prompt.tool),
            other => panic!("{other:?}"),
        }
    };
    let shell = shown(r#"{"type":"exec","title":"Confirm Shell Command","command":"ls"}"#);
    let called = |tool: &str, input: &str| {
        let members = format!(r#""tool_name":"{tool}","tool_input":{input}"#);
        match fact("BeforeTool", &members) {
            Fact::ToolStarted { tool, .. } => tool,
            other => panic!("{other:?}"),
        }
    };
    let input = r#"{"command":"ls","description":"Look","is_background":false}"#;
    let call = called("run_shell_command", input);
    // Of a server's tool it is not what tells its calls apart.
    let edits = ["/a", "/b"].map(|path| format!(r#"{{"command":"view","path":"{path}"}}"#));
    let [one, other] = edits.map(|input| called("mcp_editor_edit", &input));
    assert_ne!(one, other);
    assert_eq!((shell.0, &*shell.1), (PromptKind::Permission, "Confirm Shell Command: ls"));
    assert!(shell.2.is_some_and(|asked| asked.is_like(&call)));
    let other = shown(r#"{"type":"exec","title":"Confirm Shell Command","command":"rm x"}"#);
    assert!(other.2.is_some_and(|asked| !asked.is_like(&call)));
    // What it says of another tool is not all of its call.
    let untold = shown(r#"{"type":"mcp","title":"Confirm MCP Tool","command":"ls"}"#);
    assert_eq!(untold.2, None);
    let question = shown(r#"{"type":"ask_user","title":"Ask User"}"#);
    assert_eq!(question, (PromptKind::Question, "Ask User".into(), None));
    assert_eq!(shown("7"), (PromptKind::Permission, "May I?".into(), None));
    // Of any other type, or of none, it may be one all the same.
    for members in [
        r#""notification_type":"ToolConfirmation""#,
        r#""notification_type":7"#,
        r#""notificationType":"ToolPermission""#,
        "",
    ] {
        let said = fact("Notification", members);
        assert!(matches!(said, Fact::NotUnderstood { .. }), "{members}: {said:?}");
    }
}

#[test]
fn a_dialog_of_a_type_that_nobody_knows_waits_and_is_counted() {
    let seen = |more: &str| {
        let notice = format!(r#""notification_type":"ToolPermission","message":"May I?"{more}"#);
        seen("Notification", &notice)
    };
    for news in [
        "",
        r#","details":7"#,
        r#","details":{"type":"hologram"}"#,
        r#","details":{"kind":"exec"}"#,
    ] {
        let seen = seen(news);
        assert!(matches!(seen.fact, Fact::DialogShown { .. }), "{news}");
        assert_eq!(seen.strange, Some("details.type"), "{news}");
    }
    let asides = ["info", "mcp", "exit_plan_mode", "sandbox_expansion"];
    for kind in ["exec", "ask_user", "edit"].into_iter().chain(asides) {
        assert_eq!(seen(&format!(r#","details":{{"type":"{kind}"}}"#)).strange, None, "{kind}");
    }
}

#[test]
fn a_prompt_without_its_words_is_counted() {
    assert_eq!(seen("BeforeAgent", r#""text":"go""#).strange, Some("prompt"));
    assert_eq!(seen("BeforeAgent", r#""prompt":"go""#).strange, None);
}

#[test]
fn the_title_says_what_it_does() {
    assert_eq!(title(KIND, "\u{25c7}  Ready (project)"), Some(Level::Idle { shells: 0 }));
    let working = Some(Level::Working { reason: None });
    assert_eq!(title(KIND, "\u{2726}  Working\u{2026} (project)"), working);
    assert_eq!(title(KIND, "\u{2726}  Reading the tests (project)   "), working);
    assert_eq!(title(KIND, "\u{23f2}  Working\u{2026} (project)"), working);
    let blocked = title(KIND, "\u{270b}  Action Required (project)");
    assert!(matches!(blocked, Some(Level::Blocked { .. })));
    // Or a command has printed nothing for 30 s, less what a title may be seen late.
    assert_eq!((silent_title_ms(KIND), silent_title_ms("custom")), (Some(25_000), None));
    for nothing in ["", "\u{25c7}", "\u{25c7}  Ready", "Gemini CLI (project)", "vim (x)"] {
        assert_eq!(title(KIND, nothing), None, "{nothing}");
    }
}

#[test]
fn the_log_tells_of_escape_and_of_failures() {
    let log = include_str!("../../fixtures/gemini-cli/0.61.0/samples/chat.jsonl");
    let lines = log.lines().map(|line| log_line(KIND, line.as_bytes()).unwrap());
    let facts: Vec<Fact> = lines.filter_map(|line| line.fact).collect();
    let [Fact::TurnInterrupted { turn_ref: None }, Fact::TurnFailed { code, detail, .. }, ..] =
        &facts[..]
    else {
        panic!("{facts:?}")
    };
    assert_eq!(code, "invalid_argument");
    assert!(detail.as_deref().unwrap().contains("The script says 400."), "{detail:?}");
    assert_eq!(facts.len(), 2);
}

#[test]
fn a_loop_that_a_person_has_halted_is_an_interruption() {
    let read = |kind: &str, said: &str| {
        let line = format!(r#"{{"type":"{kind}","content":"{said}"}}"#);
        log_line(KIND, line.as_bytes()).and_then(|line| line.fact)
    };
    let halted = "A potential loop was detected. This can happen due to repetitive tool calls or other model behavior. The request has been halted.";
    assert_eq!(read("info", halted), Some(Fact::TurnInterrupted { turn_ref: None }));
    assert_eq!(read("gemini", halted), None);
    // It goes on.
    let retried = "Loop detection has been disabled for this session. Retrying request...";
    assert_eq!(read("info", retried), None);
}

/// Lines of turns that failed, as they were written, but for the one without a reason.
#[test]
fn a_turn_fails_in_other_ways_than_by_an_answer_of_the_server() {
    let read = |kind: &str, said: &str| {
        let line = format!(r#"{{"type":"{kind}","content":"{said}"}}"#);
        log_line(KIND, line.as_bytes()).and_then(|line| line.fact)
    };
    let empty = "The model returned an empty response with no text or thoughts. This may be a transient API issue; please try again.";
    let turns = "The session has reached the maximum number of turns: 12. Please update this limit in your setting.json file.";
    let full =
        "Sending this message (150 tokens) might exceed the context window limit (76 tokens left).";
    for (kind, said, told) in [
        ("error", empty, "empty_response"),
        ("error", "The model response was blocked due to safety settings.", "safety"),
        ("error", "Model stream ended with malformed function call.", "malformed_function_call"),
        ("error", "Model stream ended with no reason at all.", "incomplete_response"),
        ("info", turns, "max_session_turns"),
        ("info", full, "context_window"),
    ] {
        let failed =
            Fact::TurnFailed { code: told.into(), detail: Some(said.into()), turn_ref: None };
        assert_eq!(read(kind, said), Some(failed), "{said}");
        // Only where it stands by itself, as what it is.
        let other = if kind == "info" { "error" } else { "info" };
        assert_eq!(read(other, said), None, "{said}");
        assert_eq!(read(kind, &format!("He says: {said}")), None, "{said}");
    }
    for said in [
        // It tries again.
        "\u{26a0}\u{fe0f}  Response stopped due to malformed function call.",
        // What commands say, in mid-turn, too.
        "Memory is currently empty.",
        "Conversation checkpoint saved with tag: tag1.",
    ] {
        assert_eq!(read("info", said), None, "{said}");
    }
    assert_eq!(read("error", "Unknown command: /x"), None);
    assert!(
        log_line(KIND, format!(r#"{{"type":"info","content":"{turns}","#).as_bytes()).is_none()
    );
}

/// What else the program says on the screen is no end of a turn.
#[test]
fn other_words_of_the_program_say_nothing_of_the_turn() {
    let read = |line: &str| log_line(KIND, line.as_bytes()).map(|line| (line.fact, line.is_prompt));
    let nothing = Some((None, false));
    assert_eq!(read(r#"{"type":"error","content":"Unknown command: /x"}"#), nothing);
    assert_eq!(read(r#"{"type":"info","content":"Update available."}"#), nothing);
    assert_eq!(
        read(r#"{"$set":{"messages":[{"type":"error","content":"[API Error: x]"}]}}"#),
        nothing
    );
    assert_eq!(read(r#"{"type":"user","content":[{"text":"go"}]}"#), Some((None, true)));
    assert_eq!(read(r#"{"type":"user","content":"go"}"#), Some((None, true)));
    let returned = r#"{"type":"user","content":[{"functionResponse":{"id":"1","name":"x"}}]}"#;
    let told = r#"{"type":"user","content":[{"text":"<session_context>\nThis is"}]}"#;
    assert_eq!([read(returned), read(told)], [nothing.clone(), nothing], "no person's words");
    assert_eq!(read(r#"{"type":"info","content":"Request cancelled.","#), None);
}

#[test]
fn what_a_line_of_the_log_says_anew_is_named_by_its_member() {
    let news = |line: &str| crate::strange_line(KIND, line.as_bytes());
    for strange in [r#"{"type":"dreamt"}"#, r#"{"type":7}"#, r#"{"kind":"info"}"#] {
        assert_eq!(news(strange), Some("type"), "{strange}");
    }
    let log = include_str!("../../fixtures/gemini-cli/0.61.0/samples/chat.jsonl");
    let others =
        ["", "[]", r#"{"type":"dreamt","#, r#"{"$rewindTo":"m"}"#, r#"{"type":"warning"}"#];
    for known in log.lines().filter(|line| !line.contains("recorded_from")).chain(others) {
        assert_eq!(news(known), None, "{known}");
    }
}

#[test]
fn a_report_says_when_it_was_made() {
    let made = |timestamp: &str| seen("AfterAgent", &format!(r#""timestamp":{timestamp}"#)).made_at;
    let moment = UnixMs(1_795_296_597_200);
    assert_eq!(made(r#""2026-11-21T21:29:57.200Z""#), Some(moment));
    for none in ["null", "7", "\"yesterday\""] {
        assert_eq!(made(none), None, "{none}");
    }
}
