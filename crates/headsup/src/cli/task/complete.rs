//! `headsup task complete`

use super::json;
use crate::cli::Context;
use crate::client::resolve;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::CompleteBody;

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

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let agent = resolve::agent(&client, &args.agent).await?.id;
    let Args { summary, pr_url, keep_status, .. } = args;
    let said = CompleteBody { summary, pr_url, mark_issue_done: !keep_status };
    let receipt =
        client.post(&format!("/api/v1/agents/{agent}/task/complete"), json(&said)?).await?;
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(&receipt));
    }
    context.output.say(&Line::plain(format!("headsup: {agent}: completed")));
    Ok(())
}
