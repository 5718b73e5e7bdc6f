//! Which properties of an answer are always there, which the derived schemas do not tell: an
//! `Option` is written as null where there is nothing. One that is left out instead is never null,
//! and its field says `nullable = false`.

use std::collections::HashSet;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{OpenApi, RefOr, Schema, Type};

/// Marks them as required. In what clients send, null and nothing are the same.
pub(super) fn mark(api: &mut OpenApi) {
    let items = api.paths.paths.values_mut();
    items.filter_map(|item| item.post.as_mut()).for_each(leave_out_null);
    let sent = sent(api);
    for (name, schema) in &mut api.components.get_or_insert_default().schemas {
        if !sent.contains(&format!("#/components/schemas/{name}")) {
            require(schema);
        }
    }
}

/// A body that may be left out is not therefore null.
fn leave_out_null(operation: &mut Operation) {
    let Some(RefOr::T(body)) = &mut operation.request_body else { return };
    let Some(RefOr::T(content)) = body.content.get_mut("application/json") else { return };
    if let Some(RefOr::T(Schema::OneOf(parts))) = &content.schema
        && parts.items.iter().any(may_be_null)
        && let Some(said) = parts.items.iter().find(|part| matches!(part, RefOr::Ref(_)))
    {
        content.schema = Some(said.clone());
    }
}

/// References to the schemas of request bodies.
fn sent(api: &OpenApi) -> HashSet<String> {
    let items = api.paths.paths.values();
    let operations = items.flat_map(|item| [&item.post, &item.put, &item.patch]).flatten();
    operations.filter_map(body).collect()
}

fn body(operation: &Operation) -> Option<String> {
    let RefOr::T(body) = operation.request_body.as_ref()? else { return None };
    let RefOr::T(content) = body.content.get("application/json")? else { return None };
    let Some(RefOr::Ref(schema)) = &content.schema else { return None };
    Some(schema.ref_location.clone())
}

fn require(schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            object.properties.values_mut().for_each(require);
            for (name, property) in &object.properties {
                if may_be_null(property) && !object.required.contains(name) {
                    object.required.push(name.clone());
                }
            }
        }
        Schema::OneOf(parts) => parts.items.iter_mut().for_each(require),
        Schema::AllOf(parts) => parts.items.iter_mut().for_each(require),
        Schema::AnyOf(parts) => parts.items.iter_mut().for_each(require),
        _ => {}
    }
}

pub(super) fn may_be_null(property: &RefOr<Schema>) -> bool {
    let RefOr::T(schema) = property else { return false };
    let has_null = |kind: &SchemaType| match kind {
        SchemaType::Type(kind) => *kind == Type::Null,
        SchemaType::Array(kinds) => kinds.contains(&Type::Null),
        SchemaType::AnyValue => false,
    };
    match schema {
        Schema::Object(object) => has_null(&object.schema_type),
        Schema::Array(array) => has_null(&array.schema_type),
        Schema::OneOf(parts) => parts.items.iter().any(may_be_null),
        _ => false,
    }
}
