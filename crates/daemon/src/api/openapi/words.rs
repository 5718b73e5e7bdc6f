//! What the derived schemas leave out of texts: which words there are where one is of some, and what the
//! id of a request is made of. The words are those that the handlers know.

use super::presence::may_be_null;
use crate::api::events::{self, View};
use crate::api::prompts;
use headsup_core::compat::panopticon::{Activity, Report};
use headsup_core::compat::{Scale as _, Vocabulary};
use headsup_core::event::EventBody;
use headsup_core::status::Headline;
use headsup_core::verdict::Verdict;
use headsup_core::wire::ReportBody;
use headsup_core::work::effect::EffectState;
use headsup_core::work::pull::{MergeMethod, PullState};
use headsup_core::work::review::Opinion;
use headsup_core::work::task::TaskStatus;
use serde_json::Value;
use utoipa::openapi::path::{Parameter, PathItem};
use utoipa::openapi::schema::{ArrayItems, ObjectBuilder};
use utoipa::openapi::{OpenApi, RefOr, Schema, Type};

type Words = Vec<&'static str>;

/// Adds them where they belong.
pub(super) fn tell(api: &mut OpenApi) {
    let known = of_parameters();
    for (path, item) in &mut api.paths.paths {
        for parameter in parameters(item) {
            if parameter.name == "X-Headsup-Id" {
                parameter.schema = Some(request_id());
            }
            let words = known.iter().find(|(at, name, _)| at == path && *name == parameter.name);
            if let (Some((.., words)), Some(schema)) = (words, &mut parameter.schema) {
                narrow(schema, words);
            }
        }
    }
    let schemas = &mut api.components.get_or_insert_default().schemas;
    for (name, member, words) in of_members() {
        if let Some(RefOr::T(Schema::Object(object))) = schemas.get_mut(name)
            && let Some(schema) = object.properties.get_mut(member)
        {
            narrow(schema, &words);
        }
    }
}

/// Path, name of the parameter, words.
fn of_parameters() -> Vec<(&'static str, &'static str, Words)> {
    let mut statuses = all(Headline::ALL, Headline::word);
    statuses.push("attention");
    let views: Words = View::ALL.map(|(word, _)| word).to_vec();
    let pulls = all(PullState::ALL, PullState::word);
    vec![
        ("/api/v1/agents", "status", statuses),
        ("/api/v1/agents", "view", vec!["rows"]),
        ("/api/v1/agents", "vocabulary", all(Vocabulary::ALL, Vocabulary::word)),
        ("/api/v1/agents/{id}/prs", "state", pulls.clone()),
        ("/api/v1/effects", "state", all(EffectState::ALL, EffectState::word)),
        ("/api/v1/events", "type", EventBody::KINDS.to_vec()),
        ("/api/v1/events", "view", views.clone()),
        ("/api/v1/prompts", "state", prompts::LISTS.to_vec()),
        ("/api/v1/prs", "state", pulls),
        ("/api/v1/tasks", "status", all(TaskStatus::ALL, TaskStatus::word)),
        ("/api/v1/ws", "type", EventBody::KINDS.to_vec()),
        ("/api/v1/ws", "view", views),
    ]
}

/// Schema, name of the member, words.
fn of_members() -> Vec<(&'static str, &'static str, Words)> {
    let tasks = all(TaskStatus::ALL, TaskStatus::word);
    vec![
        // A status change has all that `lagged` has: the type tells them apart.
        ("CursorExpired", "type", vec![events::CURSOR_EXPIRED]),
        ("Lagged", "type", vec![events::LAGGED]),
        ("Snapshot", "type", vec![events::SNAPSHOT]),
        ("HeartbeatBody", "state", all(Activity::ALL, Activity::word)),
        ("MergeBody", "merge_method", all(MergeMethod::ALL, MergeMethod::word)),
        ("NewTaskBody", "status", tasks.clone()),
        ("PullChangeBody", "state", vec![PullState::Open.word(), PullState::Closed.word()]),
        ("PullReviewBody", "state", all(&Opinion::GIVEN, Opinion::word)),
        ("ReportBody", "process", ReportBody::PROCESSES.to_vec()),
        ("ReportBody", "turn", ReportBody::TURNS.to_vec()),
        ("ReportStatusBody", "status", all(Report::ALL, Report::word)),
        ("TaskChangeBody", "status", tasks.clone()),
        ("TaskStatusBody", "status", tasks),
        ("VerdictBody", "verdict", all(Verdict::ALL, Verdict::word)),
    ]
}

fn all<T: Copy>(known: &[T], word: fn(T) -> &'static str) -> Words {
    known.iter().map(|one| word(*one)).collect()
}

/// Those of every method of a path.
fn parameters(item: &mut PathItem) -> impl Iterator<Item = &mut Parameter> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    let operations = [get, put, post, delete, patch].into_iter().flatten();
    let parameters = operations.filter_map(|operation| operation.parameters.as_mut()).flatten();
    parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) => Some(parameter),
        RefOr::Ref(_) => None,
    })
}

/// Printable ASCII; blanks around a header are no part of it.
fn request_id() -> RefOr<Schema> {
    let text = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1));
    text.max_length(Some(128)).pattern(Some("^[!-~]([ -~]*[!-~])?$")).into()
}

/// Of a text, or of each text of a list, only these are left.
fn narrow(schema: &mut RefOr<Schema>, words: &[&'static str]) {
    let null = may_be_null(schema).then_some(Value::Null);
    match schema {
        RefOr::T(Schema::Object(text)) => {
            text.enum_values = Some(words.iter().copied().map(Value::from).chain(null).collect());
        }
        RefOr::T(Schema::Array(list)) => {
            if let ArrayItems::RefOrSchema(items) = &mut list.items {
                narrow(items, words);
            }
        }
        _ => {}
    }
}
