//! `headsup task complete`

use super::json;
use crate::cli::Context;
use crate::client::{answer, resolve};
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::{CompleteBody, EffectDoc};
use headsup_core::work::effect::EffectState;
use serde::Deserialize;

/// Say that an agent has done what it was to do: its workflow is completed, and so is its task.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id, name, unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
    /// What was done, in Markdown; a comment on the task.
    summary: String,
    /// The pull request that it is in.
    #[arg(long, value_name = "URL")]
    pr_url: Option<String>,
    /// Leave the task's status as it is.
    #[arg(long)]
    keep_status: bool,
}

/// What has come of it at the task; a hub of an earlier version does not say.
#[derive(Deserialize)]
struct Effects {
    #[serde(default)]
    effects: Vec<EffectDoc>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let agent = resolve::agent(&client, &args.agent).await?.id;
    let Args { summary, pr_url, keep_status, .. } = args;
    let said = CompleteBody { summary, pr_url, mark_issue_done: !keep_status };
    let path = format!("/api/v1/agents/{agent}/task/complete");
    let receipt = client.post(&path, json(&said)?).await?;
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(&receipt));
    }
    context.output.say(&Line::plain(format!("headsup: {agent}: completed")));
    let Effects { effects } = answer::doc(&path, &receipt)?;
    for effect in effects.iter().filter(|effect| effect.state != EffectState::Done) {
        let why = effect.reason.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
        let (kind, state) = (effect.kind.word().replace('_', " "), effect.state.word());
        let told =
            format!("headsup: at {} {}: {kind} {state}{why}", effect.provider, effect.target);
        context.output.say(&Line::plain(told));
    }
    Ok(())
}
