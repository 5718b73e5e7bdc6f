//! `headsup pr ls`

use super::short;
use crate::cli::Context;
use crate::client::resolve;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::PullsDoc;

/// List pull requests, the last changed first.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only those that are so.
    #[arg(long, value_parser = ["open", "closed", "merged"])]
    state: Option<String>,
    /// Only those of one agent.
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let of = match args.agent {
        Some(agent) => format!("/agents/{}", resolve::agent(&client, &agent).await?.id),
        None => String::new(),
    };
    let state = args.state.map(|state| format!("&state={state}")).unwrap_or_default();
    let path = format!("/api/v1{of}/prs?limit=1000{state}");
    if context.output.is_json() {
        return Output::json_text(&client.get_text(&path).await?);
    }
    let prs = client.get_doc::<PullsDoc>(&path).await?.prs;
    if prs.is_empty() {
        context.output.say(&Line::plain("headsup: there is no such pull request"));
    }
    let lines = prs.iter().map(|pr| {
        let line = Line::plain(short(pr)).then("  ").then(pr.state.word()).pad(18).then(&pr.title);
        let line = line.then(format!("  ({} into {})", pr.head_branch, pr.base_branch));
        match Output::width() {
            Some(width) => line.cut(width),
            None => line,
        }
    });
    context.output.lines(&lines.collect::<Vec<_>>())
}
