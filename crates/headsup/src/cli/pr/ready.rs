//! `headsup pr ready`

use super::{json, path, print};
use crate::cli::Context;
use crate::error::CommandError;
use headsup_core::wire::PullChangeBody;

/// Say that a draft is ready to be merged; or that it is a draft again.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id, or its unambiguous ending or beginning.
    pr: String,
    /// It is a draft again.
    #[arg(long)]
    undo: bool,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let path = path(&client, &args.pr).await?;
    let said = PullChangeBody { draft: Some(args.undo), ..PullChangeBody::default() };
    let answer = client.patch(&path, json(&said)?).await?;
    print(context, &path, &answer)
}
