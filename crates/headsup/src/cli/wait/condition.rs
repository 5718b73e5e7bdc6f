//! What `wait` waits for, as a state machine: snapshots and events in, a verdict out. No I/O,
//! no clock. `watch` asks it who can still come to something.

use headsup_core::event::{Event, EventBody, StatusChange};
use headsup_core::id::AgentId;
use headsup_core::select::HeadlineSet;
use headsup_core::status::{Headline, Outcome, OutcomeKind};
use headsup_core::time::UnixMs;
use headsup_core::wire::AgentDoc;

/// The states of a seat that its agent has left: it comes to no other by itself.
pub(crate) const OVER: [Headline; 3] = [Headline::Ended, Headline::Crashed, Headline::Absent];

/// How the targets have to be in the set.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) set: HeadlineSet,
    /// One target is enough.
    pub(crate) any: bool,
    /// Only a transition newer than the call counts.
    pub(crate) next: bool,
    /// It must last: what once was, and is no more, does not count.
    pub(crate) lasting: bool,
}

/// Does the condition hold?
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pending,
    Met(Vec<Hit>),
    /// It can no longer be met; the target that ended, and how.
    Ended {
        id: AgentId,
        how: &'static str,
    },
}

/// A target that meets the condition, and the cursor at which it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) id: AgentId,
    pub(crate) headline: Headline,
    pub(crate) cursor: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Condition {
    rule: Rule,
    targets: Vec<Target>,
    /// The first snapshot is where the waiting begins; later ones bridge a gap.
    seeded: bool,
    changes: u64,
}

#[derive(Clone, Debug)]
struct Target {
    id: AgentId,
    headline: Headline,
    /// The hub's time of what we know.
    known_at: UnixMs,
    turn_seq: u64,
    forgotten: bool,
    cursor: String,
    /// The first transition into the set, for `next`.
    hit: Option<Hit>,
}

impl Condition {
    /// Waits for `agents`, as they were when their names were resolved.
    pub(crate) fn new(rule: Rule, agents: &[AgentDoc]) -> Self {
        let targets = agents.iter().map(|agent| Target::new(agent, "")).collect();
        Self { rule, targets, seeded: false, changes: 0 }
    }

    /// Waits from `cursor` on, where `agents` were as they are here, or came to be so after it: the events
    /// from there on decide, without a snapshot.
    pub(crate) fn since(rule: Rule, agents: &[AgentDoc], cursor: &str) -> Self {
        let targets = agents.iter().map(|agent| Target::new(agent, cursor)).collect();
        Self { rule, targets, seeded: true, changes: 0 }
    }

    /// Counts everything that could make a settled state unsettled.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// The state of all agents at `cursor`.
    pub(crate) fn snapshot(&mut self, cursor: &str, agents: &[AgentDoc]) {
        let seeded = std::mem::replace(&mut self.seeded, true);
        for target in &mut self.targets {
            let Some(agent) = agents.iter().find(|agent| agent.id == target.id) else {
                // Seats that ended long ago are left out of a snapshot, and are not forgotten.
                if !is_over(target.headline) && !target.forgotten {
                    target.forgotten = true;
                    self.changes += 1;
                }
                continue;
            };
            let fresh = Target { hit: target.hit.take(), ..Target::new(agent, cursor) };
            let old = std::mem::replace(target, fresh);
            if old.differs(target) || agent.since > old.known_at {
                self.changes += 1;
            }
            // In a gap that the log no longer covers, the state itself says that it is newer.
            if seeded && agent.since > old.known_at {
                if old.headline == agent.headline {
                    // It has left this state and come back.
                    target.hit(&self.rule, agent.headline);
                } else {
                    target.enter(&self.rule, old.headline, agent.headline);
                }
            }
        }
    }

    /// The next event of the log.
    pub(crate) fn event(&mut self, event: &Event) {
        let Some(target) = self.targets.iter_mut().find(|target| target.id == event.agent_id)
        else {
            return;
        };
        match &event.body {
            EventBody::StatusChanged(change) => target.status(&self.rule, change, event),
            EventBody::TurnCompleted { outcome, .. } => {
                // A turn that nobody saw working leaves the same word behind.
                let headline = left_by(outcome.as_ref());
                target.cursor.clone_from(&event.cursor);
                if headline == target.headline {
                    target.hit(&self.rule, headline);
                }
            }
            EventBody::PromptOpened { .. } if target.headline == Headline::Blocked => {
                target.cursor.clone_from(&event.cursor);
                target.hit(&self.rule, Headline::Blocked);
            }
            EventBody::Forgotten => target.forgotten = true,
            EventBody::Registered { agent } => {
                let hit = target.hit.take();
                *target = Target { hit, ..Target::new(agent, &event.cursor) };
            }
            EventBody::TurnStarted { .. }
            | EventBody::PromptOpened { .. }
            | EventBody::PromptResolved { .. }
            | EventBody::StageChanged { .. }
            | EventBody::Updated { .. } => {}
            EventBody::VerdictReported { .. }
            | EventBody::ActivityAppended { .. }
            | EventBody::MessageDelivered { .. }
            | EventBody::QueueChanged { .. } => return,
        }
        target.known_at = target.known_at.max(event.at);
        self.changes += 1;
    }

    /// Does it hold now?
    pub(crate) fn verdict(&self) -> Verdict {
        if !self.seeded {
            return Verdict::Pending;
        }
        let rule = &self.rule;
        let hits: Vec<Hit> = self.targets.iter().filter_map(|t| t.met(rule)).collect();
        let enough = if rule.any { 1 } else { self.targets.len() };
        if hits.len() >= enough {
            return Verdict::Met(hits);
        }
        let mut lost = self.targets.iter().filter(|target| target.is_lost(rule));
        let hopeless = if rule.any { lost.clone().count() == self.targets.len() } else { true };
        match lost.next() {
            Some(target) if hopeless => {
                let how = if target.forgotten { "forgotten" } else { target.headline.word() };
                Verdict::Ended { id: target.id.clone(), how }
            }
            _ => Verdict::Pending,
        }
    }

    /// Where every target stands, for a message.
    pub(crate) fn standing(&self) -> String {
        let each = self.targets.iter().map(|t| format!("{} is {}", t.id, t.headline.word()));
        each.collect::<Vec<_>>().join(", ")
    }
}

impl Target {
    fn new(agent: &AgentDoc, cursor: &str) -> Self {
        Self {
            id: agent.id.clone(),
            headline: agent.headline,
            known_at: agent.last_status_at.unwrap_or(agent.since).max(agent.since),
            turn_seq: agent.turn.turn_seq,
            forgotten: false,
            cursor: cursor.to_owned(),
            hit: None,
        }
    }

    fn differs(&self, other: &Self) -> bool {
        let key = |target: &Self| (target.headline, target.turn_seq, target.forgotten);
        key(self) != key(other)
    }

    fn status(&mut self, rule: &Rule, change: &StatusChange, event: &Event) {
        self.headline = change.to;
        self.turn_seq = change.turn.turn_seq;
        self.forgotten = false;
        self.cursor.clone_from(&event.cursor);
        self.enter(rule, change.from, change.to);
    }

    /// A transition has happened: is it one into the set?
    fn enter(&mut self, rule: &Rule, from: Headline, to: Headline) {
        // A person has looked at an outcome: nothing happened to the agent.
        let looked = to == Headline::Idle && matches!(from, Headline::Done | Headline::Failed);
        // A new reason for the same word is no new state, but another prompt is one.
        let same = from == to && to != Headline::Blocked;
        if !looked && !same {
            self.hit(rule, to);
        }
    }

    fn hit(&mut self, rule: &Rule, headline: Headline) {
        if self.hit.is_none() && rule.set.is_met_by(headline) {
            let (id, cursor) = (self.id.clone(), self.cursor.clone());
            self.hit = Some(Hit { id, headline, cursor });
        }
    }

    fn met(&self, rule: &Rule) -> Option<Hit> {
        if rule.next && !rule.lasting {
            return self.hit.clone();
        }
        let newer = !rule.next || self.hit.is_some();
        let holds = newer && !self.forgotten && rule.set.is_met_by(self.headline);
        let (id, headline, cursor) = (self.id.clone(), self.headline, self.cursor.clone());
        holds.then_some(Hit { id, headline, cursor })
    }

    fn is_lost(&self, rule: &Rule) -> bool {
        let gone = is_over(self.headline) && !rule.set.is_met_by(self.headline);
        (self.forgotten || gone) && self.met(rule).is_none()
    }
}

fn is_over(headline: Headline) -> bool {
    OVER.contains(&headline)
}

/// The word that a turn's end leaves behind.
fn left_by(outcome: Option<&Outcome>) -> Headline {
    match outcome.map(|outcome| outcome.kind) {
        Some(OutcomeKind::Completed) => Headline::Done,
        Some(OutcomeKind::Failed) => Headline::Failed,
        Some(OutcomeKind::Interrupted | OutcomeKind::Aborted) | None => Headline::Idle,
    }
}

#[cfg(test)]
mod tests;
