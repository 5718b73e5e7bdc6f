//! Every fact about an agent program: text in, values out.
//!
//! Pure: no I/O and no clock. An agent program's name appears in this crate and in no other.
//! [`hook`] is the door for what a program's hooks say; each program has a module of its own.

pub mod acp;
mod app_server;
mod asks;
mod background;
mod borrowed;
pub mod bus;
mod calls;
mod claude_code;
mod codex;
mod context;
mod copilot_cli;
pub mod demo;
mod digest;
mod events;
pub mod evidence;
mod gemini_cli;
pub mod hook_table;
pub mod inject;
mod json;
mod kinds;
mod mapped;
mod opencode;
mod payload;
mod program;
mod qwen_code;
mod registry;
pub mod resume;
mod screen;
mod service;
mod stop_hooks;
pub mod stream;
pub mod support;
pub mod terminal;
pub mod text;
mod transcript;

pub use app_server::{
    SERVER_VARIABLES, ServedSocket, ThreadFact, server_evidence, server_greeting, server_message,
    server_next, server_of_log, server_of_start, server_strange,
};
pub use borrowed::is_borrowed;
pub use context::{Ancestor, HookContext, is_pane, is_shell, tmux_server, tmux_words};
pub use hook_table::{hook_environment, is_transition};
pub use json::values as json_values;
pub use kinds::{UnknownKind, is_kind, kind_of_client, kinds};
pub use program::{Above, above, is_named_by_its_script, may_be_program};
pub use registry::{
    RegistryRecord, WatchedFolder, has_registry, log_of, registries, registry, registry_of_log,
    registry_pid,
};
pub use screen::{Shown, has_screens, screen, screen_version};
pub use service::{has_service, is_service, serves_terminals};
pub use stop_hooks::{has_other_request_hooks, has_other_stop_hooks};
pub use transcript::{
    LogLine, answers_itself, begins_by_log, helper_line, helper_logs, is_helper_log, log_line,
    replaced_log, strange_line,
};

use headsup_core::id::ProcessId;
use headsup_core::observation::{Fact, SessionEnd, SessionStart};
use headsup_core::source::Source;
use headsup_core::status::Attach;
use headsup_core::time::UnixMs;

/// One vendor payload, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// The vendor's name of the event; `unknown` if there was none, never empty.
    pub event: String,
    /// Who bears witness: a hook, or what else reports as hooks do.
    pub source: Source,
    /// The vendor's conversation id.
    pub session: Option<String>,
    pub cwd: Option<String>,
    pub model: Option<String>,
    pub title: Option<String>,
    /// Where the program keeps its log of this conversation.
    pub log_path: Option<String>,
    /// Where it keeps the one of the helper whose event this is.
    pub helper_log: Option<String>,
    pub attach: Option<Attach>,
    /// The pane's id, `%5`.
    pub tmux_pane: Option<String>,
    /// The agent program's process. Its pid namespace is left to the hub, which compares
    /// [`HookContext::pidns`] with its own.
    pub process: Option<ProcessId>,
    /// That process serves other conversations as well: it does not tell whose this is.
    pub shares_process: bool,
    /// Because of that an end that may be none was told as one.
    ends_in_shared: bool,
    /// When the program says that it made it, by its own clock.
    pub made_at: Option<UnixMs>,
    pub fact: Fact,
    /// A member that its event has in all versions that are known, and that is not there, or says a
    /// word that nobody knows. The fact is what can be told without it.
    pub strange: Option<&'static str>,
    /// Only the program's log tells how this goes on: without one it must not be believed.
    pub needs_log: bool,
    /// What the timeline says of it: capped and redacted.
    pub activity: Option<Activity>,
}

/// One line of the timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    pub tool: Option<String>,
    pub action: Option<String>,
}

/// Reads one hook call: `event` is the event's name where the hook's command line gave one,
/// `body` the payload as it came on its standard input.
///
/// Only a kind that does not exist is an error. A payload that is not understood is a
/// sighting of [`Fact::NotUnderstood`], which changes nothing.
pub fn hook(
    kind: &str,
    event: Option<&str>,
    body: &[u8],
    context: &HookContext,
) -> Result<Sighting, UnknownKind> {
    if event == Some(stream::EVENT) && stream::is_known(kind) {
        return Ok(stream::hook(body, context));
    }
    let mut seen = read(kind, event, body, context)?;
    if let Fact::SessionStarted { how, attach } = &mut seen.fact {
        *attach = attach.or(context.attach);
        // What it says itself of who sits there counts more than its command line.
        match *attach {
            Some(Attach::Headless) if context.prompted => *how = with_its_prompt(kind, *how),
            Some(Attach::Headless) => {}
            // Not every program says who sits there.
            None if kind != codex::KIND => {}
            // Whatever begins in its process later has not that prompt.
            _ if context.asked && *how == SessionStart::Startup => *how = SessionStart::Asked,
            _ => {}
        }
    }
    if matches!(seen.fact, Fact::NotUnderstood { .. }) {
        // All of it is.
        seen.strange = None;
    }
    Ok(seen)
}

/// How a run starts that was started with its prompt. Others may tell of a helper's conversation that it is a fork.
fn with_its_prompt(kind: &str, how: SessionStart) -> SessionStart {
    match how {
        SessionStart::Startup | SessionStart::Early | SessionStart::EarlyResume => {
            SessionStart::Prompted
        }
        SessionStart::Fork if kind == claude_code::KIND => SessionStart::Prompted,
        SessionStart::Resume => SessionStart::PromptedResume,
        other => other,
    }
}

fn read(
    kind: &str,
    event: Option<&str>,
    body: &[u8],
    context: &HookContext,
) -> Result<Sighting, UnknownKind> {
    match kind {
        claude_code::KIND => Ok(claude_code::hook(event, body, context)),
        codex::KIND => Ok(codex::hook(event, body, context)),
        copilot_cli::KIND => Ok(copilot_cli::hook(event, body, context)),
        gemini_cli::KIND => Ok(gemini_cli::hook(event, body, context)),
        opencode::KIND | opencode::KILO => Ok(opencode::hook(event, body, context)),
        qwen_code::KIND => Ok(qwen_code::hook(event, body, context)),
        speaker if acp::is_kind(speaker) && is_kind(speaker) => Ok(acp::hook(event, body, context)),
        known => match mapped::of(known) {
            Some(map) => Ok(mapped::hook(map, event, body, context)),
            None if is_kind(known) => Ok(without_adapter(event, body)),
            None => Err(UnknownKind::new(kind)),
        },
    }
}

json::skim! {
    /// What most programs agree on.
    Common {
        session_id: "session_id",
        cwd: "cwd",
        hook_event_name: "hook_event_name",
    }
}

/// A kind that has no adapter of its own: its hooks are counted and decide nothing.
fn without_adapter(event: Option<&str>, body: &[u8]) -> Sighting {
    let body = json::decode(body);
    let common: Common = serde_json::from_str(json::trim(&body)).unwrap_or_default();
    let named = common.hook_event_name.text();
    Sighting {
        session: common.session_id.text().and_then(|id| text::session(&id)),
        cwd: common.cwd.text().and_then(|path| text::folder(&path)),
        ..Sighting::new(event, named.as_deref(), Fact::not_understood("no adapter yet"))
    }
}

impl Sighting {
    /// The payload's own name for the event wins over the command line's: the one may have
    /// been registered under the wrong event, the other cannot.
    fn new(event: Option<&str>, named: Option<&str>, fact: Fact) -> Self {
        Self {
            event: event_name(event, named),
            source: Source::Hook,
            session: None,
            cwd: None,
            model: None,
            title: None,
            log_path: None,
            helper_log: None,
            attach: None,
            tmux_pane: None,
            process: None,
            shares_process: false,
            ends_in_shared: false,
            needs_log: false,
            made_at: None,
            fact,
            strange: None,
            activity: None,
        }
    }

    /// Its process serves this conversation alone, after all, in the terminal that its environment names, and tells
    /// whether that was left.
    pub fn unshare(&mut self, context: &HookContext) {
        self.shares_process = false;
        self.tmux_pane = context.tmux_pane();
        if self.ends_in_shared {
            self.fact = Fact::SessionEnded { how: SessionEnd::Either };
        }
    }
}

/// Never empty.
fn event_name(event: Option<&str>, named: Option<&str>) -> String {
    let clean = |name: &str| text::line(name, text::EVENT);
    let found = [named, event].into_iter().flatten().map(clean).find(|name| !name.is_empty());
    found.unwrap_or_else(|| "unknown".to_owned())
}

/// Short forms of facts, for adapters.
trait FactExt {
    fn not_understood(why: &str) -> Fact;
}

impl FactExt for Fact {
    fn not_understood(why: &str) -> Fact {
        Fact::NotUnderstood { why: why.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nowhere() -> HookContext {
        HookContext::default()
    }

    #[test]
    fn an_unknown_kind_is_the_only_error() {
        assert!(hook("no-such-agent", None, b"{}", &nowhere()).is_err());
        for kind in kinds() {
            assert!(hook(kind, Some("X"), b"\xff\xfe", &nowhere()).is_ok(), "{kind}");
        }
    }

    #[test]
    fn a_kind_without_an_adapter_keeps_session_and_folder_and_decides_nothing() {
        let body = br#"{"session_id":"s-1","cwd":"/home/dev/api","hook_event_name":"Stop"}"#;
        {
            let kind = "custom";
            let seen = hook(kind, None, body, &nowhere()).unwrap();
            assert_eq!(seen.event, "Stop");
            assert_eq!(seen.session.as_deref(), Some("s-1"));
            assert_eq!(seen.cwd.as_deref(), Some("/home/dev/api"));
            assert_eq!(seen.fact, Fact::not_understood("no adapter yet"));
        }
    }

    #[test]
    fn an_event_has_a_name_even_if_it_had_none() {
        assert_eq!(event_name(None, None), "unknown");
        assert_eq!(event_name(Some(" "), Some("\u{200b}")), "unknown");
        assert_eq!(event_name(Some("Stop"), None), "Stop");
        assert_eq!(event_name(Some("Stop"), Some("SessionEnd")), "SessionEnd");
        assert_eq!(event_name(Some(&"x".repeat(500)), None).chars().count(), text::EVENT);
    }
}
