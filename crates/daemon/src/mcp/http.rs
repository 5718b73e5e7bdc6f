//! `POST /mcp`: the server inside the hub. Its calls go through the hub's own router, as from whoever is
//! at the other end of the connection.
//!
//! There are no sessions: each request stands for itself, so a hub that was restarted goes on as if
//! nothing had been.

use super::frame;
use super::hub::{Call, Hub, Reply, Unreachable};
use super::scope::Scope;
use super::server::Server;
use crate::api::{App, Refused};
use crate::body;
use crate::caller::{Caller, FromTheTools};
use crate::guard::Gates;
use crate::serve::Connected;
use axum::Router;
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use headsup_adapters::text;
use http_body_util::{BodyExt as _, Collected, Full};
use hyper::Request;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use std::sync::Arc;
use tokio::time::timeout;

/// Answers one message.
pub(crate) async fn answer(
    app: &App,
    router: Router,
    request: Request<Body>,
) -> Result<Response, Refused> {
    let scope = scope(Caller::of(app, request.headers(), request.extensions())?);
    let (mut parts, body) = request.into_parts();
    let body = body::read(body, frame::LONGEST).await?;
    let message = body.slice_ref(body::unmarked(&body));
    if let Err(bad) = frame::check_whole(&message) {
        let answer = bad.answer(&frame::id(&message));
        let json = [(CONTENT_TYPE, "application/json")];
        return Ok((StatusCode::BAD_REQUEST, json, answer).into_response());
    }
    let inside = Inside {
        router: TowerToHyperService::new(router),
        connected: parts.extensions.get::<Connected>().cloned(),
        caller: caller(&parts.headers),
    };
    let names = parts.extensions.get::<Arc<Gates>>().map(|gates| gates.names());
    let config = config(names.as_deref());
    super::accept::spell_out(&mut parts.headers);
    // Not for the tools: the library would hand on all that is in it.
    parts.extensions.clear();
    let hub = Arc::new(inside);
    let make = move || Ok(Server::new(Arc::clone(&hub), scope.clone()));
    let service =
        StreamableHttpService::new(make, Arc::new(NeverSessionManager::default()), config);
    let request = Request::from_parts(parts, Full::new(message));
    let response = service.handle(request).await.map(Body::new);
    match refusal(response.status(), response.headers()) {
        Some((code, hint)) => {
            let status = response.status().as_u16();
            let said = response.into_body().collect().await.map(Collected::to_bytes);
            let said = said.unwrap_or_default();
            let said = text::line(&String::from_utf8_lossy(&said), text::DETAIL);
            Err(Refused::new(status, code, said).hint(hint))
        }
        None => Ok(response),
    }
}

/// The library refuses a request as a whole in bare text: the code of it, and what would do.
fn refusal(status: StatusCode, headers: &HeaderMap) -> Option<(&'static str, &'static str)> {
    let is_json = headers.get(CONTENT_TYPE).is_some_and(|of| of == "application/json");
    let is_error = status.is_client_error() || status.is_server_error();
    (is_error && !is_json).then(|| match status {
        StatusCode::NOT_ACCEPTABLE => {
            ("not_acceptable", "say `Accept: application/json, text/event-stream`, or `*/*`")
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            ("unsupported_media_type", "say `Content-Type: application/json`")
        }
        StatusCode::FORBIDDEN => ("browser_refused", "call it from where the hub is served"),
        status if status.is_server_error() => ("internal", "the same call may succeed later"),
        _ => (
            "bad_mcp_request",
            "MCP-Protocol-Version is one that server/discover names, or left out",
        ),
    })
}

/// The guard has been here before; the library looks at the same names once more, and by itself would
/// take any origin.
fn config(names: Option<&[String]>) -> StreamableHttpServerConfig {
    let local = ["localhost".to_owned()];
    let hosts = names.unwrap_or(&local);
    let origins = names.unwrap_or_default().iter();
    let origins = origins.flat_map(|name| [format!("http://{name}"), format!("https://{name}")]);
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(frame::LONGEST)
}

/// Headers that say who calls, and are handed on as they came.
const CALLER: [&str; 2] = ["x-headsup-agent-token", "x-headsup-agent"];

fn caller(headers: &HeaderMap) -> HeaderMap {
    let mut caller = HeaderMap::new();
    for name in CALLER.map(HeaderName::from_static) {
        for value in headers.get_all(&name) {
            caller.append(&name, value.clone());
        }
    }
    caller
}

/// The agent that calls, by its token, its process, or its own word.
fn scope(caller: Caller) -> Scope {
    match caller {
        Caller::Agent(agent) => Scope::Agent(agent),
        Caller::Person | Caller::Stray => Scope::Missing(
            "it is not known which agent this is; send its token (HEADSUP_AGENT_TOKEN) as \
             X-Headsup-Agent-Token, or its id (HEADSUP_AGENT_ID) as X-Headsup-Agent"
                .to_owned(),
        ),
    }
}

/// The hub's own router, asked from inside.
struct Inside {
    router: TowerToHyperService<Router>,
    /// The connection of whoever called us: it is their call.
    connected: Option<Connected>,
    caller: HeaderMap,
}

impl Hub for Inside {
    async fn call(&self, call: Call) -> Result<Reply, Unreachable> {
        let patience = call.patience;
        let request = self.request(call).map_err(|error| failed(&error))?;
        let exchange = async {
            // The router always answers.
            let Ok(response) = self.router.call(request).await;
            let status = response.status().as_u16();
            let body = response.into_body().collect().await.map_err(|error| failed(&error))?;
            let body = body.to_bytes();
            let body = match body.is_empty() {
                true => Value::Null,
                false => serde_json::from_slice(&body).map_err(|error| failed(&error))?,
            };
            Ok(Reply { status, body })
        };
        let late = || Unreachable {
            message: format!("the hub gave no answer within {} s", patience.as_secs()),
            hint: None,
        };
        timeout(patience, exchange).await.unwrap_or_else(|_| Err(late()))
    }
}

impl Inside {
    fn request(&self, call: Call) -> Result<Request<Body>, axum::http::Error> {
        let json = call.body.map(|body| body.to_string());
        let mut request = Request::builder().method(call.method.name()).uri(call.path);
        if let Some(headers) = request.headers_mut() {
            headers.extend(self.caller.clone());
            headers.insert(HOST, HeaderValue::from_static("localhost"));
        }
        if json.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        if let Some(key) = call.key {
            request = request.header("x-headsup-id", key);
        }
        let mut request = request.body(json.map(Body::from).unwrap_or_default())?;
        if let Some(connected) = &self.connected {
            request.extensions_mut().insert(connected.clone());
        }
        request.extensions_mut().insert(FromTheTools);
        Ok(request)
    }
}

fn failed(error: &dyn std::error::Error) -> Unreachable {
    Unreachable { message: format!("the hub's answer cannot be read: {error}"), hint: None }
}
