//! Every way people have their settings, installed into and taken away from again, both ways.

use crate::install::{home, settings, status};
use headsup_testkit::home::Home;
use headsup_testkit::settings::{Fixture, Snapshot, closed, kept, snapshot, taken, unclear};
use std::fs;

const PLUGIN: &[&str] = &[];
const LIVE: &[&str] = &["--live"];

/// Settings that no program could read, and of which nobody can say what is in them.
const NO_JSON: [&str; 7] = [
    "a_link_out_of_the_home",
    "conflict_marks",
    "cut_off",
    "not_json_but_javascript",
    "not_utf8",
    "single_quotes",
    "utf16",
];

struct Case {
    home: Home,
    fixture: Fixture,
    before: Snapshot,
}

impl Case {
    fn new(fixture: Fixture) -> Self {
        let home = home();
        fixture.lay(home.path(), &launcher(&home));
        let before = snapshot(home.path(), &home.state());
        Self { home, fixture, before }
    }

    fn now(&self) -> Snapshot {
        snapshot(self.home.path(), &self.home.state())
    }

    fn after(&self) -> Snapshot {
        self.fixture.after(self.before.clone(), self.home.path(), &launcher(&self.home))
    }

    fn hooks(&self, act: &str, way: &[&str]) -> headsup_testkit::home::Done {
        let mut args = vec!["hooks", act, "claude-code"];
        args.extend(way);
        self.home.run(args)
    }

    /// From nothing and back again, with nothing done twice.
    fn round_trip(&self, way: &[&str]) {
        let name = &self.fixture.name;
        let mut dry = way.to_vec();
        dry.push("--dry-run");
        let shown = self.hooks("install", &dry);
        assert!(shown.ok().stdout.contains("+++ "), "{name}: {shown:?}");
        assert_eq!(self.now(), self.before, "{name}: a dry run");
        assert!(!self.home.state().exists(), "{name}: a dry run");

        self.hooks("install", way).ok();
        let found = status(&self.home);
        let left_alone = if NO_JSON.contains(&name.as_str()) { "unreadable" } else { "absent" };
        let expected = if way == LIVE { ["absent", "complete"] } else { ["complete", left_alone] };
        assert_eq!([&found["plugin"], &found["settings"]], expected, "{name}");
        let installed = self.now();
        let again = self.hooks("install", way);
        assert!(again.ok().stderr.contains("nothing to change"), "{name}: {again:?}");
        assert_eq!(self.now(), installed, "{name}: a second time");

        self.hooks("uninstall", &[]).ok();
        assert_eq!(self.now(), self.after(), "{name}");
        let again = self.hooks("uninstall", &[]);
        assert!(again.ok().stderr.contains("nothing to change"), "{name}: {again:?}");
        assert_eq!(self.now(), self.after(), "{name}: a second time");
    }

    /// Nothing is touched, the exit code is 7, and the lines to paste are there.
    fn refused(&self, way: &[&str]) {
        let name = &self.fixture.name;
        let mut json = way.to_vec();
        json.push("--json");
        for args in [way, &json] {
            let done = self.hooks("install", args);
            assert_eq!(done.code, 7, "{name}: {done:?}");
            assert!(done.stderr.contains("hook claude-code Stop"), "{name}: {done:?}");
            assert_eq!(self.now(), self.before, "{name}");
        }
        self.hooks("uninstall", &[]).ok();
        assert_eq!(self.now(), self.before, "{name}");
    }
}

fn launcher(home: &Home) -> String {
    home.state().join("bin/headsup").display().to_string()
}

#[test]
fn a_plugin_is_added_and_taken_away_to_the_byte() {
    let fixtures = kept().into_iter().chain(unclear());
    let tried = fixtures.map(|fixture| Case::new(fixture).round_trip(PLUGIN)).count();
    assert!(tried >= 60);
}

#[test]
fn settings_are_edited_and_restored_to_the_byte() {
    let fixtures = kept().into_iter().chain(taken());
    let tried = fixtures.map(|fixture| Case::new(fixture).round_trip(LIVE)).count();
    assert!(tried >= 50);
}

#[test]
fn what_is_refused_is_left_alone_and_the_lines_are_there_to_paste() {
    for fixture in unclear().into_iter().chain(closed()) {
        Case::new(fixture).refused(LIVE);
    }
    for fixture in taken().into_iter().chain(closed()) {
        Case::new(fixture).refused(PLUGIN);
    }
}

#[test]
fn what_the_user_edits_in_between_stays_and_exactly_our_entries_go() {
    for fixture in kept() {
        let case = Case::new(fixture);
        case.hooks("install", LIVE).ok();
        let path = settings(&case.home);
        let installed = fs::read_to_string(&path).unwrap();
        let edited = installed.replacen("\"hooks\"", "\"theirs\": [1, 2], \"hooks\"", 1);
        fs::write(&path, &edited).unwrap();
        case.hooks("uninstall", &[]).ok();

        let name = &case.fixture.name;
        let left = fs::read_to_string(&path).unwrap();
        assert!(left.contains("\"theirs\": [1, 2]"), "{name}: {left}");
        assert!(!left.contains(&launcher(&case.home)), "{name}: {left}");
        let after = case.after();
        let real = fs::canonicalize(&path).unwrap();
        let (mode, before) = after.get(&real).cloned().unwrap_or_default();
        let before = String::from_utf8(before).unwrap();
        let strict = |text: &str| {
            serde_json::from_str::<serde_json::Value>(text.trim_start_matches('\u{feff}'))
        };
        let blank = before.trim_start_matches('\u{feff}').trim().is_empty();
        if let Ok(mut expected) = strict(if blank { "{}" } else { &before }) {
            expected["theirs"] = serde_json::json!([1, 2]);
            assert_eq!(strict(&left).unwrap(), expected, "{name}");
        }
        for comment in ["// mine", "// why", "// end", "/* d */", "// first", "// nothing yet"] {
            assert_eq!(left.contains(comment), before.contains(comment), "{name}: {comment}");
        }
        assert_eq!(left.starts_with('\u{feff}'), before.starts_with('\u{feff}'), "{name}");
        if let Some((now, _)) = case.now().get(&real).filter(|_| after.contains_key(&real)) {
            assert_eq!(*now, mode, "{name}");
        }
    }
}
