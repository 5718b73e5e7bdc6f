//! `replay FOLDER… [--json]`: plays recordings side by side, each against a hub of its own.
//!
//! Ends with 0 if the hub told the truth in every span, else with 1. It plays against the
//! `headsup` that stands beside it in the target folder.

use headsup_testkit::replay::{Verdict, play, stand_in};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<ExitCode> {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [first, binary] = args.as_slice()
        && first == stand_in::ARGUMENT
    {
        stand_in::run(Path::new(binary))?;
        return Ok(ExitCode::SUCCESS);
    }
    let json = args.iter().any(|arg| arg == "--json");
    let folders: Vec<PathBuf> =
        args.into_iter().filter(|arg| arg != "--json").map(PathBuf::from).collect();
    if folders.is_empty() {
        return Err("usage: replay FOLDER… [--json]".into());
    }
    let replay = std::env::current_exe()?;
    let binary = replay.with_file_name("headsup");
    let verdicts = thread::scope(|scope| {
        let (binary, replay) = (&binary, &replay);
        let running: Vec<_> = folders
            .iter()
            .map(|folder| scope.spawn(move || play(binary, replay, folder)))
            .collect();
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
