//! Claude Code: what its hooks, its status files and its transcripts say.
//!
//! Facts about the program are of version 2.1.330: *measured* ones were seen in recordings of
//! the program (`fixtures/claude-code/2.1.330`), *read* ones stand in the program or its manual
//! and were not provoked.

mod activity;
pub(crate) mod asked;
mod event;
mod inject;
pub(crate) mod lines;
mod normalize;
mod payload;
mod prompts;
pub(crate) mod registry;
pub(crate) mod stop_hooks;
pub(crate) mod stream;
pub(crate) mod terminal;
mod tools;
pub(crate) mod transcript;

use crate::hook_table::pid_variable;
use crate::{HookContext, Sighting, json, text};
use event::Event;
use headsup_core::status::Attach;
pub(crate) use inject::RECIPE;
use payload::Payload;

pub(crate) const KIND: &str = "claude-code";

/// The rules over its screens.
pub(crate) const SCREENS: &str = include_str!("claude_code/screens.toml");

/// The command's name in the process table (measured, native build). Builds that run in `node`
/// have that name, which says nothing: for them the pid variable must do.
pub(crate) const PROGRAMS: &[&str] = &["claude"];

/// Whether a person sits at it: 1 in the terminal, 0 in print mode and in the background
/// (measured).
const ATTENDED: &str = "CLAUDE_CODE_SESSION_ATTENDED";
/// `cli`, or `sdk-cli` in print mode and under a host (measured).
const ENTRY_POINT: &str = "CLAUDE_CODE_ENTRYPOINT";
const SESSION: &str = "CLAUDE_CODE_SESSION_ID";

pub(crate) fn hook(event: Option<&str>, body: &[u8], context: &HookContext) -> Sighting {
    let body = json::decode(body);
    let (payload, broken): (Payload<'_>, _) = crate::payload::read(&body);
    let fact = |event: &str| match Event::parse(event) {
        Some(event) => normalize::fact(event, &payload, context),
        None => crate::payload::unknown(event),
    };
    let mut seen = crate::payload::sighting(event, payload.hook_event_name, broken, fact);
    let known = Event::parse(&seen.event);
    seen.session = session(&payload, context);
    seen.cwd = payload.folder(known).and_then(|path| text::folder(&path));
    seen.model = payload.model(known).map(|name| text::line(&name, text::NAME));
    seen.title = payload.session_title.text().map(|title| text::line(&title, text::TITLE));
    seen.log_path = payload.transcript_path.text().and_then(|path| text::path(&path));
    seen.attach = attach(context);
    seen.tmux_pane = context.tmux_pane();
    let pid = pid_variable(KIND).and_then(|name| context.variable(name));
    seen.process = context.process(pid.and_then(|pid| pid.parse().ok()), PROGRAMS);
    let place = [("session_id", payload.session_id), ("cwd", payload.cwd)];
    seen.strange = known.and_then(|event| normalize::strange(event, &payload));
    seen.strange = seen.strange.or_else(|| crate::payload::missing(&place));
    seen.activity = known.and_then(|event| activity::of(event, &payload));
    seen
}

/// The payload's own, else the one in the hook's environment, which says the same (measured).
fn session(payload: &Payload<'_>, context: &HookContext) -> Option<String> {
    let told = payload.session_id.text().and_then(|id| text::session(&id));
    told.or_else(|| context.variable(SESSION).and_then(text::session))
}

/// `claude daemon run …` runs the sessions of the agents view, each behind a process of its own,
/// `claude bg-pty-host --bg-pty-host SOCKET COLUMNS ROWS -- PROGRAM…` (measured). Where a runtime runs the program, the
/// program's path is another word before these.
pub(crate) fn is_service(words: &[String]) -> bool {
    let begins = |first: usize| match words.get(first..) {
        Some([word, ..]) if word == "--bg-pty-host" => true,
        Some([word, order, ..]) if word == "daemon" && order == "run" => {
            words[first - 1].contains("claude")
        }
        _ => false,
    };
    begins(1) || begins(2)
}

fn attach(context: &HookContext) -> Option<Attach> {
    match context.variable(ATTENDED)? {
        "1" => Some(Attach::Interactive),
        "0" => Some(Attach::Headless),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
