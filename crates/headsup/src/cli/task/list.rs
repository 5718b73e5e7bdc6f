//! `headsup task ls`

use crate::cli::Context;
use crate::client::answer::encode;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::TasksDoc;

/// List tasks, the last changed first: those of whoever keeps the tasks of this folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only those that stand there.
    #[arg(long, value_parser = ["todo", "in_progress", "in_review", "done"])]
    status: Option<String>,
    /// How many at most.
    #[arg(short = 'n', value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    number: u32,
}

/// The longest word of a status.
const STATUS: usize = 11;

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let status = args.status.as_ref().map(|status| format!("&status={status}"));
    let status = status.unwrap_or_default();
    // Of whoever keeps the tasks of the folder you are in.
    let folder = std::env::current_dir().ok();
    let folder = folder.as_ref().and_then(|folder| folder.to_str()).map(encode);
    let folder = folder.map(|folder| format!("&folder={folder}")).unwrap_or_default();
    let path = format!("/api/v1/tasks?limit={}{status}{folder}", args.number);
    if context.output.is_json() {
        return Output::json_text(&client.get_text(&path).await?);
    }
    let tasks = client.get_doc::<TasksDoc>(&path).await?.tasks;
    if tasks.is_empty() {
        context.output.say(&Line::plain(match &args.status {
            Some(status) => format!("headsup: no task is {status}"),
            None => "headsup: no task; make one: headsup task new TITLE".to_owned(),
        }));
    }
    let widest = tasks.iter().map(|task| task.identifier.len()).max().unwrap_or(0);
    let lines = tasks.iter().map(|task| {
        let line = Line::plain(&task.identifier).pad(widest + 2);
        let line = line.then(task.status.word()).pad(widest + 2 + STATUS + 2).then(&task.title);
        match Output::width() {
            Some(width) => line.cut(width),
            None => line,
        }
    });
    context.output.lines(&lines.collect::<Vec<_>>())
}
