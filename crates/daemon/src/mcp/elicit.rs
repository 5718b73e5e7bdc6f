//! A question through the agent's own program, where nothing else reaches a person: the hub says whether it
//! may be. In the older era the server asks while the call waits; in the newer one the call ends with what is
//! to be asked, and comes again with what was said.

use super::failure::Failure;
use super::hub::Hub;
use super::operation;
use super::tools::inputs;
use super::wait::{self, Pulse};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientResult, ElicitRequest, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationSchema, InputRequest, InputRequests,
    InputRequiredResult, JsonObject, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde_json::{Value, json};

/// What a form is called in a call that ends with it, and what its one field.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    pub(crate) form: &'static str,
    pub(crate) field: &'static str,
}

pub(crate) const ANSWER: Names = Names { form: "answer", field: "answer" };

/// Whether the client shows forms to whoever sits before it.
pub(crate) fn is_offered(context: &RequestContext<RoleServer>) -> bool {
    let client = context.client_capabilities().and_then(|client| client.elicitation);
    // Who names no mode means forms.
    client.is_some_and(|client| client.form.is_some() || client.url.is_none())
}

/// What a call brings back of a form that an earlier one has ended with; `None` where that is missing, or
/// cannot be read.
pub(crate) fn said(request: &CallToolRequestParams, names: Names) -> Option<Value> {
    let said = request.input_responses.as_ref()?.get(names.form)?;
    let said = serde_json::from_value(said.clone()).ok()?;
    Some(document(&said, names))
}

/// Waits for the end of an open prompt, and asks whoever sits before the client meanwhile if that may be.
pub(crate) async fn wait<H: Hub>(
    hub: &H,
    prompt: Value,
    seconds: u64,
    names: Names,
    context: &RequestContext<RoleServer>,
    pulse: &Pulse,
) -> Result<CallToolResponse, Failure> {
    if !wait::is_open(&prompt) {
        return Ok(operation::resolution(prompt).into());
    }
    let id = prompt.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let form = form(&prompt, names, context.protocol_version());
    let form = match form {
        // Whatever keeps the hub from allowing it, the question stands where people look.
        Some(form) if operation::may_elicit(hub, &id).await.is_ok() => form,
        _ => {
            let prompt = wait::until_resolved(hub, &id, seconds, pulse).await?;
            return Ok(operation::resolution(prompt).into());
        }
    };
    let request = ElicitRequest::new(form);
    if context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
        let requests =
            InputRequests::from([(names.form.to_owned(), InputRequest::Elicitation(request))]);
        return Ok(InputRequiredResult::new(Some(requests), Some(id)).into());
    }
    let prompt = asked(hub, &id, request, seconds, names, pulse).await?;
    Ok(operation::resolution(prompt).into())
}

/// The first answer wins, whichever way it comes; a form that nobody needs any more is taken back.
async fn asked<H: Hub>(
    hub: &H,
    id: &str,
    request: ElicitRequest,
    seconds: u64,
    names: Names,
    pulse: &Pulse,
) -> Result<Value, Failure> {
    let waited = wait::until_resolved(hub, id, seconds, pulse);
    tokio::pin!(waited);
    let request = ServerRequest::ElicitRequest(request);
    let asked = pulse.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
    let Ok(mut form) = asked.await else { return waited.await };
    tokio::select! {
        prompt = &mut waited => {
            // Who does not listen any more is told nothing.
            if !pulse.was_cut() {
                let why = "the question is answered, or the wait is over";
                form.cancel(Some(why.to_owned())).await.ok();
            }
            prompt
        }
        said = &mut form.rx => match said {
            Ok(Ok(ClientResult::ElicitResult(said))) => {
                operation::elicited(hub, id, document(&said, names)).await
            }
            // It cannot show it after all.
            _ => waited.await,
        }
    }
}

/// What the hub is told of an answer.
fn document(said: &ElicitResult, names: Names) -> Value {
    let value = said.content.as_ref().and_then(|content| content.get(names.field));
    match (&said.action, value) {
        (ElicitationAction::Accept, Some(value)) => json!({ "action": "accept", "value": value }),
        (ElicitationAction::Decline, _) => json!({ "action": "decline" }),
        // A form that is accepted without an answer was closed.
        _ => json!({ "action": "cancel" }),
    }
}

/// The question as a form of one field; `None` where this version has no such field.
fn form(
    prompt: &Value,
    names: Names,
    version: Option<ProtocolVersion>,
) -> Option<ElicitRequestParams> {
    let prompt = prompt.as_object()?;
    let options = prompt.get("options").and_then(Value::as_array);
    let labels: Vec<&str> =
        options.into_iter().flatten().filter_map(|option| option.get("label")?.as_str()).collect();
    let is_several = prompt.get("multi_select") == Some(&json!(true));
    let has_lists = version.is_some_and(|version| version >= ProtocolVersion::V_2025_11_25);
    let field = match (labels.is_empty(), is_several) {
        (true, _) => json!({ "type": "string", "minLength": 1 }),
        (false, false) => json!({ "type": "string", "enum": labels }),
        (false, true) if has_lists => json!({
            "type": "array", "items": { "type": "string", "enum": labels }, "minItems": 1,
        }),
        (false, true) => return None,
    };
    let schema = json!({
        "type": "object", "properties": { names.field: field }, "required": [names.field],
    });
    let schema: JsonObject = serde_json::from_value(schema).ok()?;
    let requested_schema = ElicitationSchema::from_json_schema(schema).ok()?;
    let question = inputs::question(prompt);
    let question = question.as_str().unwrap_or_default();
    let default = prompt.get("default_action").and_then(Value::as_str).unwrap_or_default();
    let message = format!("{question}\n\nIf nobody answers: {default}");
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}
