//! `headsup task show`

use super::Target;
use crate::cli::Context;
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use crate::output::theme;
use headsup_core::time::UnixMs;
use headsup_core::wire::{AgentTaskDoc, OneTaskDoc, TaskDoc};
use headsup_core::work::comment::without_mark;

/// Show a task whole, with what was said of it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its identifier, or an agent that works on it.
    #[arg(value_name = "TASK")]
    task: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let target = Target::find(&client, &args.task).await?;
    let path = target.path();
    if context.output.is_json() {
        return Output::json_text(&client.get_text(&path).await?);
    }
    let task = match &target {
        Target::Task(_) => Some(client.get_doc::<OneTaskDoc>(&path).await?.task),
        Target::Agent(_) => {
            let AgentTaskDoc { task, unreachable, .. } = client.get_doc(&path).await?;
            if let Some(why) = unreachable {
                let message = format!("the task of {} cannot be shown: {why}", args.task);
                return Err(CommandError::new(Kind::Internal, message).code("remote_unreachable"));
            }
            task
        }
    };
    if let Some(task) = task {
        context.output.lines(&lines(&task))
    } else {
        context.output.say(&Line::plain(format!("headsup: {} has no task", args.task)));
        Ok(())
    }
}

fn lines(task: &TaskDoc) -> Vec<Line> {
    let head = Line::new().styled(theme::STRONG, &task.identifier).then("  ").then(&task.title);
    let mut lines = vec![head, Line::plain(format!("status      {}", task.status.word()))];
    let word = task.unmapped_status.as_ref();
    lines.extend(word.map(|word| Line::plain(format!("            ({word})"))));
    lines.extend(task.url.as_ref().map(|url| Line::plain(format!("url         {url}"))));
    // Not every tracker tells when.
    let changed = Some(task.updated_at).filter(|at| *at > UnixMs::default());
    lines.extend(changed.map(|at| Line::plain(format!("changed     {at}"))));
    for effect in &task.effects {
        let why = effect.reason.as_deref().unwrap_or("its turn comes");
        let (kind, state) = (effect.kind.word(), effect.state.word());
        lines.push(Line::plain(format!("not there   {kind}: {state}, {why}")));
    }
    let block = |text: &str| text.lines().map(|line| Line::plain(format!("  {line}"))).collect();
    lines.extend(task.body.as_deref().map_or_else(Vec::new, block));
    for comment in task.comments.iter().flatten() {
        let author = comment.author.as_deref().unwrap_or("a person");
        let head = format!("{author}, {}", comment.created_at);
        lines.push(Line::new().styled(theme::DIM, head));
        lines.extend::<Vec<Line>>(block(without_mark(&comment.body)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_task_has_changed_is_said_where_its_tracker_tells() {
        for (at, is_said) in [(UnixMs(0), false), (UnixMs(1), true)] {
            let task = serde_json::json!({
                "schema": 1, "identifier": "K-1", "title": "t", "status": "todo", "provider": "local",
                "created_at": at.to_string(), "updated_at": at.to_string(),
            });
            let lines = lines(&serde_json::from_value(task).unwrap());
            let says = lines.iter().any(|line| line.render(false).starts_with("changed"));
            assert_eq!(says, is_said, "{at}");
        }
    }
}
