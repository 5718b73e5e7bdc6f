//! From what people type to agents: an id, a name, an unambiguous beginning, or `.`.

use crate::client::Client;
use crate::client::answer::encode;
use crate::error::{CommandError, Kind};
use headsup_core::id::AgentId;
use headsup_core::wire::{AgentDoc, RosterDoc};

/// The agent that this command runs in, if it runs in one.
pub(crate) fn own_id() -> Option<String> {
    let set = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
    set("HEADSUP_AGENT_ID").or_else(|| set("PANOPTICON_AGENT_ID"))
}

/// The agent that `reference` names.
pub(crate) async fn agent(client: &Client, reference: &str) -> Result<AgentDoc, CommandError> {
    if reference == "." {
        return own(client).await;
    }
    let path = format!("/api/v1/agents?match={}", encode(reference));
    let roster = client.get_doc::<RosterDoc>(&path).await?;
    let mut found = roster.agents;
    if found.len() > 1 {
        return Err(ambiguous(reference, &found));
    }
    if let Some(agent) = found.pop() {
        return Ok(agent);
    }
    Err(CommandError::new(Kind::NotFound, format!("no agent is called {reference:?}"))
        .code("no_such_agent")
        .hint("see them all: `headsup ls --all`"))
}

/// The agents that `references` name, each once.
pub(crate) async fn agents(
    client: &Client,
    references: &[String],
) -> Result<Vec<AgentDoc>, CommandError> {
    let mut agents: Vec<AgentDoc> = Vec::new();
    for reference in references {
        let found = agent(client, reference).await?;
        if agents.iter().all(|known| known.id != found.id) {
            agents.push(found);
        }
    }
    Ok(agents)
}

async fn own(client: &Client) -> Result<AgentDoc, CommandError> {
    let nobody = |message: &str| CommandError::new(Kind::NotFound, message).code("no_such_agent");
    let Some(id) = own_id() else {
        return Err(nobody("`.` is the agent that a command runs in, and this is none")
            .hint("HEADSUP_AGENT_ID is not set; name the agent instead"));
    };
    let id = AgentId::new(id)
        .map_err(|error| nobody(&format!("HEADSUP_AGENT_ID is no agent id: {error}")))?;
    by_id(client, id.as_str()).await
}

/// The agent with exactly this id.
pub(crate) async fn by_id(client: &Client, id: &str) -> Result<AgentDoc, CommandError> {
    client.get_doc(&format!("/api/v1/agents/{id}")).await
}

fn ambiguous(reference: &str, found: &[AgentDoc]) -> CommandError {
    let ids: Vec<&str> = found.iter().map(|agent| agent.id.as_str()).take(20).collect();
    let more = match found.len() - ids.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("{reference:?} may be {}{more}", ids.join(", "));
    CommandError::new(Kind::Ambiguous, message).hint("type more of the id")
}
