//! `headsup prompt wait`

use super::{cancel, end};
use crate::cli::deadline::within;
use crate::cli::wait::unanswered;
use crate::cli::{Context, a_duration, duration};
use crate::error::{CommandError, Kind};
use headsup_core::wire::{OnePromptDoc, PromptState};
use std::cell::Cell;
use std::pin::pin;
use std::time::Duration;

/// Wait for the end of a question that is open, and print the answer.
///
/// It ends with exit code 3 where the deadline came first and took no default, and with 7 where the
/// question was taken back. A restart of the hub in between does no harm.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question, as `prompt open` and `inbox` show it.
    prompt: String,
    /// Give up after this time (exit code 3); the question stays open. 0 only asks.
    #[arg(long, value_name = "D", value_parser = a_duration)]
    timeout: Option<Duration>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    cancel::is_id(&args.prompt)?;
    let looked = Cell::new(false);
    let outcome = {
        let waiting = pin!(wait(&args.prompt, context, &looked));
        within(args.timeout, &looked, waiting).await
    };
    let ended = outcome.unwrap_or_else(|| Err(timed_out(&args, looked.get())))?;
    end::tell(&ended, context.output)
}

/// It has `looked` once the hub has told that the question is open.
async fn wait(
    prompt: &str,
    context: &Context,
    looked: &Cell<bool>,
) -> Result<OnePromptDoc, CommandError> {
    let client = context.client().await?;
    let found = client.get_doc::<OnePromptDoc>(&format!("/api/v1/prompts/{prompt}")).await?;
    if found.prompt.state == PromptState::Resolved {
        return Ok(found);
    }
    looked.set(true);
    end::wait(&client, &found.prompt, context.output).await
}

fn timed_out(args: &Args, is_known: bool) -> CommandError {
    let limit = duration::text(args.timeout.unwrap_or_default());
    if !is_known {
        return unanswered(&limit);
    }
    let prompt = &args.prompt;
    CommandError::new(Kind::TimedOut, format!("not within {limit}: {prompt} is still open"))
        .hint("see how it is answered: `headsup inbox`")
}
