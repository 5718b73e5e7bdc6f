//! `headsup stop`

use super::suspend::leave;
use crate::cli::Context;
use crate::client::resolve;
use crate::error::CommandError;

/// End the process of an agent, whatever it does.
///
/// It is asked to go, and ended by force where it has not gone after 5 s. Nothing is lost of its
/// conversation: its own program takes that up again.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Id, name or unambiguous beginning.
    agent: String,
}

const EXAMPLES: &str = "\
Examples:
  headsup stop api";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let id = resolve::agent(&client, &args.agent).await?.id;
    leave(&client, &id, "stop", "ended", context).await
}
