use super::*;
use serde_json::Value;
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
