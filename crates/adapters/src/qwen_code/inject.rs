//! Our entries in Qwen Code's configuration: named ones in the user's settings.
//!
//! Qwen Code 0.24.4 (read): it reads the settings at its start, comments and all. A time-out below
//! 1000 is in seconds.

use crate::hook_table::QWEN_CODE_EVENTS as EVENTS;
use crate::inject::entries::Form;
use crate::inject::{Launch, Part, Recipe, probe};

pub(crate) const RECIPE: Recipe = Recipe {
    kind: super::KIND,
    title: "Qwen Code",
    programs: &["qwen"],
    folder_variable: "QWEN_HOME",
    folder: ".qwen",
    moved_folder: "",
    plugin: None,
    settings: "settings.json",
    managed: &["/etc/qwen-code/settings.json"],
    after_settings: "sessions report from their next start on",
    advice: "--safe-mode and --bare switch all hooks off",
    trust: None,
    launch: Launch::AsTyped,
    part: Part::Entries(&FORM),
    probe,
};

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
    not_strict: None,
};
