//! The other programs: every recorded hook is understood, and what as.

use crate::common::Recorded;
use crate::facts::told;
use headsup_adapters::evidence::{Shroud, taken};
use headsup_adapters::hook_table::events_to_register;
use headsup_adapters::{HookContext, Sighting, hook};
use headsup_core::observation::Fact;
use serde_json::{Value, json};
use std::fmt::Write;

const PROGRAMS: [Recorded; 5] = [
    Recorded { kind: "qwen-code", version: "0.24.4" },
    Recorded { kind: "gemini-cli", version: "0.61.0" },
    Recorded { kind: "copilot-cli", version: "1.0.102" },
    Recorded { kind: "opencode", version: "1.18.33" },
    Recorded { kind: "kilo", version: "7.7.9" },
];

/// The hook rows of all cases, with the case.
fn hooks(program: &Recorded) -> Vec<(String, Value)> {
    let of = |case: String| {
        let rows = program.rows(&case).into_iter().filter(|row| row["kind"] == "hook");
        rows.map(|row| (case.clone(), row)).collect::<Vec<_>>()
    };
    program.cases().into_iter().flat_map(of).collect()
}

fn read(kind: &str, row: &Value) -> Sighting {
    read_payload(kind, row, &row["payload"])
}

fn read_payload(kind: &str, row: &Value, payload: &Value) -> Sighting {
    let parents = json!([{ "pid": 50, "start": 9, "comm": "sh" },
        { "pid": 42, "start": 8, "comm": if kind == "copilot-cli" { "MainThread" } else { "node" } },
        { "pid": 41, "start": 7, "comm": "node" }]);
    let context = json!({ "env": row["env"], "parents": parents });
    let event = row["arg"][0].as_str();
    hook(kind, event, payload.to_string().as_bytes(), &HookContext::parse(&context.to_string()))
        .unwrap()
}

#[test]
fn every_recorded_hook_is_understood_and_names_session_folder_and_process() {
    for program in PROGRAMS {
        let kind = program.kind;
        let rows = hooks(&program);
        // Of the fork there are four.
        let least = if kind == "kilo" { 25 } else { 40 };
        assert!(rows.len() > least, "{kind} {}", rows.len());
        for (case, row) in rows {
            let seen = read(kind, &row);
            assert!(!matches!(seen.fact, Fact::NotUnderstood { .. }), "{kind} {case} {row}");
            let payload = &row["payload"];
            let session = payload["session_id"].as_str().or_else(|| payload["sessionId"].as_str());
            assert_eq!(seen.session.as_deref(), session);
            assert_eq!(seen.cwd.as_deref(), payload["cwd"].as_str());
            // The nearest one, that of the two that runs the hook.
            assert_eq!(seen.process.map(|process| process.pid), Some(42));
            assert_eq!(Some(seen.event.as_str()), row["arg"][0].as_str());
        }
    }
}

/// The mapping, for a reader: one line an event of those that are registered.
#[test]
fn recorded_events_as_facts() {
    for program in PROGRAMS {
        let kind = program.kind;
        let (mut text, mut last) = (String::new(), String::new());
        for (case, row) in hooks(&program) {
            if case != last {
                writeln!(text, "{case}").unwrap();
                last = case;
            }
            let seen = read(kind, &row);
            // For that cause it is not registered.
            if row["payload"]["trigger"] == "auto" {
                continue;
            }
            if events_to_register(kind).contains(&seen.event.as_str()) {
                writeln!(text, "  {} -> {}", seen.event, told(&seen.fact)).unwrap();
            }
        }
        insta::assert_snapshot!(kind, text);
    }
}

/// A member of another type costs no event its name, and makes no end of what is none.
#[test]
fn a_member_of_another_type_makes_no_end() {
    for program in PROGRAMS {
        let kind = program.kind;
        for (_, row) in hooks(&program) {
            let before = read(kind, &row).fact;
            for member in row["payload"].as_object().unwrap().keys() {
                for other in [Value::Null, json!(7), json!([1]), json!({}), json!("")] {
                    let mut payload = row["payload"].clone();
                    payload[member] = other;
                    let seen = read_payload(kind, &row, &payload);
                    let ends = |fact: &Fact| {
                        matches!(fact, Fact::TurnEnded { .. } | Fact::SessionEnded { .. })
                    };
                    // An answer that cannot be read is an answer.
                    let rests = matches!(before, Fact::IdleNotice { .. } | Fact::TurnOver);
                    let was = ends(&before) || rests;
                    assert!(was || !ends(&seen.fact), "{kind} {member}: {row}");
                }
            }
        }
    }
}

/// What leaves the machine yields the same facts.
#[test]
fn what_is_redacted_says_the_same() {
    for program in PROGRAMS {
        let kind = program.kind;
        let mut shroud = Shroud::new(Some("/home/dev"), false);
        for (case, row) in hooks(&program) {
            let mut payload = taken(row["payload"].to_string().as_bytes()).unwrap();
            shroud.cover(&mut payload);
            let (before, after) = (read(kind, &row), read_payload(kind, &row, &payload));
            let same = std::mem::discriminant(&before.fact) == std::mem::discriminant(&after.fact);
            assert!(same, "{kind} {case}: {:?} and {:?}", before.fact, after.fact);
            assert_eq!(before.session.is_some(), after.session.is_some());
        }
    }
}
