//! What holds for any payload at all.

use crate::common::{ALL, CLAUDE_CODE, CODEX, Recorded};
use headsup_adapters::{HookContext, Sighting, hook, kinds, text};
use headsup_core::observation::Fact;
use headsup_core::prompt::PromptKind;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Whatever came in, this holds of what goes out.
fn check(seen: &Sighting) {
    assert!(!seen.event.is_empty());
    let ends = matches!(seen.fact, Fact::TurnEnded { .. });
    assert!(!ends || seen.event == "Stop", "{seen:?}");
    if let Fact::PromptOpened { prompt, .. } = &seen.fact {
        // A question may be asked by the call itself.
        let asks = prompt.kind == PromptKind::Question && seen.event == "PreToolUse";
        assert!(asks || matches!(seen.event.as_str(), "PermissionRequest" | "Elicitation"));
        assert!(!prompt.title.is_empty());
        shown(&prompt.title, text::TITLE);
        shown(prompt.body.as_deref().unwrap_or_default(), text::BODY);
        for option in &prompt.options {
            shown(&option.label, text::TITLE);
        }
    }
    if let Fact::TurnFailed { code, detail, .. } = &seen.fact {
        assert!(!code.is_empty());
        shown(detail.as_deref().unwrap_or_default(), text::DETAIL);
    }
    let action = seen.activity.as_ref().and_then(|activity| activity.action.as_deref());
    shown(action.unwrap_or_default(), text::ACTION);
    for id in [&seen.session, &seen.cwd, &seen.log_path].into_iter().flatten() {
        assert!(!id.chars().any(char::is_control), "{id:?}");
    }
}

fn shown(text: &str, cap: usize) {
    assert!(text.chars().count() <= cap, "{text}");
    let hidden = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{200b}'..='\u{200f}');
    assert!(!text.chars().any(hidden), "{text:?}");
}

/// Values of every type, to stand where another one is expected.
fn others() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1.5),
        json!(""),
        json!("text"),
        json!("\u{202e}\u{1b}[31m\u{0}"),
        json!([]),
        json!([null, 1, "a", {}]),
        json!({}),
        json!({ "type": "shell", "status": "running" }),
    ]
}

fn recorded() -> impl Iterator<Item = (Recorded, Value)> {
    ALL.into_iter().flat_map(|agent| {
        let mut payloads: Vec<Value> =
            agent.all_hooks().map(|row| row["payload"].clone()).collect();
        payloads.extend(agent.samples());
        payloads.into_iter().map(move |payload| (agent, payload))
    })
}

#[test]
fn a_member_of_another_type_never_costs_the_event() {
    for (agent, payload) in recorded() {
        let event = payload["hook_event_name"].as_str().unwrap();
        for member in payload.as_object().unwrap().keys() {
            for other in others() {
                let mut changed = payload.clone();
                changed[member] = other.clone();
                let body = changed.to_string();
                let context = HookContext::default();
                let seen = hook(agent.kind, Some(event), body.as_bytes(), &context).unwrap();
                check(&seen);
                // A helper needs its id, and another name is another event.
                let is_helpers = event.starts_with("Subagent")
                    || (agent.kind == CODEX.kind && payload.get("agent_type").is_some());
                let helper = is_helpers && member == "agent_id";
                // An end is not taken for granted: whose it is, and why, must be readable.
                let end = matches!(event, "Stop" | "StopFailure" | "SessionEnd" | "Interrupt");
                let ends = ["session_id", "prompt_id", "turn_id", "background_tasks", "reason"];
                let needed = helper || (end && ends.contains(&member.as_str()));
                let understood = !matches!(seen.fact, Fact::NotUnderstood { .. });
                let renamed = member == "hook_event_name";
                assert!(understood || needed || renamed, "{event}.{member} = {other}");
            }
        }
    }
}

#[test]
fn a_renamed_member_never_turns_one_fact_into_the_end_of_a_turn() {
    for (agent, payload) in recorded() {
        for member in payload.as_object().unwrap().keys() {
            let mut changed = payload.clone();
            let members = changed.as_object_mut().unwrap();
            let value = members.remove(member).unwrap();
            members.insert(format!("{member}V2"), value);
            check(&agent.read_payload(&changed, &HookContext::default()));
        }
    }
}

#[test]
fn a_payload_that_is_cut_anywhere_is_not_understood() {
    let all = ALL
        .into_iter()
        .flat_map(|agent| agent.samples().into_iter().map(move |payload| (agent, payload)));
    for (agent, payload) in all {
        let body = payload.to_string();
        for cut in (0..body.len()).filter(|cut| body.is_char_boundary(*cut)) {
            let part = &body.as_bytes()[..cut];
            let seen = hook(agent.kind, Some("Stop"), part, &HookContext::default()).unwrap();
            assert!(matches!(seen.fact, Fact::NotUnderstood { .. }), "{}", &body[..cut]);
        }
    }
}

/// JSON of any shape, with the members that are looked for among its names.
fn any_json() -> impl Strategy<Value = Value> {
    let name = prop_oneof![
        3 => proptest::sample::select(vec![
            "hook_event_name", "session_id", "cwd", "prompt_id", "turn_id", "agent_id", "agent_type",
            "tool_name", "tool_input", "tool_calls", "background_tasks", "questions", "question",
            "options", "label", "command", "plan", "prompt", "id", "type", "status", "error",
        ]).prop_map(str::to_owned),
        1 => ".{0,8}",
    ];
    let word = proptest::sample::select(vec![
        "Stop",
        "PreToolUse",
        "PermissionRequest",
        "Elicitation",
        "AskUserQuestion",
        "request_user_input",
        "SessionEnd",
        "ExitPlanMode",
        "PostToolBatch",
        "UserPromptSubmit",
        "StopFailure",
        "shell",
        "running",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        word.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, move |inner| {
        let list = proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from);
        let object = proptest::collection::vec((name.clone(), inner), 0..8)
            .prop_map(|members| Value::Object(members.into_iter().collect()));
        prop_oneof![1 => list, 3 => object]
    })
}

fn events() -> impl Strategy<Value = Option<String>> {
    let names: Vec<String> = ALL
        .iter()
        .flat_map(Recorded::samples)
        .map(|payload| payload["hook_event_name"].as_str().unwrap().to_owned())
        .collect();
    prop_oneof![
        Just(None),
        proptest::sample::select(names).prop_map(Some),
        any::<String>().prop_map(Some),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(
        body in proptest::collection::vec(any::<u8>(), 0..200),
        event in events(),
    ) {
        for kind in kinds() {
            let seen = hook(kind, event.as_deref(), &body, &HookContext::default()).unwrap();
            check(&seen);
        }
    }

    #[test]
    fn any_json_is_survived(payload in any_json(), event in events()) {
        let body = payload.to_string();
        for agent in ALL {
            let context = HookContext::default();
            check(&hook(agent.kind, event.as_deref(), body.as_bytes(), &context).unwrap());
        }
    }

    #[test]
    fn any_context_is_survived(header in any::<String>(), context in any_json()) {
        HookContext::parse(&header);
        let context = HookContext::parse(&context.to_string());
        check(&hook(CLAUDE_CODE.kind, Some("Stop"), b"{}", &context).unwrap());
    }

    #[test]
    fn any_text_is_shown_safely(text in any::<String>(), cap in 1_usize..300) {
        shown(&text::line(&text, cap), cap);
        shown(&text::block(&text, cap), cap);
    }

    /// Redaction takes whole pieces out and leaves all others as they are.
    #[test]
    fn redaction_leaves_what_it_does_not_replace(
        text in "(token|password|[=: \"'$/@é\\\\-]|sk-|[a-z0-9]{1,9}){0,30}",
    ) {
        let clean = text::redact(&text).into_owned();
        let mut rest = text.as_str();
        for piece in clean.split(text::REDACTED) {
            let at = rest.find(piece);
            prop_assert!(at.is_some(), "{piece:?} of {clean:?}");
            rest = &rest[at.unwrap_or_default() + piece.len()..];
        }
    }
}
