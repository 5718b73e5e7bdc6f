//! The table in the protocol's words: schemas and hints, the same bytes at every call.

use super::table::{ALL, Field, Kind, Parameter, Shape, Tool};
use headsup_core::prompt::input::MOST_OPTIONS;
use rmcp::model::{self, JsonObject, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

static LIST: LazyLock<Vec<model::Tool>> =
    LazyLock::new(|| ALL.iter().map(|tool| described(tool)).collect());

/// Every tool, as `tools/list` tells it.
pub(crate) fn list() -> &'static [model::Tool] {
    &LIST
}

pub(super) fn described(tool: &Tool) -> model::Tool {
    let hints = ToolAnnotations::new()
        .read_only(tool.hints.reads)
        .destructive(tool.hints.destroys)
        .idempotent(tool.hints.repeats)
        .open_world(tool.hints.open);
    model::Tool::new(tool.name, tool.about, input(tool))
        .with_title(tool.title)
        .with_raw_output_schema(output(tool.output))
        .with_annotations(hints)
}

fn input(tool: &Tool) -> Arc<JsonObject> {
    let properties = tool.parameters.iter().map(|of| (of.name.to_owned(), parameter(of)));
    let required: Vec<_> =
        tool.parameters.iter().filter(|of| of.is_required).map(|of| of.name).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties.collect()));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    Arc::new(schema)
}

fn parameter(of: &Parameter) -> Value {
    let mut schema = match of.kind {
        Kind::Text(most) => json!({ "type": "string", "minLength": 1, "maxLength": most }),
        Kind::MaybeEmpty(most) => json!({ "type": "string", "maxLength": most }),
        Kind::Uuid => json!({ "type": "string", "format": "uuid" }),
        Kind::OneOf(words) => json!({ "type": "string", "enum": words }),
        Kind::FirstOf(words) => {
            json!({ "type": "string", "enum": words, "default": words.first() })
        }
        Kind::Whole { least, most, default: None } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Kind::Whole { least, most, default: Some(default) } => {
            json!({ "type": "integer", "minimum": least, "maximum": most, "default": default })
        }
        Kind::Number { least, most } => {
            json!({ "type": "number", "minimum": least, "maximum": most })
        }
        Kind::Flag { default } => json!({ "type": "boolean", "default": default }),
        Kind::Texts { most, .. } => {
            json!({ "type": "array", "items": { "type": "string" }, "maxItems": most })
        }
        Kind::Options => json!({
            "type": "array", "maxItems": MOST_OPTIONS,
            "items": { "anyOf": [
                { "type": "string" },
                {
                    "type": "object", "required": ["label"], "additionalProperties": false,
                    "properties": {
                        "label": { "type": "string" }, "value": { "type": "string" },
                        "description": { "type": "string" },
                    },
                },
            ] },
        }),
    };
    if let (Some(schema), false) = (schema.as_object_mut(), of.about.is_empty()) {
        schema.insert("description".to_owned(), json!(of.about));
    }
    schema
}

/// No member is required: where the tool failed, `error` is there and nothing else, and clients hold
/// that against the same schema.
fn output(fields: &[Field]) -> Arc<JsonObject> {
    let of = |Field(name, shape): &Field| ((*name).to_owned(), shape_of(*shape));
    let error = ("error".to_owned(), json!({ "type": "object" }));
    let properties = fields.iter().map(of).chain([error]).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    Arc::new(schema)
}

fn shape_of(shape: Shape) -> Value {
    match shape {
        Shape::Text => json!({ "type": "string" }),
        Shape::MaybeText => or_null("string"),
        Shape::Number => json!({ "type": "number" }),
        Shape::MaybeNumber => or_null("number"),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Object => json!({ "type": "object" }),
        Shape::MaybeObject => or_null("object"),
        Shape::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Shape::Objects => json!({ "type": "array", "items": { "type": "object" } }),
    }
}

/// In two parts: some clients read one type only.
fn or_null(kind: &str) -> Value {
    json!({ "anyOf": [{ "type": kind }, { "type": "null" }] })
}
