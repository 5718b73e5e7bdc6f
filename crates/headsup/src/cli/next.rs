//! `headsup next`

use super::inbox;
use crate::cli::Context;
use crate::error::CommandError;
use crate::launch::tmux::Tmux;
use crate::output::inbox::Inbox;
use crate::output::line::Line;
use crate::output::roster::View;
use crate::output::{Output, inbox as shown};
use bytes::Bytes;
use headsup_core::id::AgentId;
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use headsup_core::wire::{AgentDoc, LocationDoc, PromptDoc, SCHEMA};
use serde::Serialize;

/// Go to the agent that wants you most.
///
/// Inside tmux its pane comes to the front; elsewhere it is named, with what it wants. What you have
/// snoozed is passed by. The next call leads on: where you have been, or what you have said to have seen
/// (`ack`), comes last until something new happens there.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only name it, also inside tmux, and stay there: the next call leads to the same one. For what asks by
    /// itself, as a status bar does with `--json`.
    #[arg(long)]
    print: bool,
}

const EXAMPLES: &str = "\
Examples:
  headsup next
  headsup next --print
  tmux bind-key N run-shell 'headsup next'";

#[derive(Serialize)]
struct NextDoc<'a> {
    schema: u32,
    agent_id: Option<&'a AgentId>,
    headline: Option<Headline>,
    location: Option<&'a LocationDoc>,
    prompts: &'a [PromptDoc],
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let all = inbox::fetch(&client).await?;
    let now = crate::output::age::now();
    let wants = |agent: &&AgentDoc| {
        let snoozed = agent.snoozed_until.is_some_and(|until| until > now);
        let waits = all.prompts.iter().any(|prompt| prompt.agent_id == agent.id);
        !snoozed && (waits || agent.is_in_inbox())
    };
    let next = all.agents.values().filter(wants).min_by_key(|agent| place_in_round(agent));
    let of = |prompt: &&PromptDoc| next.is_some_and(|agent| prompt.agent_id == agent.id);
    let prompts: Vec<PromptDoc> = all.prompts.iter().filter(of).cloned().collect();
    if let (Some(agent), false) = (next, args.print) {
        // An agent's own look is none, and it is no matter if the hub does not take it.
        let body = Bytes::from_static(br#"{"outcome":false}"#);
        client.post(&format!("/api/v1/agents/{}/seen", agent.id), body).await.ok();
    }
    if context.output.is_json() {
        return Output::json(&NextDoc {
            schema: SCHEMA,
            agent_id: next.map(|agent| &agent.id),
            headline: next.map(|agent| agent.headline),
            location: next.map(|agent| &agent.location),
            prompts: &prompts,
        });
    }
    let Some(agent) = next else {
        context.output.say(&Line::plain("Nothing waits for you."));
        return Ok(());
    };
    let pane = agent.location.tmux.as_deref();
    if let (false, true, Some(pane)) = (args.print, Tmux::is_around(), pane)
        && Tmux::here().may_be(agent.location.tmux_server.as_deref())
        && Tmux::here().go_to(pane)
    {
        return Ok(());
    }
    let outcomes = if prompts.is_empty() { vec![agent.clone()] } else { Vec::new() };
    let agents = [(agent.id.clone(), agent.clone())].into();
    let one = Inbox { prompts, outcomes, agents };
    context.output.lines(&shown::lines(&one, &View::here(context.output)))?;
    inbox::mark_seen(&client, &one.prompts).await;
    Ok(())
}

/// The smallest comes first: what nobody has looked at since it began to wait, the most urgent before the
/// others; then the rest, in the order in which they were looked at.
fn place_in_round(agent: &AgentDoc) -> (Option<UnixMs>, u8, UnixMs) {
    let asked = agent.prompts.iter().map(|prompt| prompt.opened_at);
    let began = asked.fold(agent.since, UnixMs::max);
    let looked_at = agent.looked_at.filter(|at| *at >= began);
    (looked_at, agent.headline.attention(), agent.since)
}
