//! `headsup pr`

mod create;
mod list;
mod merge;
mod ready;
mod refresh;
mod review;
mod show;
mod update;

use crate::cli::Context;
use crate::client::Client;
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use crate::output::theme;
use bytes::Bytes;
use headsup_core::wire::{PullDoc, PullsDoc};
use headsup_core::work::pull::is_commit;
use serde::Serialize;

/// Pull requests, on the repository itself: branches of this machine, merged by git. Where the settings say
/// so, they are GitHub's.
///
/// An id is a UUID; its unambiguous ending or beginning will do. Nobody's checkout is worked in: a merge is worked
/// out elsewhere, and a checkout of the branch that is merged into follows it as with a pull.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    Create(create::Args),
    Ls(list::Args),
    #[command(visible_alias = "status")]
    Show(show::Args),
    Update(update::Args),
    Ready(ready::Args),
    Refresh(refresh::Args),
    Review(review::Args),
    Merge(merge::Args),
}

const EXAMPLES: &str = "\
Examples:
  headsup pr create 'Log in with a passkey' --head feature/login
  headsup pr create 'Log in' --head feature/login --agent api
  headsup pr ls --state open
  headsup pr review 3f9c --approve
  headsup pr review 3f9c --request-changes --body 'name the key'
  headsup pr merge 3f9c --method squash";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    match args.act {
        Act::Create(args) => create::run(args, context).await,
        Act::Ls(args) => list::run(args, context).await,
        Act::Show(args) => show::run(args, context).await,
        Act::Update(args) => update::run(args, context).await,
        Act::Ready(args) => ready::run(args, context).await,
        Act::Refresh(args) => refresh::run(args, context).await,
        Act::Review(args) => review::run(args, context).await,
        Act::Merge(args) => merge::run(args, context).await,
    }
}

/// For the argument parser.
fn a_commit(text: &str) -> Result<String, &'static str> {
    let is_one = is_commit(text);
    is_one.then(|| text.to_owned()).ok_or("give the full name of a commit, as `git rev-parse` does")
}

/// The route of the pull request that is meant.
async fn path(client: &Client, given: &str) -> Result<String, CommandError> {
    let prs = client.get_doc::<PullsDoc>("/api/v1/prs?limit=1000").await?.prs;
    let ids: Vec<String> = prs.into_iter().map(|pr| pr.id).collect();
    Ok(format!("/api/v1/prs/{}", meant(&ids, given)?))
}

/// The id that ends, or else begins, like this: the beginning of a UUID is a time, and much alike, so that lists show
/// the ending.
fn meant<'a>(ids: &'a [String], given: &str) -> Result<&'a str, CommandError> {
    // A UUID is the same in any case.
    let given = given.to_ascii_lowercase();
    let mut found: Vec<&String> = ids.iter().filter(|id| id.ends_with(&given)).collect();
    if found.is_empty() {
        found = ids.iter().filter(|id| id.starts_with(&given)).collect();
    }
    match found.as_slice() {
        [id] if !given.is_empty() => Ok(id.as_str()),
        [_, _, ..] if !given.is_empty() => {
            let message = format!("several pull requests end or begin like {given:?}");
            Err(CommandError::new(Kind::Ambiguous, message).hint("type more of the id"))
        }
        _ => {
            let message = format!("there is no pull request {given:?}");
            Err(CommandError::new(Kind::NotFound, message)
                .code("no_such_pr")
                .hint("see them all: `headsup pr ls`"))
        }
    }
}

fn json(body: &impl Serialize) -> Result<Bytes, CommandError> {
    let body = serde_json::to_vec(body);
    let body =
        body.map_err(|error| CommandError::internal(format!("cannot write the request: {error}")))?;
    Ok(Bytes::from(body))
}

/// Letters of an id that tell two of them apart.
const SHORT: usize = 8;

fn short(pr: &PullDoc) -> &str {
    pr.id.get(pr.id.len().saturating_sub(SHORT)..).unwrap_or(&pr.id)
}

/// A pull request whole.
fn show(context: &Context, pr: &PullDoc) -> Result<(), CommandError> {
    let field = |name: &str, value: String| Line::plain(name).pad(12).then(value);
    let head = Line::new().styled(theme::STRONG, &pr.id).then("  ").then(&pr.title);
    let draft = if pr.draft { ", a draft" } else { "" };
    let mut lines = vec![head, field("state", format!("{}{draft}", pr.state.word()))];
    lines.push(field("branches", format!("{} into {}", pr.head_branch, pr.base_branch)));
    lines.push(field("repository", pr.remote.clone().unwrap_or_else(|| pr.repo.clone())));
    if pr.remote.is_some() {
        lines.push(field("url", pr.url.clone()));
    }
    lines.push(field("commit", pr.head_sha.clone()));
    let (files, plus, minus) = (pr.changed_files, pr.additions, pr.deletions);
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    lines.push(field("changes", format!("{files}, +{plus} -{minus}")));
    if pr.mergeable {
        lines.push(field("mergeable", "yes".to_owned()));
    } else if let Some(why) = &pr.mergeable_reason {
        lines.push(field("mergeable", format!("no: {why}")));
    }
    lines.extend(pr.checks.iter().map(|check| field("check", check.clone())));
    for review in &pr.reviews {
        let mut said = review.lines();
        lines.push(field("review", said.next().unwrap_or_default().to_owned()));
        lines.extend(said.map(|more| field("", more.to_owned())));
    }
    let of = |agent: &headsup_core::id::AgentId| field("agent", agent.to_string());
    lines.extend(pr.agent_id.as_ref().map(of));
    lines.extend(pr.task.as_ref().map(|task| field("task", task.clone())));
    lines.extend(pr.merge_sha.as_ref().map(|sha| field("merged as", sha.clone())));
    for file in &pr.files {
        let (plus, minus) = (file.additions, file.deletions);
        lines.push(Line::plain(format!("  +{plus} -{minus}  {}", file.path)));
    }
    lines.extend(
        pr.body.iter().flat_map(|body| body.lines()).map(|line| Line::plain(format!("  {line}"))),
    );
    context.output.lines(&lines)
}

/// What a route answered, for people or for scripts.
fn print(context: &Context, path: &str, answer: &Bytes) -> Result<(), CommandError> {
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(answer));
    }
    show(context, &crate::client::answer::doc::<PullDoc>(path, answer)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_known_by_its_ending_or_its_beginning() {
        let ids = ["01a220a7-443f-777a-b552-48d9988d3d00", "01a220a7-9c11-7001-8001-0000000001a2"];
        let ids = ids.map(str::to_owned);
        let known = |given: &str| meant(&ids, given).map_err(|error| error.kind);
        for first in ["988D3D00", "988d3d00", "01a220a7-4", ids[0].as_str()] {
            assert_eq!(known(first), Ok(ids[0].as_str()), "{first}");
        }
        assert_eq!(
            known("01a2"),
            Ok(ids[1].as_str()),
            "an ending comes first: it is what lists show"
        );
        assert_eq!(known("01a220a7"), Err(Kind::Ambiguous));
        for none in ["", "443f", "nope"] {
            assert_eq!(known(none), Err(Kind::NotFound), "{none}");
        }
    }
}
