//! `headsup pr merge`

use super::{json, path, short};
use crate::cli::Context;
use crate::client::answer;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::{MergeBody, MergedDoc, PendingMergeDoc};

/// Merge the commit that was seen last, and no other.
///
/// Where an agent calls for it and people decide about merges, a person is asked, and the hub merges that very
/// commit once the answer is yes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The id, or its unambiguous ending or beginning.
    pr: String,
    /// One commit with two parents, one with all of it, or each commit again on top.
    #[arg(long, default_value = "merge", value_parser = ["merge", "squash", "rebase"])]
    method: String,
    /// Only if this is the commit.
    #[arg(long, value_name = "SHA", value_parser = super::a_commit)]
    expect: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let path = format!("{}/merge", path(&client, &args.pr).await?);
    let said = MergeBody { merge_method: Some(args.method), expected_head_sha: args.expect };
    let answer = client.post(&path, json(&said)?).await?;
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(&answer));
    }
    // Only what a person is asked about names a prompt.
    if let Ok(asked) = serde_json::from_slice::<PendingMergeDoc>(&answer) {
        return told(&asked, context);
    }
    let MergedDoc { already_merged, pr, .. } = answer::doc(&path, &answer)?;
    let was = if already_merged { "was merged before" } else { "is merged" };
    let (into, sha) = (&pr.base_branch, pr.merge_sha.as_deref().unwrap_or_default());
    let said = format!("headsup: {} {was} into {into}, as {sha}", short(&pr));
    context.output.say(&Line::plain(said));
    Ok(())
}

/// It is not merged yet, and may never be.
fn told(asked: &PendingMergeDoc, context: &Context) -> Result<(), CommandError> {
    let PendingMergeDoc { prompt_id, pr, .. } = asked;
    let (short, into) = (short(pr), &pr.base_branch);
    for said in [
        format!(
            "headsup: a person is asked whether {short} comes into {into}, in {prompt_id}; it is merged once that says yes"
        ),
        format!("headsup: to wait for the answer: `headsup prompt wait {prompt_id}`"),
    ] {
        context.output.say(&Line::plain(said));
    }
    context.output.line(&Line::plain(prompt_id))
}
