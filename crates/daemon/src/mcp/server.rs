//! The server: the protocol on one side, the table and the hub on the other.

use super::elicit::Names;
use super::failure::Failure;
#[cfg(test)]
use super::fixture;
use super::hub::Hub;
use super::scope::Scope;
use super::table::{self, Act, Tool};
use super::wait::{Pulse, is_open};
use super::{arguments, elicit, operation, schema, tasks};
use headsup_adapters::text;
use headsup_core::id::AgentId;
use rmcp::model::{
    self, CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams,
    CustomRequest, CustomResult, ErrorCode, GetTaskParams, GetTaskResult, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
    ServerConfig, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard, watch};
use tokio::time::timeout;

/// The list of tools changes with the program alone; a client asks anew after an hour.
const LIST_FRESH_MS: u64 = 3_600_000;

/// A call that waits for another system, or for a hub that is gone, keeps the next ones no longer.
const TURN_WITHIN: Duration = Duration::from_secs(2);

const INSTRUCTIONS: &str = "\
headsup shows people what you are doing and carries your questions to them. Call update_status when you begin, when something \
visible changes and when you are done; request_input when a person has to decide; mark_blocked when you cannot go on.";

/// Both eras of the protocol: with `initialize`, and with everything in each request.
pub(super) const VERSIONS: [ProtocolVersion; 5] = [
    ProtocolVersion::V_2024_11_05,
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// Until it is dropped the calls behind it wait; none where one before it takes its time.
pub(super) type Turn<'a> = Option<MutexGuard<'a, ()>>;

/// One server, for one agent.
#[derive(Debug)]
pub(crate) struct Server<H> {
    hub: Arc<H>,
    scope: Scope,
    /// The agent is in the roster.
    has_appeared: AtomicBool,
    /// Calls that a client sends without waiting for the answers act in their order: done is not told before working.
    turns: Mutex<()>,
    /// Closed with the end of the input, where there is one that ends.
    line: Option<watch::Receiver<()>>,
}

impl<H: Hub> Server<H> {
    pub(crate) fn new(hub: Arc<H>, scope: Scope) -> Self {
        let (has_appeared, turns) = (AtomicBool::new(false), Mutex::default());
        Self { hub, scope, has_appeared, turns, line: None }
    }

    /// A server whose client has gone once the other end of this is dropped.
    #[must_use]
    pub(crate) fn on(self, line: watch::Receiver<()>) -> Self {
        Self { line: Some(line), ..self }
    }

    fn agent(&self) -> Result<&AgentId, Failure> {
        match &self.scope {
            Scope::Agent(agent) => Ok(agent),
            Scope::Missing(why) => Err(Failure::new("no_scope", why)),
        }
    }

    #[cfg(test)]
    pub(super) fn hub(&self) -> &H {
        &self.hub
    }

    /// A task is a question of this agent, as it is for `wait_for_input`.
    async fn own(&self, task: &str) -> Result<Value, Failure> {
        operation::own(&*self.hub, self.agent()?, task).await
    }

    /// Those before it have acted. Whoever has asked first gets it first.
    async fn turn(&self) -> Turn<'_> {
        timeout(TURN_WITHIN, self.turns.lock()).await.ok()
    }

    /// For as long as whoever waits is there.
    pub(super) fn pulse(&self, context: &RequestContext<RoleServer>) -> Pulse {
        let token = context.meta.get_progress_token();
        Pulse { peer: context.peer.clone(), token, line: self.line.clone() }
    }

    async fn run(
        &self,
        tool: &Tool,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Failure> {
        let agent = self.agent()?;
        let state = request.request_state.clone();
        let said = elicit::said(&request, elicit::ANSWER);
        #[cfg(test)]
        let came = request.clone();
        let arguments = arguments::check(tool, request.arguments)?;
        let hub = &*self.hub;
        let client = context.client_info().map(|client| client.name);
        let turn = self.turn().await;
        match operation::appear(hub, agent, client.as_deref()).await {
            Ok(()) => self.has_appeared.store(true, Ordering::Relaxed),
            // A hub that is gone for a while knows it still, and a wait outlives that.
            Err(failure)
                if failure.retryable
                    && matches!(tool.act, Act::Wait)
                    && self.has_appeared.load(Ordering::Relaxed) => {}
            Err(failure) => return Err(failure),
        }
        match &tool.act {
            Act::Route(route) => Ok(operation::route(hub, agent, route, arguments).await?.into()),
            #[cfg(test)]
            Act::Fixture(act) => {
                drop(turn);
                fixture::run(self, *act, &came, &context).await
            }
            Act::Wait | Act::Ask if said.is_some() && state.is_some() => {
                let (prompt, said) = (state.unwrap_or_default(), said.unwrap_or_default());
                Ok(operation::resolution(operation::elicited(hub, &prompt, said).await?).into())
            }
            Act::Wait | Act::Ask if state.is_some() => {
                // The form has come back without what it is there for: it is shown again.
                drop(turn);
                let seconds = operation::wait_seconds(&arguments);
                self.wait(&state.unwrap_or_default(), seconds, elicit::ANSWER, &context).await
            }
            Act::Wait => {
                drop(turn);
                let seconds = operation::wait_seconds(&arguments);
                let prompt = arguments.get("prompt_id").and_then(Value::as_str);
                self.wait(prompt.unwrap_or_default(), seconds, elicit::ANSWER, &context).await
            }
            Act::Ask => self.ask(arguments, elicit::ANSWER, turn, &context).await,
        }
    }

    /// Waits for a prompt that is the agent's own.
    pub(super) async fn wait(
        &self,
        prompt: &str,
        seconds: u64,
        names: Names,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Failure> {
        let (hub, agent) = (&*self.hub, self.agent()?);
        if seconds > 0 && elicit::is_offered(context) {
            let prompt = operation::own(hub, agent, prompt).await?;
            return self.show(prompt, seconds, names, context).await;
        }
        Ok(operation::wait(hub, agent, prompt, seconds, &self.pulse(context)).await?.into())
    }

    /// In the client's own form, while it is open elsewhere, too.
    async fn show(
        &self,
        prompt: Value,
        seconds: u64,
        names: Names,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Failure> {
        let pulse = self.pulse(context);
        Box::pin(elicit::wait(&*self.hub, prompt, seconds, names, context, &pulse)).await
    }

    /// Asks a person, and waits for the answer in the way that the client has for it: of `turn` no more is needed
    /// then.
    pub(super) async fn ask(
        &self,
        arguments: JsonObject,
        names: Names,
        turn: Turn<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Failure> {
        let (hub, agent) = (&*self.hub, self.agent()?);
        let seconds = operation::wait_seconds(&arguments);
        let prompt = operation::ask(hub, agent, arguments).await?;
        drop(turn);
        let has_tasks = context.client_capabilities().is_some_and(|client| client.supports_tasks());
        if has_tasks && is_open(&prompt) {
            return Ok(tasks::created(&prompt).into());
        }
        if seconds == 0 || !is_open(&prompt) {
            return Ok(operation::resolution(prompt).into());
        }
        if elicit::is_offered(context) {
            return self.show(prompt, seconds, names, context).await;
        }
        let id = prompt.get("id").and_then(Value::as_str).unwrap_or_default();
        Ok(operation::wait(hub, agent, id, seconds, &self.pulse(context)).await?.into())
    }

    /// A state that comes back is the id of a question of this agent. Where that cannot be asked now, the
    /// call itself says so.
    async fn has_given_out(&self, state: &str) -> bool {
        let Ok(agent) = self.agent() else { return true };
        match operation::own(&*self.hub, agent, state).await {
            Ok(_) => true,
            Err(failure) => failure.retryable,
        }
    }

    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "tests have tools of their own"))]
    fn find(&self, name: &str) -> Option<&'static Tool> {
        #[cfg(test)]
        if fixture::is_meant(&self.scope) {
            return fixture::find(name);
        }
        table::find(name)
    }

    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "tests have tools of their own"))]
    fn list(&self) -> &'static [model::Tool] {
        #[cfg(test)]
        if fixture::is_meant(&self.scope) {
            return fixture::list();
        }
        schema::list()
    }
}

fn unknown_tool(name: &str) -> ErrorData {
    let names: Vec<_> = table::ALL.iter().map(|tool| tool.name).collect();
    ErrorData::invalid_params(
        format!("there is no tool {name:?}; there are {}", names.join(", ")),
        Some(serde_json::json!({ "allowed": names })),
    )
}

impl<H: Hub> ServerHandler for Server<H> {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks().build();
        let about = Implementation::new("headsup", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Owned(VERSIONS.to_vec())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult::with_all_items(self.list().to_vec());
        Ok(list.with_ttl_ms(LIST_FRESH_MS).with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<model::Tool> {
        self.list().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.find(&request.name).ok_or_else(|| unknown_tool(&request.name))?;
        let comes_again = request.request_state.is_some() || request.input_responses.is_some();
        if comes_again && !tool.act.asks() {
            let detail = "nothing here waits for such an answer; a call says all that it says in `arguments`";
            return Err(ErrorData::invalid_params(detail, None));
        }
        if let Some(state) = &request.request_state
            && !self.has_given_out(state).await
        {
            let detail = "`requestState` is none that was given out here; call again without it";
            return Err(ErrorData::invalid_params(detail, None));
        }
        let cancelled = context.ct.clone();
        let outcome = tokio::select! {
            outcome = self.run(tool, request, context) => outcome,
            // Nobody waits any more; what was asked stays asked.
            () = cancelled.cancelled() => Err(Failure::new("cancelled", "the call was cancelled")),
        };
        Ok(outcome.unwrap_or_else(|failure| CallToolResult::from(failure).into()))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let prompt = self.own(&request.task_id).await;
        prompt.map(tasks::state).map_err(tasks::refused)
    }

    /// Nothing of ours asks for more while it waits, so there is nothing that could be answered.
    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let prompt = self.own(&request.task_id).await;
        prompt.map(drop).map_err(tasks::refused)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let agent = self.agent().map_err(tasks::refused)?;
        let cancelled = operation::cancel(&*self.hub, agent, &request.task_id).await;
        match cancelled {
            // It has ended before: that is no error of whoever wants it ended.
            Err(failure) if failure.code == "already_resolved" => Ok(()),
            other => other.map(drop).map_err(tasks::refused),
        }
    }

    /// Where the members of a request are not what they should be, the library takes it for another one.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match request.method.as_str() {
            "tools/call" | "tools/list" | "tasks/get" | "tasks/cancel" | "tasks/update" => {
                let what = match request.method.as_str() {
                    "tools/call" => "params has `name`, a text, and `arguments`, an object",
                    "tools/list" => "params is an object",
                    _ => "params has `taskId`, a text",
                };
                Err(ErrorData::invalid_params(format!("{}: {what}", request.method), None))
            }
            method => {
                let method = text::line(method, text::NAME);
                let detail = format!("there is no method {method:?} here");
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, detail, None))
            }
        }
    }
}
