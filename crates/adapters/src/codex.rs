//! Codex CLI: what its hooks, its logs, its terminal and its app-server say.
//!
//! Facts about the program are of version 0.169.0: *measured* ones were seen in recordings of the
//! program (`fixtures/codex/0.169.0`), *read* ones stand in the program or its manual and were not
//! provoked.

mod activity;
pub(crate) mod app_server;
mod event;
mod inject;
pub(crate) mod lines;
mod methods;
mod normalize;
mod payload;
pub(crate) mod reviewer;
pub(crate) mod stop_hooks;
pub(crate) mod stream;
pub(crate) mod terminal;
mod tools;
pub(crate) mod transcript;

use crate::context::is_shell;
use crate::{HookContext, Sighting, json, resume, text};
use event::Event;
use headsup_core::observation::{Fact, SessionEnd};
pub(crate) use inject::RECIPE;
use payload::Payload;

pub(crate) const KIND: &str = "codex";

/// What its dialogs look like.
pub(crate) const SCREENS: &str = include_str!("codex/screens.toml");

/// The command's name in the process table (measured, native build, which the npm package starts,
/// too).
pub(crate) const PROGRAMS: &[&str] = &["codex"];

/// Commands with which it does one thing and leaves: nobody can type to it (`codex --help` of 0.169.0, read).
pub(crate) const ONE_RUNS: &[&str] = &["e", "exec", "review"];

/// Names the folder of its configuration and its logs in the place of `~/.codex`.
pub(crate) const HOME_VARIABLE: &[u8] = b"CODEX_HOME=";

/// Who is above a process that has outlived the one that started it.
const FOSTER_PARENTS: &[&str] = &["systemd", "init"];

/// So long it may take to leave behind its goodbye: it waits for the other hooks of that moment, and with one that hangs
/// it was gone after 4.7 s on a machine with other work (measured). Milliseconds.
pub(crate) const LEAVES_MS: u16 = 15_000;

/// npm's launcher, which waits for the program, under either name of its own runtime.
const LAUNCHERS: &[&str] = &["node", "MainThread"];

/// What the app-server is started with: `codex app-server --managed-daemon` (measured).
const SERVER: &str = "app-server";

pub(crate) fn hook(event: Option<&str>, body: &[u8], context: &HookContext) -> Sighting {
    let body = json::decode(body);
    let (payload, broken): (Payload<'_>, _) = crate::payload::read(&body);
    let fact = |event: &str| match Event::parse(event) {
        Some(event) => normalize::fact(event, &payload),
        None => crate::payload::unknown(event),
    };
    let mut seen = crate::payload::sighting(event, payload.hook_event_name, broken, fact);
    crate::payload::place(&mut seen, [payload.session_id, payload.cwd], context, PROGRAMS);
    let known = Event::parse(&seen.event);
    seen.model = payload.model(known).map(|name| text::line(&name, text::NAME));
    // That of a helper's start names its own log, also where nothing else in it says that it is a helper's.
    let is_helpers = matches!(known, Some(Event::SubagentStart | Event::SubagentStop));
    let log = payload.log().filter(|_| !is_helpers);
    seen.log_path = log.and_then(|path| text::path(&path));
    seen.helper_log = payload.helper_log().and_then(|path| text::path(&path));
    seen.shares_process = is_daemons(context);
    // A daemon runs every terminal's hooks in the environment of the first one.
    seen.tmux_pane = seen.tmux_pane.filter(|_| !seen.shares_process);
    if seen.shares_process && seen.fact == (Fact::SessionEnded { how: SessionEnd::Either }) {
        // It tells nothing of a conversation that it lives on.
        seen.fact = Fact::SessionEnded { how: SessionEnd::Exit };
        seen.ends_in_shared = true;
    }
    let place = [("session_id", payload.session_id), ("cwd", payload.cwd)];
    seen.strange = known.and_then(|event| normalize::strange(event, &payload));
    seen.strange = seen.strange.or_else(|| crate::payload::missing(&place));
    seen.activity = known.and_then(|event| activity::of(event, &payload));
    seen
}

/// May it come from the background app-server, which terminals share? That is the child of the
/// first terminal's program, and of nobody once that one has left (measured). Nothing in the
/// environment tells, and whatever has outlived its parent looks so: where its command line can be
/// read, that decides ([`is_server`]).
fn is_daemons(context: &HookContext) -> bool {
    context.above(PROGRAMS).is_some_and(|above| {
        let comm = above.comm.as_str();
        let is_first = above.pid == 1 && !is_shell(comm) && !LAUNCHERS.contains(&comm);
        is_first || PROGRAMS.contains(&comm) || FOSTER_PARENTS.contains(&comm)
    })
}

/// Whether it runs one of [`ONE_RUNS`]: the first of its words that is neither an option nor an option's value. `line` begins
/// with what it was started as, or with a runtime before that.
pub(crate) fn is_one_run(line: &[&str]) -> bool {
    let is_it = |word: &&str| word.rsplit('/').next().is_some_and(|name| PROGRAMS.contains(&name));
    let behind = line.iter().position(is_it).map_or(1, |place| place + 1);
    let command = resume::command(KIND, line.get(behind..).unwrap_or_default());
    command.is_some_and(|command| ONE_RUNS.contains(&command))
}

/// Whether a process that was started with these words is an app-server.
pub(crate) fn is_server(words: &[String]) -> bool {
    words.iter().skip(1).any(|word| word == SERVER)
}

#[cfg(test)]
mod tests;
