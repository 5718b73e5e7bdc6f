//! Our plugin in the configuration of OpenCode and of Kilo.
//!
//! OpenCode 1.18.33, Kilo 7.7.9 (measured): they run each file in `plugin` below their configuration
//! folder, and each that `plugin` in their configuration names, in their own process. A module with
//! another export than functions is left out without a word. A plugin that throws at its start, or
//! is missing, does them no harm. With `--pure` they run none.
//!
//! OpenCode 1.18.33 (measured) installs `@opencode-ai/plugin` from the registry into its folder. Once it has a
//! plugin, whoever's, it waits for that at its start.

use crate::inject::entries::is_json;
use crate::inject::script::Script;
use crate::inject::variable::with_file;
use crate::inject::{Fetched, Launch, Off, Part, Probe, Recipe, Switched, Unchanged};

const EVENT: &str = "plugin.init";
const SOURCE: &str = concat!(
    include_str!("../inject/courier.js"),
    include_str!("words.js"),
    include_str!("plugin.js")
);
/// The list of plugins in a configuration.
const PLUGINS: &str = "plugin";

const SCRIPT: Script = Script { kind: super::KIND, source: SOURCE, event: EVENT };
const KILO_SCRIPT: Script = Script { kind: super::KILO, ..SCRIPT };

const FETCHED: Fetched = Fetched {
    path: "node_modules/@opencode-ai/plugin",
    advice: "with a plugin it waits at its start until it has installed @opencode-ai/plugin (64 MB) for \
             itself, once: over a minute where the registry is out of reach",
};

/// Its configuration (1.18.33, measured): of these it reads all that are there, comments and trailing commas as well, and
/// ends with the first that it cannot read.
const CONFIGURATIONS: [Off; 3] = [
    Off { file: "config.json", is_here: false, says: unread },
    Off { file: "opencode.json", is_here: false, says: unread },
    Off { file: "opencode.jsonc", is_here: false, says: unread },
];

/// What it puts in itself first may make JSON of it: a variable (1.18.33, measured), a file (documented).
fn unread(configuration: &str) -> Option<Switched> {
    let is_made = ["{env:", "{file:"].iter().any(|made| configuration.contains(made));
    let is_broken = !is_made && !configuration.trim().is_empty() && !is_json(configuration);
    is_broken.then_some(Switched::Off(
        "it is not JSON, nor JSON with comments, and OpenCode does not start with it",
    ))
}

pub(crate) const RECIPE: Recipe = Recipe {
    kind: super::KIND,
    title: "OpenCode",
    programs: &["opencode"],
    folder_variable: "XDG_CONFIG_HOME",
    folder: ".config/opencode",
    moved_folder: "opencode",
    plugin: None,
    settings: "plugin/headsup.js",
    folder_is_shared: false,
    managed: &[],
    after_settings: "sessions report from their next start on",
    advice: "--pure switches all plugins off",
    trust: None,
    off: &CONFIGURATIONS,
    fetched: Some(&FETCHED),
    launch: launch("OPENCODE_CONFIG_CONTENT"),
    part: Part::Script(&SCRIPT),
    probe: Probe::Written(probe),
};

pub(crate) const KILO_RECIPE: Recipe = Recipe {
    kind: super::KILO,
    title: "Kilo",
    programs: &["kilo", "kilocode"],
    folder: ".config/kilo",
    moved_folder: "kilo",
    off: &[],
    fetched: None,
    launch: launch("KILO_CONFIG_CONTENT"),
    part: Part::Script(&KILO_SCRIPT),
    ..RECIPE
};

/// The variable's configuration is added to all others (measured).
const fn launch(variable: &'static str) -> Launch {
    Launch::WithVariable { variable, ending: "js", value }
}

fn value(given: &str, file: &str) -> Result<String, Unchanged> {
    with_file(given, PLUGINS, file)
}

fn probe(session: &str, folder: &str) -> (&'static str, String) {
    let payload = serde_json::json!({
        "hook_event_name": EVENT, "session_id": session, "cwd": folder, "mode": "interactive",
    });
    (EVENT, payload.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCHER: &str = "/home/ada/it's \"here\"/bin/headsup";

    #[test]
    fn the_file_is_ours_alone_and_goes_whole() {
        for recipe in [&RECIPE, &KILO_RECIPE] {
            let installed = recipe.append("", LAUNCHER).unwrap();
            assert!(!installed.contains("@KIND@") && !installed.contains("@LAUNCHER@"));
            assert_eq!(recipe.append(&installed, LAUNCHER).unwrap(), installed);
            let found = recipe.inspect(&installed, LAUNCHER).unwrap();
            assert!(found.is_complete() && found.fires(), "{found:?}");
            assert!(found.entries[0].1.contains(&format!("hook {} {EVENT}", recipe.kind)));
            assert!(recipe.is_all_ours(&installed));
            assert_eq!(recipe.remove(&installed, LAUNCHER, None).unwrap(), "");
        }
    }

    #[test]
    fn one_of_another_version_is_put_right_and_one_of_another_hub_is_named() {
        let older = RECIPE.append("", LAUNCHER).unwrap() + "// older\n";
        let found = RECIPE.inspect(&older, LAUNCHER).unwrap();
        assert_eq!((found.outdated, found.is_complete()), (1, false));
        assert_ne!(RECIPE.append(&older, LAUNCHER).unwrap(), older);
        let others = RECIPE.append("", "/home/ada/other/bin/headsup").unwrap();
        let found = RECIPE.inspect(&others, LAUNCHER).unwrap();
        assert_eq!(found.elsewhere, ["/home/ada/other"]);
        assert!(found.is_empty());
        assert_eq!(RECIPE.remove(&others, LAUNCHER, None).unwrap(), others);
    }

    #[test]
    fn somebody_elses_file_is_left_alone() {
        let theirs = "export const Mine = async () => ({})\n";
        assert_eq!(RECIPE.append(theirs, LAUNCHER), Err(Unchanged::Foreign));
        assert_eq!(RECIPE.remove(theirs, LAUNCHER, None).unwrap(), theirs);
        assert!(!RECIPE.is_all_ours(theirs));
    }

    #[test]
    fn a_configuration_that_it_cannot_read_is_known_and_comments_are_none() {
        for good in [
            "",
            " \n",
            "{}",
            "{ // mine\n \"username\": \"ada\", /* and */ }\n",
            "{\"username\": {env:NAME}}",
            "\u{feff}{}",
        ] {
            assert_eq!(unread(good), None, "{good:?}");
        }
        for bad in ["{ broken", "{'username': 'ada'}", "{\"a\": 1", "{username: \"ada\"}"] {
            assert!(matches!(unread(bad), Some(Switched::Off(_))), "{bad:?}");
        }
        assert_eq!((RECIPE.off.len(), KILO_RECIPE.off.len()), (3, 0));
    }

    #[test]
    fn the_module_exports_one_function_and_nothing_else() {
        let exports = SOURCE.lines().filter(|line| line.trim_start().starts_with("export "));
        let exports: Vec<&str> = exports.collect();
        assert_eq!(exports, ["export const headsup = async ({ directory }) => {"]);
    }
}
