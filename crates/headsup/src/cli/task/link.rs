//! `headsup task link`

use super::json;
use crate::cli::Context;
use crate::client::{answer, resolve};
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::{AgentTaskDoc, LinkBody};

/// Say which task an agent works on.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id, name, unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
    /// The task's identifier.
    task: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let agent = resolve::agent(&client, &args.agent).await?.id;
    let path = format!("/api/v1/agents/{agent}/task");
    let linked = client.put(&path, json(&LinkBody { task_identifier: args.task })?).await?;
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(&linked));
    }
    let linked: AgentTaskDoc = answer::doc(&path, &linked)?;
    let task = linked.task.map(|task| format!("{} ({})", task.identifier, task.title));
    let said = format!("headsup: {agent} works on {}", task.unwrap_or_default());
    context.output.say(&Line::plain(said));
    Ok(())
}
