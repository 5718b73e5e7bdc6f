//! Recordings of the real program, played against the real hub at recorded time: it tells the truth
//! in every span, also where no hook speaks.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod acp;
mod bus;
mod captured;
mod changed;
mod headless;
mod others;
mod side;
mod spliced;
mod tape;
mod terminal;
mod whole;
mod witnesses;

use headsup_testkit::replay::{Span, Verdict, Witness, play_together};
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/fixtures")
}

fn recordings() -> PathBuf {
    fixtures().join("claude-code/2.1.330")
}

/// The recordings of Codex.
fn codex() -> PathBuf {
    recordings().join("../../codex/0.169.0")
}

fn played(folders: &[PathBuf], without: &[Witness]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let binary = Path::new(env!("CARGO_BIN_EXE_headsup"));
    play_together(binary, folders, without, |verdict| {
        verdicts.push(verdict);
        Ok(())
    })
    .unwrap();
    verdicts
}

fn spans(verdicts: &[Verdict]) -> impl Iterator<Item = &Span> {
    verdicts.iter().flat_map(|verdict| &verdict.spans)
}

#[track_caller]
fn all_right(verdicts: &[Verdict]) {
    let wrong: Vec<_> = spans(verdicts).filter(|span| !span.right).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
