//! What a player does of a recording, without playing it.

use super::{Captured, ProcessKey, Recording, What, Witness, objects};
use serde_json::Value;
use std::path::Path;

/// One thing that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub t_ms: u64,
    /// Who says it; `None`: it is so, or was done.
    pub witness: Option<Witness>,
    /// Whose it is, of the recorded processes.
    pub process: Option<ProcessKey>,
    /// What is said, with the recorded home's paths moved.
    pub text: String,
}

/// Reads a timeline and one log, as they are written, for a home at `home`.
pub fn steps(timeline: &[u8], log: &[u8], without: &[Witness], home: &Path) -> Vec<Step> {
    let ((timeline, _), (log, _)) = (objects(timeline), objects(log));
    let recording = Recording::of(String::new(), timeline, vec![log], Vec::new(), without);
    let moved = |text: &str| recording.home.moved(text, home);
    let steps = recording.rows.iter().map(|row| {
        let (process, text) = match &row.what {
            What::Hook { process, payload, .. } => (Some(*process), moved(payload)),
            What::Registry { process, record } => {
                let text = record.as_ref().map(ToString::to_string).unwrap_or_default();
                (Some(*process), moved(&text))
            }
            What::Line { file, line } => {
                (None, format!("{} {}", recording.home.moved_log(file, home), moved(line)))
            }
            What::Screen { text } => (None, moved(text)),
            What::Served { message } => (None, moved(message)),
            What::Said { process, body, .. } => (Some(*process), body.clone()),
            What::Message { text, .. } => (None, moved(text)),
            What::MessageEnd { code } => (None, code.to_string()),
            What::Truth { status, .. } => (None, status.clone()),
            What::Launch { id, .. } => (None, id.clone()),
            What::Run { process, id, arguments } => {
                (Some(*process), format!("{id} {}", arguments.join(" ")))
            }
            What::Output { process, line } => (Some(*process), moved(line)),
            What::Bus { process, message } => (Some(*process), moved(message)),
            What::BusLists { process, lists } => {
                (Some(*process), moved(&Value::from(lists.to_vec()).to_string()))
            }
            What::BusEnd { process } => (Some(*process), String::new()),
            What::Plugin { process, row } => (Some(*process), moved(&row.to_string())),
            What::End { process, .. } => (Some(*process), String::new()),
            What::Captured(
                Captured::Launch { process, told } | Captured::Exit { process, told },
            ) => (Some(*process), told.to_string()),
            What::Captured(Captured::Report { body, .. }) => (None, moved(body)),
        };
        Step { t_ms: row.t_ms, witness: row.witness(), process, text }
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_at_a_time_that_never_comes_is_left_out() {
        let kept = |t_ms: &Value| {
            let (found, left_out) = objects(json!({"t_ms": t_ms}).to_string().as_bytes());
            assert_eq!(found.len() + left_out.len(), 1, "{t_ms}");
            found.len() == 1
        };
        for t_ms in [json!(0), json!(null), json!("44"), json!(1.5), json!("later")] {
            assert!(kept(&t_ms), "{t_ms}");
        }
        for t_ms in [json!(-1), json!("-0.5"), json!(u64::MAX), json!("1e300"), json!("nan")] {
            assert!(!kept(&t_ms), "{t_ms}");
        }
    }

    #[test]
    fn one_that_is_heard_of_before_its_launcher_has_told_which_it_is_is_the_launched_one() {
        let rows = [
            json!({"t_ms": 0, "src": "capture", "kind": "claude-code"}),
            json!({"t_ms": 1, "src": "hook", "label": ["SessionStart"], "env": {}, "parents": [],
                "payload": {"hook_event_name": "SessionStart", "session_id": "s1"}}),
            json!({"t_ms": 2, "src": "process", "pid": 7, "state": "starting"}),
        ];
        let timeline = rows.map(|row| row.to_string()).join("\n");
        let steps = steps(timeline.as_bytes(), b"", &[], Path::new("/home/ada"));
        let processes: Vec<_> = steps.iter().map(|step| step.process).collect();
        assert_eq!(processes, [Some(7), Some(7)], "{steps:?}");
    }
}
