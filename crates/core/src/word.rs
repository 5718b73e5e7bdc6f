//! Short texts that thousands of seats say alike: their copies share one text.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A longer text is hardly said twice.
const LONGEST: usize = 64;
/// So many texts are known to each thread; beyond them nothing is shared.
const MOST: usize = 1_024;

thread_local! {
    static KNOWN: RefCell<HashSet<Word>> = RefCell::default();
}

/// A text that is cheap to keep often: the name of an event, a state, a rule, a reason. It is one
/// pointer: a seat holds dozens of them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(Arc<Box<str>>);

impl Word {
    fn new(text: &str) -> Self {
        Self(Arc::new(text.into()))
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        if text.len() > LONGEST {
            return Self::new(text);
        }
        KNOWN.with_borrow_mut(|known| {
            if let Some(same) = known.get(text) {
                return same.clone();
            }
            let new = Self::new(text);
            if known.len() < MOST {
                known.insert(new.clone());
            }
            new
        })
    }
}

impl From<String> for Word {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl Deref for Word {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Word {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq<str> for Word {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Word {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl de::Visitor<'_> for Read {
            type Value = Word;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Word, E> {
                Ok(text.into())
            }
        }
        deserializer.deserialize_str(Read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_kept_once_and_a_long_one_as_it_comes() {
        let (one, two) = (Word::from("PreToolUse"), Word::from("PreToolUse".to_owned()));
        assert!(Arc::ptr_eq(&one.0, &two.0));
        let long = "x".repeat(LONGEST + 1);
        let (one, two) = (Word::from(long.as_str()), Word::from(long));
        assert_eq!(one, two);
        assert!(!Arc::ptr_eq(&one.0, &two.0));
    }

    #[test]
    fn there_is_an_end_to_what_is_known() {
        for n in 0..=MOST {
            assert_eq!(&*Word::from(n.to_string()), n.to_string());
        }
        KNOWN.with_borrow(|known| assert!(known.len() <= MOST));
    }

    #[test]
    fn it_is_written_and_read_as_text() {
        let word: Word = serde_json::from_str("\"a\\\"b\"").unwrap();
        assert_eq!(
            (&*word, serde_json::to_string(&word).unwrap().as_str()),
            ("a\"b", "\"a\\\"b\"")
        );
    }
}
