//! Several hubs of one person, set up at the same time.

use crate::install::{home, settings, write};
use headsup_testkit::home::Done;
use headsup_testkit::settings::snapshot;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

#[test]
fn all_of_them_are_in_the_settings_and_what_was_there_comes_back() {
    for text in [None, Some("{\n  \"model\": \"opus\"\n}\n")] {
        let home = home();
        if let Some(text) = text {
            write(&settings(&home), text, 0o640);
        }
        let before = snapshot(home.path(), &home.state());
        let states: Vec<PathBuf> =
            (0..4).map(|number| home.state().join(format!("hub-{number}"))).collect();
        for round in 0..3 {
            let start = |state: &PathBuf| {
                let mut command = home.command(["hooks", "install", "claude-code", "--live"]);
                command.env("HEADSUP_HOME", state).stdin(Stdio::null());
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            };
            let all: Vec<Child> = states.iter().map(start).collect();
            for child in all {
                Done::from(child.wait_with_output().unwrap()).ok();
            }
            let installed = fs::read_to_string(settings(&home)).unwrap();
            for state in &states {
                let stop = format!("'{}/bin/headsup' hook claude-code Stop ", state.display());
                assert_eq!(installed.matches(&stop).count(), 1, "{round}: {installed}");
            }
            for state in &states {
                let mut command = home.command(["hooks", "uninstall", "claude-code"]);
                command.env("HEADSUP_HOME", state);
                Done::from(command.output().unwrap()).ok();
            }
            assert_eq!(snapshot(home.path(), &home.state()), before, "{round}: {text:?}");
        }
    }
}
