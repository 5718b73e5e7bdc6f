//! `headsup task new`

use super::json;
use crate::cli::Context;
use crate::client::answer;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::{NewTaskBody, OneTaskDoc};

/// Make a task; its identifier is printed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What it is about, in a few words.
    title: String,
    /// More of it, in Markdown.
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,
    /// Where it stands.
    #[arg(long, default_value = "todo", value_parser = ["todo", "in_progress", "in_review", "done"])]
    status: String,
    /// The first part of its identifier; else the folder you are in gives it.
    #[arg(long, value_name = "P")]
    prefix: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    // Without a folder, or with one that is no text, the task is named by no repository.
    let folder = std::env::current_dir().ok();
    let folder = folder.and_then(|folder| folder.to_str().map(str::to_owned));
    let Args { title, body, status, prefix } = args;
    let said = NewTaskBody { title, body, status: Some(status), prefix, folder };
    let made = client.post("/api/v1/tasks", json(&said)?).await?;
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(&made));
    }
    let made: OneTaskDoc = answer::doc("/api/v1/tasks", &made)?;
    if let Some(note) = &made.task.note {
        context.output.say(&Line::plain(format!("headsup: {note}")));
    }
    context.output.line(&Line::plain(made.task.identifier))
}
