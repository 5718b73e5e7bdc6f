//! `replay`: plays recordings side by side, each against a hub of its own.

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser};
use headsup_core::words::text::is_hidden;
use headsup_testkit::program;
use headsup_testkit::replay::{Said, Verdict, Witness, group, is_bundle, is_empty_bundle};
use headsup_testkit::replay::{page, play_together, takes, unpack};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tempfile::TempDir;

/// A stall of this length is told.
const LONG: Duration = Duration::from_millis(500);

/// What takes as long is said before.
const FEW_SECONDS: u64 = 5;

/// The exit code where it could not be played, as for a wrong use.
const UNPLAYED: u8 = 2;
/// The exit code where there was no span to judge.
const NOTHING: u8 = 3;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Play recordings side by side, each against a hub of its own.
///
/// Ends with 0 if the hub told the truth in every span, or nothing but that nobody knows where no witness
/// of the program tells it (marked `~`), with 1 if not (marked `!`), with 2 if something cannot be
/// read or played, and with 3 if there was no span to judge, as of a capture of an agent of which nobody
/// had told. It takes as long as what was recorded. The `headsup` that it plays against is built first.
#[derive(Debug, Parser)]
#[command(name = "replay")]
struct Args {
    /// Recordings (folders or timelines), folders of recordings, or files that `headsup capture` has written.
    #[arg(value_name = "FOLDER_OR_CAPTURE", required = true)]
    given: Vec<PathBuf>,
    /// One JSON object a span.
    #[arg(long)]
    json: bool,
    /// Silence a witness: hooks, registry, transcript, screen, terminal, server, protocol, output,
    /// reports or process.
    /// Repeat it for more.
    #[arg(long, value_name = "WITNESS", value_parser = witness)]
    without: Vec<Witness>,
    /// Of one capture: what was true from then on, instead of what the hub told. Repeat it for more.
    #[arg(long, value_name = "T_MS STATUS", value_parser = said)]
    truth: Vec<Said>,
    /// Of one capture: keep it there as a recording.
    #[arg(long, value_name = "FOLDER")]
    keep_as: Option<PathBuf>,
    /// Write a page of all that is played.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

fn witness(word: &str) -> Result<Witness, &'static str> {
    Witness::parse(word).ok_or("no witness is called that")
}

fn said(text: &str) -> Result<Said, &'static str> {
    Said::parse(text).ok_or(
        "it is a time in milliseconds and a status, as '2300 blocked': idle, working, blocked, error, \
         crashed, ended, gone, starting or unknown",
    )
}

fn main() -> ExitCode {
    run(Args::parse()).unwrap_or_else(|error| {
        // Whoever closed it does not want to hear.
        writeln!(io::stderr(), "replay: {}", shown(&error.to_string())).ok();
        ExitCode::from(UNPLAYED)
    })
}

fn run(args: Args) -> Outcome<ExitCode> {
    if (args.keep_as.is_some() || !args.truth.is_empty())
        && !matches!(args.given.as_slice(), [one] if is_bundle(one))
    {
        let why = "--truth and --keep-as are for one capture";
        Args::command().error(ErrorKind::ArgumentConflict, why).exit();
    }
    if args.given.iter().all(|path| is_empty_bundle(path)) {
        return nothing("the capture is empty: nobody had told of the agent");
    }
    // Holds captures as folders while they are played.
    let unpacked = TempDir::new()?;
    let folders = folders(&args, unpacked.path())?;
    let Args { json, without, table, .. } = args;
    let takes = in_words(takes(&folders));
    if let Some(takes) = takes {
        writeln!(io::stderr(), "this takes {takes}: it is played no faster than it was recorded")?;
    }
    let binary = program::built()?;
    let mut out = io::stdout();
    let (mut right, mut silent, mut all) = (0, 0, 0);
    let mut played = Vec::new();
    play_together(&binary, &folders, &without, |verdict| {
        if verdict.delay > LONG {
            let (case, delay) = (shown(&verdict.case), verdict.delay);
            writeln!(io::stderr(), "{case}: this machine stalled for {delay:.1?} in all")?;
        }
        (right, all) = (right + verdict.right(), all + verdict.spans.len());
        silent += verdict.silent();
        print(&mut out, &verdict, json)?;
        let of = folders.get(played.len()).map(|folder| group(folder)).unwrap_or_default();
        played.push((of, verdict));
        Ok(())
    })?;
    if !json && played.len() > 1 {
        writeln!(out, "{}", counted(right, all, silent))?;
    }
    if let Some(file) = table {
        std::fs::write(file, page(&played))?;
    }
    if all == 0 {
        return nothing("nobody says there what was true, nor what the hub told");
    }
    Ok(if right + silent == all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// So many of all, and apart from them what no witness tells.
fn counted(right: usize, all: usize, silent: usize) -> String {
    match silent {
        0 => format!("{right}/{all} right"),
        silent => format!("{right}/{all} right, {silent} silent"),
    }
}

/// Nothing of a few seconds.
fn in_words(time: Duration) -> Option<String> {
    match time.as_secs() {
        ..FEW_SECONDS => None,
        seconds @ FEW_SECONDS..120 => Some(format!("{seconds} s")),
        seconds => Some(format!("{} min", seconds.div_ceil(60))),
    }
}

/// The recordings that are meant; captures become such in `unpacked`.
fn folders(args: &Args, unpacked: &Path) -> Outcome<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for (number, path) in args.given.iter().enumerate() {
        if is_bundle(path) {
            let name = path.file_stem().unwrap_or_default();
            let own = unpacked.join(number.to_string()).join(name);
            let folder = args.keep_as.clone().unwrap_or(own);
            unpack(path, &args.truth, &folder)?;
            folders.push(folder);
        } else {
            folders.extend(recordings(path)?);
        }
    }
    Ok(folders)
}

/// The folder itself if it is a recording, else the recordings in it.
fn recordings(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let is_timeline =
        |path: &Path| path.is_file() && path.extension().is_some_and(|ending| ending == "jsonl");
    let is_recording = |path: &Path| is_timeline(path) || path.join("timeline.jsonl").is_file();
    let folder = folder.canonicalize().map_err(|error| unreadable(folder, &error))?;
    if is_recording(&folder) {
        return Ok(vec![folder]);
    }
    let entries = std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
    let entries = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|entry| is_recording(entry)).collect();
    found.sort();
    // What was written beside the hooks of the same run is played with them.
    let named = |path: &PathBuf, ending: &str| {
        let name = path.file_name()?.to_str()?.strip_suffix(ending)?.to_owned();
        Some(path.with_file_name(name))
    };
    let with_hooks: Vec<PathBuf> =
        found.iter().filter_map(|path| named(path, ".hooks.jsonl")).collect();
    found.retain(|path| named(path, ".stream.jsonl").is_none_or(|of| !with_hooks.contains(&of)));
    match found.is_empty() {
        true => Err(format!("{} holds no timeline.jsonl", folder.display()).into()),
        false => Ok(found),
    }
}

fn nothing(why: &str) -> Outcome<ExitCode> {
    writeln!(io::stderr(), "nothing was judged: {why}")?;
    Ok(ExitCode::from(NOTHING))
}

fn unreadable(folder: &Path, error: &io::Error) -> String {
    format!("{} cannot be read: {error}", folder.display())
}

fn print(out: &mut impl Write, verdict: &Verdict, json: bool) -> io::Result<()> {
    let Verdict { case, spans, .. } = verdict;
    if json {
        for span in spans {
            writeln!(out, "{}", escaped(&serde_json::to_string(span)?))?;
        }
        return Ok(());
    }
    let counted = counted(verdict.right(), spans.len(), verdict.silent());
    writeln!(out, "{}: {counted}", shown(case))?;
    for span in spans {
        let mark = match (span.right, span.silent) {
            (true, _) => ' ',
            (false, true) => '~',
            (false, false) => '!',
        };
        let said: Vec<String> =
            span.headlines.iter().map(|(agent, headline)| format!("{agent}={headline}")).collect();
        let (at, truth, said) = (span.t_ms, shown(&span.truth), shown(&said.join(" ")));
        writeln!(out, "{mark} {at:>7} ms  {truth:<8} {said:<40} {}", shown(&span.why))?;
        if let Some(reason) = span.reason {
            writeln!(out, "              {reason}")?;
        }
    }
    Ok(())
}

fn is_break(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The same in JSON, where all of it is kept: what hides there stands in its strings, and may be
/// written in digits.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if !(is_hidden(c) || is_break(c)) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str("\\u");
            let digit = |shift: u32| char::from_digit(u32::from(*unit) >> shift & 0xf, 16);
            out.extend([12, 8, 4, 0].into_iter().filter_map(digit));
        }
    }
    out
}

/// A capture may be anybody's: nothing of it moves the cursor, adds a line or hides.
fn shown(text: &str) -> String {
    let breaks = text.chars().map(|c| if is_break(c) { ' ' } else { c });
    breaks.filter(|c| !is_hidden(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_testkit::replay::Span;
    use std::collections::BTreeMap;

    #[test]
    fn what_a_capture_says_cannot_steer_the_terminal() {
        let hostile = "a\u{1b}]0;x\u{7}\u{9b}2J\u{202e}b\nc";
        let span = Span {
            schema: 1,
            case: String::new(),
            t_ms: 7,
            session: None,
            truth: hostile.to_owned(),
            headlines: BTreeMap::from([("api".to_owned(), hostile.to_owned())]),
            told: Vec::new(),
            right: true,
            silent: false,
            why: hostile.to_owned(),
            reason: None,
        };
        let (case, told, delay) = (hostile.to_owned(), BTreeMap::new(), Duration::ZERO);
        let mut out = Vec::new();
        print(&mut out, &Verdict { case, spans: vec![span], told, delay }, false).unwrap();
        let text = String::from_utf8(out).unwrap();
        let clean = "a]0;x2Jb c";
        assert_eq!(text.lines().count(), 2, "{text:?}");
        assert_eq!(text.matches(clean).count(), 4, "{text:?}");
        assert!(!text.chars().any(|c| c != '\n' && is_hidden(c)), "{text:?}");
    }

    #[test]
    fn json_keeps_all_that_a_capture_says_and_hides_nothing() {
        let hostile = "a\u{1b}]0;x\u{7}\u{7f}\u{9b}2J\u{202e}b\nc\u{2028}\u{e0041}d";
        let json = escaped(&serde_json::to_string(hostile).unwrap());
        assert!(!json.chars().any(|c| is_hidden(c) || is_break(c)), "{json:?}");
        assert!(json.contains("\\u202eb") && json.contains("\\udb40\\udc41d"), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), hostile);
    }
}
