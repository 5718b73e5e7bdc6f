//! `headsup inbox`

use crate::cli::Context;
use crate::client::Client;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::inbox::{self, Inbox};
use crate::output::line::Line;
use crate::output::roster::View;
use bytes::Bytes;
use headsup_core::id::AgentId;
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use headsup_core::wire::{AgentDoc, PromptDoc, PromptsDoc, RosterDoc, SCHEMA};
use headsup_core::words;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;

/// Show everything that waits for you: questions, permissions, agents that are stuck, and outcomes
/// and crashes that nobody has seen.
///
/// An agent that has ended stays here with a failure that nobody has seen, and one that nobody could type to
/// also with what it has done, until `ack`. What you have snoozed comes last. Questions that agents ask through
/// headsup are answered from here; an agent's own dialogs are answered in its terminal, which is named.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  headsup inbox
  headsup answer api-p3 --option 2
  headsup inbox --json | jq -r '.prompts[].title'";

#[derive(Serialize)]
struct InboxDoc<'a> {
    schema: u32,
    prompts: &'a [PromptDoc],
    outcomes: Vec<OutcomeDoc<'a>>,
    /// Whose lines and questions of those are put off, and stand last.
    snoozed: Vec<SnoozedDoc<'a>>,
}

#[derive(Serialize)]
struct SnoozedDoc<'a> {
    agent_id: &'a AgentId,
    snoozed_until: UnixMs,
    /// The same for people, as `snoozed for 6m`.
    text: String,
}

#[derive(Serialize)]
struct OutcomeDoc<'a> {
    agent_id: &'a AgentId,
    headline: Headline,
    at: UnixMs,
}

pub(crate) async fn run(_: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let mut inbox = fetch(&client).await?;
    if context.output.is_json() {
        let now = crate::output::age::now();
        inbox.put_snoozed_last(now);
        let outcomes = inbox.outcomes.iter().map(|agent| OutcomeDoc {
            agent_id: &agent.id,
            headline: agent.headline,
            at: since(agent),
        });
        let snoozed = inbox.all_snoozed(now).map(|(agent_id, until)| SnoozedDoc {
            agent_id,
            snoozed_until: until,
            text: words::snoozed(until, now),
        });
        let (prompts, outcomes, snoozed) = (&*inbox.prompts, outcomes.collect(), snoozed.collect());
        Output::json(&InboxDoc { schema: SCHEMA, prompts, outcomes, snoozed })?;
        mark_seen(&client, prompts).await;
        return Ok(());
    }
    if inbox.is_empty() {
        context.output.say(&Line::plain("Nothing waits for you."));
        return Ok(());
    }
    context.output.lines(&inbox::lines(&inbox, &View::here(context.output)))?;
    mark_seen(&client, &inbox.prompts).await;
    Ok(())
}

/// What waits, the most urgent first.
pub(crate) async fn fetch(client: &Client) -> Result<Inbox, CommandError> {
    let prompts = client.get_doc::<PromptsDoc>("/api/v1/prompts?state=open").await?.prompts;
    // Who has left the roster waits for nobody.
    let roster = client.get_doc::<RosterDoc>("/api/v1/agents").await?.agents;
    let outcomes = roster.iter().filter(|agent| agent.is_in_inbox()).cloned().collect();
    let agents: BTreeMap<AgentId, AgentDoc<'static>> =
        roster.into_iter().map(|agent| (agent.id.clone(), agent)).collect();
    Ok(Inbox { prompts, outcomes, agents })
}

/// Since when it waits: an outcome that lies behind another state is not what waits.
fn since(agent: &AgentDoc) -> UnixMs {
    let ended = matches!(agent.headline, Headline::Done | Headline::Failed | Headline::Ended);
    let outcome = agent.outcome.as_ref().filter(|_| ended);
    outcome.map_or(agent.since, |outcome| outcome.at)
}

/// A person has these before their eyes. It is no matter if the hub does not take it.
pub(super) async fn mark_seen(client: &Client, prompts: &[PromptDoc]) {
    let body = Bytes::from(json!({ "via": "cli" }).to_string());
    let unseen = prompts.iter().filter(|prompt| {
        let is_seen = prompt.seen.iter().any(|mark| mark.via == headsup_core::prompt::Via::Cli);
        prompt.expires_at.is_some() && !is_seen
    });
    for prompt in unseen {
        client.post(&format!("/api/v1/prompts/{}/seen", prompt.id), body.clone()).await.ok();
    }
}
