//! Containers with agents in them: their engine says when one has ended, and how.
//!
//! No engine is asked before an agent speaks out of a container, and none for longer than one is
//! there. Each container is one task: it listens, then asks how the container is, then hears what
//! befalls it.

mod course;

use super::last_words::LastWords;
use super::tell;
use crate::engine;
use crate::inbox::Inbox;
use crate::job::Sight;
use crate::namespaces::has_joined;
use course::{Course, News};
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Delivery, Fact, ProcessFact};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::{Exit, ExitKind, Process};
use headsup_core::time::UnixMs;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

/// How soon an engine that is not there is looked for again, and how late at most.
const AGAIN: Duration = Duration::from_secs(1);
const AT_LAST: Duration = Duration::from_secs(30);
/// How long a killed container's `stop` may come after it, which tells that a person wanted it.
const STOP_WITHIN: Duration = Duration::from_millis(300);

pub(super) struct Containers {
    engines: Arc<[PathBuf]>,
    inbox: Inbox,
    last_words: Arc<LastWords>,
    seats: HashMap<AgentId, String>,
    followed: HashMap<String, Followed>,
    tasks: JoinSet<()>,
}

struct Followed {
    members: Members,
    task: AbortHandle,
}

/// Who is in a container.
type Members = Arc<Mutex<Inside>>;

#[derive(Default)]
struct Inside {
    members: HashMap<AgentId, Member>,
    /// Its engine is being listened to.
    is_heard: bool,
}

#[derive(Clone)]
struct Member {
    process: Option<ProcessId>,
    /// It was put into the container when that ran already: the container's code is not its own.
    has_joined: bool,
    /// It is known to be paused.
    is_paused: bool,
    heard_at: Option<UnixMs>,
}

impl Member {
    /// `before`: who was in the seat until now.
    fn of(seat: &Seat, before: Option<&Self>) -> Self {
        let process = seat.process.id.clone();
        // Once it is gone nobody can tell any more.
        let had_joined = before.is_some_and(|one| one.has_joined && one.process == process);
        let has_joined = had_joined || process.as_ref().is_some_and(has_joined);
        let is_paused = seat.process.state == Process::Unknown;
        Self { process, has_joined, is_paused, heard_at: seat.last_live_at }
    }
}

fn lock(members: &Members) -> MutexGuard<'_, Inside> {
    members.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Containers {
    pub(super) fn new(engines: Vec<PathBuf>, inbox: Inbox, last_words: Arc<LastWords>) -> Self {
        let (seats, followed) = (HashMap::new(), HashMap::new());
        let tasks = JoinSet::new();
        Self { engines: engines.into(), inbox, last_words, seats, followed, tasks }
    }

    pub(super) async fn watch(mut self, mut seats: UnboundedReceiver<Arc<Seat>>) {
        while let Some(seat) = seats.recv().await {
            self.look_at(&seat);
        }
    }

    fn look_at(&mut self, seat: &Seat) {
        let container = seat.about.location.container.as_ref();
        let now = container.filter(|_| !seat.process.state.is_over() && !self.engines.is_empty());
        let before = self.seats.get(&seat.id).cloned();
        if let Some(before) = before.filter(|before| now != Some(before)) {
            self.leave(&before, &seat.id);
        }
        let Some(container) = now else { return };
        let followed = self.followed.entry(container.clone()).or_insert_with(|| {
            let members = Members::default();
            let one = One {
                container: container.clone(),
                members: Arc::clone(&members),
                engines: Arc::clone(&self.engines),
                inbox: self.inbox.clone(),
                last_words: Arc::clone(&self.last_words),
            };
            Followed { members, task: self.tasks.spawn(one.follow()) }
        });
        let mut inside = lock(&followed.members);
        let member = Member::of(seat, inside.members.get(&seat.id));
        let before = inside.members.insert(seat.id.clone(), member.clone());
        let left = before.and_then(|before| before.process);
        if let Some(left) = left.filter(|left| member.process.as_ref() != Some(left)) {
            self.last_words.forget(&left);
        }
        if let Some(process) = member.process.filter(|_| inside.is_heard) {
            self.last_words.await_of(&process);
        }
        self.seats.insert(seat.id.clone(), container.clone());
    }

    /// The last one to leave a container ends the listening.
    fn leave(&mut self, container: &str, id: &AgentId) {
        self.seats.remove(id);
        let Some(followed) = self.followed.get(container) else { return };
        let (left, is_empty) = {
            let mut inside = lock(&followed.members);
            (inside.members.remove(id), inside.members.is_empty())
        };
        if let Some(process) = left.and_then(|member| member.process) {
            self.last_words.forget(&process);
        }
        if is_empty && let Some(followed) = self.followed.remove(container) {
            followed.task.abort();
            while self.tasks.try_join_next().is_some() {}
        }
    }
}

/// One container.
struct One {
    container: String,
    members: Members,
    engines: Arc<[PathBuf]>,
    inbox: Inbox,
    last_words: Arc<LastWords>,
}

/// What came of asking an engine.
enum Heard {
    /// It has no such container.
    Nothing,
    /// It had, and says no more.
    Silence,
}

impl One {
    async fn follow(self) {
        let mut pause = AGAIN;
        // Which engine has it, once one does.
        let mut home = None;
        loop {
            for (place, engine) in self.engines.iter().enumerate() {
                if home.is_some_and(|home| home != place) {
                    continue;
                }
                match self.listen(engine).await {
                    Ok(Heard::Silence) => {
                        home = Some(place);
                        pause = AGAIN;
                    }
                    // It had it, and has it no more.
                    Ok(Heard::Nothing) if home.is_some() => {
                        self.tell_end("gone", |_| Exit::of(ExitKind::Lost)).await;
                    }
                    Ok(Heard::Nothing) => {}
                    Err(error) => {
                        let (engine, container) = (engine.display(), &self.container);
                        tracing::debug!(%error, %engine, container, "no engine to ask");
                    }
                }
            }
            self.is_heard(false);
            sleep(pause).await;
            pause = (pause * 2).min(AT_LAST);
        }
    }

    async fn listen(&self, engine: &Path) -> std::io::Result<Heard> {
        let mut events = engine::events(engine, &self.container).await?;
        let Some(state) = engine::inspect(engine, &self.container).await? else {
            return Ok(Heard::Nothing);
        };
        let mut course = Course::default();
        if state.running {
            self.tell_lost(&state).await;
            self.tell_paused(state.paused).await;
        } else {
            course.ends(state.exit_code);
            course.starves(state.oom_killed);
            self.tell_end("exited", |member| course.exit(member.has_joined)).await;
        }
        self.is_heard(true);
        while let Some(event) = events.next().await {
            if !event.is_of(&self.container) {
                continue;
            }
            match course.hear(&event) {
                News::Nothing => {}
                News::Paused(paused) => self.tell_paused(paused).await,
                News::Ended => {
                    if let Ok(Some(state)) = engine::inspect(engine, &self.container).await {
                        course.starves(state.oom_killed);
                    }
                    if course.may_be_stopped()
                        && let Ok(Some(next)) = timeout(STOP_WITHIN, events.next()).await
                    {
                        course.hear(&next);
                    }
                    self.tell_end("die", |member| course.exit(member.has_joined)).await;
                }
                News::Gone => self.tell_end("gone", |_| Exit::of(ExitKind::Lost)).await,
            }
        }
        Ok(Heard::Silence)
    }

    /// Whoever waits for the end of a process here may wait for the engine's word, or no longer.
    fn is_heard(&self, is_heard: bool) {
        let mut inside = lock(&self.members);
        inside.is_heard = is_heard;
        for process in inside.members.values().filter_map(|member| member.process.as_ref()) {
            match is_heard {
                true => self.last_words.await_of(process),
                false => self.last_words.forget(process),
            }
        }
    }

    fn everyone(&self) -> Vec<(AgentId, Member)> {
        lock(&self.members)
            .members
            .iter()
            .map(|(id, member)| (id.clone(), member.clone()))
            .collect()
    }

    /// A container that was started after an agent's last word has ended in between.
    async fn tell_lost(&self, state: &engine::State) {
        let Some(started) = UnixMs::parse(&state.started_at) else { return };
        for (agent, member) in self.everyone() {
            let seen = member.process.as_ref().is_some_and(|process| process.pid_here().is_some());
            if !seen && member.heard_at.is_some_and(|heard| heard < started) {
                let lost = ProcessFact::Exited(Exit::of(ExitKind::Lost));
                self.tell(agent, &member, "restart", lost).await;
            }
        }
    }

    /// A paused process is there and does nothing: nobody can tell how it is until it goes on.
    async fn tell_paused(&self, is_paused: bool) {
        for (agent, member) in self.everyone() {
            if member.is_paused == is_paused {
                continue;
            }
            let (name, fact) = match is_paused {
                true => ("pause", ProcessFact::Unprobeable),
                false => ("unpause", ProcessFact::Alive),
            };
            self.tell(agent.clone(), &member, name, fact).await;
            if let Some(member) = lock(&self.members).members.get_mut(&agent) {
                member.is_paused = is_paused;
            }
        }
    }

    async fn tell_end(&self, name: &str, exit: impl Fn(&Member) -> Exit) {
        for (agent, member) in self.everyone() {
            self.tell(agent, &member, name, ProcessFact::Exited(exit(&member))).await;
            if let Some(process) = &member.process {
                self.last_words.tell(process);
            }
        }
    }

    async fn tell(&self, agent: AgentId, member: &Member, name: &str, fact: ProcessFact) {
        let sight = Sight {
            agent,
            source: Source::Container,
            name: name.to_owned(),
            session: None,
            process: member.process.clone(),
            made_at: None,
            delivery: Delivery::Live,
            fact: Fact::Process(fact),
        };
        tell(&self.inbox, &sight).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_joined_a_container_has_joined_it_while_it_is_the_same_process() {
        let id = AgentId::new("api").unwrap();
        let mut seat = Seat::new(id, "custom", Source::Hook, UnixMs(0));
        // Nobody whom we see.
        let process = ProcessId { pid_namespace: Some(1), ..ProcessId::new(u32::MAX, 1) };
        seat.process.id = Some(process.clone());
        let first = Member::of(&seat, None);
        assert!(!first.has_joined);
        let joined = Member { has_joined: true, ..first };
        assert!(Member::of(&seat, Some(&joined)).has_joined);
        seat.process.id = Some(ProcessId { start_ticks: 2, ..process });
        assert!(!Member::of(&seat, Some(&joined)).has_joined, "another one");
    }
}
