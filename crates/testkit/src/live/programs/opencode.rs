//! OpenCode 1.18.33.

use super::{Noted, Npm, Program, Screen, arch};
use crate::live::stage::Stage;
use serde_json::json;
use std::fs;

pub(in crate::live) const OPENCODE: Program = Program {
    kind: "opencode",
    title: "OpenCode",
    version: "1.18.33",
    command: "opencode",
    npm: Npm { package, binary, on_node: false },
    by_run: true,
    screen: Screen {
        ready: "ctrl+p commands",
        working: "esc interrupt",
        choice: "Allow once",
        lets: &["--agent", "free"],
        permission: "Permission required",
        yes: &["Enter"],
        no: &["Right", "Right", "Enter", "Enter"],
        answer: &["Enter"],
        interrupt: &["Escape", "Escape"],
        again: Some("again to interrupt"),
        failed: "The script says",
        exit: "/exit",
        resume: &["--continue"],
        fork: &["--continue", "--fork"],
        ..Screen::BARE
    },
    configure,
    env,
    arguments: |args| args.iter().map(|&arg| arg.to_owned()).collect(),
    headless: |prompt| ["run", prompt].map(str::to_owned).to_vec(),
    noted: Noted::Plugin(".config/opencode/plugin/moments.js"),
    tells: &[
        ("working", &["session.status/busy"]),
        ("blocked", &["permission.asked", "question.asked"]),
        ("done", &["session.status/idle"]),
        // The error before it may be tried again.
        ("failed", &["session.status/idle"]),
    ],
    silences: &[
        ("trust or login dialog", "it has none: it starts with whatever provider is set"),
        ("a notice of idleness", "it has none: at rest its bus is silent"),
        (
            "work in the background behind a turn",
            "its shell tool waits for its command, and helpers that are not waited for are an experiment that is off",
        ),
        (
            "an overload without end",
            "not played: it tries again for minutes; a recording of its giving up is played back (`retry_429_gives_up`)",
        ),
        (
            "`opencode serve`",
            "not played live: it has no terminal to type into; recordings of it are played back (`headsup/tests/replay`)",
        ),
        ("`--pure`", "it runs no plugin then, and nothing else tells but its process"),
        (
            "a menu that a person opens (`unknown_dialog`)",
            "its bus is silent: what was true before stays told",
        ),
        (
            "a form of a tool server",
            "it has none: it offers its tool servers roots alone (read in 1.18.33)",
        ),
        ("the log alone", "it writes none: its conversations are in a database that is not read"),
    ],
};

fn package() -> Option<String> {
    Some(format!("opencode-linux-{}@{}", arch()?, OPENCODE.version))
}

fn binary() -> String {
    format!("node_modules/opencode-linux-{}/bin/opencode", arch().unwrap_or_default())
}

fn configure(stage: &Stage) {
    let folder = stage.home.path().join(".config/opencode");
    fs::create_dir_all(&folder).expect("a folder");
    let limit = json!({ "context": 100_000, "output": 8_000 });
    let config = json!({
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": false,
        "share": "disabled",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "permission": { "bash": "ask", "edit": "ask", "webfetch": "ask" },
        "agent": { "free": { "mode": "primary", "permission": { "bash": "allow" } } },
        "enabled_providers": ["scripted"],
        "provider": {
            "scripted": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Scripted",
                "options": { "baseURL": format!("{}/v1", stage.model.url()), "apiKey": "made-up" },
                "models": { "scripted": { "name": "Scripted", "limit": limit } },
            },
        },
    });
    fs::write(folder.join("opencode.json"), config.to_string()).expect("a configuration");
}

fn env(_: &Stage) -> Vec<(&'static str, String)> {
    let on = |name| (name, "1".to_owned());
    vec![
        on("OPENCODE_DISABLE_AUTOUPDATE"),
        on("OPENCODE_DISABLE_DEFAULT_PLUGINS"),
        on("OPENCODE_DISABLE_LSP_DOWNLOAD"),
        on("OPENCODE_DISABLE_MODELS_FETCH"),
    ]
}
