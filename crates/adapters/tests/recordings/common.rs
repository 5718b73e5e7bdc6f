//! The recordings, row by row.

use headsup_adapters::{HookContext, Sighting, hook};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The recordings of one version of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorded {
    pub(crate) kind: &'static str,
    pub(crate) version: &'static str,
}

pub(crate) const CLAUDE_CODE: Recorded = Recorded { kind: "claude-code", version: "2.1.330" };
pub(crate) const CODEX: Recorded = Recorded { kind: "codex", version: "0.169.0" };
pub(crate) const ALL: [Recorded; 2] = [CLAUDE_CODE, CODEX];

impl Recorded {
    pub(crate) fn folder(&self) -> PathBuf {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        fixtures.join(self.kind).join(self.version)
    }

    /// The names of all cases, sorted.
    pub(crate) fn cases(&self) -> Vec<String> {
        let mut cases: Vec<String> = std::fs::read_dir(self.folder())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.join("timeline.jsonl").exists())
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        cases.sort();
        cases
    }

    /// All rows of a case.
    pub(crate) fn rows(&self, case: &str) -> Vec<Value> {
        lines(&self.folder().join(case).join("timeline.jsonl"))
    }

    /// All lines of the logs of a case.
    pub(crate) fn logs(&self, case: &str) -> Vec<Value> {
        let files = std::fs::read_dir(self.folder().join(case)).unwrap().map(Result::unwrap);
        let is_log = |name: &str| name.starts_with("transcript-");
        let logs = files.filter(|file| is_log(&file.file_name().to_string_lossy()));
        let mut logs: Vec<PathBuf> = logs.map(|file| file.path()).collect();
        logs.sort();
        logs.iter().flat_map(|log| lines(log)).collect()
    }

    /// The hook rows of a case.
    pub(crate) fn hooks(&self, case: &str) -> Vec<Value> {
        self.rows(case).into_iter().filter(|row| row["src"] == "hook").collect()
    }

    /// The hook rows of all cases.
    pub(crate) fn all_hooks(&self) -> impl Iterator<Item = Value> {
        self.cases().into_iter().flat_map(|case| self.hooks(&case))
    }

    /// One payload of each event that was seen.
    pub(crate) fn samples(&self) -> Vec<Value> {
        lines(&self.folder().join("samples/hook-payloads.jsonl"))
    }

    pub(crate) fn read(&self, row: &Value) -> Sighting {
        self.read_payload(&row["payload"], &context(row))
    }

    pub(crate) fn read_payload(&self, payload: &Value, context: &HookContext) -> Sighting {
        hook(self.kind, None, payload.to_string().as_bytes(), context).unwrap()
    }
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The surroundings of a hook row. A recorded ancestor has no start time: it is given one.
pub(crate) fn context(row: &Value) -> HookContext {
    let mut header = serde_json::json!({ "env": row["env"], "parents": row["parents"] });
    for parent in header["parents"].as_array_mut().unwrap() {
        parent["start"] = 1_000.into();
    }
    HookContext::parse(&header.to_string())
}
