//! What messages say that no version of the protocol has: the hub is told of each kind of them once, and
//! counts it.
//!
//! Both versions, also what is unstable in them (`fixtures/acp/protocol-catalogue.json`, read), `session/set_model`
//! of older ones, and what Qwen Code has beside them (measured). Names that begin with `_` are anybody's own.

use super::message::{Form, Params, Side, Update, Work};
use super::normalize::Told;
use super::said::{Event, Said};
use crate::json::Raw;
use crate::{payload, stream};
use std::collections::BTreeSet;

/// Kinds that are told of one connection.
const MOST: usize = 64;

const METHOD: &str = "method";
const UPDATE: &str = "sessionUpdate";
const STATE: &str = "state";
const BACKGROUND: &str = "background";
const STOP: &str = "stopReason";

const SESSION_UPDATE: &str = "session/update";

#[derive(Debug, Default)]
pub(super) struct Strange {
    told: BTreeSet<(String, &'static str)>,
}

impl Strange {
    /// What is to be told of a message beside what it does.
    pub(super) fn take(&mut self, side: Side, form: &Form<'_>) -> Option<Said> {
        let (name, member) = news(form)?;
        self.tell(side, name, member)
    }

    /// An answer without the member that each of its kind has.
    pub(super) fn stopless(&mut self, method: &str) -> Option<Said> {
        self.tell(Side::Agent, method.to_owned(), STOP)
    }

    /// An update without the list of what goes on behind, of a session that lists it: that has to be in each
    /// of its updates.
    pub(super) fn listless(&mut self) -> Option<Said> {
        self.tell(Side::Agent, stream::name(SESSION_UPDATE, Some("state_update")), BACKGROUND)
    }

    fn tell(&mut self, side: Side, name: String, member: &'static str) -> Option<Said> {
        if self.told.len() >= MOST || !self.told.insert((name.clone(), member)) {
            return None;
        }
        Some(Said { strange: Some(member), ..Said::new(Event::Noted, side, &name) })
    }
}

/// What is new in a message, and by which member it says so.
fn news(form: &Form<'_>) -> Option<(String, &'static str)> {
    let (Form::Request { method, params, .. } | Form::Notification { method, params }) = form
    else {
        return None;
    };
    let name = method.text()?;
    if name != SESSION_UPDATE {
        let is_known = name.starts_with('_') || METHODS.contains(&&*name);
        return (!is_known).then(|| (stream::name(&name, None), METHOD));
    }
    let update: Update<'_> = params.object::<Params<'_>>().update.object();
    let kind = update.kind.text();
    let member = match kind.as_deref() {
        Some("state_update") => {
            let is_news = || is_anew(update.background).then_some(BACKGROUND);
            payload::strange((STATE, update.state, STATES)).or_else(is_news)?
        }
        Some(kind) if kind.starts_with('_') => return None,
        _ => payload::strange((UPDATE, update.kind, UPDATES))?,
    };
    Some((stream::name(&name, kind.as_deref()), member))
}

/// Does something else stand in the place of the list of what goes on behind, or a type in it that no version
/// has? Who lists nothing at all says nothing of it.
fn is_anew(background: Raw<'_>) -> bool {
    let is_new = |work: Raw<'_>| {
        let kind = work.object::<Work<'_>>().kind;
        let is_own = kind.text().is_some_and(|kind| kind.starts_with('_'));
        !is_own && payload::strange(("type", kind, WORK)).is_some()
    };
    background.is_other_than('[') || background.items().into_iter().any(is_new)
}

/// The member of what a proxy tells that is news.
pub(super) fn of(event: &str, told: &Told<'_>) -> Option<&'static str> {
    if event == Event::TurnEnded.word() && told.stop.json().is_some() {
        return payload::strange((STOP, told.stop, STOPS));
    }
    let strange = told.strange.text()?;
    [METHOD, UPDATE, STATE, BACKGROUND, STOP].into_iter().find(|member| *member == strange)
}

const METHODS: &[&str] = &[
    "$/cancel_request",
    "auth/login",
    "auth/logout",
    "auth/status",
    "auth/status_update",
    "authenticate",
    "craft/drainMidTurnQueue",
    "elicitation/complete",
    "elicitation/create",
    "fs/read_text_file",
    "fs/write_text_file",
    "initialize",
    "logout",
    "mcp/message",
    "providers/disable",
    "providers/list",
    "providers/set",
    "proxy/initialize",
    "proxy/successor",
    "qwen/notify/session/prompt-suggestion",
    "session/archive",
    "session/cancel",
    "session/close",
    "session/delete",
    "session/fork",
    "session/list",
    "session/load",
    "session/new",
    "session/prompt",
    "session/request_permission",
    "session/resume",
    "session/set_config_option",
    "session/set_mode",
    "session/set_model",
    "session/set_title",
    "session/status",
    "session/unarchive",
    "session/update",
    "terminal/cancel",
    "terminal/create",
    "terminal/kill",
    "terminal/output",
    "terminal/release",
    "terminal/wait_for_exit",
    "tool_call/cancel",
];

const UPDATES: &[&str] = &[
    "agent_message",
    "agent_message_chunk",
    "agent_thought",
    "agent_thought_chunk",
    "available_commands_update",
    "compaction_summary_chunk",
    "compaction_update",
    "config_option_update",
    "current_mode_update",
    "notice",
    "other",
    "plan",
    "plan_removed",
    "plan_update",
    "session_info_update",
    "session_message",
    "session_message_chunk",
    "state_update",
    "subagent_update",
    "terminal_output_chunk",
    "terminal_update",
    "tool_call",
    "tool_call_content_chunk",
    "tool_call_update",
    "usage_update",
    "user_message",
    "user_message_chunk",
];

const STATES: &[&str] = &["idle", "requires_action", "running", "unknown"];

const WORK: &[&str] = &["subagent", "terminal", "tool_call"];

/// `error` is of version 2.
const STOPS: &[&str] =
    &["cancelled", "end_turn", "error", "max_tokens", "max_turn_requests", "refusal"];
