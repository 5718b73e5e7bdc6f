//! Sessions that are taken up. The seat is in the one that was taken up last; in one that was taken up beside others that are
//! at work, once it is prompted and they rest.

use super::super::message::{Answer, Side, Update};
use super::super::said::{Event, Said};
use super::{Asked, Connection, key, session};
use crate::text;

impl Connection {
    pub(super) fn takes_up(&mut self, asked: Asked, result: &Answer<'_>) -> Vec<Said> {
        self.is_ready = true;
        let is_beside = self.is_active();
        let event = match &*asked.method {
            _ if is_beside => Event::Noted,
            "session/new" | "session/fork" => Event::SessionStarted,
            _ => Event::SessionResumed,
        };
        let own = session(result.session).or(asked.session);
        let was_current = self.current == own;
        let is_current = !is_beside || self.current.is_none() || was_current;
        if is_current {
            self.current.clone_from(&own);
        }
        let conversation = self.conversation(own.as_deref());
        conversation.works_with(result.model().as_deref());
        conversation.taken_up(is_beside && !was_current, asked.cwd.as_deref());
        let model = conversation.model().filter(|_| is_current);
        let said = Said::new(event, Side::Agent, &asked.method);
        let cwd = asked.cwd.filter(|_| is_current);
        let mut said = vec![Said { session: own, model, cwd, ..said }];
        if !is_beside {
            said.extend(self.described(&asked.method));
            // The hub may have begun anew, and then knows neither the last end nor a count.
            self.ended = None;
            self.told = self.told.filter(|told| *told == 0);
            said.extend(self.recounted());
        }
        said
    }

    /// A prompt, beside which nothing is under way: the seat is in its session from now on, where that has waited for
    /// others to rest.
    pub(super) fn goes_over(&mut self, begins: Said) -> Vec<Said> {
        let conversation = self.conversation(begins.session.as_deref());
        if !conversation.comes_in() {
            return vec![begins];
        }
        let (cwd, model) = (conversation.cwd(), conversation.model());
        self.current.clone_from(&begins.session);
        let described = self.described(&begins.method);
        let mut said = vec![Said { takes_up: true, cwd, model, ..begins }];
        said.extend(described);
        said
    }

    /// What a session is called is told of the one that the seat is in.
    pub(super) fn is_called(&mut self, session: Option<String>, update: &Update<'_>) -> Vec<Said> {
        let Some(title) = update.title.text() else { return Vec::new() };
        let title = text::line(&title, text::TITLE);
        self.conversation(session.as_deref()).is_called(&title);
        let is_others = self.current.is_some() && session.is_some() && session != self.current;
        if is_others {
            return Vec::new();
        }
        let said = Said::new(Event::Described, Side::Agent, "session/update");
        vec![Said { session, title: Some(title), ..said }]
    }

    /// What the session is called that the seat has just come to, where it has told that before.
    fn described(&self, method: &str) -> Option<Said> {
        let title = self.sessions.get(key(self.current.as_deref()))?.title()?;
        let said = Said::new(Event::Described, Side::Agent, method);
        Some(Said { session: self.current.clone(), title: Some(title), ..said })
    }
}
