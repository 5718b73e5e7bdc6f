//! `headsup explain`

use crate::cli::Context;
use crate::client::resolve;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::{age, explain};
use headsup_core::wire::ExplainDoc;

/// Say why an agent's status is what it is: who says so, how sure, and who was not believed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Its id, its name, an unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
}

const EXAMPLES: &str = "\
Examples:
  headsup explain api
  headsup explain api --json | jq .dimensions.turn.winner";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let agent = resolve::agent(&client, &args.agent).await?;
    let path = format!("/api/v1/agents/{}/explain", agent.id);
    if context.output.is_json() {
        return Output::json_text(&client.get_text(&path).await?);
    }
    let doc = client.get_doc::<ExplainDoc>(&path).await?;
    context.output.lines(&explain::lines(&doc, &agent.name, age::now()))
}
