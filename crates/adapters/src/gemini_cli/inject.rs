//! Our entries in Gemini CLI's configuration: named ones in the user's settings.
//!
//! Gemini CLI 0.61.0 (read, but for the guard): it reads the settings at its start, comments and all.
//! A folder that is not trusted runs none of them, also not the user's own (measured). Time-outs are in
//! milliseconds. A hook whose program is missing takes the answer from the user
//! (measured).

use crate::hook_table::GEMINI_CLI_EVENTS as EVENTS;
use crate::inject::Recipe;
use crate::inject::entries::{self, Form};

pub(crate) const RECIPE: Recipe = Recipe {
    kind: super::KIND,
    title: "Gemini CLI",
    programs: &["gemini"],
    folder_variable: "GEMINI_CLI_HOME",
    folder: ".gemini",
    moved_folder: ".gemini",
    plugin: "",
    settings: "settings.json",
    managed: &["/etc/gemini-cli/settings.json"],
    plugin_entries: "",
    after_plugin: AFTER,
    after_settings: AFTER,
    advice: "in a folder that it does not trust it runs no hooks, without a word; its setting \
             hooksConfig.enabled switches all of them off",
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
    timeout: ("timeout", 5_000),
    name: Some("headsup"),
    is_grouped: true,
    version: None,
    unawaited: None,
    switches: &[],
    reads_comments: true,
};

fn probe(session: &str, folder: &str) -> (&'static str, String) {
    let event = "SessionStart";
    let payload = serde_json::json!({
        "hook_event_name": event, "session_id": session, "cwd": folder, "source": "startup",
    });
    (event, payload.to_string())
}
