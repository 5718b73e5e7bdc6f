//! A recording, as it is on disk.

use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::path::Path;

/// Where the recorded person's home was.
pub(super) const RECORDED_HOME: &str = "/home/dev";

#[derive(Debug)]
pub(super) struct Recording {
    pub(super) name: String,
    /// In the order of time.
    pub(super) rows: Vec<Row>,
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) t_ms: u64,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Truth {
        status: String,
        why: String,
        session: Option<String>,
    },
    /// The process was killed on the spot.
    Kill,
    Hook {
        pid: u32,
        env: Vec<(String, String)>,
        payload: String,
    },
    /// The status file of a process, or its end.
    Registry {
        pid: u32,
        file: String,
        record: Option<Value>,
    },
    /// A line of a transcript, below `projects/`.
    Line {
        file: String,
        line: String,
    },
    /// Nothing more is heard of the process.
    Exit {
        pid: u32,
    },
}

impl Recording {
    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut rows: Vec<Row> = Vec::new();
        for row in lines(&folder.join("timeline.jsonl"))? {
            let t_ms = row["t_ms"].as_u64().unwrap_or_default();
            rows.extend(understand(&row).map(|what| Row { t_ms, what }));
        }
        let exits = exits(&rows);
        rows.extend(exits);
        for number in 1.. {
            let path = folder.join(format!("transcript-{number}.jsonl"));
            if !path.exists() {
                break;
            }
            rows.extend(transcript(&path)?);
        }
        rows.sort_by_key(|row| row.t_ms);
        Ok(Self { name: name.unwrap_or_default(), rows })
    }
}

fn lines(path: &Path) -> io::Result<Vec<Value>> {
    let text = std::fs::read_to_string(path)?;
    text.lines().map(|line| serde_json::from_str(line).map_err(io::Error::other)).collect()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn understand(row: &Value) -> Option<What> {
    match row["src"].as_str()? {
        "truth" => Some(What::Truth {
            status: text(&row["status"])?,
            why: text(&row["why"]).unwrap_or_default(),
            session: text(&row["session"]),
        }),
        "action" if row["signal"] == "SIGKILL" => Some(What::Kill),
        "hook" => {
            let env = row["env"].as_object()?;
            let pid = env.get("CLAUDE_PID")?.as_str()?.parse().ok()?;
            let env = env.iter().filter_map(|(name, value)| Some((name.clone(), text(value)?)));
            Some(What::Hook { pid, env: env.collect(), payload: row["payload"].to_string() })
        }
        "registry" => {
            let file = text(&row["file"])?;
            let pid = file.strip_prefix("sessions/")?.strip_suffix(".json")?.parse().ok()?;
            Some(What::Registry { pid, file, record: row.get("record").cloned() })
        }
        _ => None,
    }
}

/// A process that has said goodbye ends after the last that was heard of it.
fn exits(rows: &[Row]) -> Vec<Row> {
    let mut last: HashMap<u32, (u64, bool)> = HashMap::new();
    for row in rows {
        let (pid, goodbye) = match &row.what {
            What::Hook { pid, payload, .. } => {
                let leaves = payload.contains("\"SessionEnd\"") && !payload.contains("\"clear\"");
                (*pid, leaves)
            }
            What::Registry { pid, record, .. } => (*pid, record.is_none()),
            _ => continue,
        };
        let known = last.entry(pid).or_default();
        *known = (row.t_ms, known.1 || goodbye);
    }
    let gone = last.into_iter().filter(|(_, (_, goodbye))| *goodbye);
    gone.map(|(pid, (t_ms, _))| Row { t_ms: t_ms + 1, what: What::Exit { pid } }).collect()
}

/// A line without a time was written with the one before.
fn transcript(path: &Path) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut file = None;
    let mut t_ms = 0;
    for mut line in lines(path)? {
        if let Some(from) = line["recorded_from"].as_str() {
            file = Some(from.to_owned());
            continue;
        }
        let Some(file) = &file else { continue };
        if let Some(at) = line.as_object_mut().and_then(|line| line.remove("t_ms")) {
            t_ms = at.as_u64().unwrap_or_default().max(t_ms);
        }
        let what = What::Line { file: file.clone(), line: line.to_string() };
        rows.push(Row { t_ms, what });
    }
    // Lines before the first time belong to it.
    let first = rows.iter().map(|row| row.t_ms).find(|at| *at > 0).unwrap_or_default();
    for row in &mut rows {
        row.t_ms = row.t_ms.max(first);
    }
    Ok(rows)
}
