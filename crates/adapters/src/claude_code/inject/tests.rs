//! The edit and its inverse.

use super::*;
use crate::inject::{around_before, command};
use crate::inject::{recipe, recipes};
use serde_json::Value;
use std::ffi::OsString;

const LAUNCHER: &str = "/home/ada/.local/state/headsup/bin/headsup";

fn install(text: &str) -> String {
    RECIPE.append(text, LAUNCHER).unwrap()
}

fn uninstall(text: &str, original: Option<&str>) -> String {
    RECIPE.remove(text, LAUNCHER, original).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_empty_settings_get_one_entry_for_each_event() {
    let text = install("{}\n");
    let hooks = json(&text)["hooks"].clone();
    assert_eq!(hooks.as_object().unwrap().len(), EVENTS.len());
    for event in EVENTS {
        let entry = &hooks[event][0]["hooks"][0];
        assert_eq!((&entry["type"], &entry["timeout"]), (&"command".into(), &5.into()));
        assert_eq!(entry["command"], command(super::super::KIND, LAUNCHER, event));
        let unawaited = (*event == UNAWAITED).then_some(&Value::Bool(true));
        assert_eq!(entry.get("async"), unawaited, "{event}");
    }
    let first = text.lines().take(14).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(first, @r#"
    {
      "hooks": {
        "SessionStart": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "[ -f '/home/ada/.local/state/headsup/bin/headsup' ] && [ -x '/home/ada/.local/state/headsup/bin/headsup' ] && HEADSUP_HOME='/home/ada/.local/state/headsup' '/home/ada/.local/state/headsup/bin/headsup' hook claude-code SessionStart >/dev/null 2>&1; exit 0",
                "timeout": 5
              }
            ]
          }
        ],
        "SessionEnd": [
    "#);
}

#[test]
fn what_takes_over_or_holds_up_is_never_registered() {
    for never in ["WorktreeCreate", "MessageDisplay"] {
        assert!(!EVENTS.contains(&never));
    }
}

#[test]
fn every_event_we_ask_for_is_one_the_adapter_knows() {
    for event in EVENTS {
        assert!(crate::claude_code::event::Event::parse(event).is_some(), "{event}");
    }
}

#[test]
fn what_was_there_stays_where_it_was() {
    let text = "// mine\r\n{\r\n\t\"model\": \"x\", // a\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{ \"hooks\": [ { \"type\": \"command\", \"command\": \"say done\" } ] },\r\n\t\t],\r\n\t},\r\n\t\"env\": { \"A\": \"é\" }\r\n}\r\n";
    let installed = install(text);
    for line in ["// mine\r\n", "// a\r\n", "say done", "\"env\": { \"A\": \"é\" }\r\n"] {
        assert!(installed.contains(line), "{line}");
    }
    assert!(!installed.replace("\r\n", "").contains('\n'), "only CRLF");
    assert!(installed.find("say done").unwrap() < installed.find(LAUNCHER).unwrap());
    assert_eq!(uninstall(&installed, Some(text)), text);
}

#[test]
fn installing_again_changes_nothing() {
    let once = install("{\n  \"model\": \"x\"\n}\n");
    assert_eq!(install(&once), once);
    let found = RECIPE.inspect(&once, LAUNCHER).unwrap();
    assert!(found.is_complete() && found.problems.is_empty() && found.others == 0);
    assert_eq!(found.entries.len(), EVENTS.len());
}

#[test]
fn an_entry_that_was_changed_is_put_right_and_still_found() {
    let installed = install("{}");
    let slow = installed.replacen("\"timeout\": 5", "\"timeout\": 600", 1);
    assert_eq!(RECIPE.inspect(&slow, LAUNCHER).unwrap().outdated, 1);
    assert_eq!(json(&install(&slow)), json(&installed));
    assert_eq!(json(&uninstall(&slow, None)), json("{}"));
}

#[test]
fn entries_are_found_wherever_the_user_moved_them() {
    let mut value = json(&install("{}"));
    let ours = value["hooks"]["Stop"][0]["hooks"][0].clone();
    let theirs = json(r#"{"type": "command", "command": "say"}"#);
    value["hooks"]["Stop"] = json("[]");
    value["hooks"]["Notification"][0]["hooks"] = Value::Array(vec![theirs.clone(), ours]);
    let moved = serde_json::to_string_pretty(&value).unwrap();
    let left = json(&uninstall(&moved, None));
    assert_eq!(
        left["hooks"]["Notification"],
        json(r#"[{"hooks":[{"type":"command","command":"say"}]}]"#)
    );
    assert!(!left.to_string().contains("headsup"));
}

#[test]
fn containers_that_were_there_before_stay() {
    for text in ["{\n  \"hooks\": {}\n}\n", "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"] {
        let left = uninstall(&install(text), Some(text));
        assert_eq!(json(&left), json(text));
    }
}

#[test]
fn what_is_not_clear_is_refused_and_not_touched() {
    let cases = [
        ("{ \"a\": 1", "it is not JSON"),
        ("{ a: 1 }", "it is not JSON"),
        ("{ 'a': 1 }", "it is not JSON"),
        ("[]", "the file is not an object"),
        ("\"text\"", "the file is not an object"),
        ("{\"hooks\": []}", "\"hooks\" is not an object"),
        ("{\"hooks\": {\"Stop\": {}}}", "\"hooks.Stop\" is not a list"),
        ("{\"hooks\": {}, \"hooks\": {}}", "the key \"hooks\" stands more than once"),
        ("{\"hooks\": {\"Stop\": [], \"Stop\": []}}", "the key \"Stop\" stands more than once"),
    ];
    for (text, why) in cases {
        let error = RECIPE.append(text, LAUNCHER).unwrap_err().to_string();
        assert!(error.starts_with(why), "{text}: {error}");
    }
}

#[test]
fn only_the_entries_of_this_state_folder_are_ours() {
    let installed = install("{}");
    let other = "/elsewhere/bin/headsup";
    assert_eq!(RECIPE.remove(&installed, other, None).unwrap(), installed);
    let found = RECIPE.inspect(&installed, other).unwrap();
    assert_eq!((found.others, found.is_empty()), (EVENTS.len(), true));
    let home = LAUNCHER.strip_suffix("/bin/headsup").unwrap();
    assert_eq!((found.pasted, found.elsewhere), (0, vec![home.to_owned()]));
}

#[test]
fn two_state_folders_leave_nothing_behind_whichever_goes_first() {
    let other = "/srv/it's another/bin/headsup";
    let append = |text: &str, launcher: &str| RECIPE.append(text, launcher).unwrap();
    for text in [
        "{\n  \"model\": \"x\"\n}\n",
        "{\n  \"hooks\": {}\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [ { \"type\": \"command\", \"command\": \"say\" } ] }\n    ]\n  }\n}\n",
    ] {
        let first = append(text, LAUNCHER);
        let both = append(&first, other);
        let found = RECIPE.inspect(&both, LAUNCHER).unwrap();
        assert!(found.is_complete());
        assert_eq!((found.pasted, found.elsewhere), (0, vec!["/srv/it's another".to_owned()]));
        // Each knows what was there when it came.
        let left = RECIPE.remove(&both, LAUNCHER, Some(text)).unwrap();
        let left = RECIPE.remove(&left, other, Some(&first)).unwrap();
        assert!(!left.contains("headsup"), "{left}");
        if !text.contains("hooks") || text.contains("say") {
            assert_eq!(left, text);
        }
        let left = RECIPE.remove(&both, other, Some(&first)).unwrap();
        assert_eq!(RECIPE.remove(&left, LAUNCHER, Some(text)).unwrap(), text);
        assert!(!RECIPE.is_all_ours(text));
    }
    assert!(RECIPE.is_all_ours(&append(&install(""), other)));
}

#[test]
fn switches_that_silence_hooks_are_named() {
    let text = "{ \"disableAllHooks\": true, // why\n \"allowManagedHooksOnly\": true }";
    let problems = RECIPE.inspect(text, LAUNCHER).unwrap().problems;
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(RECIPE.inspect("{\"disableAllHooks\": false}", LAUNCHER).unwrap().problems.is_empty());
}

#[test]
fn settings_switch_the_plugin_off_where_they_are_read() {
    for (text, expected) in [
        (r#"{ "enabledPlugins": { "headsup@skills-dir": false } }"#, Some(false)),
        ("\u{feff}{\"enabledPlugins\":{\"headsup@skills-dir\":false}}", Some(false)),
        (r#"{ "enabledPlugins": { "headsup@skills-dir": true } }"#, Some(true)),
        (r#"{ "enabledPlugins": { "other@skills-dir": false } }"#, None),
        (r#"{ "enabledPlugins": [] }"#, None),
        ("{ // mine\n\"enabledPlugins\":{\"headsup@skills-dir\":false}}", None),
        ("", None),
    ] {
        assert_eq!(PLUGIN.switched(text), expected, "{text}");
    }
}

#[test]
fn a_plugin_is_a_folder_of_its_own_with_the_same_commands() {
    let files = PLUGIN.files(LAUNCHER);
    assert_eq!(files[1].path, PLUGIN.entries);
    let found = RECIPE.inspect(&files[1].text, LAUNCHER).unwrap();
    assert!(found.is_complete());
    assert!(PLUGIN.owns(files[0].path, &files[0].text));
    assert!(!PLUGIN.owns(files[0].path, "{\"name\": \"headsup\"}"));
    assert!(!PLUGIN.owns(files[0].path, "no json"));
}

#[test]
fn a_plugin_is_loaded_by_its_manifest_alone() {
    let files = PLUGIN.files(LAUNCHER);
    let (manifest, entries) = (&files[0], &files[1]);
    let reads = |text: &str| PLUGIN.reads(manifest.path, text);
    assert!(reads(&manifest.text) && reads(&format!("\u{feff}{}", manifest.text)));
    assert!(reads(r#"{ "name": "another", "mine": 1 }"#));
    let commented = format!("// mine\n{}", manifest.text);
    for broken in ["", "{", "[]", "{}", r#"{"name":3}"#, r#"{"name":""}"#, r#"{"name":"a b"}"#] {
        assert!(!reads(broken), "{broken}");
    }
    assert!(!reads(&commented));
    assert!(PLUGIN.reads(entries.path, "{"), "that is for those who look for entries");
}

#[test]
fn entries_of_an_earlier_version_are_ours_and_are_replaced() {
    let now = install("{}");
    for (start, end) in around_before(super::super::KIND, LAUNCHER) {
        let mut value = json(&now);
        for event in EVENTS {
            let old = format!("{start}{event}{end}");
            value["hooks"][event][0]["hooks"][0]["command"] = old.into();
        }
        let before = serde_json::to_string_pretty(&value).unwrap();
        assert_ne!(json(&before), json(&now));
        let found = RECIPE.inspect(&before, LAUNCHER).unwrap();
        assert_eq!((found.outdated, found.entries.len()), (EVENTS.len(), 0), "{before}");
        let found = RECIPE.inspect(&before, "/elsewhere/bin/headsup").unwrap();
        assert_eq!((found.pasted, found.elsewhere.len()), (0, 1), "another hub's: {before}");
        assert_eq!(json(&install(&before)), json(&now));
        assert_eq!(json(&uninstall(&before, None)), json("{}"));
    }
}

#[test]
fn a_launch_brings_its_settings_and_keeps_every_other_argument() {
    let words = |line: &[&str]| line.iter().map(OsString::from).collect::<Vec<_>>();
    let path = OsString::from("/s.json");
    let plain = words(&["-p", "", "a b", "--", "--settings"]);
    assert_eq!(given(&plain), None);
    let expected = words(&["--settings", "/s.json", "-p", "", "a b", "--", "--settings"]);
    assert_eq!(arguments(&plain, &path), expected);
    for own in [&["-p", "--settings", "mine", "x"][..], &["-p", "--settings=mine", "x"]] {
        assert_eq!(given(&words(own)), Some("mine".into()));
        let expected = words(&["--settings", "/s.json", "-p", "x"]);
        assert_eq!(arguments(&words(own), &path), expected);
    }
}

#[test]
fn a_recipe_is_found_by_kind_and_by_program() {
    for recipe_of in recipes() {
        assert_eq!(recipe(recipe_of.kind).unwrap().kind, recipe_of.kind);
        assert!(crate::is_kind(recipe_of.kind));
    }
    assert_eq!(recipe("claude").unwrap().kind, "claude-code");
    assert_eq!(recipe("codex").unwrap().kind, "codex");
    assert!(recipe("vi").is_none());
}
