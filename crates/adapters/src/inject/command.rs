//! What an entry runs, for every program alike.

use super::{quote, unquote};
use crate::codex;

/// Behind the event. The hub has an answer for no hook, so that nothing which the binary says is for the
/// program: Gemini CLI 0.61.0 waits for all who could still write, and not only for the shell that it
/// has ended, and takes what looks like a decision for one; Qwen Code 0.24.4 fails a turn over 3 MB
/// (measured).
const SILENT: &str = " >/dev/null 2>&1; exit 0";
/// The same as earlier versions wrote it.
const HEARD: &str = " 2>/dev/null; exit 0";
/// Those that know a command by its text: a person would have to trust each entry anew. Codex 0.169.0 came to
/// no harm by a binary that hangs or talks (measured).
const TRUSTED: [&str; 1] = [codex::KIND];

/// Whatever became of the binary, it says nothing and succeeds: a hook that fails is an error line
/// in the user's terminal every time or, in some programs, takes the agent's tool or its answer from
/// it (measured). So the shell stays (70 µs): an `exec` that fails ends it. The state folder is
/// named, because an agent's environment need not name it.
pub(crate) fn command(kind: &str, launcher: &str, event: &str) -> String {
    let end = if TRUSTED.contains(&kind) { HEARD } else { SILENT };
    format!("{}{event}{end}", before_event(kind, launcher))
}

fn before_event(kind: &str, launcher: &str) -> String {
    let path = quote(launcher);
    let home =
        launcher.strip_suffix("/bin/headsup").map(|home| format!("HEADSUP_HOME={} ", quote(home)));
    let home = home.unwrap_or_default();
    format!("[ -f {path} ] && [ -x {path} ] && {home}{path} hook {kind} ")
}

/// What earlier versions have written before and behind an event.
pub(crate) fn around_before(kind: &str, launcher: &str) -> [(String, &'static str); 2] {
    let path = quote(launcher);
    let first = (format!("[ -x {path} ] && exec {path} hook {kind} "), " || exit 0");
    [(before_event(kind, launcher), HEARD), first]
}

/// The event of a command that is ours.
pub(crate) fn event_of<'a>(kind: &str, command: &'a str, launcher: &str) -> Option<&'a str> {
    let now = (before_event(kind, launcher), SILENT);
    let forms = std::iter::once(now).chain(around_before(kind, launcher));
    let mut events = forms.filter_map(|(start, end)| {
        command.strip_prefix(start.as_str()).and_then(|rest| rest.strip_suffix(end))
    });
    let event = events.next()?;
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    (!event.is_empty() && event.bytes().all(is_name)).then_some(event)
}

/// Reports to headsup, but not by the path that our entries name.
pub(super) fn is_other(kind: &str, command: &str, launcher: &str) -> bool {
    let reports = command.contains("headsup") && command.contains(&format!("hook {kind}"));
    reports && event_of(kind, command, launcher).is_none()
}

/// Runs this launcher as well, but not as our entries do: somebody has changed what was ours.
pub(super) fn is_stray(kind: &str, command: &str, launcher: &str) -> bool {
    is_other(kind, command, launcher)
        && home_of(kind, command).is_none()
        && (command.contains(launcher) || command.contains(&quote(launcher)))
}

/// The state folder that a command of ours reports to, whichever it is.
pub(super) fn home_of(kind: &str, command: &str) -> Option<String> {
    let tests = ["[ -f ", "[ -x "];
    let launcher = tests.iter().find_map(|test| unquote(command.strip_prefix(test)?))?;
    event_of(kind, command, &launcher)?;
    launcher.strip_suffix("/bin/headsup").map(str::to_owned)
}
