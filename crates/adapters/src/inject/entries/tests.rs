//! What people do to our entries, and to what is around them.

use super::{parse, take_out};
use crate::inject::{Recipe, recipe};
use serde_json::{Value, json};

const LAUNCHER: &str = "/home/dev/.headsup/bin/headsup";

fn install(recipe: &Recipe, text: &str) -> String {
    recipe.append(text, LAUNCHER).unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Some with groups and some without.
fn all() -> [&'static Recipe; 5] {
    ["gemini-cli", "qwen-code", "copilot-cli", "codex", "claude-code"]
        .map(|kind| recipe(kind).unwrap())
}

/// Its first event, as it stands in a file.
fn first_event(recipe: &Recipe) -> String {
    let installed = json(&install(recipe, ""));
    let hooks = installed["hooks"].as_object().unwrap();
    let text = install(recipe, "");
    let place = |event: &&String| text.find(&format!("\"{event}\": ["));
    hooks.keys().min_by_key(place).unwrap().clone()
}

#[test]
fn a_comment_of_a_persons_in_or_beside_what_goes_stays() {
    for recipe in all() {
        let event = first_event(recipe);
        let list = format!("\"{event}\": [");
        for before in ["", "{\n  \"model\": 1\n}\n", "{\n  \"model\": 1, // theirs\n}\n"] {
            let installed = install(recipe, before);
            let ours = installed.find(&list).unwrap();
            let (head, tail) = installed.split_at(ours);
            let end = tail.find("\n    ]").unwrap() + "\n    ]".len();
            let (first, rest) = tail.split_at(end);
            let bare = first.replace(",\n    ]", "\n    ]");
            let closing = installed.rfind("\n  }").unwrap() + "\n  }".len();
            for edited in [
                installed.replacen("\"hooks\": {", "\"hooks\": { // mine", 1),
                installed.replacen("\"hooks\": {", "\"hooks\": /* mine */ {", 1),
                installed.replacen("\"hooks\": {", "/* mine */ \"hooks\": {", 1),
                format!("{head}// mine\n    {tail}"),
                format!("{head}/* mine */ {tail}"),
                installed.replacen(&list, &format!("{list} // mine"), 1),
                installed.replacen(&list, &format!("\"{event}\": /* mine */ ["), 1),
                // Behind the list, with its comma and without.
                format!("{head}{first} /* mine */{rest}"),
                format!("{head}{first}{}", rest.replacen(',', ", // mine", 1)),
                // Behind a group or an entry.
                format!("{head}{}{rest}", first.replace("\n    ]", " // mine\n    ]")),
                format!("{head}{}{rest}", bare.replace("\n    ]", ", // mine\n    ]")),
                format!("{}// mine{}", &installed[..closing], &installed[closing..]),
                format!("{} /* mine */, // mine, too\n  \"b\": 2 }}", &installed[..closing]),
            ] {
                for text in [edited.clone(), edited.replace('\n', "\r\n")] {
                    let left = recipe.remove(&text, LAUNCHER, None).unwrap();
                    let at = format!("{}: {text}\n{left}", recipe.kind);
                    assert!(!left.contains("headsup"), "{at}");
                    assert_eq!(left.matches("mine").count(), text.matches("mine").count(), "{at}");
                    assert_eq!(left.contains("// theirs"), before.contains("// theirs"), "{at}");
                    assert!(parse(&left).is_ok(), "{at}");
                    assert_eq!(recipe.remove(&left, LAUNCHER, None).unwrap(), left, "{at}");
                }
            }
        }
    }
}

#[test]
fn a_comment_behind_the_closing_brace_gets_a_line_of_its_own() {
    let recipe = recipe("gemini-cli").unwrap();
    let installed = install(recipe, "{\n  \"model\": 1\n}\n");
    let edited = installed.replacen("\n  }\n}", "\n  } // after hooks\n}", 1);
    assert_ne!(edited, installed);
    let left = recipe.remove(&edited, LAUNCHER, None).unwrap();
    assert_eq!(left, "{\n  \"model\": 1\n  // after hooks\n}\n");
    let more = installed.replacen("\n  }\n}", "\n  }, /* next */ \"b\": 2\n}", 1);
    let left = recipe.remove(&more, LAUNCHER, None).unwrap();
    assert_eq!(left, "{\n  \"model\": 1,\n /* next */ \"b\": 2\n}\n");
}

#[test]
fn a_comment_that_was_in_an_empty_list_stays_also_where_nobody_remembers_it() {
    let recipe = recipe("gemini-cli").unwrap();
    let before = "{\n  \"hooks\": {\n    \"AfterAgent\": [\n      // later\n    ]\n  }\n}\n";
    let installed = install(recipe, before);
    assert!(recipe.inspect(&installed, LAUNCHER).unwrap().is_complete());
    assert_eq!(recipe.remove(&installed, LAUNCHER, None).unwrap(), before);
}

#[test]
fn a_comment_between_two_of_ours_on_one_line_stays() {
    for recipe in all() {
        let installed = json(&install(recipe, ""));
        let events = installed["hooks"].as_object().unwrap().iter();
        let events: Vec<String> =
            events.map(|(name, list)| format!("\"{name}\": {list}")).collect();
        let all = events.join(", /* mine */ ");
        let text = format!("{{ \"hooks\": {{ {all}, \"theirs\": 1 }} }}\n");
        let left = recipe.remove(&text, LAUNCHER, None).unwrap();
        let at = format!("{}: {left}", recipe.kind);
        assert_eq!(left.matches("/* mine */").count(), events.len() - 1, "{at}");
        assert!(!left.contains("headsup") && left.contains("theirs"), "{at}");
        assert!(parse(&left).is_ok(), "{at}");
    }
}

#[test]
fn a_comment_that_came_to_stand_behind_our_version_stays() {
    let recipe = recipe("cursor").unwrap();
    let before = "{ // mine\n  \"a\": 1\n}\n";
    let installed = install(recipe, before);
    assert!(installed.contains("\"version\": 1"), "{installed}");
    let left = recipe.remove(&installed, LAUNCHER, Some(before)).unwrap();
    assert!(left.contains("// mine") && !left.contains("version"), "{left}");
    assert!(parse(&left).is_ok(), "{left}");
    // Nobody remembers what was there.
    let left = recipe.remove(&install(recipe, "{ // mine\n}\n"), LAUNCHER, None).unwrap();
    assert!(left.contains("// mine") && !left.contains("version"), "{left}");
}

/// One by one they would get lines of their own, which takes minutes where they are many.
#[test]
fn very_many_members_on_one_line_stay_on_it() {
    let members: Vec<String> = (0..2_000).map(|number| format!("\"m{number}\":{number}")).collect();
    let line = members.join(",");
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    for end in ["}", " }\n", "}\r\n"] {
        let text = format!("\u{feff}{{{line}{end}");
        for recipe in all() {
            let installed = install(recipe, &text);
            assert!(installed.contains(&line), "{}", recipe.kind);
            assert!(recipe.inspect(&installed, LAUNCHER).unwrap().is_complete(), "{}", recipe.kind);
            let left = recipe.remove(&installed, LAUNCHER, Some(&text)).unwrap();
            assert_eq!(plain(&left), plain(&text), "{}", recipe.kind);
        }
    }
}

#[test]
fn what_is_written_within_our_entry_goes_with_it() {
    let recipe = recipe("gemini-cli").unwrap();
    let edited = install(recipe, "").replacen("\"type\"", "// mine\n\"type\"", 1);
    assert_eq!(json(&recipe.remove(&edited, LAUNCHER, None).unwrap()), json!({}));
}

#[test]
fn a_comment_beside_an_entry_that_is_put_right_stays() {
    for recipe in all() {
        let installed = install(recipe, "");
        let older = installed.replacen("\": 5", "\": 50", 1).replacen("\": 3", "\": 30", 1);
        let commented = older.replacen("\n    ]", " // mine\n    ]", 1);
        assert!(!recipe.inspect(&commented, LAUNCHER).unwrap().is_complete(), "{commented}");
        let again = install(recipe, &commented);
        assert!(recipe.inspect(&again, LAUNCHER).unwrap().is_complete(), "{again}");
        assert_eq!(again.matches("// mine").count(), 1, "{again}");
    }
}

/// The group, or the entry itself, with another member.
fn with_matcher(recipe: &Recipe, matcher: &str) -> Value {
    let event = first_event(recipe);
    let mut value = json(&install(recipe, ""));
    value["hooks"][&event][0]["matcher"] = matcher.into();
    value
}

#[test]
fn an_entry_that_was_narrowed_is_changed_and_is_put_right() {
    for recipe in all() {
        let narrowed = with_matcher(recipe, "run_shell.*").to_string();
        let found = recipe.inspect(&narrowed, LAUNCHER).unwrap();
        assert_eq!((found.outdated, found.is_complete()), (1, false), "{}", recipe.kind);
        assert_eq!(json(&install(recipe, &narrowed)), json(&install(recipe, "")));
        let left = recipe.remove(&narrowed, LAUNCHER, None).unwrap();
        assert_eq!(json(&left), json!({}), "{}", recipe.kind);
        for wide in ["", "*", ".*"] {
            let wide = with_matcher(recipe, wide).to_string();
            assert!(recipe.inspect(&wide, LAUNCHER).unwrap().is_complete(), "{wide}");
            assert_eq!(install(recipe, &wide), wide);
        }
    }
    // Where one cause alone is wanted, so is its name.
    let recipe = recipe("gemini-cli").unwrap();
    let installed = install(recipe, "");
    let widened = installed.replacen("\"matcher\": \"manual\"", "\"matcher\": \"*\"", 1);
    assert_ne!(widened, installed);
    assert_eq!(recipe.inspect(&widened, LAUNCHER).unwrap().outdated, 1);
    assert_eq!(json(&install(recipe, &widened)), json(&installed));
}

#[test]
fn of_an_entry_that_stands_twice_one_goes() {
    for recipe in all() {
        let event = first_event(recipe);
        let mut value = json(&install(recipe, ""));
        let list = value["hooks"][&event].as_array_mut().unwrap();
        list.push(json!({ "mine": 1 }));
        list.push(list[0].clone());
        let twice = value.to_string();
        let found = recipe.inspect(&twice, LAUNCHER).unwrap();
        assert_eq!((found.outdated, found.missing.len()), (1, 0), "{}", recipe.kind);
        let once = json(&install(recipe, &twice));
        let ours = json(&install(recipe, ""))["hooks"][&event][0].clone();
        assert_eq!(once["hooks"][&event], json!([ours, { "mine": 1 }]), "{}", recipe.kind);
    }
}

#[test]
fn where_nothing_is_found_nothing_is_taken() {
    let (_, root) = parse("{ \"a\": 1 /* b */ }").unwrap();
    let (root, has_found) = take_out(root, |_| Vec::new()).unwrap();
    assert_eq!((root.to_string().as_str(), has_found), ("{ \"a\": 1 /* b */ }", false));
}
