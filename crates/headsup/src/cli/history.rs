//! `headsup history`

use crate::cli::Context;
use crate::client::resolve;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::age;
use crate::output::line::Line;
use crate::output::theme;
use headsup_core::time::UnixMs;
use headsup_core::wire::{HistoryDoc, IntervalDoc};

/// Show how long an agent was in which state.
///
/// With `--json` it carries samples of the processor time and memory of its process beside that, each with
/// what the agent did then.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Its id, its name, an unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
    /// Leave out what lies before this moment, as 2026-11-21T09:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    from: Option<UnixMs>,
    /// Leave out what lies behind this moment.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    to: Option<UnixMs>,
}

const EXAMPLES: &str = "\
Examples:
  headsup history api
  headsup history api --from 2026-11-21T09:00:00Z
  headsup history api --json | jq '.intervals[] | select(.turn == \"blocked\")'";

fn moment(text: &str) -> Result<UnixMs, String> {
    UnixMs::parse(text).ok_or_else(|| "not a time: it is 2026-11-21T09:00:00Z".to_owned())
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let id = resolve::agent(&client, &args.agent).await?.id;
    let bounds = [("from", args.from), ("to", args.to)];
    let bounds = bounds.iter().filter_map(|(name, at)| Some(format!("{name}={}", (*at)?)));
    let path = format!("/api/v1/agents/{id}/history?{}", bounds.collect::<Vec<_>>().join("&"));
    if context.output.is_json() {
        return Output::json_text(&client.get_text(&path).await?);
    }
    let history = client.get_doc::<HistoryDoc>(&path).await?;
    if history.intervals.is_empty() {
        let said = format!("headsup: nothing is kept of how {id} was then");
        context.output.say(&Line::plain(said));
    }
    history.intervals.iter().try_for_each(|interval| context.output.line(&line(interval)))
}

/// `2026-11-21T21:29:57.200Z  12m  working  tool`
fn line(interval: &IntervalDoc) -> Line {
    let IntervalDoc { from, to, headline, turn, reason } = interval;
    let turn = match reason {
        Some(reason) => format!("{turn}({reason})"),
        None => turn.clone().into_owned(),
    };
    let lasted = Line::plain(age::short(to.since(*from))).pad(7);
    let head = Line::new().styled(theme::DIM, from.to_string()).then("  ").and(&lasted);
    head.and(&Line::plain(headline.word()).pad(10)).then(turn)
}
