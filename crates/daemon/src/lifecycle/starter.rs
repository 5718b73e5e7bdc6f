//! The one door by which the hub starts agents: this program itself, which starts them as
//! `headsup run` does. What it needs to know it reads from its input, where nobody else sees it.

use crate::api::Refused;
use headsup_core::wire::{LaunchDoc, RelaunchDoc};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// Less than callers wait for an answer.
const PATIENCE: Duration = Duration::from_secs(8);
/// Of what it says where it fails. Characters.
const MOST_WORDS: usize = 500;

#[derive(Debug)]
pub(crate) struct Starter {
    /// `headsup`; nothing in a hub that is a part of another program.
    program: Option<PathBuf>,
    home: PathBuf,
}

impl Starter {
    pub(crate) fn new(program: Option<PathBuf>, home: &Path) -> Self {
        Self { program, home: home.to_owned() }
    }

    /// Whether it looks as if it could be started, by the hub or by who asks: it is better told before it
    /// counts as taken up.
    pub(super) fn may_start(&self, launch: &LaunchDoc, is_hubs: bool) -> Result<(), Refused> {
        if is_hubs && self.program.is_none() {
            return Err(Refused::new(409, "hub_starts_nothing", "this hub cannot start agents")
                .hint("take it up in a terminal: `headsup resume --here`"));
        }
        for (what, path) in [("program", &launch.program), ("folder", &launch.folder)] {
            if !Path::new(path).exists() {
                let detail = format!("its {what} is not there any more: {path}");
                return Err(Refused::new(409, "launch_gone", detail)
                    .hint("put it back where it was; `headsup run` starts an agent anew"));
            }
        }
        Ok(())
    }

    /// Comes back once it is started.
    ///
    /// # Errors
    /// What the starting program has said, for people.
    pub(super) async fn start(&self, order: &RelaunchDoc) -> Result<(), String> {
        let Some(program) = &self.program else {
            return Err("this hub cannot start agents".into());
        };
        let mut command = Command::new(program);
        command.arg("relaunch").env("HEADSUP_HOME", &self.home).env_remove("HEADSUP_URL");
        // Where the hub was started from an agent, it does not start in that one's name.
        command.env_remove("HEADSUP_AGENT_ID").env_remove("HEADSUP_AGENT_TOKEN");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("{} cannot be run: {error}", program.display()))?;
        let json = serde_json::to_vec(order).map_err(|error| error.to_string())?;
        let run = async {
            if let Some(mut stdin) = child.stdin.take() {
                stdin.write_all(&json).await?;
            }
            child.wait_with_output().await
        };
        let ended = tokio::time::timeout(PATIENCE, run).await;
        let output = ended
            .map_err(|_| "it was not started in time".to_owned())?
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said: String = said.trim().chars().take(MOST_WORDS).collect();
        Err(if said.is_empty() { format!("it was not started: {}", output.status) } else { said })
    }
}

/// A token that nobody can guess.
pub(super) fn token() -> Result<String, Refused> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Refused::new(500, "internal", format!("there is no randomness: {error}"))
    })?;
    let [high, low] = [0, 16].map(|at| bytes[at..at + 16].try_into().unwrap_or_default());
    Ok(format!("{:032x}{:032x}", u128::from_be_bytes(high), u128::from_be_bytes(low)))
}
