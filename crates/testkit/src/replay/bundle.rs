//! A capture, one file of JSON lines, as the folder that recordings are.

use headsup_adapters::is_kind;
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

/// By so much more than a capture's own length a clock may have been set while it was made. Milliseconds.
const SET_MS: u64 = 24 * 60 * 60 * 1_000;
/// The last row of one that does not say when it was taken (49 days). Milliseconds.
const LATEST_MS: u64 = 1 << 32;

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
pub(crate) fn rows(text: &str) -> Result<Rows, String> {
    let first = text.lines().next().unwrap_or_default();
    let head = head(first)?;
    let captured_ms = captured_ms(&head);
    let latest = captured_ms.map_or(LATEST_MS, |taken| taken.saturating_add(SET_MS));
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let mut rows = Rows { captured_ms, ..Rows::default() };
    // Whose it is, for a recording without a row that shows it.
    rows.timeline.push(json!({"t_ms": 0, "src": "capture", "kind": head["kind"]}));
    let lines = (2..).zip(text.lines().skip(1)).filter(|(_, line)| !line.trim().is_empty());
    for (number, line) in lines {
        let mut row: Value = serde_json::from_str(line)
            .map_err(|_| format!("has a line that is no JSON: line {number}"))?;
        if !row.is_object() {
            return Err(format!("has a line that is no JSON object: line {number}"));
        }
        if !row["headsup_capture"].is_null() {
            // Of another agent, or of another time: its rows are none of these.
            return Err(format!("has another capture behind it: line {number}"));
        }
        let t_ms = &row["t_ms"];
        if !t_ms.is_null() && t_ms.as_u64().is_none_or(|t_ms| t_ms > latest) {
            return Err(format!("has a row whose `t_ms` is no time of it: line {number}"));
        }
        *found.entry(row["src"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        match (row["src"].as_str(), row["file"].as_str().map(str::to_owned)) {
            (Some("transcript"), Some(log)) => {
                let (t_ms, line) = (row["t_ms"].take(), row["line"].take());
                let Value::Object(mut line) = line else {
                    let what = "has a line of a log that is no JSON object";
                    return Err(format!("{what}: line {number}"));
                };
                line.insert("t_ms".to_owned(), t_ms);
                rows.logs.entry(log).or_default().push(Value::Object(line));
            }
            _ => rows.timeline.push(row),
        }
    }
    whole(&head, &found)?;
    Ok(rows)
}

/// The first line of a capture that can be played.
fn head(line: &str) -> Result<Value, String> {
    let head: Value = serde_json::from_str(line)
        .map_err(|_| "is no capture, or a broken one: its first line is no JSON")?;
    match head["headsup_capture"].as_u64() {
        Some(FORM) => {}
        None => return Err("is no capture: its first line has no `headsup_capture`".to_owned()),
        // What its rows mean is not known here, and nothing may be judged by a guess.
        Some(_) => return Err("is a capture in the form of another version".to_owned()),
    }
    match head["kind"].as_str() {
        Some(kind) if is_kind(kind) => Ok(head),
        Some(kind) => Err(format!("is of a kind of agent that is not known here: {kind:?}")),
        // Played as another program's its rows would mean something else.
        None => Err("is of nobody: its first line has no `kind`".to_owned()),
    }
}

/// Are all rows there of which its first line tells? Whoever has added some knows why.
fn whole(head: &Value, found: &BTreeMap<String, u64>) -> Result<(), String> {
    for (source, kept) in head["kept"].as_object().into_iter().flatten() {
        let there = found.get(source).copied().unwrap_or_default();
        if let Some(kept) = kept.as_u64().filter(|kept| there < *kept) {
            return Err(format!(
                "is not whole: its first line tells of {kept} rows of {source:?}, and {there} are there"
            ));
        }
    }
    Ok(())
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
    let Rows { captured_ms, mut timeline, logs } = rows(&text).map_err(|why| no_capture(&why))?;
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
        let head =
            json!({"headsup_capture": 1, "kind": "codex", "since": since, "captured_at": at});
        let taken = json!({"t_ms": 9_500, "src": "action", "do": "capture"});
        assert_eq!(last(&head, &folder), taken);
        let head = json!({"headsup_capture": 1, "kind": "codex", "since": null, "captured_at": at});
        assert_eq!(last(&head, &temp.path().join("b"))["src"], "told");
        let error = unpack(&file, &[], &folder).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{} cannot be made: ", folder.display())), "{error}");
    }

    #[test]
    fn a_file_that_is_no_capture_is_named_with_what_is_wrong_with_it() {
        let temp = tempfile::tempdir().unwrap();
        let (file, folder) = (temp.path().join("api.capture"), temp.path().join("api"));
        let cases: [(&[u8], &str); 8] = [
            (b"{\"headsup_capture\":2}\n{\"t_ms\":0}\n", "in the form of another version"),
            (b"{\"headsup_capture\":1", "its first line is no JSON"),
            (b"", "its first line is no JSON"),
            (b"{}\n", "its first line has no `headsup_capture`"),
            (b"{\"headsup_capture\":1}\n{\"t_ms\":0}\n", "its first line has no `kind`"),
            (b"{\"headsup_capture\":1,\"kind\":7}\n", "its first line has no `kind`"),
            (
                b"{\"headsup_capture\":1,\"kind\":\"codex\"}\n\n{}\n{\"t_ms\"",
                "has a line that is no JSON: line 4",
            ),
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
    fn a_capture_that_has_lost_rows_or_is_of_nobody_known_is_refused() {
        let row = json!({"t_ms": 1, "src": "hook"});
        let read = |head: Value| rows(&format!("{head}\n{row}\n"));
        let head = |kept: Value| json!({"headsup_capture": 1, "kind": "droid", "kept": kept});
        for kept in [json!({}), json!({"hook": 1}), json!({"hook": 0, "told": 0}), json!(null)] {
            assert!(read(head(kept.clone())).is_ok(), "{kept}");
        }
        let lost = read(head(json!({"hook": 3}))).unwrap_err();
        assert!(lost.ends_with("tells of 3 rows of \"hook\", and 1 are there"), "{lost}");
        assert!(read(head(json!({"hook": 1, "told": 2}))).is_err());
        let unknown = read(json!({"headsup_capture": 1, "kind": "zebra"})).unwrap_err();
        assert_eq!(unknown, "is of a kind of agent that is not known here: \"zebra\"");
        assert!(read(json!({"headsup_capture": 1, "kind": "acp:zebra"})).is_ok());
    }

    #[test]
    fn a_row_at_no_time_of_its_capture_is_refused_by_its_line() {
        let taken = json!({
            "headsup_capture": 1, "kind": "codex",
            "since": "2026-07-01T08:00:00.000Z", "captured_at": "2026-07-01T08:00:09.500Z",
        });
        let read = |head: &Value, t_ms: Value| {
            let row = json!({"t_ms": t_ms, "src": "hook"});
            rows(&format!("{head}\n{{\"src\":\"hook\"}}\n{row}\n")).map(|rows| rows.timeline.len())
        };
        let bare = json!({"headsup_capture": 1, "kind": "codex"});
        // A clock may have been set.
        for (head, t_ms) in
            [(&taken, json!(60_000)), (&bare, json!(100_000_000)), (&bare, json!(0))]
        {
            assert_eq!(read(head, t_ms.clone()), Ok(3), "{t_ms}");
        }
        for (head, t_ms) in [
            (&taken, json!(100_000_000)),
            (&bare, json!(-1)),
            (&bare, json!(u64::MAX)),
            (&bare, json!(0.5)),
            (&bare, json!("7")),
        ] {
            let why = "has a row whose `t_ms` is no time of it: line 3";
            assert_eq!(read(head, t_ms.clone()), Err(why.to_owned()), "{t_ms}");
        }
    }

    #[test]
    fn a_capture_with_lines_that_are_no_rows_is_refused_in_words() {
        let head = "{\"headsup_capture\":1,\"kind\":\"codex\"}\n";
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
        let two = rows(&format!("{head}{{\"src\":\"hook\"}}\n{head}")).unwrap_err();
        assert_eq!(two, "has another capture behind it: line 3");
    }
}
