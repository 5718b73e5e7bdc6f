//! `headsup pr update`

use super::{json, path, print};
use crate::cli::Context;
use crate::error::CommandError;
use headsup_core::wire::PullChangeBody;

/// Change what a pull request says of itself; close it, or open it again.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("change").required(true).multiple(true).args(["title", "body", "state"])))]
pub(crate) struct Args {
    /// The id, or its unambiguous ending or beginning.
    pr: String,
    /// What it is about from now on.
    #[arg(long)]
    title: Option<String>,
    /// Markdown; an empty text takes away what is there.
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,
    /// Close it, or open it again.
    #[arg(long, value_parser = ["open", "closed"])]
    state: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let Args { pr, title, body, state } = args;
    let path = path(&client, &pr).await?;
    let answer =
        client.patch(&path, json(&PullChangeBody { title, body, state, draft: None })?).await?;
    print(context, &path, &answer)
}
