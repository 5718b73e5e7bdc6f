//! What was told lately, so that it is known when it is told once more.

use crate::prompt::{Actor, NewPrompt, PromptKind, ToolRef};
use crate::time::UnixMs;
use std::collections::VecDeque;

/// More than an agent asks, or runs, side by side.
const MOST: usize = 16;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// It asks before a call begins: that none is open says nothing of a request.
    pub asks_first: bool,
    /// Requests whose calls were known to have begun, the latest last.
    pub asked: VecDeque<AskedOnce>,
    /// Requests that were taken for such ones told once more, the latest last: a call may begin behind its request.
    pub doubted: VecDeque<Doubted>,
    /// Requests that have names of their own, the latest last.
    pub named: VecDeque<Named>,
    /// The turn that nothing but the notice of a dialog has begun, and when.
    pub shown: Option<(u64, UnixMs)>,
    /// The last run of each helper whose runs have names, the latest last.
    pub runs: VecDeque<HelperRun>,
    /// The last compaction that has a name.
    pub compaction: Option<Compaction>,
}

/// A request, and the call that it was about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedOnce {
    pub actor: Actor,
    pub kind: PromptKind,
    pub key: Option<String>,
    pub tool: ToolRef,
    pub title: String,
    /// When it was told.
    pub at: UnixMs,
}

/// A request that may be another one than the one that it repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubted {
    pub actor: Actor,
    pub prompt: NewPrompt,
    pub settle_ms: u32,
    /// What its source called it.
    pub name: String,
    /// When it was told.
    pub at: UnixMs,
}

/// A request that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub actor: Actor,
    pub key: String,
    /// When its answer was told, where that came before it. `None`: it was told itself.
    pub answered: Option<UnixMs>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelperRun {
    pub id: String,
    pub run: String,
    pub is_over: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compaction {
    pub name: String,
    /// When its end was told.
    pub ended: Option<UnixMs>,
}

impl Repeats {
    /// One that is told again is kept once.
    pub(crate) fn ask(&mut self, asked: AskedOnce) {
        let is_it = |one: &AskedOnce| {
            let is_its = one.actor == asked.actor && one.kind == asked.kind;
            is_its && one.key == asked.key && one.tool == asked.tool && one.title == asked.title
        };
        self.asked.retain(|one| !is_it(one));
        push(&mut self.asked, asked);
    }

    pub(crate) fn doubt(&mut self, doubted: Doubted) {
        push(&mut self.doubted, doubted);
    }

    /// What is told last of a name counts.
    pub(crate) fn name(&mut self, named: Named) {
        self.named.retain(|one| one.actor != named.actor || one.key != named.key);
        push(&mut self.named, named);
    }

    pub(crate) fn run(&mut self, run: HelperRun) {
        self.runs.retain(|one| one.id != run.id);
        push(&mut self.runs, run);
    }
}

fn push<T>(all: &mut VecDeque<T>, one: T) {
    if all.len() == MOST {
        all.pop_front();
    }
    all.push_back(one);
}
