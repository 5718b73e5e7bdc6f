//! The words of one system, all of its scales together.

use super::{
    Scale, State, bob, boocode, jackin, multicode, overdeck, panopticon, superset, wardian,
};
use crate::time::UnixMs;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A system whose words can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vocabulary {
    Boocode,
    Wardian,
    Bob,
    Panopticon,
    Jackin,
    Multicode,
    Overdeck,
    Superset,
}

crate::status::turn::words!(Vocabulary {
    Boocode = "boocode", Wardian = "wardian", Bob = "bob", Panopticon = "panopticon",
    Jackin = "jackin", Multicode = "multicode", Overdeck = "overdeck", Superset = "superset",
});

/// A word that names no vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no vocabulary; there are {all}", all = all())]
pub struct UnknownVocabulary(pub String);

fn all() -> String {
    Vocabulary::ALL.iter().map(|vocabulary| vocabulary.word()).collect::<Vec<_>>().join(", ")
}

/// An agent's status in the words of another system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct VocabularyDoc {
    /// Whose words.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub name: Cow<'static, str>,
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub word: Cow<'static, str>,
    /// jackin's `Busy` and `Question`: since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub since: Option<UnixMs>,
    /// jackin's `Question`: what is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub prompt: Option<String>,
    /// jackin's `Crashed`, where it is known: the code it returned, or 128 and the signal's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub exit_code: Option<i32>,
    /// Its words for other questions, by question.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub beside: BTreeMap<Cow<'static, str>, Cow<'static, str>>,
}

impl Vocabulary {
    /// The vocabulary of this name.
    pub fn named(word: &str) -> Result<Self, UnknownVocabulary> {
        Self::parse(word).ok_or_else(|| UnknownVocabulary(word.to_owned()))
    }

    /// What this system would call it.
    pub fn say(self, state: &State) -> VocabularyDoc {
        let mut doc = self.plain(match self {
            Self::Boocode => word::<boocode::Status>(state),
            Self::Wardian => word::<wardian::Status>(state),
            Self::Bob => word::<bob::Session>(state),
            Self::Panopticon => word::<panopticon::Activity>(state),
            Self::Jackin => word::<jackin::Status>(state),
            Self::Multicode => word::<multicode::Session>(state),
            Self::Overdeck => word::<overdeck::Activity>(state),
            Self::Superset => word::<superset::Status>(state),
        });
        let mut beside = |question: &'static str, word: Option<Cow<'static, str>>| {
            doc.beside.extend(word.map(|word| (question.into(), word)));
        };
        match self {
            Self::Boocode => {
                beside("reason", boocode::Status::with_reason(state).1.map(Cow::from));
            }
            Self::Wardian => {
                beside("input", word::<wardian::Input>(state));
                beside("reply", word::<wardian::Reply>(state));
            }
            Self::Bob => beside("stage", word::<bob::Stage>(state)),
            Self::Panopticon => {
                beside("health", word::<panopticon::Health>(state));
                beside("report", word::<panopticon::Report>(state));
            }
            Self::Jackin => {
                beside("public", word::<jackin::Public>(state));
                beside("overlay", word::<jackin::Overlay>(state));
                let fields = jackin::Fields::of(state);
                (doc.since, doc.prompt) = (fields.since, fields.prompt);
                doc.exit_code = fields.exit_code;
            }
            Self::Multicode => beside("automation", word::<multicode::Automation>(state)),
            Self::Overdeck => beside("resolution", word::<overdeck::Resolution>(state)),
            Self::Superset => beside("end", word::<superset::End>(state)),
        }
        doc
    }

    fn plain(self, word: Option<Cow<'static, str>>) -> VocabularyDoc {
        VocabularyDoc {
            name: self.word().into(),
            // The tests hold that every state has one.
            word: word.unwrap_or_default(),
            since: None,
            prompt: None,
            exit_code: None,
            beside: BTreeMap::new(),
        }
    }
}

fn word<S: Scale>(state: &State) -> Option<Cow<'static, str>> {
    S::of(state).map(|found| found.word().into())
}

impl VocabularyDoc {
    /// As a list shows it: `Crashed(137)`, `running · awaiting_input`. Where a system keeps two
    /// facts apart that people look for, both are there.
    pub fn phrase(&self) -> String {
        let beside = |question: &str| self.beside.get(question);
        match (Vocabulary::parse(&self.name), self.exit_code) {
            (Some(Vocabulary::Jackin), Some(code)) => format!("{}({code})", self.word),
            (Some(Vocabulary::Bob), _) => self.both(beside("stage")),
            (Some(Vocabulary::Multicode), _) => self.both(beside("automation")),
            _ => self.word.clone().into_owned(),
        }
    }

    fn both(&self, other: Option<&Cow<'static, str>>) -> String {
        match other {
            Some(other) if *other != self.word => format!("{} · {other}", self.word),
            _ => self.word.clone().into_owned(),
        }
    }
}
