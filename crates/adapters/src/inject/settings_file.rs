//! The argument by which a program takes a settings file for one launch: `--settings FILE`.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

const FLAG: &str = "--settings";

/// The arguments with this file in the place of the one that they name: before whatever the person gave, which may
/// end in text for the agent.
pub(crate) fn arguments(arguments: &[OsString], path: &OsString) -> Vec<OsString> {
    let mut out = vec![OsString::from(FLAG), path.clone()];
    let own = position(arguments);
    for (index, argument) in arguments.iter().enumerate() {
        if !own.as_ref().is_some_and(|(at, length, _)| (*at..at + length).contains(&index)) {
            out.push(argument.clone());
        }
    }
    out
}

/// The settings that the arguments bring themselves: a file, or what would be in one.
pub(crate) fn given(arguments: &[OsString]) -> Option<OsString> {
    position(arguments).map(|(_, _, value)| value)
}

/// Where `--settings` stands, how many arguments it takes, and its value.
fn position(arguments: &[OsString]) -> Option<(usize, usize, OsString)> {
    let options = arguments.iter().take_while(|argument| *argument != "--").enumerate();
    let mut found = options.filter_map(|(index, argument)| {
        if argument == FLAG {
            return arguments.get(index + 1).map(|value| (index, 2, value.clone()));
        }
        let value = argument.as_bytes().strip_prefix(b"--settings=")?;
        Some((index, 1, OsString::from_vec(value.to_vec())))
    });
    found.next()
}
