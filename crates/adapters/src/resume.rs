//! How a program takes a conversation up again: its command line then.
//!
//! It is that of the first launch, with its own options, but without what chose a conversation and
//! without the words that were handed over. Nothing is added but the conversation, and what is said
//! now. Where it is not sure which word is an option's value and which was said, nothing is guessed.

mod programs;
#[cfg(test)]
mod tests;

use crate::inject::{recipes, server};
use programs::{PROGRAMS, Program, Words};

/// Why nothing says how to take it up again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoWayBack {
    #[error("nobody knows how its program takes a conversation up again")]
    Program,
    #[error("it was started with {0:?}, which is not done again")]
    Once(String),
    /// The word is not said: it may be a secret.
    #[error(
        "it was started with {option:?} and a word behind it, and nobody knows whether that belongs to it"
    )]
    Unclear { option: String },
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
    let program = program_of(kind).ok_or(NoWayBack::Program)?;
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

/// The command of its own that a program of this kind is to run: the first of these arguments that is neither an
/// option nor an option's value. An option that nobody knows is taken for one without a value.
pub(crate) fn command<'a>(kind: &str, arguments: &[&'a str]) -> Option<&'a str> {
    first_word(kind, arguments, false)
}

/// The same where nothing is guessed: not behind an option of which nobody knows how many words it takes.
pub(crate) fn surely<'a>(kind: &str, arguments: &[&'a str]) -> Option<&'a str> {
    first_word(kind, arguments, true)
}

fn first_word<'a>(kind: &str, arguments: &[&'a str], is_sure: bool) -> Option<&'a str> {
    let program = program_of(kind)?;
    let is_value = |word: &&str| !word.starts_with('-');
    let mut rest = arguments.iter().copied().peekable();
    while let Some(word) = rest.next().filter(|word| *word != "--") {
        if is_value(&word) || word == "-" {
            return Some(word);
        }
        let takes = if word.contains('=') { Takes::None } else { program.option(word).0 };
        match takes {
            Takes::Some | Takes::Unknown if is_sure => return None,
            Takes::None | Takes::Unknown => {}
            Takes::One | Takes::Some => _ = rest.next(),
            Takes::Perhaps => _ = rest.next_if(is_value),
            Takes::Many => while rest.next_if(is_value).is_some() {},
        }
    }
    None
}

/// Whether a program of this kind that is started with these arguments goes on with `session`, surely.
pub fn takes_up(kind: &str, arguments: &[String], session: &str) -> bool {
    let Some(program) = program_of(kind) else { return false };
    let is_own = |name: &str| program.chooses.iter().any(|(known, _)| *known == name);
    // Its first letter stands for it, where the program knows that.
    let short = program.with.get(1..3);
    let is_choice = |name: &str| name == program.with || Some(name) == short && is_own(name);
    let mut rest = arguments.iter().map(String::as_str).take_while(|word| *word != "--").peekable();
    let (mut is_chosen, mut is_copied) = (false, false);
    while let Some(word) = rest.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, rest.peek().copied()),
        };
        is_chosen |= is_choice(name) && value == Some(session);
        // A copy of it is another one.
        is_copied |= name.starts_with("--fork") && is_own(name);
    }
    is_chosen && !is_copied
}

/// Whether it is known how a program of this kind takes a conversation up again.
pub fn is_known(kind: &str) -> bool {
    program_of(kind).is_some()
}

/// What has to be kept of the arguments of a launch for [`arguments`] to answer as it does of all of them: what
/// was said is left out, as far as that can be told. `None`: of a launch of this kind nothing is asked for again.
pub fn kept(kind: &str, first: &[String]) -> Option<Vec<String>> {
    let program = program_of(kind)?;
    let told = options(program, first);
    let kept = match &told {
        Ok(options) => options.clone(),
        Err(NoWayBack::Once(word)) => vec![word.clone()],
        // Another version may know that option.
        Err(_) => return Some(first.to_vec()),
    };
    // A word that was kept may have come to stand behind an option that may take one.
    Some(if options(program, &kept) == told { kept } else { first.to_vec() })
}

/// A launch of ours merges its own settings with those that were given, and names that file in their place.
const MERGED: &str = "--settings";

/// What was typed of the arguments that a process shows which a launch of ours has started: all but what that has
/// brought, the paths of whose files begin with `place`. `None`: the process does not tell.
pub fn typed(shown: &[String], place: &str) -> Option<Vec<String>> {
    let setting = format!("mcp_servers.{}=", server::NAME);
    let is_ours = |word: &str| word.contains(place) || word.starts_with(&setting);
    let is_option = |word: &str| word.starts_with('-');
    let mut typed = Vec::new();
    let mut rest = shown.iter().peekable();
    while let Some(word) = rest.next() {
        let is_value = |next: &&String| is_option(word) && !is_option(next) && is_ours(next);
        let brings = rest.next_if(is_value).is_some();
        match word.as_str() {
            MERGED if brings => return None,
            _ if brings || is_ours(word) => {}
            _ => typed.push(word.clone()),
        }
    }
    // Another way to the same folder.
    let shape = place.rmatch_indices('/').nth(1).map_or(place, |(at, _)| &place[at..]);
    let is_told = !typed.iter().any(|word| word.contains(shape));
    is_told.then_some(typed)
}

fn program_of(kind: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.kinds.contains(&kind))
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
                if rest.peek().is_some_and(is_value) {
                    return Err(NoWayBack::Unclear { option: shown(name) });
                }
            }
        }
        if is_kept {
            kept.extend(words);
        }
    }
    Ok(kept)
}

/// Letters of a long option's name that are shown, at most.
const LONGEST_NAME: usize = 40;

/// An option, as it may be said. What nobody knows may be a value, and a value a secret: so of a long name
/// its small letters are shown, and of any other one the first letter.
fn shown(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c == '-';
    let end = match name.strip_prefix("--") {
        Some(long) => {
            let plain = long.find(|c: char| !is_plain(c)).unwrap_or(long.len());
            Some("--".len() + plain.min(LONGEST_NAME))
        }
        None => name.char_indices().nth(2).map(|(end, _)| end),
    };
    match end.and_then(|end| name.split_at_checked(end)) {
        Some((start, rest)) if !rest.is_empty() => format!("{start}…"),
        _ => name.to_owned(),
    }
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
