//! `headsup report`

use crate::cli::Context;
use crate::client::{ANSWER_WITHIN, KEY, answer, resolve, start};
use crate::error::{CommandError, Kind};
use crate::hook::deliver::{Mark, leave_report};
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::id::AgentId;
use headsup_core::wire::{ReportBody, SCHEMA};
use hyper::Method;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::timeout;

/// What the hub takes as a detail. Characters.
const LONGEST_DETAIL: usize = 4_000;
/// Whoever reports has other things to do than to wait for a hub that is stuck.
const TELL_WITHIN: Duration = Duration::from_secs(2);

/// Say what an agent is doing; for anything that has no hooks of its own.
///
/// An agent that is not in the roster yet is registered by its first report. Where the hub of this machine
/// gives no answer within two seconds, the report is kept, and the hub takes it once it is back. With --no-start,
/// where none runs, nothing is kept (exit code 5): nobody might ever fetch it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What it is doing. `done` and `failed` end a turn with that outcome.
    #[arg(value_parser = ["idle", "working", "blocked", "done", "failed"])]
    state: String,
    /// Why: for working `model`, `tool` and the like, for blocked `permission`, `question`
    /// and the like.
    #[arg(long, value_name = "R")]
    reason: Option<String>,
    /// A few words for people.
    #[arg(long, value_name = "TEXT")]
    detail: Option<String>,
    /// The agent, by its id or its whole name; without it the one this command runs in
    /// (`HEADSUP_AGENT_ID`).
    #[arg(long, value_name = "A")]
    agent: Option<String>,
    /// How the turn ended, with idle: `completed`, `failed`, `interrupted`, or `failed:CODE`.
    #[arg(long, value_name = "O")]
    outcome: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  headsup report working --agent nightly --detail 'building'
  headsup report blocked --reason question --detail 'which branch?'
  headsup report idle --outcome failed:tests";

#[derive(Deserialize)]
struct Accepted {
    cursor: String,
}

#[derive(Serialize)]
struct ReportDoc<'a> {
    schema: u32,
    /// `None`: the hub has not answered.
    cursor: Option<&'a str>,
    agent_id: &'a AgentId,
    /// It waits for the hub.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    spooled: bool,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    if args.agent.is_none() && resolve::own_id().is_none() {
        return Err(CommandError::usage("whose report is it? This command runs in no agent")
            .hint("name the agent with --agent, or set HEADSUP_AGENT_ID"));
    }
    let body = ReportBody {
        turn: Some(args.state),
        reason: args.reason,
        detail: args.detail,
        outcome: args.outcome,
        ..ReportBody::default()
    };
    body.parse().map_err(|error| CommandError::usage(error.to_string()))?;
    let json = serde_json::to_vec(&body)
        .map_err(|error| CommandError::internal(format!("cannot write the report: {error}")))?;
    let report = Report {
        whose: args.agent.unwrap_or_else(|| ".".to_owned()),
        mark: Mark::now(),
        body: Bytes::from(json),
        detail: body.detail.as_deref().map_or(0, |detail| detail.chars().count()),
    };
    let mut known = None;
    let doc = match report.tell(context, &mut known).await {
        Ok((path, said)) if context.output.is_json() => {
            Some(answer::doc::<Accepted>(&path, &said)?)
        }
        Ok(_) => return Ok(()),
        Err(error) => {
            known = Some(report.leave(context, known, error)?);
            None
        }
    };
    let (Some(id), true) = (&known, context.output.is_json()) else { return Ok(()) };
    let cursor = doc.as_ref().map(|accepted| accepted.cursor.as_str());
    Output::json(&ReportDoc { schema: SCHEMA, cursor, agent_id: id, spooled: cursor.is_none() })
}

/// What is to be told, under a mark by which the hub takes it once.
struct Report {
    /// As it was named, or `.`.
    whose: String,
    mark: Mark,
    body: Bytes,
    /// Of its detail. Characters.
    detail: usize,
}

impl Report {
    /// Tells the hub. Whom it is about is `known` as soon as the hub has said so.
    async fn tell(
        &self,
        context: &Context,
        known: &mut Option<AgentId>,
    ) -> Result<(String, Bytes), CommandError> {
        // What a hub elsewhere is not told is lost: it gets the time that it needs.
        let is_here = start::is_to_be_started(&context.place)?;
        let patience = if is_here { TELL_WITHIN } else { ANSWER_WITHIN };
        let client = context.client_within(patience).await?;
        let exchange = async {
            let id = known.insert(resolve::known_or_new(&client, &self.whose).await?);
            let path = format!("/api/v1/agents/{id}/reports");
            let (body, headers) = (Some(self.body.clone()), [(KEY, self.mark.id())]);
            let told = client.exchange(Method::POST, &path, body, &headers).await;
            let (status, said) = told.map_err(|error| error.at(client.address()))?;
            answer::check(status, &path, said).map(|said| (path, said))
        };
        let told = timeout(patience, exchange).await;
        told.unwrap_or_else(|_| Err(client.silent_for(patience)))
    }

    /// Leaves it for the hub, which could not be told because of `error`; that is the outcome where it cannot be
    /// left. Returns whom it is about.
    fn leave(
        &self,
        context: &Context,
        known: Option<AgentId>,
        error: CommandError,
    ) -> Result<AgentId, CommandError> {
        let is_silent = error.kind == Kind::HubUnreachable || error.code == "hub_did_not_start";
        // A hub elsewhere does not fetch what lies here.
        if !is_silent || !start::is_to_be_started(&context.place)? {
            return Err(error);
        }
        let own = resolve::own_id();
        let named = if self.whose == "." { own.clone() } else { Some(self.whose.clone()) };
        let agent = known.or_else(|| named.and_then(|name| AgentId::new(name).ok()));
        let (Some(agent), Some(home)) = (agent, context.place.home.as_deref()) else {
            return Err(error);
        };
        // Where none is, and none is to be started, nobody may ever fetch it.
        if !context.may_start && !headsup_daemon::is_held(home) {
            return Err(error);
        }
        // Whether an agent may tell of another one, the hub alone can say.
        let token = std::env::var("HEADSUP_AGENT_TOKEN").ok().filter(|token| !token.is_empty());
        let is_own = own.as_deref().map(|own| own == agent.as_str());
        if !is_own.unwrap_or(token.is_none()) {
            return Err(error);
        }
        // The hub refuses such a detail.
        if self.detail > LONGEST_DETAIL {
            return Err(error);
        }
        if !leave_report(home, &self.mark, agent.as_str(), token.as_deref(), &self.body) {
            return Err(error.hint("the report could not be kept for it, either"));
        }
        if !context.output.is_json() {
            let why = &error.message;
            let kept = "the report is kept, and told once the hub is back";
            context.output.say(&Line::plain(format!("headsup: {why}; {kept}")));
        }
        Ok(agent)
    }
}
