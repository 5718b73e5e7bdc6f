//! Our entries in Gemini CLI's configuration: named ones in the user's settings.
//!
//! Gemini CLI 0.61.0 (read, but for the guard): it reads the settings at its start, comments and all.
//! A folder that is not trusted runs none of them, also not the user's own (measured). Time-outs are in
//! milliseconds. A hook whose program is missing takes the answer from the user
//! (measured).

use crate::hook_table::GEMINI_CLI_EVENTS as EVENTS;
use crate::inject::entries::{Form, Switch};
use crate::inject::{Launch, Part, Probe, Recipe, probe};

pub(crate) const RECIPE: Recipe = Recipe {
    kind: super::KIND,
    title: "Gemini CLI",
    programs: &["gemini"],
    folder_variable: "GEMINI_CLI_HOME",
    folder: ".gemini",
    moved_folder: ".gemini",
    plugin: None,
    settings: "settings.json",
    folder_is_shared: false,
    managed: &["/etc/gemini-cli/settings.json"],
    after_settings: "sessions report from their next start on",
    // Both measured; the setting is off unless a person or the machine has set it.
    advice: "with security.folderTrust.enabled in its settings it asks in a new folder whether to trust it; in \
             one that it does not trust it runs no hooks, without a word (0.61.0)",
    trust: None,
    off: &[],
    fetched: None,
    launch: Launch::AsTyped,
    part: Part::Entries(&FORM),
    probe: Probe::Written(probe),
};

const FORM: Form = Form {
    kind: super::KIND,
    events: EVENTS,
    optional: &[],
    versions: None,
    // Else it comes with every call of the model (measured).
    matchers: &[("PreCompress", "manual")],
    command: "command",
    timeout: ("timeout", 5_000),
    name: Some("headsup"),
    within: Some("hooks"),
    is_typed: true,
    event: "",
    is_wrapped: false,
    is_grouped: true,
    version: None,
    unawaited: None,
    // The second is what `/hooks disable` writes.
    switches: &[Switch::On("hooksConfig", "enabled"), Switch::Without("hooksConfig", "disabled")],
    not_strict: None,
};
