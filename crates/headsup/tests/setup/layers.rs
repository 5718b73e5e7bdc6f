//! A home as containers have it: in layers, or with a file that is mounted by itself.

use crate::install::{home, settings, write};
use headsup_testkit::home::{Done, Home};
use headsup_testkit::settings::snapshot;
use headsup_testkit::small_disk::SmallDisk;
use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, XattrFlags, setxattr, statx};
use std::fs;

fn inside(disk: &SmallDisk, home: &Home, args: &[&str]) -> Done {
    Done::from(disk.enter(&home.command(args)).output().unwrap())
}

#[test]
fn hooks_that_were_installed_in_the_image_go_in_the_container() {
    for way in [&["--live"][..], &[]] {
        let home = home();
        home.run(["hooks", "install", "claude-code"]).ok();
        let below = tempfile::tempdir().unwrap();
        // Without such notes no folder can go from layers.
        if setxattr(below.path(), "user.mine", b"x", XattrFlags::empty()).is_err() {
            eprintln!("skipped: this disk keeps no notes of a user's");
            return;
        }
        let lower = below.path().join("lower");
        fs::create_dir(&lower).unwrap();
        for name in [".claude", "state"] {
            fs::rename(home.path().join(name), lower.join(name)).unwrap();
        }
        let Ok(Some(layers)) = SmallDisk::layers(home.path(), below.path()) else {
            eprintln!("skipped: no layers of one's own here");
            return;
        };
        // The other way takes the place of what is there.
        if !way.is_empty() {
            let args = [&["hooks", "install", "claude-code"][..], way].concat();
            inside(&layers, &home, &args).ok();
            assert!(!layers.path().join(".claude/skills/headsup").exists());
            assert!(layers.path().join(".claude/settings.json").exists());
        }
        inside(&layers, &home, &["hooks", "uninstall", "claude-code"]).ok();
        let left = snapshot(&layers.path(), &layers.path().join("state"));
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_file_that_is_mounted_by_itself_is_refused_with_the_lines_to_paste() {
    let home = home();
    let outside = home.path().join("outside.json");
    for path in [&settings(&home), &outside] {
        write(path, "{}\n", 0o600);
    }
    let Ok(Some(disk)) = SmallDisk::file(&settings(&home), &outside) else {
        eprintln!("skipped: no mounts of one's own here");
        return;
    };
    let stat = statx(CWD, home.path(), AtFlags::empty(), StatxFlags::empty());
    let tells = stat.is_ok_and(|it| it.stx_attributes_mask.contains(StatxAttributes::MOUNT_ROOT));
    if !tells {
        eprintln!("skipped: this kernel does not tell of mounts (Linux 5.8 does)");
        return;
    }
    for more in [&["--dry-run"][..], &[]] {
        let args = [&["hooks", "install", "claude-code", "--live"][..], more].concat();
        let done = inside(&disk, &home, &args);
        assert_eq!(done.code, 7, "{done:?}");
        assert!(done.stderr.contains("it is mounted by itself"), "{}", done.stderr);
        assert!(done.stderr.contains("hook claude-code Stop"), "the lines: {}", done.stderr);
    }
    inside(&disk, &home, &["hooks", "uninstall", "claude-code"]).ok();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "{}\n");
}
