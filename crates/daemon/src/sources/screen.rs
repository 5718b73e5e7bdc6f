//! What terminals show, for agents of which nothing else can tell: before their first event, and later
//! where a person has asked for it. Panes of tmux, with one call a tick for all of a server.

use super::pane::{self, Place, Whose};
use crate::board::Board;
use crate::evidence::Moment;
use crate::inbox::Inbox;
use crate::job::{Sight, Witnessed, Work};
use crate::process;
use headsup_adapters::evidence::screen_essence;
use headsup_adapters::{Shown, has_screens, screen, screen_version};
use headsup_core::gate::{has_spoken, may_ask_unheard};
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Delivery, Fact};
use headsup_core::seat::{Claim, HeldFact, Seat};
use headsup_core::source::{Source, Tier};
use headsup_core::status::Turn;
use headsup_core::time::UnixMs;
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

/// Between two looks.
const TICK: Duration = Duration::from_millis(500);
/// A dialog is gone when it is not seen so often: a screen may be caught while it is drawn.
const ABSENCES: u8 = 2;
/// A pane that cannot be read so often is not there any more.
const MISSES: u8 = 4;
/// The label of an agent whose terminal may be looked at for as long as it lives.
pub(crate) const OBSERVABLE: &str = "observable";

/// When terminals may be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScreenRules {
    /// Never, whatever else is asked for.
    Never,
    /// Before an agent's first event, and later for one that was started as observable.
    #[default]
    BeforeFirstEvent,
    /// For as long as an agent lives.
    Always,
}

/// Looks at the terminals of `seats`, for ever.
pub(super) async fn watch(
    when: ScreenRules,
    board: Arc<Board>,
    mut seats: UnboundedReceiver<Arc<Seat>>,
    inbox: Inbox,
) {
    let mut screens = Screens { when, board, inbox, watched: HashMap::new() };
    let mut next = Instant::now();
    loop {
        let seat = if screens.watched.is_empty() {
            seats.recv().await
        } else {
            let Ok(seat) = tokio::time::timeout_at(next, seats.recv()).await else {
                screens.look().await;
                next = Instant::now() + TICK;
                continue;
            };
            seat
        };
        let Some(seat) = seat else { return };
        screens.look_at(&seat);
    }
}

struct Screens {
    when: ScreenRules,
    board: Arc<Board>,
    inbox: Inbox,
    watched: HashMap<AgentId, Watched>,
}

/// One agent whose terminal is looked at.
struct Watched {
    process: ProcessId,
    /// Found at a look: a process that has just begun has no environment of its own yet.
    place: Option<Place>,
    version: Option<String>,
    /// The rule whose dialog was told of.
    told: Option<&'static str>,
    /// The program itself has said something then, or since, which counts for more.
    is_hidden: bool,
    absences: u8,
    /// When it was first not seen any more.
    absent: Option<Moment>,
    missed: u8,
    /// How much the process has computed, when it was last looked at.
    ticks: Option<u64>,
}

impl Screens {
    /// Takes up the process in a seat, if its terminal is to be looked at.
    fn look_at(&mut self, seat: &Seat) {
        let own = |process: &&ProcessId| process.pid_namespace.is_none();
        let Some(process) = seat.process.id.as_ref().filter(own) else { return };
        let known = self.watched.get(&seat.id).is_some_and(|known| known.process == *process);
        if known || !has_screens(&seat.kind) || !self.may_look(seat) {
            return;
        }
        self.watched.insert(seat.id.clone(), Watched::new(process.clone()));
    }

    fn may_look(&self, seat: &Seat) -> bool {
        let lives = !seat.process.state.is_over();
        let asked_for = is_asked_for(self.when, seat);
        let alone = || may_ask_unheard(seat, self.inbox.evidence().now().at);
        lives && self.when != ScreenRules::Never && (asked_for || alone())
    }

    /// One look at every terminal.
    async fn look(&mut self) {
        self.let_go().await;
        let places: Vec<Place> = self.watched.values_mut().filter_map(Watched::find).collect();
        let shown = pane::capture(&places).await;
        let mut sights = Vec::new();
        for (id, watched) in &mut self.watched {
            let Some(seat) = self.board.seat(id) else { continue };
            let answer = shown.of(watched.place.as_ref(), &mut watched.missed);
            let Some(said) = answer else { continue };
            match said.whose(&watched.process) {
                // One that was launched may have a terminal of its launcher's in between.
                Whose::Anothers if seat.about.adopted => {
                    watched.missed = MISSES;
                    continue;
                }
                Whose::InFront => continue,
                Whose::Its | Whose::Anothers => {}
            }
            let text = &said.text;
            let seen = screen(&seat.kind, watched.version.as_deref(), text);
            let now = self.inbox.evidence().now();
            if matches!(seen, Some(Shown::Dialog { .. })) {
                watched.absent = None;
            } else {
                watched.absent.get_or_insert(now);
            }
            let Some((name, fact)) = watched.take(seen, &seat) else { continue };
            // One that is gone was gone before it was told so.
            let since = watched.absent.filter(|_| matches!(fact, Fact::ScreenCleared));
            let essence = screen_essence(&seat.kind, watched.version.as_deref(), text);
            let observable = is_asked_for(self.when, &seat);
            keep(&self.inbox, id, since.unwrap_or(now), &essence, observable);
            sights.push(watched.sight(id, name, fact));
        }
        for sight in sights {
            self.tell(sight).await;
        }
        let is_gone = |watched: &Watched| watched.missed >= MISSES;
        let gone = self.watched.iter().filter(|(_, watched)| is_gone(watched));
        let gone = gone.map(|(id, _)| id.clone()).collect();
        self.forget(gone).await;
    }

    /// Whoever has spoken needs no screen any more; what it told is over with that.
    async fn let_go(&mut self) {
        let mut over = Vec::new();
        for (id, watched) in &self.watched {
            let seat = self.board.seat(id);
            let same = |seat: &Arc<Seat>| seat.process.id.as_ref() == Some(&watched.process);
            if !seat.as_ref().is_some_and(|seat| same(seat) && self.may_look(seat)) {
                over.push(id.clone());
            }
        }
        self.forget(over).await;
    }

    /// What these have told is over: nobody sees any more whether it still is so.
    async fn forget(&mut self, agents: Vec<AgentId>) {
        for id in agents {
            let Some(watched) = self.watched.remove(&id) else { continue };
            let lives = self.board.seat(&id).is_some_and(|seat| !seat.process.state.is_over());
            if watched.told.is_some() && lives {
                keep(&self.inbox, &id, self.inbox.evidence().now(), "", false);
                self.tell(watched.sight(&id, "no dialog", Fact::ScreenCleared)).await;
            }
        }
    }

    async fn tell(&self, sight: Sight) {
        // A hub that stops has no use for it.
        let work = Work::Witnessed(Witnessed::Seat(Box::new(sight)));
        self.inbox.submit(work, None).await.ok();
    }
}

/// Keeps what a screen showed from this moment on, as far as a rule has known it.
fn keep(inbox: &Inbox, agent: &AgentId, moment: Moment, essence: &str, observable: bool) {
    let row = json!({"src": "screen", "text": essence, "observable": observable});
    inbox.evidence().keep(agent, moment, &row);
}

/// For as long as it lives.
fn is_asked_for(when: ScreenRules, seat: &Seat) -> bool {
    let observable = seat.about.labels.get(OBSERVABLE).is_some_and(|value| value == "true");
    observable || when == ScreenRules::Always
}

impl Watched {
    fn new(process: ProcessId) -> Self {
        let (place, version, told, ticks) = (None, None, None, None);
        let (absences, absent, missed, is_hidden) = (0, None, 0, false);
        Self { process, place, version, told, is_hidden, absences, absent, missed, ticks }
    }

    fn find(&mut self) -> Option<Place> {
        if self.place.is_none() {
            self.place = Place::of(&self.process);
            let program = process::program(self.process.pid);
            self.version = program.and_then(|path| screen_version(&path));
        }
        self.place.clone()
    }

    /// What is new on its screen.
    fn take(&mut self, seen: Option<Shown>, seat: &Seat) -> Option<(&'static str, Fact)> {
        let ticks = process::computed(self.process.pid);
        let quiet = self.ticks.is_some() && self.ticks == ticks;
        self.ticks = ticks;
        let is_own = |claim: &Claim| claim.source == Source::ProgramStatus;
        let says = seat.claims.iter().any(is_own);
        self.is_hidden |= says;
        if let Some(Shown::Dialog { name, reason, title, opening }) = seen {
            self.absences = 0;
            if seat.held.iter().any(|held| held.what == HeldFact::TakenBack) {
                // It mostly leaves, and its dialog with it.
                return None;
            }
            let is_bare = self.is_hidden && !says;
            if self.told.replace(name) == Some(name) && !is_bare {
                return None;
            }
            self.is_hidden = says;
            let (detail, first) = (Some(title.to_owned()), !has_spoken(seat));
            return Some((name, Fact::ScreenDialog { reason, detail, first, opening }));
        }
        if self.told.is_some() {
            self.absences += 1;
            if self.absences >= ABSENCES {
                self.told = None;
                return Some(("no dialog", Fact::ScreenCleared));
            }
        }
        // Only where nobody better speaks, so that nothing is told in vain.
        let long_ago = UnixMs(0);
        let alone = seat.fresh_claim(Tier::Own, long_ago).is_none();
        let prompt = seen == Some(Shown::Prompt) && matches!(seat.turn(), Turn::Working(_));
        (prompt && alone).then_some(("prompt box", Fact::ScreenPrompt { quiet }))
    }

    fn sight(&self, agent: &AgentId, name: &str, fact: Fact) -> Sight {
        Sight {
            agent: agent.clone(),
            source: Source::Screen,
            name: name.to_owned(),
            session: None,
            process: Some(self.process.clone()),
            made_at: None,
            delivery: Delivery::Live,
            fact,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_core::gate;
    use headsup_core::observation::{Level, Observation, ProcessFact};
    use headsup_core::status::{Attach, BlockedReason, Headline};

    fn admit(seat: &mut Seat, at: i64, source: Source, fact: Fact) {
        let (process, name) = (seat.process.id.clone(), "test".to_owned());
        let (delivery, session, made_at) = (Delivery::Live, None, None);
        let at = UnixMs(at);
        gate::admit(
            seat,
            &Observation { at, delivery, source, session, process, made_at, name, fact },
        );
    }

    #[tokio::test]
    async fn a_dialog_whose_pane_is_gone_is_over() {
        let process = ProcessId::new(u32::MAX, 1);
        let mut seat = Seat::new(AgentId::new("api").unwrap(), "custom", Source::Hook, UnixMs(0));
        seat.process.id = Some(process.clone());
        let running = ProcessFact::Running { attach: Attach::Interactive, restored: false };
        admit(&mut seat, 1_000, Source::Process, Fact::Process(running));
        let told = Watched { told: Some("trust"), missed: MISSES - 1, ..Watched::new(process) };
        let watched = HashMap::from([(seat.id.clone(), told)]);
        let board = Arc::new(Board::new(vec![Arc::new(seat)], 0, 0));
        let (inbox, outbox) = crate::inbox::pair(crate::writer::Pen::default(), Arc::default());
        let mut screens = Screens { when: ScreenRules::Always, board, inbox, watched };
        let looks = tokio::spawn(async move {
            screens.look().await;
            screens.watched.len()
        });
        let jobs = loop {
            let jobs = outbox.take(Duration::ZERO, 9).unwrap();
            if !jobs.is_empty() {
                break jobs;
            }
            assert!(!looks.is_finished(), "nothing was told");
            tokio::task::yield_now().await;
        };
        let Work::Witnessed(Witnessed::Seat(sight)) = &jobs[0].work else { panic!() };
        assert_eq!((&*sight.name, &sight.fact), ("no dialog", &Fact::ScreenCleared));
        drop(jobs);
        assert_eq!(looks.await.unwrap(), 0);
    }

    #[test]
    fn a_dialog_is_told_of_again_behind_what_the_program_has_taken_back() {
        let process = ProcessId::new(u32::MAX, 1);
        let mut seat = Seat::new(AgentId::new("api").unwrap(), "custom", Source::Hook, UnixMs(0));
        seat.process.id = Some(process.clone());
        let running = ProcessFact::Running { attach: Attach::Interactive, restored: false };
        admit(&mut seat, 1_000, Source::Process, Fact::Process(running));
        let mut watched = Watched::new(process);
        let (reason, title) = (BlockedReason::Trust, "Trust?");
        let mut look = |seat: &Seat| {
            let seen = Shown::Dialog { name: "trust", reason, title, opening: false };
            watched.take(Some(seen), seat).map(|(_, fact)| fact)
        };
        let asks = Level::Blocked { reason, detail: Some("Trust it?".to_owned()) };
        admit(&mut seat, 2_000, Source::ProgramStatus, Fact::Level(asks));
        let told = look(&seat).unwrap();
        admit(&mut seat, 2_500, Source::Screen, told);
        assert_eq!((look(&seat), seat.headline()), (None, Headline::Blocked));
        // Perhaps it leaves.
        admit(&mut seat, 4_000, Source::ProgramStatus, Fact::Withdrawn);
        assert_eq!(look(&seat), None);
        gate::tick(&mut seat, UnixMs(5_000));
        assert_eq!(seat.headline(), Headline::Unknown);
        let told = look(&seat).unwrap();
        admit(&mut seat, 5_500, Source::Screen, told);
        assert_eq!((look(&seat), seat.headline()), (None, Headline::Blocked));
    }
}
