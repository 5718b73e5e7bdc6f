//! The words of other systems for what we know.
//!
//! Each such system says with one word what we keep apart in dimensions, or with several words
//! that each answer a question of its own. A [`Scale`] is the set of words for one question: every
//! word reads as a [`State`] of ours and comes back from it as the same word, and every state has
//! its word. What a scale cannot tell apart is listed in `docs/compatibility.md`, which the tests
//! write from these tables.
//!
//! Where a system has no word for what is not known, it gets its word for an agent that is busy:
//! idle is what others act upon, and it is never said by guess.

pub mod bob;
pub mod boocode;
pub mod jackin;
pub mod multicode;
pub mod overdeck;
pub mod panopticon;
pub mod scale;
pub mod state;
pub mod superset;
pub mod vocabulary;
pub mod wardian;

pub use scale::Scale;
pub use state::State;
pub use vocabulary::{UnknownVocabulary, Vocabulary, VocabularyDoc};

#[cfg(test)]
mod tests;
