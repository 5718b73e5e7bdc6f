//! A seat as clients see it.

use super::{History, Seat, Statement};
use crate::event::StatusChange;
use crate::id::ProcessId;
use crate::prompt::OpenPrompt;
use crate::source::{Evidence, Source};
use crate::status::{Attach, Exit, ExitKind, Headline, OutcomeKind, Process, Turn};
use crate::time::UnixMs;
use crate::wire::{
    AgentDoc, BackgroundDoc, DimensionDoc, EvidenceDoc, ExplainDoc, LoserDoc, ProcessDoc,
    PromptDoc, RejectedDoc, SCHEMA, TurnDoc, WinnerDoc,
};
use crate::workflow::Stage;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How many losing statements `explain` names per dimension.
const LOSERS: usize = 6;

/// See [`Seat::status_key`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusKey {
    pub headline: Headline,
    pub process: Process,
    pub turn: Turn,
    pub outcome: Option<(OutcomeKind, Option<String>)>,
    pub stage: Option<Stage>,
}

impl Seat {
    pub fn process_doc(&self) -> ProcessDoc {
        let mut doc = ProcessDoc::new(self.process.state, self.pid_here());
        let has_ended = matches!(self.process.state, Process::Exited(_));
        // Whether its person can have seen how its last turn ended.
        if has_ended && self.process.headless {
            doc.attach = Some(Attach::Headless);
        }
        doc
    }

    pub fn turn_doc(&self) -> TurnDoc {
        let detail = match self.own_prompts().next() {
            Some(open) => Some(open.ask.title.clone()),
            None => self.turn.detail.clone(),
        };
        TurnDoc::new(self.turn(), detail, self.turn.since, self.turn.seq)
    }

    /// Where the hub sees its process; one that it cannot see has a pid that means another here.
    fn pid_here(&self) -> Option<u32> {
        self.process.id.as_ref().and_then(ProcessId::pid_here)
    }

    /// The agent document.
    pub fn doc(&self) -> AgentDoc<'static> {
        self.written(Copied)
    }

    /// The same with its longer texts where they lie: ten thousand of them are not copied to be written down.
    pub fn view(&self) -> AgentDoc<'_> {
        self.written(Lent)
    }

    fn written<'seat, 'doc>(&'seat self, how: impl Keep<'seat, 'doc>) -> AgentDoc<'doc> {
        let about = &self.about;
        let text = |text: &'seat Option<Box<str>>| text.as_deref().map(|text| how.keep(text));
        let mut location = about.location.clone();
        location.pid = self.pid_here().or(location.pid);
        AgentDoc {
            schema: SCHEMA,
            id: self.id.clone(),
            name: how.keep(self.name.as_str()),
            kind: how.keep(&*self.kind),
            role: text(&about.role),
            labels: how.keep(&about.labels),
            parent: about.parent.clone(),
            host: text(&about.host),
            cwd: text(&about.cwd),
            repo: text(&about.repo),
            branch: text(&about.branch),
            worktree: text(&about.worktree),
            location,
            incarnation: self.incarnation,
            session_id: self.session.as_ref().map(|session| how.keep(session.id.as_str())),
            model: text(&about.model),
            title: text(&about.title),
            log_path: text(&about.log_path),
            started_at: about.started_at,
            last_status_at: self.last_status_at,
            suspended_at: about.suspended_at,
            resumed_at: about.resumed_at,
            headline: self.headline(),
            stale: self.stale,
            since: self.headline_since,
            process: self.process_doc(),
            turn: self.turn_doc(),
            outcome: self.outcome.clone(),
            seen: self.seen(),
            stage: self.stage.as_deref().cloned(),
            snoozed_until: self.snoozed_until,
            looked_at: self.looked_at,
            verdicts: self.verdicts.to_vec(),
            background: BackgroundDoc {
                subagents: u32::try_from(self.subagents.len()).unwrap_or(u32::MAX),
                shells: self.shells,
            },
            subagents: self.subagents.to_vec(),
            prompts: self.prompts.iter().map(|p| PromptDoc::new(&self.id, p, None)).collect(),
            task: self.links.as_ref().and_then(|links| links.task.clone()),
            prs: self.links.as_ref().map(|links| links.prs.clone()).unwrap_or_default(),
            last_activity: self.last_activity.as_ref().map(|entry| how.keep(entry)),
            counters: self.counters,
            evidence: EvidenceDoc::from(&self.turn.evidence),
            vocabulary: None,
        }
    }

    /// The status part, as one change from an earlier headline.
    pub fn change_from(&self, from: Headline) -> StatusChange {
        let turn = self.turn_doc();
        StatusChange {
            from,
            to: self.headline(),
            process: self.process_doc(),
            reason: turn.reason.clone(),
            turn,
            outcome: self.outcome.clone(),
            seen: self.seen(),
            stage: self.stage.as_deref().cloned(),
            evidence: EvidenceDoc::from(&self.turn.evidence),
        }
    }

    /// Who says so, how sure, since when, and who was not believed, by what was said lately.
    pub fn explain(&self, history: &History, now: UnixMs) -> ExplainDoc {
        let decided = history.trail.iter().rev().find(|said| said.lost.is_none());
        let turn_losers = history
            .trail
            .iter()
            .rev()
            .filter_map(|said| said.lost.as_ref().map(|why| loser(said, why, now)))
            .take(LOSERS)
            .collect();
        let turn_winner = winner(&self.turn.evidence, decided.map(|said| &*said.event), now);
        let plain = |value: String, winner: Option<WinnerDoc>| DimensionDoc {
            value,
            winner,
            losers: Vec::new(),
        };
        let outcome = self.outcome.as_ref().map_or("none", |outcome| outcome.kind.word());
        // Who told the end may have been followed by another word of the turn.
        let outcome_winner = self.outcome.as_ref().and_then(|outcome| {
            let by_process = self.turn.evidence.source == Source::Process;
            match history.trail.iter().rev().find(|said| said.at == outcome.at) {
                Some(said) if said.lost.is_some() => {
                    Some(winner(&Evidence::new(said.source, said.at), Some(&*said.event), now))
                }
                None if by_process && outcome.at < self.turn.evidence.observed_at => None,
                _ => Some(turn_winner.clone()),
            }
        });
        let stage = self.stage.as_ref().map_or("none", |stage| stage.stage.word());
        let reported = |at| winner(&Evidence::new(Source::Report, at), None, now);
        let stage_winner = self.stage.as_ref().map(|stage| reported(stage.since));
        let process = self.process_phrase();
        let mut process_winner = winner(&self.process.evidence, None, now);
        let container = self.about.location.container.as_ref();
        process_winner.notes.extend(container.map(|id| format!("in container {id}")));
        let orphaned = "orphaned: its terminal is gone, and it goes on without one".to_owned();
        process_winner.notes.extend(self.process.is_orphan().then_some(orphaned));
        process_winner.notes.extend(self.why_no_cause());
        let mut dimensions = BTreeMap::from([
            (
                "turn".to_owned(),
                DimensionDoc {
                    value: self.turn().phrase(),
                    winner: Some(turn_winner),
                    losers: turn_losers,
                },
            ),
            ("process".to_owned(), plain(process, Some(process_winner))),
            ("outcome".to_owned(), plain(outcome.to_owned(), outcome_winner)),
            ("stage".to_owned(), plain(stage.to_owned(), stage_winner)),
            ("seen".to_owned(), plain(self.seen().to_string(), None)),
        ]);
        // Its own dialogs alone are told with its turn.
        if let Some(oldest) = self.prompts.first().filter(|_| self.inputs().next().is_some()) {
            let asked = |open: &OpenPrompt| format!("{}: {}", open.id, open.ask.title);
            let notes: Vec<_> = self.prompts.iter().map(asked).collect();
            let value = format!("{} open", notes.len());
            let evidence = Evidence::new(oldest.source, oldest.opened_at);
            let said = WinnerDoc { notes, ..winner(&evidence, None, now) };
            dimensions.insert("prompts".to_owned(), plain(value, Some(said)));
        }
        if let Some(last) = self.verdicts.last() {
            let notes = vec![format!("of the task {}", last.task)];
            let said = WinnerDoc { notes, ..reported(last.at) };
            dimensions.insert("verdict".to_owned(), plain(last.verdict.to_string(), Some(said)));
        }
        let rejected = history.rejected.iter().rev().map(|rejection| RejectedDoc {
            at: rejection.at,
            source: rejection.source,
            event: rejection.event.to_string(),
            rule: rejection.rule.to_string(),
            why: rejection.why.to_string(),
        });
        ExplainDoc {
            schema: SCHEMA,
            agent_id: self.id.clone(),
            headline: self.headline(),
            stale: self.stale,
            dimensions,
            rejected: rejected.collect(),
        }
    }

    fn process_phrase(&self) -> String {
        let state = self.process.state.word();
        let Process::Exited(exit) = self.process.state else { return state.to_owned() };
        let kind = exit.kind.word();
        match (exit.signal, exit.code) {
            (Some(signal), _) => format!("{state}({kind}, signal {signal})"),
            (None, Some(code)) if code != 0 => format!("{state}({kind}, exit code {code})"),
            _ => format!("{state}({kind})"),
        }
    }

    /// Of an end of which no more is known than that its process is gone: why that is so.
    fn why_no_cause(&self) -> Option<String> {
        let has_no_cause = [ExitKind::Crashed, ExitKind::Unspecified]
            .map(|kind| Process::Exited(Exit::of(kind)))
            .contains(&self.process.state);
        let why = match self.about.adopted {
            true => "it is no child of headsup's",
            false => "its launcher has not told",
        };
        has_no_cause.then(|| format!("how is not known: {why}"))
    }
}

/// How a document has what it takes from a seat.
trait Keep<'seat, 'doc>: Copy {
    fn keep<T: ToOwned + ?Sized + 'static>(self, value: &'seat T) -> Cow<'doc, T>;
}

#[derive(Clone, Copy)]
struct Copied;

impl<'seat> Keep<'seat, 'static> for Copied {
    fn keep<T: ToOwned + ?Sized + 'static>(self, value: &'seat T) -> Cow<'static, T> {
        Cow::Owned(value.to_owned())
    }
}

#[derive(Clone, Copy)]
struct Lent;

impl<'seat> Keep<'seat, 'seat> for Lent {
    fn keep<T: ToOwned + ?Sized + 'static>(self, value: &'seat T) -> Cow<'seat, T> {
        Cow::Borrowed(value)
    }
}

fn winner(evidence: &Evidence, event: Option<&str>, now: UnixMs) -> WinnerDoc {
    WinnerDoc {
        source: evidence.source,
        confidence: evidence.confidence,
        event: event.map(str::to_owned),
        observed_at: evidence.observed_at,
        confirmed_at: evidence.confirmed_at,
        age_ms: now.since(evidence.confirmed_at).max(0),
        notes: evidence.notes.to_vec(),
    }
}

fn loser(said: &Statement, why: &str, now: UnixMs) -> LoserDoc {
    LoserDoc {
        source: said.source,
        value: said.value.to_string(),
        event: Some(said.event.to_string()),
        observed_at: said.at,
        age_ms: now.since(said.at).max(0),
        why: why.to_owned(),
    }
}
