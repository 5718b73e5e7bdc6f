//! `headsup task comment`

use super::{Target, json, undone};
use crate::cli::Context;
use crate::client::answer;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::{CommentBody, OneCommentDoc};
use headsup_core::work::effect::{EffectKind, EffectState};

/// Say something of a task.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its identifier, or an agent that works on it: then it is that agent that speaks.
    #[arg(value_name = "TASK")]
    task: String,
    /// Markdown.
    comment: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let path = format!("{}/comments", Target::find(&client, &args.task).await?.path());
    let said = client.post(&path, json(&CommentBody { comment: args.comment })?).await?;
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(&said));
    }
    let OneCommentDoc { comment, effect, note, .. } = answer::doc(&path, &said)?;
    if let Some(note) = note {
        context.output.say(&Line::plain(format!("headsup: {note}")));
    }
    match effect.filter(|effect| effect.state != EffectState::Done) {
        Some(effect) => undone(context, &[effect], EffectKind::Comment),
        None => context.output.say(&Line::plain(format!("headsup: commented: {}", comment.id))),
    }
    Ok(())
}
