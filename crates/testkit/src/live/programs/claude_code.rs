//! Claude Code 2.1.330.

use super::{Noted, Npm, Program, Screen, arch};
use crate::live::stage::Stage;
use serde_json::json;
use std::fs;
use std::time::Duration;

/// Made up; the program asks about a key whose last 20 characters it does not know.
const KEY: &str = "sk-ant-api03-made-up-for-tests-0123456789abcdefghij";
const KNOWN: usize = 20;

pub(in crate::live) const CLAUDE_CODE: Program = Program {
    kind: "claude-code",
    title: "Claude Code",
    version: "2.1.330",
    command: "claude",
    npm: Npm { package, binary, on_node: false },
    by_run: false,
    screen: Screen {
        // The prompt box. Below it stands the permission mode.
        ready: "❯",
        // Below the box.
        working: "esc to interrupt",
        choice: "❯ 1. ",
        settle: Duration::from_millis(1_500),
        ..Screen::BARE
    },
    configure: |stage| configure(stage, true, true),
    env,
    arguments,
    headless: |prompt| vec!["-p".to_owned(), prompt.to_owned()],
    noted: Noted::SecondHook,
    tells: &[
        ("working", &["UserPromptSubmit", "PostToolUse", "ElicitationResult", "PreCompact"]),
        ("blocked", &["PermissionRequest", "Elicitation"]),
        ("done", &["Stop", "PostCompact"]),
        ("failed", &["StopFailure"]),
        ("ended", &["SessionEnd"]),
    ],
    silences: &[
        (
            "a laptop that is shut",
            "`suspended` stands for it: agent and hub stand still for 5 s (SIGSTOP); a sleep of the machine is played without an agent (`daemon/src/tests/ageing.rs`)",
        ),
        (
            "signing in to its end, the quota of a subscription",
            "not played: both want an account; `rate_limit` is the server's own 429",
        ),
        (
            "before the first event: imports, settings with errors, running without being asked, the code of a sign-in",
            "not played: pictures of them are judged (`adapters/fixtures/screens`)",
        ),
        (
            "before the first event: dialogs outside a tmux pane, or that no rule for screens knows",
            "nothing else tells of them: it stays `starting`",
        ),
    ],
};

/// The optional dependencies of `@anthropic-ai/claude-code` have the binary, which needs no `node`.
fn package() -> Option<String> {
    Some(format!("@anthropic-ai/claude-code-linux-{}@{}", arch()?, CLAUDE_CODE.version))
}

fn binary() -> String {
    format!("node_modules/@anthropic-ai/claude-code-linux-{}/claude", arch().unwrap_or_default())
}

/// The program's own settings: whether its folder is trusted, and the key known.
pub(in crate::live) fn configure(stage: &Stage, is_trusted: bool, is_known: bool) {
    let known: &[&str] = if is_known { &[&KEY[KEY.len() - KNOWN..]] } else { &[] };
    let config = json!({
        "hasCompletedOnboarding": true,
        "customApiKeyResponses": { "approved": known, "rejected": [] },
        "projects": {
            stage.folder().display().to_string(): { "hasTrustDialogAccepted": is_trusted },
        },
    });
    let path = stage.home.path().join(".claude.json");
    fs::write(path, config.to_string()).expect("a configuration");
    fs::create_dir_all(stage.home.path().join(".claude")).expect("a folder");
}

fn env(stage: &Stage) -> Vec<(&'static str, String)> {
    vec![
        ("ANTHROPIC_BASE_URL", stage.model.url()),
        ("ANTHROPIC_API_KEY", KEY.to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("CLAUDE_CODE_MAX_RETRIES", "3".to_owned()),
    ]
}

fn arguments(args: &[&str]) -> Vec<String> {
    let mut all = vec!["--model", "claude-sonnet-4-5"];
    if !args.contains(&"--permission-mode") {
        // The default one approves much by itself.
        all.extend(["--permission-mode", "manual"]);
    }
    all.extend(args);
    all.into_iter().map(str::to_owned).collect()
}
