//! Recordings that are not as ours are: of another home, another version, other processes, out of
//! order, with rows that nobody knows.

use crate::tape::Tape;
use crate::{all_right, played, spans, spliced};
use serde_json::json;
use std::path::PathBuf;

/// Of another person on another machine, by a recorder that knew more than ours.
fn foreign(case: &str) -> Tape {
    let mut tape =
        Tape::of(case).replaced("/home/dev", "/srv/people/jane doe").replaced("2.1.330", "2.0.77");
    tape.rows.push(json!({"t_ms": 40, "src": "screen", "text": "$"}));
    tape.rows.push(json!({"t_ms": 41, "src": "osc", "osc": 7501}));
    tape.rows.push(json!({"t_ms": 42, "src": "hook"}));
    tape.rows.push(json!({"t_ms": 43, "src": "registry", "file": "sessions/x.json"}));
    tape.rows.push(json!({"t_ms": "44", "src": "action", "do": "think"}));
    tape.rows.push(json!({"src": null}));
    // Whoever reads it must sort it.
    tape.rows.reverse();
    tape
}

/// Without the variable, as of a version that did not set it: the process chain alone tells.
fn without_pid_variable(case: &str) -> Tape {
    let mut tape = Tape::of(case);
    for env in tape.rows.iter_mut().filter_map(|row| row.get_mut("env")?.as_object_mut()) {
        env.remove("CLAUDE_PID");
    }
    tape
}

/// Its process dies where only the truth says so.
fn crashed_without_an_action(case: &str) -> Tape {
    let mut tape = Tape::of(case);
    tape.rows.retain(|row| row["signal"].is_null());
    tape
}

/// Two of them in one folder, one of which is killed.
fn two_in_one_folder() -> Tape {
    let other = Tape::of("shell_escape").at(|t_ms| t_ms + 4_000).with_session();
    Tape::of("resume_after_kill").with_session().beside(other)
}

#[test]
fn the_truth_is_told_of_recordings_that_are_not_as_ours_are() {
    let mut tapes = vec![
        ("foreign", foreign("permission_denied")),
        ("without_pid_variable", without_pid_variable("subagent_permission")),
        ("crashed_without_an_action", crashed_without_an_action("resume_after_kill")),
        ("two_in_one_folder", two_in_one_folder()),
        ("faster", Tape::of("permission_denied").at(|t_ms| t_ms * 4 / 5)),
        ("slower", Tape::of("background_shell").at(|t_ms| t_ms * 13 / 10)),
    ];
    tapes.extend(spliced::tapes());
    let temp = tempfile::tempdir().unwrap();
    let save =
        |(name, tape): &(&str, Tape)| tape.save(temp.path().join(name), "{\"t_ms\": 99, \"sr");
    let folders: Vec<PathBuf> = tapes.iter().map(save).collect();
    let verdicts = played(&folders, &[]);
    all_right(&verdicts);
    let nested = verdicts.iter().find(|verdict| verdict.case == "nested").unwrap();
    let seats: Vec<_> = nested.spans.last().unwrap().headlines.keys().collect();
    assert_eq!(seats, ["claude-code-proj", "claude-code-proj.1"]);
    let truths: usize = tapes.iter().map(|(_, tape)| tape.truths()).sum();
    assert_eq!(spans(&verdicts).count(), truths);
}
