//! `headsup snooze`

use crate::cli::Context;
use crate::client::resolve;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::id::AgentId;
use headsup_core::wire::SCHEMA;
use serde::Serialize;
use serde_json::json;
use std::time::Duration;

const LONGEST_MS: u64 = 7 * 24 * 3_600_000;

/// Put off what an agent wants: it comes last in `inbox`, and `next` passes it by.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Id, name or unambiguous beginning.
    agent: String,
    /// For how long, 7d at most; `0s` ends it.
    #[arg(value_name = "D", value_parser = super::a_duration)]
    duration: Duration,
}

const EXAMPLES: &str = "\
Examples:
  headsup snooze api 30m
  headsup snooze api 0s                 back again";

#[derive(Serialize)]
struct SnoozeDoc<'a> {
    schema: u32,
    agent_id: &'a AgentId,
    for_ms: u64,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let ms = args.duration.as_millis();
    let for_ms = u64::try_from(ms).ok().filter(|ms| *ms <= LONGEST_MS);
    let for_ms = for_ms
        .ok_or_else(|| CommandError::usage("an agent is put off for 7d at most; `0s` ends it"))?;
    let client = context.client().await?;
    let agent = resolve::agent(&client, &args.agent).await?;
    let body = Bytes::from(json!({ "for_ms": for_ms }).to_string());
    client.post(&format!("/api/v1/agents/{}/snooze", agent.id), body).await?;
    if context.output.is_json() {
        return Output::json(&SnoozeDoc { schema: SCHEMA, agent_id: &agent.id, for_ms });
    }
    let said = match for_ms {
        0 => format!("headsup: {} is back", agent.id),
        _ => {
            format!("headsup: {} is put off for {}", agent.id, super::duration::text(args.duration))
        }
    };
    context.output.say(&Line::plain(said));
    Ok(())
}
