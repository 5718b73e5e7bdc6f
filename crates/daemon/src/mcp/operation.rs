//! One call of a tool, carried out through the hub's API.

use super::failure::Failure;
use super::hub::{Call, Hub, Method};
use super::table::Route;
use super::tools::inputs;
use super::wait::{self, Pulse};
use crate::outgoing::encode;
use headsup_adapters::text;
use headsup_core::id::AgentId;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

/// How long a call waits for a person where it does not say. Clients cut calls at 60 s and later.
const WAIT_SECONDS: u64 = 45;

/// Makes sure that the agent is in the roster: its first call may be the first that anybody hears of it. One
/// that is over, and calls, sits there again with the process that calls.
pub(crate) async fn appear<H: Hub>(
    hub: &H,
    agent: &AgentId,
    client: Option<&str>,
) -> Result<(), Failure> {
    let path = format!("/api/v1/agents/{agent}");
    match answer(hub, Call::get(path.clone())).await {
        Err(failure) if failure.code == "no_such_agent" => {}
        other => {
            if other?.pointer("/process/state") == Some(&json!("exited")) {
                sit(hub, &path).await?;
            }
            return Ok(());
        }
    }
    let kind = client.map_or("custom", headsup_adapters::kind_of_client);
    let mut seat = json!({ "kind": kind, "adopted": true });
    if let Some(folder) = hub.agent_folder() {
        seat["cwd"] = json!(folder);
    }
    match answer(hub, Call::with_body(Method::Put, path.clone(), seat, fresh_key()?)).await {
        // Somebody was faster.
        Err(failure) if failure.code == "agent_exists" => return Ok(()),
        other => drop(other?),
    }
    sit(hub, &path).await
}

/// The process that calls is the agent's, where it is known.
async fn sit<H: Hub>(hub: &H, seat: &str) -> Result<(), Failure> {
    if let Some(mut process) = hub.agent_process() {
        process["state"] = json!("running");
        let path = format!("{seat}/process");
        // Without it the seat is known by its word alone.
        answer(hub, Call::with_body(Method::Put, path, process, fresh_key()?)).await.ok();
    }
    Ok(())
}

/// Calls one route, and tells its answer.
pub(crate) async fn route<H: Hub>(
    hub: &H,
    agent: &AgentId,
    route: &Route,
    mut arguments: Map<String, Value>,
) -> Result<CallToolResult, Failure> {
    let path = fill(route.path, agent, &mut arguments);
    for (from, to) in route.renamed {
        if let Some(value) = arguments.remove(*from) {
            arguments.insert((*to).to_owned(), value);
        }
    }
    for (name, value) in route.fixed {
        arguments.insert((*name).to_owned(), json!(value));
    }
    let call = match route.method {
        Method::Get => Call::get(path),
        method => Call::with_body(method, path, Value::Object(arguments), fresh_key()?),
    };
    let mut document = answer(hub, call).await?;
    if let Some(then) = route.then {
        let effects = document.get_mut("effects").map(Value::take);
        document = answer(hub, Call::get(fill(then, agent, &mut Map::new()))).await?;
        // What has come of the act itself the other document cannot say.
        if let (Some(effects), Value::Object(document)) = (effects, &mut document) {
            document.insert("effects".to_owned(), effects);
        }
    }
    let shaped = (route.shape)(document);
    let said = (route.say)(&shaped);
    Ok(told(said, shaped))
}

/// Opens a prompt, or finds the one that was asked before: a model whose client has cut the first call off, or whose
/// wait has ended, asks again. The document that comes back is kept by the hub: the question is asked.
pub(crate) async fn ask<H: Hub>(
    hub: &H,
    agent: &AgentId,
    mut arguments: Map<String, Value>,
) -> Result<Value, Failure> {
    arguments.remove("wait_seconds");
    if !arguments.contains_key("dedupe_key") {
        if let Some(open) = asked_before(hub, agent, &arguments).await? {
            return prompt(hub, &open).await;
        }
        // Another call may ask it at this very moment.
        arguments.insert("once".to_owned(), json!(true));
    }
    let path = format!("/api/v1/agents/{agent}/prompts");
    let body = Value::Object(arguments);
    answer(hub, Call::with_body(Method::Post, path, body, fresh_key()?)).await
}

/// The question of this agent that is the same, and is open; or whose answer has not reached it.
async fn asked_before<H: Hub>(
    hub: &H,
    agent: &AgentId,
    arguments: &Map<String, Value>,
) -> Result<Option<String>, Failure> {
    if let Some(open) = same_in(hub, agent, "open", arguments).await? {
        return Ok(Some(open));
    }
    same_in(hub, agent, "untold", arguments).await
}

async fn same_in<H: Hub>(
    hub: &H,
    agent: &AgentId,
    state: &str,
    arguments: &Map<String, Value>,
) -> Result<Option<String>, Failure> {
    let path = format!("/api/v1/prompts?state={state}&agent={agent}");
    let list = answer(hub, Call::get(path)).await?;
    let said = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    // As the hub keeps it: without what cannot be seen, and without secrets.
    let question = folded(&asked(said("question")));
    let default_action = folded(&block(said("default_action")));
    let is_same = |prompt: &&Value| {
        let prompt = prompt.as_object();
        prompt.is_some_and(|prompt| {
            let default = prompt.get("default_action").and_then(Value::as_str);
            let by = prompt.get("resolution").and_then(|resolution| resolution.get("by"));
            // Where nobody has said anything it is asked anew.
            let is_answered = by.is_none_or(|by| by == "human");
            prompt.get("kind") == Some(&json!("input"))
                && is_answered
                && inputs::question(prompt).as_str().map(folded).as_ref() == Some(&question)
                && default.map(folded).as_ref() == Some(&default_action)
                && offers(prompt, arguments)
        })
    };
    let prompts = list.get("prompts").and_then(Value::as_array).into_iter().flatten();
    let id = prompts.filter(is_same).find_map(|prompt| prompt.get("id")?.as_str());
    Ok(id.map(str::to_owned))
}

fn block(text: &str) -> String {
    text::block(text, text::BODY).trim().to_owned()
}

/// The words alone: a model that asks again breaks its lines elsewhere.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A question as a prompt shows it: in its title, where that holds all of it.
fn asked(question: &str) -> String {
    let whole = block(question);
    let fits = !whole.contains('\n') && whole.chars().count() <= text::TITLE;
    if fits { text::line(&whole, text::TITLE) } else { whole }
}

/// Whether a prompt has the options and the risk of this call: another choice is another question.
fn offers(prompt: &Map<String, Value>, arguments: &Map<String, Value>) -> bool {
    let label = |option: &Value| {
        let label = option.get("label").unwrap_or(option).as_str().unwrap_or_default();
        text::line(label, text::TITLE)
    };
    let labels = |of: &Map<String, Value>| {
        let options = of.get("options").and_then(Value::as_array).into_iter().flatten();
        options.map(label).collect::<Vec<_>>()
    };
    let flag = |of: &Map<String, Value>| of.get("multi_select").and_then(Value::as_bool);
    let same = |name: &str, usual: &str| {
        let word = |of: &Map<String, Value>| {
            of.get(name).and_then(Value::as_str).unwrap_or(usual).to_owned()
        };
        word(prompt) == word(arguments)
    };
    let by_deadline = arguments.get("on_timeout").is_none() || same("on_timeout", "default");
    labels(prompt) == labels(arguments)
        && flag(prompt).unwrap_or_default() == flag(arguments).unwrap_or_default()
        && same("risk", "low")
        && by_deadline
}

/// Waits for a prompt's end, for as long as the call says.
pub(crate) async fn wait<H: Hub>(
    hub: &H,
    agent: &AgentId,
    prompt_id: &str,
    seconds: u64,
    pulse: &Pulse,
) -> Result<CallToolResult, Failure> {
    is_own(agent, prompt_id)?;
    let prompt = wait::until_resolved(hub, &encode(prompt_id), seconds, pulse).await?;
    Ok(resolution(prompt))
}

/// What others are told is theirs.
fn is_own(agent: &AgentId, prompt_id: &str) -> Result<(), Failure> {
    let Some(of) = headsup_core::prompt::agent_of(prompt_id).filter(|of| of != agent) else {
        return Ok(());
    };
    let message = format!("{prompt_id} is a question of {of}, and not of {agent}");
    Err(Failure::new("not_your_agent", message).hint("list_inputs lists yours"))
}

/// The agent's own prompt as it is.
pub(crate) async fn own<H: Hub>(
    hub: &H,
    agent: &AgentId,
    prompt_id: &str,
) -> Result<Value, Failure> {
    is_own(agent, prompt_id)?;
    prompt(hub, prompt_id).await
}

/// How a prompt stands, as `request_input` and `wait_for_input` tell it.
pub(crate) fn resolution(prompt: Value) -> CallToolResult {
    let shaped = inputs::shape(prompt);
    let said = inputs::say(&shaped);
    told(said, shaped)
}

/// The prompt as it is.
pub(crate) async fn prompt<H: Hub>(hub: &H, prompt_id: &str) -> Result<Value, Failure> {
    answer(hub, Call::get(format!("/api/v1/prompts/{}", encode(prompt_id)))).await
}

/// Takes a question of the agent's back.
pub(crate) async fn cancel<H: Hub>(
    hub: &H,
    agent: &AgentId,
    prompt_id: &str,
) -> Result<Value, Failure> {
    is_own(agent, prompt_id)?;
    let path = format!("/api/v1/prompts/{}/cancel", encode(prompt_id));
    answer(hub, Call::with_body(Method::Post, path, json!({}), fresh_key()?)).await
}

/// Asks whether the agent's own program may ask its person; why not, where it may not.
pub(crate) async fn may_elicit<H: Hub>(hub: &H, prompt_id: &str) -> Result<Value, Failure> {
    let path = format!("/api/v1/prompts/{}/elicit", encode(prompt_id));
    answer(hub, Call::with_body(Method::Post, path, json!({}), fresh_key()?)).await
}

/// Hands on what was said there.
pub(crate) async fn elicited<H: Hub>(
    hub: &H,
    prompt_id: &str,
    said: Value,
) -> Result<Value, Failure> {
    let path = format!("/api/v1/prompts/{}/elicited", encode(prompt_id));
    match answer(hub, Call::with_body(Method::Post, path, said, fresh_key()?)).await {
        // Somebody else was faster: that is the answer.
        Err(failure) if failure.code == "already_resolved" => prompt(hub, prompt_id).await,
        other => other,
    }
}

/// How long this call waits. The argument has been checked.
pub(crate) fn wait_seconds(arguments: &Map<String, Value>) -> u64 {
    let given = arguments.get("wait_seconds").and_then(Value::as_f64);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 300")]
    given.map_or(WAIT_SECONDS, |seconds| seconds as u64)
}

async fn answer<H: Hub>(hub: &H, call: Call) -> Result<Value, Failure> {
    let reply = hub.call(call).await?;
    match reply.status {
        200..=299 => Ok(reply.body),
        _ => Err(Failure::refused(&reply)),
    }
}

fn told(said: String, structured: Map<String, Value>) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(said)]);
    result.structured_content = Some(Value::Object(structured));
    result
}

/// The path of a route; what stands in it is no member of the body.
fn fill(path: &str, agent: &AgentId, arguments: &mut Map<String, Value>) -> String {
    let mut filled = path.replace("{agent}", agent.as_str());
    while let Some(name) = placeholder(&filled) {
        let value = arguments.remove(&name);
        let value = value.as_ref().and_then(Value::as_str).map(encode).unwrap_or_default();
        filled = filled.replace(&format!("{{{name}}}"), &value);
    }
    filled
}

fn placeholder(path: &str) -> Option<String> {
    let (_, rest) = path.split_once('{')?;
    rest.split_once('}').map(|(name, _)| name.to_owned())
}

/// Which request it is, so that one that has to be sent twice acts once.
fn fresh_key() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new("internal", format!("the system gives no random bytes: {error}"))
    })?;
    Ok(format!("mcp-{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_in_the_path_is_no_member_of_the_body() {
        let agent = AgentId::new("api-2").unwrap();
        let mut arguments = Map::new();
        arguments.insert("pr_id".to_owned(), json!("a/../b?c"));
        arguments.insert("title".to_owned(), json!("t"));
        let path = fill("/api/v1/prs/{pr_id}", &agent, &mut arguments);
        assert_eq!(path, "/api/v1/prs/a%2F..%2Fb%3Fc");
        assert_eq!(arguments.keys().collect::<Vec<_>>(), ["title"]);
        assert_eq!(
            fill("/api/v1/agents/{agent}/prs", &agent, &mut arguments),
            "/api/v1/agents/api-2/prs"
        );
    }

    #[test]
    fn each_call_has_a_key_of_its_own() {
        let (one, other) = (fresh_key().unwrap(), fresh_key().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), 36);
    }
}
