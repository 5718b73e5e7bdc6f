//! Every way an edit can end in its middle.

use super::edit::{Step, no_fault, perform};
use super::plan::carry_out;
use super::{SetupError, Site, Way, install, uninstall};
use headsup_adapters::inject::recipes;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
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
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let recipe = recipes()[0];
        let theirs = home.join(recipe.folder);
        fs::create_dir_all(&theirs).unwrap();
        fs::write(theirs.join(recipe.settings), SETTINGS).unwrap();
        let var = |name: &str| (name == "HOME").then(|| OsString::from(&home));
        let state = folder.path().join("state");
        let site = Site::of(recipe, &state, var).unwrap();
        Self { folder, site }
    }

    fn install(&self, way: Way, fault: super::edit::Fault<'_>) -> Result<(), SetupError> {
        let binary = Path::new("/usr/bin/true");
        carry_out(&self.site.state, || install(&self.site, way, binary), fault).map(drop)
    }

    fn uninstall(&self, fault: super::edit::Fault<'_>) -> Result<(), SetupError> {
        carry_out(&self.site.state, || uninstall(&self.site), fault).map(drop)
    }

    /// Every file of the agent's, without what an interrupted edit may have left beside it.
    fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.folder.path().join("home")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.to_string_lossy().contains(".headsup-new") {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.insert(path.clone(), fs::read_to_string(path).unwrap());
                }
            }
        }
        found
    }

    fn leftovers(&self) -> usize {
        let out = std::process::Command::new("find")
            .arg(self.folder.path())
            .args(["-name", "*.headsup-new"])
            .output()
            .unwrap();
        String::from_utf8(out.stdout).unwrap().lines().count()
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

#[test]
fn whatever_step_it_ends_at_there_is_the_old_or_the_new_and_never_half() {
    for way in [Way::Plugin, Way::Settings] {
        let whole = Bench::new();
        let old = whole.files().into_values().collect::<Vec<_>>();
        whole.install(way, &mut no_fault).unwrap();
        let new: Vec<String> = whole
            .files()
            .into_values()
            .map(|text| text.replace(&whole.site.launcher, "L"))
            .collect();
        for dies in [false, true] {
            let mut ended = 0;
            for at in 0.. {
                let bench = Bench::new();
                let mut stop = fault(at, dies);
                let outcome = quiet(|| bench.install(way, &mut stop));
                let now: Vec<String> = bench
                    .files()
                    .into_values()
                    .map(|text| text.replace(&bench.site.launcher, "L"))
                    .collect();
                assert!(now == old || now == new, "step {at}: {now:#?}");
                if !dies {
                    assert_eq!(bench.leftovers(), 0, "step {at}");
                }
                // Whatever happened, it can be undone to the byte, and done again.
                bench.uninstall(&mut no_fault).unwrap();
                assert_eq!(bench.files().into_values().collect::<Vec<_>>(), old, "step {at}");
                bench.install(way, &mut no_fault).unwrap();
                assert_eq!(bench.leftovers(), 0, "step {at}");
                if matches!(outcome, Some(Ok(()))) {
                    break;
                }
                ended += 1;
            }
            assert!(ended >= 8, "{way:?} has {ended} steps");
        }
    }
}

#[test]
fn an_uninstall_that_ends_in_its_middle_can_be_run_again() {
    for way in [Way::Plugin, Way::Settings] {
        for at in 0.. {
            let bench = Bench::new();
            let old = bench.files();
            bench.install(way, &mut no_fault).unwrap();
            let new = bench.files();
            let mut stop = fault(at, true);
            let outcome = quiet(|| bench.uninstall(&mut stop));
            let now = bench.files();
            assert!(now == old || now == new, "step {at}: {now:#?}");
            bench.uninstall(&mut no_fault).unwrap();
            assert_eq!(bench.files(), old, "step {at}");
            if matches!(outcome, Some(Ok(()))) {
                break;
            }
        }
    }
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
