//! A set of words that answers one question about an agent.

use super::State;
use std::fmt::Debug;

/// The words of one system for one question.
pub trait Scale: Copy + Debug + PartialEq + 'static {
    /// Whose words for what they are: `wardian.input`.
    const NAME: &'static str;
    /// Every word there is.
    const ALL: &'static [Self];

    /// The word as its own system writes it.
    fn word(self) -> &'static str;

    /// What the word says, in our dimensions: the least that it means.
    fn read(self) -> State;

    /// The word for a state. `None` where the question does not arise, as that for a stage where
    /// there is no workflow.
    fn of(state: &State) -> Option<Self>;

    /// The word that is written like this.
    fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|of| of.word() == word)
    }
}

/// A scale's words. How they are read and found is written out for each.
macro_rules! scale {
    (
        $(#[$about:meta])*
        $name:ident = $label:literal {
            $($(#[$of:meta])* $variant:ident = $word:literal),+ $(,)?
        }
        read($said:ident) $read:block
        of($state:ident) $find:block
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$of])* $variant),+ }

        impl $crate::compat::Scale for $name {
            const NAME: &'static str = $label;
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            fn read(self) -> $crate::compat::State {
                let $said = self;
                $read
            }

            fn of($state: &$crate::compat::State) -> Option<Self> $find
        }
    };
}
pub(crate) use scale;
