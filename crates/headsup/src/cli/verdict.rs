//! `headsup verdict`

use crate::cli::Context;
use crate::client::resolve;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::id::AgentId;
use headsup_core::wire::{SCHEMA, VerdictBody};
use serde::Serialize;

/// Say what an agent found of a task: a fact about the task, which moves nobody's status.
///
/// The last word on each task is kept; `headsup show` lists them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Id, name, unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
    /// `blocked`: something must be put right before it can be said.
    #[arg(value_parser = ["passed", "blocked", "failed", "in_progress"])]
    verdict: String,
    /// The task, by whatever name its tracker has for it.
    #[arg(long, value_name = "T")]
    task: String,
    /// A few words for people.
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  headsup verdict reviewer --task APP-12 passed
  headsup verdict . --task APP-12 blocked --notes 'the tests do not build'";

#[derive(Serialize)]
struct VerdictDoc<'a> {
    schema: u32,
    agent_id: &'a AgentId,
    #[serde(flatten)]
    said: VerdictBody,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let agent = resolve::agent(&client, &args.agent).await?;
    let said = VerdictBody { task: args.task, verdict: args.verdict, notes: args.notes };
    let body = serde_json::to_vec(&said)
        .map_err(|error| CommandError::internal(format!("cannot write the verdict: {error}")))?;
    client.post(&format!("/api/v1/agents/{}/verdicts", agent.id), Bytes::from(body)).await?;
    if context.output.is_json() {
        return Output::json(&VerdictDoc { schema: SCHEMA, agent_id: &agent.id, said });
    }
    let VerdictBody { task, verdict, .. } = said;
    context.output.say(&Line::plain(format!("headsup: {}: {task}: {verdict}", agent.id)));
    Ok(())
}
