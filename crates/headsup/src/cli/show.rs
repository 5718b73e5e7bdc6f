//! `headsup show`

use crate::cli::{Context, inbox};
use crate::client::resolve;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::roster::View;
use crate::output::sheet;

/// Show one agent whole: every dimension of its status, its prompts, and where it is.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Its id, its name, an unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
}

const EXAMPLES: &str = "\
Examples:
  headsup show api
  headsup show . --json                 inside an agent: itself";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let agent = resolve::agent(&client, &args.agent).await?;
    if context.output.is_json() {
        let path = format!("/api/v1/agents/{}", agent.id);
        Output::json_text(&client.get_text(&path).await?)?;
    } else {
        context.output.lines(&sheet::lines(&agent, &View::here(context.output)))?;
    }
    inbox::mark_seen(&client, &agent.prompts).await;
    Ok(())
}
