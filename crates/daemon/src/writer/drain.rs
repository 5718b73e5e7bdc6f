//! Taking over what hooks have spooled.

use super::{Found, Item, Writer};
use crate::beside::{self, Patience};
use crate::body::is_too_deep;
use crate::caller;
use crate::evidence::Hook;
use crate::job::{Key, Launched, Left, OwnReport, Refusal, Spooled, Witnessed, Work};
use crate::launched::{self, ProcessBody};
use crate::limits::BATCH_JOBS;
use crate::namespaces::Peer;
use crate::own_word;
use crate::sighting::{self, Envelope, HookReport};
use crate::spoken::{self, TerminalBody};
use crate::spool::{Draining, Tally};
use headsup_adapters::evidence::is_of_a_stream;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::spool::{OF_A_PROCESS, OF_A_TERMINAL, OF_AN_AGENT, Report};
use headsup_core::wire::ReportBody;

/// Between two tries at a spool that the disk refuses. Milliseconds.
const AGAIN_MS: i64 = 1_000;

impl Writer {
    /// Every file, oldest first. A file is removed only when all of it is stored; what the disk
    /// refuses stays where it is and is read again, and until then live hooks are refused too:
    /// they join the queue behind it.
    pub(super) fn drain_spool(&mut self) -> Result<(), Refusal> {
        let now = self.now();
        if let Some((since, refusal)) = self.spool_refused
            && (0..AGAIN_MS).contains(&now.since(since))
        {
            return Err(refusal);
        }
        self.spool_refused = None;
        let mut patience = Patience::default();
        while let Some(draining) = self.spool.fetch() {
            let tally = self.drain(&draining, &mut patience).inspect_err(|refusal| {
                self.spool_refused = Some((now, *refusal));
            })?;
            if let Err(error) = draining.remove() {
                tracing::warn!(%error, "a spool file that was read cannot be removed");
                break;
            }
            self.metrics.spool_corrupt.inc_by(tally.corrupt);
            self.metrics.spool_dropped.inc_by(tally.dropped);
        }
        Ok(())
    }

    fn drain(&mut self, draining: &Draining, patience: &mut Patience) -> Result<Tally, Refusal> {
        let mut tally = Tally::default();
        let mut reports = draining.reports(&mut tally).peekable();
        while reports.peek().is_some() {
            let batch: Vec<Report> = reports.by_ref().take(BATCH_JOBS).collect();
            let count = batch.len() as u64;
            let items: Vec<Item> =
                batch.into_iter().filter_map(|report| self.item(report, patience)).collect();
            let refused = count - items.len() as u64;
            self.process(items, Vec::new())?;
            self.metrics.spool_drained.inc_by(count);
            self.metrics.spool_refused.inc_by(refused);
        }
        drop(reports);
        Ok(tally)
    }

    /// What the request would have been. `None` if it would have been refused.
    fn item(&self, report: Report, patience: &mut Patience) -> Option<Item> {
        match report.kind.as_str() {
            OF_A_PROCESS => return self.word_on_a_process(report),
            OF_A_TERMINAL => return self.word_at_a_terminal(report),
            OF_AN_AGENT => return self.own_word(report),
            _ => {}
        }
        let Report { kind, event, id, reported_at, agent, agent_token, context, body, .. } = report;
        if is_too_deep(&body) {
            tracing::warn!(kind, "a spooled report is nested too deep");
            return None;
        }
        let envelope = Envelope {
            kind: &kind,
            event: event.as_deref(),
            claimed: agent.and_then(|agent| AgentId::new(agent).ok()),
            context: context.as_deref(),
            spooled: Some(reported_at),
            ..Envelope::default()
        };
        let of_a_stream = is_of_a_stream(&kind, event.as_deref());
        match sighting::read(envelope, &body, &self.namespaces) {
            Ok(mut read) => {
                beside::look_at_once(&mut read, patience);
                let token = agent_token.as_deref().map(caller::digest);
                let is_held = |token: &String| self.board.read().places.of_token(token).is_some();
                read.token = token.filter(|token| !is_held(token));
                if self.is_strangers(&read) {
                    tracing::warn!(kind, "a spooled report shows a token that is of nobody");
                    return None;
                }
                Some(Item {
                    key: Key::new(&id, &kind, &body),
                    answer: None,
                    spooled: Some((
                        self.evidence.now(),
                        Found::Hook(Hook {
                            event: event
                                .filter(|_| of_a_stream)
                                .unwrap_or_else(|| read.sighting.event.clone()),
                            of_a_stream,
                            claimed: read.claimed.is_some(),
                            context,
                            payload: body.into(),
                        }),
                    )),
                    work: Work::Hook(Box::new(read)),
                })
            }
            Err(why) => {
                tracing::warn!(kind, ?why, "a spooled report cannot be read");
                None
            }
        }
    }

    /// Whether it shows a token that no seat has, and says that it sits where another one does.
    fn is_strangers(&self, report: &HookReport) -> bool {
        let HookReport { claimed: Some(claimed), token: Some(_), sighting, .. } = report else {
            return false;
        };
        let is_its_own = |seat: &Seat| {
            let process = sighting.process.as_ref();
            !caller::is_taken(seat) || process.is_some() && seat.process.id.as_ref() == process
        };
        let seat = self.board.seat(claimed);
        !sighting.shares_process && seat.is_some_and(|seat| !is_its_own(&seat))
    }

    /// What a launcher would have told. `None` if it cannot be read, or names nobody.
    fn word_on_a_process(&self, report: Report) -> Option<Item> {
        let Report { id, reported_at, agent, agent_token, body, .. } = report;
        let agent = agent.and_then(|agent| AgentId::new(agent).ok())?;
        let read = serde_json::from_slice::<ProcessBody>(&body);
        let said = read.inspect_err(
            |error| tracing::warn!(%error, "a spooled word on a process cannot be read"),
        );
        let said = said.ok()?;
        // As it would have been told: a hub that has heard it all the same takes it once.
        let key = Key::new(&id, &launched::path(&agent), &body);
        let token = agent_token.as_deref().map(caller::digest);
        let row = said.row();
        let found = said.settle(agent, Peer::Unseen, &self.namespaces, |_| false).ok()?;
        let spooled = Some(Spooled { reported_at, token });
        Some(Item {
            key,
            answer: None,
            spooled: Some((self.evidence.now(), Found::Row(row))),
            work: Work::Launched(Box::new(Launched { spooled, ..found })),
        })
    }

    /// What a report would have told. `None` if it cannot be read, or is not clear in whom it names.
    fn own_word(&self, report: Report) -> Option<Item> {
        let Report { id, reported_at, agent, agent_token, body, .. } = report;
        let agent = self.called(&agent?)?;
        let read = serde_json::from_slice::<ReportBody>(&body);
        let said =
            read.inspect_err(|error| tracing::warn!(%error, "a spooled report cannot be read"));
        let mut said = said.ok()?;
        own_word::clean(&mut said);
        let row = own_word::row("report", &serde_json::to_value(&said).unwrap_or_default());
        let reported = said.parse();
        let reported = reported
            .inspect_err(|error| tracing::warn!(%error, "a spooled report says what none says"))
            .ok()?;
        let of_launch = agent_token.is_some();
        let spooled = Spooled { reported_at, token: agent_token.as_deref().map(caller::digest) };
        // It is of the launch that it was made in, and of no later one in the same seat, nor of another agent's.
        let holder = |token| self.board.read().places.of_token(token).cloned();
        let holder = spooled.token.as_deref().and_then(holder);
        let is_anothers = holder.is_some_and(|holder| holder != agent);
        if is_anothers || spooled.is_of_another(self.board.seat(&agent).as_deref()) {
            return None;
        }
        Some(Item {
            // As it would have been told: a hub that has heard it all the same takes it once.
            key: Key::new(&id, agent.as_str(), &body),
            answer: None,
            spooled: Some((self.evidence.now(), Found::Row(row))),
            work: Work::Report(OwnReport {
                agent,
                of_launch,
                reported,
                spooled: Some(reported_at),
            }),
        })
    }

    /// Whom somebody has named who could not ask who is there: a seat by its id or by its name, else one that comes
    /// to be.
    fn called(&self, name: &str) -> Option<AgentId> {
        let id = AgentId::new(name).ok();
        if let Some(id) = id.clone().filter(|id| self.board.seat(id).is_some()) {
            return Some(id);
        }
        let mut named = self.board.named(name);
        match named.len() {
            0 => id,
            1 => named.pop(),
            _ => {
                tracing::warn!("a spooled report names several agents");
                None
            }
        }
    }

    /// What a launcher has heard at its agent's terminal and would have told. `None` if it cannot be read, or names
    /// nobody.
    fn word_at_a_terminal(&self, report: Report) -> Option<Item> {
        let Report { id, reported_at, agent, agent_token, body, .. } = report;
        let agent = agent.and_then(|agent| AgentId::new(agent).ok())?;
        let read = serde_json::from_slice::<TerminalBody>(&body);
        let said = read.inspect_err(
            |error| tracing::warn!(%error, "a spooled word at a terminal cannot be read"),
        );
        let status = said.ok()?.status?;
        let key = Key::new(&id, &spoken::path(&agent), &body);
        let token = agent_token.as_deref().map(caller::digest);
        let seat = self.board.seat(&agent)?;
        let (sight, row) = spoken::report(&agent, &seat.kind, &status);
        let spooled = Spooled { reported_at, token };
        Some(Item {
            key,
            answer: None,
            spooled: Some((self.evidence.now(), Found::Row(row))),
            work: Work::Witnessed(Witnessed::Left(Box::new(Left { sight, spooled }))),
        })
    }
}
