//! What a bundle holds says the same as what was recorded.

use crate::common::{ALL, Recorded, context};
use headsup_adapters::evidence::{Shroud, taken};
use headsup_adapters::{HookContext, log_line, registry};
use serde_json::Value;
use std::fmt::Debug;

/// A value without what is anybody's text: the shape of what was understood.
fn shape(value: &impl Debug) -> String {
    let (mut out, mut in_text, mut escaped) = (String::new(), false, false);
    for c in format!("{value:?}").chars() {
        match (in_text, c) {
            (true, _) if escaped => escaped = false,
            (true, '\\') => escaped = true,
            (_, '"') => {
                in_text = !in_text;
                out.push('"');
            }
            // A number may be a digest of a text.
            (false, c) if !c.is_ascii_digit() => out.push(c),
            _ => {}
        }
    }
    out
}

fn covered(shroud: &mut Shroud, value: &Value) -> Value {
    let mut value = taken(value.to_string().as_bytes()).unwrap();
    shroud.cover(&mut value);
    value
}

#[test]
fn what_is_redacted_yields_the_same_facts() {
    for agent in ALL {
        let compared = same_facts(&agent);
        assert!(compared > 300, "{}: {compared}", agent.kind);
    }
}

/// How many were compared.
fn same_facts(agent: &Recorded) -> usize {
    let mut compared = 0;
    for case in agent.cases() {
        let mut shroud = Shroud::new(Some("/home/dev"), false);
        for row in agent.hooks(&case) {
            let context = context(&row);
            let before = agent.read_payload(&row["payload"], &context);
            let after = agent.read_payload(&covered(&mut shroud, &row["payload"]), &context);
            assert_eq!(shape(&after.fact), shape(&before.fact), "{case}: {}", row["payload"]);
            assert_eq!(after.event, before.event);
            assert_eq!(after.session.is_some(), before.session.is_some());
            compared += 1;
        }
        for row in agent.rows(&case).iter().filter(|row| row["record"].is_object()) {
            let name = row["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            let read = |record: &Value| registry(agent.kind, &name, record.to_string().as_bytes());
            let (before, after) =
                (read(&row["record"]), read(&covered(&mut shroud, &row["record"])));
            let level = |record: &Option<headsup_adapters::RegistryRecord>| {
                record.as_ref().map(|record| shape(&(&record.level, &record.statement.is_some())))
            };
            assert_eq!(level(&after), level(&before), "{case}: {row}");
            compared += 1;
        }
        compared += same_lines(agent, &case, &mut shroud);
    }
    let mut shroud = Shroud::new(Some("/home/dev"), false);
    for payload in agent.samples() {
        let nowhere = HookContext::default();
        let before = agent.read_payload(&payload, &nowhere);
        let after = agent.read_payload(&covered(&mut shroud, &payload), &nowhere);
        assert_eq!(shape(&after.fact), shape(&before.fact), "{payload}");
    }
    compared
}

fn same_lines(agent: &Recorded, case: &str, shroud: &mut Shroud) -> usize {
    let mut compared = 0;
    for line in agent.logs(case) {
        let read = |line: &Value| log_line(agent.kind, line.to_string().as_bytes());
        let Some(before) = read(&line).filter(|line| line.fact.is_some()) else { continue };
        let after = read(&covered(shroud, &line)).unwrap();
        assert_eq!(shape(&after.fact), shape(&before.fact), "{line}");
        compared += 1;
    }
    compared
}

/// Calls are told apart by their input as before.
#[test]
fn what_was_equal_is_equal_and_what_was_not_is_not() {
    let all = ALL.iter().flat_map(|agent| agent.cases().into_iter().map(move |case| (agent, case)));
    for (agent, case) in all {
        let mut shroud = Shroud::new(Some("/home/dev"), false);
        let pairs: Vec<(Value, Value)> = agent
            .hooks(&case)
            .into_iter()
            .map(|row| (covered(&mut shroud, &row["payload"]), row["payload"].clone()))
            .collect();
        for member in
            ["session_id", "tool_use_id", "prompt_id", "turn_id", "tool_input", "prompt", "cwd"]
        {
            for (one, before) in &pairs {
                for (other, other_before) in &pairs {
                    let was = before[member] == other_before[member];
                    assert_eq!(one[member] == other[member], was, "{case} {member}: {before}");
                }
            }
        }
    }
}
