use crate::mcp::schema;
use crate::mcp::table::ALL;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// What a client keeps in what it sends with each turn of a model.
const MOST_BYTES: usize = 20_000;

fn list() -> String {
    serde_json::to_string(&json!({ "tools": schema::list() })).unwrap()
}

#[test]
fn the_golden_file_is_the_list() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mcp-tools.json");
    let mut list = serde_json::to_string_pretty(&json!({ "tools": schema::list() })).unwrap();
    list.push('\n');
    if std::fs::read_to_string(&path).unwrap_or_default() != list {
        std::fs::write(&path, list).unwrap();
        panic!("docs/mcp-tools.json was out of date and is written anew: look at the difference");
    }
}

#[test]
fn the_list_is_short() {
    let bytes = list().len();
    assert!(bytes < MOST_BYTES, "{bytes} bytes");
}

/// Seventeen tools of the toolkit, and three for questions that are still open.
#[test]
fn every_tool_of_the_contract_is_there() {
    let names: BTreeSet<_> = ALL.iter().map(|tool| tool.name).collect();
    let contract = BTreeSet::from([
        "update_status",
        "request_input",
        "wait_for_input",
        "cancel_input",
        "list_inputs",
        "mark_blocked",
        "submit_for_review",
        "get_session",
        "get_task_context",
        "get_workflow_state",
        "list_session_prs",
        "link_task",
        "post_task_comment",
        "complete_task",
        "update_task_status",
        "create_pr",
        "update_pr",
        "get_pr_status",
        "refresh_pr",
        "merge_pr",
    ]);
    assert_eq!(names, contract);
}

/// What is taken is what the schema says, and the other way round: each schema is held against
/// arguments by another reader of it.
#[test]
fn a_schema_and_what_is_checked_say_the_same() {
    for tool in schema::list() {
        let schema = Value::Object(tool.input_schema.as_ref().clone());
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        let of = crate::mcp::table::find(&tool.name).unwrap();
        for arguments in samples(&schema) {
            let Value::Object(given) = arguments.clone() else { panic!("an object") };
            let ours = crate::mcp::arguments::check(of, Some(given)).is_ok();
            assert_eq!(ours, validator.is_valid(&arguments), "{} {arguments}", tool.name);
        }
    }
}

/// All that is required, then one member more, less or other.
fn samples(schema: &Value) -> Vec<Value> {
    let properties = schema["properties"].as_object().unwrap();
    let good = |schema: &Value| match (schema["enum"].get(0), schema["type"].as_str()) {
        (Some(word), _) => word.clone(),
        (_, Some("integer")) => schema["maximum"].clone(),
        (_, Some("number")) => schema["minimum"].clone(),
        (_, Some("boolean")) => json!(true),
        (_, Some("array")) => json!(["one"]),
        _ if schema["format"] == "uuid" => json!("0199e1f0-1c2d-7a3b-8c4d-5e6f70819293"),
        _ => json!("text"),
    };
    let required: Vec<_> = schema["required"].as_array().into_iter().flatten().collect();
    let whole: serde_json::Map<_, _> =
        properties.iter().map(|(name, schema)| (name.clone(), good(schema))).collect();
    let mut samples = vec![json!({}), Value::Object(whole.clone()), json!({ "stranger": 1 })];
    for (name, schema) in properties {
        let mut without = whole.clone();
        without.remove(name);
        assert_eq!(without.len() + 1, whole.len());
        samples.push(Value::Object(without));
        for other in [json!(null), json!(1e6), json!(-1), json!(""), json!({}), json!(0.5)] {
            // A text of nothing but white space is none, which no schema says.
            let mut bent = whole.clone();
            bent.insert(name.clone(), other);
            samples.push(Value::Object(bent));
        }
        if let Some(most) = schema["maxLength"].as_u64() {
            for length in [most, most + 1] {
                let mut long = whole.clone();
                let length = usize::try_from(length).unwrap();
                long.insert(name.clone(), json!("x".repeat(length)));
                samples.push(Value::Object(long));
            }
        }
    }
    assert!(required.len() <= properties.len());
    samples
}
