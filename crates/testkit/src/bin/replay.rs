//! `replay FOLDER… [--json] [--without hooks|registry|transcript]…`: plays recordings side by side,
//! each against a hub of its own.
//!
//! Each FOLDER is a recording or holds recordings. Ends with 0 if the hub told the truth in every
//! span, else with 1. The `headsup` it plays against is built first.

use headsup_testkit::program;
use headsup_testkit::replay::{Verdict, Witness, play_together};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// A stall of this length is told.
const LONG: Duration = Duration::from_millis(500);
const USAGE: &str = "usage: replay FOLDER… [--json] [--without hooks|registry|transcript]…";

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

struct Asked {
    folders: Vec<PathBuf>,
    json: bool,
    without: Vec<Witness>,
}

fn main() -> Outcome<ExitCode> {
    let Asked { folders, json, without } = asked(std::env::args_os().skip(1))?;
    let binary = program::built()?;
    let mut out = io::stdout();
    let (mut right, mut all, mut played) = (0, 0, 0);
    play_together(&binary, &folders, &without, |verdict| {
        if verdict.delay > LONG {
            let Verdict { case, delay, .. } = &verdict;
            writeln!(io::stderr(), "{case}: this machine stalled for {delay:.1?} in all")?;
        }
        (right, all) = (right + verdict.right(), all + verdict.spans.len());
        played += 1;
        print(&mut out, &verdict, json)
    })?;
    if !json && played > 1 {
        writeln!(out, "{right}/{all} right")?;
    }
    Ok(if right == all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn asked(args: impl Iterator<Item = OsString>) -> Outcome<Asked> {
    let (mut folders, mut json, mut without) = (Vec::new(), false, Vec::new());
    let mut args = args;
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--json") => json = true,
            Some("--without") => {
                let word = args.next().unwrap_or_default();
                without.push(word.to_str().and_then(Witness::parse).ok_or(USAGE)?);
            }
            Some(option) if option.starts_with("--") => return Err(USAGE.into()),
            _ => folders.extend(recordings(Path::new(&arg))?),
        }
    }
    if folders.is_empty() {
        return Err(USAGE.into());
    }
    Ok(Asked { folders, json, without })
}

/// The folder itself if it is a recording, else the recordings in it.
fn recordings(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let is_recording = |folder: &Path| folder.join("timeline.jsonl").is_file();
    let folder = folder.canonicalize().map_err(|error| unreadable(folder, &error))?;
    if is_recording(&folder) {
        return Ok(vec![folder]);
    }
    let entries = std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
    let entries = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|entry| is_recording(entry)).collect();
    found.sort();
    match found.is_empty() {
        true => Err(format!("{} holds no timeline.jsonl", folder.display()).into()),
        false => Ok(found),
    }
}

fn unreadable(folder: &Path, error: &io::Error) -> String {
    format!("{} cannot be read: {error}", folder.display())
}

fn print(out: &mut impl Write, verdict: &Verdict, json: bool) -> io::Result<()> {
    let Verdict { case, spans, .. } = verdict;
    if json {
        for span in spans {
            writeln!(out, "{}", serde_json::to_string(span)?)?;
        }
        return Ok(());
    }
    writeln!(out, "{case}: {}/{} right", verdict.right(), spans.len())?;
    for span in spans {
        let mark = if span.right { ' ' } else { '!' };
        let said: Vec<String> =
            span.headlines.iter().map(|(agent, headline)| format!("{agent}={headline}")).collect();
        let (at, truth, said) = (span.t_ms, &span.truth, said.join(" "));
        writeln!(out, "{mark} {at:>7} ms  {truth:<8} {said:<40} {}", span.why)?;
    }
    Ok(())
}
