//! The HTTP API: one router for every transport, one file for each handler.

mod activity;
mod agent;
mod agent_path;
mod agent_prs;
mod agent_task;
mod agents;
mod asked;
mod coder;
mod cron;
mod effects;
mod events;
mod evidence;
mod explain;
mod forget;
mod headers;
mod health;
mod history;
mod hooks;
mod json;
mod listener;
mod mcp;
mod metrics;
mod named;
mod open;
mod openapi;
mod panopticon;
mod places;
mod pr;
mod process;
mod prompt_path;
pub(crate) mod prompts;
mod prs;
mod query;
mod refused;
mod reports;
mod resume;
mod review;
pub(crate) mod roster;
mod seats;
mod seen;
mod snooze;
mod stage;
mod stop;
mod suspend;
mod task;
mod tasks;
mod terminal;
mod verdicts;
mod webhooks;
mod whoami;
mod workflow;

pub(crate) use events::{Subscription, TOO_MANY_SUBSCRIBERS};
pub(crate) use listener::link;
pub(crate) use query::Query;
pub(crate) use refused::{Code, Refused, Told};

use crate::access::Access;
use crate::attendance::Attendance;
use crate::board::Board;
use crate::bus::Bus;
use crate::clock::Clock;
use crate::effects::Effects;
use crate::forge::{ForgeSettings, Pulls};
use crate::inbox::Inbox;
use crate::job::Reply;
use crate::launches::Launches;
use crate::lifecycle::Starter;
use crate::listener::Listener;
use crate::metrics::Metrics;
use crate::namespaces::{Namespaces, Peer};
use crate::oom::Ooms;
use crate::outgoing;
use crate::pipes::Pipes;
use crate::samples::Samples;
use crate::serve::Connected;
use crate::store::{Reader, StoreError};
use crate::tracker::{TrackerSettings, Trackers};
use crate::web;
use crate::webhooks::WebhookSettings;
use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use axum::{Extension, Router};
use headsup_core::id::AgentId;
use headsup_core::seat::{History, Seat};
use headsup_core::time::UnixMs;
use headsup_core::wire::{ExplainDoc, SCHEMA};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use utoipa::openapi::HttpMethod;
use utoipa::{Path as _, ToSchema};
use utoipa_axum::PathItemExt as _;
use utoipa_axum::router::OpenApiRouter;

/// What the handlers share.
pub(crate) struct App {
    pub(crate) board: Arc<Board>,
    pub(crate) bus: Arc<Bus>,
    pub(crate) inbox: Inbox,
    pub(crate) effects: Arc<Effects>,
    pub(crate) tracker: Trackers,
    pub(crate) tracker_settings: TrackerSettings,
    pub(crate) pulls: Pulls,
    pub(crate) forge_settings: ForgeSettings,
    pub(crate) webhooks: WebhookSettings,
    pub(crate) reader: Arc<Reader>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) started_ms: i64,
    pub(crate) home: PathBuf,
    /// The person's home folder, which people are shown as `~`.
    pub(crate) person: Option<String>,
    /// What the person is called in what they do.
    pub(crate) name: String,
    pub(crate) namespaces: Arc<Namespaces>,
    pub(crate) most_subscribers: u64,
    pub(crate) access: Arc<Access>,
    pub(crate) listener: Listener,
    pub(crate) ooms: Arc<Ooms>,
    pub(crate) samples: Arc<Samples>,
    pub(crate) attendance: Arc<Attendance>,
    pub(crate) pipes: Arc<Pipes>,
    pub(crate) starter: Starter,
    pub(crate) launches: Arc<Launches>,
    /// How long a route that asks other systems may take for its answer.
    pub(crate) answered_within: Duration,
}

impl App {
    /// The hub's time: seats and events are dated by it. Deadlines are kept by the wall clock.
    pub(crate) fn time(&self) -> UnixMs {
        self.board.time_at(self.clock.wall())
    }

    /// Why a seat's status is what it is. What was wrong with what was said stands where most of it goes.
    pub(crate) fn explained(&self, seat: &Seat, history: &History) -> ExplainDoc {
        let mut doc = seat.explain(history, self.time());
        if let Some(winner) = doc.dimensions.get_mut("turn").and_then(|turn| turn.winner.as_mut()) {
            winner.notes.extend(self.metrics.flaws.notes(&seat.id));
            winner.notes.extend(self.pipes.note(&seat.id, winner.source));
        }
        doc
    }

    /// What was said of a seat lately, wherever it is.
    pub(crate) async fn history(&self, seat: &Seat) -> Result<History, StoreError> {
        if let Some(history) = &seat.history {
            return Ok(History::clone(history));
        }
        let id = seat.id.clone();
        self.reader.run(move |reader| reader.history(&id)).await
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("home", &self.home).finish_non_exhaustive()
    }
}

/// What is served on the unix socket: also what decides who else is served.
pub(crate) fn on_socket(app: Arc<App>) -> Router {
    finish(shared().merge(local()), app)
}

/// What is served on TCP: also what only a browser needs.
pub(crate) fn on_tcp(app: Arc<App>) -> Router {
    finish(shared().merge(for_browsers()).merge(web::routes()), app)
}

/// Routes, as they are served and as they are described. To describe them takes longer than all the
/// rest of a start, so it is done for who asks.
macro_rules! routes {
    ($served:ident, $described:ident: $($($module:ident)::+ => $handler:ident),+ $(,)?) => {
        utoipa_axum::paste! {
            fn $served() -> Router<Arc<App>> {
                Router::new()$(.route(
                    &$($module::)+[<__path_ $handler>]::path(),
                    on(&$($module::)+[<__path_ $handler>]::methods(), $($module::)+$handler),
                ))+
            }

            fn $described() -> OpenApiRouter<Arc<App>> {
                OpenApiRouter::new()$(.routes(utoipa_axum::routes!($($module::)+$handler)))+
            }
        }
    };
}

routes! { shared, shared_described:
    hooks => post,
    agents => get,
    agent => get,
    seats => put,
    seats => patch,
    forget => delete,
    process => put,
    reports => post,
    terminal => post,
    seen => post,
    suspend => post,
    resume => post,
    stop => post,
    verdicts => post,
    prompts => get,
    prompts => one,
    prompts::open => post,
    prompts::answer => post,
    prompts::cancel => post,
    prompts::notice => post,
    prompts::elicit => post,
    prompts::elicited => post,
    stage => post,
    workflow => get,
    snooze => post,
    webhooks => get,
    webhooks::kanbanger => post,
    cron => get,
    effects => get,
    effects::again => post,
    activity => get,
    explain => get,
    history => get,
    evidence => get,
    events => get,
    events::ws => get,
    coder => post,
    coder::ws => get,
    panopticon::heartbeat => post,
    panopticon::activity => get,
    panopticon::report_status => post,
    panopticon::suspend => post,
    panopticon::resume => post,
    openapi => get,
    whoami => get,
    health => get,
    metrics => get,
}

// What asks trackers and forges; it answers before its callers give up ([`in_time`]).
routes! { elsewhere, elsewhere_described:
    agent_task => get,
    agent_task => put,
    agent_task::comments => post,
    agent_task::status => post,
    agent_task::complete => post,
    review => post,
    tasks => get,
    tasks => post,
    task => get,
    task => patch,
    task::comments => post,
    prs => get,
    prs => post,
    pr => get,
    pr => patch,
    pr::refresh => post,
    pr::merge => post,
    pr::reviews => post,
    agent_prs => get,
    agent_prs => post,
}

routes! { local, local_described:
    listener => get,
    listener => put,
    listener => delete,
    listener => code,
}

routes! { for_browsers, for_browsers_described: open => get }

routes! { for_agents, for_agents_described: mcp => post }

fn on<H, T>(methods: &[HttpMethod], handler: H) -> MethodRouter<Arc<App>>
where
    H: Handler<T, Arc<App>>,
    T: 'static,
{
    methods.iter().fold(MethodRouter::new(), |router, method| {
        router.on(method.to_method_filter(), handler.clone())
    })
}

fn finish(router: Router<Arc<App>>, app: Arc<App>) -> Router {
    let served = |router: Router<Arc<App>>| {
        let router = router.fallback(not_found).method_not_allowed_fallback(wrong_method);
        router.with_state(Arc::clone(&app))
    };
    let elsewhere = || elsewhere().route_layer(from_fn_with_state(Arc::clone(&app), in_time));
    // What agents call by their protocol becomes calls of everything else.
    let inside = served(shared().merge(elsewhere()));
    let router = router.merge(elsewhere());
    served(router.merge(for_agents().layer(Extension(mcp::Inside(inside)))))
}

/// Whoever is asked for this answer is given up before those who wait for it give us up.
async fn in_time(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    outgoing::within(app.answered_within, next.run(request)).await
}

async fn not_found() -> Refused {
    Refused::new(404, "not_found", "there is nothing at this path")
}

async fn wrong_method() -> Refused {
    Refused::new(405, "method_not_allowed", "this path does not take this method")
}

/// The answer to whatever changes something.
#[derive(Serialize, ToSchema)]
struct Receipt<'a> {
    schema: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    duplicate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    agent_id: Option<&'a AgentId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cursor: Option<String>,
}

/// Who is at the other end of the request's connection.
pub(crate) fn peer(extensions: &axum::http::Extensions) -> Peer {
    extensions.get::<Connected>().map(|connected| connected.peer).unwrap_or_default()
}

/// `status` where it was done now, 200 where it was done before.
fn receipt(status: StatusCode, reply: &Reply) -> Response {
    let (status, receipt) = match reply {
        Reply::Prompt { cursor, .. } => {
            let (agent_id, cursor) = (None, Some(cursor.to_string()));
            (status, Receipt { schema: SCHEMA, duplicate: false, agent_id, cursor })
        }
        Reply::Done { agent, cursor } => {
            let (agent_id, cursor) = (agent.as_ref(), Some(cursor.to_string()));
            (status, Receipt { schema: SCHEMA, duplicate: false, agent_id, cursor })
        }
        Reply::Made { .. } | Reply::Heard(_) => {
            let (agent_id, cursor) = (None, None);
            (status, Receipt { schema: SCHEMA, duplicate: false, agent_id, cursor })
        }
        Reply::Duplicate => {
            let (agent_id, cursor) = (None, None);
            (StatusCode::OK, Receipt { schema: SCHEMA, duplicate: true, agent_id, cursor })
        }
    };
    (status, axum::Json(receipt)).into_response()
}
