use super::*;
use crate::setup::status::status;
use crate::setup::{Way, install};
use headsup_adapters::inject::recipes;
use std::ffi::OsString;
use std::fs;

/// How many bytes are looked through by what is done here.
fn looked<T>(act: impl FnOnce() -> T) -> usize {
    let before = LOOKED.get();
    act();
    LOOKED.get() - before
}

/// Settings of some megabytes take a good part of a second each time.
#[test]
fn settings_without_anything_of_ours_are_not_looked_through_again_and_again() {
    let recipe = recipes().iter().find(|recipe| recipe.plugin.is_some()).unwrap();
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path();
    let var = |name: &str| (name == "HOME").then(|| OsString::from(home));
    let site = Site::of(recipe, &home.join("state"), var).unwrap();
    let text = r#"{"permissions": {"allow": ["Bash(ls)"]}}"#;
    fs::create_dir_all(site.settings().parent().unwrap()).unwrap();
    fs::write(site.settings(), text).unwrap();

    let once = text.len();
    assert_eq!(looked(|| site.inspect(text).unwrap()), once);
    assert_eq!(looked(|| site.launcher_in(text)), once);
    assert_eq!(looked(|| status(&site)), once);
    let binary = Path::new("/usr/bin/true");
    // For what is ours in it, and for what other hubs have there.
    assert_eq!(looked(|| install(&site, Way::Plugin, binary).unwrap()), 2 * once);
}
