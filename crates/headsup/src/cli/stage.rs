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
    /// How much of it is done: from 0 to 1, or a percentage as 40%.
    #[arg(long, value_name = "X", value_parser = share, allow_hyphen_values = true)]
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

/// A share of all: `0.4`, `40%`.
fn share(text: &str) -> Result<f64, String> {
    let share = match text.strip_suffix('%') {
        Some(percents) => percents.trim().parse::<f64>().map(|percents| percents / 100.0),
        None => text.parse(),
    };
    let share = share.ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "it is a number from 0 to 1, or a percentage from 0% to 100%".to_owned())
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_a_share_of_all_and_nothing_else() {
        for (text, expected) in [("0", 0.0), ("0.4", 0.4), ("1", 1.0), ("40%", 0.4), ("100 %", 1.0)]
        {
            let share = share(text).unwrap();
            assert!((share - expected).abs() < 1e-9, "{text}: {share}");
        }
        for bad in ["nan", "NaN", "inf", "-inf", "-1", "-0.1", "2", "101%", "nan%", "", "half", "%"]
        {
            let error = share(bad).unwrap_err();
            assert!(error.contains("0 to 1"), "{bad}: {error}");
        }
    }
}
