//! Our entries in Claude Code's configuration.
//!
//! Claude Code 2.1.330 (measured): it merges the hooks of all its settings files and runs identical
//! commands in them once; those of a plugin it runs beside them. It follows
//! edits of `settings.json` while it runs, and finds a folder below `skills/` at its next start.

mod cst;

use crate::hook_table::CLAUDE_CODE_EVENTS as EVENTS;
use crate::inject::{File, Recipe, quote, unquote};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// In seconds. It also raises the limit for `SessionEnd`, which is cut at 1.5 s (measured).
pub(crate) const TIMEOUT: u32 = 5;

/// The event whose hook is `async`: the program goes on at once, and asks for its permission or
/// runs its tool 20 to 70 ms sooner (Claude Code 2.1.330, measured). It alone: such hooks are
/// killed when the program exits (measured), and a start that comes late can be told by its
/// call's id, an end cannot. An empty answer leaves no trace in the conversation (measured).
const UNAWAITED: &str = "PreToolUse";

pub(crate) const RECIPE: Recipe = Recipe {
    kind: super::KIND,
    title: "Claude Code",
    programs: super::PROGRAMS,
    folder_variable: "CLAUDE_CONFIG_DIR",
    folder: ".claude",
    plugin: "skills/headsup",
    settings: "settings.json",
    managed: &[
        "/etc/claude-code/managed-settings.json",
        // Read in the order of their names (2.1.330).
        "/etc/claude-code/managed-settings.d",
    ],
    plugin_entries: "hooks/hooks.json",
    after_plugin: "sessions that run already report after /reload-plugins or a restart",
    after_settings: "sessions that run already report within seconds",
    advice: "in a folder that it has not been told to trust, it runs no hooks: answer its trust \
             dialog; --bare and --safe-mode switch all hooks off",
    plugin_files,
    owns_plugin,
    append: cst::append,
    remove: cst::remove,
    inspect: cst::inspect,
    is_all_ours: cst::is_all_ours,
    arguments,
    given,
    probe,
};

/// What one entry runs. Whatever became of the binary, it says nothing and succeeds: a hook that
/// fails is an error line in the user's terminal every time, and exit code 2 takes the agent's
/// tool from it (measured). So the shell stays (70 µs): an `exec` that fails ends it. The state
/// folder is named, because an agent's environment need not name it.
pub(crate) fn command(launcher: &str, event: &str) -> String {
    let (start, end) = around(launcher);
    format!("{start}{event}{end}")
}

/// The command before and after its event.
fn around(launcher: &str) -> (String, &'static str) {
    let path = quote(launcher);
    let home =
        launcher.strip_suffix("/bin/headsup").map(|home| format!("HEADSUP_HOME={} ", quote(home)));
    let home = home.unwrap_or_default();
    let kind = super::KIND;
    let start = format!("[ -f {path} ] && [ -x {path} ] && {home}{path} hook {kind} ");
    (start, " 2>/dev/null; exit 0")
}

/// The same as earlier versions wrote it.
fn around_before(launcher: &str) -> (String, &'static str) {
    let path = quote(launcher);
    let kind = super::KIND;
    (format!("[ -x {path} ] && exec {path} hook {kind} "), " || exit 0")
}

/// The event of a command that is ours.
fn event_of<'a>(command: &'a str, launcher: &str) -> Option<&'a str> {
    let forms = [around(launcher), around_before(launcher)];
    let mut events = forms.iter().filter_map(|(start, end)| {
        command.strip_prefix(start.as_str()).and_then(|rest| rest.strip_suffix(end))
    });
    let event = events.next()?;
    (!event.is_empty() && event.bytes().all(|b| b.is_ascii_alphanumeric())).then_some(event)
}

/// Reports to headsup, but not by the path that our entries name.
fn is_other(command: &str, launcher: &str) -> bool {
    let reports = command.contains("headsup") && command.contains(&format!("hook {}", super::KIND));
    reports && event_of(command, launcher).is_none()
}

/// The state folder that a command of ours reports to, whichever it is.
fn home_of(command: &str) -> Option<String> {
    let tests = ["[ -f ", "[ -x "];
    let launcher = tests.iter().find_map(|test| unquote(command.strip_prefix(test)?))?;
    event_of(command, &launcher)?;
    launcher.strip_suffix("/bin/headsup").map(str::to_owned)
}

const MANIFEST: &str = ".claude-plugin/plugin.json";
const MANIFEST_TEXT: &str = r#"{
  "name": "headsup",
  "version": "1.0.0",
  "description": "Reports to headsup what this session does. Remove it with `headsup hooks uninstall`.",
  "author": { "name": "headsup" }
}
"#;

fn plugin_files(launcher: &str) -> Vec<File> {
    let hooks = cst::append("", launcher).unwrap_or_default();
    vec![
        File { path: MANIFEST, text: MANIFEST_TEXT.to_owned() },
        File { path: "hooks/hooks.json", text: hooks },
    ]
}

fn owns_plugin(path: &str, text: &str) -> bool {
    let json = serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
    path == MANIFEST && json["name"] == "headsup" && json["author"]["name"] == "headsup"
}

const FLAG: &str = "--settings";

/// Before whatever the person gave, which may end in text for the agent.
fn arguments(arguments: &[OsString], path: &OsString) -> Vec<OsString> {
    let mut out = vec![OsString::from(FLAG), path.clone()];
    let own = position(arguments);
    for (index, argument) in arguments.iter().enumerate() {
        if !own.as_ref().is_some_and(|(at, length, _)| (*at..at + length).contains(&index)) {
            out.push(argument.clone());
        }
    }
    out
}

fn given(arguments: &[OsString]) -> Option<OsString> {
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

fn probe(session: &str, folder: &str) -> (&'static str, String) {
    let event = "SessionStart";
    let payload = serde_json::json!({
        "hook_event_name": event, "session_id": session, "cwd": folder, "source": "startup",
    });
    (event, payload.to_string())
}

#[cfg(test)]
mod tests;
