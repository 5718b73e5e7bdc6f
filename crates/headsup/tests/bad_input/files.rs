//! F: a disk that does not take what is written into other programs' settings.

use crate::hooks::prompt;
use headsup_testkit::faults::{EDQUOT, EROFS, Faults};
use headsup_testkit::home::{Done, Home};
use headsup_testkit::{hook, wait};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

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

/// 76: a hub whose state folder fits no address of a socket. It lies where it always lies, and commands, hooks
/// and the shim reach it by one short way.
#[test]
fn a_socket_whose_path_fits_no_address_is_found_by_everybody() {
    let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
    let long = home.path().join("x".repeat(100)).join("y".repeat(100));
    let run =
        |args: &[&str]| Done::from(home.command(args).env("HEADSUP_HOME", &long).output().unwrap());
    run(&["up"]).ok();
    let socket = long.join("headsup.sock");
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    run(&["report", "working", "--agent", "by-command"]).ok();
    let is_empty = || fs::read_dir(long.join("spool")).unwrap().next().is_none();
    let drained = || wait::until("an empty spool", || is_empty().then_some(()));
    let fire = || {
        let mut hook = home.command(["hook", "claude-code"]);
        hook.env("HEADSUP_HOME", &long);
        let done = home.feed(hook, &prompt("by-hook", ""));
        assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""));
    };
    hook::until("a hook that need not leave anything", fire, || {
        let is_in_time = is_empty() && run(&["show", "claude-code-by-hook"]).code == 0;
        drained();
        is_in_time.then_some(())
    });
    run(&["run", "--here", "--id", "by-shim", "--", "true"]).ok();
    drained();
    let url = format!("unix:{}", socket.display());
    let listed = home.command(["ls", "--all", "--json"]).env("HEADSUP_URL", url).output().unwrap();
    let roster = Done::from(listed).ok().json();
    let agents = roster["agents"].as_array().unwrap().iter();
    let mut ids: Vec<_> = agents.map(|agent| agent["id"].as_str().unwrap().to_owned()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["by-command", "by-shim", "claude-code-by-hook"]);
    run(&["down"]).ok();
    assert!(!socket.exists());
}
