//! A capture, one file of JSON lines, as the folder that recordings are.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// What was really so from a moment on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub t_ms: u64,
    pub status: String,
}

impl Said {
    /// Reads `T_MS STATUS`.
    pub fn parse(text: &str) -> Option<Self> {
        let (t_ms, status) = text.trim().split_once(' ')?;
        let status = status.trim();
        let legal = !status.is_empty() && status.bytes().all(|byte| byte.is_ascii_lowercase());
        legal.then(|| Some(Self { t_ms: t_ms.parse().ok()?, status: status.to_owned() }))?
    }
}

/// Whether a file is a capture.
pub fn is_bundle(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    serde_json::from_str::<Value>(first).is_ok_and(|head| head["headsup_capture"].is_u64())
}

/// Writes the capture in `file` as a recording into `folder`, which must not be there, with the
/// truth beside it.
///
/// # Errors
/// If the file is no capture, or the folder is there or cannot be written.
pub fn unpack(file: &Path, truth: &[Said], folder: &Path) -> io::Result<()> {
    let no_capture =
        |why: &str| io::Error::new(io::ErrorKind::InvalidData, format!("{} {why}", file.display()));
    if !is_bundle(file) {
        return Err(no_capture("is no capture"));
    }
    let text = fs::read_to_string(file)?;
    let (mut timeline, mut logs) = (Vec::new(), BTreeMap::<String, Vec<Value>>::new());
    for line in text.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let mut row: Value =
            serde_json::from_str(line).map_err(|_| no_capture("has a line that is no JSON"))?;
        match (row["src"].as_str(), row["file"].as_str().map(str::to_owned)) {
            (Some("transcript"), Some(log)) => {
                let (t_ms, mut line) = (row["t_ms"].take(), row["line"].take());
                line["t_ms"] = t_ms;
                logs.entry(log).or_default().push(line);
            }
            _ => timeline.push(row),
        }
    }
    let truth = truth.iter().map(|Said { t_ms, status }| {
        json!({"t_ms": t_ms, "src": "truth", "status": status, "why": "said so", "by": "person"})
    });
    timeline.extend(truth);
    timeline.sort_by_key(|row| row["t_ms"].as_u64());
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::create_dir(folder)?;
    write(&folder.join("timeline.jsonl"), &timeline)?;
    for (number, (log, mut lines)) in (1..).zip(logs) {
        let told = Map::from_iter([("recorded_from".to_owned(), Value::from(log))]);
        lines.insert(0, Value::Object(told));
        write(&folder.join(format!("transcript-{number}.jsonl")), &lines)?;
    }
    Ok(())
}

fn write(path: &Path, rows: &[Value]) -> io::Result<()> {
    let lines: String = rows.iter().flat_map(|row| [row.to_string(), "\n".to_owned()]).collect();
    fs::write(path, lines)
}
