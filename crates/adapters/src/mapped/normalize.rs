//! From an event to a fact, by a map.

use super::map::{Event, Map, When, Word};
use super::members::Members;
use crate::json::Raw;
use crate::text::{self, ACTION, DETAIL, NAME, TITLE};
use crate::{Activity, FactExt, asks, calls, payload, terminal};
use headsup_core::observation::{Background, Fact, Level, SessionEnd, Submitter};
use headsup_core::prompt::{Actor, NewPrompt, PromptKind, Resolution, ResolvedBy, ToolRef, Via};
use headsup_core::status::BlockedReason;
use headsup_core::time::UnixMs;

/// A payload, and the map it is read by.
pub(super) struct Reading<'a> {
    pub(super) map: &'a Map,
    pub(super) members: Members<'a>,
}

impl<'a> Reading<'a> {
    pub(super) fn raw(&self, paths: &[String]) -> Raw<'a> {
        self.members.first(paths)
    }

    fn id(&self, paths: &[String]) -> Option<String> {
        self.raw(paths).text().and_then(|id| text::id(&id))
    }

    pub(super) fn session(&self) -> Option<String> {
        self.raw(&self.map.members.session).text().and_then(|id| text::session(&id))
    }

    fn turn(&self) -> Option<String> {
        let raw = self.raw(&self.map.members.turn);
        // A number in some programs.
        let told = raw.text().map_or_else(|| raw.json().map(str::to_owned), |t| Some(t.into()));
        told.and_then(|id| text::id(&id))
    }

    fn actor(&self) -> Actor {
        let members = &self.map.members;
        let is_helpers =
            members.helper_if.is_empty() || self.raw(&members.helper_if).json().is_some();
        if is_helpers { payload::actor(self.raw(&members.helper)) } else { Actor::Main }
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

    /// The row that an event is to be read by, or why there is none.
    fn row(&self, event: &str) -> Result<&'a Event, String> {
        let mut rows = self.map.events.iter().filter(|row| row.name == event).peekable();
        let Some(first) = rows.peek().copied() else {
            return Err(format!("unknown event {event}"));
        };
        let fits = |when: &When| {
            let raw = self.members.at(&when.member);
            let word = raw.text().or_else(|| raw.json().map(Into::into));
            word.is_some_and(|word| when.is.is_empty() || when.is.iter().any(|one| *one == word))
        };
        rows.find(|row| row.when.as_ref().is_none_or(fits)).ok_or_else(|| {
            let member = first.when.as_ref().map_or("", |when| &when.member);
            format!("{event} with another {member} than is known")
        })
    }

    pub(super) fn fact(&self, event: &str) -> Fact {
        let row = match self.row(event) {
            Ok(row) => row,
            Err(why) => return Fact::NotUnderstood { why },
        };
        // A member that has another name than yesterday is missing: then nothing is taken for granted.
        let needs_session = row.fact != Word::Nothing && !self.map.members.session.is_empty();
        if needs_session && self.session().is_none() {
            return Fact::not_understood("it does not say of which session it is");
        }
        self.meaning(row.fact)
    }

    fn meaning(&self, word: Word) -> Fact {
        let actor = self.actor();
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
            Word::HelperStarted | Word::HelperEnded => self.helper(word),
            Word::Nothing => Fact::Nothing,
            // What would speak of a helper alone, if it were a helper's.
            _ if !actor.is_main() => Fact::Nothing,
            _ => self.of_main(word),
        }
    }

    fn of_main(&self, word: Word) -> Fact {
        let turn_ref = self.turn();
        let members = &self.map.members;
        let manual = || self.raw(&members.trigger).text().as_deref() == Some("manual");
        match word {
            Word::SessionStarted => Fact::SessionStarted {
                how: payload::session_start(self.raw(&members.start)),
                attach: None,
            },
            Word::SessionEnded => Fact::SessionEnded { how: SessionEnd::Exit },
            Word::SessionCleared => Fact::SessionEnded { how: SessionEnd::Clear },
            Word::SessionLeft => Fact::SessionEnded { how: SessionEnd::Either },
            Word::PromptSubmitted => Fact::PromptSubmitted { by: Submitter::Person, turn_ref },
            Word::PromptTold => Fact::PromptTold,
            // No stop lists the helpers that it leaves behind: they end by their own ends.
            Word::TurnEnded if self.map.tells_of_helpers() => {
                Fact::TurnEnded { background: Background::unlisted(), turn_ref }
            }
            Word::TurnEnded => Fact::TurnEnded { background: Background::default(), turn_ref },
            Word::TurnOrHelperEnded => {
                Fact::TurnEnded { background: Background::anyones(), turn_ref }
            }
            Word::TurnFailed => Fact::TurnFailed {
                code: self.code(),
                detail: self.words(&members.detail, DETAIL),
                turn_ref,
            },
            Word::TurnInterrupted => Fact::TurnInterrupted { turn_ref },
            Word::IdleNotice => Fact::IdleNotice { turn_ref: None },
            // Another compaction is a part of its turn, and one that fails may have no end.
            Word::CompactionStarted if manual() => Fact::CompactionStarted,
            Word::CompactionEnded if manual() => Fact::CompactionEnded { manual: true },
            Word::ShowsIdle => Fact::Level(Level::Idle { shells: 0 }),
            Word::ShowsWorking => Fact::Level(Level::Working { reason: None }),
            Word::ShowsBlocked => Fact::Level(terminal::blocked(BlockedReason::Permission, "")),
            Word::ShowsFailed => Fact::Level(Level::Failed { code: self.code() }),
            _ => Fact::Nothing,
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
        let Some(id) = self.words(&self.map.members.helper, NAME) else {
            return Fact::not_understood("it does not say which helper it is");
        };
        match word {
            Word::HelperStarted => Fact::SubagentStarted { id },
            _ => Fact::SubagentEnded { id },
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
            Fact::TurnFailed { code, .. } => format!("failed: {code}"),
            _ => return None,
        };
        Some(Activity { tool: None, action: Some(text::line(&action, ACTION)) })
    }
}
