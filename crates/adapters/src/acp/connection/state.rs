//! What a session says of itself (version 2 of the protocol).

use super::super::conversation::{Conversation, State};
use super::super::message::{Behind, Side, Update};
use super::super::said::{Event, Said};
use super::{Connection, STATE, key};
use crate::text;

impl Connection {
    /// Each update lists all that goes on behind the session, or none does; idle again is no other end.
    pub(super) fn state(&mut self, session: Option<String>, update: &Update<'_>) -> Vec<Said> {
        let behind = update.behind();
        let known = self.sessions.get(key(session.as_deref()));
        let lists = known.is_some_and(Conversation::lists_behind);
        let news = (lists && behind.is_none()).then(|| self.strange.listless()).flatten();
        let mut said = self.enters(session, update, behind);
        said.extend(news);
        said
    }

    /// The session is in another state now, or still in the same.
    fn enters(
        &mut self,
        session: Option<String>,
        update: &Update<'_>,
        behind: Option<Behind>,
    ) -> Vec<Said> {
        let began = self.is_in_no_turn();
        let state = match update.state.text().as_deref() {
            Some("running") => State::Running,
            Some("requires_action") => State::RequiresAction,
            Some("idle") => State::Idle,
            Some("unknown") => State::Unknown,
            _ => return Vec::new(),
        };
        let stop = update.stop.text().map(|stop| text::line(&stop, text::EVENT));
        let stop = self.conversation(session.as_deref()).said(state, stop, behind);
        let works = self.sessions.values().any(Conversation::is_active);
        let begins =
            (began && works).then(|| self.begins(true, Side::Agent, STATE, "", session.clone()));
        if state == State::RequiresAction {
            // What it is about to take back it does not.
            let mut said = self.withdraw(|open| open.session == session && open.settles);
            if !self.asked_of_person().any(|open| open.session == session) {
                let open = self.requires_action(session);
                self.prompts.push(open.clone());
                said.push(open);
            }
            return said;
        }
        let mut said: Vec<Said> = begins.into_iter().collect();
        let over = self.withdraw(|open| open.session == session && open.method == STATE);
        said.extend(over.into_iter().map(|open| match open.event {
            // It goes on, or has ended.
            Event::PromptCancelled if state != State::Unknown => {
                Said { event: Event::PromptAnswered, ..open }
            }
            _ => open,
        }));
        if state != State::Unknown {
            let end = Said::new(Event::TurnEnded, Side::Agent, STATE);
            said.extend(self.rests(Some(Said { session, stop, ..end })));
        }
        said.extend(self.recounted());
        said
    }

    /// Is nothing known of what goes on but that the agent itself does not know it? What it asks it waits for
    /// all the same, and whatever else is at work is.
    pub(super) fn is_unclear(&self) -> bool {
        let mut active = self.sessions.values().filter(|session| session.is_active());
        let is_said = self.sessions.values().any(Conversation::is_unclear);
        is_said && !self.asks() && active.all(Conversation::is_unclear)
    }

    /// The agent has closed its output: how what is under way ends nobody will know.
    pub(in crate::acp) fn falls_silent(&mut self) -> Vec<Said> {
        if !self.is_active() {
            return Vec::new();
        }
        let mut said = self.withdraw(|_| true);
        let unclear = Said::new(Event::Unclear, Side::Agent, "closed");
        said.push(Said { turn: self.turn.clone(), ..unclear });
        said
    }

    /// The client has gone: nobody answers what was asked of the person. What its sessions make of that they have to
    /// say themselves.
    pub(in crate::acp) fn loses_client(&mut self) -> Vec<Said> {
        let asked = self.asked_of_person().map(|open| open.session.clone());
        let asked: Vec<Option<String>> = asked.collect();
        let mut said = self.withdraw(|_| true);
        for session in asked {
            if let Some(waits) = self.sessions.get_mut(key(session.as_deref())) {
                waits.loses_person();
            }
        }
        said.extend(self.rests(None));
        said.extend(self.clears().map(|said| Said { method: "closed".to_owned(), ..said }));
        said
    }

    /// A session says something: it does not wait for ever.
    pub(super) fn hears(&mut self, session: Option<&str>) {
        if let Some(speaks) = self.sessions.get_mut(key(session)) {
            speaks.speaks();
        }
    }

    /// Tells whether it is known what goes on, where that has changed.
    pub(super) fn clears(&mut self) -> Option<Said> {
        let is_unclear = self.is_unclear();
        match (std::mem::replace(&mut self.told_unclear, is_unclear), is_unclear) {
            (false, true) => {
                let unclear = Said::new(Event::Unclear, Side::Agent, STATE);
                Some(Said { turn: self.turn.clone(), ..unclear })
            }
            (true, false) => self.stands(),
            _ => None,
        }
    }
}
