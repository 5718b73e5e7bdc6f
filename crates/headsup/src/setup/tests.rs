//! Every way an edit can end in its middle.

mod layers;

use super::edit::{Step, no_fault, perform};
use super::guard::Denied;
use super::plan::carry_out;
use super::status::status;
use super::{SetupError, Site, Way, install, launcher, lock, uninstall};
use headsup_adapters::inject::recipes;
use headsup_testkit::settings::{Fixture, Snapshot, kept, snapshot};
use rustix::fs::{FlockOperation, XattrFlags, getxattr, setxattr};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SETTINGS: &str = "{\n  \"model\": \"x\" // mine\n}\n";

struct Bench {
    folder: TempDir,
    site: Site,
}

impl Bench {
    fn new() -> Self {
        let recipe = recipes()[0];
        Self::with(|home, _| {
            let theirs = home.join(recipe.folder);
            fs::create_dir_all(&theirs).unwrap();
            fs::write(theirs.join(recipe.settings), SETTINGS).unwrap();
        })
    }

    fn of(fixture: &Fixture) -> Self {
        Self::with(|home, launcher| fixture.lay(home, launcher))
    }

    fn with(lay: impl FnOnce(&Path, &str)) -> Self {
        // Nothing here is to survive a power cut, and flushing takes its time.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let (home, state) = (folder.path().join("home"), folder.path().join("state"));
        fs::create_dir(&home).unwrap();
        lay(&home, state.join("bin/headsup").to_str().unwrap());
        let var = |name: &str| (name == "HOME").then(|| OsString::from(&home));
        let site = Site::of(recipes()[0], &state, var).unwrap();
        Self { folder, site }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn install(&self, way: Way, fault: super::edit::Fault<'_>) -> Result<(), SetupError> {
        let binary = Path::new("/usr/bin/true");
        carry_out(&self.site, || install(&self.site, way, binary), fault).map(drop)
    }

    fn uninstall(&self, fault: super::edit::Fault<'_>) -> Result<(), SetupError> {
        carry_out(&self.site, || uninstall(&self.site), fault).map(drop)
    }

    /// What is there, whatever this bench's own folder is called.
    fn files(&self) -> Snapshot {
        let home = self.home();
        let path = |path: &Path| path.strip_prefix(&home).unwrap().to_owned();
        let name = self.folder.path().to_str().unwrap();
        let text = |bytes: Vec<u8>| match String::from_utf8(bytes) {
            Ok(text) => text.replace(name, "@").into_bytes(),
            Err(error) => error.into_bytes(),
        };
        let found = snapshot(&home, &self.site.state).into_iter();
        found.map(|(at, (mode, bytes))| (path(&at), (mode, text(bytes)))).collect()
    }

    fn leftovers(&self) -> usize {
        let mut found = 0;
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                found += usize::from(path.to_string_lossy().ends_with(".headsup-new"));
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                }
            }
        }
        found
    }
}

/// Fails, or dies, at the n-th operation.
fn fault(at: usize, dies: bool) -> impl FnMut(&'static str) -> io::Result<()> {
    let mut left = at;
    move |what| {
        if left > 0 {
            left -= 1;
            return Ok(());
        }
        assert!(!dies, "killed before: {what}");
        Err(io::Error::from_raw_os_error(28))
    }
}

fn quiet<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Each file is the old or the new one, and of the plugin all is there or nothing.
fn assert_whole(at: &str, now: &Snapshot, old: &Snapshot, new: &Snapshot) {
    let plugin = recipes()[0].plugin.unwrap().folder;
    let plugin = Path::new(recipes()[0].folder).join(plugin);
    let folder = rustix::fs::FileType::Directory.as_raw_mode();
    let files = |all: &Snapshot| -> Snapshot {
        let files = all.iter().filter(|(_, (mode, _))| mode & 0o170_000 != folder);
        files.map(|(path, entry)| (path.clone(), entry.clone())).collect()
    };
    let [now, old, new] = [now, old, new].map(files);
    for path in now.keys().chain(old.keys()).chain(new.keys()) {
        let found = now.get(path);
        assert!(found == old.get(path) || found == new.get(path), "{at}: {}", path.display());
    }
    let of_plugin = |all: &Snapshot| all.keys().filter(|path| path.starts_with(&plugin)).count();
    let count = of_plugin(&now);
    assert!(count == of_plugin(&old) || count == of_plugin(&new), "{at}: half a plugin");
}

/// Kills, or fails, an install or uninstall at each of its operations; then it is done again.
fn end_everywhere(way: Way, is_install: bool, dies: bool) {
    // How it fails is the same for all; what a kill leaves depends on what was there.
    let some = if dies { 1 } else { 5 };
    for fixture in kept().into_iter().step_by(some) {
        // A megabyte would be parsed at each step, and the steps are the same ones.
        if fixture.name == "one_megabyte" {
            continue;
        }
        let whole = Bench::of(&fixture);
        let old = whole.files();
        whole.install(way, &mut no_fault).unwrap();
        let new = whole.files();
        whole.uninstall(&mut no_fault).unwrap();
        let after = whole.files();
        whole.install(way, &mut no_fault).unwrap();
        // Where entries of ours were there before, these stand elsewhere now.
        let again = whole.files();
        let mut ended = 0;
        for step in 0.. {
            let at = format!("{}, step {step}", fixture.name);
            let bench = Bench::of(&fixture);
            let there_before = bench.leftovers();
            let mut stop = fault(step, dies);
            let outcome = if is_install {
                quiet(|| bench.install(way, &mut stop))
            } else {
                bench.install(way, &mut no_fault).unwrap();
                quiet(|| bench.uninstall(&mut stop))
            };
            let (from, to) = if is_install { (&old, &new) } else { (&new, &after) };
            assert_whole(&at, &bench.files(), from, to);
            // What was moved away to be deleted may stay there until the next time.
            if !dies && is_install {
                assert!(bench.leftovers() <= there_before, "{at}: a temporary file");
            }
            // Whatever happened, it can be done again, and undone to the byte.
            if step % 2 == 0 {
                bench.install(way, &mut no_fault).unwrap();
                let now = bench.files();
                assert!(now == new || now == again, "{at}");
            }
            bench.uninstall(&mut no_fault).unwrap();
            assert_eq!(bench.files(), after, "{at}");
            assert!(bench.leftovers() <= there_before, "{at}");
            if matches!(outcome, Some(Ok(()))) {
                break;
            }
            ended += 1;
        }
        assert!(ended >= 2, "{} has {ended} steps", fixture.name);
    }
}

#[test]
fn a_plugin_install_that_is_killed_anywhere_leaves_old_or_new() {
    end_everywhere(Way::Plugin, true, true);
}

#[test]
fn a_settings_install_that_is_killed_anywhere_leaves_old_or_new() {
    end_everywhere(Way::Settings, true, true);
}

#[test]
fn a_plugin_uninstall_that_is_killed_anywhere_leaves_old_or_new() {
    end_everywhere(Way::Plugin, false, true);
}

#[test]
fn a_settings_uninstall_that_is_killed_anywhere_leaves_old_or_new() {
    end_everywhere(Way::Settings, false, true);
}

#[test]
fn an_install_that_fails_anywhere_leaves_old_or_new_and_nothing_beside() {
    end_everywhere(Way::Plugin, true, false);
    end_everywhere(Way::Settings, true, false);
}

#[test]
fn an_uninstall_that_fails_anywhere_leaves_old_or_new_and_nothing_beside() {
    end_everywhere(Way::Plugin, false, false);
    end_everywhere(Way::Settings, false, false);
}

#[test]
fn a_file_that_changes_under_the_edit_is_read_again() {
    let bench = Bench::new();
    let path = bench.site.settings();
    let mut changes = 0;
    let theirs = "{ \"model\": \"y\" }\n";
    let mut change = |what: &'static str| {
        // The agent writes its settings just before we would have replaced them.
        if what == "flush it" && changes == 0 && !path.with_file_name("skills").exists() {
            changes += 1;
            fs::write(&path, theirs)?;
        }
        Ok(())
    };
    bench.install(Way::Settings, &mut change).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"y\"") && text.contains(&bench.site.launcher), "{text}");
    bench.uninstall(&mut no_fault).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
}

#[test]
fn a_file_that_never_stops_changing_is_left_alone() {
    let bench = Bench::new();
    let path = bench.site.settings();
    let mut number = 0;
    let mut change = |what: &'static str| {
        number += 1;
        if what == "flush it" { fs::write(&path, format!("{{\"n\": {number}}}")) } else { Ok(()) }
    };
    let error = bench.install(Way::Settings, &mut change).unwrap_err();
    assert!(matches!(error, SetupError::Changed(_)), "{error}");
    assert!(!fs::read_to_string(&path).unwrap().contains("headsup"));
    assert_eq!(bench.leftovers(), 0);
}

/// In its place, as another file in its place, and where there was none.
#[test]
fn what_an_agent_writes_in_the_moment_before_ours_takes_its_place_stays() {
    const THEIRS: &str = "{ \"model\": \"y\" }\n";
    for (is_there, is_another) in [(true, false), (true, true), (false, false)] {
        let bench = Bench::new();
        let path = bench.site.settings();
        let folder = path.parent().unwrap();
        if !is_there {
            fs::remove_file(&path).unwrap();
        }
        let is_temporary =
            |entry: fs::DirEntry| entry.file_name().to_string_lossy().ends_with(".headsup-new");
        let mut changes = 0;
        let mut change = |what: &'static str| -> io::Result<()> {
            // Not while our own record is written.
            let is_next = fs::read_dir(folder)?.flatten().any(is_temporary);
            if what == "put it in place" && is_next && changes == 0 {
                changes += 1;
                let theirs = if is_another { folder.join("theirs") } else { path.clone() };
                fs::write(&theirs, THEIRS)?;
                fs::rename(&theirs, &path)?;
            }
            Ok(())
        };
        bench.install(Way::Settings, &mut change).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let at = format!("{is_there}, {is_another}: {text}");
        assert_eq!(changes, 1, "{at}");
        assert!(text.contains("\"y\"") && text.contains(&bench.site.launcher), "{at}");
        bench.uninstall(&mut no_fault).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), THEIRS, "{at}");
        assert_eq!(bench.leftovers(), 0, "{at}");
    }
}

#[test]
fn what_is_put_into_our_folder_while_it_is_taken_away_stays() {
    let bench = Bench::new();
    bench.install(Way::Plugin, &mut no_fault).unwrap();
    let mine = bench.site.plugin(bench.site.recipe.plugin.unwrap()).join("mine.md");
    let mut put = |what: &'static str| -> io::Result<()> {
        if what == "move away" { fs::write(&mine, "x") } else { Ok(()) }
    };
    bench.uninstall(&mut put).unwrap();
    assert_eq!(fs::read_to_string(&mine).unwrap(), "x");
    assert_eq!(bench.leftovers(), 0);
}

#[test]
fn an_update_of_a_plugin_that_is_killed_keeps_no_folder_from_going() {
    let bench = Bench::new();
    let old = bench.files();
    bench.install(Way::Plugin, &mut no_fault).unwrap();
    let plugin = bench.site.recipe.plugin.unwrap();
    let entries = bench.site.plugin(plugin).join(plugin.entries);
    fs::write(&entries, "{}").unwrap();
    let mut kill = |what: &'static str| -> io::Result<()> {
        let mut there = fs::read_dir(entries.parent().unwrap())?.flatten();
        let is_written =
            there.any(|entry| entry.path().extension() == Some("headsup-new".as_ref()));
        assert!(what != "flush it" || !is_written, "killed");
        Ok(())
    };
    assert!(quiet(|| bench.install(Way::Plugin, &mut kill)).is_none());
    assert_eq!(bench.leftovers(), 1);
    bench.uninstall(&mut no_fault).unwrap();
    assert_eq!((bench.files(), bench.leftovers()), (old, 0));
}

fn rewrite(path: &Path, fault: super::edit::Fault<'_>) {
    let mode = fs::metadata(path).unwrap().mode() & 0o7777;
    let before = fs::read_to_string(path).unwrap();
    let after = format!("{before}more");
    let step = Step::Write { path: path.to_owned(), before: Some(before), after, mode };
    perform(&[step], fault).unwrap();
}

#[test]
fn what_its_group_may_do_is_for_no_other_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
    // Only root can give it away to any.
    if chown(&path, None, Some(12_345)).is_err() {
        return;
    }
    let now = || fs::metadata(&path).map(|meta| (meta.gid(), meta.mode() & 0o777)).unwrap();
    rewrite(&path, &mut no_fault);
    assert_eq!(now(), (12_345, 0o664));
    let mut refuse = |what: &'static str| match what {
        "give it its group" => Err(io::Error::from_raw_os_error(1)),
        _ => Ok(()),
    };
    rewrite(&path, &mut refuse);
    assert_eq!(now().1, 0o604);
}

#[test]
fn who_else_may_use_a_file_and_what_is_noted_of_it_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    fs::write(&path, "x").unwrap();
    let entry = |tag: u16, may: u16, id: u32| {
        let [tag, may] = [tag, may].map(u16::to_le_bytes);
        [&tag[..], &may, &id.to_le_bytes()].concat()
    };
    // One other user may write, and the group may not even read.
    let nobody = u32::MAX;
    let list = [entry(1, 6, nobody), entry(2, 6, 12_345), entry(4, 0, nobody)].concat();
    let list = [list, entry(0x10, 6, nobody), entry(0x20, 0, nobody)].concat();
    let list = [&2_u32.to_le_bytes()[..], &list].concat();
    let all = [("user.mine", b"x".to_vec()), ("system.posix_acl_access", list)];
    // Not every file system knows them.
    let known = all
        .into_iter()
        .filter(|(name, value)| setxattr(&path, *name, value, XattrFlags::empty()).is_ok());
    let known: Vec<_> = known.collect();
    rewrite(&path, &mut no_fault);
    for (name, value) in known {
        let mut now = vec![0_u8; 1 << 10];
        let length = getxattr(&path, name, now.as_mut_slice()).unwrap();
        assert_eq!(&now[..length], value.as_slice(), "{name}");
    }
}

#[test]
fn a_temporary_name_that_is_taken_is_no_trap() {
    let folder = tempfile::tempdir().unwrap();
    let (path, precious) = (folder.path().join("s.json"), folder.path().join("precious"));
    fs::write(&precious, "x").unwrap();
    std::os::unix::fs::symlink(&precious, folder.path().join(".s.json.headsup-new")).unwrap();
    let step = Step::Write { path: path.clone(), before: None, after: "new".into(), mode: 0o600 };
    perform(&[step], &mut no_fault).unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), "new");
    assert_eq!(fs::read_to_string(precious).unwrap(), "x");
}

/// Does anybody hold the lock of this folder?
fn is_locked(folder: &Path) -> bool {
    let folder = fs::File::open(folder).unwrap();
    rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK)
}

/// Whether their folder is there or is still to be made.
#[test]
fn other_hubs_wait_from_before_the_settings_are_read_until_they_are_written() {
    let bench = Bench::new();
    assert!(lock::folders(&bench.site).contains(&bench.site.folder));
    for bench in [bench, Bench::with(|_, _| ())] {
        let home = bench.home();
        let mut steps = 0;
        let mut look = |_: &'static str| -> io::Result<()> {
            steps += 1;
            assert!(is_locked(&home));
            Ok(())
        };
        let make = || {
            assert!(is_locked(&home));
            install(&bench.site, Way::Settings, Path::new("/usr/bin/true"))
        };
        carry_out(&bench.site, make, &mut look).unwrap();
        assert!(steps > 5 && !is_locked(&home));
    }
}

/// Also where the state folder is reached through a link.
#[test]
fn a_program_that_lies_where_the_entries_name_it_stays_what_it_is() {
    let bench = Bench::new();
    let path = PathBuf::from(&bench.site.launcher);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "a program").unwrap();
    let binary = path.canonicalize().unwrap();
    let linked = bench.folder.path().join("linked");
    std::os::unix::fs::symlink(&bench.site.state, &linked).unwrap();
    let home = bench.home();
    let var = |name: &str| (name == "HOME").then(|| OsString::from(&home));
    let through = Site::of(recipes()[0], &linked, var).unwrap();
    for site in [&bench.site, &through] {
        assert!(launcher(site, &binary).is_empty());
    }
    let make = || install(&bench.site, Way::Settings, &binary);
    carry_out(&bench.site, make, &mut no_fault).unwrap();
    assert!(!path.is_symlink());
    assert_eq!(fs::read_to_string(&path).unwrap(), "a program");
    // Another one in its place is replaced.
    assert_eq!(launcher(&bench.site, Path::new("/usr/bin/true")).len(), 3);
}

#[test]
fn a_file_that_ours_is_gone_from_keeps_nobody_from_installing_and_leaving() {
    for (text, mode) in [(Some("{}\n"), 0o444), (Some("{ \"model\": "), 0o600), (None, 0o444)] {
        let bench = Bench::new();
        let path = bench.site.settings();
        bench.install(Way::Settings, &mut no_fault).unwrap();
        if let Some(text) = text {
            fs::write(&path, text).unwrap();
        }
        let there = fs::read(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let is_free = text.is_some();
        assert_eq!(bench.install(Way::Plugin, &mut no_fault).is_ok(), is_free, "{text:?}");
        assert_eq!(bench.uninstall(&mut no_fault).is_ok(), is_free, "{text:?}");
        assert_eq!(fs::read(&path).unwrap(), there, "{text:?}");
    }
}

/// With our entries it would be larger than what is read.
#[test]
fn a_file_that_could_not_be_edited_again_is_left_as_it_is() {
    let bench = Bench::new();
    let text = format!("{{\"a\": \"{}\"}}\n", "x".repeat((16 << 20) - 100));
    fs::write(bench.site.settings(), &text).unwrap();
    let error = bench.install(Way::Settings, &mut no_fault).unwrap_err();
    assert!(matches!(error, SetupError::Denied { why: Denied::Full, .. }), "{error}");
    assert!(fs::read_to_string(bench.site.settings()).unwrap() == text);
}

/// Entries are text, but whoever only looks need write none.
#[test]
fn a_path_that_is_no_text_is_shown_as_it_can_be_and_nothing_is_installed_there() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join(OsString::from_vec(b"h\xff".to_vec()));
    let (state, bin) = (home.join("state"), home.join("bin"));
    let program = bin.join(recipes()[0].programs[0]);
    fs::create_dir_all(&bin).unwrap();
    fs::write(&program, "").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let var = |name: &str| match name {
        "HOME" => Some(OsString::from(&home)),
        "PATH" => Some(OsString::from(&bin)),
        _ => None,
    };
    let refused = Site::of(recipes()[0], &state, var).unwrap_err();
    assert!(matches!(refused, SetupError::Denied { why: Denied::NotText, .. }), "{refused}");
    let site = Site::to_look_at(recipes()[0], &state, var).unwrap();
    let told = serde_json::to_value(status(&site)).unwrap();
    assert_eq!(told["program"].as_str(), Some(&*program.to_string_lossy()));
    assert!(told["problems"].to_string().contains("is not UTF-8"), "{told}");
}
