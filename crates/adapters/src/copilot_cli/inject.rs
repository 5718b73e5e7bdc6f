//! Our entries in Copilot CLI's configuration: one file of our own in its folder of hooks.
//!
//! Copilot CLI 1.0.102: time-outs are in seconds (read). A hook whose program is missing denies every
//! tool (measured).

use crate::hook_table::COPILOT_CLI_EVENTS as EVENTS;
use crate::inject::entries::{Form, Switch, flag};
use crate::inject::{Launch, Off, Part, Probe, Recipe, Switched};
use std::ffi::OsString;

pub(crate) const RECIPE: Recipe = Recipe {
    kind: super::KIND,
    title: "Copilot CLI",
    programs: &["copilot"],
    folder_variable: "COPILOT_HOME",
    folder: ".copilot",
    moved_folder: "",
    plugin: None,
    settings: "hooks/headsup.json",
    folder_is_shared: false,
    managed: &[],
    after_settings: "sessions report from their next start on",
    // Measured, and its list of folders is in its own configuration.
    advice: "in a folder that is new to it, it asks whether to trust it, and waits for your answer (1.0.102); it \
             says nothing before its first prompt",
    trust: None,
    off: &OFF,
    fetched: None,
    launch: Launch::WithFolder {
        manifest: ("plugin.json", MANIFEST),
        entries: "hooks/hooks.json",
        arguments,
    },
    part: Part::Entries(&FORM),
    probe: Probe::Written(probe),
};

/// In a file of hooks it is about those alone; in a person's settings about all hooks, and in a repository's about
/// all in it (by its documentation, and 1.0.102, read).
const DISABLE: &str = "disableAllHooks";

const OFF: [Off; 2] = [
    Off { file: ".github/copilot/settings.json", is_here: true, says: off_here },
    Off { file: "settings.json", is_here: false, says: off },
];

/// Its settings may have comments in them.
fn off(settings: &str) -> Option<Switched> {
    let is_off = flag(settings, DISABLE) == Some(true);
    is_off.then_some(Switched::Off("disableAllHooks is true: no hook of yours fires"))
}

fn off_here(settings: &str) -> Option<Switched> {
    let is_off = flag(settings, DISABLE) == Some(true);
    is_off.then_some(Switched::Off("disableAllHooks is true: no hook fires in this folder"))
}

const FORM: Form = Form {
    kind: super::KIND,
    events: EVENTS,
    optional: &[],
    versions: None,
    matchers: &[],
    command: "bash",
    timeout: ("timeoutSec", 5),
    name: None,
    within: Some("hooks"),
    is_typed: true,
    event: "",
    is_wrapped: false,
    is_grouped: false,
    version: Some(1),
    unawaited: None,
    switches: &[Switch::Off(DISABLE)],
    not_strict: Some("the whole file is ignored: hooks in it never fire"),
};

/// A plugin of one launch: its hooks run beside the user's own (1.0.102, measured).
const MANIFEST: &str = "{ \"name\": \"headsup\", \"version\": \"1.0.0\", \
                        \"description\": \"Reports to headsup\", \"hooks\": \"hooks/hooks.json\" }\n";

fn arguments(given: &[OsString], folder: &OsString) -> Vec<OsString> {
    let ours = [OsString::from("--plugin-dir"), folder.clone()];
    ours.into_iter().chain(given.iter().cloned()).collect()
}

fn probe(session: &str, folder: &str) -> (&'static str, String) {
    let event = "sessionStart";
    let payload = serde_json::json!({
        "sessionId": session, "cwd": folder, "source": "new",
    });
    (event, payload.to_string())
}
