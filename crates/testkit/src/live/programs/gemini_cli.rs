//! Gemini CLI 0.61.0.

use super::{Noted, Npm, Program, Screen};
use crate::live::stage::Stage;
use serde_json::json;
use std::fs;

pub(in crate::live) const GEMINI_CLI: Program = Program {
    kind: "gemini-cli",
    title: "Gemini CLI",
    version: "0.61.0",
    command: "gemini",
    npm: Npm {
        package: || Some(format!("@google/gemini-cli@{}", GEMINI_CLI.version)),
        binary,
        on_node: true,
    },
    by_run: true,
    screen: Screen {
        ready: "Type your message",
        working: "esc to cancel",
        choice: "● 1. ",
        lets: &["--yolo"],
        permission: "Allow execution of",
        failed: "API Error",
        compact: "/compress",
        new: "/clear",
        resume: &["--resume"],
        // By its own goodbye, or, where its terminal is closed, by the error that it can write no more.
        terminated: "ended",
        ..Screen::BARE
    },
    configure,
    env,
    arguments,
    headless: |prompt| arguments(&["-p", prompt]),
    noted: Noted::Launcher,
    tells: &[
        ("working", &["BeforeAgent"]),
        ("blocked", &["Notification"]),
        ("done", &["AfterAgent"]),
        ("failed", &["AfterAgent"]),
    ],
    silences: &[
        (
            "a dialog that a person opens (`unknown_dialog`)",
            "nothing tells of it: what was true before stays told",
        ),
        (
            "a question behind a loop that it has found twice, a turn that somebody else's hook has stopped",
            "not played: they end the turn; where nothing was said before, they are `unknown` until the next prompt, as nothing tells that it has not failed",
        ),
        (
            "a `/compress` that comes to nothing",
            "not played: nothing tells its end, neither hook nor title nor log; it stays `working`, grows stale, and is `unknown` after two minutes",
        ),
        (
            "an error, or Esc before the first word, where its log cannot be read",
            "not played: its hook tells both by the same words, its title that it rests; it is `unknown` until the next prompt",
        ),
        ("a launch's own hooks", "it takes none: `headsup run` finds those that are installed"),
        (
            "main agent blocked while a helper works, a helper behind the finished answer",
            "it waits for its helpers",
        ),
        ("fork, notice of idleness, form of a tool server", "it has none"),
        ("overload without end", "not played: it tries for minutes, and works all the while"),
        ("log alone", "its hooks name the log; without them there is its title"),
    ],
};

fn binary() -> String {
    "node_modules/.bin/gemini".to_owned()
}

fn configure(stage: &Stage) {
    let folder = stage.home.path().join(".gemini");
    fs::create_dir_all(&folder).expect("a folder");
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "general": { "enableAutoUpdate": false },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
    });
    fs::write(folder.join("settings.json"), settings.to_string()).expect("settings");
    let trusted = json!({ stage.folder().display().to_string(): "TRUST_FOLDER" });
    fs::write(folder.join("trustedFolders.json"), trusted.to_string()).expect("a list");
}

fn env(stage: &Stage) -> Vec<(&'static str, String)> {
    vec![("GEMINI_API_KEY", "made-up".to_owned()), ("GOOGLE_GEMINI_BASE_URL", stage.model.url())]
}

/// With one model, so that no other is asked which one to take.
fn arguments(args: &[&str]) -> Vec<String> {
    let all = ["-m", "gemini-2.5-flash"].into_iter().chain(args.iter().copied());
    all.map(str::to_owned).collect()
}
