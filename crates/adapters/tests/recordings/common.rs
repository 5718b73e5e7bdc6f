//! The recordings, row by row.

use headsup_adapters::{HookContext, Sighting, hook};
use serde_json::Value;
use std::path::{Path, PathBuf};

pub(crate) const KIND: &str = "claude-code";

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude-code/2.1.330")
}

/// The names of all cases, sorted.
pub(crate) fn cases() -> Vec<String> {
    let mut cases: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("timeline.jsonl").exists())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    cases.sort();
    cases
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// All rows of a case.
pub(crate) fn rows(case: &str) -> Vec<Value> {
    lines(&folder().join(case).join("timeline.jsonl"))
}

/// The hook rows of a case.
pub(crate) fn hooks(case: &str) -> Vec<Value> {
    rows(case).into_iter().filter(|row| row["src"] == "hook").collect()
}

/// One payload of each event that was seen.
pub(crate) fn samples() -> Vec<Value> {
    lines(&folder().join("samples/hook-payloads.jsonl"))
}

/// The surroundings of a hook row. A recorded ancestor has no start time: it is given one.
pub(crate) fn context(row: &Value) -> HookContext {
    let mut header = serde_json::json!({ "env": row["env"], "parents": row["parents"] });
    for parent in header["parents"].as_array_mut().unwrap() {
        parent["start"] = 1_000.into();
    }
    HookContext::parse(&header.to_string())
}

pub(crate) fn read(row: &Value) -> Sighting {
    read_payload(&row["payload"], &context(row))
}

pub(crate) fn read_payload(payload: &Value, context: &HookContext) -> Sighting {
    hook(KIND, None, payload.to_string().as_bytes(), context).unwrap()
}
