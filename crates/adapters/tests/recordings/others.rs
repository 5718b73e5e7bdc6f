//! The other programs: every recorded hook is understood, and what as.

use crate::common::Recorded;
use crate::facts::told;
use headsup_adapters::evidence::{Shroud, taken};
use headsup_adapters::hook_table::{self, events_to_register};
use headsup_adapters::{HookContext, Sighting, hook, terminal};
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::observation::{Delivery, Fact, Level, Observation, ProcessFact};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::{Exit, Headline, OutcomeKind};
use headsup_core::time::UnixMs;
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
                    let rests = matches!(
                        before,
                        Fact::IdleNotice { .. } | Fact::TurnOver | Fact::TurnUnanswered
                    );
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

/// So a title that asks, and of which no hook has told, shows something else.
#[test]
fn each_dialog_that_the_title_of_gemini_cli_shows_was_told_by_a_hook_before() {
    let [_, program, ..] = PROGRAMS;
    assert!(terminal::silent_title_ms(program.kind).is_some());
    let mut dialogs = 0;
    for case in program.cases() {
        let mut is_told = false;
        for row in program.rows(&case) {
            match row["payload"]["hook_event_name"].as_str() {
                Some("Notification") => is_told = true,
                Some("BeforeAgent") => is_told = false,
                _ => {}
            }
            let title = row["pane_title"].as_str().unwrap_or_default();
            if let Some(Level::Blocked { .. }) = terminal::title(program.kind, title) {
                assert!(is_told, "{case} {row}");
                dialogs += 1;
            }
        }
    }
    assert!(dialogs >= 4, "{dialogs}");
}

/// No hook tells of the end of `gemini -p` whose model refuses, but its code does.
#[test]
fn a_headless_run_of_gemini_cli_that_returns_an_error_has_failed() {
    let [_, program, ..] = PROGRAMS;
    let mut seat = Seat::new(AgentId::new("a").unwrap(), program.kind, Source::Hook, UnixMs(0));
    seat.returns = hook_table::returns(program.kind);
    let mut at = UnixMs(0);
    let mut say = |source, name: String, fact| {
        at = at.plus(10);
        let (delivery, session, process) = (Delivery::Live, None, None);
        let made_at = None;
        let said = Observation { at, delivery, source, session, process, made_at, name, fact };
        gate::admit(&mut seat, &said);
        (seat.headline(), seat.outcome.as_ref().map(|outcome| outcome.kind))
    };
    for row in program.rows("headless_error_400").iter().filter(|row| row["kind"] == "hook") {
        // Its command line tells the hook.
        let context = json!({ "env": row["env"], "attach": "headless" }).to_string();
        let payload = row["payload"].to_string();
        let context = HookContext::parse(&context);
        let seen = hook(program.kind, None, payload.as_bytes(), &context).unwrap();
        say(Source::Hook, seen.event, seen.fact);
    }
    assert_eq!(say(Source::Hook, "nothing".to_owned(), Fact::Nothing), (Headline::Working, None));
    // 400 of which a wait status keeps eight bits.
    let exit = Exit::from_wait(Some(400 % 256), None, false);
    let ended = say(Source::Process, "exit".to_owned(), Fact::Process(ProcessFact::Exited(exit)));
    assert_eq!(ended, (Headline::Crashed, Some(OutcomeKind::Failed)));
}

/// What Qwen Code does by itself when a helper has ended bears the name of the person's next prompt.
#[test]
fn each_prompt_behind_helpers_of_qwen_code_begins_a_turn() {
    let [program, ..] = PROGRAMS;
    let path = program.folder().join("background_helpers/hooks.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let mut seat = Seat::new(AgentId::new("a").unwrap(), program.kind, Source::Hook, UnixMs(0));
    let mut told = Vec::new();
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let at = UnixMs(row["t_ms"].as_i64().unwrap());
        gate::tick(&mut seat, at);
        let seen = read(program.kind, &row);
        let (name, session, fact) = (seen.event, seen.session, seen.fact);
        let (delivery, source) = (Delivery::Live, Source::Hook);
        let (process, made_at) = (None, None);
        let said = Observation { at, delivery, source, session, process, made_at, name, fact };
        gate::admit(&mut seat, &said);
        let payload = &row["payload"];
        if payload["submitted_prompt"].is_string() || row["arg"][0] == "Stop" {
            told.push((at.0, seat.headline()));
        }
    }
    let (works, done) = (Headline::Working, Headline::Done);
    let turns = [(15_482, works), (21_461, done), (23_850, works), (26_836, done)];
    assert_eq!(told[..4], [(4_143, works), (10_853, works), (11_321, done), (11_647, done)]);
    assert_eq!(told[4..], turns);
}
