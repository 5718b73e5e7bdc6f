//! What goes on in one connection: which prompts are in flight, who waits for an answer.
//!
//! A turn of the agent is the time in which any prompt is in flight in any session: only its first
//! prompt starts it, and only the answer to the last one ends it. What is asked of the person
//! belongs to its session, and is over when that rests, whether or not the client answers. What is
//! asked in no turn begins none.
//!
//! Version 1 of the protocol as spoken in November 2026 (`@agentclientprotocol/sdk` 2.4.0, and by
//! four agents, measured): `session/prompt` is answered when its turn is over. Version 2, a draft
//! (the same package, read): it is answered when the prompt is taken in, and `state_update` tells the rest.

mod person;
mod rest;
mod state;
mod taken;

use super::conversation::{Answered, Conversation};
use super::message::{self, Answer, Failure, Form, Id, Params, Side, Update};
use super::said::{Event, Said};
use super::strange::Strange;
use crate::json::Raw;
use crate::text;
use rest::lists_background;
use std::collections::HashMap;

/// Requests that may be in flight at once, and sessions of one connection.
const MOST: usize = 4_096;

/// One connection between a client and an agent.
#[derive(Debug, Default)]
pub(super) struct Connection {
    /// Tells this connection's turns from those of others.
    tag: String,
    turns: u64,
    /// The turn that is open.
    turn: Option<String>,
    /// How the last one ended, as it was told; nothing once a session has been taken up behind it.
    ended: Option<Said>,
    /// How the last session at work has ended in the open turn, while something was asked elsewhere.
    last: Option<Said>,
    /// Sessions that have failed in the open turn while others went on, the first one first.
    failed: Vec<Said>,
    /// It was told that nobody knows what goes on.
    told_unclear: bool,
    /// What goes on behind, as it was told last; nothing where the hub may have forgotten that.
    told: Option<u32>,
    version: u64,
    is_ready: bool,
    asked: HashMap<(Side, Id), Asked>,
    sessions: HashMap<String, Conversation>,
    /// The session that was taken up last. The seat is in that one.
    current: Option<String>,
    /// What the agent has asked of the person and the hub is told of, the oldest first.
    prompts: Vec<Said>,
    /// What it has asked beside these, and is told of once there is room.
    waiting: Vec<Said>,
    unreadable: u64,
    strange: Strange,
}

/// A request that is not answered yet.
#[derive(Debug, Default)]
struct Asked {
    method: String,
    session: Option<String>,
    cwd: Option<String>,
    model: Option<String>,
}

impl Asked {
    fn of(method: &str, session: Option<String>) -> Self {
        Self { method: method.to_owned(), session, ..Self::default() }
    }
}

/// What an answer says that is an error.
#[derive(Debug, Default)]
struct Failed {
    code: Option<i64>,
    message: Option<String>,
}

impl Failed {
    fn of(error: Option<Raw<'_>>) -> Self {
        let Some(failure) = error.map(Raw::object::<Failure<'_>>) else { return Self::default() };
        let code = failure.code.json().and_then(|code| code.parse().ok());
        let message = failure.message.text().map(|message| text::line(&message, text::DETAIL));
        Self { code, message }
    }
}

impl Connection {
    pub(super) fn new(tag: &str) -> Self {
        Self { tag: tag.to_owned(), told: Some(0), ..Self::default() }
    }

    /// Takes one line.
    pub(super) fn take(&mut self, side: Side, line: &str) -> Vec<Said> {
        let forms = message::read(line);
        if forms.is_empty() {
            return self.unreadable(side);
        }
        let mut said = Vec::new();
        for form in forms {
            let news = self.strange.take(side, &form);
            said.extend(self.form(side, form));
            said.extend(self.clears());
            said.extend(news);
        }
        said
    }

    /// A line that is no message. Not each of them is told: a program may write whatever it likes.
    pub(super) fn unreadable(&mut self, side: Side) -> Vec<Said> {
        self.unreadable += 1;
        if !self.unreadable.is_power_of_two() {
            return Vec::new();
        }
        let why = format!("{} lines are no messages", self.unreadable);
        vec![Said { message: Some(why), ..Said::new(Event::Unreadable, side, "unreadable") }]
    }

    /// How everything stands, once the agent has said that it is there, and while it knows that itself.
    pub(super) fn stands(&self) -> Option<Said> {
        let known = (self.is_ready || self.is_active()) && !self.is_unclear();
        let prompts = u32::try_from(self.asked_of_person().count()).unwrap_or(u32::MAX);
        let first = self.prompts.first();
        known.then(|| Said {
            turn: self.turn.clone(),
            tool: first.and_then(|prompt| prompt.tool.clone()),
            prompts,
            shells: self.shells(),
            ..Said::new(Event::Stands, Side::Agent, first.map_or("stands", |said| &said.method))
        })
    }

    /// Is all that is under way a prompt that was taken in, and of which nothing was heard since?
    /// It may never be heard of: some are answered without any work.
    pub(super) fn is_only_expected(&self) -> bool {
        let mut active = self.sessions.values().filter(|session| session.is_active()).peekable();
        let is_any = active.peek().is_some();
        is_any && self.prompts.is_empty() && active.all(Conversation::is_only_expected)
    }

    fn is_active(&self) -> bool {
        !self.prompts.is_empty() || self.sessions.values().any(Conversation::is_active)
    }

    /// Would a prompt begin a turn now? What is asked of the person alone is none.
    fn is_in_no_turn(&self) -> bool {
        self.turn.is_none() || !self.is_active()
    }

    fn form(&mut self, side: Side, form: Form<'_>) -> Vec<Said> {
        match (side, form) {
            (Side::Client, Form::Request { id, method, params }) => {
                self.client_asks(&id, &method.text().unwrap_or_default(), &params.object())
            }
            (Side::Agent, Form::Request { id, method, params }) => {
                self.agent_asks(&id, &method.text().unwrap_or_default(), &params.object())
            }
            (Side::Agent, Form::Notification { method, params }) => {
                self.agent_tells(&method.text().unwrap_or_default(), &params.object())
            }
            (Side::Client, Form::Notification { method, params }) => {
                self.client_tells(&method.text().unwrap_or_default(), &params.object())
            }
            (Side::Client, Form::Result { id, result }) => self.person_answers(&id, Some(result)),
            (Side::Client, Form::Error { id, .. }) => self.person_answers(&id, None),
            (Side::Agent, Form::Result { id, result }) => self.agent_answers(&id, Ok(result)),
            (Side::Agent, Form::Error { id, error }) => self.agent_answers(&id, Err(error)),
        }
    }

    /// Whoever has cancelled a turn is waited for no more.
    fn client_tells(&mut self, method: &str, params: &Params<'_>) -> Vec<Said> {
        if method != "session/cancel" {
            return Vec::new();
        }
        let session = session(params.session);
        let mut said = self.withdraw(|open| open.session == session);
        if !said.is_empty() {
            said.extend(self.rests(None));
        }
        said.push(Said { session, ..Said::new(Event::Noted, Side::Client, method) });
        said
    }

    fn client_asks(&mut self, id: &str, method: &str, params: &Params<'_>) -> Vec<Said> {
        let session = session(params.session);
        match method {
            "initialize" | "session/new" | "session/load" | "session/resume" | "session/fork" => {
                let cwd = params.cwd.text().and_then(|path| text::folder(&path));
                self.note(Side::Client, id, Asked { cwd, ..Asked::of(method, session) });
                Vec::new()
            }
            "session/close" | "session/delete" | "session/set_config_option"
                if session.is_some() =>
            {
                self.note(Side::Client, id, Asked::of(method, session));
                Vec::new()
            }
            "session/set_model" => {
                let model = params.model.text().and_then(|model| message::model_name(&model));
                self.note(Side::Client, id, Asked { model, ..Asked::of(method, session) });
                Vec::new()
            }
            "session/prompt" => {
                // One that is not kept could never be over.
                if !self.note(Side::Client, id, Asked::of(method, session.clone())) {
                    return Vec::new();
                }
                let (began, is_alone) = (self.is_in_no_turn(), !self.is_active());
                self.conversation(session.as_deref()).prompted();
                let begins = self.begins(began, Side::Client, method, id, session);
                if is_alone { self.goes_over(begins) } else { vec![begins] }
            }
            // Version 2 asks for it.
            _ => self.client_tells(method, params),
        }
    }

    /// A prompt or the like: it starts a turn, or goes on in one.
    fn begins(
        &mut self,
        began: bool,
        from: Side,
        method: &str,
        id: &str,
        session: Option<String>,
    ) -> Said {
        self.last = None;
        if began {
            self.turns += 1;
            self.turn = Some(format!("{}.{}", self.tag, self.turns));
        }
        let event = if began { Event::TurnStarted } else { Event::Noted };
        let id = (!id.is_empty()).then(|| id.to_owned());
        Said { id, session, turn: self.turn.clone(), ..Said::new(event, from, method) }
    }

    fn agent_tells(&mut self, method: &str, params: &Params<'_>) -> Vec<Said> {
        match method {
            "session/update" => self.updates(session(params.session), &params.update.object()),
            "$/cancel_request" => {
                let id = message::id(params.request);
                let mut said = self.withdraw(|open| id.is_some() && open.id == id);
                if !said.is_empty() {
                    said.extend(self.rests(None));
                }
                said
            }
            _ => Vec::new(),
        }
    }

    fn updates(&mut self, session: Option<String>, update: &Update<'_>) -> Vec<Said> {
        self.hears(session.as_deref());
        match update.kind.text().as_deref() {
            Some("tool_call" | "tool_call_update") => self.call(session, update),
            Some(STATE) => self.state(session, update),
            Some("config_option_update") => {
                self.works_with(session, update.model(), "session/update")
            }
            Some("session_info_update") => self.is_called(session, update),
            _ => Vec::new(),
        }
    }

    fn call(&mut self, session: Option<String>, update: &Update<'_>) -> Vec<Said> {
        let Some(call) = update.call.text().and_then(|id| text::id(&id)) else { return Vec::new() };
        let turn = self.turn.clone();
        let conversation = self.conversation(session.as_deref());
        // A session that is loaded tells its calls of long ago.
        if !conversation.is_active() {
            return Vec::new();
        }
        let ends =
            matches!(update.status.text().as_deref(), Some("completed" | "failed" | "cancelled"));
        let (event, news) = match ends {
            true => (Event::ToolEnded, conversation.ended(&call)),
            false => (Event::ToolStarted, conversation.started(&call)),
        };
        // What a call does says nothing of a session that does not know what it does.
        if !news || self.is_unclear() {
            return Vec::new();
        }
        let title = update.title.text().map(|title| text::line(&title, text::ACTION));
        let tool = Some(update.tool()).filter(|name| !name.is_empty());
        let call = Some(call);
        vec![Said {
            session,
            turn,
            call,
            tool,
            title,
            ..Said::new(event, Side::Agent, "session/update")
        }]
    }

    /// What goes on behind all sessions, apart from helpers.
    fn shells(&self) -> u32 {
        self.sessions.values().map(Conversation::shells).fold(0, u32::saturating_add)
    }

    /// Where nothing is under way, what goes on behind may be other than was told last. An end that
    /// lists it is told again then: of a turn that has ended it says nothing but that. Behind any
    /// other one the level says it. In a turn nothing can: its end does.
    fn recounted(&mut self) -> Vec<Said> {
        let shells = self.shells();
        if self.told == Some(shells) || self.is_active() || self.is_unclear() {
            return Vec::new();
        }
        let said = match (self.ended.clone().filter(lists_background), self.stands()) {
            (Some(ended), _) => vec![Said { shells, ..ended }],
            (None, Some(stands)) => vec![stands],
            (None, None) => return Vec::new(),
        };
        self.told = Some(shells);
        said
    }

    fn agent_answers(&mut self, id: &str, answer: Result<Raw<'_>, Raw<'_>>) -> Vec<Said> {
        let Some(asked) = self.asked.remove(&(Side::Client, id.to_owned())) else {
            return Vec::new();
        };
        let result: Answer<'_> = answer.unwrap_or_default().object();
        match &*asked.method {
            "session/prompt" => self.prompt_answered(id, asked, &result, answer.err()),
            // It is there, and its client can do nothing with it.
            "initialize" if answer.is_err() && !self.is_ready && !self.is_active() => {
                let failure = Failed::of(answer.err());
                let failed = Said::new(Event::TurnFailed, Side::Agent, &asked.method);
                vec![Said { code: failure.code, message: failure.message, ..failed }]
            }
            _ if answer.is_err() => Vec::new(),
            "session/close" | "session/delete" => self.closed(asked),
            "session/set_model" | "session/set_config_option" => {
                self.works_with(asked.session, result.model().or(asked.model), &asked.method)
            }
            "initialize" => {
                self.version = result.version.json().and_then(|n| n.parse().ok()).unwrap_or(1);
                self.is_ready = true;
                if self.is_active() {
                    // Its client has not waited for this, or asks again.
                    return vec![Said::new(Event::Noted, Side::Agent, "initialize")];
                }
                // It is the level of an agent that has just come up.
                self.told = Some(0);
                let mut said = vec![Said::new(Event::Ready, Side::Agent, "initialize")];
                said.extend(self.recounted());
                said
            }
            _ => self.takes_up(asked, &result),
        }
    }

    /// The model of a session, where it is another one than before, and the seat is in that session.
    fn works_with(
        &mut self,
        session: Option<String>,
        model: Option<String>,
        method: &str,
    ) -> Vec<Said> {
        let is_new = self.conversation(session.as_deref()).works_with(model.as_deref());
        let is_news = is_new && session == self.current;
        let said = Said::new(Event::Described, Side::Agent, method);
        is_news.then_some(Said { session, model, ..said }).into_iter().collect()
    }

    /// A session is no more. Nobody answers what was asked in it, its own prompts neither.
    fn closed(&mut self, asked: Asked) -> Vec<Said> {
        let Asked { method, session, .. } = asked;
        self.asked.retain(|_, open| open.session != session);
        *self.conversation(session.as_deref()) = Conversation::default();
        // It cannot complete anything any more.
        self.failed.retain(|failed| failed.session != session);
        let stop = Some("cancelled".to_owned());
        let end = Said::new(Event::TurnEnded, Side::Agent, &method);
        let mut said = self.rests(Some(Said { session: session.clone(), stop, ..end }));
        self.sessions.remove(key(session.as_deref()));
        said.extend(self.recounted());
        said
    }

    fn prompt_answered(
        &mut self,
        id: &str,
        asked: Asked,
        result: &Answer<'_>,
        error: Option<Raw<'_>>,
    ) -> Vec<Said> {
        let is_new = self.version >= 2;
        let conversation = self.conversation(asked.session.as_deref());
        let stop = result.stop.text().map(|stop| text::line(&stop, text::EVENT));
        let tells = conversation.tells_its_state();
        let is_taken_in = match is_new {
            true => tells || stop.is_none(),
            false => stop.is_none() && (tells || result.message.text().is_some()),
        };
        // Version 1 says in each answer how it came to it.
        let is_stopless = error.is_none() && stop.is_none() && !is_taken_in;
        conversation.answered(match error {
            Some(_) if tells => Answered::Refused,
            None if is_taken_in => Answered::TakenIn,
            _ => Answered::Over,
        });
        let stop = stop.or_else(|| conversation.stop());
        let event = if error.is_some() { Event::TurnFailed } else { Event::TurnEnded };
        let Failed { code, message } = Failed::of(error);
        let end = Said::new(event, Side::Agent, &asked.method);
        let session = asked.session;
        let end = Said { id: Some(id.to_owned()), session, stop, code, message, ..end };
        let mut said = self.rests(Some(end));
        said.extend(is_stopless.then(|| self.strange.stopless(&asked.method)).flatten());
        said
    }

    /// Keeps a request until its answer. False where there is no room, or where its id is that of
    /// another one that is not answered.
    fn note(&mut self, side: Side, id: &str, asked: Asked) -> bool {
        let key = (side, id.to_owned());
        let is_kept = self.asked.len() < MOST && !self.asked.contains_key(&key);
        if is_kept {
            self.asked.insert(key, asked);
        }
        is_kept
    }

    fn conversation(&mut self, session: Option<&str>) -> &mut Conversation {
        let key = key(session);
        if self.sessions.len() >= MOST && !self.sessions.contains_key(key) {
            self.sessions.retain(|_, session| session.is_active());
        }
        self.sessions.entry(key.to_owned()).or_default()
    }
}

/// `session/update` that tells what a session does.
const STATE: &str = "state_update";

/// A message without a session speaks of the one that has no name.
fn key(session: Option<&str>) -> &str {
    session.unwrap_or_default()
}

fn session(raw: Raw<'_>) -> Option<String> {
    raw.text().and_then(|id| text::session(&id))
}
