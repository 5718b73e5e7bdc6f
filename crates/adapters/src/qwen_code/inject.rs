//! Our entries in Qwen Code's configuration: named ones in the user's settings.
//!
//! Qwen Code 0.24.4 (read): it reads the settings at its start, comments and all. A time-out below
//! 1000 is in seconds.

use crate::hook_table::QWEN_CODE_EVENTS as EVENTS;
use crate::inject::Recipe;
use crate::inject::entries::{self, Form};

pub(crate) const RECIPE: Recipe = Recipe {
    kind: super::KIND,
    title: "Qwen Code",
    programs: &["qwen"],
    folder_variable: "QWEN_HOME",
    folder: ".qwen",
    moved_folder: "",
    plugin: "",
    settings: "settings.json",
    managed: &["/etc/qwen-code/settings.json"],
    plugin_entries: "",
    after_plugin: AFTER,
    after_settings: AFTER,
    advice: "--safe-mode and --bare switch all hooks off",
    plugin_files: |_| Vec::new(),
    owns_plugin: |_, _| false,
    append: |text, launcher| entries::append(&FORM, text, launcher),
    remove: |text, launcher, original| entries::remove(&FORM, text, launcher, original),
    inspect: |text, launcher| entries::inspect(&FORM, text, launcher),
    is_all_ours: |text| entries::is_all_ours(&FORM, text),
    arguments: None,
    given: |_| None,
    probe,
};

const AFTER: &str = "sessions report from their next start on";

const FORM: Form = Form {
    kind: super::KIND,
    events: EVENTS,
    command: "command",
    timeout: ("timeout", 5),
    name: Some("headsup"),
    is_grouped: true,
    version: None,
    unawaited: None,
    switches: &["disableAllHooks"],
    reads_comments: true,
};

fn probe(session: &str, folder: &str) -> (&'static str, String) {
    let event = "SessionStart";
    let payload = serde_json::json!({
        "hook_event_name": event, "session_id": session, "cwd": folder, "source": "startup",
    });
    (event, payload.to_string())
}
