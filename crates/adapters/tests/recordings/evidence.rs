//! What a bundle holds says the same as what was recorded.

use crate::common::{KIND, cases, context, folder, hooks, read_payload, rows, samples};
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
    let mut compared = 0;
    for case in cases() {
        let mut shroud = Shroud::new(Some("/home/dev"), false);
        for row in hooks(&case) {
            let context = context(&row);
            let before = read_payload(&row["payload"], &context);
            let after = read_payload(&covered(&mut shroud, &row["payload"]), &context);
            assert_eq!(shape(&after.fact), shape(&before.fact), "{case}: {}", row["payload"]);
            assert_eq!(after.event, before.event);
            assert_eq!(after.session.is_some(), before.session.is_some());
            compared += 1;
        }
        for row in rows(&case).iter().filter(|row| row["record"].is_object()) {
            let name = row["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            let read = |record: &Value| registry(KIND, &name, record.to_string().as_bytes());
            let (before, after) =
                (read(&row["record"]), read(&covered(&mut shroud, &row["record"])));
            let level = |record: &Option<headsup_adapters::RegistryRecord>| {
                record.as_ref().map(|record| shape(&(&record.level, &record.statement.is_some())))
            };
            assert_eq!(level(&after), level(&before), "{case}: {row}");
            compared += 1;
        }
        for entry in std::fs::read_dir(folder().join(&case)).unwrap().map(Result::unwrap) {
            if entry.file_name().to_string_lossy().starts_with("transcript-") {
                compared +=
                    same_lines(&std::fs::read_to_string(entry.path()).unwrap(), &mut shroud);
            }
        }
    }
    let mut shroud = Shroud::new(Some("/home/dev"), false);
    for payload in samples() {
        let nowhere = HookContext::default();
        let before = read_payload(&payload, &nowhere);
        let after = read_payload(&covered(&mut shroud, &payload), &nowhere);
        assert_eq!(shape(&after.fact), shape(&before.fact), "{payload}");
    }
    assert!(compared > 500, "{compared}");
}

fn same_lines(text: &str, shroud: &mut Shroud) -> usize {
    let mut compared = 0;
    for line in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let read = |line: &Value| log_line(KIND, line.to_string().as_bytes());
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
    for case in cases() {
        let mut shroud = Shroud::new(Some("/home/dev"), false);
        let pairs: Vec<(Value, Value)> = hooks(&case)
            .into_iter()
            .map(|row| (covered(&mut shroud, &row["payload"]), row["payload"].clone()))
            .collect();
        for member in ["session_id", "tool_use_id", "prompt_id", "tool_input", "prompt", "cwd"] {
            for (one, before) in &pairs {
                for (other, other_before) in &pairs {
                    let was = before[member] == other_before[member];
                    assert_eq!(one[member] == other[member], was, "{case} {member}: {before}");
                }
            }
        }
    }
}
