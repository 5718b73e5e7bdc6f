//! Copilot CLI 1.0.102, with a provider of one's own.

use super::{Noted, Npm, Program, Screen, arch};
use crate::live::stage::Stage;
use serde_json::json;
use std::fs;

pub(in crate::live) const COPILOT_CLI: Program = Program {
    kind: "copilot-cli",
    title: "Copilot CLI",
    version: "1.0.102",
    command: "copilot",
    npm: Npm { package, binary, on_node: false },
    by_run: true,
    screen: Screen {
        // A narrow terminal cuts the rest off.
        ready: "/ commands",
        working: "Working",
        choice: "❯ 1. ",
        lets: &["--allow-all-tools"],
        permission: "Do you want to run this command?",
        question: "Waiting for response",
        answer: &["Enter"],
        failed: "✗ ",
        compacted: "Compaction completed",
        interrupt: &["Escape", "Escape"],
        exit: "/exit",
        new: "/clear",
        resume: &["--continue"],
        leave_again: None,
        silent_start: true,
        ..Screen::BARE
    },
    configure,
    env,
    arguments: |args| args.iter().map(|&arg| arg.to_owned()).collect(),
    headless: |prompt| ["-p", prompt].map(str::to_owned).to_vec(),
    noted: Noted::Launcher,
    tells: &[
        ("working", &["userPromptSubmitted"]),
        ("blocked", &["notification"]),
        ("done", &["agentStop"]),
        ("failed", &["errorOccurred"]),
    ],
    silences: &[
        (
            "a form of a tool server (`elicitation_answered`, `elicitation_cancelled`)",
            "no hook and no line of its log tells of it until it is closed: it stays `working`, and is marked stale after 60 s",
        ),
        (
            "a turn once headsup's program is gone (`no_binary`)",
            "its hooks run nothing then, and its title tells of its start alone",
        ),
        (
            "a menu that a person opens (`unknown_dialog`)",
            "nothing tells of it: what was true before stays told",
        ),
        (
            "a shell command of the person's (`!sleep 12`)",
            "not played: no hook, no title and no line of its log tells of it; it stays `done`",
        ),
        (
            "idle before the first prompt",
            "by hand it says nothing before: it is told with that prompt. A launched one tells by its title, unless it goes on with a conversation, whose name that shows; where a person has that switched off, has tool servers for which the first prompt waits, or has not yet trusted the folder, it is `starting` until then",
        ),
        ("login dialog", "it has none: without a login it sits at its prompt and says so"),
        (
            "nested",
            "not played: one that it starts in its shell asks no model when the provider is one's own",
        ),
        ("fork, notice of idleness", "it has none"),
        ("overload without end", "not played: it tries for minutes, and works all the while"),
        (
            "title alone, log alone",
            "its title tells of its start alone, and its hooks name the log: without them its process is all",
        ),
    ],
};

fn package() -> Option<String> {
    Some(format!("@github/copilot-linux-{}@{}", arch()?, COPILOT_CLI.version))
}

fn binary() -> String {
    format!("node_modules/@github/copilot-linux-{}/copilot", arch().unwrap_or_default())
}

fn configure(stage: &Stage) {
    let folder = stage.home.path().join(".copilot");
    fs::create_dir_all(&folder).expect("a folder");
    let config = json!({ "trusted_folders": [stage.folder()], "trustedFolders": [stage.folder()] });
    fs::write(folder.join("config.json"), config.to_string()).expect("a configuration");
}

fn env(stage: &Stage) -> Vec<(&'static str, String)> {
    vec![
        ("COPILOT_OFFLINE", "true".to_owned()),
        ("COPILOT_PROVIDER_TYPE", "openai".to_owned()),
        ("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", stage.model.url())),
        ("COPILOT_PROVIDER_API_KEY", "made-up".to_owned()),
        ("COPILOT_MODEL", "scripted".to_owned()),
    ]
}
