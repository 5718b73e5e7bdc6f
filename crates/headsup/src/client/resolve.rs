//! From what people type to agents: an id, a name, an unambiguous beginning, or `.`.

use crate::client::Client;
use crate::client::answer::encode;
use crate::error::{CommandError, Kind};
use headsup_core::id::AgentId;
use headsup_core::wire::{AgentDoc, RosterDoc};

/// What in the environment of a command is the agent's that it runs in, and nobody else's.
pub(crate) const OF_AN_AGENT: [&str; 4] =
    ["HEADSUP_AGENT_ID", "HEADSUP_AGENT_TOKEN", "PANOPTICON_AGENT_ID", "BOB_SESSION_ID"];

/// How many agents are named in a message.
const NAMED: usize = 20;
/// Nobody has an id or a name that is as long, and no address could hold much more of one. Bytes.
const LONGEST: usize = 16 << 10;

/// The agent that this command runs in, if it runs in one.
pub(crate) fn own_id() -> Option<String> {
    let set = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
    set("HEADSUP_AGENT_ID").or_else(|| set("PANOPTICON_AGENT_ID"))
}

/// The agent that `reference` names.
pub(crate) async fn agent(
    client: &Client,
    reference: &str,
) -> Result<AgentDoc<'static>, CommandError> {
    if reference == "." {
        return own(client).await;
    }
    one(reference, matching(client, reference).await?)
        .and_then(|found| found.ok_or_else(|| nobody_called(reference)))
}

/// The agent that `reference` names as a whole, or `.`: what takes something away does not guess.
pub(crate) async fn exactly(
    client: &Client,
    reference: &str,
) -> Result<AgentDoc<'static>, CommandError> {
    if reference == "." {
        return own(client).await;
    }
    let found = matching(client, reference).await?;
    let begins = found.iter().filter(|agent| !is_called(agent, reference));
    let begins: Vec<String> = begins.map(|agent| agent.id.to_string()).take(NAMED).collect();
    called(reference, found)?.ok_or_else(|| match begins.as_slice() {
        [] => nobody_called(reference),
        begins => {
            let message =
                format!("no agent is called {reference:?}, and a beginning does not do here");
            CommandError::new(Kind::NotFound, message)
                .code("no_such_agent")
                .hint(format!("type the whole id or name, as {}", begins.join(", ")))
        }
    })
}

/// The id of the agent that `reference` names as a whole; without one `reference` itself, as the id
/// of an agent that may come to be.
pub(crate) async fn known_or_new(
    client: &Client,
    reference: &str,
) -> Result<AgentId, CommandError> {
    if reference == "." {
        return own_agent();
    }
    if let Some(agent) = called(reference, matching(client, reference).await?)? {
        return Ok(agent.id);
    }
    AgentId::new(reference)
        .map_err(|error| CommandError::usage(format!("{reference:?} is no id: {error}")))
}

async fn matching(
    client: &Client,
    reference: &str,
) -> Result<Vec<AgentDoc<'static>>, CommandError> {
    if reference.is_empty() {
        return Err(CommandError::usage(
            "an agent is called by its id or its name, and this is empty",
        )
        .hint("see them all: `headsup ls --all`"));
    }
    if reference.len() > LONGEST {
        return Ok(Vec::new());
    }
    let path = format!("/api/v1/agents?match={}", encode(reference));
    Ok(client.get_doc::<RosterDoc>(&path).await?.agents)
}

/// Those of `found` that are called so, and do not only begin like it.
fn called(
    reference: &str,
    mut found: Vec<AgentDoc<'static>>,
) -> Result<Option<AgentDoc<'static>>, CommandError> {
    found.retain(|agent| is_called(agent, reference));
    one(reference, found)
}

fn is_called(agent: &AgentDoc, reference: &str) -> bool {
    agent.id.as_str() == reference || agent.name == reference
}

fn one(
    reference: &str,
    mut found: Vec<AgentDoc<'static>>,
) -> Result<Option<AgentDoc<'static>>, CommandError> {
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => Err(ambiguous(reference, &found)),
    }
}

fn nobody_called(reference: &str) -> CommandError {
    CommandError::new(Kind::NotFound, format!("no agent is called {reference:?}"))
        .code("no_such_agent")
        .hint("see them all: `headsup ls --all`")
}

/// The agents that `references` name, each once.
pub(crate) async fn agents(
    client: &Client,
    references: &[String],
) -> Result<Vec<AgentDoc<'static>>, CommandError> {
    let mut agents: Vec<AgentDoc<'static>> = Vec::new();
    for reference in references {
        let found = agent(client, reference).await?;
        if agents.iter().all(|known| known.id != found.id) {
            agents.push(found);
        }
    }
    Ok(agents)
}

async fn own(client: &Client) -> Result<AgentDoc<'static>, CommandError> {
    by_id(client, own_agent()?.as_str()).await
}

/// The agent that this command runs in.
fn own_agent() -> Result<AgentId, CommandError> {
    let nobody = |message: &str| CommandError::new(Kind::NotFound, message).code("no_such_agent");
    let Some(id) = own_id() else {
        return Err(nobody("`.` is the agent that a command runs in, and this is none")
            .hint("HEADSUP_AGENT_ID is not set; name the agent instead"));
    };
    AgentId::new(id).map_err(|error| nobody(&format!("HEADSUP_AGENT_ID is no agent id: {error}")))
}

/// The agent with exactly this id.
pub(crate) async fn by_id(client: &Client, id: &str) -> Result<AgentDoc<'static>, CommandError> {
    client.get_doc(&format!("/api/v1/agents/{id}")).await
}

fn ambiguous(reference: &str, found: &[AgentDoc]) -> CommandError {
    let ids: Vec<&str> = found.iter().map(|agent| agent.id.as_str()).take(NAMED).collect();
    let more = match found.len() - ids.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("{reference:?} may be {}{more}", ids.join(", "));
    CommandError::new(Kind::Ambiguous, message).hint("type more of the id")
}
