//! Agents that speak the Agent Client Protocol: what goes by between a client and an agent, and what
//! of it the hub is told.
//!
//! JSON-RPC, one message a line. A proxy reads along ([`Traffic`]) and tells the hub what each
//! message does ([`Said`]); the hub makes a fact of that (`hook`). Facts about the protocol are of
//! `@agentclientprotocol/sdk` 2.4.0 (versions 1 and 2, *read*) and of four agents that speak
//! version 1 (*measured*: `fixtures/acp/1`).

mod connection;
mod conversation;
pub(crate) mod lines;
mod message;
mod normalize;
mod said;
mod strange;

use crate::context::is_shell;
use crate::{Activity, FactExt, HookContext, Sighting, json, text};
use connection::Connection;
use headsup_core::id::ProcessId;
use headsup_core::observation::Fact;
use headsup_core::source::Source;
use lines::Lines;
pub use message::Side;
use normalize::Told;
pub use said::{Choice, Event, Said};

/// What goes by in one connection, both ways.
#[derive(Debug, Default)]
pub struct Traffic {
    connection: Connection,
    of_client: Lines,
    of_agent: Lines,
    /// The agent says nothing any more.
    is_closed: bool,
    /// And it has lived on.
    is_gone: bool,
    /// It was told that nobody will know how what is under way in it ends.
    is_lost: bool,
    /// Its client says nothing any more, or nobody reads that.
    is_left: bool,
}

impl Traffic {
    /// `tag` tells this connection's turns from those of all others of its agent.
    pub fn new(tag: &str) -> Self {
        Self { connection: Connection::new(tag), ..Self::default() }
    }

    /// Takes the next bytes that one side has sent, and hands out what is to be told of them.
    pub fn feed(&mut self, side: Side, bytes: &[u8], mut tell: impl FnMut(Said)) {
        if self.is_gone {
            return self.feed_gone(side, bytes, tell);
        }
        let Self { connection, of_client, of_agent, .. } = self;
        let lines = if side == Side::Client { of_client } else { of_agent };
        lines.feed(bytes, |line| take(connection, side, line).into_iter().for_each(&mut tell));
    }

    /// Its client speaks to one that is gone. What it asks for then may begin, and nobody will know of its end.
    fn feed_gone(&mut self, side: Side, bytes: &[u8], tell: impl FnMut(Said)) {
        if side == Side::Client && !self.is_lost {
            let Self { connection, of_client, .. } = self;
            of_client.feed(bytes, |line| drop(take(connection, side, line)));
            self.falls_silent(tell);
        }
    }

    fn falls_silent(&mut self, tell: impl FnMut(Said)) {
        let said = self.connection.falls_silent();
        self.is_lost |= !said.is_empty();
        said.into_iter().for_each(tell);
    }

    /// One side says nothing more: what it ended with is a message too.
    pub fn finish(&mut self, side: Side, mut tell: impl FnMut(Said)) {
        self.is_closed |= side == Side::Agent;
        self.is_left |= side == Side::Client;
        if self.is_gone {
            return;
        }
        let Self { connection, of_client, of_agent, .. } = self;
        let lines = if side == Side::Client { of_client } else { of_agent };
        lines.finish(|line| take(connection, side, line).into_iter().for_each(&mut tell));
    }

    /// Has the agent closed its output, or waits it for a client that is gone? Both are mostly its end. Where
    /// it lives on, [`settle`](Self::settle) tells that it is gone, or that nobody will answer it.
    pub fn is_unsettled(&self) -> bool {
        self.is_silent() || self.is_left && self.connection.asks()
    }

    /// It lives on. Nothing can answer what is under way, nor what its client still says to it; or nobody
    /// what it asks.
    pub fn settle(&mut self, tell: impl FnMut(Said)) {
        if self.is_silent() {
            self.is_gone = true;
            self.falls_silent(tell);
        } else if self.is_unsettled() {
            self.connection.loses_client().into_iter().for_each(tell);
        }
    }

    fn is_silent(&self) -> bool {
        self.is_closed && !self.is_gone
    }

    /// How everything stands, to be said again and again; `None` before the agent has said a word.
    pub fn stands(&self) -> Option<Said> {
        self.connection.stands().filter(|_| !self.is_gone)
    }

    /// Whether a turn is open for nothing but a prompt that was taken in and then never heard of:
    /// that is not to be said again and again.
    pub fn is_only_expected(&self) -> bool {
        self.connection.is_only_expected()
    }
}

fn take(connection: &mut Connection, side: Side, line: lines::Line<'_>) -> Vec<Said> {
    match line.is_cut {
        true => connection.unreadable(side),
        false => connection.take(side, &json::decode(line.text)),
    }
}

/// Reads what a proxy tells of one message.
pub(crate) fn hook(event: Option<&str>, body: &[u8], context: &HookContext) -> Sighting {
    let body = json::decode(body);
    let read = json::payload::<Told<'_>>(json::trim(&body));
    let told = read.as_ref().copied().unwrap_or_default();
    let named = told.event.text();
    let mut seen = Sighting::new(event, named.as_deref(), Fact::Nothing);
    seen.source = Source::Acp;
    seen.fact = match read {
        Err(why) => Fact::not_understood(why),
        Ok(told) => normalize::fact(&seen.event, &told),
    };
    // One connection has several sessions; the seat is in the one that was taken up last, or that its prompt takes up.
    let starts = matches!(seen.fact, Fact::SessionStarted { .. });
    let takes_up = starts || told.takes_up.is_true();
    let session = told.session.text().and_then(|id| text::id(&id));
    seen.session = session.filter(|_| takes_up);
    seen.cwd = told.cwd.text().and_then(|path| text::folder(&path));
    seen.model = told.model.text().map(|model| text::line(&model, text::NAME));
    let describes = seen.event == Event::Described.word();
    let title = told.title.text().map(|title| text::line(&title, text::TITLE));
    seen.title = title.clone().filter(|_| describes);
    seen.strange = strange::of(&seen.event, &told);
    if told.strange.json().is_some() {
        // It is counted by its own name.
        let method = told.method.text().map(|method| text::line(&method, text::EVENT));
        seen.event = method.filter(|method| !method.is_empty()).unwrap_or(seen.event);
    }
    seen.tmux_pane = context.tmux_pane();
    // The proxy's chain begins with the agent. One that is a script is known by its launch alone.
    let agent = context.parents.first().filter(|agent| !is_shell(&agent.comm));
    let agent = agent.filter(|agent| agent.pid > 0 && agent.start > 0);
    seen.process = agent.map(|agent| ProcessId::new(agent.pid, agent.start));
    let shows = matches!(seen.fact, Fact::ToolStarted { .. } | Fact::PromptOpened { .. });
    seen.activity = shows.then(|| Activity {
        tool: told.tool.text().map(|tool| text::line(&tool, text::NAME)),
        action: title.map(|title| text::line(&title, text::ACTION)),
    });
    seen
}

/// Whether this kind is that of an agent behind a proxy.
pub fn is_kind(kind: &str) -> bool {
    kind.starts_with("acp:")
}

#[cfg(test)]
mod tests;
