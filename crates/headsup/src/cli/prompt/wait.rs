//! `headsup prompt wait`

use super::{cancel, end};
use crate::cli::Context;
use crate::error::CommandError;
use headsup_core::wire::OnePromptDoc;

/// Wait for the end of a question that is open, and print the answer.
///
/// It ends with exit code 3 where the deadline came first and took no default, and with 7 where the
/// question was taken back. A restart of the hub in between does no harm.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question, as `prompt open` and `inbox` show it.
    prompt: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    cancel::is_id(&args.prompt)?;
    let client = context.client().await?;
    let path = format!("/api/v1/prompts/{}", args.prompt);
    let found = client.get_doc::<OnePromptDoc>(&path).await?;
    let ended = end::wait(&client, &found.prompt, context.output).await?;
    end::tell(&ended, context.output)
}
