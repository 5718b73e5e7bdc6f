//! Codex 0.169.0.

use super::{Noted, Npm, Program, Screen, arch};
use crate::live::stage::Stage;
use std::fmt::Write as _;
use std::fs;

pub(in crate::live) const CODEX: Program = Program {
    kind: "codex",
    title: "Codex",
    version: "0.169.0",
    command: "codex",
    npm: Npm { package, binary, on_node: false },
    by_run: true,
    screen: Screen {
        ready: "? for shortcuts",
        working: "esc to interrupt",
        choice: "› 1. ",
        lets: &["--ask-for-approval", "never", "--sandbox", "danger-full-access"],
        permission: "Would you like to run the following command?",
        failed: "■ ",
        resume: &["resume", "--last"],
        fork: &["fork", "--last"],
        little_memory: &["-c", "model_auto_compact_token_limit=50000"],
        ..Screen::BARE
    },
    configure: |stage| configure(stage, true, true),
    env: |_| vec![("SCRIPTED_KEY", "made-up".to_owned())],
    arguments,
    headless,
    noted: Noted::Launcher,
    tells: &[
        ("working", &["UserPromptSubmit"]),
        // A question is a tool that begins; before a permission the tool begins first.
        ("blocked", &["PermissionRequest", "PreToolUse"]),
        ("done", &["Stop"]),
    ],
    silences: SILENCES,
};

/// The builds are versions of the package itself.
fn package() -> Option<String> {
    Some(format!("@openai/codex@{}-linux-{}", CODEX.version, arch()?))
}

fn binary() -> String {
    let triple = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    format!("node_modules/@openai/codex/vendor/{triple}/bin/codex")
}

/// Its own settings: whether its folder is trusted, and whether its model wants nobody to sign in.
pub(in crate::live) fn configure(stage: &Stage, is_trusted: bool, is_open: bool) {
    let folder = stage.home.path().join(".codex");
    fs::create_dir_all(&folder).expect("a folder");
    // A model that it does not know gets plain tools.
    let mut config = format!(
        "model = \"scripted\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"SCRIPTED_KEY\"\nrequires_openai_auth = {}\nrequest_max_retries = 3\n\
         stream_max_retries = 4\n[analytics]\nenabled = false\n",
        stage.model.url(),
        !is_open
    );
    let folder_of_agents = stage.folder().display().to_string();
    let trusted = format!("[projects.\"{folder_of_agents}\"]\ntrust_level = \"trusted\"\n");
    if is_trusted {
        write!(config, "{trusted}").expect("text");
    }
    fs::write(folder.join("config.toml"), config).expect("a configuration");
}

/// In the place of arguments: nobody has trusted the hooks yet.
pub(in crate::live) const UNTRUSTED: &[&str] = &["untrusted"];

/// Hooks that a person has trusted.
fn arguments(args: &[&str]) -> Vec<String> {
    if args == UNTRUSTED {
        return Vec::new();
    }
    let all = ["--dangerously-bypass-hook-trust"].into_iter().chain(args.iter().copied());
    all.map(str::to_owned).collect()
}

fn headless(prompt: &str) -> Vec<String> {
    let words = ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt];
    words.map(str::to_owned).to_vec()
}

const SILENCES: &[(&str, &str)] = &[
    ("a notice of idleness", "it has none: at rest neither hooks nor status reports say anything"),
    (
        "a denial that is not Esc",
        "its dialog has no other: \"No, and tell Codex what to do\" is Esc",
    ),
    (
        "a helper that its agent waits for",
        "not played apart: `spawn_agent` returns at once, and the answer follows when it may",
    ),
    (
        "the offer of an update",
        "it is a note above the prompt box where its package manager is not known, and waits for nobody",
    ),
    (
        "a menu that a person opens (`unknown_dialog`)",
        "nothing tells of it: what was true before stays told",
    ),
    (
        "rest before the first prompt, started by hand",
        "its first hook comes with the first prompt: started without `headsup run` it is told with that",
    ),
    (
        "a hang-up of one that was started by hand without its background process",
        "not played: it says no goodbye, and is told as `ended` because the shell in its terminal goes with it",
    ),
];
