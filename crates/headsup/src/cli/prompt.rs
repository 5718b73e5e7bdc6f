//! `headsup prompt`: questions that are opened, waited for and taken back.

mod cancel;
mod end;
mod wait;

use crate::cli::Context;
use crate::client::{answer, resolve};
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::wire::OnePromptDoc;
use serde_json::json;
use std::time::Duration;

/// Ask a person, for an agent or from a script.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Open(OpenArgs),
    Wait(wait::Args),
    Cancel(cancel::Args),
}

/// Open a question; its id is printed. It ends by an answer, its deadline, or by being taken back.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
struct OpenArgs {
    /// Id, name, unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
    /// The question.
    text: String,
    /// Something to choose; may be given again. Without any, every text is an answer.
    #[arg(long, value_name = "O")]
    option: Vec<String>,
    /// What is done if nobody answers in time.
    #[arg(long, value_name = "TEXT")]
    default: String,
    /// How long it stands, 1m to 2h; 30m if nothing is said.
    #[arg(long, value_name = "D", value_parser = super::a_duration)]
    timeout: Option<Duration>,
    /// Several options may be chosen.
    #[arg(long, requires = "option")]
    multi: bool,
    /// Asked again under this key it is the same question.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// What the deadline does: takes the default, or takes nothing and blocks or fails.
    #[arg(long, value_name = "WHAT", value_parser = ["default", "block", "fail"])]
    on_timeout: Option<String>,
    /// Much depends on it: no deadline takes a default.
    #[arg(long)]
    risky: bool,
    /// Wait for its end, and print the answer instead of the id.
    #[arg(long)]
    wait: bool,
}

const EXAMPLES: &str = "\
Examples:
  headsup prompt open api 'Which database?' --option Postgres --option SQLite --default SQLite
  headsup prompt open . 'Deploy now?' --option yes --option no --default no --timeout 10m --wait
  headsup prompt wait api-p3            its answer, once there is one
  headsup prompt cancel api-p3";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    match args.command {
        Command::Open(args) => open(args, context).await,
        Command::Wait(args) => wait::run(args, context).await,
        Command::Cancel(args) => cancel::run(args, context).await,
    }
}

async fn open(args: OpenArgs, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let agent = match args.agent.as_str() {
        // It may be the first thing that is heard of it.
        "." => resolve::own_id(),
        _ => None,
    };
    let agent = match agent {
        Some(own) => own,
        None => resolve::agent(&client, &args.agent).await?.id.to_string(),
    };
    let timeout_ms = args.timeout.map(|timeout| u64::try_from(timeout.as_millis()));
    let timeout_ms = timeout_ms.transpose().unwrap_or(Some(u64::MAX));
    let mut body = json!({
        "question": args.text, "default_action": args.default, "options": args.option,
        "multi_select": args.multi,
    });
    let more = [
        ("timeout_ms", timeout_ms.map(Into::into)),
        ("dedupe_key", args.key.map(Into::into)),
        ("on_timeout", args.on_timeout.map(Into::into)),
        ("risk", args.risky.then(|| "high".into())),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            body[name] = value;
        }
    }
    let path = format!("/api/v1/agents/{agent}/prompts");
    let reply = end::ask(&client, &path, Bytes::from(body.to_string()), context.output).await?;
    let opened: OnePromptDoc = answer::doc(&path, &reply)?;
    if args.wait {
        let ended = end::wait(&client, &opened.prompt, context.output).await?;
        return end::tell(&ended, context.output);
    }
    if context.output.is_json() {
        return Output::json_text(answer::text(&path, &reply)?);
    }
    context.output.line(&Line::plain(&opened.prompt.id))
}
