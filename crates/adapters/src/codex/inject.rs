//! Our entries in Codex's configuration.
//!
//! Codex 0.169.0 (measured): it merges the hooks of `hooks.json`, of `config.toml` and of the
//! project. A hook runs only once a person has trusted it, and is known by its file, its event and
//! its place there: what is put before another one takes that one's trust away, so entries are
//! appended. It is asked about at the next start; `codex exec` leaves out what is not trusted without
//! a word. Its single `notify` program is somebody else's, and is not touched.

use crate::hook_table::CODEX_EVENTS as EVENTS;
use crate::inject::entries::Form;
use crate::inject::{Launch, Off, Part, Probe, Recipe, Switched, Trust, event_of, probe};
use serde_json::Value;
use std::ffi::OsString;

const FORM: Form = Form {
    kind: super::KIND,
    events: EVENTS,
    optional: &[],
    versions: None,
    matchers: &[],
    command: "command",
    // In seconds. Of `SessionEnd` and `Interrupt` it warns if they may take longer (measured).
    timeout: ("timeout", 3),
    name: None,
    within: Some("hooks"),
    is_typed: true,
    event: "",
    is_wrapped: false,
    is_grouped: true,
    version: None,
    // Such a hook is killed when `codex exec` ends (measured).
    unawaited: None,
    switches: &[],
    not_strict: Some("the whole file is ignored: hooks in it never fire"),
};

const TRUST: Trust = Trust {
    file: "config.toml",
    advice: "start it and trust them when it says that hooks need review",
    missing: untrusted,
    disabled,
};

/// The machine's own rules, and a person's configuration.
const OFF: [Off; 2] = [
    Off { file: "/etc/codex/requirements.toml", is_here: false, says: ruled },
    Off { file: "config.toml", is_here: false, says: off },
];

pub(crate) const RECIPE: Recipe = Recipe {
    kind: super::KIND,
    title: "Codex",
    programs: super::PROGRAMS,
    folder_variable: "CODEX_HOME",
    folder: ".codex",
    moved_folder: "",
    plugin: None,
    settings: "hooks.json",
    folder_is_shared: false,
    managed: &[],
    after_settings: "at its next start it asks you to review them: until you trust them, none runs",
    // The dialog was taken off the screen.
    advice: "it runs only hooks that you have trusted; in a folder that is new to it, it first asks whether to \
             trust that one, and waits for your answer (0.169.0)",
    trust: Some(&TRUST),
    off: &OFF,
    fetched: None,
    // An older one refuses to start with it (measured: 0.149.0).
    launch: Launch::WithArguments { arguments, package: "@openai/codex", since: (0, 162) },
    part: Part::Entries(&FORM),
    probe: Probe::Written(probe),
};

/// Without the background server: its hooks would carry the id and the pane of the first terminal
/// (measured). It cannot be told so together with a server elsewhere (measured).
const ALONE: &str = "--no-daemon";

fn arguments(given: &[OsString]) -> Vec<OsString> {
    let mut options = given.iter().take_while(|argument| *argument != "--");
    let is_said = options.any(|argument| {
        let text = argument.to_string_lossy();
        text == ALONE || text == "--remote" || text.starts_with("--remote=")
    });
    let alone = (!is_said).then(|| OsString::from(ALONE));
    alone.into_iter().chain(given.iter().cloned()).collect()
}

/// It keeps a hash under `hooks.state."FILE:EVENT:GROUP:PLACE"`, the event's words in snake case
/// (measured). Whether that is still the right one only it can tell.
fn untrusted(config: &str, settings: &str, path: &str, launcher: &str) -> usize {
    let is_trusted =
        |state: &toml::Value| state.get("trusted_hash").is_some_and(toml::Value::is_str);
    count(config, settings, path, launcher, |state| state.is_none_or(|state| !is_trusted(state)))
}

/// A person switches a single one off with `/hooks` (by its documentation).
fn disabled(config: &str, settings: &str, path: &str, launcher: &str) -> usize {
    let is_off = |state: &toml::Value| is_false(state.get("enabled"));
    count(config, settings, path, launcher, |state| state.is_some_and(is_off))
}

/// How many entries of ours are so by what it keeps of them.
fn count(
    config: &str,
    settings: &str,
    path: &str,
    launcher: &str,
    is_so: impl Fn(Option<&toml::Value>) -> bool,
) -> usize {
    let config: toml::Table = config.parse().unwrap_or_default();
    let state = config.get("hooks").and_then(|hooks| hooks.get("state"));
    let settings: Value = serde_json::from_str(settings).unwrap_or_default();
    let mut count = 0;
    for event in EVENTS {
        let groups = settings["hooks"][event].as_array().into_iter().flatten();
        for (at, group) in groups.enumerate() {
            let entries = group["hooks"].as_array().into_iter().flatten();
            for (place, entry) in entries.enumerate() {
                let command = entry["command"].as_str().unwrap_or_default();
                let ours = event_of(super::KIND, command, launcher);
                let key = format!("{path}:{}:{at}:{place}", snake(event));
                let kept = state.and_then(|state| state.get(key.as_str()));
                count += usize::from(ours.is_some() && is_so(kept));
            }
        }
    }
    count
}

/// Hooks are on unless this says otherwise; its older name still counts (by its documentation). What it cannot read
/// keeps it from starting (0.169.0, measured).
fn off(config: &str) -> Option<Switched> {
    let Ok(config) = config.trim_start_matches('\u{feff}').parse::<toml::Table>() else {
        return Some(Switched::Off("it is not TOML, and Codex does not start with it"));
    };
    let features = config.get("features")?;
    [
        ("hooks", "features.hooks is false: no hook of yours fires"),
        ("codex_hooks", "features.codex_hooks is false: no hook of yours fires"),
    ]
    .into_iter()
    .find_map(|(name, why)| is_false(features.get(name)).then_some(Switched::Off(why)))
}

/// What an administrator has ruled counts before a person's word (by its documentation).
fn ruled(requirements: &str) -> Option<Switched> {
    let rules: toml::Table = requirements.parse().unwrap_or_default();
    let managed = rules.get("allow_managed_hooks_only").and_then(toml::Value::as_bool);
    let why = "allow_managed_hooks_only is true: no hook of yours fires";
    let hooks = rules.get("features").and_then(|features| features.get("hooks"));
    let off = || is_false(hooks).then_some("features.hooks is false: no hook of yours fires");
    (managed == Some(true)).then_some(why).or_else(off).map(Switched::Off)
}

fn is_false(value: Option<&toml::Value>) -> bool {
    value.and_then(toml::Value::as_bool) == Some(false)
}

fn snake(event: &str) -> String {
    let mut out = String::new();
    for (at, c) in event.char_indices() {
        if c.is_ascii_uppercase() && at > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCHER: &str = "/home/ada/.local/state/headsup/bin/headsup";
    const PATH: &str = "/home/ada/.codex/hooks.json";

    #[test]
    fn entries_are_appended_and_go_to_the_byte() {
        let theirs = r#"{
  "hooks": {
    "Stop": [
      { "hooks": [ { "type": "command", "command": "say done" } ] }
    ]
  }
}
"#;
        for text in ["", "{}\n", theirs] {
            let installed = RECIPE.append(text, LAUNCHER).unwrap();
            let value: Value = serde_json::from_str(&installed).unwrap();
            assert_eq!(value["hooks"].as_object().unwrap().len(), EVENTS.len());
            assert_eq!(RECIPE.append(&installed, LAUNCHER).unwrap(), installed);
            assert!(RECIPE.inspect(&installed, LAUNCHER).unwrap().is_complete());
            let removed = RECIPE.remove(&installed, LAUNCHER, Some(text)).unwrap();
            assert!(text.is_empty() || removed == text, "{removed}");
        }
        let installed = RECIPE.append(theirs, LAUNCHER).unwrap();
        let value: Value = serde_json::from_str(&installed).unwrap();
        let stops = value["hooks"]["Stop"].as_array().unwrap();
        assert_eq!(stops[0]["hooks"][0]["command"], "say done");
        // Known members alone: another one might cost the whole file.
        let ours = stops[1]["hooks"][0].as_object().unwrap();
        let members: Vec<&str> = ours.keys().map(String::as_str).collect();
        assert_eq!(members, ["command", "timeout", "type"]);
    }

    #[test]
    fn an_entry_is_trusted_by_its_place() {
        let settings = RECIPE.append("", LAUNCHER).unwrap();
        let missing = |config: &str| TRUST.missing(config, &settings, PATH, LAUNCHER);
        assert_eq!(missing(""), EVENTS.len());
        assert_eq!(missing("not TOML ["), EVENTS.len());
        let trusted = |events: &[&str]| -> String {
            let line = |event: &&str| {
                format!(
                    "[hooks.state.\"{PATH}:{}:0:0\"]\ntrusted_hash = \"sha256:0\"\n",
                    snake(event)
                )
            };
            events.iter().map(line).collect()
        };
        assert_eq!(missing(&trusted(&EVENTS[1..])), 1);
        assert_eq!(missing(&trusted(EVENTS)), 0);
        assert_eq!(snake("UserPromptSubmit"), "user_prompt_submit");
    }

    #[test]
    fn what_a_person_has_switched_off_is_seen() {
        let settings = RECIPE.append("", LAUNCHER).unwrap();
        let disabled = |config: &str| TRUST.disabled(config, &settings, PATH, LAUNCHER);
        let of_stop = |said: &str| format!("[hooks.state.\"{PATH}:stop:0:0\"]\n{said}\n");
        assert_eq!(disabled(&of_stop("enabled = false")), 1);
        for config in
            ["", "not TOML [", &of_stop("enabled = true"), &of_stop("trusted_hash = \"x\"")]
        {
            assert_eq!(disabled(config), 0, "{config}");
        }
        for name in ["hooks", "codex_hooks"] {
            let Some(Switched::Off(why)) = off(&format!("[features]\n{name} = false\n")) else {
                panic!("{name}")
            };
            assert!(why.starts_with(&format!("features.{name} is false")), "{why}");
            assert_eq!(off(&format!("features = {{ {name} = true }}\n")), None);
        }
        for config in ["", "features = 1\n", "hooks = false\n", "[features]\nother = false\n"] {
            assert_eq!(off(config), None, "{config}");
            assert_eq!(off(&format!("\u{feff}{config}")), None, "{config}");
        }
        for config in ["not TOML [", "[features\n", "a = 1\na = 2\n"] {
            let Some(Switched::Off(why)) = off(config) else { panic!("{config}") };
            assert!(why.starts_with("it is not TOML"), "{why}");
        }
    }

    #[test]
    fn what_the_machine_has_ruled_is_seen() {
        for (rules, name) in [
            ("allow_managed_hooks_only = true\n", "allow_managed_hooks_only is true"),
            ("[features]\nhooks = false\n", "features.hooks is false"),
        ] {
            let Some(Switched::Off(why)) = ruled(rules) else { panic!("{rules}") };
            assert!(why.starts_with(name), "{why}");
        }
        for rules in ["", "not TOML [", "allow_managed_hooks_only = false\n", "features = 1\n"] {
            assert_eq!(ruled(rules), None, "{rules}");
        }
    }

    #[test]
    fn a_launch_is_without_the_daemon_unless_it_says_where_its_server_is() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        for (given, expected) in [
            (&["resume", "ID"][..], &["--no-daemon", "resume", "ID"][..]),
            (&["--no-daemon", "go"], &["--no-daemon", "go"]),
            (&["--remote", "unix://"], &["--remote", "unix://"]),
            (&["--remote=unix://"], &["--remote=unix://"]),
            (&["--", "--remote"], &["--no-daemon", "--", "--remote"]),
        ] {
            assert_eq!(arguments(&words(given)), words(expected));
        }
    }
}
