//! F: a disk that does not take what is written into other programs' settings.

use crate::rig::Rig;
use headsup_testkit::faults::{EDQUOT, EROFS, Faults};
use headsup_testkit::home::{Done, Home};
use std::fs;

pub(crate) const SORTS: &[&str] = &["74 quota used up", "74 read-only"];

#[test]
fn an_edit_that_the_disk_refuses_leaves_the_old_file_and_nothing_beside_it() {
    for (errno, why) in [(EDQUOT, "quota"), (EROFS, "Read-only")] {
        let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
        let faults = Faults::new(home.path()).unwrap();
        let folder = home.path().join(".claude");
        fs::create_dir(&folder).unwrap();
        let text = "{\n  \"model\": \"opus\" // mine\n}\n";
        fs::write(folder.join("settings.json"), text).unwrap();
        let install = || {
            let mut command = home.command(["hooks", "install", "claude-code", "--live"]);
            faults.preload(&mut command);
            Done::from(command.output().unwrap())
        };
        faults.writes_fail(errno);
        let done = install();
        assert_ne!(done.code, 0, "{done:?}");
        assert!(done.stderr.contains(why), "{done:?}");
        let there = || -> Vec<_> {
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
        };
        assert_eq!(there(), ["settings.json"], "nothing is left beside it");
        assert_eq!(fs::read_to_string(folder.join("settings.json")).unwrap(), text);
        faults.end();
        install().ok();
        home.run(["hooks", "uninstall"]).ok();
        assert_eq!(fs::read_to_string(folder.join("settings.json")).unwrap(), text);
    }
}

/// A hub whose state folder fits no address of a socket (76) is told of before anything is begun.
#[test]
fn a_state_folder_with_too_long_a_path_is_refused_by_every_command() {
    let rig = Rig::new();
    let long = rig.home.path().join("x".repeat(100));
    for args in [&["up", "--foreground"][..], &["ls"], &["report", "working", "--agent", "a"]] {
        let done = Done::from(rig.home.command(args).env("HEADSUP_HOME", &long).output().unwrap());
        assert_eq!(done.code, 7, "{args:?}: {done:?}");
        assert!(done.stderr.contains("at most 107"), "{done:?}");
    }
    assert!(!long.exists());
}
