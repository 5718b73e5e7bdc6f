//! `headsup report`

use crate::cli::Context;
use crate::client::resolve;
use crate::error::CommandError;
use crate::output::Output;
use bytes::Bytes;
use headsup_core::id::AgentId;
use headsup_core::wire::{ReportBody, SCHEMA};
use serde::{Deserialize, Serialize};

/// Say what an agent is doing; for anything that has no hooks of its own.
///
/// An agent that is not in the roster yet is registered by its first report.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What it is doing. `done` and `failed` end a turn with that outcome.
    #[arg(value_parser = ["idle", "working", "blocked", "done", "failed"])]
    state: String,
    /// Why: for working `model`, `tool` and the like, for blocked `permission`, `question`
    /// and the like.
    #[arg(long, value_name = "R")]
    reason: Option<String>,
    /// A few words for people.
    #[arg(long, value_name = "TEXT")]
    detail: Option<String>,
    /// The agent, by its id or its whole name; without it the one this command runs in
    /// (`HEADSUP_AGENT_ID`).
    #[arg(long, value_name = "A")]
    agent: Option<String>,
    /// How the turn ended, with idle: `completed`, `failed`, `interrupted`, or `failed:CODE`.
    #[arg(long, value_name = "O")]
    outcome: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  headsup report working --agent nightly --detail 'building'
  headsup report blocked --reason question --detail 'which branch?'
  headsup report idle --outcome failed:tests";

#[derive(Deserialize)]
struct Accepted {
    cursor: String,
}

#[derive(Serialize)]
struct ReportDoc<'a> {
    schema: u32,
    cursor: &'a str,
    agent_id: &'a AgentId,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    if args.agent.is_none() && resolve::own_id().is_none() {
        return Err(CommandError::usage("whose report is it? This command runs in no agent")
            .hint("name the agent with --agent, or set HEADSUP_AGENT_ID"));
    }
    let body = ReportBody {
        turn: Some(args.state),
        reason: args.reason,
        detail: args.detail,
        outcome: args.outcome,
        ..ReportBody::default()
    };
    body.parse().map_err(|error| CommandError::usage(error.to_string()))?;
    let json = serde_json::to_vec(&body)
        .map_err(|error| CommandError::internal(format!("cannot write the report: {error}")))?;
    let client = context.client().await?;
    let id = resolve::known_or_new(&client, args.agent.as_deref().unwrap_or(".")).await?;
    let path = format!("/api/v1/agents/{id}/reports");
    let answer = client.post(&path, Bytes::from(json)).await?;
    if !context.output.is_json() {
        return Ok(());
    }
    let accepted = crate::client::answer::doc::<Accepted>(&path, &answer)?;
    Output::json(&ReportDoc { schema: SCHEMA, cursor: &accepted.cursor, agent_id: &id })
}
