//! A plugin's folder that cannot be renamed, as one that a container's image has in a layer below.

use super::{Bench, quiet};
use crate::setup::Way;
use crate::setup::edit::no_fault;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;

/// Lets no folder be renamed, and fails, or dies, at the n-th operation after that.
fn below(at: usize, dies: bool) -> impl FnMut(&'static str) -> io::Result<()> {
    let mut left = None;
    move |what| {
        if what == "rename it" {
            left = Some(at);
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        match left {
            None => Ok(()),
            Some(0) => {
                assert!(!dies, "killed before: {what}");
                Err(io::ErrorKind::StorageFull.into())
            }
            Some(more) => {
                left = Some(more - 1);
                Ok(())
            }
        }
    }
}

#[test]
fn a_folder_that_cannot_be_renamed_goes_and_a_deletion_that_was_cut_off_is_ended() {
    for (other_way, dies) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut cut_off = 0;
        for step in 0..100 {
            let at = format!("step {step}, other way: {other_way}, dies: {dies}");
            let bench = Bench::new();
            let old = bench.files();
            bench.install(Way::Plugin, &mut no_fault).unwrap();
            let plugin = bench.site.recipe.plugin.unwrap();
            let entries = bench.site.plugin(plugin).join(plugin.entries);
            let text = fs::read_to_string(&entries).unwrap();
            let mut stop = below(step, dies);
            let outcome = quiet(|| match other_way {
                true => bench.install(Way::Settings, &mut stop),
                false => bench.uninstall(&mut stop),
            });
            let is_done = matches!(outcome, Some(Ok(())));
            let folder = bench.site.plugin(plugin);
            let is_empty = fs::read_dir(&folder).is_ok_and(|mut it| it.next().is_none());
            if other_way && is_empty {
                // There is no record of it any more, so nobody knows whose it is.
                fs::remove_dir(&folder).unwrap();
            }
            if !is_done && step % 2 == 0 {
                bench.install(Way::Plugin, &mut no_fault).unwrap();
                assert_eq!(fs::read_to_string(&entries).unwrap(), text, "{at}");
            }
            if !is_done || other_way {
                bench.uninstall(&mut no_fault).unwrap();
            }
            assert_eq!((bench.files(), bench.leftovers()), (old, 0), "{at}");
            if is_done {
                break;
            }
            cut_off += 1;
        }
        assert!((4..99).contains(&cut_off), "{cut_off} steps");
    }
}

#[test]
fn what_lies_in_a_folder_that_nobody_may_read_stays_there() {
    if rustix::process::geteuid().is_root() {
        // Root may read anything; this thread is somebody else from here on.
        let nobody = rustix::process::Uid::from_raw(65_534);
        rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
    }
    let bench = Bench::new();
    bench.install(Way::Plugin, &mut no_fault).unwrap();
    let mine = bench.site.plugin(bench.site.recipe.plugin.unwrap()).join("mine");
    let notes = mine.join("notes");
    fs::create_dir(&mine).unwrap();
    fs::write(&notes, "mine").unwrap();
    let may = |mode| fs::set_permissions(&mine, fs::Permissions::from_mode(mode)).unwrap();
    may(0);
    let outcome = bench.uninstall(&mut no_fault);
    assert!(mine.is_dir(), "{outcome:?}");
    may(0o700);
    bench.uninstall(&mut no_fault).unwrap();
    assert_eq!(fs::read_to_string(&notes).unwrap(), "mine");
    assert_eq!(bench.leftovers(), 0);
}
