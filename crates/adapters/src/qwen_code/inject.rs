//! Our entries in Qwen Code's configuration: named ones in the user's settings.
//!
//! Qwen Code 0.24.4 (read): it reads the settings at its start, comments and all. A time-out below
//! 1000 is in seconds.

use crate::hook_table::QWEN_CODE_EVENTS as EVENTS;
use crate::inject::entries::{Form, Switch};
use crate::inject::{Launch, Part, Probe, Recipe, Variables, probe};
use std::path::PathBuf;

pub(crate) const RECIPE: Recipe = Recipe {
    kind: super::KIND,
    title: "Qwen Code",
    programs: &["qwen"],
    folder_variable: "QWEN_HOME",
    folder: ".qwen",
    moved_folder: "",
    plugin: None,
    settings: "settings.json",
    folder_is_shared: false,
    managed: &["/etc/qwen-code/settings.json"],
    after_settings: "sessions report from their next start on",
    // The dialog was measured; the switches were read.
    advice: "with security.folderTrust.enabled in its settings it asks in a new folder whether to trust it, and \
             waits for your answer (0.24.4); --safe-mode and --bare switch all hooks off",
    trust: None,
    off: &[],
    fetched: None,
    launch: Launch::WithDefaults { variable: DEFAULTS, path: defaults },
    part: Part::Entries(&FORM),
    probe: Probe::Written(probe),
};

/// The lowest of its settings, whose hooks are added to those of all others (0.24.4, measured).
const DEFAULTS: &str = "QWEN_CODE_SYSTEM_DEFAULTS_PATH";
const SETTINGS: &str = "QWEN_CODE_SYSTEM_SETTINGS_PATH";

/// They lie beside the machine's settings (read).
fn defaults(variable: Variables<'_>) -> PathBuf {
    if let Some(path) = variable(DEFAULTS) {
        return path.into();
    }
    let settings =
        variable(SETTINGS).map_or_else(|| "/etc/qwen-code/settings.json".into(), PathBuf::from);
    settings.with_file_name("system-defaults.json")
}

const FORM: Form = Form {
    kind: super::KIND,
    events: EVENTS,
    optional: &[],
    versions: None,
    matchers: &[],
    command: "command",
    timeout: ("timeout", 5),
    name: Some("headsup"),
    within: Some("hooks"),
    is_typed: true,
    event: "",
    is_wrapped: false,
    is_grouped: true,
    version: None,
    unawaited: None,
    switches: &[Switch::Off("disableAllHooks")],
    not_strict: None,
};
