//! Our entries in Claude Code's configuration.
//!
//! Claude Code 2.1.330 (measured): it merges the hooks of all its settings files and runs identical
//! commands in them once; those of a plugin it runs beside them. It follows
//! edits of `settings.json` while it runs, and finds a folder below `skills/` at its next start.

use crate::hook_table::CLAUDE_CODE_EVENTS as EVENTS;
use crate::inject::entries::{BOM, Form, Switch};
use crate::inject::settings_file::{arguments, given};
use crate::inject::versions::Versions;
use crate::inject::{File, Launch, Off, Part, Plugin, Probe, Recipe, Switched, probe};

/// The event whose hook is `async`: the program goes on at once, and asks for its permission or
/// runs its tool 20 to 70 ms sooner (Claude Code 2.1.330, measured). It alone: such hooks are
/// killed when the program exits (measured), and a start that comes late can be told by its
/// call's id, an end cannot. An empty answer leaves no trace in the conversation (measured).
const UNAWAITED: &str = "PreToolUse";

/// Read in the lists of events of some thirty versions, 2.0.14 to 2.1.330. One that meets another event in its settings
/// says "Invalid key in record" and skips the whole file, with its deny rules (2.1.100, measured; so does 2.0.14).
const VERSIONS: Versions = Versions {
    package: "@anthropic-ai/claude-code",
    since: &[
        ("SubagentStart", (2, 0, 44)),
        ("PermissionRequest", (2, 0, 45)),
        ("PostToolUseFailure", (2, 0, 56)),
        ("Elicitation", (2, 1, 76)),
        ("ElicitationResult", (2, 1, 76)),
        ("PostCompact", (2, 1, 76)),
        ("StopFailure", (2, 1, 78)),
        ("PermissionDenied", (2, 1, 88)),
        ("PostToolBatch", (2, 1, 118)),
    ],
    plugin: Some((2, 1, 141)),
};

const FORM: Form = Form {
    kind: super::KIND,
    events: EVENTS,
    optional: &[],
    versions: Some(&VERSIONS),
    matchers: &[],
    command: "command",
    // In seconds. It also raises the limit for `SessionEnd`, which is cut at 1.5 s (measured).
    timeout: ("timeout", 5),
    name: None,
    within: Some("hooks"),
    is_typed: true,
    event: "",
    is_wrapped: false,
    is_grouped: true,
    version: None,
    unawaited: Some(UNAWAITED),
    // Measured with 2.1.330.
    switches: &[Switch::Off("disableAllHooks"), Switch::Off("allowManagedHooksOnly")],
    not_strict: Some(
        "the whole file is ignored: hooks in it never fire, those of a plugin folder do",
    ),
};

const PLUGIN: Plugin = Plugin {
    folder: "skills/headsup",
    entries: "hooks/hooks.json",
    after: "sessions that run already report after /reload-plugins or a restart",
    // Measured with 2.1.330: a person's settings switch it off by `false`, the machine's by naming it at all.
    switch: ("enabledPlugins", "headsup@skills-dir"),
    files: plugin_files,
    owns: owns_plugin,
    reads: reads_plugin,
};

/// Settings of the folder in which it works; a person's own count there before the project's.
const OFF: [Off; 2] = [
    Off { file: ".claude/settings.local.json", is_here: true, says: off_here },
    Off { file: ".claude/settings.json", is_here: true, says: off_here },
];

/// What is not strict JSON it does not read.
fn off_here(settings: &str) -> Option<Switched> {
    let plain = settings.strip_prefix(BOM).unwrap_or(settings);
    let settings: serde_json::Value = serde_json::from_str(plain).ok()?;
    Some(match settings.get("disableAllHooks")?.as_bool()? {
        true => Switched::Off("disableAllHooks is true: no hook of yours fires in this folder"),
        false => Switched::On,
    })
}

pub(crate) const RECIPE: Recipe = Recipe {
    kind: super::KIND,
    title: "Claude Code",
    programs: super::PROGRAMS,
    folder_variable: "CLAUDE_CONFIG_DIR",
    folder: ".claude",
    moved_folder: "",
    plugin: Some(&PLUGIN),
    settings: "settings.json",
    folder_is_shared: false,
    managed: &[
        "/etc/claude-code/managed-settings.json",
        // Read in the order of their names (2.1.330).
        "/etc/claude-code/managed-settings.d",
    ],
    after_settings: "sessions that run already report within seconds",
    advice: "in a folder that it has not been told to trust, it runs no hooks: answer its trust \
             dialog (2.1.330); --bare and --safe-mode switch all hooks off",
    trust: None,
    off: &OFF,
    fetched: None,
    launch: Launch::WithSettings { arguments, given, variable: None, is_run_once: true },
    part: Part::Entries(&FORM),
    probe: Probe::Written(probe),
};

const MANIFEST: &str = ".claude-plugin/plugin.json";
const MANIFEST_TEXT: &str = r#"{
  "name": "headsup",
  "version": "1.0.0",
  "description": "Reports to headsup what this session does. Remove it with `headsup hooks uninstall`.",
  "author": { "name": "headsup" }
}
"#;

fn plugin_files(launcher: &str) -> Vec<File> {
    let hooks = RECIPE.append("", launcher).unwrap_or_default();
    vec![
        File { path: MANIFEST, text: MANIFEST_TEXT.to_owned() },
        File { path: "hooks/hooks.json", text: hooks },
    ]
}

fn owns_plugin(path: &str, text: &str) -> bool {
    let json = serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
    path == MANIFEST && json["name"] == "headsup" && json["author"]["name"] == "headsup"
}

/// Without a manifest that is an object with a name of one word it loads no plugin, and runs none of its hooks
/// (2.1.330, measured). A byte order mark does no harm.
fn reads_plugin(path: &str, text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let json = serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
    let name = json["name"].as_str();
    path != MANIFEST || name.is_some_and(|name| !name.is_empty() && !name.contains(' '))
}

#[cfg(test)]
mod tests;
