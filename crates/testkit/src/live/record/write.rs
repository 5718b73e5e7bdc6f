//! A play as files: paths and names of the machine become placeholders.

use super::{Line, Recorder, Row};
use crate::live::truth::Truth;
use crate::model::{Mark, What};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::PoisonError;
use std::time::Duration;

/// Where a recorded person's home is.
const HOME: &str = "/home/dev";

impl Recorder {
    /// Writes `timeline.jsonl` and the transcripts into `folder`.
    pub(in crate::live) fn write(
        &self,
        folder: &Path,
        truth: &Truth,
        actions: &[Row],
        model: &[Mark],
    ) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut rows = self.rows();
        rows.extend(actions.iter().cloned());
        rows.extend(truth.marks.iter().map(|mark| {
            let by = if mark.class.limit().is_some() { "action" } else { "screen" };
            let status = word(mark.headline);
            let row = json!({ "src": "truth", "status": status, "why": mark.why, "by": by });
            Row { t_ms: self.since_start(mark.at), row }
        }));
        rows.extend(model.iter().filter_map(|mark| {
            let event = match mark.what {
                What::Received => "request",
                What::Finished => "stream_end",
                What::Left => "client_gone",
                _ => return None,
            };
            let row = json!({ "src": "model", "event": event, "request": mark.request });
            Some(Row { t_ms: self.since_start(mark.at), row })
        }));
        rows.sort_by(|a, b| a.t_ms.total_cmp(&b.t_ms));
        let mut text = String::new();
        for Row { t_ms, row } in rows {
            writeln!(text, "{}", timed(t_ms, row)).map_err(io::Error::other)?;
        }
        fs::write(folder.join("timeline.jsonl"), self.anonymous(&text))?;
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, (file, lines)) in by_file(&seen.lines).into_iter().enumerate() {
            let mut text = format!("{}\n", json!({ "recorded_from": file }));
            for line in lines {
                let Ok(value) = serde_json::from_str::<Value>(&line.text) else { continue };
                if !is_vendors(&value) {
                    writeln!(text, "{}", timed(line.t_ms, value)).map_err(io::Error::other)?;
                }
            }
            let path = folder.join(format!("transcript-{}.jsonl", number + 1));
            fs::write(path, self.anonymous(&text))?;
        }
        Ok(())
    }

    fn anonymous(&self, text: &str) -> String {
        let home = self.home.to_string_lossy();
        // So are folders named below `projects`.
        let dashed = |path: &str| path.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let text = text.replace(&*home, HOME).replace(&dashed(&home), &dashed(HOME));
        let mut clean = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            clean.push_str(&without_machine(line));
        }
        clean
    }
}

/// `linux:MACHINE:pid:[INODE]` names the machine.
fn without_machine(line: &str) -> String {
    let cut = || {
        let (before, rest) = line.split_once("\"linux:")?;
        let (machine, after) = rest.split_once(":pid:")?;
        Some(format!("{before}\"linux:{}:pid:{after}", "0".repeat(machine.len())))
    };
    cut().unwrap_or_else(|| line.to_owned())
}

fn timed(t_ms: f64, row: Value) -> Value {
    let t_ms = Duration::try_from_secs_f64(t_ms / 1_000.0).unwrap_or_default();
    let mut whole = json!({ "t_ms": u64::try_from(t_ms.as_millis()).unwrap_or_default() });
    if let (Some(whole), Value::Object(row)) = (whole.as_object_mut(), row) {
        whole.extend(row);
    }
    whole
}

/// The words of the recordings.
pub(in crate::live) fn word(headline: &str) -> &str {
    match headline {
        "done" => "idle",
        "failed" => "error",
        other => other,
    }
}

/// The vendor's own prompt text is left out.
fn is_vendors(line: &Value) -> bool {
    let kind = line["type"].as_str().unwrap_or_default();
    kind.starts_with("api-request") || line["attachment"]["type"] == "prompt_snapshot"
}

fn by_file(lines: &[Line]) -> Vec<(&str, Vec<&Line>)> {
    let mut files: Vec<(&str, Vec<&Line>)> = Vec::new();
    for line in lines {
        match files.iter_mut().find(|(file, _)| *file == line.file) {
            Some((_, mine)) => mine.push(line),
            None => files.push((&line.file, vec![line])),
        }
    }
    files
}
