//! The command line of the hook.

use std::ffi::OsString;

/// A longer word is no kind and no event of any agent.
const MAX_WORD: usize = 256;

/// `headsup hook KIND EVENT`
pub(super) const WORDS: usize = 4;

/// What the agent's configuration says about the event.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Invocation {
    pub(super) kind: String,
    pub(super) event: Option<String>,
}

/// What any command takes, also before its name. Here it means nothing, and costs the agent nothing.
const OPTIONS: [&str; 2] = ["--json", "--no-start"];

/// The words behind the program's name and such options.
fn words(args: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    args.skip(1).skip_while(|word| OPTIONS.iter().any(|option| word == option))
}

pub(super) fn is_wanted(args: impl Iterator<Item = OsString>) -> bool {
    let mut words = words(args);
    words.next().is_some_and(|word| word == "hook")
        && words.next().is_none_or(|word| word != "--help" && word != "-h")
}

/// `headsup hook KIND [EVENT]`. Without a kind there is nothing to report; a later version's
/// further words are ignored, because the installed entries are older than the program.
pub(super) fn parse(args: impl Iterator<Item = OsString>) -> Option<Invocation> {
    let mut words = words(args).skip(1).map(|word| word.to_string_lossy().into_owned());
    let fits = |word: &String| !word.is_empty() && word.len() <= MAX_WORD;
    let kind = words.next().filter(fits)?;
    let event = words.next().filter(fits);
    Some(Invocation { kind, event })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> impl Iterator<Item = OsString> {
        line.split(' ').map(OsString::from)
    }

    #[test]
    fn only_a_hook_that_asks_for_no_help_takes_the_fast_path() {
        for line in [
            "headsup hook",
            "headsup hook amp",
            "headsup hook amp Stop --help",
            "headsup --json hook amp",
            "headsup --no-start --json hook",
        ] {
            assert!(is_wanted(words(line)), "{line}");
        }
        for line in [
            "headsup",
            "headsup hooks install",
            "headsup hook --help",
            "headsup --json hook -h",
            "headsup --json ls hook",
            "hook",
        ] {
            assert!(!is_wanted(words(line)), "{line}");
        }
    }

    #[test]
    fn the_event_may_be_missing_and_the_kind_may_not() {
        let parsed = |line| parse(words(line)).map(|found| (found.kind, found.event));
        let amp = || "amp".to_owned();
        assert_eq!(parsed("headsup hook amp Stop more"), Some((amp(), Some("Stop".into()))));
        assert_eq!(parsed("headsup hook amp"), Some((amp(), None)));
        let behind = parsed("headsup --json --no-start hook amp Stop");
        assert_eq!(behind, Some((amp(), Some("Stop".into()))));
        assert_eq!(parsed("headsup hook"), None);
        assert_eq!(parsed(&format!("headsup hook {}", "x".repeat(300))), None);
    }
}
