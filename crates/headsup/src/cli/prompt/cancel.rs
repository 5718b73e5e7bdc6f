//! `headsup prompt cancel`

use crate::cli::Context;
use crate::client::answer;
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::prompt;
use headsup_core::wire::OnePromptDoc;
use headsup_core::words;
use serde_json::json;

/// Take a question back that has become needless: nobody will answer it any more. Its agent does this,
/// or a person.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The question, as `inbox` shows it.
    prompt: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    is_id(&args.prompt)?;
    let client = context.client().await?;
    let path = format!("/api/v1/prompts/{}/cancel", args.prompt);
    let reply = client.post(&path, Bytes::from(json!({ "via": "cli" }).to_string())).await?;
    if context.output.is_json() {
        return Output::json_text(answer::text(&path, &reply)?);
    }
    let OnePromptDoc { prompt, .. } = answer::doc(&path, &reply)?;
    let said = format!("headsup: {}: {}", prompt.id, words::resolution(&prompt));
    context.output.say(&Line::plain(said));
    Ok(())
}

/// Whether a prompt may be called this: what may not is asked of no hub.
pub(super) fn is_id(id: &str) -> Result<(), CommandError> {
    if prompt::agent_of(id).is_some() {
        return Ok(());
    }
    let message = format!("no prompt has the id {id:?}");
    Err(CommandError::new(Kind::NotFound, message)
        .code("no_such_prompt")
        .hint("see what waits: `headsup inbox`"))
}
