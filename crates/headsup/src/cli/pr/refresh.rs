//! `headsup pr refresh`

use super::{path, print};
use crate::cli::Context;
use crate::error::CommandError;
use bytes::Bytes;

/// Look at the branches again, and show the pull request as it is now.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id, or its unambiguous ending or beginning.
    pr: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let path = path(&client, &args.pr).await?;
    let answer = client.post(&format!("{path}/refresh"), Bytes::new()).await?;
    print(context, &path, &answer)
}
