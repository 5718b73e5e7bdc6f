//! One session of a connection: is anything under way in it?

use super::message::Behind;
use std::collections::HashSet;

/// Calls of one session that may be open at once.
const MOST_CALLS: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// Prompts that have not been answered.
    prompts: u32,
    state: State,
    /// It has told its state since the last prompt.
    has_spoken: bool,
    /// Why its work has ended, where it has told that.
    stop: Option<String>,
    /// What goes on behind it, as it has listed that last; nothing where it never has.
    behind: Option<Behind>,
    /// Something was under way in it when it told that it does not know what it does.
    goes_on: bool,
    /// It has worked since it came to rest last.
    has_worked: bool,
    /// What it had asked nobody will answer, and nothing was heard of it since.
    is_left: bool,
    /// Calls of tools that have started and not ended.
    calls: HashSet<String>,
    /// The model that it works with, as it was told.
    model: Option<String>,
    title: Option<String>,
    /// It was taken up beside others that were at work, and the seat has not been in it since.
    is_beside: bool,
    /// The folder that it was taken up in beside them.
    cwd: Option<String>,
}

/// What the answer to a prompt means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answered {
    /// The work is over.
    Over,
    /// The work begins, or goes on; the session tells the rest.
    TakenIn,
    /// There is no work for it; whatever else goes on does so.
    Refused,
}

/// What the session says of itself (version 2 of the protocol).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing: its prompts are all there is.
    #[default]
    Unsaid,
    /// A prompt was taken in, and its work is still to be told of.
    Expected,
    Running,
    RequiresAction,
    /// Nothing but helpers is at work.
    Behind,
    Idle,
    /// It does not know what it does. That is no end of anything.
    Unknown,
}

impl Conversation {
    /// Notes its model. Whether that is another one than before.
    pub(super) fn works_with(&mut self, model: Option<&str>) -> bool {
        let is_new = model.is_some() && self.model.as_deref() != model;
        if is_new {
            self.model = model.map(str::to_owned);
        }
        is_new
    }

    pub(super) fn model(&self) -> Option<String> {
        self.model.clone()
    }

    pub(super) fn is_called(&mut self, title: &str) {
        self.title = Some(title.to_owned());
    }

    pub(super) fn title(&self) -> Option<String> {
        self.title.clone()
    }

    /// `beside`: others are at work, and it is not the one that the seat is in.
    pub(super) fn taken_up(&mut self, beside: bool, cwd: Option<&str>) {
        self.is_beside = beside;
        self.cwd = cwd.filter(|_| beside).map(str::to_owned);
    }

    /// Does the seat come into it only now?
    pub(super) fn comes_in(&mut self) -> bool {
        std::mem::take(&mut self.is_beside)
    }

    pub(super) fn cwd(&self) -> Option<String> {
        self.cwd.clone()
    }

    pub(super) fn is_active(&self) -> bool {
        let works = match self.state {
            State::Unsaid | State::Idle => false,
            State::Unknown => self.goes_on || self.has_helpers(),
            State::Expected | State::Running | State::RequiresAction | State::Behind => true,
        };
        self.prompts > 0 || works
    }

    /// Nobody knows what it does: it has said so since its last prompt, or has lost whom it waited for, and no helper
    /// works behind it.
    pub(super) fn is_unclear(&self) -> bool {
        let stands = self.prompts == 0 || self.has_spoken;
        let is_said = self.state == State::Unknown && stands;
        (is_said || self.is_left) && !self.has_helpers()
    }

    /// It goes on without whom it waited for, or waits for ever.
    pub(super) fn loses_person(&mut self) {
        self.is_left = self.is_active();
    }

    /// It goes on.
    pub(super) fn speaks(&mut self) {
        self.is_left = false;
    }

    /// Nothing was heard of it since its prompt was taken in.
    pub(super) fn is_only_expected(&self) -> bool {
        self.prompts == 0 && self.state == State::Expected
    }

    pub(super) fn requires_action(&self) -> bool {
        self.state == State::RequiresAction
    }

    pub(super) fn tells_its_state(&self) -> bool {
        self.state != State::Unsaid
    }

    pub(super) fn prompted(&mut self) {
        self.prompts += 1;
        self.has_worked = true;
        self.has_spoken = false;
        self.stop = None;
    }

    pub(super) fn answered(&mut self, how: Answered) {
        self.prompts = self.prompts.saturating_sub(1);
        self.is_left = false;
        match how {
            Answered::TakenIn if !self.has_spoken => self.state = State::Expected,
            Answered::TakenIn => {}
            Answered::Over if self.tells_its_state() => self.state = State::Idle,
            Answered::Refused if self.state == State::Expected => self.state = State::Idle,
            Answered::Over | Answered::Refused => {}
        }
        self.rest();
    }

    /// Returns why its work has ended. What goes on behind it does so still where it lists nothing of that.
    pub(super) fn said(
        &mut self,
        state: State,
        stop: Option<String>,
        behind: Option<Behind>,
    ) -> Option<String> {
        self.goes_on = self.is_active();
        self.behind = behind.or(self.behind);
        let state = if state == State::Idle && self.has_helpers() { State::Behind } else { state };
        // The first reason stands until it works again: what goes on behind ends without one of its
        // own, and idle again is no other end.
        let works = matches!(state, State::Running | State::RequiresAction);
        self.stop = self.stop.take().or(stop).filter(|_| !works);
        self.state = state;
        self.has_worked |= self.is_active();
        self.has_spoken = true;
        self.rest();
        self.stop()
    }

    /// Why its work has ended, if it has told that.
    pub(super) fn stop(&self) -> Option<String> {
        self.stop.clone()
    }

    pub(super) fn shells(&self) -> u32 {
        self.behind.map_or(0, |behind| behind.shells)
    }

    /// Has it ever listed what goes on behind it?
    pub(super) fn lists_behind(&self) -> bool {
        self.behind.is_some()
    }

    fn has_helpers(&self) -> bool {
        self.behind.is_some_and(|behind| behind.helpers > 0)
    }

    /// It has come to rest. False if it had done so before, and has not worked since.
    pub(super) fn has_ended(&mut self) -> bool {
        std::mem::take(&mut self.has_worked)
    }

    /// A call has started; false if that is known.
    pub(super) fn started(&mut self, call: &str) -> bool {
        self.calls.len() < MOST_CALLS && self.calls.insert(call.to_owned())
    }

    /// A call has ended; false if it is not known.
    pub(super) fn ended(&mut self, call: &str) -> bool {
        self.calls.remove(call)
    }

    fn rest(&mut self) {
        if !self.is_active() {
            self.is_left = false;
            self.calls.clear();
        }
    }
}
