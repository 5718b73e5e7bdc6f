//! What was wrong with what was taken all the same: counted, and told of each agent in `explain`.

use crate::body::behind_string;
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A clock may be wrong by so much. Milliseconds.
const SKEW_MS: i64 = 5_000;
/// No report waits longer than this in a spool. Milliseconds.
const LONGEST_WAIT_MS: i64 = 30 * 24 * 3_600_000;
/// So many members of an object are compared.
const MEMBERS: usize = 64;
/// Of so many agents it is known what was wrong.
const AGENTS: usize = 1_000;

/// Something that was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Flaw {
    Lossy,
    DuplicateMember,
    Skew,
    /// Of a log that was followed: it holds until the log is back.
    SourceLost,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByFlaw {
    flaw: &'static str,
}

/// All flaws since the hub's start.
#[derive(Debug, Default)]
pub(crate) struct Flaws {
    counted: Family<ByFlaw, Counter>,
    of: Mutex<HashMap<AgentId, BTreeSet<Flaw>>>,
}

impl Flaw {
    fn word(self) -> &'static str {
        match self {
            Self::Lossy => "lossy",
            Self::DuplicateMember => "duplicate_member",
            Self::Skew => "skew",
            Self::SourceLost => "source_lost",
        }
    }

    fn note(self) -> &'static str {
        match self {
            Self::Lossy => "lossy: not all of what it said was UTF-8, and that was replaced",
            Self::DuplicateMember => {
                "duplicate_member: a report had a member twice; the last one counts"
            }
            Self::Skew => {
                "skew: a report says that it is of another time, by more than 5 s; the hub's counts"
            }
            Self::SourceLost => {
                "source_lost: its log was followed, and is not there or cannot be read; when it is back \
                 it is taken up at its end"
            }
        }
    }
}

impl Flaws {
    /// The count of each is shown with what else the hub counts.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let help = "What was wrong with what was taken all the same, and logs that were lost";
        registry.register("flaws", help, self.counted.clone());
    }

    /// Something was taken although it had these; `None`: of nobody who can be named.
    pub(crate) fn note(&self, agent: Option<&AgentId>, flaws: &[Flaw]) {
        for flaw in flaws {
            self.counted.get_or_create(&ByFlaw { flaw: flaw.word() }).inc();
        }
        let Some(agent) = agent.filter(|_| !flaws.is_empty()) else { return };
        let mut of = self.lock();
        if of.len() >= AGENTS && !of.contains_key(agent) {
            // Some other one's, whoever it was.
            let gone = of.keys().next().cloned();
            gone.and_then(|gone| of.remove(&gone));
        }
        of.entry(agent.clone()).or_default().extend(flaws);
    }

    /// It is so no more.
    pub(crate) fn mend(&self, agent: &AgentId, flaw: Flaw) {
        let mut of = self.lock();
        let is_last = |flaws: &mut BTreeSet<Flaw>| flaws.remove(&flaw) && flaws.is_empty();
        if of.get_mut(agent).is_some_and(is_last) {
            of.remove(agent);
        }
    }

    pub(crate) fn forget(&self, agent: &AgentId) {
        self.lock().remove(agent);
    }

    /// In words, for `explain`.
    pub(crate) fn notes(&self, agent: &AgentId) -> Vec<String> {
        let of = self.lock();
        of.get(agent).into_iter().flatten().map(|flaw| flaw.note().to_owned()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AgentId, BTreeSet<Flaw>>> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is wrong with the text of a hook's report.
pub(crate) fn of_text(text: &[u8]) -> Vec<Flaw> {
    let lossy = is_lossy(text).then_some(Flaw::Lossy);
    let twice = has_member_twice(text).then_some(Flaw::DuplicateMember);
    lossy.into_iter().chain(twice).collect()
}

/// Whether not all of it can be read as text.
pub(crate) fn is_lossy(text: &[u8]) -> bool {
    str::from_utf8(text).is_err()
}

/// Whether a report that has just come (`waited`: that lay in a spool) is of another time by its own word.
pub(crate) fn of_time(said: Option<UnixMs>, now: UnixMs, waited: bool) -> Option<Flaw> {
    let behind = if waited { LONGEST_WAIT_MS } else { SKEW_MS };
    let age = now.since(said?);
    (age < -SKEW_MS || age > behind).then_some(Flaw::Skew)
}

/// Whether this object has one of its first members twice, spelled alike.
fn has_member_twice(text: &[u8]) -> bool {
    let (mut names, mut depth): (Vec<&[u8]>, _) = (Vec::new(), 0_usize);
    let (mut rest, mut name_comes) = (text, false);
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match byte {
            b'"' => {
                rest = behind_string(tail);
                let name = &tail[..tail.len() - rest.len()];
                if std::mem::take(&mut name_comes) {
                    if names.contains(&name) {
                        return true;
                    }
                    if names.len() == MEMBERS {
                        return false;
                    }
                    names.push(name);
                }
            }
            b'[' if depth == 0 => return false,
            b'[' | b'{' => {
                depth += 1;
                name_comes = depth == 1;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => name_comes = depth == 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_there_twice_where_its_own_object_has_it_twice() {
        for (text, twice) in [
            (r#"{"a":1,"b":2}"#, false),
            (r#"{"a":1,"b":{"a":2,"a":3}}"#, false),
            (r#" {"a":1,"b":[{"x":"}"},"a"],"a":2}"#, true),
            (r#"{"a":"\",\"a\":","b":"a"}"#, false),
            (r#"["a","a"]"#, false),
            (r#"{"a":"a","a""#, true),
            (r#""a","a""#, false),
            ("", false),
        ] {
            assert_eq!(has_member_twice(text.as_bytes()), twice, "{text}");
        }
        let many: Vec<String> = (0..MEMBERS * 2).map(|n| format!("\"m{n}\":0")).collect();
        let text = format!("{{{},\"m0\":1}}", many.join(","));
        assert!(!has_member_twice(text.as_bytes()), "so many at most");
    }

    #[test]
    fn what_waited_is_old_and_nothing_is_of_tomorrow() {
        let now = UnixMs(1_795_296_597_200);
        for (ms, waited, skew) in [
            (0, false, false),
            (5_000, false, false),
            (5_001, false, true),
            (-5_001, false, true),
            (-5_001, true, false),
            (5_001, true, true),
            (-LONGEST_WAIT_MS - 1, true, true),
        ] {
            let found = of_time(Some(now.plus(ms)), now, waited);
            assert_eq!(found.is_some(), skew, "{ms} {waited}");
        }
        assert_eq!(of_time(None, now, false), None);
    }

    #[test]
    fn what_was_wrong_is_told_of_its_agent_until_it_is_so_no_more() {
        let (flaws, agent) = (Flaws::default(), AgentId::new("a").unwrap());
        flaws.note(Some(&agent), &of_text(b"{\"a\":\"\xff\"}"));
        flaws.note(Some(&agent), &[Flaw::SourceLost]);
        flaws.note(None, &[Flaw::Skew]);
        let words = || -> Vec<String> {
            let notes = flaws.notes(&agent).into_iter();
            notes.map(|note| note.split(':').next().unwrap().to_owned()).collect()
        };
        assert_eq!(words(), ["lossy", "source_lost"]);
        flaws.mend(&agent, Flaw::SourceLost);
        assert_eq!(words(), ["lossy"]);
        flaws.forget(&agent);
        assert!(words().is_empty());
    }
}
