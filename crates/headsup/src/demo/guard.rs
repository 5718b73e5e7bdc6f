//! What a demonstration has brought does not outlive it.
//!
//! The *guard* is this program once more. Its standard input is a pipe of which the demonstration
//! alone has the other end: whatever ends that, also what nothing can catch, closes it. Whoever comes to
//! its end clears up itself, and says so before.

use super::{LAST_HOOKS, ids, once, take_away};
use crate::cli::down;
use crate::client::start;
use crate::launch::shim::keeper;
use crate::place::Place;
use rustix::io::Errno;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, ExitCode, Stdio};
use tokio::runtime::Builder;
use tokio::time::sleep;

const GUARD: &str = "__guard-demo";

/// Keeps the guard waiting until it is dropped.
#[derive(Debug)]
pub(super) struct Guard(ChildStdin);

impl Guard {
    /// Nothing is left to be cleared up.
    pub(super) fn dismiss(mut self) {
        // One that is gone needs no word.
        self.0.write_all(b".").ok();
    }
}

/// Starts the guard of this process. `hub`: the one that goes with the demonstration.
pub(super) fn start(hub: Option<u32>) -> io::Result<Guard> {
    let mut command = keeper::ourselves();
    command.arg(GUARD).args(hub.map(|pid| pid.to_string()));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // What is meant for the group that the terminal shows is not meant for it.
    command.process_group(0);
    command.spawn()?.stdin.map(Guard).ok_or_else(|| io::Error::from(Errno::PIPE))
}

/// Whether this process is one.
pub(crate) fn is_wanted() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == GUARD)
}

/// Is one.
pub(crate) fn run() -> ExitCode {
    let mut word = Vec::new();
    if io::stdin().read_to_end(&mut word).is_err() || !word.is_empty() {
        return ExitCode::SUCCESS;
    }
    let hub = std::env::args().nth(2).and_then(|pid| pid.parse().ok());
    let Ok(runtime) = Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    runtime.block_on(clear_up(hub));
    ExitCode::SUCCESS
}

async fn clear_up(hub: Option<u32>) {
    // One that arrived later would bring its agent back.
    sleep(LAST_HOOKS).await;
    let place = Place::from_env();
    let Some(home) = place.home.as_deref() else { return };
    // A demonstration that has begun meanwhile has taken away the agents that were left; the hub is none of its own.
    let _alone = loop {
        match once::claim(home) {
            Ok(Some(alone)) => break alone,
            Ok(None) => sleep(LAST_HOOKS).await,
            Err(_) => return,
        }
    };
    let Ok(client) = start::client(&place) else { return };
    take_away(&client, &ids()).await;
    // Its number may already be another's.
    if let Some(pid) = hub
        && client.address().listener().await.is_ok_and(|listener| listener == pid)
    {
        down::stop(pid).ok();
    }
}
