//! Words that this version does not know as commands.

use crate::error::CommandError;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// Commands that have a name already, and come in a later version.
const LATER: [&str; 5] = ["send", "ask", "reply", "queue", "top"];

/// Of a command that is still to come.
pub(super) fn refused(error: &clap::Error, args: &[OsString]) -> Option<CommandError> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    // One below another command is no such name.
    let first = args.iter().skip(1).find(|arg| !arg.as_encoded_bytes().starts_with(b"-"))?;
    let name = LATER.into_iter().find(|name| name == unknown && first == name)?;
    Some(
        CommandError::usage(format!("this version of headsup does not have `{name}` yet"))
            .hint("see what it has: `headsup --help`"),
    )
}

/// What nobody is to type is suggested to nobody. `whole`: every command, which is only built where it is looked at.
pub(super) fn suggest_no_hidden(error: &mut clap::Error, whole: impl FnOnce() -> clap::Command) {
    let named = match error.kind() {
        ErrorKind::InvalidSubcommand => ContextKind::SuggestedSubcommand,
        // All that there are, where none was given.
        ErrorKind::MissingSubcommand => ContextKind::ValidSubcommand,
        _ => return,
    };
    let suggested = match error.remove(named) {
        Some(ContextValue::String(name)) => vec![name],
        Some(ContextValue::Strings(names)) => names,
        _ => return,
    };
    let whole = whole();
    let is_hidden =
        |name: &str| whole.find_subcommand(name).is_some_and(clap::Command::is_hide_set);
    let shown: Vec<String> = suggested.into_iter().filter(|name| !is_hidden(name)).collect();
    if !shown.is_empty() {
        error.insert(named, ContextValue::Strings(shown));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{parse, whole};

    fn error(words: &[&str]) -> (clap::Error, Vec<OsString>) {
        let args: Vec<OsString> = ["headsup"].iter().chain(words).map(OsString::from).collect();
        (parse(&args).unwrap_err(), args)
    }

    #[test]
    fn what_is_still_to_come_is_called_so() {
        for (words, is_later) in [
            (&["send", "api", "hi"][..], true),
            (&["--json", "queue", "ls"], true),
            (&["sned", "api"], false),
            (&["task", "send"], false),
            (&["ls", "--wat"], false),
        ] {
            let (error, args) = error(words);
            assert_eq!(refused(&error, &args).is_some(), is_later, "{words:?}");
        }
    }

    #[test]
    fn a_command_that_nobody_types_is_not_suggested() {
        for word in ["replay", "relaunc", "lss"] {
            let (mut error, _) = error(&[word]);
            let before = error.render().to_string();
            suggest_no_hidden(&mut error, whole);
            let text = error.render().to_string();
            assert!(text.contains(word) && !text.contains("launch'"), "{text}");
            assert_eq!(before.contains("launch'"), word != "lss", "{before}");
            assert!(word != "lss" || text.contains("'ls'"), "{text}");
        }
    }

    #[test]
    fn a_command_that_nobody_types_is_not_listed() {
        let (mut error, _) = error(&["--json"]);
        assert!(error.render().to_string().contains("relaunch"), "{error}");
        suggest_no_hidden(&mut error, whole);
        let text = error.render().to_string();
        assert!(!text.contains("launch") && text.contains("acp, hooks"), "{text}");
    }
}
