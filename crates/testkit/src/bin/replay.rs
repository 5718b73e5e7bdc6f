//! `replay FOLDER_OR_CAPTURE… [--json] [--without hooks|registry|transcript|screen|process]…`: plays recordings side by
//! side, each against a hub of its own.
//!
//! Each is a recording, a folder of recordings, or a file that `headsup capture` has written. A capture
//! is held against what the hub told then, or against `--truth 'T_MS STATUS'`; with `--keep-as FOLDER`
//! it stays there as a recording. Ends with 0 if the hub told the truth in every
//! span, else with 1. The `headsup` it plays against is built first.

use headsup_testkit::program;
use headsup_testkit::replay::{Said, Verdict, Witness, is_bundle, play_together, unpack};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tempfile::TempDir;

/// A stall of this length is told.
const LONG: Duration = Duration::from_millis(500);
const USAGE: &str =
    "usage: replay FOLDER_OR_CAPTURE… [--json] [--without hooks|registry|transcript|screen|process]…
       replay CAPTURE [--keep-as FOLDER] [--truth \'T_MS STATUS\']… [--json]";

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

struct Asked {
    folders: Vec<PathBuf>,
    json: bool,
    without: Vec<Witness>,
    /// Holds captures as folders while they are played.
    _unpacked: TempDir,
}

fn main() -> Outcome<ExitCode> {
    let Asked { folders, json, without, _unpacked } = asked(std::env::args_os().skip(1))?;
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
    let (mut given, mut json, mut without) = (Vec::new(), false, Vec::new());
    let (mut truth, mut kept) = (Vec::new(), None);
    let mut args = args;
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--json") => json = true,
            Some("--without") => {
                let word = args.next().unwrap_or_default();
                without.push(word.to_str().and_then(Witness::parse).ok_or(USAGE)?);
            }
            Some("--truth") => {
                let said = args.next().unwrap_or_default();
                truth.push(said.to_str().and_then(Said::parse).ok_or(USAGE)?);
            }
            Some("--keep-as") => kept = Some(PathBuf::from(args.next().ok_or(USAGE)?)),
            Some(option) if option.starts_with("--") => return Err(USAGE.into()),
            _ => given.push(PathBuf::from(arg)),
        }
    }
    let of_one = kept.is_some() || !truth.is_empty();
    if given.is_empty() || (of_one && (given.len() > 1 || !is_bundle(&given[0]))) {
        return Err(USAGE.into());
    }
    let unpacked = TempDir::new()?;
    let mut folders = Vec::new();
    for (number, path) in given.iter().enumerate() {
        if is_bundle(path) {
            let name = path.file_stem().unwrap_or_default();
            let own = unpacked.path().join(number.to_string()).join(name);
            let folder = kept.clone().unwrap_or(own);
            unpack(path, &truth, &folder)?;
            folders.push(folder);
        } else {
            folders.extend(recordings(path)?);
        }
    }
    Ok(Asked { folders, json, without, _unpacked: unpacked })
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
