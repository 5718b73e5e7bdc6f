//! From an event to a fact, by a map.

use super::map::{Event, Map, Must, Paths, Word};
use super::members::Members;
use crate::json::Raw;
use crate::text::{self, ACTION, DETAIL, NAME, TITLE};
use crate::{Activity, FactExt, asks, calls, payload, terminal};
use headsup_core::observation::{Background, Fact, Level, SessionEnd, Submitter};
use headsup_core::prompt::{Actor, NewPrompt, PromptKind, Resolution, ResolvedBy, ToolRef, Via};
use headsup_core::status::BlockedReason;
use headsup_core::time::UnixMs;
use std::borrow::Cow;

fn is_number(raw: Raw<'_>) -> bool {
    raw.json().is_some_and(|json| json.starts_with(|c: char| c == '-' || c.is_ascii_digit()))
}

/// A payload, and the map it is read by.
pub(super) struct Reading<'a> {
    pub(super) map: &'static Map,
    pub(super) members: Members<'a>,
}

impl<'a> Reading<'a> {
    pub(super) fn raw(&self, paths: &[String]) -> Raw<'a> {
        self.members.first(paths)
    }

    fn id(&self, paths: &[String]) -> Option<String> {
        self.raw(paths).text().and_then(|id| text::id(&id))
    }

    /// What a member says; a number or a truth value as it is written. An empty text says nothing.
    fn said(&self, member: &str) -> Option<Cow<'a, str>> {
        let raw = self.members.at(member);
        let json = || raw.json().filter(|json| *json != "\"\"").map(Cow::Borrowed);
        raw.text().or_else(json)
    }

    /// Whether a member says one of these words; whether it is there, if there are none.
    fn says(&self, member: &str, words: &[String]) -> bool {
        let is_one =
            |said: Cow<'a, str>| words.is_empty() || words.iter().any(|word| *word == said);
        self.said(member).is_some_and(is_one)
    }

    fn fits(&self, row: &Event) -> bool {
        row.when.as_ref().is_none_or(|when| self.says(&when.member, &when.is))
    }

    fn has(&self, must: &Must) -> bool {
        match must.tells_whose {
            true => self.members.at(&must.member).is_there(),
            false => self.says(&must.member, &must.is),
        }
    }

    /// The main agent's conversation.
    pub(super) fn session(&self) -> Option<String> {
        if self.is_of_another_session() {
            return None;
        }
        self.raw(&self.map.members.session).text().and_then(|id| text::session(&id))
    }

    fn is_of_another_session(&self) -> bool {
        let is_helpers = || self.actor().is_none_or(|actor| !actor.is_main());
        self.map.helpers_have_sessions && is_helpers()
    }

    fn turn(&self) -> Option<String> {
        let raw = self.raw(&self.map.members.turn);
        // A number in some programs. Whatever else stands there would be one name for many turns.
        let number = || raw.json().filter(|_| is_number(raw)).map(Cow::Borrowed);
        raw.text().or_else(number).and_then(|id| text::id(&id))
    }

    /// `None`: a helper that does not say which it is.
    fn actor(&self) -> Option<Actor> {
        let members = &self.map.members;
        let named = payload::actor(self.raw(&members.helper));
        if members.helper_if.is_empty() {
            return Some(named);
        }
        match payload::actor(self.raw(&members.helper_if)).is_main() {
            true => Some(Actor::Main),
            false => Some(named).filter(|actor| !actor.is_main()),
        }
    }

    fn tool(&self) -> Option<String> {
        calls::tool_name(self.raw(&self.map.members.tool))
    }

    fn input(&self) -> Raw<'a> {
        self.raw(&self.map.members.input)
    }

    fn call(&self) -> ToolRef {
        calls::call(self.tool(), self.raw(&self.map.members.call), self.input())
    }

    fn words(&self, paths: &[String], cap: usize) -> Option<String> {
        let words = text::line(&self.raw(paths).text()?, cap);
        (!words.is_empty()).then_some(words)
    }

    /// What the row of an event says that it means, or why there is none.
    fn word(&self, event: &str) -> Result<Word, String> {
        if let Some(row) = self.map.rows(event).find(|row| self.fits(row)) {
            return Ok(row.fact);
        }
        let Some(first) = self.map.rows(event).next() else {
            return Err(format!("unknown event {event}"));
        };
        let Some(reason) = self.map.reason_of(event) else {
            let member = first.when.as_ref().map_or("", |when| &when.member);
            return Err(format!("{event} with another {member} than is known"));
        };
        match self.members.at(reason) {
            // Its process tells.
            said if said.text().is_none() && !said.is_other_than('"') => Ok(Word::SessionLeft),
            _ => Ok(Word::SessionUnclear),
        }
    }

    pub(super) fn fact(&self, event: &str) -> Fact {
        let word = match self.word(event) {
            Ok(Word::Nothing) => return Fact::Nothing,
            Ok(word) => word,
            Err(why) => return Fact::NotUnderstood { why },
        };
        // A member that has another name than yesterday is missing: then nothing is taken for granted.
        let mut musts = self.map.musts(event);
        if let Some(must) = musts.find(|must| must.tells_whose && !self.has(must)) {
            let why = format!("it does not say whose it is: no {}", must.member);
            return Fact::NotUnderstood { why };
        }
        let needs_session = !self.map.members.session.is_empty() && !self.is_of_another_session();
        if needs_session && self.session().is_none() {
            return Fact::not_understood("it does not say of which session it is");
        }
        self.meaning(word)
    }

    /// A member that its event has in all versions that are known, and that is not there, or says a word
    /// that nobody knows.
    pub(super) fn strange(&self, event: &str) -> Option<&'static str> {
        let missed = self.map.musts(event).find(|must| !self.has(must));
        let reason = || {
            let is_known = self.map.rows(event).any(|row| self.fits(row));
            self.map.reason_of(event).filter(|_| !is_known)
        };
        missed.map(|must| must.member.as_str()).or_else(reason).or_else(|| self.misshapen())
    }

    /// A member by which conversations, turns, helpers, tools or calls are told apart, if it is of another type
    /// than known, or empty.
    fn misshapen(&self) -> Option<&'static str> {
        let map = self.map;
        let Paths { session, turn, helper, helper_if, tool, call, key, .. } = &map.members;
        let mut paths = [session, turn, helper, helper_if, tool, call, key].into_iter().flatten();
        let is_none = |path: &&String| {
            let raw = self.members.at(path);
            let is_turns = turn.contains(path) && is_number(raw);
            raw.json().is_some() && raw.text().is_none() && !is_turns
        };
        paths.find(is_none).map(String::as_str)
    }

    fn meaning(&self, word: Word) -> Fact {
        if matches!(word, Word::HelperStarted | Word::HelperEnded) {
            return self.helper(word);
        }
        let Some(actor) = self.actor() else {
            // Of a helper that does not say which it is nothing counts but that one works.
            return match word {
                Word::ToolStarted => Fact::HelperWorks,
                _ => Fact::Nothing,
            };
        };
        match word {
            Word::ToolStarted | Word::ToolEnded | Word::PermissionOpened
                if self.tool().is_none() =>
            {
                Fact::not_understood("it does not name the tool")
            }
            Word::ToolStarted => {
                Fact::ToolStarted { actor, tool: self.call(), turn_ref: self.turn() }
            }
            Word::ToolEnded => Fact::ToolsEnded {
                actor,
                tools: vec![self.call()],
                interrupted: false,
                turn_ref: self.turn(),
            },
            Word::PermissionOpened => {
                let prompt = asks::permission(self.tool().as_deref(), self.input());
                self.opened(actor, NewPrompt { tool: Some(self.call()), ..prompt })
            }
            Word::PlanOpened => {
                let title = self.words(&self.map.members.message, TITLE);
                let title = title.unwrap_or_else(|| "Approve the plan".to_owned());
                let reason = BlockedReason::PlanApproval;
                self.opened(actor, asks::prompt(PromptKind::PlanApproval, reason, title))
            }
            Word::PermissionShown => {
                self.shown(actor, PromptKind::Permission, BlockedReason::Permission)
            }
            Word::QuestionShown => self.shown(actor, PromptKind::Question, BlockedReason::Question),
            Word::PromptResolved => self.resolved(actor),
            // What would speak of a helper alone, if it were a helper's.
            _ if !actor.is_main() => Fact::Nothing,
            _ => self.of_main(word),
        }
    }

    fn of_main(&self, word: Word) -> Fact {
        let turn_ref = self.turn();
        let members = &self.map.members;
        let manual = || payload::by_person(self.raw(&members.trigger));
        match word {
            Word::SessionStarted => Fact::SessionStarted {
                how: payload::session_start(self.raw(&members.start)),
                attach: None,
            },
            Word::SessionEnded => Fact::SessionEnded { how: SessionEnd::Exit },
            Word::SessionCleared => Fact::SessionEnded { how: SessionEnd::Clear },
            Word::SessionLeft => Fact::SessionEnded { how: SessionEnd::Either },
            Word::SessionUnclear => Fact::SessionEnded { how: SessionEnd::Unclear },
            Word::PromptSubmitted => Fact::PromptSubmitted { by: Submitter::Person, turn_ref },
            Word::PromptTold => Fact::PromptTold,
            Word::TurnEnded => Fact::TurnEnded { background: self.left_behind(), turn_ref },
            Word::TurnUnclear => Fact::TurnUnanswered,
            Word::TurnFailed => {
                let (code, detail) = (self.code(), self.words(&members.detail, DETAIL));
                match self.map.helpers_are_nameless {
                    true => Fact::SomeoneStopped { failed: Some((code, detail)) },
                    false => Fact::TurnFailed { code, detail, turn_ref },
                }
            }
            Word::TurnInterrupted if self.map.helpers_are_nameless => {
                Fact::SomeoneStopped { failed: None }
            }
            Word::TurnInterrupted => Fact::TurnInterrupted { turn_ref },
            Word::IdleNotice => Fact::IdleForLong { turn_ref },
            // Another compaction is a part of its turn, and one that fails may have no end.
            Word::CompactionStarted if manual() == Some(true) => Fact::CompactionStarted,
            Word::CompactionEnded if manual() != Some(false) => {
                Fact::CompactionEnded { manual: manual() }
            }
            Word::ShowsIdle => Fact::Level(Level::Idle { shells: 0 }),
            Word::ShowsWorking => Fact::Level(Level::Working { reason: None }),
            Word::ShowsBlocked => Fact::Level(terminal::blocked(BlockedReason::Permission, "")),
            Word::ShowsFailed => Fact::Level(Level::Failed { code: self.code() }),
            _ => Fact::Nothing,
        }
    }

    /// No stop lists the helpers that it leaves behind: whoever has been named ends by its own end, unless it cannot
    /// outlive that stop.
    fn left_behind(&self) -> Background {
        let leaves_none = self.map.helpers_end_first;
        match self.map.names_helpers() {
            true if self.map.helpers_are_nameless => Background::anyones(),
            true => Background { leaves_none, ..Background::unlisted() },
            false => Background::default(),
        }
    }

    fn code(&self) -> String {
        self.words(&self.map.members.code, NAME).unwrap_or_else(|| "error".to_owned())
    }

    fn opened(&self, actor: Actor, prompt: NewPrompt) -> Fact {
        let key = self.id(&self.map.members.key);
        let prompt = NewPrompt { key, ..prompt };
        Fact::PromptOpened { actor, prompt, settle_ms: 0, turn_ref: self.turn() }
    }

    fn shown(&self, actor: Actor, kind: PromptKind, reason: BlockedReason) -> Fact {
        let title = self.words(&self.map.members.message, TITLE);
        let title = title.unwrap_or_else(|| "Action required".to_owned());
        Fact::DialogShown { actor, prompt: asks::prompt(kind, reason, title) }
    }

    fn resolved(&self, actor: Actor) -> Fact {
        let resolution = Resolution {
            value: self.words(&self.map.members.message, NAME),
            via: Some(Via::Terminal),
            // No clock here: the gate knows when it was received.
            ..Resolution::of(ResolvedBy::Human, UnixMs::default())
        };
        let key = self.id(&self.map.members.key);
        Fact::PromptResolved { actor, reason: BlockedReason::Permission, key, resolution }
    }

    fn helper(&self, word: Word) -> Fact {
        let told = self.words(&self.map.members.helper, NAME);
        let starts = word == Word::HelperStarted;
        // Those that have lost their names are counted, as others of one name are.
        let is_counted = self.map.helpers_are_nameless || told.is_none();
        let id = told.unwrap_or_else(|| payload::UNNAMED.to_owned());
        match (starts, is_counted) {
            (true, false) => {
                let run = self.turn().filter(|_| self.map.helpers_run_once);
                payload::in_run(Fact::SubagentStarted { id }, run)
            }
            (false, false) => Fact::SubagentEnded { id },
            (true, true) => Fact::NamesakeStarted { name: id },
            (false, true) => Fact::NamesakeEnded { name: id },
        }
    }

    /// The timeline's line for what an event means.
    pub(super) fn activity(&self, fact: &Fact) -> Option<Activity> {
        let action = match fact {
            Fact::ToolStarted { .. } => return Some(calls::activity(self.tool(), self.input())),
            Fact::PromptSubmitted { .. } | Fact::PromptTold => {
                format!("prompt: {}", self.raw(&self.map.members.prompt).text()?)
            }
            Fact::TurnEnded { .. } => "turn ended".to_owned(),
            Fact::TurnFailed { code, .. } | Fact::SomeoneStopped { failed: Some((code, _)) } => {
                format!("failed: {code}")
            }
            _ => return None,
        };
        Some(Activity { tool: None, action: Some(text::line(&action, ACTION)) })
    }
}
