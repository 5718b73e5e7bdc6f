//! `headsup pr review`

use super::{json, path, print};
use crate::cli::Context;
use crate::error::CommandError;
use headsup_core::wire::PullReviewBody;
use headsup_core::work::review::Opinion;

/// Say what you have found in the commit that was seen last: approve it, want changes, or remark something.
///
/// A commit that you have approved is merged for its agent without another question; one that you want
/// changed is not, and the agent's work, if it waits for its review, is `working` again.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("opinion").required(true).args(["approve", "request_changes", "comment"])))]
pub(crate) struct Args {
    /// The id, or its unambiguous ending or beginning.
    pr: String,
    /// It may be merged as it is.
    #[arg(long)]
    approve: bool,
    /// It may not: say in --body what is to be changed.
    #[arg(long, requires = "body")]
    request_changes: bool,
    /// Neither: something to remark, in --body.
    #[arg(long, requires = "body")]
    comment: bool,
    /// Markdown.
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,
    /// Only if this is the commit.
    #[arg(long, value_name = "SHA", value_parser = super::a_commit)]
    expect: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let path = path(&client, &args.pr).await?;
    let opinion = match (args.approve, args.request_changes) {
        (true, _) => Opinion::Approved,
        (_, true) => Opinion::ChangesRequested,
        _ => Opinion::Commented,
    };
    let said = PullReviewBody {
        state: opinion.word().to_owned(),
        body: args.body,
        expected_head_sha: args.expect,
    };
    let answer = client.post(&format!("{path}/reviews"), json(&said)?).await?;
    print(context, &path, &answer)
}
