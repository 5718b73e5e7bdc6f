//! `headsup pr create`

use super::json;
use crate::cli::Context;
use crate::client::{answer, resolve};
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::{NewPullBody, OnePullDoc};

/// Open a pull request of a branch of the repository you are in; its id is printed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What it is about, in a few words.
    title: String,
    /// The branch with the work.
    #[arg(long, value_name = "BRANCH")]
    head: String,
    /// The branch to merge into; else the repository's default, main or master.
    #[arg(long, value_name = "BRANCH")]
    base: Option<String>,
    /// More of it, in Markdown.
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,
    /// It is not to be merged yet.
    #[arg(long)]
    draft: bool,
    /// The agent whose work it is, in the repository that it works in; where that is not known, in the one you are in.
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let Args { title, head, base, body, draft, agent } = args;
    let here = || std::env::current_dir().ok()?.to_str().map(str::to_owned);
    let (path, folder) = match agent {
        Some(agent) => {
            let agent = resolve::agent(&client, &agent).await?;
            // Of one that only reports, nobody knows where it works.
            let folder = if agent.cwd.is_none() { here() } else { None };
            (format!("/api/v1/agents/{}/prs", agent.id), folder)
        }
        None => ("/api/v1/prs".to_owned(), here()),
    };
    let said = NewPullBody { title, head_branch: head, body, base_branch: base, draft, folder };
    let made = client.post(&path, json(&said)?).await?;
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(&made));
    }
    let OnePullDoc { existing, pr, .. } = answer::doc(&path, &made)?;
    if existing {
        context.output.say(&Line::plain("headsup: there is an open one of these branches"));
    }
    if let Some(why) = pr.mergeable_reason {
        context.output.say(&Line::plain(format!("headsup: it cannot be merged yet: {why}")));
    }
    context.output.line(&Line::plain(pr.id))
}
