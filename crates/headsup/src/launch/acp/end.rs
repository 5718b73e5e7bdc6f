//! Ending as the agent did: with its code, or by the signal that has ended it.

use crate::launch::tend::End;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Its second argument is the signal. It has no core to leave: the agent has left its own. One that
/// is ignored here ends nobody.
const SCRIPT: &str = "ulimit -c 0; kill -\"$1\" $$; exit $((128 + $1))";

/// Ends this process by the signal that has ended the agent, if one has. Comes back where that
/// cannot be done, and where it left with a code.
pub(crate) fn like(end: End) {
    if let Some(signal) = end.signal {
        // What becomes of us has no handlers any more: whatever ends the agent ends it too.
        let mut shell = Command::new("/bin/sh");
        drop(shell.args(["-c", SCRIPT, "sh", &signal.to_string()]).exec());
    }
}
