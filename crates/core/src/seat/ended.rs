//! What has ended: turns, by the names that their programs gave them, calls and helpers; and processes, by
//! their word alone.

use super::{OpenTool, ProcessFacts, Repeats, Seat};
use crate::source::Source;
use crate::status::{ExitKind, Process};
use crate::time::{UnixMs, stored};
use serde::{Deserialize, Serialize};
use thin_vec::ThinVec;

/// So many turns before the last one are known again.
const BEFORE: usize = 32;
/// More than an agent runs side by side.
const ENDED_CALLS: usize = 16;
const ENDED_HELPERS: usize = 16;

/// The last turn that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedTurn {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Digests of the names before it, the latest at the end: none of these turns is taken up again.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub before: ThinVec<u32>,
    #[serde(with = "stored")]
    pub at: UnixMs,
    /// Nothing has told which helpers its main agent left behind: one that is heard of goes on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
    /// The log has told its end by its name, once no hook could undo that: nothing bears this name again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub logged: bool,
    /// Its program has begun it, or gone on in it, by itself and by this name: the next prompt may bear it, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub woken: bool,
    /// It failed or was interrupted, and nothing has told which.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untold: bool,
    /// It seemed interrupted, as its agent rests, and nothing has told so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assumed: bool,
    /// The name with which it began, where nothing has told its end: something was told of a turn that nobody has asked
    /// for. That may be the same one, by another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presumed: Option<String>,
    /// Digests of the ids of the last calls that began and ended in it: none of them begins again.
    #[serde(default, skip_serializing_if = "ThinVec::is_empty")]
    pub calls: ThinVec<u32>,
}

/// A call that has ended, so that a start that is told late does not open it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedCall {
    pub id: String,
    /// Its start has been told.
    pub started: bool,
}

/// A helper that has ended, so that what is told late of it does not show it at work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedHelper {
    pub id: String,
    #[serde(with = "stored")]
    pub at: UnixMs,
    /// It was known to run.
    pub started: bool,
}

/// The last prompt and the last ends of the main agent's turns and calls, and of helpers, of which their program says
/// when it made them; and what may be told once more, where it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Made {
    pub prompt: Option<MadeEnd>,
    pub turn: Option<MadeEnd>,
    pub call: Option<MadeEnd>,
    /// The last end of a helper, and its id.
    pub helper: Option<(String, MadeEnd)>,
    /// When its own status has begun to show the work that it shows, by the program's clock.
    pub works: Option<UnixMs>,
    /// The name of the last prompt that its log has told of before any hook, and when that was heard.
    pub logged: Option<(Box<str>, UnixMs)>,
    pub repeats: Repeats,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeEnd {
    pub session: Option<String>,
    /// By the program's clock.
    pub made_at: UnixMs,
    /// When it was received.
    pub at: UnixMs,
}

impl EndedTurn {
    /// A turn ends `at` a time, after the one that ended last.
    pub(crate) fn after(last: Option<Self>, reference: Option<String>, at: UnixMs) -> Self {
        let (mut before, last) = last.map_or_else(Default::default, |last| {
            let Self { reference, before, .. } = last;
            (before, reference)
        });
        before.extend(last.as_deref().map(digest));
        let own = reference.as_deref().map(digest);
        before.retain(|name| own != Some(*name));
        let (unlisted, logged, woken, untold, assumed) = (false, false, false, false, false);
        let (presumed, calls) = (None, ThinVec::new());
        let mut ended = Self {
            reference,
            before,
            at,
            unlisted,
            logged,
            woken,
            untold,
            assumed,
            presumed,
            calls,
        };
        ended.forget_the_oldest();
        ended
    }

    /// Turns of these names are over as well: they were to run behind it, and a later one does.
    pub(crate) fn pass_over(&mut self, names: impl Iterator<Item = String>) {
        self.before.extend(names.map(|name| digest(&name)));
        self.forget_the_oldest();
    }

    /// It has had these names.
    pub(crate) fn with_names(mut self, names: Vec<String>) -> Self {
        let own = self.reference.take();
        self.pass_over(names.into_iter().filter(|name| own.as_ref() != Some(name)));
        self.reference = own;
        self
    }

    fn forget_the_oldest(&mut self) {
        let surplus = self.before.len().saturating_sub(BEFORE);
        self.before.drain(..surplus);
    }

    /// Has the log told for good that the turn of this name is over?
    pub(crate) fn is_logged_as(&self, reference: &str) -> bool {
        self.logged && self.reference.as_deref() == Some(reference)
    }

    /// Has a call of this id begun and ended in it?
    pub(crate) fn has_called(&self, id: &str) -> bool {
        self.calls.contains(&digest(id))
    }

    /// Did the turn of this name end before it?
    pub(crate) fn follows(&self, reference: &str) -> bool {
        self.before.contains(&digest(reference))
    }
}

impl Seat {
    /// Since when, and until when, the last turn went on while no hub was here, if it ended meanwhile and its program says
    /// when that was. Since anything was heard of it live, or since its prompt, where that had to wait, too.
    pub fn ended_unheard(&self) -> Option<(UnixMs, UnixMs)> {
        let made = self.made.as_deref()?;
        let ended = made.turn.as_ref()?.made_at;
        let begun = self.last_live_at.max(made.prompt.as_ref().map(|prompt| prompt.made_at))?;
        (begun < ended).then_some((begun, ended))
    }

    /// Has nothing but a goodbye said that its process is over?
    pub fn is_over_by_word(&self) -> bool {
        let ProcessFacts { state, evidence, id, .. } = &self.process;
        let is_clean = matches!(state, Process::Exited(exit) if exit.kind == ExitKind::Clean);
        let is_told = matches!(evidence.source, Source::Hook | Source::Plugin);
        is_clean && is_told && id.is_some()
    }

    /// Notes the end of a call. True if that was not known.
    pub(crate) fn end_call(&mut self, id: &str, started: bool) -> bool {
        if self.ended_calls.iter().any(|known| known.id == id) {
            return false;
        }
        if self.ended_calls.len() == ENDED_CALLS {
            self.ended_calls.remove(0);
        }
        self.ended_calls.push(EndedCall { id: id.to_owned(), started });
        true
    }

    /// Nobody waits any more for the ends of these calls, which go on: those that are told still are no news.
    pub(crate) fn drop_calls(&mut self, which: impl Fn(&OpenTool) -> bool) {
        let (dropped, kept): (ThinVec<_>, ThinVec<_>) =
            std::mem::take(&mut self.open_tools).into_iter().partition(which);
        self.open_tools = kept;
        for id in dropped.into_iter().filter_map(|open| open.tool.id) {
            self.end_call(&id, true);
        }
    }

    /// Whether this is the start of a call whose end came first. The next one of this id is
    /// another call's: programs may count anew.
    pub(crate) fn has_ended(&mut self, id: &str) -> bool {
        let Some(index) = self.ended_calls.iter().position(|known| known.id == id) else {
            return false;
        };
        match self.ended_calls.get_mut(index) {
            Some(ended) if !ended.started => {
                ended.started = true;
                true
            }
            _ => {
                self.ended_calls.remove(index);
                false
            }
        }
    }

    /// Has a call of this id ended whose start nobody has told?
    pub(crate) fn has_ended_unheard(&self, id: &str) -> bool {
        self.ended_calls.iter().any(|known| known.id == id && !known.started)
    }

    /// Digests of the ids of the calls that have begun and ended lately.
    pub(crate) fn calls_that_ended(&self) -> ThinVec<u32> {
        self.ended_calls.iter().filter(|call| call.started).map(|call| digest(&call.id)).collect()
    }

    /// Was a call of this id, whose start was told, open as its turn ended, or has it ended since?
    pub(crate) fn has_ended_heard(&self, id: &str) -> bool {
        self.ended_calls.iter().any(|known| known.id == id && known.started)
    }

    /// Notes the end of a helper.
    pub(crate) fn end_helper(&mut self, id: &str, at: UnixMs) {
        let before = self.subagents.len();
        self.subagents.retain(|known| known != id);
        if let Some(behind) = &mut self.turn.behind {
            behind.helpers.retain(|known| known != id);
        }
        let ran = self.subagents.len() != before;
        let last = self.forget_ended_helper(id);
        if self.ended_helpers.len() == ENDED_HELPERS {
            self.ended_helpers.remove(0);
        }
        let started = ran || last.is_some_and(|last| last.started);
        self.ended_helpers.push(EndedHelper { id: id.to_owned(), at, started });
    }

    /// The end of a helper that is not known to run again.
    pub(crate) fn ended_helper(&self, id: &str) -> Option<&EndedHelper> {
        let runs = self.subagents.iter().any(|known| known == id);
        self.ended_helpers.iter().find(|ended| !runs && ended.id == id)
    }

    pub(crate) fn forget_ended_helper(&mut self, id: &str) -> Option<EndedHelper> {
        let index = self.ended_helpers.iter().position(|ended| ended.id == id)?;
        Some(self.ended_helpers.remove(index))
    }
}

/// FNV-1a.
fn digest(name: &str) -> u32 {
    let step = |digest: u32, byte: u8| (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, step)
}
