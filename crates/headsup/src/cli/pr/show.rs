//! `headsup pr show`

use super::{path, print};
use crate::cli::Context;
use crate::error::CommandError;

/// Show a pull request whole, as it was seen last.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id, or its unambiguous ending or beginning.
    pr: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let path = path(&client, &args.pr).await?;
    let answer = client.get(&path).await?;
    print(context, &path, &answer)
}
