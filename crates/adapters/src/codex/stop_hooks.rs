//! Other hooks of its stop, of which any may make the agent go on, and of what it asks, of which any may answer that.
//!
//! Codex 0.169.0 runs all of them, and one of a stop that says `"decision": "block"` has the agent go on in the same turn
//! (measured). One of a request that grants it leaves no dialog: that comes once all of them have ended, if none has
//! answered (measured). They stand below `hooks.Stop` and `hooks.PermissionRequest` in
//!
//! | file | |
//! |---|---|
//! | `hooks.json` in its own folder | measured |
//! | `config.toml` there | read |
//! | `.codex/hooks.json`, `.codex/config.toml` in the folder that it works in, and above it | read |
//! | `/etc/codex/requirements.toml`, `/etc/codex/config.toml` | read |
//!
//! Not looked for: those that a command line (`-c`), a profile or a plugin brings along. Nobody asks whether one is trusted:
//! the log tells the end in any case, a moment later.

use super::KIND;
use crate::stop_hooks::{ABOVE, lists_another_of};
use serde_json::Value;
use std::path::{Path, PathBuf};

const FILES: [&str; 2] = ["hooks.json", "config.toml"];
/// Below a folder that it works in.
const LOCAL: &str = ".codex";
const MANAGED: [&str; 2] = ["/etc/codex/requirements.toml", "/etc/codex/config.toml"];

/// Does its configuration have any of this event? `log` is its conversation's, `folder` where it works; `read` gives what
/// a file says.
pub(crate) fn has_others(
    event: &str,
    log: Option<&str>,
    folder: Option<&str>,
    read: impl Fn(&Path) -> Option<String>,
) -> bool {
    let own = log.and_then(|log| home_of_log(Path::new(log)));
    let folder = folder.map(Path::new).filter(|folder| folder.is_absolute());
    let folders = folder.into_iter().flat_map(Path::ancestors).take(ABOVE);
    let homes = own.into_iter().chain(folders.map(|folder| folder.join(LOCAL)));
    let files = homes.flat_map(|home| FILES.map(|file| home.join(file)));
    let mut files = files.chain(MANAGED.map(PathBuf::from));
    let is_listed = |file: &Path, text: &str| lists_another_of(event, &settings(file, text), KIND);
    files.any(|file| read(&file).is_some_and(|text| is_listed(&file, &text)))
}

/// `HOME/sessions/YEAR/MONTH/DAY/rollout-….jsonl`.
fn home_of_log(log: &Path) -> Option<PathBuf> {
    let sessions = log.ancestors().nth(4).filter(|path| path.ends_with("sessions"))?;
    sessions.parent().filter(|home| home.is_absolute()).map(Path::to_owned)
}

/// Both forms have the same members. What cannot be read the program does not read either.
fn settings(file: &Path, text: &str) -> Value {
    let text = text.trim_start_matches('\u{feff}');
    match file.extension().is_some_and(|extension| extension == "toml") {
        true => {
            let table = text.parse::<toml::Table>().unwrap_or_default();
            serde_json::to_value(table).unwrap_or_default()
        }
        false => serde_json::from_str(text).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop_hooks::{REQUEST, STOP};

    const LOG: &str = "/home/dev/.codex/sessions/2026/11/21/rollout-1.jsonl";
    const ANOTHER: &str =
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "check.sh"}]}]}}"#;
    const TABLES: &str =
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"check.sh\"\n";

    /// Only this file is there.
    fn found(file: &str, text: &str) -> bool {
        lists(STOP, file, text)
    }

    fn lists(event: &str, file: &str, text: &str) -> bool {
        has_others(event, Some(LOG), Some("/home/dev/api/src"), |path| {
            (path == Path::new(file)).then(|| text.to_owned())
        })
    }

    #[test]
    fn another_hook_is_found_wherever_the_program_reads_it() {
        for (file, text) in [
            ("/home/dev/.codex/hooks.json", ANOTHER),
            ("/home/dev/.codex/config.toml", TABLES),
            ("/home/dev/api/.codex/hooks.json", ANOTHER),
            ("/home/dev/api/src/.codex/config.toml", TABLES),
            ("/etc/codex/requirements.toml", TABLES),
        ] {
            assert!(found(file, text), "{file}");
        }
        assert!(!found("/home/dev/other/.codex/hooks.json", ANOTHER));
    }

    #[test]
    fn its_own_hooks_and_those_of_other_events_are_none() {
        let own = "/home/dev/.codex/hooks.json";
        for text in [
            r#"{"hooks": {"Stop": [{"hooks": [{"command": "'/x/headsup' hook codex Stop 2>/dev/null; exit 0"}]}]}}"#,
            r#"{"hooks": {"SubagentStop": [{"hooks": [{"command": "check.sh"}]}]}}"#,
            r#"{"hooks": {"Stop": []}}"#,
            TABLES,
            "",
        ] {
            assert!(!found(own, text), "{text}");
        }
        for text in ["model = \"gpt\"\n", "hooks = 1\n", "not TOML [", ANOTHER] {
            assert!(!found("/home/dev/.codex/config.toml", text), "{text}");
        }
        assert!(!has_others(STOP, None, None, |_| None));
    }

    #[test]
    fn hooks_of_what_it_asks_are_told_from_those_of_its_stop() {
        let asks = ANOTHER.replace(STOP, REQUEST);
        let own = r#"{"hooks": {"PermissionRequest": [{"hooks": [
            {"command": "'/x/headsup' hook codex PermissionRequest 2>/dev/null; exit 0"}]}]}}"#;
        for (text, expected) in [(asks.as_str(), true), (own, false), (ANOTHER, false)] {
            assert_eq!(lists(REQUEST, "/home/dev/.codex/hooks.json", text), expected, "{text}");
        }
        assert!(!found("/home/dev/.codex/hooks.json", &asks));
    }
}
