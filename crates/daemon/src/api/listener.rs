//! `/api/v1/listener`, on the unix socket alone: whether the hub is on TCP, where, and for whom.

use super::query::Query;
use super::{App, Refused, json};
use crate::access::CODE_LIFE;
use crate::body;
use crate::caller::Caller;
use crate::guard::OPEN;
use crate::limits::BODY;
use crate::listener::{self, Listen, ListenError, Listening, Term};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, StatusCode, Uri};
use headsup_core::time::UnixMs;
use headsup_core::wire::{Problem, SCHEMA};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::sync::Arc;
use utoipa::ToSchema;

/// What is wished for. Whatever is left out stays as it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ListenBody {
    /// `IP:PORT`; port 0 lets the system choose, where the hub does not listen on that address already.
    address: Option<String>,
    /// Also where other machines can reach it, without TLS.
    insecure: bool,
    /// The further names under which a browser may know the hub.
    allow_hosts: Option<Vec<String>>,
    /// Not at the hub's next start. What lasts already, or is asked for without it meanwhile, lasts; what lasts elsewhere
    /// makes way, and is back behind it.
    passing: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ListenerDoc {
    schema: u32,
    /// The page's address; null where the hub is not on TCP.
    url: Option<String>,
    #[schema(value_type = Vec<String>)]
    addresses: Vec<SocketAddr>,
    allow_hosts: Vec<String>,
    /// What has kept the hub from TCP since its start; null where nothing has.
    problem: Option<String>,
}

/// A link that lets one browser in.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CodeDoc {
    schema: u32,
    url: String,
    expires_at: UnixMs,
}

#[utoipa::path(
    get,
    path = "/api/v1/listener",
    operation_id = "get_listener",
    tag = "hub",
    summary = "Whether the hub is on TCP, and where. On the unix socket alone.",
    responses(
        (status = 200, description = "The listener", body = ListenerDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
    security(()),
)]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    uri: Uri,
) -> Result<Json<ListenerDoc>, Refused> {
    Query::parse(uri.query(), &[])?;
    let listening = app.listener.look().await;
    Ok(doc(listening, app.listener.problem()))
}

#[utoipa::path(
    put,
    path = "/api/v1/listener",
    operation_id = "listen",
    tag = "hub",
    summary = "Listens on TCP; what listens there already goes on. On the unix socket alone.",
    request_body(content = ListenBody),
    responses(
        (status = 200, description = "The listener", body = ListenerDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
    security(()),
)]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<ListenerDoc>, Refused> {
    let (parts, body) = request.into_parts();
    by_a_person(&app, &parts.headers, &parts.extensions)?;
    Query::parse(parts.uri.query(), &[])?;
    let body = body::read(body, BODY).await?;
    let wish: ListenBody = json::read(&body)?;
    let term = if wish.passing { Term::Passing } else { Term::Lasting };
    Ok(doc(Some(app.listener.open(wish.read()?, term).await?), None))
}

#[utoipa::path(
    delete,
    path = "/api/v1/listener",
    operation_id = "unlisten",
    tag = "hub",
    summary = "Leaves TCP, also after a restart. On the unix socket alone.",
    params(
        ("passing" = Option<bool>, Query, description = "Only where it listens in passing; what lasts goes on"),
    ),
    responses(
        (status = 200, description = "The listener", body = ListenerDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
    security(()),
)]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<ListenerDoc>, Refused> {
    by_a_person(&app, request.headers(), request.extensions())?;
    let only_passing = Query::parse(request.uri().query(), &["passing"])?.flag("passing", false)?;
    app.listener.close(only_passing).await;
    Ok(doc(app.listener.look().await, app.listener.problem()))
}

/// `POST /api/v1/listener/codes`: a link with a one-time code.
#[utoipa::path(
    post,
    path = "/api/v1/listener/codes",
    operation_id = "make_link",
    tag = "hub",
    summary = "A link that lets one browser in. On the unix socket alone.",
    responses(
        (status = 201, description = "The link", body = CodeDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
    security(()),
)]
pub(super) async fn code(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<(StatusCode, Json<CodeDoc>), Refused> {
    by_a_person(&app, request.headers(), request.extensions())?;
    Query::parse(request.uri().query(), &[])?;
    let (url, expires_at) = link(&app).await?;
    Ok((StatusCode::CREATED, Json(CodeDoc { schema: SCHEMA, url, expires_at })))
}

/// Whoever is let in there acts as a person.
fn by_a_person(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Result<(), Refused> {
    Caller::of_an_act(app, headers, extensions)?.is_a_person("opens the hub to others")
}

/// A fresh link to the page, and when it ends.
pub(crate) async fn link(app: &App) -> Result<(String, UnixMs), Refused> {
    let not_listening = || {
        Refused::new(409, "not_listening", "the hub is not on TCP")
            .hint("run `headsup up --listen`")
    };
    let listening = app.listener.look().await.ok_or_else(not_listening)?;
    let code = app.access.new_code().map_err(|error| {
        Refused::new(500, "no_random", format!("the system gives no random numbers: {error}"))
    })?;
    let life = i64::try_from(CODE_LIFE.as_millis()).unwrap_or_default();
    let expires_at = app.clock.wall().plus(life);
    Ok((format!("{}{OPEN}?code={code}", listening.url()), expires_at))
}

fn doc(listening: Option<Listening>, problem: Option<String>) -> Json<ListenerDoc> {
    let url = listening.as_ref().map(Listening::url);
    let (addresses, allow_hosts) = match listening {
        Some(Listening { addresses, allow_hosts }) => (addresses, allow_hosts),
        None => (Vec::new(), Vec::new()),
    };
    Json(ListenerDoc { schema: SCHEMA, url, addresses, allow_hosts, problem })
}

impl ListenBody {
    fn read(self) -> Result<Listen, Refused> {
        let bad = |detail: String| Refused::new(400, "bad_address", detail);
        let address = self.address.as_deref().map(listener::parse).transpose();
        let address = address.map_err(|error| bad(error.to_string()))?;
        let names = self.allow_hosts.map(|names| {
            names.iter().map(|name| listener::host_name(name)).collect::<Result<_, _>>()
        });
        let allow_hosts = names.transpose().map_err(|error| bad(error.to_string()))?;
        Ok(Listen { address, insecure: self.insecure, allow_hosts })
    }
}

impl From<ListenError> for Refused {
    fn from(error: ListenError) -> Self {
        let (status, code, hint) = match &error {
            ListenError::InUse(_) => (
                409,
                "address_in_use",
                Some("let the system choose a free one: `headsup up --listen 127.0.0.1:0`"),
            ),
            ListenError::NotLocal(_) => (
                400,
                "not_loopback",
                Some("listen on 127.0.0.1 behind a TLS proxy, or say --insecure-listen"),
            ),
            ListenError::Bind { .. } => (409, "cannot_listen", None),
            ListenError::Token(_) => (409, "token_unusable", None),
            ListenError::Stopping => (503, "stopping", None),
        };
        let refused = Self::new(status, code, error.to_string());
        match hint {
            Some(hint) => refused.hint(hint),
            None => refused,
        }
    }
}
