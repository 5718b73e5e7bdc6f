//! `headsup forget`

use crate::cli::Context;
use crate::client::resolve;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;

/// Remove an agent from the roster, with what is kept of it.
///
/// One that still runs is only forgotten with --force, and comes back with its next event.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Its whole id, its whole name, or `.` for the agent this runs in.
    agent: String,
    /// Even if it still runs.
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  headsup forget api-old
  headsup forget test --force";

const STILL_RUNS: &str = "end it first, or use --force: it comes back with its next event";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let id = resolve::exactly(&client, &args.agent).await?.id;
    let force = if args.force { "?force=true" } else { "" };
    let answer = client.delete(&format!("/api/v1/agents/{id}{force}")).await;
    let answer = answer.map_err(|error| match error.code.as_str() {
        // The hub speaks of its own parameter.
        "agent_running" => CommandError { hints: vec![STILL_RUNS.to_owned()], ..error },
        _ => error,
    })?;
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(&answer));
    }
    context.output.say(&Line::plain(format!("headsup: forgot {id}")));
    Ok(())
}
