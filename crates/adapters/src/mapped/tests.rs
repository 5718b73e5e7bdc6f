//! Each map is read, and what it says is what comes of it.

mod helpers;
mod renamed;

use super::map::{Event, Map, Word};
use super::{TEXTS, hook, maps, of, recipe};
use crate::inject;
use crate::{HookContext, Sighting, is_kind};
use headsup_core::gate;
use headsup_core::id::AgentId;
use headsup_core::observation::{Delivery, Fact, Level, Observation, SessionEnd};
use headsup_core::prompt::PromptKind;
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use serde_json::{Value, json};

fn seen(map: &'static Map, event: &str, payload: &Value) -> Sighting {
    hook(map, Some(event), payload.to_string().as_bytes(), &HookContext::default())
}

/// Puts a value where the last of some paths leads.
fn put(payload: &mut Value, paths: &[String], value: &Value) {
    if let Some(path) = paths.last() {
        recipe::put(payload, path, value.clone());
    }
}

/// A payload that has all that a map looks for.
fn whole(map: &Map, event: &str) -> Value {
    let mut payload = json!({});
    let members = &map.members;
    for must in map.musts(event) {
        let word = must.is.last().map_or("any", String::as_str);
        let value = if must.tells_whose { Value::Null } else { json!(word) };
        put(&mut payload, std::slice::from_ref(&must.member), &value);
    }
    for (paths, value) in [
        (&members.event, json!(event)),
        (&members.session, json!("s-1")),
        (&members.cwd, json!("/home/dev/api")),
        (&members.tool, json!("shell")),
        (&members.input, json!({ "command": "ls" })),
        (&members.call, json!("call-1")),
        (&members.prompt, json!("fix it")),
        // Another compaction is a part of its turn.
        (&members.trigger, json!("manual")),
    ] {
        put(&mut payload, paths, &value);
    }
    if members.helper_if.is_empty() {
        put(&mut payload, &members.helper, &json!("helper-1"));
    }
    payload
}

#[test]
fn every_map_is_read_and_is_of_a_kind() {
    for text in TEXTS {
        let read: Result<Map, _> = toml::from_str(text);
        assert!(read.is_ok(), "{:?}", read.err());
    }
    assert_eq!(maps().len(), TEXTS.len());
    for map in maps() {
        assert!(is_kind(&map.kind), "{}", map.kind);
        assert!(!map.source.is_empty() && !map.version.is_empty(), "{}", map.kind);
        assert_eq!(map.install.is_none(), map.instead.is_some(), "{}", map.kind);
        assert_eq!(inject::recipe(&map.kind).is_some(), map.install.is_some(), "{}", map.kind);
    }
}

fn opens(fact: &Fact, kind: PromptKind) -> bool {
    matches!(fact, Fact::PromptOpened { prompt, .. } if prompt.kind == kind)
}

fn shows(fact: &Fact, kind: PromptKind) -> bool {
    matches!(fact, Fact::DialogShown { prompt, .. } if prompt.kind == kind)
}

#[test]
fn an_event_means_what_its_row_says() {
    for map in maps() {
        let nameless = map.helpers_are_nameless;
        for row in &map.events {
            let mut payload = whole(map, &row.name);
            if let Some(when) = &row.when {
                let is_session = map.members.session.contains(&when.member);
                let any = if is_session { "s-1" } else { "any" };
                let word = when.is.first().map_or(any, String::as_str);
                put(&mut payload, std::slice::from_ref(&when.member), &json!(word));
            } else {
                // It is the one for what has none of the words of the others.
                for other in map.rows(&row.name).filter_map(|row| row.when.as_ref()) {
                    put(&mut payload, std::slice::from_ref(&other.member), &Value::Null);
                }
            }
            let is_helpers = matches!(row.fact, Word::HelperStarted | Word::HelperEnded);
            if is_helpers {
                put(&mut payload, &map.members.helper, &json!("helper-1"));
            } else if map.members.helper_if.is_empty() {
                put(&mut payload, &map.members.helper, &Value::Null);
            }
            let seen = seen(map, &row.name, &payload);
            let at = format!("{} {}: {:?}", map.kind, row.name, seen.fact);
            assert!(!matches!(seen.fact, Fact::NotUnderstood { .. }), "{at}");
            let is_marked = |path: &String| !payload[path].is_null();
            let is_elsewhere =
                map.helpers_have_sessions && map.members.helper_if.iter().any(is_marked);
            let session = (!is_elsewhere).then_some("s-1");
            assert_eq!(seen.session.as_deref(), session, "{at}");
            assert_eq!(seen.cwd.as_deref(), Some("/home/dev/api"), "{at}");
            let fits = match row.fact {
                Word::SessionStarted => matches!(seen.fact, Fact::SessionStarted { .. }),
                Word::SessionEnded => seen.fact == Fact::SessionEnded { how: SessionEnd::Exit },
                Word::SessionCleared => seen.fact == Fact::SessionEnded { how: SessionEnd::Clear },
                Word::SessionLeft => seen.fact == Fact::SessionEnded { how: SessionEnd::Either },
                Word::SessionUnclear => false,
                Word::PromptSubmitted => matches!(seen.fact, Fact::PromptSubmitted { .. }),
                Word::PromptTold => seen.fact == Fact::PromptTold,
                Word::ToolStarted => matches!(seen.fact, Fact::ToolStarted { .. }),
                Word::ToolEnded => matches!(seen.fact, Fact::ToolsEnded { .. }),
                Word::TurnEnded => {
                    let unlisted = map.names_helpers();
                    matches!(&seen.fact, Fact::TurnEnded { background, .. }
                        if background.unlisted == unlisted && background.anyones == nameless)
                }
                Word::TurnUnclear => seen.fact == Fact::TurnUnanswered,
                Word::TurnFailed if nameless => {
                    matches!(seen.fact, Fact::SomeoneStopped { failed: Some(_) })
                }
                Word::TurnFailed => matches!(seen.fact, Fact::TurnFailed { .. }),
                Word::TurnInterrupted if nameless => {
                    seen.fact == Fact::SomeoneStopped { failed: None }
                }
                Word::TurnInterrupted => matches!(seen.fact, Fact::TurnInterrupted { .. }),
                Word::PermissionOpened => {
                    opens(&seen.fact, PromptKind::Permission)
                        || opens(&seen.fact, PromptKind::Question)
                }
                Word::PlanOpened => opens(&seen.fact, PromptKind::PlanApproval),
                Word::PermissionShown => shows(&seen.fact, PromptKind::Permission),
                Word::QuestionShown => shows(&seen.fact, PromptKind::Question),
                Word::IdleNotice => matches!(seen.fact, Fact::IdleForLong { .. }),
                Word::HelperStarted if nameless => {
                    matches!(seen.fact, Fact::NamesakeStarted { .. })
                }
                Word::HelperStarted => matches!(seen.fact, Fact::SubagentStarted { .. }),
                Word::HelperEnded if nameless => matches!(seen.fact, Fact::NamesakeEnded { .. }),
                Word::HelperEnded => matches!(seen.fact, Fact::SubagentEnded { .. }),
                Word::CompactionStarted => seen.fact == Fact::CompactionStarted,
                Word::CompactionEnded => seen.fact == Fact::CompactionEnded { manual: Some(true) },
                Word::ShowsIdle => seen.fact == Fact::Level(Level::Idle { shells: 0 }),
                Word::ShowsWorking => seen.fact == Fact::Level(Level::Working { reason: None }),
                Word::ShowsBlocked => matches!(seen.fact, Fact::Level(Level::Blocked { .. })),
                Word::ShowsFailed => matches!(seen.fact, Fact::Level(Level::Failed { .. })),
                Word::PromptResolved => matches!(seen.fact, Fact::PromptResolved { .. }),
                Word::Nothing => seen.fact == Fact::Nothing,
            };
            assert!(fits, "{at}");
        }
    }
}

#[test]
fn what_a_map_does_not_know_is_not_understood() {
    for map in maps() {
        let unknown = seen(map, "CoffeeBreak", &whole(map, "CoffeeBreak"));
        assert!(matches!(unknown.fact, Fact::NotUnderstood { .. }), "{}", map.kind);
        assert_eq!(unknown.event, "CoffeeBreak", "{}", map.kind);
        for body in ["", "[]", "{", "\u{feff}7", "null"] {
            let seen = hook(map, Some("Stop"), body.as_bytes(), &HookContext::default());
            assert!(matches!(seen.fact, Fact::NotUnderstood { .. }), "{} {body}", map.kind);
        }
    }
}

/// A word that is not listed is another one than any that is.
#[test]
fn an_event_with_an_unknown_word_is_not_taken_for_one_with_a_known_word() {
    for map in maps() {
        for row in
            map.events.iter().filter(|row| row.when.as_ref().is_some_and(|w| !w.is.is_empty()))
        {
            let has_default =
                map.events.iter().any(|other| other.name == row.name && other.when.is_none());
            let mut payload = whole(map, &row.name);
            let member = row.when.as_ref().map(|when| when.member.clone()).unwrap();
            for word in [json!("news"), json!(7), Value::Null, json!({})] {
                put(&mut payload, std::slice::from_ref(&member), &word);
                let fact = seen(map, &row.name, &payload).fact;
                let understood = !matches!(fact, Fact::NotUnderstood { .. });
                // A session ends by any word, and by what is none, but who knows how.
                let ends = map.reason_of(&row.name) == Some(&*member);
                let expected = has_default || ends;
                assert_eq!(understood, expected, "{} {} {word}: {fact:?}", map.kind, row.name);
            }
        }
    }
}

#[test]
fn a_member_that_has_another_name_leaves_the_status_alone() {
    for map in maps() {
        let is_helpers = |row: &&Event| matches!(row.fact, Word::HelperStarted | Word::HelperEnded);
        let rows = map.events.iter().filter(|row| row.fact != Word::Nothing && row.when.is_none());
        for row in rows.filter(|row| !(map.helpers_have_sessions && is_helpers(row))) {
            let mut payload = whole(map, &row.name);
            for path in &map.members.session {
                put(&mut payload, std::slice::from_ref(path), &Value::Null);
            }
            let fact = seen(map, &row.name, &payload).fact;
            assert!(
                matches!(fact, Fact::NotUnderstood { .. }),
                "{} {}: {fact:?}",
                map.kind,
                row.name
            );
        }
    }
}

#[test]
fn what_is_not_known_to_end_is_not_told_to_begin() {
    let payload = json!({"event": "PreToolUse", "session_id": "s", "tool_name": "bash"});
    assert_eq!(seen(of("crush").unwrap(), "PreToolUse", &payload).fact, Fact::Nothing);
}

#[test]
fn a_program_that_a_runtime_runs_is_found_by_the_runtimes_name() {
    for kind in ["auggie", "cursor", "mastra", "pi"] {
        for comm in ["node", "MainThread"] {
            let above = json!([
                {"pid": 50, "start": 9, "comm": "sh"},
                {"pid": 42, "start": 8, "comm": comm},
            ]);
            let context = HookContext::parse(&json!({ "parents": above }).to_string());
            let seen = hook(of(kind).unwrap(), None, b"{}", &context);
            assert_eq!(seen.process.map(|process| process.pid), Some(42), "{kind}, {comm}");
        }
    }
}

/// Payloads as Kimi Code 2.1.0 wrote them in its print mode.
#[test]
fn what_was_heard_of_kimi_code_is_understood() {
    let map = of("kimi").unwrap();
    let common =
        r#""session_id":"session_7f4de731","cwd":"/home/dev/proj","client_type":"kimi_code_cli""#;
    let heard = |members: &str| {
        let body = format!("{{{common},{members}}}");
        hook(map, None, body.as_bytes(), &HookContext::default())
    };
    let prompt = heard(
        r#""hook_event_name":"UserPromptSubmit","prompt":[{"type":"text","text":"fix it"}],"is_steer":false"#,
    );
    assert!(matches!(prompt.fact, Fact::PromptSubmitted { .. }), "{prompt:?}");
    assert_eq!(prompt.activity.unwrap().action.as_deref(), Some("prompt: fix it"));
    let call = r#""tool_name":"Bash","tool_input":{"command":"echo hi"},"tool_call_id":"call_1""#;
    let start = heard(&format!(r#""hook_event_name":"PreToolUse",{call}"#)).fact;
    let end =
        heard(&format!(r#""hook_event_name":"PostToolUse",{call},"tool_output":"hi\n""#)).fact;
    match (start, end) {
        (Fact::ToolStarted { tool, .. }, Fact::ToolsEnded { tools, .. }) => {
            assert_eq!((tools, tool.id.as_deref()), (vec![tool.clone()], Some("call_1")));
        }
        other => panic!("{other:?}"),
    }
    let failed =
        r#""hook_event_name":"StopFailure","error_type":"APIStatusError","error_message":"400""#;
    let said = Some(("APIStatusError".to_owned(), Some("400".to_owned())));
    assert_eq!(heard(failed).fact, Fact::SomeoneStopped { failed: said });
}

/// What people read after each of these events.
fn headlines(kind: &str, events: &[(&str, Value)]) -> Vec<String> {
    let map = of(kind).unwrap();
    let mut seat = Seat::new(AgentId::new("a").unwrap(), kind, Source::Hook, UnixMs(0));
    let mut at = UnixMs(1_000);
    let mut read = Vec::new();
    for (event, members) in events {
        let mut payload = members.clone();
        put(&mut payload, &map.members.event, &json!(event));
        put(&mut payload, &map.members.session, &json!("s-1"));
        let seen = seen(map, event, &payload);
        let observation = Observation {
            at,
            delivery: Delivery::Live,
            source: seen.source,
            session: seen.session.clone(),
            process: None,
            made_at: seen.made_at,
            name: seen.event.clone(),
            fact: seen.fact,
        };
        gate::admit(&mut seat, &observation);
        at = at.plus(2_000);
        read.push(seat.headline().word().to_owned());
    }
    read
}

#[test]
fn a_follow_up_works_and_the_first_words_of_a_task_are_no_second_turn() {
    let tool = json!({"preToolUse": {"toolName": "read_file", "parameters": {}}});
    let main = json!({"agent_id": "a-1", "parent_agent_id": null});
    let cline = [
        ("TaskStart", json!({})),
        ("UserPromptSubmit", json!({"userPromptSubmit": {"prompt": "x"}})),
        ("PreToolUse", tool),
        ("TaskComplete", json!({})),
        ("UserPromptSubmit", json!({"userPromptSubmit": {"prompt": "y"}})),
        ("TaskError", json!({"error": {"name": "Overloaded"}})),
        ("prompt_submit", main.clone()),
        ("agent_start", main.clone()),
        ("agent_end", main),
    ];
    let read = headlines("cline", &cline);
    let (first, more) = read.split_at(6);
    assert_eq!(first, ["working", "working", "working", "done", "working", "failed"]);
    assert_eq!(more, ["working", "working", "done"]);
}
