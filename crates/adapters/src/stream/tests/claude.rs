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
