//! Codex 0.169.0.

use super::{Npm, Program, Screen, arch};
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
        ..Screen::BARE
    },
    configure,
    env: |_| vec![("SCRIPTED_KEY", "made-up".to_owned())],
    arguments,
    headless,
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

fn configure(stage: &Stage) {
    let folder = stage.home.path().join(".codex");
    fs::create_dir_all(&folder).expect("a folder");
    // A model that it does not know gets plain tools.
    let mut config = format!(
        "model = \"scripted\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"SCRIPTED_KEY\"\nrequires_openai_auth = false\nrequest_max_retries = 3\n\
         stream_max_retries = 4\n[analytics]\nenabled = false\n",
        stage.model.url()
    );
    let folder_of_agents = stage.folder().display().to_string();
    let trusted = format!("[projects.\"{folder_of_agents}\"]\ntrust_level = \"trusted\"\n");
    write!(config, "{trusted}").expect("text");
    fs::write(folder.join("config.toml"), config).expect("a configuration");
}

/// Hooks that a person has trusted.
fn arguments(args: &[&str]) -> Vec<String> {
    let all = ["--dangerously-bypass-hook-trust"].into_iter().chain(args.iter().copied());
    all.map(str::to_owned).collect()
}

fn headless(prompt: &str) -> Vec<String> {
    let words = ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt];
    words.map(str::to_owned).to_vec()
}

const SILENCES: &[(&str, &str)] = &[];
