use super::*;
use crate::job::Key;
use headsup_core::event::EventBody;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;

fn api() -> Value {
    serde_json::from_str(&DOCUMENT).unwrap()
}

#[test]
fn the_golden_file_is_the_document() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    if kept != *DOCUMENT {
        std::fs::write(&path, DOCUMENT.as_str()).unwrap();
        panic!("docs/openapi.json was out of date and is written anew: look at the difference");
    }
}

#[test]
fn every_route_is_described() {
    // A route that is added past the description would be served and not told.
    let source = include_str!("../../api.rs");
    assert_eq!(source.matches(".route(").count(), 1, "routes are added with `routes!`");
    let api = api();
    assert_eq!(api["openapi"], "3.1.0");
    let mut ids = HashSet::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{id} stands twice");
            assert!(operation["summary"].is_string(), "{method} {path}");
            assert!(operation["responses"]["default"].is_object(), "{method} {path}");
            let named = operation["parameters"]
                .as_array()
                .map_or(0, |all| all.iter().filter(|parameter| parameter["in"] == "path").count());
            assert_eq!(path.matches('{').count(), named, "{method} {path}");
        }
    }
}

/// What may be null is always there; what may be left out is never null, but in what is sent.
#[test]
fn an_answer_says_nothing_in_one_way() {
    fn look(schema: &Value, at: &str) {
        let required = |name: &String| {
            let names = schema["required"].as_array();
            names.is_some_and(|names| names.contains(&Value::from(name.as_str())))
        };
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_nullable = property.to_string().contains("\"null\"");
            assert!(!is_nullable || required(name), "{at}.{name}");
        }
        for of in ["oneOf", "allOf", "anyOf"] {
            schema[of].as_array().into_iter().flatten().for_each(|part| look(part, at));
        }
    }
    let api = api();
    let bodies = [
        "AgentStatusReport",
        "AnswerBody",
        "CancelBody",
        "ElicitedBody",
        "HeartbeatBody",
        "NoticeBody",
        "ResumeBody",
        "TakeUpBody",
        "QuestionBody",
        "SeenBody",
        "SnoozeBody",
        "StageBody",
        "WholeOption",
        "CompleteBody",
        "HeartbeatBody",
        "MergeBody",
        "NewPullBody",
        "NewTaskBody",
        "PullChangeBody",
        "PullReviewBody",
        "ReportStatusBody",
        "ReviewBody",
        "TaskChangeBody",
        "VerdictBody",
        "ListenBody",
        "ProcessBody",
        "ReportBody",
        "SeatBody",
        "TerminalBody",
    ];
    for (name, schema) in api["components"]["schemas"].as_object().unwrap() {
        if !bodies.contains(&name.as_str()) {
            look(schema, name);
        }
    }
    let schemas = &api["components"]["schemas"];
    let agent = &schemas["AgentDoc"];
    let (properties, required) = (agent["properties"].as_object(), agent["required"].as_array());
    let always = properties
        .unwrap()
        .keys()
        .filter(|name| !["vocabulary", "snoozed_until", "looked_at"].contains(&name.as_str()));
    assert_eq!(always.count(), required.unwrap().len(), "all of it is always there");
    assert!(schemas["ReportBody"].get("required").is_none());
}

#[test]
fn every_reference_leads_somewhere() {
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(map) => {
                found.extend(map.get("$ref").and_then(Value::as_str));
                map.values().for_each(|value| references(value, found));
            }
            Value::Array(list) => list.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let api = api();
    let mut found = Vec::new();
    references(&api, &mut found);
    assert!(found.len() > 50);
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(api.pointer(pointer).is_some(), "{reference}");
    }
}

/// What is no message has no other answer in the tools' own protocol.
#[test]
fn the_tools_refuse_a_message_by_their_protocol_and_a_request_as_everything_does() {
    let refused = &api()["paths"]["/mcp"]["post"]["responses"]["default"]["content"];
    let kinds: Vec<&String> = refused.as_object().unwrap().keys().collect();
    assert_eq!(kinds, ["application/json", "application/problem+json"]);
}

/// A client finds out by its type alone what a message of the stream is.
#[test]
fn each_type_of_message_is_of_one_schema_of_the_stream() {
    fn types<'a>(api: &'a Value, schema: &'a Value, found: &mut Vec<&'a str>) {
        let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        if let Some(target) = reference.and_then(|pointer| api.pointer(pointer)) {
            types(api, target, found);
        }
        let words = schema["properties"]["type"]["enum"].as_array();
        found.extend(words.into_iter().flatten().filter_map(Value::as_str));
        for of in ["oneOf", "allOf"] {
            for part in schema[of].as_array().into_iter().flatten() {
                types(api, part, found);
            }
        }
    }
    let api = api();
    let mut found = Vec::new();
    types(&api, &api["components"]["schemas"]["StreamMessage"], &mut found);
    let mut wanted = EventBody::KINDS.to_vec();
    wanted.extend(["snapshot", "cursor_expired", "lagged"]);
    found.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

fn parameter<'a>(api: &'a Value, path: &str, method: &str, name: &str) -> &'a Value {
    let all = api["paths"][path][method]["parameters"].as_array().unwrap();
    all.iter().find(|parameter| parameter["name"] == name).unwrap()
}

#[test]
fn an_id_of_a_request_is_described_as_it_is_taken() {
    let api = api();
    let mut described = 0;
    for operation in api["paths"].as_object().unwrap().values().filter_map(|item| item.as_object())
    {
        for parameter in operation.values().filter_map(|of| of["parameters"].as_array()).flatten() {
            if parameter["name"] != "X-Headsup-Id" {
                continue;
            }
            described += 1;
            let fits = jsonschema::validator_for(&parameter["schema"]).unwrap();
            let (longest, longer) = ("x".repeat(128), "x".repeat(129));
            for id in ["1", "a b", "~", "!", "", "a\tb", "é", "\u{7f}", &longest, &longer] {
                assert_eq!(fits.is_valid(&json!(id)), Key::new(id, "", b"").is_some(), "{id:?}");
            }
        }
    }
    assert!(described > 30, "{described}");
}

#[test]
fn where_a_text_is_one_of_some_words_they_are_described() {
    let api = api();
    let statuses = parameter(&api, "/api/v1/agents", "get", "status");
    assert_eq!(statuses["explode"], false, "they are separated by commas");
    let words = statuses["schema"]["items"]["enum"].as_array().unwrap();
    assert_eq!(words.len(), 14, "{words:?}");
    assert!(words.contains(&json!("attention")) && words.contains(&json!("blocked")));
    let types = parameter(&api, "/api/v1/ws", "get", "type");
    assert_eq!(types["schema"]["items"]["enum"], json!(EventBody::KINDS));
    for (path, name, words) in [
        ("/api/v1/agents", "view", json!(["rows"])),
        ("/api/v1/agents/{id}/prs", "state", json!(["open", "closed", "merged"])),
        ("/api/v1/effects", "state", json!(["queued", "done", "skipped", "failed"])),
        ("/api/v1/events", "view", json!(["events", "state"])),
        ("/api/v1/prompts", "state", json!(["open", "resolved", "untold"])),
        ("/api/v1/prs", "state", json!(["open", "closed", "merged"])),
        ("/api/v1/tasks", "status", json!(["todo", "in_progress", "in_review", "done"])),
    ] {
        assert_eq!(parameter(&api, path, "get", name)["schema"]["enum"], words, "{path} {name}");
    }
    for (schema, member, words) in [
        ("HeartbeatBody", "state", json!(["active", "idle", "suspended", "uninitialized"])),
        ("MergeBody", "merge_method", json!(["merge", "squash", "rebase", null])),
        ("NewTaskBody", "status", json!(["todo", "in_progress", "in_review", "done", null])),
        ("PullChangeBody", "state", json!(["open", "closed", null])),
        ("PullReviewBody", "state", json!(["approved", "changes_requested", "commented"])),
        ("ReportBody", "process", json!(["running", "stopping", "suspended", "exited", null])),
        ("ReportStatusBody", "status", json!(["passed", "blocked", "failed", "in-progress"])),
        ("TaskStatusBody", "status", json!(["todo", "in_progress", "in_review", "done"])),
        ("VerdictBody", "verdict", json!(["in_progress", "passed", "blocked", "failed"])),
    ] {
        let described = &api["components"]["schemas"][schema]["properties"][member]["enum"];
        assert_eq!(*described, words, "{schema}.{member}");
    }
}

#[test]
fn how_many_are_listed_at_most_is_described() {
    let api = api();
    for (path, most) in [
        ("/api/v1/agents/{id}/activity", 100),
        ("/api/v1/agents/{id}/prs", 1_000),
        ("/api/v1/prompts", 1_000),
        ("/api/v1/prs", 1_000),
        ("/api/v1/tasks", 1_000),
        ("/api/v1/webhooks", 20_000),
    ] {
        let schema = &parameter(&api, path, "get", "limit")["schema"];
        assert_eq!((&schema["minimum"], &schema["maximum"]), (&json!(1), &json!(most)), "{path}");
    }
}

/// Names that clients rely on: more may be added, none may go.
#[test]
fn every_route_of_the_contract_is_there() {
    let api = api();
    for (path, method) in [
        ("/api/openapi.json", "get"),
        ("/healthz", "get"),
        ("/metrics", "get"),
        ("/mcp", "post"),
        ("/api/v1/hooks/{kind}", "post"),
        ("/api/v1/agents", "get"),
        ("/api/v1/agents/{id}", "get"),
        ("/api/v1/agents/{id}/reports", "post"),
        ("/api/v1/agents/{id}/activity", "get"),
        ("/api/v1/agents/{id}/explain", "get"),
        ("/api/v1/agents/{id}/history", "get"),
        ("/api/v1/agents/{id}/prompts", "post"),
        ("/api/v1/agents/{id}/suspend", "post"),
        ("/api/v1/agents/{id}/resume", "post"),
        ("/api/v1/agents/{id}/seen", "post"),
        ("/api/v1/agents/{id}/stage", "post"),
        ("/api/v1/agents/{id}/verdicts", "post"),
        ("/api/v1/prompts", "get"),
        ("/api/v1/prompts/{pid}", "get"),
        ("/api/v1/prompts/{pid}/answer", "post"),
        ("/api/v1/events", "get"),
        ("/api/v1/ws", "get"),
        ("/api/coder/agent-status", "post"),
        ("/api/coder/ws", "get"),
        ("/api/agents/{id}/heartbeat", "post"),
        ("/api/agents/{id}/activity", "get"),
        ("/api/agents/{id}/suspend", "post"),
        ("/api/agents/{id}/resume", "post"),
        ("/api/specialists/{name}/report-status", "post"),
        ("/api/webhooks/kanbanger", "post"),
        ("/api/cron/awaiting-input-expiry", "get"),
    ] {
        assert!(api["paths"][path][method].is_object(), "{method} {path}");
    }
}

/// The same of what they are told.
#[test]
fn every_member_of_the_contract_is_there() {
    let api = api();
    for (schema, members) in [
        (
            "AgentDoc",
            "schema id name kind role labels host cwd repo branch worktree location incarnation \
             session_id model title log_path started_at last_status_at suspended_at resumed_at \
             headline stale since process turn outcome seen stage verdicts background subagents \
             prompts task prs last_activity counters evidence",
        ),
        ("RosterDoc", "schema cursor agents"),
        ("LocationDoc", "tmux pid container"),
        ("ProcessDoc", "state attach kind code signal pid"),
        ("TurnDoc", "state reason detail since turn_seq"),
        ("Outcome", "kind code at"),
        ("StageStatus", "state message phase progress since"),
        ("BackgroundDoc", "subagents shells"),
        ("CountersDoc", "prompts turns tools"),
        ("EvidenceDoc", "source confidence observed_at confirmed_at"),
        (
            "PromptDoc",
            "id agent_id kind title body options multi_select default_action expires_at opened_at \
             answerable state resolution",
        ),
        ("Choice", "label value description"),
        ("Resolution", "by value via actor at"),
        ("StatusChange", "from to process turn outcome stage evidence reason"),
        ("Lagged", "from to"),
        ("ExplainDoc", "schema agent_id headline dimensions rejected"),
        ("DimensionDoc", "value winner losers"),
        ("WinnerDoc", "source confidence observed_at age_ms"),
        ("LoserDoc", "source value why"),
        ("RejectedDoc", "at source rule why"),
        ("HistoryDoc", "schema agent_id intervals"),
        ("IntervalDoc", "from to headline turn reason"),
        ("Entry", "ts tool action state"),
        ("ReportBody", "turn reason detail outcome process at"),
        ("AgentStatusReport", "agent chat_id eventType notificationType"),
        ("ReportAnswer", "status"),
        ("StatusUpdate", "chat_id agent status reason at"),
        ("HeartbeatBody", "state tool timestamp summary"),
        ("TakeUpBody", "message"),
        ("ReportStatusBody", "issueId status notes"),
        ("ActivityEntry", "ts tool action state"),
    ] {
        let told = &api["components"]["schemas"][schema]["properties"];
        for member in members.split_whitespace() {
            assert!(told[member].is_object(), "{schema}.{member}");
        }
    }
    for (schema, words) in [
        ("PromptKind", "permission question elicitation plan_approval dialog input"),
        ("Answerable", "hook api terminal mcp"),
        ("PromptState", "open resolved"),
        ("ResolvedBy", "human timeout agent elsewhere cancelled"),
        ("Via", "web cli tui comment terminal api notification"),
        ("Status", "working blocked idle error"),
    ] {
        let told = api["components"]["schemas"][schema]["enum"].as_array().unwrap();
        for word in words.split_whitespace() {
            assert!(told.iter().any(|known| known == word), "{schema}: {word}");
        }
    }
}
