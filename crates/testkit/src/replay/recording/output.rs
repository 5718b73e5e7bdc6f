//! What a run without a terminal wrote to its output, line by line: in the timeline, or in a file
//! beside it that has no times.
//!
//! `headsup run` reads such lines; so the process that wrote them is started by it.

use super::ends::Exit;
use super::{How, ProcessKey, Row, What, text};
use headsup_core::time::UnixMs;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Keys of processes that are known by their output alone.
const SPEAKERS: ProcessKey = 1 << 34;

/// One line, and when it was written.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) t_ms: u64,
    pub(super) session: Option<String>,
    pub(super) line: String,
    pub(super) arguments: &'static [&'static str],
}

/// A file of lines, and what it is called beside others.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    pub(super) label: String,
    pub(super) lines: Vec<Value>,
}

/// The files of lines of a recording: `stream-LABEL.jsonl` or `stream.jsonl` beside a timeline, and
/// `NAME.stream.jsonl` beside `NAME.hooks.jsonl`.
pub(super) fn beside(recording: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    if recording.is_file() {
        let name = recording.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(name) = name.strip_suffix(".hooks.jsonl") else { return Ok(Vec::new()) };
        let beside = recording.with_file_name(format!("{name}.stream.jsonl"));
        return Ok(beside.is_file().then(|| (name.to_owned(), beside)).into_iter().collect());
    }
    let entries = fs::read_dir(recording)?.filter_map(Result::ok).map(|entry| entry.path());
    let label = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
        match name.strip_prefix("stream") {
            Some("") => Some("run".to_owned()),
            Some(label) => label.strip_prefix('-').map(str::to_owned),
            None => None,
        }
    };
    let mut found: Vec<_> = entries.filter_map(|path| Some((label(&path)?, path))).collect();
    found.sort();
    Ok(found)
}

/// Whose lines they are and how that is started, where the lines are known.
pub(super) fn run(lines: &[Value]) -> Option<(&'static str, &'static [&'static str])> {
    let has = |kind: &str| lines.iter().any(|line| line["type"] == kind);
    let claude = has("system") && lines.iter().any(|line| line["session_id"].is_string());
    let qwen = lines.iter().any(|line| line["qwen_code_version"].is_string());
    if has("thread.started") || has("turn.started") {
        return Some(("codex", &["exec", "--json"]));
    }
    if has("step_start") || lines.iter().any(|line| line["sessionID"].is_string()) {
        return Some(("opencode", &["run", "--format", "json"]));
    }
    if claude && qwen {
        return Some(("qwen-code", &["--output-format", "stream-json"]));
    }
    if claude {
        return Some(("claude-code", &["-p", "--output-format", "stream-json"]));
    }
    (has("init") || has("result")).then_some(("gemini-cli", &["--output-format", "stream-json"]))
}

/// The session that a line is of.
pub(super) fn session(line: &Value) -> Option<String> {
    ["session_id", "thread_id", "sessionID"].iter().find_map(|name| text(&line[*name]))
}

/// A row of the timeline that is a line of output.
pub(super) fn row(row: &Value, t_ms: u64) -> Option<Said> {
    let arguments: &[&str] = match row["src"].as_str()? {
        "sdk" => &["-p", "--input-format", "stream-json", "--output-format", "stream-json"],
        "rpc" => &["app-server"],
        _ => return None,
    };
    let message = row.get("msg").filter(|message| message.is_object() && row["dir"] == "out")?;
    Some(Said { t_ms, session: session(message), line: message.to_string(), arguments })
}

/// All of it as rows: each process that wrote is launched, writes, and ends.
pub(super) fn rows(
    said: Vec<Said>,
    files: Vec<Lines>,
    others: &[Row],
    sessions: &HashMap<String, Vec<ProcessKey>>,
    exits: &[Exit],
) -> Vec<Row> {
    let mut found = Vec::new();
    if let Some(arguments) = said.first().map(|said| said.arguments) {
        let mut known =
            said.iter().filter_map(|said| sessions.get(said.session.as_ref()?)?.first());
        let process = known.next().copied().unwrap_or(SPEAKERS);
        let first = said.iter().map(|said| said.t_ms).chain(first_of(process, others)).min();
        let written = said
            .into_iter()
            .map(|said| Row { t_ms: said.t_ms, what: What::Output { process, line: said.line } });
        found.push(launch(process, "run", arguments, first.unwrap_or_default()));
        found.extend(written);
    }
    for (key, Lines { label, lines }) in (SPEAKERS + 1..).zip(files) {
        let Some((_, arguments)) = run(&lines) else { continue };
        let exit = exits.iter().find(|exit| exit.label.as_deref() == Some(&label));
        let mut named = lines.iter().filter_map(session);
        let in_session = named.find_map(|session| sessions.get(&session));
        // A session may be taken up again: whoever began last before this end wrote these lines.
        let before = |of: &&ProcessKey| {
            let first = first_of(**of, others).min();
            exit.is_none_or(|exit| first.is_some_and(|first| first <= exit.t_ms))
        };
        let known = in_session.into_iter().flatten().filter(before);
        let known = known.max_by_key(|of| first_of(**of, others).min());
        let process = known.copied().unwrap_or(key);
        let code = exit.map_or(0, |exit| exit.code);
        let ends = others.iter().find_map(|row| match row.what {
            What::End { process: of, .. } if of == process => Some(row.t_ms),
            _ => None,
        });
        // It has said all by then.
        let goodbye = others.iter().find_map(|row| match &row.what {
            What::Registry { process: of, record: None } if *of == process => Some(row.t_ms),
            _ => None,
        });
        let (mut times, end) = if let Some(first) = first_of(process, others).min() {
            let end = ends.or(exit.map(|exit| exit.t_ms)).unwrap_or(first + 1_000);
            (spread(first, goodbye.unwrap_or(end), lines.len()), end)
        } else {
            let times = own_times(&lines);
            let end = times.last().copied().unwrap_or_default() + 300;
            (times, end)
        };
        let start = times.first().copied().unwrap_or_default();
        found.push(launch(
            process,
            &label,
            arguments,
            first_of(process, others).min().unwrap_or(start).min(start),
        ));
        times.resize(lines.len(), end);
        for (line, t_ms) in lines.iter().zip(times) {
            found.push(Row { t_ms, what: What::Output { process, line: line.to_string() } });
        }
        found.push(Row { t_ms: end, what: What::End { process, how: How::Left { code } } });
    }
    found
}

fn launch(process: ProcessKey, label: &str, arguments: &'static [&'static str], t_ms: u64) -> Row {
    let legal = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let id = label.chars().map(legal).collect();
    let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
    Row { t_ms, what: What::Run { process, id, arguments } }
}

fn first_of(process: ProcessKey, rows: &[Row]) -> impl Iterator<Item = u64> {
    rows.iter().filter_map(move |row| match row.what {
        What::Hook { process: of, .. } | What::Registry { process: of, .. } if of == process => {
            Some(row.t_ms)
        }
        _ => None,
    })
}

/// The lines of a file without times, one after the other.
fn spread(first: u64, end: u64, count: usize) -> Vec<u64> {
    let length = end.saturating_sub(first);
    let parts = count as u64 + 1;
    (1..parts).map(|part| first + length * part / parts).collect()
}

/// By what the lines themselves say of the time, from the first one on.
fn own_times(lines: &[Value]) -> Vec<u64> {
    let at = |line: &Value| {
        let at = line["timestamp"].as_i64();
        at.or_else(|| UnixMs::parse(line["timestamp"].as_str()?).map(|UnixMs(at)| at))
    };
    let mut start = None;
    let mut last = 0;
    let time = |line: &Value| {
        if let Some(at) = at(line) {
            let start = *start.get_or_insert(at);
            last = u64::try_from(at.saturating_sub(start)).unwrap_or(0).max(last);
        }
        last.min(super::LONGEST)
    };
    lines.iter().map(time).collect()
}
