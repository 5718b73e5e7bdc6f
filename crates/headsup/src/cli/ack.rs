//! `headsup ack`

use crate::cli::Context;
use crate::client::{Client, resolve};
use crate::error::CommandError;
use crate::output::Output;
use crate::output::inbox;
use crate::output::line::Line;
use crate::output::roster::View;
use bytes::Bytes;
use headsup_core::id::AgentId;
use headsup_core::prompt::Answerable;
use headsup_core::status::Headline;
use headsup_core::wire::{AgentDoc, RosterDoc, SCHEMA};
use headsup_core::words::{self, Remains};
use headsup_core::workflow::Stage;
use serde::Serialize;

/// Mark outcomes as seen: `done` and `failed` become `idle`, and what has crashed or ended leaves the inbox.
///
/// What waits for an answer or for a move of its workflow goes on waiting: it is said with what ends
/// that, and `next` leads to all others before it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ids, names, unambiguous beginnings, or `.` for the agent this runs in.
    #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "AGENT")]
    agents: Vec<String>,
    /// Every outcome and every crash that nobody has seen, and whoever is stuck.
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
    /// Whose outcome or crash is seen now, and was not.
    agents: Vec<AgentId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<WaitingDoc>,
}

/// One that waits all the same.
#[derive(Serialize)]
struct WaitingDoc {
    agent_id: AgentId,
    headline: Headline,
    /// What it waits for, in its own words.
    reason: Option<String>,
    /// What ends that.
    hint: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let agents = match args.all {
        true => everyone(&client).await?,
        false => resolve::agents(&client, &args.agents).await?,
    };
    for agent in &agents {
        client.post(&format!("/api/v1/agents/{}/seen", agent.id), Bytes::new()).await?;
    }
    let view = View::here(context.output);
    let waiting: Vec<WaitingDoc> =
        agents.iter().filter_map(|agent| waiting(agent, &view)).collect();
    let unseen = agents.into_iter().filter(|agent| !agent.seen);
    let agents: Vec<AgentId> = unseen.map(|agent| agent.id).collect();
    if context.output.is_json() {
        return Output::json(&AckDoc { schema: SCHEMA, agents, waiting });
    }
    if !agents.is_empty() {
        let ids: Vec<&str> = agents.iter().map(AgentId::as_str).collect();
        context.output.say(&Line::plain(format!("headsup: seen: {}", ids.join(", "))));
    } else if waiting.is_empty() {
        context.output.say(&Line::plain("headsup: nothing is unseen"));
    }
    for WaitingDoc { agent_id, headline, reason, hint } in waiting {
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        let word = headline.word();
        let said = format!("headsup: {agent_id} waits all the same, {word}{reason}: {hint}");
        context.output.say(&Line::plain(said));
    }
    Ok(())
}

/// Whoever has a line of its own in the inbox, and whoever has ended something that nobody has seen.
async fn everyone(client: &Client) -> Result<Vec<AgentDoc<'static>>, CommandError> {
    let roster = client.get_doc::<RosterDoc>("/api/v1/agents?all=true").await?;
    let has_ended =
        |agent: &AgentDoc| agent.outcome.is_some() || agent.headline == Headline::Crashed;
    let is_unseen = |agent: &AgentDoc| !agent.seen && has_ended(agent);
    let concerns = |agent: &AgentDoc| is_unseen(agent) || agent.is_in_inbox();
    Ok(roster.agents.into_iter().filter(concerns).collect())
}

fn waiting(agent: &AgentDoc, view: &View) -> Option<WaitingDoc> {
    let AgentDoc { id, headline, .. } = agent;
    let hint = match words::remains(agent)? {
        Remains::Answer(prompt) => {
            let how = inbox::how(prompt, Some(agent), view).render(false);
            let is_command = prompt.answerable.contains(&Answerable::Api);
            if is_command { format!("`{how}`") } else { how }
        }
        Remains::Word => inbox::place(Some(agent), view).render(false),
        Remains::Stage(Stage::AwaitingReview) => {
            format!(
                "`headsup stage {id} completed` accepts it, `headsup stage {id} working` gives it back"
            )
        }
        Remains::Stage(Stage::Failed) => format!(
            "its workflow is over; its next prompt begins a new one, as does `headsup report working --agent {id}`"
        ),
        Remains::Stage(_) => format!("`headsup stage {id} working` lets it go on"),
    };
    let reason = words::brief(agent).map(std::borrow::Cow::into_owned);
    Some(WaitingDoc { agent_id: id.clone(), headline: *headline, reason, hint })
}
