//! What the agent asks of the person, and what becomes of it.

use super::super::message::{self, Answer, Call, Outcome, Params, Side};
use super::super::said::{Choice, Event, Said};
use super::{Asked, Connection, STATE, key, session};
use crate::json::Raw;
use crate::text;

/// Prompts for the person that are told at once. A seat holds 64, and the next one is told before what has made room
/// for it is over.
const MOST_OPEN: usize = 63;
/// Options of a prompt that are told.
const OPTIONS: usize = 20;

impl Connection {
    pub(super) fn agent_asks(&mut self, id: &str, method: &str, params: &Params<'_>) -> Vec<Said> {
        if !matches!(method, "session/request_permission" | "elicitation/create") {
            // Some write an id, as `null`, where none belongs.
            return self.agent_tells(method, params);
        }
        let session = session(params.session);
        if !self.note(Side::Agent, id, Asked::of(method, session.clone())) {
            return Vec::new();
        }
        let call: Call<'_> = params.call.object();
        let line = |raw: Raw<'_>| raw.text().map(|text| text::line(&text, text::TITLE));
        let asked = Said {
            tool: Some(call.tool()).filter(|name| !name.is_empty()),
            title: line(params.title).or_else(|| line(call.title)).or_else(|| line(params.message)),
            description: line(params.description),
            options: choices(params.options),
            ..self.opens(method, id, session.clone())
        };
        if self.prompts.len() >= MOST_OPEN {
            self.waiting.push(asked);
            return Vec::new();
        }
        let mut said = vec![asked.clone()];
        // Now it is known what the session waits for.
        said.extend(self.withdraw(|open| open.session == session && open.method == STATE));
        self.prompts.push(asked);
        said
    }

    /// In the open turn, if there is one.
    fn opens(&self, method: &str, id: &str, session: Option<String>) -> Said {
        let open = Said::new(Event::PromptOpened, Side::Agent, method);
        Said { id: Some(id.to_owned()), session, turn: self.turn.clone(), ..open }
    }

    pub(super) fn person_answers(&mut self, id: &str, result: Option<Raw<'_>>) -> Vec<Said> {
        if self.asked.remove(&(Side::Agent, id.to_owned())).is_none() {
            return Vec::new();
        }
        let Some(index) = self.prompts.iter().position(|open| open.id.as_deref() == Some(id))
        else {
            self.waiting.retain(|open| open.id.as_deref() != Some(id));
            return Vec::new();
        };
        let open = self.prompts.remove(index);
        let mut said = self.takes_free_places();
        let answer: Answer<'_> = result.unwrap_or_default().object();
        let outcome: Outcome<'_> = answer.outcome.object();
        let chosen = outcome.option.text().or_else(|| answer.action.text());
        let is_cancelled = outcome.outcome.text().as_deref() == Some("cancelled")
            || answer.action.text().as_deref() == Some("cancel")
            || result.is_none();
        let chosen = chosen.filter(|_| !is_cancelled).map(|value| text::line(&value, text::NAME));
        let chosen = chosen.map(|value| {
            let known = open.options.iter().find(|option| option.value == value);
            known.cloned().unwrap_or(Choice { words: value.clone(), value })
        });
        let event = if is_cancelled { Event::PromptCancelled } else { Event::PromptAnswered };
        let from = Side::Client.word();
        let options = chosen.into_iter().collect();
        let session = open.session.clone();
        said.push(Said { event, from, options, ..open });
        said.extend(self.still_requires_action(session));
        said.extend(self.rests(None));
        said
    }

    /// The session waits for more than what was answered, unless it takes its word back.
    fn still_requires_action(&mut self, session: Option<String>) -> Option<Said> {
        let requires = self.sessions.get(key(session.as_deref()))?.requires_action();
        if !requires || self.asked_of_person().any(|open| open.session == session) {
            return None;
        }
        let open = Said { settles: true, ..self.requires_action(session) };
        self.prompts.push(open.clone());
        Some(open)
    }

    pub(super) fn requires_action(&self, session: Option<String>) -> Said {
        let id = format!("{STATE} {}", key(session.as_deref()));
        let open = Said::new(Event::PromptOpened, Side::Agent, STATE);
        Said { id: Some(id), session, turn: self.turn.clone(), ..open }
    }

    /// Takes back what was asked. What is told in its place comes first.
    pub(super) fn withdraw(&mut self, which: impl Fn(&Said) -> bool) -> Vec<Said> {
        let gone: Vec<Said> = self.prompts.extract_if(.., |open| which(open)).collect();
        let untold: Vec<Said> = self.waiting.extract_if(.., |open| which(open)).collect();
        // An answer that still comes is to nothing.
        for id in gone.iter().chain(&untold).filter_map(|open| open.id.clone()) {
            self.asked.remove(&(Side::Agent, id));
        }
        let mut said = self.takes_free_places();
        // One of them keeps the agent waiting. All of them beside what is over would be too many.
        let others = said.split_off(said.len().min(1));
        said.extend(gone.into_iter().map(|open| Said { event: Event::PromptCancelled, ..open }));
        said.extend(others);
        said
    }

    /// What waits to be told, once there is room for it. It is told before what has made room is over: the
    /// agent waits for its person throughout.
    fn takes_free_places(&mut self) -> Vec<Said> {
        let free = MOST_OPEN.saturating_sub(self.prompts.len()).min(self.waiting.len());
        let told: Vec<Said> = self.waiting.drain(..free).collect();
        self.prompts.extend(told.iter().cloned());
        told
    }

    /// Does anything wait for the person?
    pub(in crate::acp) fn asks(&self) -> bool {
        self.asked_of_person().next().is_some()
    }

    /// All that waits for the person, told or not.
    pub(super) fn asked_of_person(&self) -> impl Iterator<Item = &Said> {
        self.prompts.iter().chain(&self.waiting)
    }
}

fn choices(options: Raw<'_>) -> Vec<Choice> {
    let choice = |option: Raw<'_>| {
        let option: message::Choice<'_> = option.object();
        let value = text::line(&option.id.text()?, text::NAME);
        let words = option.name.text().map(|name| text::line(&name, text::NAME));
        Some(Choice { words: words.unwrap_or_else(|| value.clone()), value })
    };
    options.items().into_iter().filter_map(choice).take(OPTIONS).collect()
}
