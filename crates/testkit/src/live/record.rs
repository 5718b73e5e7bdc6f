//! Takes a play down as a recording, in the format of `crates/adapters/fixtures/claude-code`.

mod hooks;
mod write;

use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

pub(super) use hooks::install;
pub(super) use write::word;

/// How often files are looked at: changes that are closer than this look like one.
const LOOK: Duration = Duration::from_millis(4);

/// One signal of the program.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) t_ms: f64,
    /// Without its time.
    pub(super) row: Value,
}

/// A line of a transcript.
#[derive(Clone, Debug)]
pub(super) struct Line {
    t_ms: f64,
    /// Below `projects/`.
    file: String,
    text: String,
}

#[derive(Debug, Default)]
struct Seen {
    rows: Vec<Row>,
    lines: Vec<Line>,
}

/// Looks at the program's files until it is asked for what it saw.
#[derive(Debug)]
pub(super) struct Recorder {
    home: PathBuf,
    start: Instant,
    started_at: SystemTime,
    seen: Arc<Mutex<Seen>>,
    over: Arc<AtomicBool>,
    looking: Option<JoinHandle<()>>,
}

impl Recorder {
    pub(super) fn start(home: &Path, start: Instant) -> Self {
        let started_at = SystemTime::now() - start.elapsed();
        let (seen, over) = <(Arc<Mutex<Seen>>, Arc<AtomicBool>)>::default();
        let mut look =
            Look { home: home.to_owned(), start, files: HashMap::new(), known: HashMap::new() };
        let (into, end) = (Arc::clone(&seen), Arc::clone(&over));
        let looking = std::thread::spawn(move || {
            while !end.load(Ordering::Relaxed) {
                look.once(&into);
                std::thread::park_timeout(LOOK);
            }
        });
        let home = home.to_owned();
        Self { home, start, started_at, seen, over, looking: Some(looking) }
    }

    /// Every signal, in the order of time.
    pub(super) fn rows(&self) -> Vec<Row> {
        let mut rows = self.seen.lock().unwrap_or_else(PoisonError::into_inner).rows.clone();
        rows.extend(hooks::rows(&self.home, self.started_at));
        rows.sort_by(|a, b| a.t_ms.total_cmp(&b.t_ms));
        rows
    }

    pub(super) fn since_start(&self, at: Instant) -> f64 {
        at.saturating_duration_since(self.start).as_secs_f64() * 1_000.0
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(looking) = self.looking.take() {
            let _ended = looking.join();
        }
    }
}

struct Look {
    home: PathBuf,
    start: Instant,
    /// The text of each status file when it was read last.
    files: HashMap<PathBuf, String>,
    /// How much of each transcript is known: its whole lines.
    known: HashMap<PathBuf, u64>,
}

impl Look {
    fn once(&mut self, seen: &Mutex<Seen>) {
        let t_ms = self.start.elapsed().as_secs_f64() * 1_000.0;
        let rows = self.status_files(t_ms);
        let lines = self.transcripts(t_ms);
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.rows.extend(rows);
        seen.lines.extend(lines);
    }

    fn status_files(&mut self, t_ms: f64) -> Vec<Row> {
        let folder = self.home.join(".claude/sessions");
        let now: Vec<PathBuf> = list(&folder, "json");
        let mut rows = Vec::new();
        let row = |path: &Path, value: Value| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let mut row = json!({ "src": "registry", "file": format!("sessions/{name}") });
            match value {
                Value::Null => row["removed"] = true.into(),
                record => row["record"] = record,
            }
            Row { t_ms, row }
        };
        for path in &now {
            let Ok(text) = fs::read_to_string(path) else { continue };
            if self.files.get(path) == Some(&text) {
                continue;
            }
            // In the middle of a write it is no JSON yet.
            let Ok(record) = serde_json::from_str::<Value>(&text) else { continue };
            rows.push(row(path, record));
            self.files.insert(path.clone(), text);
        }
        self.files.retain(|path, _| {
            let gone = !now.contains(path);
            if gone {
                rows.push(row(path, Value::Null));
            }
            !gone
        });
        rows
    }

    fn transcripts(&mut self, t_ms: f64) -> Vec<Line> {
        let projects = self.home.join(".claude/projects");
        let mut lines = Vec::new();
        for path in list_deep(&projects, "jsonl") {
            let known = self.known.entry(path.clone()).or_default();
            let Some(new) = behind(&path, *known) else { continue };
            *known += new.len() as u64;
            let file = path.strip_prefix(&projects).unwrap_or(&path).display().to_string();
            let line = |line: &str| Line { t_ms, file: file.clone(), text: line.to_owned() };
            lines.extend(new.lines().map(line));
        }
        lines
    }
}

/// What a file has grown by. What is measured runs beside the recorder: a file that has not grown is
/// not read.
fn behind(path: &Path, known: u64) -> Option<String> {
    if fs::metadata(path).ok()?.len() <= known {
        return None;
    }
    let mut file = fs::File::open(path).ok()?;
    file.seek(io::SeekFrom::Start(known)).ok()?;
    let mut text = Vec::new();
    file.read_to_end(&mut text).ok()?;
    // The last character may be half there.
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    text.truncate(whole);
    String::from_utf8(text).ok()
}

fn list(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|e| e == ending)).collect()
}

fn list_deep(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = list(folder, ending);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(list_deep(&entry.path(), ending));
        }
    }
    found.sort();
    found
}
