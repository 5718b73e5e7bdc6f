//! One event as one line: when, where in the log, who, which type, and what changed.

use crate::output::line::Line;
use crate::output::theme;
use headsup_core::event::{Event, EventBody, StatusChange};
use headsup_core::wire::PromptDoc;
use headsup_core::words;

/// The line for `event`.
pub(crate) fn line(event: &Event) -> Line {
    saying(event, what(&event.body))
}

/// The line for `event`, which says `what`.
pub(crate) fn saying(event: &Event, what: Line) -> Line {
    let head = Line::new()
        .styled(theme::DIM, event.at.to_string())
        .then(" ")
        .styled(theme::DIM, &event.cursor)
        .then("  ")
        .styled(theme::STRONG, event.agent_id.as_str())
        .then("  ")
        .then(event.body.kind());
    let line = if what.is_empty() { head } else { head.then("  ").and(&what) };
    if event.spooled { line.styled(theme::DIM, " (spooled)") } else { line }
}

/// An event that this version does not know: what every event carries.
pub(crate) fn unknown(data: &str) -> Line {
    let event: serde_json::Value = serde_json::from_str(data).unwrap_or_default();
    let word = |name: &str| event.get(name).and_then(serde_json::Value::as_str).unwrap_or("-");
    let head = Line::new().styled(theme::DIM, word("at")).then(" ");
    let head = head.styled(theme::DIM, word("cursor")).then("  ");
    head.styled(theme::STRONG, word("agent_id")).then("  ").then(word("type"))
}

/// What changed.
fn what(body: &EventBody) -> Line {
    match body {
        EventBody::Registered { agent } | EventBody::Updated { agent } => {
            let kind = Line::plain(&*agent.kind);
            match &agent.cwd {
                Some(place) => kind.then(" in ").then(place),
                None => kind,
            }
        }
        EventBody::StatusChanged(change) => status(change),
        EventBody::TurnStarted { turn_seq } => Line::plain(format!("turn {turn_seq}")),
        EventBody::TurnCompleted { turn_seq, outcome } => {
            let outcome = outcome.as_ref().map_or_else(|| "no outcome".to_owned(), words::outcome);
            Line::plain(format!("turn {turn_seq}: {outcome}"))
        }
        EventBody::PromptOpened { prompt } => Line::plain(words::prompt(prompt)),
        EventBody::PromptResolved { prompt } => Line::plain(resolution_text(prompt)),
        EventBody::StageChanged { stage } => match &stage.message {
            Some(message) => Line::plain(format!("{}: {message}", stage.stage.word())),
            None => Line::plain(stage.stage.word()),
        },
        EventBody::VerdictReported { verdict } => {
            Line::plain(format!("{}: {}", verdict.task, verdict.verdict))
        }
        EventBody::ActivityAppended { entry } => {
            let parts = [entry.tool.as_deref(), entry.action.as_deref()];
            Line::plain(parts.into_iter().flatten().collect::<Vec<_>>().join(": "))
        }
        EventBody::MessageDelivered { message_id, state } => {
            Line::plain(format!("{message_id}: {state}"))
        }
        EventBody::QueueChanged { item_id, state } => Line::plain(format!("{item_id}: {state}")),
        EventBody::Forgotten => Line::new(),
    }
}

/// `working -> blocked (permission: Bash: touch x)`.
fn status(change: &StatusChange) -> Line {
    let mut line = Line::new();
    if change.from != change.to {
        line = line.styled(theme::style(change.from), change.from.word()).then(" -> ");
    }
    line = line.styled(theme::style(change.to), change.to.word());
    let why = [change.reason.as_deref(), change.turn.detail.as_deref()];
    let why = why.into_iter().flatten().collect::<Vec<_>>().join(": ");
    if why.is_empty() { line } else { line.then(format!(" ({why})")) }
}

fn resolution_text(prompt: &PromptDoc) -> String {
    let Some(resolution) = &prompt.resolution else {
        return words::prompt(prompt);
    };
    let by = serde_json::to_value(resolution.by).ok();
    let by = by.as_ref().and_then(|by| by.as_str()).unwrap_or("somebody").to_owned();
    match &resolution.value {
        Some(value) => format!("{}: {value} (by {by})", prompt.title),
        None => format!("{} (by {by})", prompt.title),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::{AT, agent, changed, event, prompt};
    use serde_json::json;

    #[test]
    fn an_event_is_one_line() {
        let mut change = changed(11, "api", "working", "blocked");
        if let EventBody::StatusChanged(change) = &mut change.body {
            change.reason = Some("permission".into());
            change.turn.detail = Some("Bash: touch x\u{1b}[2J".to_owned());
        }
        let mut same = changed(12, "api", "working", "working");
        if let EventBody::StatusChanged(change) = &mut same.body {
            change.reason = Some("tool".into());
        }
        let mut resolved = prompt("api", "Bash: touch x");
        resolved["resolution"] = json!({
            "by": "human", "value": "allow", "via": "terminal", "actor": null, "at": AT,
        });
        let outcome = json!({"kind": "failed", "code": "overloaded", "at": AT});
        let entry = json!({"ts": AT, "tool": "Bash", "action": "make", "state": "working"});
        let agent = json!({"type": "agent.registered", "agent": agent("api", "idle")});
        let events = [
            event(10, "api", agent),
            change,
            same,
            event(13, "api", json!({"type": "turn.started", "turn_seq": 3})),
            event(14, "api", json!({"type": "turn.completed", "turn_seq": 3, "outcome": outcome})),
            event(15, "api", json!({"type": "prompt.opened", "prompt": prompt("api", "Bash: ls")})),
            event(16, "api", json!({"type": "prompt.resolved", "prompt": resolved})),
            event(17, "api", json!({"type": "activity.appended", "entry": entry, "spooled": true})),
            event(18, "api", json!({"type": "agent.forgotten"})),
        ];
        let mut lines: Vec<String> = events.iter().map(|e| line(e).render(false)).collect();
        let newer = r#"{"schema":1,"cursor":"19","at":"t","type":"moon.rose","agent_id":"api"}"#;
        lines.push(unknown(newer).render(false));
        insta::assert_snapshot!(lines.join("\n"), @"
        2026-11-21T21:00:10.000Z 10  api  agent.registered  custom in /home/ada/work
        2026-11-21T21:00:11.000Z 11  api  agent.status_changed  working -> blocked (permission: Bash: touch x[2J)
        2026-11-21T21:00:12.000Z 12  api  agent.status_changed  working (tool)
        2026-11-21T21:00:13.000Z 13  api  turn.started  turn 3
        2026-11-21T21:00:14.000Z 14  api  turn.completed  turn 3: failed (overloaded)
        2026-11-21T21:00:15.000Z 15  api  prompt.opened  permission: Bash: ls
        2026-11-21T21:00:16.000Z 16  api  prompt.resolved  Bash: touch x: allow (by human)
        2026-11-21T21:00:17.000Z 17  api  activity.appended  Bash: make (spooled)
        2026-11-21T21:00:18.000Z 18  api  agent.forgotten
        t 19  api  moon.rose
        ");
    }
}
