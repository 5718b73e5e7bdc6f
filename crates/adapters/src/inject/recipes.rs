//! What holds for the entries of every program that has no plugin folder.

use super::entries::Form;
use super::{Part, Recipe, command, recipe, recipes};
use serde_json::{Value, json};

const LAUNCHER: &str = "/home/dev/.headsup/bin/headsup";

fn form(recipe: &Recipe) -> Option<&'static Form> {
    match recipe.part {
        Part::Entries(form) => Some(form),
        Part::Tables(_) | Part::Script(_) | Part::Server(_) | Part::Skill => None,
    }
}

fn all() -> impl Iterator<Item = &'static Recipe> {
    let is_one = |recipe: &&Recipe| recipe.plugin.is_none() && form(recipe).is_some();
    recipes().iter().copied().filter(is_one)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn install(recipe: &Recipe, text: &str) -> String {
    recipe.append(text, LAUNCHER).unwrap()
}

#[test]
fn there_is_an_entry_for_each_event_in_the_programs_own_form() {
    for (name, kind, entry) in [
        (
            "gemini",
            "gemini-cli",
            json!({"hooks": [{"type": "command", "name": "headsup", "command": "@", "timeout": 5_000}]}),
        ),
        (
            "qwen",
            "qwen-code",
            json!({"hooks": [{"type": "command", "name": "headsup", "command": "@", "timeout": 5}]}),
        ),
        ("droid", "droid", json!({"hooks": [{"type": "command", "command": "@", "timeout": 5}]})),
        ("grok", "grok", json!({"hooks": [{"type": "command", "command": "@", "timeout": 5}]})),
        ("cursor-agent", "cursor", json!({"command": "@", "timeout": 5})),
        ("crush", "crush", json!({"name": "headsup", "command": "@", "timeout": 5})),
        ("codex", "codex", json!({"hooks": [{"type": "command", "command": "@", "timeout": 3}]})),
        ("copilot", "copilot-cli", json!({"type": "command", "bash": "@", "timeoutSec": 5})),
    ] {
        let recipe = recipe(name).unwrap();
        assert_eq!(recipe.kind, kind);
        let installed = json(&install(recipe, ""));
        let events = form(recipe).unwrap().events;
        assert_eq!(installed["hooks"].as_object().unwrap().len(), events.len());
        for event in events {
            let command = command(kind, LAUNCHER, event).replace('"', "\\\"");
            let wanted = entry.to_string().replace('@', &command);
            let mut wanted = json(&wanted);
            let matchers = form(recipe).unwrap().matchers;
            if let Some((_, cause)) = matchers.iter().find(|(of, _)| of == event) {
                wanted["matcher"] = Value::from(*cause);
            }
            assert_eq!(installed["hooks"][event], json!([wanted]), "{kind} {event}");
        }
        let version = form(recipe).unwrap().version.map_or(Value::Null, Value::from);
        assert_eq!(installed["version"], version);
    }
}

#[test]
fn a_command_survives_whatever_becomes_of_the_binary() {
    for recipe in all() {
        let command = command(recipe.kind, LAUNCHER, "X");
        let path = "'/home/dev/.headsup/bin/headsup'";
        assert!(command.starts_with(&format!("[ -f {path} ] && [ -x {path} ] && ")), "{command}");
        // Where a person trusts it by its text, that stays as it was.
        let to = if recipe.trust.is_some() { "2>/dev/null" } else { ">/dev/null 2>&1" };
        assert!(command.ends_with(&format!(" X {to}; exit 0")), "{command}");
    }
}

#[test]
fn installing_again_changes_nothing_and_removing_leaves_nothing() {
    for recipe in all() {
        let once = install(recipe, "");
        assert_eq!(install(recipe, &once), once);
        let found = recipe.inspect(&once, LAUNCHER).unwrap();
        assert!(found.is_complete() && found.fires(), "{found:?}");
        assert!(recipe.is_all_ours(&once));
        let removed = recipe.remove(&once, LAUNCHER, None).unwrap();
        assert_eq!(json(&removed), json!({}), "{}", recipe.kind);
    }
}

#[test]
fn other_peoples_hooks_and_settings_stay_to_the_byte() {
    for recipe in all() {
        let form = form(recipe).unwrap();
        let event = form.events[0];
        let entry = format!("{{ \"type\": \"command\", \"{}\": \"say hi\" }}", form.command);
        let theirs = match form.is_grouped {
            true => format!("{{ \"hooks\": [{entry}] }}"),
            false => entry,
        };
        let list = format!("\"{event}\": [\n      {theirs}\n    ]");
        let events = match form.within {
            Some(name) => format!("\"{name}\": {{\n    {list}\n  }}"),
            None => list,
        };
        let before = format!("{{\n  // mine\n  \"version\": 1,\n  {events}\n}}\n");
        let installed = install(recipe, &before);
        assert!(installed.contains(&theirs) && installed.contains("// mine"));
        let removed = recipe.remove(&installed, LAUNCHER, Some(&before)).unwrap();
        assert_eq!(removed, before, "{}", recipe.kind);
        assert!(!recipe.is_all_ours(&installed));
    }
}

#[test]
fn what_is_wanted_for_one_cause_alone_is_not_called_for_others() {
    let recipe = all().find(|recipe| recipe.kind == "gemini-cli").unwrap();
    let installed = json(&install(recipe, ""));
    let groups = |event: &str| installed["hooks"][event].as_array().unwrap().clone();
    assert_eq!(groups("PreCompress").len(), 1);
    assert_eq!(groups("PreCompress")[0]["matcher"], "manual");
    assert!(groups("BeforeTool")[0].get("matcher").is_none());
}

#[test]
fn an_entry_that_was_changed_is_put_right() {
    for recipe in all() {
        let (timeout, length) = form(recipe).unwrap().timeout;
        let now = format!("\"{timeout}\": {length}");
        let slow = install(recipe, "").replace(&now, &format!("\"{timeout}\": 70"));
        let found = recipe.inspect(&slow, LAUNCHER).unwrap();
        assert_eq!(found.outdated, form(recipe).unwrap().events.len(), "{}", recipe.kind);
        let again = recipe.inspect(&install(recipe, &slow), LAUNCHER).unwrap();
        assert!(again.is_complete(), "{}", recipe.kind);
    }
}

#[test]
fn the_version_that_we_have_written_goes_unless_somebodys_entries_came_with_it() {
    for recipe in all().filter(|recipe| form(recipe).unwrap().version.is_some()) {
        let mine = |text: &str| text.replacen('{', "{ \"mine\": 1,", 1);
        let event = form(recipe).unwrap().events[0];
        let theirs = format!("{{\"hooks\":{{\"{event}\":[{{\"command\":\"say\"}}]}}}}");
        let emptied = format!("{{\"hooks\":{{\"{event}\":[]}}}}");
        for before in ["{\"hooks\":{}}", "{\"a\":1}", &emptied, &theirs] {
            let edited = mine(&install(recipe, before));
            let left = recipe.remove(&edited, LAUNCHER, Some(before)).unwrap();
            assert_eq!(json(&left), json(&mine(before)), "{}", recipe.kind);
            // One that is not ours any more.
            let mut other = json(&edited);
            other["version"] = json!(2);
            let left = recipe.remove(&other.to_string(), LAUNCHER, Some(before)).unwrap();
            assert_eq!(json(&left)["version"], 2, "{}", recipe.kind);
            // Another hub's, which goes later.
            let both = recipe.append(&edited, "/other/bin/headsup").unwrap();
            let left = recipe.remove(&both, LAUNCHER, Some(before)).unwrap();
            assert_eq!(json(&left)["version"], 1, "{}", recipe.kind);
            let left = recipe.remove(&left, "/other/bin/headsup", Some(before)).unwrap();
            assert_eq!(json(&left), json(&mine(before)), "{}", recipe.kind);
        }
        let mut added = json(&install(recipe, "{\"hooks\":{}}"));
        added["hooks"]["mine"] = json!([{ "command": "say" }]);
        let left = recipe.remove(&added.to_string(), LAUNCHER, Some("{\"hooks\":{}}")).unwrap();
        let expected = json!({ "version": 1, "hooks": { "mine": [{ "command": "say" }] } });
        assert_eq!(json(&left), expected, "{}", recipe.kind);
    }
}

#[test]
fn switches_of_a_program_that_has_named_hooks_are_seen() {
    let recipe = recipe("gemini-cli").unwrap();
    for (config, problem) in [
        (r#"{ "enabled": false }"#, Some("hooksConfig.enabled is false")),
        (r#"{ "disabled": ["other", "headsup"] }"#, Some("hooksConfig.disabled names headsup")),
        (r#"{ "enabled": true, "disabled": ["other"] }"#, None),
        ("7", None),
    ] {
        let text = install(recipe, &format!("{{ \"hooksConfig\": {config} }}"));
        let found = recipe.inspect(&text, LAUNCHER).unwrap();
        assert!(found.is_complete(), "{config}");
        assert_eq!(found.fires(), problem.is_none(), "{config}");
        match (problem, found.problems.as_slice()) {
            (None, []) => {}
            (Some(problem), [told]) => assert!(told.starts_with(problem), "{told}"),
            (_, told) => panic!("{config}: {told:?}"),
        }
    }
}

#[test]
fn only_the_program_itself_is_taken_for_it() {
    for recipe in all() {
        assert!(!recipe.runs("node"), "{}", recipe.kind);
    }
}
