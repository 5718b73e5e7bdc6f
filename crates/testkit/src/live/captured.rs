//! A play as a recording, out of what the hub was told of it: for programs that have no recorder of
//! their own. Agents are told apart as `headsup capture` tells them, each by itself.

use super::judge::id_of;
use super::record::word;
use super::truth::Truth;
use super::watcher::Told;
use crate::home::Home;
use headsup_core::time::UnixMs;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The one agent of a capture.
const NAME: &str = "agent-1";

/// What of a play is not in the hub.
pub(super) struct Play<'a> {
    pub(super) home: &'a Home,
    pub(super) kind: &'a str,
    pub(super) start: Instant,
    pub(super) truth: &'a Truth,
    pub(super) told: &'a [Told],
    pub(super) actions: &'a [(Instant, Value)],
}

#[derive(Default)]
struct Rows {
    timeline: Vec<(u64, Value)>,
    logs: BTreeMap<String, Vec<Value>>,
}

impl Play<'_> {
    /// Writes `timeline.jsonl` and the logs into `folder`.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let mut rows = Rows::default();
        let head = json!({ "src": "capture", "kind": self.kind });
        rows.timeline.push((0, head));
        for seat in 0..self.truth.seats.len() {
            let session = id_of(&self.truth.seats, seat, self.told)
                .and_then(|id| self.agent(seat, &id, &mut rows));
            let session = session.filter(|_| self.truth.seats.len() > 1);
            rows.timeline.extend(self.truth.of(seat).into_iter().map(|mark| {
                let status = word(mark.headline);
                let row = json!({ "src": "truth", "status": status, "why": mark.why, "session": session });
                (self.since_start(mark.at), row)
            }));
        }
        let actions = self.actions.iter().map(|(at, action)| {
            let mut row = action.clone();
            if let Some(row) = row.as_object_mut() {
                row.entry("src").or_insert_with(|| "action".into());
            }
            (self.since_start(*at), row)
        });
        rows.timeline.extend(actions);
        rows.timeline.sort_by_key(|(at, _)| *at);
        fs::create_dir_all(folder)?;
        let mut text = String::new();
        for (at, mut row) in rows.timeline {
            row["t_ms"] = at.into();
            writeln!(text, "{row}").map_err(io::Error::other)?;
        }
        fs::write(folder.join("timeline.jsonl"), text)?;
        for (number, (file, lines)) in (1..).zip(rows.logs) {
            let mut text = format!("{}\n", json!({ "recorded_from": file }));
            for line in lines {
                writeln!(text, "{line}").map_err(io::Error::other)?;
            }
            fs::write(folder.join(format!("transcript-{number}.jsonl")), text)?;
        }
        Ok(())
    }

    /// What the hub was told of one; its first session.
    fn agent(&self, seat: usize, id: &str, rows: &mut Rows) -> Option<String> {
        let captured = self.home.run(["capture", id]).stdout;
        let captured = apart(&captured, seat);
        let mut lines = captured.lines().map(serde_json::from_str::<Value>);
        let head = lines.next()?.ok()?;
        let UnixMs(since) = UnixMs::parse(head["since"].as_str()?)?;
        let start = SystemTime::now().checked_sub(self.start.elapsed())?;
        let start = start.duration_since(UNIX_EPOCH).ok()?.as_millis();
        let offset = since.saturating_sub(i64::try_from(start).ok()?);
        let mut session = None;
        for mut row in lines.map_while(Result::ok) {
            let at = row["t_ms"].as_i64().unwrap_or_default().saturating_add(offset);
            let at = u64::try_from(at).unwrap_or_default();
            match row["src"].as_str() {
                Some("hook") => {
                    if row["env"]["HEADSUP_AGENT_ID"] == NAME {
                        row["env"]["HEADSUP_AGENT_ID"] = id.into();
                    }
                    session = session
                        .or_else(|| row["payload"]["session_id"].as_str().map(str::to_owned));
                    rows.timeline.push((at, row));
                }
                Some("registry" | "server") => rows.timeline.push((at, row)),
                Some("transcript") => {
                    let file = row["file"].as_str().unwrap_or_default().to_owned();
                    let mut line = row["line"].take();
                    if line.is_object() {
                        line["t_ms"] = at.into();
                        rows.logs.entry(file).or_default().push(line);
                    }
                }
                // What was done, and what was told, is known better here.
                _ => {}
            }
        }
        session
    }

    fn since_start(&self, at: Instant) -> u64 {
        let since: Duration = at.saturating_duration_since(self.start);
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

/// Placeholders are those of one capture: in another one the same ones stand for something else.
fn apart(captured: &str, seat: usize) -> String {
    if seat == 0 {
        return captured.to_owned();
    }
    let uuid = "00000000-0000-4000-8000-";
    captured
        .replace(&format!("{uuid}0000"), &format!("{uuid}{seat:04}"))
        .replace("_00", &format!("_{seat}0"))
        .replace(".jsonl\"", &format!("-{seat}.jsonl\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_of_two_captures_are_told_apart() {
        let row = r#"{"session_id":"00000000-0000-4000-8000-000000000001","id":"ses_0012","file":"/f1.jsonl"}"#;
        assert_eq!(apart(row, 0), row);
        let other = apart(row, 2);
        let expected = r#"{"session_id":"00000000-0000-4000-8000-000200000001","id":"ses_2012","file":"/f1-2.jsonl"}"#;
        assert_eq!(other, expected);
    }
}
