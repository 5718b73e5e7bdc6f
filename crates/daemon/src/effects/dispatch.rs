//! The task that has effects done: one at a time for each target, the oldest first, again after
//! growing pauses where it fails, and never without a look where it may have been done.

use super::{Courier, Delivered, DeliveryError, Effect, Effects, Later, Standing};
use crate::job::{EffectAct, Work};
use crate::store::effects::EffectRow;
use headsup_core::work::effect::{WAITS_FOR_KEY, WAITS_FOR_SETTINGS};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

/// Effects on their way at once.
const AT_ONCE: usize = 4;
/// Nothing is waited for longer than this between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// A system that says to come back later than this is asked before that.
const LONGEST_ORDERED: Duration = Duration::from_secs(3_600);
/// After a look into the store that failed.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// How often, and how soon again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pauses {
    /// After the first try; then twice as long each time.
    pub(crate) first: Duration,
    /// Tries of one effect; with the pauses of a hub, a day.
    pub(crate) tries: u32,
}

type Target = (String, String);

/// What became of a try.
enum Outcome {
    Ended(Standing),
    Again(DeliveryError),
}

struct Dispatch {
    effects: Arc<Effects>,
    /// The last one that an earlier hub has made: nobody knows what it did of those.
    inherited: i64,
    /// Tried by us, and not known to be over.
    tried: HashSet<String>,
    under_way: HashMap<Id, Target>,
    /// Not before then.
    targets: HashMap<Target, Instant>,
    systems: HashMap<String, (Instant, String)>,
    flights: JoinSet<(EffectRow, Outcome)>,
}

/// Works until it is stopped.
pub(crate) async fn run(effects: Arc<Effects>) {
    let mut news = effects.news.clone();
    let inherited = loop {
        if let Some(known) = effects.inherited {
            break known;
        }
        match effects.reader.run(crate::store::Reader::last_effect).await {
            Ok(last) => break last,
            Err(error) => {
                tracing::error!(%error, "what is to be done elsewhere cannot be read");
                tokio::time::sleep(AFTER_FAILURE).await;
            }
        }
    };
    let mut dispatch = Dispatch {
        effects,
        inherited,
        tried: HashSet::new(),
        under_way: HashMap::new(),
        targets: HashMap::new(),
        systems: HashMap::new(),
        flights: JoinSet::new(),
    };
    loop {
        news.mark_unchanged();
        let next = dispatch.begin().await;
        tokio::select! {
            changed = news.changed() => if changed.is_err() { return },
            Some(ended) = dispatch.flights.join_next_with_id() => match ended {
                Ok((id, (row, outcome))) => dispatch.note(id, row, outcome).await,
                Err(error) => dispatch.lost(&error),
            },
            () = tokio::time::sleep_until(next.unwrap_or_else(far)), if next.is_some() => {}
        }
    }
}

fn far() -> Instant {
    Instant::now() + LONGEST_PAUSE
}

impl Dispatch {
    /// Begins what may begin now. Returns when to look again.
    async fn begin(&mut self) -> Option<Instant> {
        let heads = match self.effects.reader.run(crate::store::Reader::next_effects).await {
            Ok(heads) => heads,
            Err(error) => {
                tracing::error!(%error, "what is to be done elsewhere cannot be read");
                return Some(Instant::now() + AFTER_FAILURE);
            }
        };
        let now = Instant::now();
        let mut next = None;
        let mut later = Later::new();
        for row in heads {
            let target = target(&row.effect);
            if self.under_way.values().any(|busy| *busy == target) {
                continue;
            }
            let of_system = self.systems.get(&row.effect.provider);
            let waits = [self.targets.get(&target), of_system.map(|(until, _)| until)];
            if let Some(until) = waits.into_iter().flatten().max().filter(|until| **until > now) {
                next = Some(next.map_or(*until, |next: Instant| next.min(*until)));
                later.insert(target, (*until, of_system.map(|(_, why)| why.clone())));
                continue;
            }
            if self.flights.len() >= AT_ONCE {
                // The end of another one wakes us.
                break;
            }
            let is_older = row.number <= self.inherited || row.tries > 0;
            let courier = self.effects.courier(&row.effect.provider);
            if let Some(why) = lacks(courier.as_ref()).filter(|_| is_older) {
                self.keep(row, why).await;
                continue;
            }
            let looks = is_older || self.tried.contains(&row.effect.key);
            self.tried.insert(row.effect.key.clone());
            let flight = self.flights.spawn(async move {
                let outcome = carry(courier, &row.effect, looks).await;
                (row, outcome)
            });
            self.under_way.insert(flight.id(), target);
        }
        self.effects.later.send_if_modified(|known| {
            let is_new = *known != later;
            *known = later;
            is_new
        });
        next
    }

    /// What was to be done before the settings lacked something is done once they have it again.
    async fn keep(&self, row: EffectRow, why: &'static str) {
        if row.standing == (Standing::Queued { why: Some(why.to_owned()) }) {
            return;
        }
        let act = EffectAct::Waits { key: row.effect.key, why };
        if let Err(error) = self.effects.inbox.submit(Work::Effect(Box::new(act)), None).await {
            tracing::error!(%error, "what waits for a key cannot be written down");
        }
    }

    /// Writes down what became of it.
    async fn note(&mut self, id: Id, row: EffectRow, outcome: Outcome) {
        let (key, target) = (row.effect.key.clone(), target(&row.effect));
        let first = self.effects.pauses.first;
        let mut pause = None;
        let standing = match outcome {
            Outcome::Ended(standing) => standing,
            Outcome::Again(error) if error.permanent => {
                Standing::Failed { reason: error.why, retryable: false }
            }
            Outcome::Again(error) if row.tries + 1 >= self.effects.pauses.tries => {
                Standing::Failed { reason: error.why, retryable: true }
            }
            Outcome::Again(error) => {
                let growing = first.saturating_mul(1 << row.tries.min(16)).min(LONGEST_PAUSE);
                let ordered = error.retry_after.map(|after| after.min(LONGEST_ORDERED));
                if let Some(ordered) = ordered {
                    let until = (Instant::now() + ordered, error.why.clone());
                    self.systems.insert(row.effect.provider.clone(), until);
                }
                pause = Some(growing.max(ordered.unwrap_or_default()));
                Standing::Queued { why: Some(error.why) }
            }
        };
        match &standing {
            Standing::Failed { reason, .. } | Standing::Queued { why: Some(reason) } => {
                let Effect { provider, target, kind, .. } = &row.effect;
                tracing::warn!(provider, target, kind = kind.word(), reason, "it was not done");
            }
            _ => {}
        }
        let is_over = !matches!(standing, Standing::Queued { .. });
        let act = EffectAct::Tried { key: key.clone(), standing };
        match self.effects.inbox.submit(Work::Effect(Box::new(act)), None).await {
            Ok(_) if is_over => drop(self.tried.remove(&key)),
            Ok(_) => {}
            Err(error) => {
                tracing::error!(%error, "what was done elsewhere cannot be written down");
                pause = Some(pause.unwrap_or_default().max(AFTER_FAILURE));
            }
        }
        match pause {
            Some(pause) => drop(self.targets.insert(target.clone(), Instant::now() + pause)),
            None => drop(self.targets.remove(&target)),
        }
        self.under_way.remove(&id);
    }

    /// A defect in a courier: what it had under way is looked at again, after a pause.
    fn lost(&mut self, error: &JoinError) {
        tracing::error!(%error, "a defect: a courier panicked");
        let again = Instant::now() + LONGEST_PAUSE;
        self.targets.extend(self.under_way.remove(&error.id()).map(|target| (target, again)));
    }
}

fn target(effect: &Effect) -> Target {
    (effect.provider.clone(), effect.target.clone())
}

/// What is to be put right before anything can be sent there.
fn lacks(courier: Option<&Arc<dyn Courier>>) -> Option<&'static str> {
    match courier {
        None => Some(WAITS_FOR_SETTINGS),
        Some(courier) => courier.closed().map(|_| WAITS_FOR_KEY),
    }
}

/// What is new is skipped where the settings do not have it sent.
async fn carry(courier: Option<Arc<dyn Courier>>, effect: &Effect, looks: bool) -> Outcome {
    let skipped = |reason: &str| Outcome::Ended(Standing::Skipped { reason: reason.to_owned() });
    let Some(courier) = courier else { return skipped("not_configured") };
    if let Some(reason) = courier.closed() {
        return skipped(reason);
    }
    if looks {
        match courier.find(effect).await {
            Ok(Some(delivered)) => return done(delivered),
            Ok(None) => {}
            Err(error) => return Outcome::Again(error),
        }
    }
    match courier.deliver(effect).await {
        Ok(delivered) => done(delivered),
        Err(error) => Outcome::Again(error),
    }
}

fn done(Delivered { id, url }: Delivered) -> Outcome {
    Outcome::Ended(Standing::Done { id, url })
}
