//! What is installed, and what keeps it from working.

use super::places::{self, OtherFolder};
use super::record::Record;
use super::{Site, guard, yours};
use headsup_adapters::inject::{Found, Version};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    Absent,
    Complete,
    /// Some entries are missing or not as they should be.
    Outdated,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Status {
    pub(crate) kind: &'static str,
    #[serde(skip)]
    pub(crate) title: &'static str,
    /// What holds the entries where it is not a plugin folder.
    #[serde(skip)]
    pub(crate) place: &'static str,
    /// The program on the search path, as far as its path is text.
    pub(crate) program: Option<String>,
    pub(crate) plugin: State,
    pub(crate) settings: State,
    pub(crate) problems: Vec<String>,
    /// What a person has to do before entries that are in place run.
    pub(crate) untrusted: Option<String>,
    /// The state folders of other hubs that what is there reports to.
    pub(crate) elsewhere: Vec<String>,
    /// The program's other configuration folders with entries of this hub in them.
    pub(crate) other_folders: Vec<OtherFolder>,
    /// What holds the entries is there and cannot be read, so that nobody knows what is installed.
    #[serde(skip)]
    pub(crate) is_unreadable: bool,
    /// It was installed for this hub, and nobody has taken it away.
    #[serde(skip)]
    pub(crate) was_installed: bool,
    /// The program that its entries name is not there.
    #[serde(skip)]
    pub(crate) is_dead: bool,
    /// Whether any of what is installed fires in spite of the problems.
    #[serde(skip)]
    pub(crate) fires: bool,
    /// Event and command of every entry that is in place.
    #[serde(skip)]
    pub(crate) entries: Vec<(String, String)>,
}

impl Status {
    pub(crate) fn is_installed(&self) -> bool {
        self.plugin != State::Absent || self.settings != State::Absent
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.plugin == State::Complete || self.settings == State::Complete
    }
}

pub(crate) fn status(site: &Site) -> Status {
    let mut problems = Vec::new();
    let mut look = |site: &Site, path: PathBuf| inspect(site, &path, &mut problems);
    let plugin = site.recipe.plugin;
    let plugin = plugin.and_then(|plugin| look(site, site.plugin(plugin).join(plugin.entries)));
    let text = guard::read(&site.settings()).unwrap_or_default();
    let ours = site.inspect(&String::from_utf8_lossy(&text)).unwrap_or_default();
    // A program is not asked for its version where that says nothing.
    let of_version = (!ours.is_empty()).then(|| site.for_settings());
    let settings = look(of_version.as_ref().unwrap_or(site), site.settings());
    let mut found = [plugin, settings];
    if let Some(found) = &mut found[1] {
        note_remembered(site, found);
    }
    let is_unreadable = found[1].is_none() && guard::read(&site.settings()).is_some();
    let managed = site.recipe.managed.iter().flat_map(|path| policies(path));
    let managed: Vec<Found> = managed.filter_map(|path| look(site, path)).collect();
    if let Some(found) = found[0].as_mut().filter(|found| !found.is_empty())
        && let Some(version) = site.version()
        && !site.recipe.finds_plugin(Some(version))
    {
        found.is_ignored = true;
        problems.push(unread_plugin(site, version));
    }
    let is_off = found.iter().flatten().chain(&managed).any(|found| found.is_off);
    let is_dead = fs::metadata(&site.launcher).is_err();
    let untrusted = found[1].as_ref().and_then(|found| untrusted(site, found));
    let runs = found.iter().flatten().any(Found::fires) && untrusted.is_none();
    let fires = !is_off && !is_dead && runs;
    let states = found.each_ref().map(|found| state(found.as_ref()));
    let mut elsewhere: Vec<String> =
        found.iter().flatten().flat_map(|found| found.elsewhere.clone()).collect();
    elsewhere.sort();
    elsewhere.dedup();
    let entries = found.into_iter().flatten().flat_map(|found| found.entries);
    let entries: Vec<_> = entries.collect();
    if is_dead && !entries.is_empty() {
        let so =
            if site.recipe.subject() == "hooks" { "nothing is reported" } else { "none starts" };
        problems.push(format!("{} is gone, so {so}: install again", site.launcher));
    }
    if !site.has_launcher() {
        let why =
            "its path is not UTF-8, and no entry can name it: set HEADSUP_HOME to one that is";
        problems.push(format!("{}: {why}", site.launcher));
    }
    if states.iter().all(|state| *state != State::Absent) {
        let twice =
            "both the plugin and the settings report, so everything is told twice: install again";
        problems.push(twice.to_owned());
    }
    Status {
        kind: site.recipe.kind,
        title: site.recipe.title,
        place: site.recipe.place(),
        program: site.program.as_deref().map(|path| path.to_string_lossy().into_owned()),
        plugin: states[0],
        settings: states[1],
        problems,
        untrusted,
        elsewhere,
        other_folders: places::others(site),
        is_unreadable,
        was_installed: site.was_installed(),
        is_dead,
        fires,
        entries,
    }
}

fn unread_plugin(site: &Site, (major, minor, patch): Version) -> String {
    let (title, kind) = (site.recipe.title, site.recipe.kind);
    format!(
        "{title} {major}.{minor}.{patch} does not look for a plugin folder: `headsup hooks install --live {kind}` \
         puts the hooks into its settings"
    )
}

/// A file of ours that has lost the line that says so still does what it does.
fn note_remembered(site: &Site, found: &mut Found) {
    let known = Record::look(site).and_then(|record| record.settings);
    let text = guard::read(&site.settings()).unwrap_or_default();
    if yours::is_remembered(site, known.as_ref(), &String::from_utf8_lossy(&text)) {
        found.outdated = 1;
    }
}

/// Entries that a person has not told the program to trust. It is never told so by us.
fn untrusted(site: &Site, found: &Found) -> Option<String> {
    let trust = site.recipe.trust.filter(|_| !found.entries.is_empty())?;
    let read = |path: &Path| guard::read(path).and_then(|bytes| String::from_utf8(bytes).ok());
    let kept = read(&site.folder.join(trust.file)).unwrap_or_default();
    let path = site.settings();
    let settings = read(&path)?;
    // It may know the file by where a link leads.
    let named = [Some(path.clone()), fs::canonicalize(&path).ok()];
    let missing = named.iter().flatten().map(|path| site.untrusted_in(&kept, &settings, path));
    let missing = missing.min().filter(|missing| *missing > 0)?;
    let all = found.entries.len();
    let title = site.recipe.title;
    Some(format!("{missing} of {all} are not trusted, and do not run: {title}: {}", trust.advice))
}

fn state(found: Option<&Found>) -> State {
    match found {
        Some(found) if found.is_complete() => State::Complete,
        Some(found) if !found.is_empty() => State::Outdated,
        _ => State::Absent,
    }
}

/// A settings file of the machine, or all that lie in a folder of them.
fn policies(path: &str) -> Vec<PathBuf> {
    let Ok(folder) = fs::read_dir(path) else { return vec![PathBuf::from(path)] };
    let all = folder.flatten().map(|entry| entry.path());
    let mut files: Vec<_> =
        all.filter(|path| path.extension().is_some_and(|name| name == "json")).collect();
    files.sort();
    files
}

fn inspect(site: &Site, path: &Path, problems: &mut Vec<String>) -> Option<Found> {
    // Only what we would edit must be ours; this is a look.
    let at = path.display();
    let Ok(text) = String::from_utf8(guard::read(path)?) else {
        problems.push(format!("{at}: it is not UTF-8"));
        return None;
    };
    match site.inspect(&text) {
        Err(why) => {
            problems.push(format!("{at}: {why}"));
            None
        }
        Ok(found) => {
            problems.extend(found.problems.iter().map(|problem| format!("{at}: {problem}")));
            if found.pasted > 0 {
                let entries = match found.pasted {
                    1 => "1 other entry reports".to_owned(),
                    others => format!("{others} other entries report"),
                };
                problems.push(format!(
                    "{at}: {entries} to headsup as well (pasted by hand); remove what is not \
                     needed, or it is told twice"
                ));
            }
            if !found.elsewhere.is_empty() {
                let homes = found.elsewhere.join(", ");
                problems.push(match found.is_empty() {
                    true => format!(
                        "{at}: it reports to the hub of {homes}, and not to this one, until you \
                         install again"
                    ),
                    false => format!("{at}: it reports to the hub of {homes} as well"),
                });
            }
            if !found.is_empty()
                && let Err(error) = guard::resolve(path, &site.roots)
            {
                problems.push(error.to_string());
            }
            Some(found)
        }
    }
}
