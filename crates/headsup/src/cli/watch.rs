//! `headsup watch`

mod chance;
mod until;

use crate::cli::deadline::within;
use crate::cli::wait::unanswered;
use crate::cli::{Context, a_duration, duration};
use crate::client::sse::Frame;
use crate::client::stream::{EventStream, Heard, Message, Query, log_end};
use crate::client::{Client, resolve};
use crate::error::{CommandError, Kind};
use crate::output::changes::Known;
use crate::output::line::Line;
use crate::output::{Output, event};
use chance::Chance;
use std::cell::Cell;
use std::pin::pin;
use std::time::Duration;
use until::Until;

/// Stream every change as it happens, one line each.
///
/// A line carries the event's cursor; `--since` takes it to go on exactly there, also after the
/// hub was restarted. `--since 0` begins with the oldest event kept.
///
/// With agents named, `--until` ends with exit code 8 once none of them can meet it any more: all
/// have ended, crashed or were forgotten. What lies in the log behind `--since` is looked through
/// first. Without any, whoever comes next may meet it, and it is waited for.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only these agents: ids, names, unambiguous beginnings, or `.`; without any, all.
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// Begin after this cursor; without it, with the next event.
    #[arg(long, value_name = "CURSOR", value_parser = a_cursor, allow_negative_numbers = true)]
    since: Option<String>,
    /// End at the log's end.
    #[arg(long)]
    no_follow: bool,
    /// End when this happens: `status:SET`, `event:TYPE`, or `delivery:STATE` (which nothing makes
    /// yet: there are no messages to agents so far).
    #[arg(long, value_name = "COND", value_parser = Until::parse)]
    until: Option<Until>,
    /// Give up after this time (exit code 3). With --until, what lies in the log behind `--since` is looked
    /// through whatever it is.
    #[arg(long, value_name = "D", value_parser = a_duration)]
    timeout: Option<Duration>,
}

const EXAMPLES: &str = "\
Examples:
  headsup watch
  headsup watch api --until status:attention --timeout 30m
  headsup watch --since 0 --no-follow --json
  headsup watch --until event:turn.completed";

/// What a line gives as its cursor, or the word for that of now.
fn a_cursor(text: &str) -> Result<String, String> {
    let is_one =
        text == "now" || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    is_one.then(|| text.to_owned()).ok_or_else(|| {
        "a cursor is a number, as the lines of `watch --json` give it; or `now`".to_owned()
    })
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let (mut is_watched, looked) = (false, Cell::new(false));
    let outcome = {
        let watching = pin!(async {
            let client = context.client().await?;
            watch(&client, &args, context.output, &mut is_watched, &looked).await
        });
        within(args.timeout, &looked, watching).await
    };
    outcome.unwrap_or_else(|| {
        let text = duration::text(args.timeout.unwrap_or_default());
        Err(match is_watched {
            true => CommandError::new(Kind::TimedOut, format!("watched for {text}")),
            false => unanswered(&text),
        })
    })
}

/// Whether the hub has let us watch is `is_watched`; it has `looked` once the condition was held against all that
/// has happened by now.
async fn watch(
    client: &Client,
    args: &Args,
    output: Output,
    is_watched: &mut bool,
    looked: &Cell<bool>,
) -> Result<(), CommandError> {
    let since = match args.since.as_deref() {
        // The cursor of now, and not the word: it survives a restart of the hub.
        None | Some("now") => log_end(client).await?,
        Some(cursor) => cursor.to_owned(),
    };
    // Behind the cursor: the log tells what becomes of them from there on.
    let agents = resolve::agents(client, &args.agents).await?;
    let until = args.until.as_ref().filter(|_| !args.no_follow);
    let mut chance = until.and_then(|until| Chance::new(until, &agents, &since));
    let is_lost = |chance: Option<&Chance>| chance.is_some_and(|chance| chance.lost().is_some());
    let mut known = Known::default();
    for agent in &agents {
        known.note(agent);
    }
    let agents = agents.into_iter().map(|agent| agent.id).collect();
    // Where nobody is left to meet it, the log may still have what has.
    let mut ends = args.no_follow || is_lost(chance.as_ref());
    let query = Query { agents, types: Vec::new(), since: Some(since), ends };
    let mut stream = EventStream::open(client, query).await?.telling(output);
    *is_watched = true;
    let mut bridged = false;
    loop {
        if args.until.is_none() || !stream.is_behind() {
            looked.set(true);
        }
        let frame = match stream.hear().await? {
            Heard::Message(frame) => frame,
            Heard::Back => continue,
            Heard::End => {
                let Some(chance) = &chance else { break };
                if let Some(error) = chance.lost() {
                    return Err(error);
                }
                // Somebody has come back meanwhile.
                ends = false;
                stream.go_on(ends);
                continue;
            }
        };
        if args.until.is_some() && frame.event == "lagged" {
            // The condition may be in the gap; the log still has it.
            stream.rewind();
            continue;
        }
        if output.is_json() {
            Output::json_text(&frame.data)?;
            if args.until.is_none() {
                continue;
            }
        }
        let message = frame.read();
        if !output.is_json() {
            let unasked = matches!(message, Message::Snapshot(_)) && !bridged;
            bridged = matches!(message, Message::Lagged(_) | Message::Expired(_));
            if unasked {
                output
                    .say(&Line::plain("headsup: the hub knows no such cursor; going on from now"));
            }
            tell(&frame, &message, &mut known, output)?;
        }
        if let (Some(until), Message::Event(event)) = (&args.until, &message)
            && until.is_met_by(event)
        {
            return Ok(());
        }
        if let Some(chance) = &mut chance {
            chance.hear(&message);
        }
        if !ends && is_lost(chance.as_ref()) {
            // What happened with the end, or right behind it, is in the log by now.
            ends = true;
            stream.go_on(ends);
        }
    }
    match args.until {
        None => Ok(()),
        Some(_) => Err(CommandError::new(Kind::TargetEnded, "the log ended before it happened")
            .hint("without --no-follow, watch waits for it")),
    }
}

fn tell(
    frame: &Frame,
    message: &Message,
    known: &mut Known,
    output: Output,
) -> Result<(), CommandError> {
    match message {
        Message::Event(event) => output.line(&known.line(event)),
        Message::Other => output.line(&event::unknown(&frame.data)),
        Message::Lagged(gap) => {
            let (from, to) = (&gap.from, &gap.to);
            let text = format!("headsup: too slow; what came from {from} to {to} is left out");
            output.say(&Line::plain(text));
            Ok(())
        }
        Message::Expired(expired) => {
            let cursor = &expired.cursor;
            let before = expired.oldest.parse::<u64>().map_or(0, |oldest| oldest.saturating_sub(1));
            let text = match expired.is_strange() {
                true => format!("headsup: the hub knows no cursor {cursor}; going on from now"),
                false => format!(
                    "headsup: what came next behind {cursor} is not kept; going on from now \
                     (--since {before} goes on behind that)"
                ),
            };
            output.say(&Line::plain(text));
            Ok(())
        }
        Message::Snapshot(_) => Ok(()),
    }
}
