//! `headsup stage`

use crate::cli::Context;
use crate::client::{answer, resolve};
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

/// Say how far the work of an agent is. It is what an agent says of its task, beside what it is
/// seen to do.
///
/// An agent goes from started to working, from there to `awaiting_input`, blocked,
/// `awaiting_review` and completed, and back to working. People may also pause, fail and cancel.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Id, name, unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
    /// Where the work is now.
    #[arg(value_parser = [
        "started", "working", "awaiting_input", "blocked", "awaiting_review", "completed",
        "paused", "failed", "cancelled",
    ])]
    stage: String,
    /// A few words for people.
    #[arg(long, value_name = "T")]
    message: Option<String>,
    /// What it is at.
    #[arg(long, value_name = "P")]
    phase: Option<String>,
    /// How much of it is done.
    #[arg(long, value_name = "X")]
    progress: Option<f64>,
    /// What stands in the way; may be given again.
    #[arg(long, value_name = "T")]
    blocker: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  headsup stage api awaiting_review --message 'the tests pass'
  headsup stage . working --phase tests --progress 0.4
  headsup stage . blocked --message 'no access' --blocker 'a token for the registry'";

#[derive(Deserialize)]
struct Moved {
    agent_id: String,
    status: String,
    allowed: Vec<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let agent = match (args.agent.as_str(), resolve::own_id()) {
        // It may be the first thing that is heard of it.
        (".", Some(own)) => own,
        _ => resolve::agent(&client, &args.agent).await?.id.to_string(),
    };
    let body = json!({
        "stage": args.stage, "message": args.message, "phase": args.phase,
        "progress": args.progress, "blockers": args.blocker,
    });
    let path = format!("/api/v1/agents/{agent}/stage");
    let reply = client.post(&path, Bytes::from(body.to_string())).await?;
    if context.output.is_json() {
        return Output::json_text(answer::text(&path, &reply)?);
    }
    let Moved { agent_id, status, allowed } = answer::doc(&path, &reply)?;
    let next = match allowed.as_slice() {
        [] => String::new(),
        allowed => format!("; next: {}", allowed.join(", ")),
    };
    context.output.say(&Line::plain(format!("headsup: {agent_id}: {status}{next}")));
    Ok(())
}
