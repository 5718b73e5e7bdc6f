//! `headsup outbox`

use crate::cli::Context;
use crate::client::answer::{self, encode};
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::wire::{EffectDoc, EffectsDoc, OneEffectDoc};

/// What is to be done at other systems, or was: comments, statuses, new tasks.
///
/// Each is done once, in its turn, and again after a while where it fails. What was skipped lacks something
/// in the settings; what failed was refused, and is tried again when you say so.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only those that stand there.
    #[arg(long, value_parser = ["queued", "done", "skipped", "failed"])]
    state: Option<String>,
    /// Try this one again, by its key; it is looked for first.
    #[arg(long, value_name = "KEY", conflicts_with = "state")]
    again: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  headsup outbox --state failed
  headsup outbox --again 0198c0de00007000";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    if let Some(key) = args.again {
        let path = format!("/api/v1/effects/{}/again", encode(&key));
        let told = client.post(&path, Bytes::from_static(b"{}")).await?;
        if context.output.is_json() {
            return Output::json_text(&String::from_utf8_lossy(&told));
        }
        let told: OneEffectDoc = answer::doc(&path, &told)?;
        return context.output.line(&line(&told.effect));
    }
    let state = args.state.map(|state| format!("?state={state}")).unwrap_or_default();
    let path = format!("/api/v1/effects{state}");
    if context.output.is_json() {
        return Output::json_text(&client.get_text(&path).await?);
    }
    let effects = client.get_doc::<EffectsDoc>(&path).await?.effects;
    if effects.is_empty() {
        context.output.say(&Line::plain("headsup: there is nothing"));
    }
    context.output.lines(&effects.iter().map(line).collect::<Vec<_>>())
}

/// The longest words of a state and of a kind.
const STATE: usize = 7;
const KIND: usize = 11;

fn line(effect: &EffectDoc) -> Line {
    let EffectDoc { key, target, kind, state, reason, url, .. } = effect;
    let line = Line::plain(key).then("  ").then(state.word()).pad(key.len() + 2 + STATE + 2);
    let line = line.then(kind.word()).pad(key.len() + STATE + KIND + 6).then(target);
    match reason.as_ref().or(url.as_ref()) {
        Some(more) => line.then("  ").then(more),
        None => line,
    }
}
