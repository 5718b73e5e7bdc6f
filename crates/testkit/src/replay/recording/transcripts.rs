//! The transcripts beside a timeline.

use super::home::dashed;
use super::{LONGEST, Row, What, t_ms};
use headsup_core::time::UnixMs;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// No name of a file is longer, and no path below a folder has to be. In bytes.
const LONGEST_NAME: usize = 255;
const LONGEST_PATH: usize = 2_048;

/// The files of them.
pub(super) fn beside(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| is_transcript(path)).collect();
    paths.sort();
    Ok(paths)
}

/// The log of a timeline that is a file of its own, `RECORDER/NAME.jsonl`: of the same name, in the
/// folder beside it.
pub(super) fn of(timeline: &Path) -> Vec<PathBuf> {
    let name = timeline.file_name().unwrap_or_default();
    let beside = timeline.parent().and_then(Path::parent);
    let log = beside.map(|folder| folder.join("session-events").join(name));
    log.filter(|path| path.is_file()).into_iter().collect()
}

/// The lines of all of them, each at its time. `epochs`: the recording's beginning by the wall
/// clock, for transcripts without times of the recorder. `folder`: where the program keeps them,
/// below its own.
pub(super) fn read(logs: Vec<Vec<Value>>, epochs: &[i64], folder: &str) -> Vec<Row> {
    logs.into_iter().flat_map(|lines| transcript(lines, epochs, folder)).collect()
}

fn is_transcript(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("transcript-") && path.extension().is_some_and(|ending| ending == "jsonl")
}

/// A line without a time was written with the one before.
fn transcript(mut lines: Vec<Value>, epochs: &[i64], folder: &str) -> Vec<Row> {
    let Some(file) = file_of(&lines, folder) else { return Vec::new() };
    lines.retain(|line| line.get("recorded_from").is_none());
    let is_timed = lines.iter().any(|line| t_ms(line).is_some());
    let epoch = middle(epochs).filter(|_| !is_timed);
    let mut rows = Vec::new();
    let mut at = None;
    for mut line in lines {
        let told = t_ms(&line).or_else(|| by_clock(&line, epoch?));
        at = told.max(at);
        if let Some(line) = line.as_object_mut() {
            line.remove("t_ms");
        }
        let what = What::Line { file: file.clone(), line: line.to_string() };
        rows.push((at, what));
    }
    // Lines before the first time belong to it.
    let first = rows.iter().find_map(|(at, _)| *at).unwrap_or_default();
    let row = |(at, what): (Option<u64>, What)| Row { t_ms: at.unwrap_or(first), what };
    rows.into_iter().map(row).collect()
}

/// Below the folder of transcripts. Where the recorder did not tell, one session's log has a name
/// of its own in the folder of its project.
fn file_of(lines: &[Value], folder: &str) -> Option<String> {
    let told = lines.iter().find_map(|line| line["recorded_from"].as_str());
    let folder = format!("/{folder}/");
    let told = told.map(|path| path.rsplit_once(&folder).map_or(path, |(_, below)| below));
    if let Some(told) = told.filter(|path| is_below(path)) {
        return Some(told.to_owned());
    }
    if let Some(session) = lines.iter().find_map(|line| line["data"]["sessionId"].as_str()) {
        return Some(format!("{session}/events.jsonl")).filter(|path| is_below(path));
    }
    let session = lines.iter().find_map(|line| line["sessionId"].as_str())?;
    let cwd = lines.iter().find_map(|line| line["cwd"].as_str())?;
    let folder = dashed(cwd);
    Some(format!("{folder}/{session}.jsonl")).filter(|path| is_below(path))
}

/// Can there be a file of that path below a folder?
fn is_below(path: &str) -> bool {
    let is_name = |part: &str| {
        !matches!(part, "" | "." | "..") && part.len() <= LONGEST_NAME && !part.contains('\0')
    };
    path.len() <= LONGEST_PATH && path.split('/').all(is_name)
}

fn by_clock(line: &Value, epoch: i64) -> Option<u64> {
    let UnixMs(at) = UnixMs::parse(line["timestamp"].as_str()?)?;
    u64::try_from(at.saturating_sub(epoch)).ok().map(|t_ms| t_ms.min(LONGEST))
}

fn middle(epochs: &[i64]) -> Option<i64> {
    let mut sorted = epochs.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_log_that_can_be_no_file_of_its_folder_is_left_out() {
        let rows = |file: &str| {
            let lines = vec![json!({"recorded_from": file}), json!({"t_ms": 1, "type": "user"})];
            transcript(lines, &[], "projects").len()
        };
        for file in ["/home/user/.claude/projects/-f1/a.jsonl", "a/b.jsonl", "..."] {
            assert_eq!(rows(file), 1, "{file:?}");
        }
        let [long, deep] = ["y".repeat(256), "y/".repeat(2_000) + "y"];
        let odd = ["", ".", "..", "/", "a/", "a//b", "/x/projects/", "/x/projects/../y", "a\0b"];
        for file in odd.into_iter().chain([&*long, &*deep]) {
            assert_eq!(rows(file), 0, "{file:?}");
        }
    }
}
