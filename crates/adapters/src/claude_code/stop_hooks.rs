//! Other hooks of its stop: any of them may make the agent go on.
//!
//! Claude Code 2.1.330 runs all of them side by side, and one that says `"decision": "block"` has the agent go on in the
//! same turn (measured). They stand below `hooks.Stop` in
//!
//! | file | |
//! |---|---|
//! | `settings.json` in its own folder | measured |
//! | `.claude/settings.json`, `.claude/settings.local.json` in the folder that it was started in | read |
//! | `/etc/claude-code/managed-settings.json` | read |
//! | `hooks/hooks.json` of each plugin, whose folders `plugins/installed_plugins.json` names | read |
//!
//! Not looked for: those that a command line brings along (`--settings`, `--plugin-dir`), that a plugin lists elsewhere,
//! or that stand in an agent's or a skill's own file. Where such a one has it go on, its log says so (`transcript.rs`).

use super::{KIND, registry};
use crate::stop_hooks::{ABOVE, lists_another};
use serde_json::Value;
use std::path::{Path, PathBuf};

const OWN: &str = "settings.json";
/// Below a folder that it works in.
const LOCAL: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
const MANAGED: &str = "/etc/claude-code/managed-settings.json";
const PLUGINS: &str = "plugins/installed_plugins.json";
/// Below a plugin's folder.
const ENTRIES: &str = "hooks/hooks.json";

/// Does its configuration have any? `log` is its conversation's, `folder` where it works; `read` gives what a file says.
pub(crate) fn has_others(
    log: Option<&str>,
    folder: Option<&str>,
    read: impl Fn(&Path) -> Option<String>,
) -> bool {
    let config = log.and_then(config_of);
    let own = config.iter().map(|config| config.join(OWN));
    let folder = folder.map(Path::new).filter(|folder| folder.is_absolute());
    let folders = folder.into_iter().flat_map(Path::ancestors).take(ABOVE);
    let local = folders.flat_map(|folder| LOCAL.map(|file| folder.join(file)));
    let managed = std::iter::once(PathBuf::from(MANAGED));
    let plugins = config.iter().flat_map(|config| plugins(config, &read));
    let mut files = own.chain(local).chain(managed).chain(plugins);
    // Settings and a plugin's entries have the same form.
    files.any(|file| read(&file).is_some_and(|text| lists_another(&json(&text), KIND)))
}

/// The folder that its status files and its logs are in, wherever that was moved.
fn config_of(log: &str) -> Option<PathBuf> {
    let status_files = registry::folder_of_log(log)?.path;
    status_files.parent().map(Path::to_owned)
}

/// `{"plugins": {"NAME@MARKET": [{"installPath": "/…"}]}}`, in some versions one object in place of the list (read).
fn plugins(config: &Path, read: impl Fn(&Path) -> Option<String>) -> Vec<PathBuf> {
    let list = read(&config.join(PLUGINS)).map(|text| json(&text)).unwrap_or_default();
    let plugins = list["plugins"].as_object().into_iter().flat_map(serde_json::Map::values);
    let installed = plugins.flat_map(|plugin| match plugin.as_array() {
        Some(several) => several.as_slice(),
        None => std::slice::from_ref(plugin),
    });
    let folders = installed.filter_map(|plugin| plugin["installPath"].as_str());
    folders.map(|folder| Path::new(folder).join(ENTRIES)).collect()
}

/// What is no JSON the program does not read either.
fn json(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "/home/dev/.claude/projects/-home-dev-api/s-1.jsonl";
    const ANOTHER: &str =
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "check.sh"}]}]}}"#;

    /// Only this file is there.
    fn found(file: &str, text: &str) -> bool {
        has_others(Some(LOG), Some("/home/dev/api/src"), |path| {
            (path == Path::new(file)).then(|| text.to_owned())
        })
    }

    #[test]
    fn another_hook_is_found_wherever_the_program_reads_it() {
        for file in [
            "/home/dev/.claude/settings.json",
            "/home/dev/api/.claude/settings.json",
            "/home/dev/api/src/.claude/settings.local.json",
            "/etc/claude-code/managed-settings.json",
        ] {
            assert!(found(file, ANOTHER), "{file}");
        }
        assert!(!found("/home/dev/other/.claude/settings.json", ANOTHER));
        let prompt = r#"{"hooks": {"Stop": [{"hooks": [{"type": "prompt"}]}]}}"#;
        assert!(found("/home/dev/.claude/settings.json", prompt));
    }

    #[test]
    fn a_plugin_s_hook_is_found_in_its_folder() {
        for installed in [r#"[{"installPath": "/p/loop"}]"#, r#"{"installPath": "/p/loop"}"#] {
            let list = format!(r#"{{"version": 2, "plugins": {{"loop@market": {installed}}}}}"#);
            let read = |path: &Path| match path.to_str()? {
                "/home/dev/.claude/plugins/installed_plugins.json" => Some(list.clone()),
                "/p/loop/hooks/hooks.json" => Some(ANOTHER.to_owned()),
                _ => None,
            };
            assert!(has_others(Some(LOG), None, read), "{installed}");
        }
    }

    #[test]
    fn its_own_hooks_and_those_of_other_events_are_none() {
        let own = "/home/dev/.claude/settings.json";
        for text in [
            r#"{"hooks": {"Stop": [{"hooks": [{"command": "headsup hook claude-code Stop"}]}]}}"#,
            r#"{"hooks": {"SubagentStop": [{"hooks": [{"command": "check.sh"}]}]}}"#,
            r#"{"hooks": {"Stop": []}}"#,
            "// no JSON\n{}",
            "",
        ] {
            assert!(!found(own, text), "{text}");
        }
        assert!(!has_others(None, None, |_| None));
    }
}
