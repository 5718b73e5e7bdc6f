//! `headsup task status`

use super::{Target, json, undone};
use crate::cli::Context;
use crate::client::answer;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::{OneTaskDoc, TaskStatusBody};
use headsup_core::work::effect::EffectKind;

/// Say where a task stands.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its identifier, or an agent that works on it.
    #[arg(value_name = "TASK")]
    task: String,
    #[arg(value_parser = ["todo", "in_progress", "in_review", "done"])]
    status: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let body = json(&TaskStatusBody { status: args.status })?;
    let target = Target::find(&client, &args.task).await?;
    let path = target.path();
    let changed = match &target {
        Target::Task(_) => client.patch(&path, body).await?,
        Target::Agent(_) => client.post(&format!("{path}/status"), body).await?,
    };
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(&changed));
    }
    let task = answer::doc::<OneTaskDoc>(&path, &changed)?.task;
    let said = format!("headsup: {}: {}", task.identifier, task.status.word());
    context.output.say(&Line::plain(said));
    undone(context, &task.effects, EffectKind::TaskStatus);
    if let Some(note) = &task.note {
        context.output.say(&Line::plain(format!("headsup: {note}")));
    }
    Ok(())
}
