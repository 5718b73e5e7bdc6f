//! `replay FOLDER… [--json]`: plays recordings side by side, each against a hub of its own.
//!
//! Ends with 0 if the hub told the truth in every span, else with 1. It plays against the
//! `headsup` that stands beside it in the target folder.

use headsup_testkit::replay::{Verdict, play};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

/// Recordings begin alike: side by side they would all do the same at the same moment.
const STAGGER: Duration = Duration::from_millis(170);

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<ExitCode> {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let json = args.iter().any(|arg| arg == "--json");
    let folders: Vec<PathBuf> =
        args.into_iter().filter(|arg| arg != "--json").map(PathBuf::from).collect();
    if folders.is_empty() {
        return Err("usage: replay FOLDER… [--json]".into());
    }
    let binary = std::env::current_exe()?.with_file_name("headsup");
    let binary = &binary;
    let verdicts = thread::scope(|scope| {
        let play_one = |(place, folder): (u32, &PathBuf)| {
            let folder = folder.clone();
            scope.spawn(move || {
                thread::park_timeout(STAGGER * place);
                play(binary, &folder)
            })
        };
        let running: Vec<_> = (0..).zip(&folders).map(play_one).collect();
        let ended = running.into_iter().map(|one| one.join().map_err(|_| "a replay panicked"));
        ended.map(|one| Ok(one??)).collect::<Outcome<Vec<Verdict>>>()
    })?;
    let mut out = std::io::stdout();
    for verdict in &verdicts {
        print(&mut out, verdict, json)?;
    }
    let (right, all) = sum(&verdicts);
    if !json && verdicts.len() > 1 {
        writeln!(out, "{right}/{all} right")?;
    }
    Ok(if right == all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn sum(verdicts: &[Verdict]) -> (usize, usize) {
    let right = verdicts.iter().map(Verdict::right).sum();
    (right, verdicts.iter().map(|verdict| verdict.spans.len()).sum())
}

fn print(out: &mut impl std::io::Write, verdict: &Verdict, json: bool) -> Outcome<()> {
    let Verdict { case, spans } = verdict;
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
