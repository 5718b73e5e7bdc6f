//! `headsup ack`

use crate::cli::Context;
use crate::client::{Client, resolve};
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::id::AgentId;
use headsup_core::status::Headline;
use headsup_core::wire::{AgentDoc, RosterDoc, SCHEMA};
use serde::Serialize;

/// Mark outcomes as seen: `done` and `failed` become `idle`, and a crash leaves the inbox.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ids, names, unambiguous beginnings, or `.` for the agent this runs in.
    #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "AGENT")]
    agents: Vec<String>,
    /// Every outcome and every crash that nobody has seen.
    #[arg(long)]
    all: bool,
}

const EXAMPLES: &str = "\
Examples:
  headsup ack api web
  headsup ack --all";

#[derive(Serialize)]
struct AckDoc {
    schema: u32,
    agents: Vec<AgentId>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let agents = if args.all {
        unseen(&client).await?
    } else {
        resolve::agents(&client, &args.agents).await?
    };
    for agent in &agents {
        client.post(&format!("/api/v1/agents/{}/seen", agent.id), Bytes::new()).await?;
    }
    let agents: Vec<AgentId> = agents.into_iter().map(|agent| agent.id).collect();
    if context.output.is_json() {
        return Output::json(&AckDoc { schema: SCHEMA, agents });
    }
    let said = match agents.as_slice() {
        [] => "headsup: nothing is unseen".to_owned(),
        ids => {
            let ids: Vec<&str> = ids.iter().map(AgentId::as_str).collect();
            format!("headsup: seen: {}", ids.join(", "))
        }
    };
    context.output.say(&Line::plain(said));
    Ok(())
}

async fn unseen(client: &Client) -> Result<Vec<AgentDoc>, CommandError> {
    let roster = client.get_doc::<RosterDoc>("/api/v1/agents?all=true").await?;
    let has_ended =
        |agent: &AgentDoc| agent.outcome.is_some() || agent.headline == Headline::Crashed;
    let is_unseen = |agent: &AgentDoc| !agent.seen && has_ended(agent);
    Ok(roster.agents.into_iter().filter(is_unseen).collect())
}
