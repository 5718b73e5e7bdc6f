//! A program to be started that was given without `--` before it, as many other commands take it.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// The commands that start a program.
const STARTERS: [&str; 2] = ["run", "acp"];

/// Says how it is written.
pub(super) fn suggest_dashes(error: &mut clap::Error, args: &[OsString]) {
    if error.kind() != ErrorKind::UnknownArgument || args.iter().any(|arg| arg == "--") {
        return;
    }
    let first = args.iter().skip(1).find(|arg| !arg.as_encoded_bytes().starts_with(b"-"));
    let starter = STARTERS.into_iter().find(|name| first.is_some_and(|first| first == name));
    let (Some(starter), Some(ContextValue::String(program))) =
        (starter, error.get(ContextKind::InvalidArg))
    else {
        return;
    };
    if program.starts_with('-') {
        return;
    }
    let tip = format!(
        "the program and its arguments stand behind `--`: `headsup {starter} -- {program}`"
    );
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::parse;

    #[test]
    fn whoever_leaves_the_dashes_out_is_told_where_they_stand() {
        for (words, tip) in [
            (&["run", "agent"][..], Some("`headsup run -- agent`")),
            (&["--json", "run", "--id", "api", "agent"], Some("`headsup run -- agent`")),
            (&["acp", "other"], Some("`headsup acp -- other`")),
            (&["run", "--id", "a", "b", "--", "agent"], None),
            (&["run", "--frob"], None),
            (&["down", "agent"], None),
        ] {
            let args: Vec<OsString> = ["headsup"].iter().chain(words).map(OsString::from).collect();
            let mut error = parse(&args).unwrap_err();
            suggest_dashes(&mut error, &args);
            let said = error.render().to_string();
            match tip {
                Some(tip) => assert!(said.contains(tip), "{said}"),
                None => assert!(!said.contains("stand behind"), "{said}"),
            }
        }
    }
}
