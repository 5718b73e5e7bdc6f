//! Every recording as it is.

use crate::{all_right, played, recordings, spans};
use std::path::PathBuf;

/// Without a terminal: their witnesses are not watched yet. The trust dialog stands before the first
/// session, where only the screen of a launched agent tells: `spliced.rs` plays it as one.
const LATER: [&str; 3] = ["print_mode", "sdk_stream_json", "trust_dialog"];

#[test]
fn the_truth_is_told_in_every_span_of_every_recording() {
    let folders = std::fs::read_dir(recordings()).unwrap().map(|entry| entry.unwrap().path());
    let is_later = |path: &PathBuf| LATER.iter().any(|case| path.ends_with(case));
    let mut folders: Vec<PathBuf> =
        folders.filter(|path| path.join("timeline.jsonl").is_file() && !is_later(path)).collect();
    folders.sort();
    let verdicts = played(&folders, &[]);
    all_right(&verdicts);
    assert_eq!(spans(&verdicts).count(), 135);
}
