//! `headsup wait`

mod calm;
pub(super) mod condition;

use crate::cli::deadline::within;
use crate::cli::{Context, a_duration, duration};
use crate::client::stream::{EventStream, Heard, Message, Query, log_end};
use crate::client::{Client, resolve};
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use calm::Calm;
use condition::{Condition, Hit, Rule, Verdict};
use headsup_core::id::AgentId;
use headsup_core::select::HeadlineSet;
use headsup_core::status::Headline;
use headsup_core::wire::{AgentDoc, BackgroundDoc, SCHEMA};
use serde::Serialize;
use std::cell::Cell;
use std::pin::pin;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Sleep until agents are in a state; nothing is polled.
///
/// All of them must be in it at the same time, or with --any one of them. It ends with exit code
/// 8 as soon as that can no longer be: an agent has ended, crashed or was forgotten.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ids, names, unambiguous beginnings, or `.` for the agent this runs in.
    #[arg(required = true, value_name = "AGENT")]
    agents: Vec<String>,
    /// The states, as `done,failed`, or `attention`: blocked, crashed, failed, review, done.
    /// `idle` also matches `done`.
    #[arg(long, value_name = "SET", value_parser = HeadlineSet::parse)]
    until: HeadlineSet,
    /// Only a transition newer than this call counts.
    #[arg(long)]
    next: bool,
    /// It must have held for this long, with no work left in the background.
    #[arg(long, value_name = "D", value_parser = a_duration)]
    settled: Option<Duration>,
    /// Give up after this time (exit code 3). Below 2s the hub has up to 10s to say what is so already; 0 only asks.
    #[arg(long, value_name = "D", value_parser = a_duration)]
    timeout: Option<Duration>,
    /// One agent is enough.
    #[arg(long)]
    any: bool,
}

/// Until a hub that could not say how things stand is asked again.
const AGAIN: Duration = Duration::from_millis(100);

const EXAMPLES: &str = "\
Examples:
  headsup wait api --until done && ./deploy.sh
  headsup wait api web --until idle --settled 5s --timeout 30m
  headsup wait api web --any --until attention
  headsup wait api --until done --next   its next turn, not the last one";

#[derive(Serialize)]
struct WaitDoc<'a> {
    schema: u32,
    met: bool,
    agents: Vec<HitDoc<'a>>,
}

#[derive(Serialize)]
struct HitDoc<'a> {
    id: &'a AgentId,
    headline: Headline,
    cursor: &'a str,
}

impl<'a> From<&'a Hit> for HitDoc<'a> {
    fn from(hit: &'a Hit) -> Self {
        Self { id: &hit.id, headline: hit.headline, cursor: &hit.cursor }
    }
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let (mut condition, looked) = (None, Cell::new(false));
    let outcome = {
        let waiting = pin!(begin(&args, context, &mut condition, &looked));
        within(args.timeout, &looked, waiting).await
    };
    let hits = outcome.unwrap_or_else(|| Err(timed_out(&args, condition.as_ref())))?;
    if !context.output.is_json() {
        let line = |hit: &Hit| Line::plain(format!("{} {}", hit.id, hit.headline.word()));
        return context.output.lines(&hits.iter().map(line).collect::<Vec<_>>());
    }
    let agents = hits.iter().map(HitDoc::from).collect();
    Output::json(&WaitDoc { schema: SCHEMA, met: true, agents })
}

/// From the first word to the hub on. What is waited for is `condition` as soon as it is known; it has `looked`
/// once the hub has told how things stand.
async fn begin(
    args: &Args,
    context: &Context,
    condition: &mut Option<Condition>,
    looked: &Cell<bool>,
) -> Result<Vec<Hit>, CommandError> {
    let client = context.client().await?;
    // Where the log stands at the call: all that comes after it is newer, also what comes before we
    // have subscribed, or while the hub is away just then.
    let since = if args.next { Some(log_end(&client).await?) } else { None };
    // Names first: they fail at once. Otherwise the snapshot of the subscription, not this answer,
    // decides, so nothing falls between the two.
    let agents = resolve::agents(&client, &args.agents).await?;
    let condition = condition.insert(match &since {
        Some(cursor) => Condition::since(args.rule(), &agents, cursor),
        None => Condition::new(args.rule(), &agents),
    });
    wait(&client, args, since, &agents, condition, looked).await
}

async fn wait(
    client: &Client,
    args: &Args,
    since: Option<String>,
    agents: &[AgentDoc<'_>],
    condition: &mut Condition,
    looked: &Cell<bool>,
) -> Result<Vec<Hit>, CommandError> {
    let agents = agents.iter().map(|agent| agent.id.clone()).collect();
    let query = Query { agents, since, ..Query::default() };
    let mut stream = EventStream::open(client, query).await?;
    let mut calm = Calm::default();
    loop {
        let until = match (condition.verdict(), args.settled) {
            (Verdict::Met(hits), None) => return Ok(hits),
            (Verdict::Met(_), Some(hold)) => {
                Some(calm.until(condition.changes(), hold, Instant::now()))
            }
            (Verdict::Ended { id, how }, _) => return Err(ended(&id, how, NO_STATE)),
            (Verdict::Pending, _) => {
                calm.broken();
                None
            }
        };
        // What came while the hub was away is heard first: it says so when it is back.
        let until = until.filter(|_| !stream.is_behind());
        if !stream.is_behind() && until.is_none_or(|at| at > Instant::now()) {
            looked.set(true);
        }
        tokio::select! {
            biased;
            heard = stream.hear() => match heard? {
                Heard::Message(frame) => match frame.read() {
                    Message::Snapshot(doc) => condition.snapshot(&doc.cursor, &doc.agents),
                    Message::Event(event) => condition.event(&event),
                    // The log still has what we were too slow for.
                    Message::Lagged(_) => stream.rewind(),
                    Message::Expired(_) | Message::Other => {}
                },
                Heard::Back | Heard::End => {}
            },
            () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => {
                let Verdict::Met(hits) = condition.verdict() else { continue };
                let settled = is_settled(client, args, &hits).await?;
                looked.set(true);
                match settled {
                    Some(true) => return Ok(hits),
                    // It must hold once more.
                    Some(false) => calm.broken(),
                    None => calm.unsure(Instant::now() + AGAIN),
                }
            }
        }
    }
}

/// Is it true of all `hits` now, and does nothing run in the background? `None`: the hub cannot say.
async fn is_settled(
    client: &Client,
    args: &Args,
    hits: &[Hit],
) -> Result<Option<bool>, CommandError> {
    for hit in hits {
        let path = format!("/api/v1/agents/{}", hit.id);
        let agent = match client.get_doc::<AgentDoc<'static>>(&path).await {
            Ok(agent) => agent,
            Err(error) if error.kind == Kind::HubUnreachable || error.retryable => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let quiet = agent.background == BackgroundDoc::default();
        if !quiet || !args.until.is_met_by(agent.headline) {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

impl Args {
    fn rule(&self) -> Rule {
        let (any, next) = (self.any, self.next);
        Rule { set: self.until.clone(), any, next, lasting: self.settled.is_some() }
    }
}

/// What an agent that has ended does not do any more.
pub(super) const NO_STATE: &str = "it will not come to that state";

/// The agent is not there any more, and so something will not be.
pub(super) fn ended(id: &AgentId, how: &str, so: &str) -> CommandError {
    let hint = match how {
        // There is nothing left to explain it with.
        "forgotten" => "somebody took it off the roster; see the others: `headsup ls --all`".into(),
        _ => format!("see why: `headsup explain {id}`"),
    };
    let how = match how {
        "forgotten" => "was forgotten".to_owned(),
        "absent" => "is absent".to_owned(),
        word => format!("has {word}"),
    };
    CommandError::new(Kind::TargetEnded, format!("{id} {how}; {so}")).hint(hint)
}

fn timed_out(args: &Args, condition: Option<&Condition>) -> CommandError {
    let limit = duration::text(args.timeout.unwrap_or_default());
    match condition {
        Some(condition) => {
            let standing = condition.standing();
            CommandError::new(Kind::TimedOut, format!("not within {limit}: {standing}"))
        }
        None => unanswered(&limit),
    }
}

/// The time is over, and the hub has not said a word.
pub(super) fn unanswered(limit: &str) -> CommandError {
    let message = format!("not within {limit}: the hub has not answered");
    CommandError::new(Kind::TimedOut, message).hint("is it well? `headsup doctor`")
}
