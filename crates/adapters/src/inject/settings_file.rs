//! The argument by which a program takes a settings file for one launch: `--settings FILE`.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

const FLAG: &str = "--settings";

/// The arguments with this file in the place of all that they name: before whatever the person gave, which may end in
/// text for the agent.
pub(crate) fn arguments(arguments: &[OsString], path: &OsString) -> Vec<OsString> {
    let mut out = vec![OsString::from(FLAG), path.clone()];
    let own = named(arguments);
    for (index, argument) in arguments.iter().enumerate() {
        if !own.iter().any(|(at, length, _)| (*at..at + length).contains(&index)) {
            out.push(argument.clone());
        }
    }
    out
}

/// The settings that the arguments bring themselves: a file, or what would be in one. Of several the program takes
/// the last alone (Claude Code 2.1.330, measured).
pub(crate) fn given(arguments: &[OsString]) -> Option<OsString> {
    named(arguments).pop().map(|(_, _, value)| value)
}

/// Wherever `--settings` stands: at which argument, how many it takes, and its value.
fn named(arguments: &[OsString]) -> Vec<(usize, usize, OsString)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(argument) = arguments.get(at).filter(|argument| *argument != "--") {
        let mut length = 1;
        if argument == FLAG {
            if let Some(value) = arguments.get(at + 1) {
                length = 2;
                found.push((at, length, value.clone()));
            }
        } else if let Some(value) = argument.as_bytes().strip_prefix(b"--settings=") {
            found.push((at, length, OsString::from_vec(value.to_vec())));
        }
        at += length;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn of_several_files_the_last_is_in_ours_and_none_stands_behind_it() {
        for (typed, last, rest) in [
            ("-c --settings a --settings b go", Some("b"), "-c go"),
            ("--settings=a --settings b", Some("b"), ""),
            ("--settings a --settings=b", Some("b"), ""),
            ("--settings a -- --settings b", Some("a"), "-- --settings b"),
            ("--settings --settings=a go", Some("--settings=a"), "go"),
            ("go --settings", None, "go --settings"),
        ] {
            assert_eq!(given(&words(typed)), last.map(OsString::from), "{typed}");
            let all = words(&format!("--settings /l/api.json {rest}"));
            assert_eq!(arguments(&words(typed), &"/l/api.json".into()), all, "{typed}");
        }
    }
}
