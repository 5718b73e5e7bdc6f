//! Every recording as it is.

use crate::{all_right, codex, played, recordings, spans};
use headsup_testkit::replay::{Verdict, Witness};
use std::path::{Path, PathBuf};

/// Without a terminal: `headless.rs` plays them.
const LATER: [&str; 2] = ["print_mode", "sdk_stream_json"];

fn whole(folder: &Path, but: &[&str], without: &[Witness]) -> Vec<Verdict> {
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_later = |path: &PathBuf| but.iter().any(|case| path.ends_with(case));
    let mut folders: Vec<PathBuf> =
        folders.filter(|path| path.join("timeline.jsonl").is_file() && !is_later(path)).collect();
    folders.sort();
    played(&folders, without)
}

#[test]
fn the_truth_is_told_in_every_span_of_every_recording() {
    let verdicts = whole(&recordings(), &LATER, &[]);
    all_right(&verdicts);
    assert_eq!(spans(&verdicts).count(), 137);
}

#[test]
fn the_truth_is_told_in_every_span_of_every_recording_of_codex() {
    let verdicts = whole(&codex(), &[], &[]);
    all_right(&verdicts);
    assert_eq!(spans(&verdicts).count(), 125);
}

/// Esc and the end of a turn that no hook tells: the log beside it tells the same, and is silent here.
#[test]
fn a_server_alone_tells_the_truth_of_codex() {
    let folder = codex().join("daemon_server");
    all_right(&played(std::slice::from_ref(&folder), &[Witness::Transcript]));
    let without = [Witness::Transcript, Witness::Server];
    let silent = played(std::slice::from_ref(&folder), &without);
    assert!(spans(&silent).any(|span| !span.right), "it is the server that tells");
}
