//! `headsup rename`

use crate::cli::Context;
use crate::client::resolve;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::wire::AgentDoc;

/// Give an agent another name. Its id stays.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Its id, its name, an unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
    /// What people call it from now on.
    #[arg(allow_hyphen_values = true)]
    name: String,
}

const EXAMPLES: &str = "\
Examples:
  headsup rename api-2 front-end
  headsup rename . reviewer             inside an agent: itself";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let id = resolve::agent(&client, &args.agent).await?.id;
    let body = serde_json::json!({ "name": args.name }).to_string();
    let path = format!("/api/v1/agents/{id}");
    let receipt = client.patch(&path, Bytes::from(body)).await?;
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(&receipt));
    }
    // As it is kept, which need not be as it was typed.
    let name = client.get_doc::<AgentDoc<'static>>(&path).await?.name;
    context.output.say(&Line::plain(format!("headsup: {id} is called {name} now")));
    Ok(())
}
