//! A capture, one file of JSON lines, as the folder that recordings are.

use headsup_core::time::UnixMs;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// What may be said to be true.
pub(super) const STATUSES: [&str; 9] =
    ["idle", "working", "blocked", "error", "ended", "gone", "crashed", "unknown", "starting"];

/// The form of captures that is read here; `headsup_capture` in their first line.
const FORM: u64 = 1;

/// What was really so from a moment on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub t_ms: u64,
    pub status: String,
}

impl Said {
    /// Reads `T_MS STATUS`. `None` if it is something else, or a status that none can be judged by.
    pub fn parse(text: &str) -> Option<Self> {
        let (t_ms, status) = text.trim().split_once(' ')?;
        let status = status.trim();
        let t_ms = t_ms.parse().ok()?;
        STATUSES.contains(&status).then(|| Self { t_ms, status: status.to_owned() })
    }
}

/// Whether a file is a capture, or can only be meant as one: any file that is no timeline.
pub fn is_bundle(file: &Path) -> bool {
    let is_timeline = file.extension().is_some_and(|ending| ending == "jsonl");
    (file.is_file() && !is_timeline)
        || is_bundle_text(&fs::read_to_string(file).unwrap_or_default())
}

fn is_bundle_text(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    serde_json::from_str::<Value>(first).is_ok_and(|head| head["headsup_capture"].is_u64())
}

/// Whether a file is a capture without a row.
pub fn is_empty_bundle(file: &Path) -> bool {
    let rows = rows(&fs::read_to_string(file).unwrap_or_default());
    rows.is_ok_and(|rows| rows.timeline.len() == 1 && rows.logs.is_empty())
}

/// The rows of a capture: its timeline, and its logs by their paths.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Rows {
    /// When it was taken, counted from its first row.
    captured_ms: Option<u64>,
    pub(crate) timeline: Vec<Value>,
    pub(crate) logs: BTreeMap<String, Vec<Value>>,
}

/// Reads a capture, or says what it is not.
pub(crate) fn rows(text: &str) -> Result<Rows, &'static str> {
    let first = text.lines().next().unwrap_or_default();
    let head: Value = serde_json::from_str(first)
        .map_err(|_| "is no capture, or a broken one: its first line is no JSON")?;
    match head["headsup_capture"].as_u64() {
        Some(FORM) => {}
        None => return Err("is no capture: its first line has no `headsup_capture`"),
        // What its rows mean is not known here, and nothing may be judged by a guess.
        Some(_) => return Err("is a capture in the form of another version"),
    }
    let mut rows = Rows { captured_ms: captured_ms(&head), ..Rows::default() };
    // Whose it is, for a recording without a row that shows it.
    rows.timeline.push(json!({"t_ms": 0, "src": "capture", "kind": head["kind"]}));
    for line in text.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let mut row: Value =
            serde_json::from_str(line).map_err(|_| "has a line that is no JSON")?;
        if !row.is_object() {
            return Err("has a line that is no JSON object");
        }
        match (row["src"].as_str(), row["file"].as_str().map(str::to_owned)) {
            (Some("transcript"), Some(log)) => {
                let (t_ms, line) = (row["t_ms"].take(), row["line"].take());
                let Value::Object(mut line) = line else {
                    return Err("has a line of a log that is no JSON object");
                };
                line.insert("t_ms".to_owned(), t_ms);
                rows.logs.entry(log).or_default().push(Value::Object(line));
            }
            _ => rows.timeline.push(row),
        }
    }
    Ok(rows)
}

fn captured_ms(head: &Value) -> Option<u64> {
    let at = |name: &str| UnixMs::parse(head[name].as_str()?);
    u64::try_from(at("captured_at")?.since(at("since")?)).ok()
}

/// Writes the capture in `file` as a recording into `folder`, which must not be there, with the
/// truth beside it.
///
/// # Errors
/// If the file is no capture, or the folder is there or cannot be written.
pub fn unpack(file: &Path, truth: &[Said], folder: &Path) -> io::Result<()> {
    let no_capture =
        |why: &str| io::Error::new(io::ErrorKind::InvalidData, format!("{} {why}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| {
        io::Error::new(error.kind(), format!("{} cannot be read: {error}", file.display()))
    })?;
    let Rows { captured_ms, mut timeline, logs } = rows(&text).map_err(no_capture)?;
    let truth = truth.iter().map(|Said { t_ms, status }| {
        json!({"t_ms": t_ms, "src": "truth", "status": status, "why": "said so", "by": "person"})
    });
    timeline.extend(truth);
    // Nothing more came until then.
    timeline
        .extend(captured_ms.map(|t_ms| json!({"t_ms": t_ms, "src": "action", "do": "capture"})));
    timeline.sort_by_key(|row| row["t_ms"].as_u64());
    let not_made = |error: io::Error| {
        io::Error::new(error.kind(), format!("{} cannot be made: {error}", folder.display()))
    };
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).map_err(not_made)?;
    }
    fs::create_dir(folder).map_err(not_made)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_to_be_true_is_a_time_and_a_status_that_there_is() {
        let said = |t_ms, status: &str| Some(Said { t_ms, status: status.to_owned() });
        assert_eq!(Said::parse("0 idle"), said(0, "idle"));
        assert_eq!(Said::parse(" 2300  blocked "), said(2_300, "blocked"));
        for bad in ["", "0", "idle", "idle 0", "0 foo", "0 Idle", "-1 idle", "0 idle now"] {
            assert_eq!(Said::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn when_a_capture_was_taken_is_kept_in_the_recording() {
        let temp = tempfile::tempdir().unwrap();
        let (file, folder) = (temp.path().join("a.capture"), temp.path().join("a"));
        let (since, at) = ("2026-07-01T08:00:00.000Z", "2026-07-01T08:00:09.500Z");
        let last = |head: &Value, folder: &Path| {
            let row = json!({"t_ms": 3_000, "src": "told", "status": "done"});
            fs::write(&file, format!("{head}\n{row}\n")).unwrap();
            unpack(&file, &[], folder).unwrap();
            let timeline = fs::read_to_string(folder.join("timeline.jsonl")).unwrap();
            serde_json::from_str::<Value>(timeline.lines().last().unwrap()).unwrap()
        };
        let head = json!({"headsup_capture": 1, "since": since, "captured_at": at});
        let taken = json!({"t_ms": 9_500, "src": "action", "do": "capture"});
        assert_eq!(last(&head, &folder), taken);
        let head = json!({"headsup_capture": 1, "since": null, "captured_at": at});
        assert_eq!(last(&head, &temp.path().join("b"))["src"], "told");
        let error = unpack(&file, &[], &folder).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{} cannot be made: ", folder.display())), "{error}");
    }

    #[test]
    fn a_file_that_is_no_capture_is_named_with_what_is_wrong_with_it() {
        let temp = tempfile::tempdir().unwrap();
        let (file, folder) = (temp.path().join("api.capture"), temp.path().join("api"));
        let cases: [(&[u8], &str); 6] = [
            (b"{\"headsup_capture\":2}\n{\"t_ms\":0}\n", "in the form of another version"),
            (b"{\"headsup_capture\":1", "its first line is no JSON"),
            (b"", "its first line is no JSON"),
            (b"{}\n", "its first line has no `headsup_capture`"),
            (b"{\"headsup_capture\":1}\n{\"t_ms\"", "has a line that is no JSON"),
            (b"\xff\n", "cannot be read: "),
        ];
        for (text, why) in cases {
            fs::write(&file, text).unwrap();
            assert!(is_bundle(&file), "{why}");
            let error = unpack(&file, &[], &folder).unwrap_err().to_string();
            assert!(error.starts_with(&file.display().to_string()), "{error}");
            assert!(error.contains(why), "{error}");
            assert!(!folder.exists());
        }
        let timeline = temp.path().join("timeline.jsonl");
        fs::write(&timeline, "{}\n").unwrap();
        assert!(!is_bundle(&timeline) && !is_bundle(temp.path()));
    }

    #[test]
    fn a_capture_with_lines_that_are_no_rows_is_refused_in_words() {
        let head = "{\"headsup_capture\":1}\n";
        let good = rows(&format!("{head}{{\"src\":\"hook\"}}\n\n"));
        assert_eq!(good.map(|rows| rows.timeline.len()), Ok(2));
        let log = |line: &str| {
            format!("{head}{{\"src\":\"transcript\",\"file\":\"/l\",\"line\":{line}}}")
        };
        assert!(rows(&log("{}")).is_ok_and(|rows| rows.logs["/l"].len() == 1));
        for bad in
            ["", "{}", "[1]", &format!("{head}{{"), &format!("{head}[1]"), &log("7"), &log("\"x\"")]
        {
            assert!(rows(bad).is_err(), "{bad}");
        }
    }
}
