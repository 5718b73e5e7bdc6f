//! Which seat a report belongs to.
//!
//! A process is known by pid namespace, pid and start ticks; session ids are attached to it (a
//! clear changes them, a resume shares them). A terminal pane is a location, never a key.

use crate::id::{AgentId, ProcessId};
use crate::seat::Seat;
use crate::status::Process;
use crate::word::Word;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Who is calling, as far as the report tells.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    pub kind: &'a str,
    /// The id it carries in its environment.
    pub claimed: Option<&'a AgentId>,
    pub session: Option<&'a str>,
    /// The agent program's own process.
    pub process: Option<&'a ProcessId>,
    /// That process serves other agents as well: it does not tell which one this is.
    pub shares_process: bool,
    /// Pid and start ticks of the processes above the reporter.
    pub ancestors: &'a [(u32, u64)],
    /// Their pid namespace; `None` where it is the hub's own.
    pub namespace: Option<u64>,
    /// The seat whose conversation the caller goes on with, in a process of its own.
    pub asked_by: Option<&'a AgentId>,
    pub cwd: Option<&'a str>,
    /// The report is a session's start, of whatever kind.
    pub starts_session: bool,
    /// It is the start of the program itself.
    pub starts_up: bool,
    /// An agent that has ended has left it running: it has no more than that one's name.
    pub is_left: bool,
}

/// Where a report goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Seat(AgentId),
    New { id: AgentId, parent: Option<AgentId> },
}

/// Indexes over all seats.
#[derive(Debug, Default)]
pub struct Roster {
    /// Boxed: a table of ten thousand has room for six thousand more.
    seats: HashMap<AgentId, Box<Keys>>,
    by_session: HashMap<Arc<str>, AgentId>,
    by_process: HashMap<ProcessId, AgentId>,
    /// Seats whose session was left and that wait for the next one, or never had one.
    sessionless: HashMap<(Word, Option<String>), HashSet<AgentId>>,
}

#[derive(Debug, Default)]
struct Keys {
    /// The current one and those that were left.
    sessions: Vec<Arc<str>>,
    session: Option<Arc<str>>,
    parent: Option<AgentId>,
    process: Option<ProcessId>,
    /// What was launched, as long as it has not spoken as the agent itself.
    launched: Option<Box<ProcessId>>,
    process_over: bool,
    /// It was launched, and has said nothing since.
    is_starting: bool,
    in_turn: bool,
    folder: Option<(Word, Option<String>)>,
}

fn session_key(kind: &str, session: &str) -> Arc<str> {
    [kind, "\u{0}", session].concat().into()
}

impl Roster {
    /// Room for so many seats: ten thousand are taken over at a start.
    pub fn with_capacity(seats: usize) -> Self {
        let (seats, by_session) = (HashMap::with_capacity(seats), HashMap::with_capacity(seats));
        Self { seats, by_session, ..Self::default() }
    }

    /// Takes over what a seat's keys are now.
    pub fn upsert(&mut self, seat: &Seat) {
        self.remove(&seat.id);
        let mut keys = Keys::default();
        let current = seat.session.iter().map(|session| session.id.as_str());
        let left = seat.left_sessions.iter().map(|left| left.id.as_str());
        keys.sessions.reserve_exact(seat.left_sessions.len() + 1);
        for session in left.chain(current) {
            let key = session_key(&seat.kind, session);
            self.by_session.insert(key.clone(), seat.id.clone());
            keys.sessions.push(key);
        }
        if let Some(process) = &seat.process.id {
            self.by_process.insert(process.clone(), seat.id.clone());
            keys.process = Some(process.clone());
        }
        let launched = seat.process.launched.as_ref();
        keys.launched = launched.map(|launched| Box::new(launched.id.clone()));
        keys.process_over = seat.process.state.is_over();
        keys.is_starting = matches!(seat.process.state, Process::Starting { .. });
        keys.in_turn = seat.turn.open;
        // The current one came last.
        keys.session = keys.sessions.last().filter(|_| seat.session.is_some()).cloned();
        keys.parent.clone_from(&seat.about.parent);
        if seat.session.is_none() && !keys.process_over {
            let folder = (seat.kind.clone(), seat.about.cwd.as_deref().map(str::to_owned));
            self.sessionless.entry(folder.clone()).or_default().insert(seat.id.clone());
            keys.folder = Some(folder);
        }
        self.seats.insert(seat.id.clone(), Box::new(keys));
    }

    /// Forgets a seat.
    pub fn remove(&mut self, id: &AgentId) {
        let Some(keys) = self.seats.remove(id) else {
            return;
        };
        for session in keys.sessions {
            if self.by_session.get(&session) == Some(id) {
                self.by_session.remove(&session);
            }
        }
        if let Some(process) = keys.process
            && self.by_process.get(&process) == Some(id)
        {
            self.by_process.remove(&process);
        }
        if let Some(folder) = keys.folder
            && let Some(seats) = self.sessionless.get_mut(&folder)
        {
            seats.remove(id);
            if seats.is_empty() {
                self.sessionless.remove(&folder);
            }
        }
    }

    /// The seat that a process was seen in last.
    pub fn seat_of(&self, process: &ProcessId) -> Option<&AgentId> {
        self.by_process.get(process)
    }

    /// Finds the seat of a caller. `is_alive` probes a process; it is asked only where two
    /// processes claim one seat.
    pub fn place(&self, caller: &Caller<'_>, is_alive: impl Fn(&ProcessId) -> bool) -> Place {
        let other_lives = |id: &AgentId| {
            let known = self.seats.get(id).filter(|keys| !keys.process_over);
            match (known.and_then(|keys| keys.process.as_ref()), caller.process) {
                (Some(known), Some(process)) => known != process && is_alive(known),
                _ => false,
            }
        };
        let own = caller.process.filter(|_| !caller.shares_process);
        let seated = own.and_then(|process| self.by_process.get(process));
        if let Some(claimed) = caller.claimed {
            if !self.seats.contains_key(claimed) {
                return Place::New { id: claimed.clone(), parent: None };
            }
            // A nested agent inherits the id; it sits in a child seat.
            let is_child = |id: &&AgentId| self.parent(id) == Some(claimed);
            let seated = caller.process.and_then(|process| self.by_process.get(process));
            let seated = seated.filter(is_child);
            if let Some(child) = seated.filter(|_| !caller.shares_process) {
                return Place::Seat(child.clone());
            }
            // What serves several there goes on in the seat of none that has started it.
            let may_be_it = seated.is_none()
                && (self.was_launched_as(claimed, own)
                    || self.is_launched_by(claimed, caller)
                    || self.is_same_by_another_name(claimed, caller)
                    || !caller.is_left
                        && !other_lives(claimed)
                        && !self.is_second(claimed, caller, &is_alive));
            if may_be_it {
                return Place::Seat(claimed.clone());
            }
            let known = self.known_session(caller, &other_lives);
            return known
                .filter(is_child)
                .cloned()
                .map_or_else(|| self.child(claimed), Place::Seat);
        }
        // Another process may have taken its session up beside it, and have gone.
        if let Some(id) = seated.filter(|id| self.is_in_its_session(id, caller)) {
            return Place::Seat(id.clone());
        }
        if let Some(id) = self.known_session(caller, &other_lives) {
            return Place::Seat(id.clone());
        }
        if let Some(id) = seated {
            // One process is one agent, whatever it begins, and whether or not the end before that was understood.
            // A program of another kind has a process of its own, and this one was taken for it.
            let second = caller.starts_up && self.is_of_another_kind(id, caller);
            return if second { self.stranger(caller) } else { Place::Seat(id.clone()) };
        }
        let asked_by = caller.asked_by.filter(|id| self.seats.contains_key(*id)).cloned();
        if let Some(parent) = asked_by.or_else(|| self.ancestor(caller)) {
            return self.child(&parent);
        }
        if let Some(id) = self.waiting(caller).filter(|id| !other_lives(id)) {
            return Place::Seat(id.clone());
        }
        self.stranger(caller)
    }

    /// It is what was launched for the seat, as its launcher sees it that reads along, whoever sits there by now.
    fn was_launched_as(&self, id: &AgentId, own: Option<&ProcessId>) -> bool {
        let keys = self.seats.get(id).filter(|keys| !keys.process_over);
        own.is_some() && keys.is_some_and(|keys| keys.launched.as_deref() == own)
    }

    /// The seat's process has told of no session (one before it in the seat may have), or only its launcher
    /// has told of this very one, and it is above the caller: a script that starts the agent, or the program
    /// itself, which starts itself anew.
    fn is_launched_by(&self, id: &AgentId, caller: &Caller<'_>) -> bool {
        let Some(keys) = self.seats.get(id) else { return false };
        let process = keys.process.as_ref();
        let said = || caller.session.map(|session| session_key(caller.kind, session));
        let is_read = || keys.launched.as_deref() == process && keys.session == said();
        if keys.session.is_some() && !keys.is_starting && !is_read() {
            return false;
        }
        let above = |known: &&ProcessId| known.pid_namespace == caller.namespace;
        let process = process.filter(above);
        process.is_some_and(|known| caller.ancestors.contains(&(known.pid, known.start_ticks)))
    }

    /// One conversation, of which the program's own hooks tell under the program's own kind.
    fn is_same_by_another_name(&self, id: &AgentId, caller: &Caller<'_>) -> bool {
        let session = self.seats.get(id).and_then(|keys| keys.session.as_deref());
        let parts = session.and_then(|session| session.split_once('\u{0}'));
        parts.is_some_and(|(kind, session)| kind != caller.kind && caller.session == Some(session))
    }

    fn parent(&self, id: &AgentId) -> Option<&AgentId> {
        self.seats.get(id)?.parent.as_ref()
    }

    /// Without processes to tell them apart: a program that starts up while the seat's own is in
    /// the middle of a turn is a second one, and sits in a child seat. Where the seat's own process is
    /// known and lives, so does whoever of unknown process speaks of another session, unless that
    /// session says itself that it takes the place of the one before.
    fn is_second(
        &self,
        id: &AgentId,
        caller: &Caller<'_>,
        is_alive: &impl Fn(&ProcessId) -> bool,
    ) -> bool {
        let Some(keys) = self.seats.get(id) else { return false };
        let said = caller.session.map(|session| session_key(caller.kind, session));
        let nameless = keys.process.is_none() && caller.process.is_none();
        let starts = caller.starts_up && keys.in_turn && self.holds_other_session(id, caller);
        let sits_in_child = || {
            let child = said.as_ref().and_then(|session| self.by_session.get(session));
            child.is_some_and(|child| self.parent(child) == Some(id))
        };
        let lives = || {
            let known = keys.process.as_ref().filter(|_| !keys.process_over);
            caller.process.is_none() && caller.ancestors.is_empty() && known.is_some_and(is_alive)
        };
        let takes_over = caller.starts_session && !caller.starts_up;
        let is_strange = said.as_ref().is_some_and(|said| !keys.sessions.contains(said));
        let other = keys.session.is_some() && is_strange && !takes_over;
        nameless && (starts || sits_in_child()) || (other || sits_in_child()) && lives()
    }

    fn is_in_its_session(&self, id: &AgentId, caller: &Caller<'_>) -> bool {
        let keys = self.seats.get(id).filter(|keys| !keys.process_over);
        let current = keys.and_then(|keys| keys.session.as_deref());
        let said = caller.session.map(|session| session_key(caller.kind, session));
        said.is_some() && current == said.as_deref()
    }

    fn holds_other_session(&self, id: &AgentId, caller: &Caller<'_>) -> bool {
        let Some(keys) = self.seats.get(id).filter(|keys| !keys.process_over) else { return false };
        let said = caller.session.map(|session| session_key(caller.kind, session));
        keys.session.is_some() && keys.session != said
    }

    /// Is the seat in a conversation with a program of another kind?
    fn is_of_another_kind(&self, id: &AgentId, caller: &Caller<'_>) -> bool {
        let keys = self.seats.get(id).filter(|keys| !keys.process_over);
        let session = keys.and_then(|keys| keys.session.as_deref());
        session.and_then(|key| key.split_once('\u{0}')).is_some_and(|(kind, _)| kind != caller.kind)
    }

    /// The one seat of the caller's kind and folder that waits for a session.
    fn waiting(&self, caller: &Caller<'_>) -> Option<&AgentId> {
        if caller.session.is_some() && !caller.starts_session {
            return None;
        }
        let folder = (Word::from(caller.kind), caller.cwd.map(str::to_owned));
        let mut waiting = self.sessionless.get(&folder)?.iter();
        let first = waiting.next()?;
        // A conversation is not what somebody has done of whom nothing is known.
        let is_of_another = caller.session.is_some() && self.is_nobody(first);
        (waiting.next().is_none() && !is_of_another).then_some(first)
    }

    /// Neither a session, a process nor a folder was ever told of whoever sits there.
    fn is_nobody(&self, id: &AgentId) -> bool {
        self.seats.get(id).is_some_and(|keys| {
            let has_folder = keys.folder.as_ref().is_some_and(|(_, folder)| folder.is_some());
            let has_process = keys.process.is_some() || keys.launched.is_some();
            keys.sessions.is_empty() && !has_process && !has_folder
        })
    }

    fn stranger(&self, caller: &Caller<'_>) -> Place {
        Place::New { id: self.derived_id(caller), parent: None }
    }

    fn known_session(
        &self,
        caller: &Caller<'_>,
        other_lives: &impl Fn(&AgentId) -> bool,
    ) -> Option<&AgentId> {
        let session = caller.session?;
        let id = self.by_session.get(&session_key(caller.kind, session))?;
        // Two live processes may hold one session; they sit in two seats. But where the first has left it, and
        // has started the second, that is the same program once more.
        (!other_lives(id) || self.is_launched_by(id, caller)).then_some(id)
    }

    /// The seat whose process is above the caller.
    fn ancestor(&self, caller: &Caller<'_>) -> Option<AgentId> {
        let pid_namespace = caller.namespace;
        caller.ancestors.iter().find_map(|(pid, start_ticks)| {
            let process = ProcessId { pid_namespace, ..ProcessId::new(*pid, *start_ticks) };
            let own = caller.process == Some(&process);
            self.by_process.get(&process).filter(|_| !own).cloned()
        })
    }

    fn child(&self, parent: &AgentId) -> Place {
        let free = (1_u32..).map(|n| format!("{parent}.{n}"));
        let id = self.first_free(free);
        Place::New { id, parent: Some(parent.clone()) }
    }

    /// `kind-folder`, then `kind-folder-2` and so on.
    fn derived_id(&self, caller: &Caller<'_>) -> AgentId {
        let folder = caller.cwd.and_then(|cwd| cwd.trim_end_matches('/').rsplit('/').next());
        let folder = folder.filter(|folder| !folder.is_empty());
        let base = match folder {
            Some(folder) => AgentId::slug(&format!("{}-{folder}", caller.kind)),
            None => AgentId::slug(caller.kind),
        };
        let first = std::iter::once(base.to_string());
        self.first_free(first.chain((2_u32..).map(|n| format!("{base}-{n}"))))
    }

    fn first_free(&self, candidates: impl Iterator<Item = String>) -> AgentId {
        let ids = candidates.map(|text| AgentId::slug_keeping(&text));
        let mut free = ids.filter(|id| !self.seats.contains_key(id));
        free.next().unwrap_or_else(|| AgentId::slug("agent"))
    }
}

#[cfg(test)]
mod tests;
