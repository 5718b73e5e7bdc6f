//! What a run asks its host.

use super::{ask, assistant, levels, result_of, run, seen, told};
use crate::stream::Stream;
use crate::{HookContext, Sighting};
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::observation::{Delivery, Fact, Level, Observation};
use headsup_core::prompt::{Actor, NewPrompt, OpenPrompt};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::BlockedReason;
use headsup_core::time::UnixMs;
use serde_json::{Value, json};
use std::slice;

fn asks(tool: &str, input: &Value) -> Value {
    let request = json!({"subtype": "can_use_tool", "tool_name": tool, "input": input,
        "tool_use_id": "toolu_1"});
    json!({"type": "control_request", "request_id": "1", "request": request})
}

fn question() -> Value {
    let options = json!([{"label": "Red", "description": "a red one"}, {"label": "Blue"}]);
    json!({"questions": [{"question": "Which?", "multiSelect": true, "options": options}]})
}

fn by_hook(tool: &str, input: &Value) -> Sighting {
    let event = "PermissionRequest";
    let body = json!({"hook_event_name": event, "tool_name": tool, "tool_input": input});
    let body = body.to_string();
    crate::hook("claude-code", Some(event), body.as_bytes(), &HookContext::default()).unwrap()
}

fn prompt(seen: &Sighting) -> NewPrompt {
    match &seen.fact {
        Fact::PromptOpened { actor: Actor::Main, prompt, settle_ms: 0, .. } => prompt.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_question_and_a_plan_are_told_with_the_words_that_hooks_tell() {
    let plan = json!({"plan": "# Plan\n\n1. Look\n2. Mend"});
    for (tool, input, reason, title) in [
        ("AskUserQuestion", question(), BlockedReason::Question, "Which?"),
        ("AskUserQuestion", json!({}), BlockedReason::Question, "Question"),
        ("ExitPlanMode", plan, BlockedReason::PlanApproval, "Plan ready for approval"),
    ] {
        let told = told("claude-code", asks(tool, &input).to_string().as_bytes());
        let level = Level::Blocked { reason, detail: Some(title.to_owned()) };
        assert_eq!(told[0].fact, Fact::Level(level));
        let mut known = prompt(&by_hook(tool, &input));
        known.tool.as_mut().unwrap().id = Some("toolu_1".to_owned());
        assert_eq!(prompt(&told[1]), known);
        assert_eq!(told.len(), 2);
    }
    // What may have been cut is told in short.
    let long = json!({"plan": "word ".repeat(1_000)});
    assert_eq!(told("claude-code", asks("ExitPlanMode", &long).to_string().as_bytes()).len(), 1);
}

/// A run that is read along, and its seat.
struct Rig {
    stream: Stream,
    seat: Seat,
    now: UnixMs,
}

impl Rig {
    fn new() -> Self {
        let id = AgentId::new("a").unwrap();
        let seat = Seat::new(id, "claude-code", Source::Report, UnixMs(0));
        Self { stream: Stream::new("claude-code"), seat, now: UnixMs(1_000) }
    }

    fn says(&mut self, line: &Value) {
        let mut told = Vec::new();
        let line = format!("{line}\n");
        self.stream.feed(line.as_bytes(), |body| told.push(seen("claude-code", &body)));
        for seen in told {
            self.admit(seen);
        }
    }

    fn admit(&mut self, seen: Sighting) {
        let (delivery, source, name) = (Delivery::Live, seen.source, seen.event);
        let (at, session, process, made_at, fact) = (self.now, None, None, None, seen.fact);
        let observation =
            Observation { at, delivery, source, session, process, made_at, name, fact };
        gate::admit(&mut self.seat, &observation);
        self.now = self.now.plus(10);
    }

    /// The title of each prompt, and how many options it has.
    fn asked(&self) -> Vec<(String, usize)> {
        let words = |open: &OpenPrompt| (open.ask.title.clone(), open.ask.options.len());
        self.seat.own_prompts().map(words).collect()
    }
}

#[test]
fn a_question_is_one_prompt_with_its_options_until_it_is_answered() {
    let which = vec![("Which?".to_owned(), 2)];
    let mut rig = Rig::new();
    rig.says(&assistant());
    rig.says(&asks("AskUserQuestion", &question()));
    assert_eq!(rig.asked(), which);
    rig.says(&ask("2"));
    assert_eq!(rig.asked(), which);
    rig.says(&result_of("toolu_1", None));
    assert_eq!(rig.asked(), [("Bash".to_owned(), 0)], "what was asked behind it");
    rig.says(&result_of("toolu_2", None));
    assert!(rig.asked().is_empty());
    assert_eq!(rig.seat.headline().word(), "working");
    // Hooks tell of the same, sooner or later.
    for is_first in [true, false] {
        let mut rig = Rig::new();
        let hook = || by_hook("AskUserQuestion", &question());
        rig.says(&assistant());
        if is_first {
            rig.admit(hook());
        }
        rig.says(&asks("AskUserQuestion", &question()));
        if !is_first {
            rig.admit(hook());
        }
        assert_eq!(rig.asked(), which, "{is_first}");
    }
}

#[test]
fn what_was_asked_first_may_be_answered_long_before_the_last() {
    let mut lines: Vec<Value> = (0..300).map(|id| ask(&id.to_string())).collect();
    let answers = (0..260).map(|id| result_of(&format!("toolu_{id}"), Some("toolu_x")));
    lines.extend(answers);
    assert_eq!(run(&lines), ["blocked"]);
    lines.extend((260..300).map(|id| result_of(&format!("toolu_{id}"), Some("toolu_x"))));
    assert_eq!(run(&lines), ["blocked", "working"]);
}

/// As after another permission mode was set, at rest.
#[test]
fn a_status_without_a_word_is_no_work() {
    let status = |word: &Value| json!({"type": "system", "subtype": "status", "status": word});
    let end = json!({"type": "result", "subtype": "success", "is_error": false});
    assert_eq!(run(&[assistant(), end.clone(), status(&Value::Null)]), ["working", "done"]);
    let works = [assistant(), end, status(&json!("requesting"))];
    assert_eq!(run(&works), ["working", "done", "working"]);
}

#[test]
fn a_request_with_a_large_flat_input_blocks() {
    let members = (0..1_500).map(|n| (format!("key {n}"), Value::from("x".repeat(180))));
    let input = Value::Object(members.collect());
    let request = format!(
        r#""request_id":"1","request":{{"input":{input},"subtype":"can_use_tool","tool_name":"some"}}"#
    );
    for line in [
        format!(r#"{{"type":"control_request",{request}}}"#),
        format!(r#"{{{request},"type":"control_request"}}"#),
    ] {
        assert_eq!(levels("claude-code", &[line]), ["blocked"]);
    }
}

/// The levels that these lines show, one after the other.
fn shown(stream: &mut Stream, lines: &[Value]) -> Vec<&'static str> {
    let mut levels = Vec::new();
    for line in lines {
        stream.feed(format!("{line}\n").as_bytes(), |body| {
            if let Fact::Level(level) = seen("claude-code", &body).fact {
                levels.push(level.word());
            }
        });
    }
    levels
}

fn init(session: &str) -> Value {
    json!({"type": "system", "subtype": "init", "session_id": session})
}

/// As where it is rotated in the middle of a run.
#[test]
fn what_is_asked_and_what_goes_on_behind_survives_a_file_that_begins_anew() {
    let helper = json!({"type": "system", "subtype": "background_tasks_changed",
        "tasks": [{"task_type": "local_agent"}]});
    let end = || json!({"type": "result", "subtype": "success", "is_error": false});
    let hook = json!({"type": "system", "subtype": "hook_started", "session_id": "s"});
    let answer = json!({"type": "control_response",
        "response": {"subtype": "success", "request_id": "7"}});
    let begun = |lines: &[Value]| {
        let mut stream = Stream::new("claude-code");
        shown(&mut stream, &[init("s")]);
        shown(&mut stream, lines);
        stream.begin_anew(|body| panic!("{}", String::from_utf8_lossy(&body)));
        stream
    };
    let mut stream = begun(&[ask("1")]);
    assert!(shown(&mut stream, &[json!({"type": "stream_event"}), assistant()]).is_empty());
    assert!(shown(&mut stream, &[init("s")]).is_empty(), "its next turn");
    assert_eq!(shown(&mut stream, &[result_of("toolu_1", None)]), ["working"]);
    let mut stream = begun(slice::from_ref(&helper));
    assert!(shown(&mut stream, &[assistant(), end()]).is_empty(), "the helper goes on");
    // What comes up there is another run, also of the same conversation.
    for session in ["s", "t"] {
        let mut stream = begun(&[ask("1"), helper.clone()]);
        let comes_up = [hook.clone(), answer.clone(), init(session)];
        assert_eq!(shown(&mut stream, &comes_up), ["working"], "{session}");
        assert_eq!(shown(&mut stream, &[end()]), ["done"], "{session}");
    }
}

/// Either side counts from 1.
#[test]
fn an_answer_to_its_client_answers_nothing_that_it_has_asked() {
    let of_client = json!({"type": "control_request", "request_id": "1",
        "request": {"subtype": "set_permission_mode", "mode": "plan"}});
    let answer = json!({"type": "control_response",
        "response": {"subtype": "success", "request_id": "1"}});
    let mut stream = Stream::new("claude-code");
    assert_eq!(shown(&mut stream, &[assistant(), ask("1")]), ["working", "blocked"]);
    let says = |line: &Value, stream: &mut Stream| {
        let mut told = 0;
        stream.feed_answers(format!("{line}\n").as_bytes(), |_| told += 1);
        told
    };
    assert_eq!(says(&of_client, &mut stream), 0);
    assert!(shown(&mut stream, slice::from_ref(&answer)).is_empty());
    // It may say again what its client has answered.
    assert_eq!(shown(&mut stream, slice::from_ref(&answer)), ["working"]);
    // The client takes back what it has asked.
    assert_eq!(shown(&mut stream, &[ask("1")]), ["blocked"]);
    says(&of_client, &mut stream);
    let back = json!({"type": "control_cancel_request", "request_id": "1"});
    assert_eq!(says(&back, &mut stream), 0);
    assert_eq!(says(&answer, &mut stream), 1);
}
