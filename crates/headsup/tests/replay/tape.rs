//! A recording in memory, to be cut and spliced.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A timeline and its transcripts, whose first lines say where they were.
#[derive(Clone, Debug)]
pub(crate) struct Tape {
    pub(crate) rows: Vec<Value>,
    pub(crate) transcripts: Vec<Vec<Value>>,
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

impl Tape {
    pub(crate) fn of(case: &str) -> Self {
        let folder = crate::recordings().join(case);
        let paths = (1..).map(|n| folder.join(format!("transcript-{n}.jsonl")));
        let transcripts = paths.take_while(|path| path.exists()).map(|path| lines(&path));
        Self { rows: lines(&folder.join("timeline.jsonl")), transcripts: transcripts.collect() }
    }

    /// Every row of it and every line.
    pub(crate) fn all(&mut self) -> impl Iterator<Item = &mut Value> {
        self.rows.iter_mut().chain(self.transcripts.iter_mut().flatten())
    }

    /// The same text everywhere.
    #[must_use]
    pub(crate) fn replaced(mut self, from: &str, to: &str) -> Self {
        for row in self.all() {
            *row = serde_json::from_str(&row.to_string().replace(from, to)).unwrap();
        }
        self
    }

    #[must_use]
    pub(crate) fn at(mut self, time: impl Fn(u64) -> u64) -> Self {
        for row in self.all() {
            if let Some(t_ms) = row["t_ms"].as_u64() {
                row["t_ms"] = time(t_ms).into();
            }
        }
        self
    }

    /// Its truths speak of its session alone, and its terminal is its own.
    #[must_use]
    pub(crate) fn with_session(mut self) -> Self {
        let session = self.session();
        for row in self.rows.iter_mut().filter(|row| row["src"] == "truth" || row["src"] == "osc") {
            row["session"] = json!(session);
        }
        self
    }

    pub(crate) fn session(&self) -> String {
        let mut hooks = self.rows.iter().filter(|row| row["src"] == "hook");
        hooks.next().unwrap()["payload"]["session_id"].as_str().unwrap().to_owned()
    }

    /// Only what was before `t_ms`.
    #[must_use]
    pub(crate) fn until(mut self, t_ms: u64) -> Self {
        self.rows.retain(|row| row["t_ms"].as_u64().is_some_and(|at| at < t_ms));
        for lines in &mut self.transcripts {
            lines.retain(|line| line["t_ms"].as_u64().is_none_or(|at| at < t_ms));
        }
        self
    }

    #[must_use]
    pub(crate) fn then(mut self, row: Value) -> Self {
        self.rows.push(row);
        self
    }

    pub(crate) fn truths(&self) -> usize {
        self.rows.iter().filter(|row| row["src"] == "truth").count()
    }

    /// The other one beside it.
    #[must_use]
    pub(crate) fn beside(mut self, other: Self) -> Self {
        self.rows.extend(other.rows);
        self.transcripts.extend(other.transcripts);
        self
    }

    /// Writes it down; `after`: what stands in the timeline behind it.
    pub(crate) fn save(&self, folder: PathBuf, after: &str) -> PathBuf {
        fs::create_dir_all(&folder).unwrap();
        let text = |rows: &[Value]| {
            let lines = rows.iter().map(|row| format!("{row}\n"));
            lines.collect::<String>()
        };
        fs::write(folder.join("timeline.jsonl"), text(&self.rows) + after).unwrap();
        for (number, lines) in (1..).zip(&self.transcripts) {
            fs::write(folder.join(format!("transcript-{number}.jsonl")), text(lines)).unwrap();
        }
        folder
    }
}
