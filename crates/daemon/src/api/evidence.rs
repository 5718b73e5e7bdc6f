//! `GET /api/v1/agents/{id}/evidence`: what the hub was told and saw of an agent, redacted, in the
//! form of a recording that can be played.

use super::agent_path::AgentPath;
use super::query::Query;
use super::{App, Refused};
use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use headsup_adapters::HookContext;
use headsup_adapters::evidence::Shroud;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::time::UnixMs;
use headsup_core::wire::{Problem, SCHEMA};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// So many of the newest events are looked through for what the hub itself told.
const EVENTS: u64 = 20_000;
const PAGE: u32 = 1_000;
/// The one agent of a bundle.
const NAME: &str = "agent-1";

/// The evidence of one agent since the hub's start, as far as it is kept.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct EvidenceBundle {
    schema: u32,
    /// Of the program that made it.
    version: &'static str,
    kind: String,
    captured_at: UnixMs,
    /// When the first row was received; null where there is none.
    since: Option<UnixMs>,
    /// Rows of each source.
    kept: BTreeMap<String, u64>,
    /// Rows for which there was no room any more.
    dropped: u64,
    /// Different texts that have a placeholder.
    replaced: u64,
    /// Whether what agent and person said is in it.
    text: bool,
    /// In order, `t_ms` milliseconds after the first.
    #[schema(value_type = Vec<Object>)]
    rows: Vec<Value>,
}

#[utoipa::path(
    get,
    path = "/api/v1/agents/{id}/evidence",
    operation_id = "capture_agent",
    tag = "agents",
    summary = "What the hub was told and saw of it since its start, redacted",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("text" = Option<bool>, Query, description = "true: what agent and person said stays"),
    ),
    responses(
        (status = 200, description = "The evidence", body = EvidenceBundle),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    AgentPath(id): AgentPath,
    uri: Uri,
) -> Result<Json<EvidenceBundle>, Refused> {
    let query = Query::parse(uri.query(), &["text"])?;
    let text = query.flag("text", false)?;
    let seat = app.board.seat(&id).ok_or_else(Refused::no_such_agent)?;
    let mut taken = app.inbox.evidence().of(&id);
    ends_once(&mut taken.rows);
    if let Some(start) = launch(&seat, &taken.rows) {
        taken.rows.insert(0, start);
    }
    let since = taken.rows.first().map(|(at, _)| *at);
    let told = told(&app, &id, since.unwrap_or(app.clock.wall())).await?;
    let mut shroud = Shroud::new(app.person.as_deref(), text);
    let covered = taken.rows.into_iter().map(|(at, row)| (at, cover(&mut shroud, &seat.kind, row)));
    let mut all: Vec<(UnixMs, Value)> = covered.chain(told).collect();
    all.sort_by_key(|(at, _)| *at);
    let first = all.first().map_or(UnixMs::default(), |(at, _)| *at);
    let mut kept = BTreeMap::new();
    let rows = all.into_iter().map(|(at, mut row)| {
        let source = row["src"].as_str().unwrap_or_default().to_owned();
        *kept.entry(source).or_default() += 1;
        row["t_ms"] = at.since(first).max(0).into();
        row
    });
    let rows = rows.collect();
    Ok(Json(EvidenceBundle {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        kind: shroud.kind(&seat.kind),
        captured_at: app.clock.wall(),
        since,
        kept,
        dropped: taken.dropped,
        replaced: shroud.replaced() as u64,
        text,
        rows,
    }))
}

/// How it ended its launcher says; that it was seen to be gone says less of the same.
fn ends_once(rows: &mut Vec<(UnixMs, Value)>) {
    let ended = rows.iter().filter(|(_, row)| row["state"] == "exited");
    let ended: Vec<Value> = ended.map(|(_, row)| row["pid"].clone()).collect();
    rows.retain(|(_, row)| row["state"] != "gone" || !ended.contains(&row["pid"]));
}

/// The start of one that was launched, if what told of it is not kept any more.
fn launch(seat: &Seat, rows: &[(UnixMs, Value)]) -> Option<(UnixMs, Value)> {
    let (at, _) = rows.first()?;
    let starts = |row: &Value| row["state"] == "starting" || row["state"] == "running";
    let process = seat.process.outer().or(seat.process.id.as_ref());
    let process = process.filter(|_| !seat.about.adopted)?;
    let known = rows.iter().any(|(_, row)| row["src"] == "process" && starts(row));
    let row = json!({"src": "process", "pid": process.pid, "state": "running"});
    (!known).then_some((*at, row))
}

/// What the hub itself said meanwhile.
async fn told(app: &App, id: &AgentId, since: UnixMs) -> Result<Vec<(UnixMs, Value)>, Refused> {
    let head = app.board.head();
    let mut after = head.saturating_sub(EVENTS);
    let mut found = Vec::new();
    while after < head {
        let wanted = id.clone();
        let wants = move |agent: &str, kind: &str| {
            agent == wanted.as_str() && kind == "agent.status_changed"
        };
        let page = app.reader.run(move |log| log.page(after, head, PAGE, wants)).await?;
        let Some((_, last)) = page.range else { break };
        after = last;
        for message in page.messages {
            let event: Value = serde_json::from_slice(&message.json()).unwrap_or_default();
            let at = event["at"].as_str().and_then(UnixMs::parse).filter(|at| *at >= since);
            let row = json!({"src": "told", "status": event["to"]});
            found.extend(at.map(|at| (at, row)));
        }
    }
    Ok(found)
}

fn cover(shroud: &mut Shroud, kind: &str, mut row: Value) -> Value {
    match row["src"].as_str() {
        Some("hook" | "stream") => hook(shroud, row),
        Some("report") => {
            shroud.report(&mut row["body"]);
            row
        }
        Some("osc") => {
            let body = row["body"].as_str().unwrap_or_default();
            match row["osc"].as_u64() {
                Some(7501) => row["body"] = shroud.status(kind, body).into(),
                Some(0) => row["body"] = shroud.title(kind, body).into(),
                _ => {}
            }
            row
        }
        Some("registry") => {
            if row["record"].is_object() {
                shroud.cover(&mut row["record"]);
            }
            row
        }
        Some("server") => {
            shroud.cover(&mut row["msg"]);
            row
        }
        Some("transcript") => {
            shroud.cover(&mut row["line"]);
            let file = row["file"].as_str().unwrap_or_default();
            row["file"] = shroud.path(file).into();
            row
        }
        _ => row,
    }
}

fn hook(shroud: &mut Shroud, mut row: Value) -> Value {
    let context = row["context"].as_str().map(HookContext::parse).unwrap_or_default();
    let event = shroud.event(row["event"].as_str().unwrap_or_default());
    shroud.cover(&mut row["payload"]);
    let mut env: Map<String, Value> = context
        .env
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), shroud.variable(name, value)?.into())))
        .collect();
    if row["claimed"] == true {
        env.insert("HEADSUP_AGENT_ID".to_owned(), NAME.into());
    }
    let parents = context.parents.iter();
    let parents: Vec<Value> = parents
        .map(|parent| json!({"pid": parent.pid, "comm": shroud.process(&parent.comm)}))
        .collect();
    json!({
        "src": row["src"], "label": [event], "env": env, "parents": parents,
        "payload": row["payload"].take(),
    })
}
