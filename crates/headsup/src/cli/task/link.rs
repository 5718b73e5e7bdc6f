//! `headsup task link`

use super::json;
use crate::cli::Context;
use crate::client::{answer, resolve};
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::{AgentTaskDoc, LinkBody};

/// Say which task an agent works on.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Id, name, unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
    /// The task's identifier.
    task: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let agent = resolve::agent(&client, &args.agent).await?.id;
    let path = format!("/api/v1/agents/{agent}/task");
    let body = json(&LinkBody { task_identifier: args.task.clone() })?;
    let linked = client.put(&path, body).await?;
    if context.output.is_json() {
        return Output::json_text(&String::from_utf8_lossy(&linked));
    }
    let linked = in_words(&args.task, &answer::doc(&path, &linked)?);
    context.output.say(&Line::plain(format!("headsup: {agent} works on {linked}")));
    Ok(())
}

/// Whoever keeps the task may not tell of it now: then it is called what it was called here.
fn in_words(given: &str, linked: &AgentTaskDoc) -> String {
    match (&linked.task, &linked.unreachable) {
        (Some(task), _) if task.title.is_empty() => task.identifier.clone(),
        (Some(task), _) => format!("{} ({})", task.identifier, task.title),
        (None, Some(why)) => format!("{given}, of which nothing more can be told now: {why}"),
        (None, None) => given.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_task_is_named_also_where_whoever_keeps_it_does_not_answer() {
        let said = |more: Value| {
            let mut doc = json!({"schema": 1, "agent_id": "api", "has_task": true});
            doc.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            in_words("KAN-12", &serde_json::from_value(doc).unwrap())
        };
        let why = "no token for tasks.example is set";
        let told = format!("KAN-12, of which nothing more can be told now: {why}");
        assert_eq!(said(json!({"unreachable": why})), told);
        let at = "2026-11-22T09:14:03.120Z";
        let task = |title: &str| {
            let task = json!({"identifier": "kanbanger:KAN-12", "title": title, "status": "todo",
                "provider": "kanbanger", "created_at": at, "updated_at": at});
            said(json!({ "task": task }))
        };
        assert_eq!(task("Log in"), "kanbanger:KAN-12 (Log in)");
        assert_eq!(task(""), "kanbanger:KAN-12");
    }
}
