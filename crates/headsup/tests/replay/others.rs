//! Recordings of the other programs, launched as `headsup run` does it: hooks, title and log together.

use crate::{fixtures, played, spans};
use headsup_testkit::replay::{Verdict, Witness};
use std::path::PathBuf;

/// What no witness tells, so that the hub cannot be right: the case, when the span begins, and what
/// the hub says in its place.
type Silence = (&'static str, u64, &'static str);

/// An API error looks like an end without an answer, and so does Esc before the first word: that nobody
/// knows is all that is told, and these spans are silent.
const GEMINI_CLI: [(&str, u64); 2] = [("error_400", 8_240), ("error_401", 7_445)];

/// It says nothing at Esc while it streams, and the recording ends before that grows stale.
const COPILOT_CLI: [Silence; 1] = [("abort_esc", 7_563, "working")];

/// Those with a terminal; what is recorded without one has no truth.
fn recordings(version: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(fixtures().join(version)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        path.join("timeline.jsonl").is_file() && !name.starts_with("headless_")
    };
    let mut found: Vec<PathBuf> = paths.filter(is_one).collect();
    found.sort();
    found
}

#[track_caller]
fn wrong_only_in_silence(verdicts: &[Verdict], silences: &[Silence], all: usize) {
    let wrong = spans(verdicts).filter(|span| !span.is_accepted());
    let wrong: Vec<(&str, u64, &str)> = wrong
        .map(|span| {
            let said = span.headlines.values().next().map_or("", String::as_str);
            (span.case.as_str(), span.t_ms, said)
        })
        .collect();
    assert_eq!(wrong, silences);
    assert_eq!(spans(verdicts).count(), all);
}

#[test]
fn the_truth_is_told_wherever_a_witness_speaks() {
    let programs = [
        ("copilot-cli/1.0.102", &COPILOT_CLI[..], 50),
        ("gemini-cli/0.61.0", &[], 67),
        ("kilo/7.7.9", &[], 16),
        ("opencode/1.18.33", &[], 122),
        ("qwen-code/0.24.4", &[], 55),
    ];
    let folders = programs.map(|(version, ..)| recordings(version));
    let verdicts = played(&folders.concat(), &[]);
    let mut rest = &verdicts[..];
    for ((_, silences, all), folders) in programs.into_iter().zip(&folders) {
        let (own, others) = rest.split_at(folders.len());
        wrong_only_in_silence(own, silences, all);
        rest = others;
    }
    let silent = spans(&verdicts).filter(|span| span.silent && !span.right);
    let silent: Vec<(&str, u64)> = silent.map(|span| (&*span.case, span.t_ms)).collect();
    assert_eq!(silent, GEMINI_CLI);
    let mut wrong = spans(&verdicts).filter(|span| !span.right);
    assert!(wrong.all(|span| span.reason.is_some()), "each has a reason that is known");
}

/// What tells that its box is open before the first prompt is its title.
#[test]
fn copilot_cli_rests_before_its_first_prompt_by_its_title() {
    let folder = fixtures().join("copilot-cli/1.0.102/plain");
    let verdicts = played(&[folder], &[Witness::Terminal]);
    wrong_only_in_silence(&verdicts, &[("plain", 4_500, "starting")], 5);
}

/// The hooks of the one are enough, of the other its title alone tells of a denial.
#[test]
fn qwen_code_needs_no_title_and_gemini_cli_does() {
    let mut folders = recordings("qwen-code/0.24.4");
    folders.push(fixtures().join("gemini-cli/0.61.0/permission_denied_esc"));
    let verdicts = played(&folders, &[Witness::Terminal]);
    wrong_only_in_silence(&verdicts, &[("permission_denied_esc", 10_011, "blocked")], 60);
}

/// Its log alone tells of Esc at a dialog.
#[test]
fn copilot_cli_needs_its_log() {
    let folder = fixtures().join("copilot-cli/1.0.102/permission_denied_esc");
    let verdicts = played(&[folder], &[Witness::Transcript]);
    wrong_only_in_silence(&verdicts, &[("permission_denied_esc", 13_586, "blocked")], 6);
}
