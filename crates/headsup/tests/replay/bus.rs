//! Recordings of a program's own bus: at its port, and in a plugin in its process.

use crate::{all_right, fixtures, played, spans};
use headsup_testkit::replay::Witness;
use std::path::PathBuf;

/// Its recorder wrote down 2 s late that the compaction was over: all that time it was.
const LATE: (&str, u64) = ("compaction.jsonl", 695);

fn recordings(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(fixtures().join(folder).join("http-sse")).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect();
    found.sort();
    found
}

#[test]
fn the_port_alone_tells_the_truth() {
    let folders = ["opencode/1.18.33", "kilo/7.7.9"].map(recordings).concat();
    let verdicts = played(&folders, &[]);
    let wrong = spans(&verdicts).filter(|span| !span.right);
    let wrong: Vec<_> = wrong.map(|span| (span.case.as_str(), span.t_ms)).collect();
    assert_eq!(wrong, [LATE]);
    let mut late = spans(&verdicts).filter(|span| !span.right);
    assert!(late.all(|span| span.reason.is_some()), "the reason is known");
    assert_eq!(spans(&verdicts).count(), 119);
    let silent = played(&folders[..1], &[Witness::Server]);
    assert!(silent[0].right() < silent[0].spans.len(), "{silent:#?}");
}

/// Of `plugin-serve.jsonl`: how its first two turns went, and when the third begins. Milliseconds.
const TURNS: [(u64, &str); 8] = [
    (240, "idle"),
    (800, "working"),
    (9_020, "blocked"),
    (11_140, "working"),
    (11_690, "idle"),
    (12_650, "working"),
    (12_890, "blocked"),
    (14_990, "idle"),
];
const THIRD_MS: u64 = 15_700;

/// The plugin itself runs there, on what the program called of another one.
#[test]
fn a_plugin_in_its_process_tells_the_truth() {
    let runtime = std::process::Command::new("node").arg("--version").output();
    if runtime.is_err() && std::env::var_os("CI").is_none() {
        eprintln!("SKIPPED: node is not installed on this machine, so no plugin can run");
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("raw.jsonl");
    let text = std::fs::read_to_string(fixtures().join("opencode/1.18.33/plugin-serve.jsonl"));
    let truth = |t_ms: u64, status: &str| {
        format!("{{\"t_ms\":{t_ms},\"kind\":\"truth\",\"status\":\"{status}\",\"why\":\"read\"}}\n")
    };
    let truths = TURNS.map(|(t_ms, status)| truth(t_ms, status)).concat();
    let before_the_next = |row: &&str| {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        row["t_ms"].as_u64().unwrap() < THIRD_MS
    };
    let text = text.unwrap();
    let rows: Vec<&str> = text.lines().filter(before_the_next).collect();
    std::fs::write(&path, truths + &rows.join("\n")).unwrap();
    let verdicts = played(std::slice::from_ref(&path), &[]);
    all_right(&verdicts);
    assert_eq!(spans(&verdicts).count(), TURNS.len());
    let silent = played(&[path], &[Witness::Hooks]);
    assert_eq!(silent[0].right(), 0, "{silent:#?}");
}
