//! Qwen Code: what its hooks and its title say.
//!
//! Facts about the program are of version 0.24.4: *measured* ones were seen in recordings of the
//! program (`fixtures/qwen-code/0.24.4`) or at the program itself, *read* ones stand in it and were
//! not provoked. The log of a conversation is not read: hooks tell everything. They have the form of Claude Code's, and other meanings in places.

mod activity;
mod inject;
mod normalize;
mod payload;
pub(crate) mod stream;
pub(crate) mod terminal;

use crate::hook_table::pid_variable;
use crate::{HookContext, Sighting, json, resume, text};
pub(crate) use inject::RECIPE;
use payload::Payload;

/// What its screen shows before its first event, and where it has found a loop.
pub(crate) const SCREENS: &str = include_str!("qwen_code/screens.toml");

pub(crate) const KIND: &str = "qwen-code";

/// The name of its process is that of the runtime, `MainThread` from Node 24 on. It starts itself
/// anew, in a terminal twice, and runs some hooks in a process of their own that lives no longer than they do
/// (measured). Its own variable names the outermost of its processes, which only waits: where that is killed the others
/// go on (measured).
pub(crate) const PROGRAMS: &[&str] = &["node", "MainThread", "bun", "qwen"];

/// Its own commands (0.24.4, help): any other word that is no option is a question.
pub(crate) const COMMANDS: &[&str] = &[
    "auth",
    "board",
    "channel",
    "extensions",
    "hooks",
    "mcp",
    "review",
    "sandbox",
    "serve",
    "sessions",
    "update",
];

/// What keeps it open behind a prompt that it is started with.
const STAYS: [&str; 2] = ["-i", "--prompt-interactive"];

/// Whether it answers what stands among its arguments, and leaves: `-p`, or a question, unless it is to stay (0.24.4,
/// help and measured).
pub(crate) fn is_one_run(arguments: &[&str]) -> bool {
    let is_one = |word: &str, names: &[&str]| {
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        names.contains(&name)
    };
    let has = |names: &[&str]| arguments.iter().any(|word| is_one(word, names));
    let asks = || {
        let question = resume::surely(KIND, arguments);
        question.is_some_and(|word| !COMMANDS.contains(&word)) && !has(&STAYS)
    };
    has(&["-p", "--prompt"]) || asks()
}

const SESSION: &str = "QWEN_CODE_SESSION_ID";

pub(crate) fn hook(event: Option<&str>, body: &[u8], context: &HookContext) -> Sighting {
    let body = json::decode(body);
    let (payload, broken): (Payload<'_>, _) = crate::payload::read(&body);
    let fact = |event: &str| normalize::fact(event, &payload);
    let mut seen = crate::payload::sighting(event, payload.hook_event_name, broken, fact);
    crate::payload::place(&mut seen, [payload.session_id, payload.cwd], context, PROGRAMS);
    seen.session = seen.session.or_else(|| context.variable(SESSION).and_then(text::session));
    if seen.event == "SessionStart" && !payload.is_helpers() {
        seen.model = payload.model.text().map(|name| text::line(&name, text::NAME));
    }
    let launcher = pid_variable(KIND).and_then(|name| context.variable(name));
    if let Some(launcher) = launcher.and_then(|pid| pid.parse().ok()) {
        seen.process = context.started_by(launcher, PROGRAMS);
    }
    let place = [("session_id", payload.session_id), ("cwd", payload.cwd)];
    let strange = normalize::strange(&seen.event, &payload);
    seen.strange = strange.or_else(|| crate::payload::missing(&place));
    seen.activity = activity::of(&seen.event, &payload);
    seen
}

#[cfg(test)]
mod tests;
