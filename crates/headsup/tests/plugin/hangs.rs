//! A hook that never ends, as the way by which reports go without a hub.

use super::{BINARY, begun, driver, ended, installed, skipped};
use headsup_testkit::home::Home;
use headsup_testkit::wait;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

#[test]
fn a_hook_that_hangs_is_gone_once_its_time_is_over() {
    if skipped() {
        return;
    }
    let home = Home::new(BINARY);
    let module = installed(&home, "opencode");
    let (launcher, told) = (home.state().join("bin/headsup"), home.path().join("told"));
    fs::remove_file(&launcher).unwrap();
    let script = format!("#!/bin/sh\necho $$ >> '{}'\nexec sleep 600\n", told.display());
    fs::write(&launcher, script).unwrap();
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).unwrap();
    let rows = begun();
    let mut program = driver(&home, &module, &rows.iter().collect::<Vec<_>>());
    wait::until("the program's end", || program.try_wait().unwrap());
    let pids = fs::read_to_string(&told).unwrap();
    assert!(pids.lines().count() > 1, "one for each report: {pids}");
    for pid in pids.lines() {
        let stat = Path::new("/proc").join(pid).join("stat");
        // Whoever takes over from a parent that has ended may collect it later.
        wait::until("its end", || match fs::read_to_string(&stat) {
            Ok(stat) => stat.contains(") Z ").then_some(()),
            Err(_) => Some(()),
        });
    }
    ended(program);
}
