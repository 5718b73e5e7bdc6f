//! What is over once something has ended: its session, or the turn.

use super::super::conversation::Conversation;
use super::super::message::Side;
use super::super::normalize::CANCELLED;
use super::super::said::{Event, Said};
use super::{Connection, MOST, STATE, key};

impl Connection {
    /// After something that may have been the last of its session, or of all: what is over now.
    /// `end` is what it was, if it was more than an answer to a prompt.
    pub(super) fn rests(&mut self, end: Option<Said>) -> Vec<Said> {
        let mut gone = Vec::new();
        if let Some(end) = &end {
            let rests = self.sessions.get(key(end.session.as_deref()));
            if rests.is_none_or(Conversation::is_active) {
                return match end.method == STATE {
                    true => Vec::new(),
                    false => {
                        vec![Said { event: Event::Noted, turn: self.turn.clone(), ..end.clone() }]
                    }
                };
            }
            let ended = self.sessions.get_mut(key(end.session.as_deref()));
            let has_ended = ended.is_some_and(Conversation::has_ended);
            if has_ended {
                self.remembers(end);
            }
            // Idle again is no end, and what was asked since the last one waits on.
            let is_over = has_ended || end.method != STATE;
            let own = |open: &Said| is_over && open.session == end.session;
            let works = self.sessions.values().any(Conversation::is_active);
            if works || self.asked_of_person().any(|open| !own(open)) {
                if has_ended && !works {
                    self.last = Some(end.clone());
                }
                let mut said = self.withdraw(own);
                said.push(Said { event: Event::Noted, turn: self.turn.clone(), ..end.clone() });
                return said;
            }
            // The end of all is the end of what it had asked, at once.
            gone = self.withdraw(|_| true);
        }
        if self.is_active() {
            return Vec::new();
        }
        let failed = std::mem::take(&mut self.failed).into_iter().next();
        let last = self.last.take();
        let Some(turn) = self.turn.take() else {
            // What was asked in no turn is over: all is as it was.
            let stands = self.stands().filter(|_| end.is_none() || !gone.is_empty());
            self.told = stands.as_ref().map_or(self.told, |stands| Some(stands.shells));
            return gone.into_iter().chain(stands).collect();
        };
        // Whoever answers what was asked beside a turn does not end it in another way.
        let end = end.or(last);
        // What has failed is no success because others went on longer.
        let failed = failed.filter(|_| end.as_ref().is_none_or(is_completed));
        let answer = || Said::new(Event::TurnEnded, Side::Client, "answer");
        let end = failed.or(end).unwrap_or_else(answer);
        let ended = Said { turn: Some(turn), shells: self.shells(), ..end };
        if lists_background(&ended) {
            self.told = Some(ended.shells);
        }
        self.ended = Some(ended.clone());
        let mut said = vec![ended];
        said.extend(self.recounted());
        said
    }

    /// How a session has ended, which may be before others have: it counts until it completes something.
    fn remembers(&mut self, end: &Said) {
        let is_error = match end.event {
            Event::TurnFailed => end.code != Some(CANCELLED),
            _ => end.stop.as_deref() == Some("error"),
        };
        if is_completed(end) {
            self.failed.retain(|failed| failed.session != end.session);
        } else if is_error && self.failed.len() < MOST {
            self.failed.push(end.clone());
        }
    }
}

/// Does this end say what it leaves behind? Only that of a turn that is completed does.
pub(super) fn lists_background(ended: &Said) -> bool {
    is_completed(ended)
}

fn is_completed(ended: &Said) -> bool {
    ended.event == Event::TurnEnded && ended.stop.as_deref() == Some("end_turn")
}
