//! How a program takes a conversation up again: its command line then.
//!
//! It is that of the first launch, with its own options, but without what chose a conversation and
//! without the words that were handed over. Nothing is added but the conversation, and what is said
//! now. Where it is not sure which word is an option's value and which was said, nothing is guessed.

mod programs;
#[cfg(test)]
mod tests;

use crate::inject::recipes;
use programs::{PROGRAMS, Program, Words};

/// Why nothing says how to take it up again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoWayBack {
    #[error("nobody knows how its program takes a conversation up again")]
    Program,
    #[error("it was started with {0:?}, which is not done again")]
    Once(String),
    #[error(
        "it was started with {option:?} and {word:?}, and nobody knows whether one belongs to the other"
    )]
    Unclear { option: String, word: String },
    #[error(
        "its program takes no first prompt with a conversation that goes on: resume it without one"
    )]
    Words,
    #[error("its session's id {0:?} cannot stand on a command line")]
    Session(String),
}

/// The arguments with which the program of this kind goes on with `session`. `first` are those of
/// its first launch, without what headsup itself has added; `said` is its first prompt, where there
/// is one.
///
/// # Errors
/// In words for people: why it cannot be told.
pub fn arguments(
    kind: &str,
    first: &[String],
    session: &str,
    said: Option<&str>,
) -> Result<Vec<String>, NoWayBack> {
    let program = PROGRAMS.iter().find(|program| program.kinds.contains(&kind));
    let program = program.ok_or(NoWayBack::Program)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if session.is_empty() || session.starts_with('-') || !session.bytes().all(is_plain) {
        return Err(NoWayBack::Session(session.to_owned()));
    }
    let mut arguments = options(program, first)?;
    arguments.extend([program.with.to_owned(), session.to_owned()]);
    match (said, program.words) {
        (None, _) => {}
        (Some(_), Words::Nowhere) => return Err(NoWayBack::Words),
        (Some(said), Words::Last) => arguments.extend(["--".to_owned(), said.to_owned()]),
        (Some(said), Words::Of(option)) => arguments.push(format!("{option}={said}")),
    }
    Ok(arguments)
}

/// Words of a runtime and its options before the program's own path, at most.
const MOST_BEFORE: usize = 4;

/// Where the program of this kind stands in the command line of its process: behind it come its own
/// arguments, before it a runtime. `None`: it does not.
pub fn place_of(kind: &str, words: &[String]) -> Option<usize> {
    let recipe = recipes().iter().find(|recipe| recipe.kind == kind)?;
    let name = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    words.iter().take(MOST_BEFORE).position(|word| recipe.runs(&name(word)))
}

/// How many words behind an option are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    None,
    One,
    /// One, if the next word is no option.
    Perhaps,
    /// All up to the next option.
    Many,
    /// One, and nobody knows whether a second one.
    Some,
    Unknown,
}

/// The options of the first launch that hold for any.
fn options(program: &Program, first: &[String]) -> Result<Vec<String>, NoWayBack> {
    let mut kept = Vec::new();
    let mut rest = first.iter().peekable();
    let mut is_first = true;
    while let Some(word) = rest.next() {
        if word == "--" {
            // Whatever follows was said.
            break;
        }
        if !word.starts_with('-') || word == "-" {
            if is_first && program.once.contains(&word.as_str()) {
                return Err(NoWayBack::Once(word.clone()));
            }
            if program.keeps_words {
                kept.push(word.clone());
            }
            is_first = false;
            continue;
        }
        let (name, has_value) = match word.split_once('=') {
            Some((name, _)) => (name, true),
            None => (word.as_str(), false),
        };
        if program.once.contains(&name) {
            return Err(NoWayBack::Once(name.to_owned()));
        }
        let (takes, is_kept) = program.option(name);
        let mut words = vec![word.clone()];
        let is_value = |word: &&String| !word.starts_with('-');
        match takes {
            _ if has_value => {}
            Takes::None => {}
            Takes::One => words.extend(rest.next().cloned()),
            Takes::Perhaps => words.extend(rest.next_if(is_value).cloned()),
            Takes::Many => {
                while let Some(value) = rest.next_if(is_value) {
                    words.push(value.clone());
                }
            }
            Takes::Some | Takes::Unknown => {
                let own = if takes == Takes::Some { rest.next() } else { None };
                words.extend(own.cloned());
                if let Some(word) = rest.peek().filter(|word| is_value(word)) {
                    return Err(NoWayBack::Unclear {
                        option: name.to_owned(),
                        word: (*word).clone(),
                    });
                }
            }
        }
        if is_kept {
            kept.extend(words);
        }
    }
    Ok(kept)
}

impl Program {
    /// How many words it takes, and whether it holds for another launch, too.
    fn option(&self, name: &str) -> (Takes, bool) {
        let is_in = |names: &[&str]| names.contains(&name);
        if let Some((_, takes)) = self.chooses.iter().find(|(known, _)| *known == name) {
            return (*takes, false);
        }
        let takes = match () {
            () if is_in(self.alone) => Takes::None,
            () if is_in(self.one) => Takes::One,
            () if is_in(self.perhaps) => Takes::Perhaps,
            () if is_in(self.many) => Takes::Many,
            () if is_in(self.some) => Takes::Some,
            () => Takes::Unknown,
        };
        (takes, true)
    }
}
