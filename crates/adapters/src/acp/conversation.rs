//! One session of a connection: is anything under way in it?

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
    /// What goes on behind it, apart from helpers.
    shells: u32,
    /// Calls of tools that have started and not ended.
    calls: HashSet<String>,
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
}

impl Conversation {
    pub(super) fn is_active(&self) -> bool {
        let works = !matches!(self.state, State::Unsaid | State::Idle);
        self.prompts > 0 || works
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
        self.has_spoken = false;
        self.stop = None;
    }

    pub(super) fn answered(&mut self, how: Answered) {
        self.prompts = self.prompts.saturating_sub(1);
        match how {
            Answered::TakenIn if !self.has_spoken => self.state = State::Expected,
            Answered::TakenIn => {}
            Answered::Over if self.tells_its_state() => self.state = State::Idle,
            Answered::Refused if self.state == State::Expected => self.state = State::Idle,
            Answered::Over | Answered::Refused => {}
        }
        self.rest();
    }

    /// Returns why its work has ended.
    pub(super) fn said(
        &mut self,
        state: State,
        stop: Option<String>,
        shells: u32,
    ) -> Option<String> {
        // The first reason stands until it works again: what goes on behind ends without one of its
        // own, and idle again is no other end.
        let rests = matches!(state, State::Idle | State::Behind);
        self.stop = self.stop.take().or(stop).filter(|_| rests);
        self.state = state;
        self.shells = shells;
        self.has_spoken = true;
        self.rest();
        self.stop()
    }

    /// Why its work has ended, if it has told that.
    pub(super) fn stop(&self) -> Option<String> {
        self.stop.clone()
    }

    pub(super) fn shells(&self) -> u32 {
        self.shells
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
            self.calls.clear();
        }
    }
}
