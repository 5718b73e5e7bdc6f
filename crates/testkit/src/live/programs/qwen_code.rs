//! Qwen Code 0.24.4. It wants Node 22.

use super::{Noted, Npm, Program, Screen};
use crate::live::stage::Stage;
use serde_json::json;
use std::fs;

pub(in crate::live) const QWEN_CODE: Program = Program {
    kind: "qwen-code",
    title: "Qwen Code",
    version: "0.24.4",
    command: "qwen",
    npm: Npm {
        package: || Some(format!("@qwen-code/qwen-code@{}", QWEN_CODE.version)),
        binary,
        on_node: true,
    },
    by_run: true,
    screen: Screen {
        ready: "Type your message",
        working: "esc to cancel",
        choice: " 1. ",
        lets: &["--yolo"],
        permission: "Allow execution of",
        failed: "The script says",
        compact: "/compress",
        new: "/clear",
        resume: &["--continue"],
        fork: &["--continue", "--fork-session"],
        helper: Some("Help out"),
        // Enter sends it into the turn that runs.
        queue: "C-q",
        // The prompt goes back into its box.
        clear: Some("C-u"),
        ..Screen::BARE
    },
    configure,
    env,
    arguments: |args| args.iter().map(|&arg| arg.to_owned()).collect(),
    headless: |prompt| ["-p", prompt].map(str::to_owned).to_vec(),
    noted: Noted::Launcher,
    tells: &[
        ("working", &["UserPromptSubmit"]),
        ("blocked", &["PermissionRequest"]),
        ("done", &["Stop"]),
        ("failed", &["StopFailure"]),
    ],
    silences: &[
        (
            "a dialog that a person opens (`unknown_dialog`)",
            "nothing tells of it: what was true before stays told",
        ),
        (
            "a notice of idleness a minute behind the turn",
            "its notice of rest comes within a second of every turn: it is in every play",
        ),
        (
            "two helpers that report at once",
            "not played: no hook tells that the second report wakes it, too; behind the answer to the first it is `done` until its title has shown work for 4 s, or its next answer ends",
        ),
        ("overload without end", "not played: it tries for minutes, and works all the while"),
        (
            "log alone",
            "the log is not read: hooks tell everything; without them there is its title",
        ),
    ],
};

fn binary() -> String {
    "node_modules/.bin/qwen".to_owned()
}

/// Without what asks the model by itself.
fn configure(stage: &Stage) {
    let folder = stage.home.path().join(".qwen");
    fs::create_dir_all(&folder).expect("a folder");
    let settings = json!({
        "security": { "auth": { "selectedType": "openai" } },
        "general": { "enableAutoUpdate": false },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "memory": { "enableManagedAutoMemory": false, "enableManagedAutoDream": false },
        "tools": { "approvalMode": "default", "useBuiltinRipgrep": false },
        "ui": { "enableFollowupSuggestions": false },
    });
    fs::write(folder.join("settings.json"), settings.to_string()).expect("settings");
}

fn env(stage: &Stage) -> Vec<(&'static str, String)> {
    vec![
        ("OPENAI_API_KEY", "made-up".to_owned()),
        ("OPENAI_BASE_URL", format!("{}/v1", stage.model.url())),
        ("OPENAI_MODEL", "scripted".to_owned()),
    ]
}
