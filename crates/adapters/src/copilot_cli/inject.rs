//! Our entries in Copilot CLI's configuration: one file of our own in its folder of hooks.
//!
//! Copilot CLI 1.0.102: time-outs are in seconds (read). A hook whose program is missing denies every
//! tool (measured).

use crate::hook_table::COPILOT_CLI_EVENTS as EVENTS;
use crate::inject::Recipe;
use crate::inject::entries::{self, Form};

pub(crate) const RECIPE: Recipe = Recipe {
    kind: super::KIND,
    title: "Copilot CLI",
    programs: &["copilot"],
    folder_variable: "COPILOT_HOME",
    folder: ".copilot",
    moved_folder: "",
    plugin: "",
    settings: "hooks/headsup.json",
    managed: &[],
    plugin_entries: "",
    after_plugin: AFTER,
    after_settings: AFTER,
    advice: "it says nothing before its first prompt",
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
    command: "bash",
    timeout: ("timeoutSec", 5),
    name: None,
    is_grouped: false,
    version: Some(1),
    unawaited: None,
    switches: &[],
    reads_comments: false,
};

fn probe(session: &str, folder: &str) -> (&'static str, String) {
    let event = "sessionStart";
    let payload = serde_json::json!({
        "sessionId": session, "cwd": folder, "source": "new",
    });
    (event, payload.to_string())
}
