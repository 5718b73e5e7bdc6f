//! `PUT` and `PATCH /api/v1/agents/{id}`: a launcher takes a seat for an agent that it is about to
//! start; a person says more about one.

mod awaited;

use super::agent_path::AgentPath;
use super::query::bad;
use super::reports::check_length;
use super::{App, Receipt, Refused, asked, headers, json, peer, receipt, resume};
use crate::caller::{self, Caller, at_the_other_end};
use crate::job::{Registration, Work};
use crate::namespaces::Peer;
use crate::process;
use awaited::Taken;
use axum::extract::{Request, State};
use axum::http::{Extensions, StatusCode};
use axum::response::Response;
use headsup_adapters::{acp, text};
use headsup_core::gate::Description;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::seat::Seat;
use headsup_core::time::UnixMs;
use headsup_core::wire::{LaunchDoc, Problem};
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use utoipa::ToSchema;

const MOST_LABELS: usize = 64;
/// Bytes.
const MOST_OF_LAUNCH: usize = 64 << 10;
/// One that is shorter could be guessed.
const SHORTEST_TOKEN: usize = 32;

/// What may be said about a seat. `kind` is a launcher's alone.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SeatBody {
    kind: Option<String>,
    name: Option<String>,
    role: Option<String>,
    #[serde(deserialize_with = "labels")]
    labels: BTreeMap<String, String>,
    cwd: Option<String>,
    tmux: Option<String>,
    /// The name of that pane's server; left out or empty for the usual one.
    tmux_server: Option<String>,
    /// By which the calls of the agent are known from then on; it is kept as its digest. A launcher's
    /// alone, as `kind` is.
    token: Option<String>,
    /// How it is started, so that it can be taken up again. A launcher's alone, as `kind` is, and only of
    /// one on the hub's own machine. Its arguments are kept in a file apart, and only told to whoever is to start
    /// it again there.
    #[serde(deserialize_with = "launch")]
    launch: Option<LaunchDoc>,
    /// It runs already and speaks for itself; nobody has launched it for this seat. A taker's alone, as
    /// `kind` is.
    adopted: bool,
}

#[utoipa::path(
    put,
    path = "/api/v1/agents/{id}",
    operation_id = "take_seat",
    tag = "agents",
    summary = "Takes a seat for an agent that is about to start, or that runs and has none",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
        ("X-Headsup-Until" = Option<UnixMs>, Header, description = "How long it is waited for: later it is not done"),
    ),
    request_body(content = SeatBody),
    responses(
        (status = 201, description = "Taken", body = Receipt),
        (status = 200, description = "It was taken before", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    let (headers, extensions) = (request.headers().clone(), request.extensions().clone());
    let (mut said, key) = asked::read::<SeatBody>(request).await?;
    let kind = said.kind.take().unwrap_or_else(|| "custom".to_owned());
    if !headsup_adapters::is_kind(&kind) {
        return Err(Refused::new(400, "unknown_kind", format!("there is no kind {kind:?}")));
    }
    let adopted = Some(said.adopted);
    // Elsewhere a path means another file.
    let launch = said.launch.take().filter(|_| resume::is_here(peer(&extensions)));
    let launch = launch.map(fitting).transpose()?;
    let takes_up = launch.as_ref().is_some_and(|launch| takes_up(&app, &agent, &kind, launch));
    let about = Description { adopted, ..said.description()? };
    caller::may_take(&app, &headers, &extensions, &agent)?;
    if headers::until(&headers)?.is_some_and(|until| app.clock.wall() > until) {
        return Err(Refused::new(409, "too_late", "whoever has asked for it waits no more")
            .with(|problem| problem.retryable = true));
    }
    let launch = match launch {
        // Where it is refused, a sweep takes the file away.
        Some(launch) => Some(Box::new(app.launches.keep(&kind, launch).await)),
        None => None,
    };
    let about = Description { launch, ..about };
    let taken = speaker(&kind, &extensions).map(|by| {
        let (agent, token) = (agent.clone(), about.token.clone());
        Taken { agent, token, by }
    });
    let registration = Registration { agent, kind, about, takes_up };
    let reply = app.inbox.submit(Work::Register(Box::new(registration)), key).await?;
    if let Some(taken) = taken {
        tokio::spawn(awaited::follow(Arc::downgrade(&app.board), app.inbox.clone(), taken));
    }
    Ok(receipt(StatusCode::CREATED, &reply))
}

/// Our own program, where it speaks for an agent of this kind from its start to its end. Others may ask for a seat, and go.
fn speaker(kind: &str, extensions: &Extensions) -> Option<ProcessId> {
    if !acp::is_kind(kind) {
        return None;
    }
    let Peer::Process(pid) = at_the_other_end(extensions) else { return None };
    process::program(pid).filter(|program| program.file_name() == Some("headsup".as_ref()))?;
    process::identity(pid).map(|(pid, start_ticks)| ProcessId::new(pid, start_ticks))
}

#[utoipa::path(
    patch,
    path = "/api/v1/agents/{id}",
    operation_id = "describe_agent",
    tag = "agents",
    summary = "Says more about an agent; its kind does not change",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = SeatBody),
    responses(
        (status = 200, description = "Stored", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    Caller::of_an_act(&app, request.headers(), request.extensions())?.about(&app, &agent)?;
    let (said, key) = asked::read::<SeatBody>(request).await?;
    if said.kind.is_some() {
        return Err(bad("the kind of an agent does not change"));
    }
    if said.token.is_some() {
        return Err(bad("the token of an agent does not change while it lives"));
    }
    if said.launch.is_some() {
        return Err(bad("how an agent is started is said as its seat is taken"));
    }
    if said.adopted {
        return Err(bad("whether it was launched is said as its seat is taken"));
    }
    let about = Box::new(said.description()?);
    if let Some(name) = &about.name {
        is_free(&app, &agent, name)?;
    }
    let reply = app.inbox.submit(Work::Describe { agent, about }, key).await?;
    Ok(receipt(StatusCode::OK, &reply))
}

/// Whether what is to be started goes on with the conversation that the seat's agent was in last.
fn takes_up(app: &App, agent: &AgentId, kind: &str, launch: &LaunchDoc) -> bool {
    let Some(seat) = app.board.seat(agent).filter(|seat| seat.kind == kind) else { return false };
    let session = seat.session.as_ref().map(|session| session.id.as_str());
    session
        .is_some_and(|session| headsup_adapters::resume::takes_up(kind, &launch.arguments, session))
}

/// One that could be started, and is no burden.
fn fitting(launch: LaunchDoc) -> Result<LaunchDoc, Refused> {
    let LaunchDoc { program, name, folder, arguments, .. } = &launch;
    let words: Vec<&String> = arguments.iter().chain([program, name, folder]).collect();
    let bytes: usize = words.iter().map(|word| word.len()).sum();
    if bytes > MOST_OF_LAUNCH || words.iter().any(|word| word.contains('\0')) {
        return Err(bad("a launch has at most 64 KiB, and no zero bytes"));
    }
    if name.is_empty() {
        return Err(bad("the name of a launch is what its program was called"));
    }
    if !program.starts_with('/') || !folder.starts_with('/') {
        return Err(bad("the program and the folder of a launch are whole paths"));
    }
    Ok(launch)
}

/// A name says which agent is meant: it is nobody else's name or id. The one that it has stays free to it.
fn is_free(app: &App, agent: &AgentId, name: &str) -> Result<(), Refused> {
    if name == "." {
        return Err(Refused::new(422, "name_reserved", "`.` is the agent that a command runs in"));
    }
    let (seats, _) = app.board.all();
    if seats.iter().any(|seat| seat.id == *agent && seat.name == name) {
        return Ok(());
    }
    let is_others = |seat: &&Arc<Seat>| seat.name == name || seat.id.as_str() == name;
    match seats.iter().filter(|seat| seat.id != *agent).find(is_others) {
        None => Ok(()),
        Some(other) => {
            let message = format!("agent {} is called {name:?}", other.id);
            Err(Refused::new(409, "name_taken", message).hint("take another name"))
        }
    }
}

impl SeatBody {
    /// Cut and cleaned.
    fn description(self) -> Result<Description, Refused> {
        if self.labels.len() > MOST_LABELS {
            return Err(bad("too many labels"));
        }
        if self.token.as_ref().is_some_and(|token| token.len() < SHORTEST_TOKEN) {
            return Err(bad("a token has at least 32 characters"));
        }
        // A name that was cut would be another one.
        check_length("name", self.name.as_deref(), text::NAME)?;
        let line = |text: String| text::line(&text, text::NAME);
        let name = self.name.map(line);
        if name.as_ref().is_some_and(String::is_empty) {
            return Err(bad("a name has at least one visible character"));
        }
        if self.cwd.as_ref().is_some_and(|cwd| !cwd.is_empty() && !cwd.starts_with('/')) {
            return Err(bad("cwd is an absolute path"));
        }
        let labels = self.labels.into_iter().map(|(key, value)| (line(key), line(value)));
        let labels: BTreeMap<String, String> = labels.collect();
        if labels.contains_key("") {
            return Err(bad("the key of a label has at least one visible character"));
        }
        Ok(Description {
            name,
            role: self.role.map(line).filter(|role| !role.is_empty()),
            labels,
            cwd: self.cwd.and_then(|path| text::path(&path)),
            tmux: self.tmux.map(line),
            tmux_server: self.tmux_server.map(line),
            token: self.token.as_deref().map(caller::digest),
            ..Description::default()
        })
    }
}

/// How it is started, member by member.
#[derive(Deserialize)]
#[serde(transparent)]
struct Launch(#[serde(deserialize_with = "json::by_names")] LaunchDoc);

fn launch<'de, D: Deserializer<'de>>(from: D) -> Result<Option<LaunchDoc>, D::Error> {
    Ok(Option::<Launch>::deserialize(from)?.map(|Launch(launch)| launch))
}

fn labels<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    from.deserialize_map(Labels)
}

/// Texts by their keys. Of a key that stands there twice nobody knows which text is meant.
struct Labels;

impl<'de> Visitor<'de> for Labels {
    type Value = BTreeMap<String, String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut said: A) -> Result<Self::Value, A::Error> {
        let mut labels = BTreeMap::new();
        while let Some((key, text)) = said.next_entry::<String, String>()? {
            if labels.contains_key(&key) {
                // As the parser says it of a member.
                return Err(de::Error::custom(format_args!("duplicate field `{key}`")));
            }
            labels.insert(key, text);
        }
        Ok(labels)
    }
}
