//! What is installed, and what keeps it from working.

use super::guard::Denied;
use super::places::{self, OtherFolder};
use super::record::Record;
use super::{Site, guard, is_program, yours};
use headsup_adapters::inject::{Found, Off, Switched, Unchanged, Version};
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
    /// There is something that cannot be read.
    Unreadable,
}

impl State {
    /// Is anything of ours known to be there?
    pub(crate) fn is_installed(self) -> bool {
        matches!(self, Self::Complete | Self::Outdated)
    }
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
    /// The files that we may not read.
    #[serde(skip)]
    pub(crate) closed: Vec<PathBuf>,
    /// It was installed for this hub, and nobody has taken it away.
    #[serde(skip)]
    pub(crate) was_installed: bool,
    /// Entries that a person has pasted report to whichever hub is theirs.
    #[serde(skip)]
    pub(crate) is_pasted: bool,
    /// The program that its entries name is not there, or cannot be run.
    #[serde(skip)]
    pub(crate) is_dead: bool,
    /// Something keeps the program from the plugin folder, and not its version.
    #[serde(skip)]
    pub(crate) is_kept_out: bool,
    /// Whether any of what is installed fires in spite of the problems.
    #[serde(skip)]
    pub(crate) fires: bool,
    /// Event and command of every entry that is in place.
    #[serde(skip)]
    pub(crate) entries: Vec<(String, String)>,
}

impl Status {
    pub(crate) fn is_installed(&self) -> bool {
        self.plugin.is_installed() || self.settings.is_installed()
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.plugin == State::Complete || self.settings == State::Complete
    }
}

pub(crate) fn status(site: &Site) -> Status {
    let mut problems = Vec::new();
    let settings_file = site.settings();
    let plugin = plugin_entries(site).and_then(|path| inspect(site, &path, &mut problems));
    let settings = inspect_settings(site, &settings_file, &mut problems);
    let mut found = [plugin, settings];
    if let Some(found) = &mut found[1] {
        note_remembered(site, found);
    }
    let managed = site.recipe.managed.iter().flat_map(|path| policies(path));
    let managed = managed.filter_map(|path| inspect(site, &path, &mut problems));
    let managed: Vec<Found> = managed.collect();
    if let Some(found) = found[0].as_mut().filter(|found| !found.is_empty())
        && let Some(version) = site.version()
        && !site.recipe.finds_plugin(Some(version))
    {
        found.is_ignored = true;
        problems.push(unread_plugin(site, version));
    }
    let mut is_kept_out = false;
    if let Some(found) = found[0].as_mut().filter(|found| !found.is_empty()) {
        let why = kept_out(site, found);
        is_kept_out = !why.is_empty();
        problems.extend(why);
    }
    let entries = plugin_entries(site);
    let places = [entries.as_deref(), Some(settings_file.as_path())];
    let closed = places.into_iter().flatten().filter(|path| guard::is_closed(path));
    let closed: Vec<PathBuf> = closed.map(Path::to_owned).collect();
    let told = |path: &PathBuf| format!("{}: {}", path.display(), Denied::Unreadable);
    problems.extend(closed.iter().map(told));
    let beside = found[1].as_ref().and_then(|found| look_beside(site, found)).unwrap_or_default();
    let has_entries = found.iter().flatten().any(|found| !found.entries.is_empty());
    let off = has_entries.then(|| switched_off_beside(site)).flatten();
    problems.extend(off.iter().chain(&beside.disabled).cloned());
    let is_off = found.iter().flatten().chain(&managed).any(|found| found.is_off) || off.is_some();
    let is_dead = !is_program(Path::new(&site.launcher));
    // Nobody is asked to trust what is switched off.
    let untrusted = beside.untrusted.filter(|_| off.is_none());
    let runs = found.iter().flatten().any(Found::fires) && untrusted.is_none();
    let fires = !is_off && !is_dead && runs;
    let states = [0_usize, 1].map(|way| state(places[way], found[way].as_ref()));
    let is_unreadable = states.contains(&State::Unreadable);
    let mut elsewhere: Vec<String> =
        found.iter().flatten().flat_map(|found| found.elsewhere.clone()).collect();
    elsewhere.sort();
    elsewhere.dedup();
    let is_pasted = found.iter().flatten().any(|found| found.pasted > 0);
    let entries = found.into_iter().flatten().flat_map(|found| found.entries);
    let entries: Vec<_> = entries.collect();
    if is_dead && !entries.is_empty() {
        let so =
            if site.recipe.subject() == "hooks" { "nothing is reported" } else { "none starts" };
        let why = match fs::metadata(&site.launcher) {
            Err(_) => "is gone",
            Ok(found) if found.is_dir() => "is a folder",
            Ok(_) => "cannot be executed (`chmod +x` is for that)",
        };
        problems.push(format!("{} {why}, so {so}: install again", site.launcher));
    }
    if !site.has_launcher() {
        let why =
            "its path is not UTF-8, and no entry can name it: set HEADSUP_HOME to one that is";
        problems.push(format!("{}: {why}", site.launcher));
    }
    if states.iter().all(|state| state.is_installed()) {
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
        closed,
        was_installed: site.was_installed(),
        is_pasted,
        is_dead,
        is_kept_out,
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

/// What the program keeps of its hooks beside them.
#[derive(Default)]
struct Beside {
    /// Entries that a person has not told the program to trust. It is never told so by us.
    untrusted: Option<String>,
    /// Entries that a person has switched off by themselves.
    disabled: Option<String>,
}

fn look_beside(site: &Site, found: &Found) -> Option<Beside> {
    let trust = site.recipe.trust.filter(|_| !found.entries.is_empty())?;
    let read = |path: &Path| guard::read(path).and_then(|bytes| String::from_utf8(bytes).ok());
    let file = site.folder.join(trust.file);
    let kept = read(&file).unwrap_or_default();
    let path = site.settings();
    let settings = read(&path)?;
    let (at, all, title) = (file.display(), found.entries.len(), site.recipe.title);
    // It may know the file by where a link leads.
    let named = [Some(path.clone()), fs::canonicalize(&path).ok()];
    let named = || named.iter().flatten();
    let missing = named().map(|path| site.untrusted_in(&kept, &settings, path)).min();
    let untrusted = missing.filter(|missing| *missing > 0).map(|missing| {
        format!("{missing} of {all} are not trusted, and do not run: {title}: {}", trust.advice)
    });
    let disabled = named().map(|path| site.disabled_in(&kept, &settings, path)).max();
    let disabled = disabled.filter(|disabled| *disabled > 0).map(|disabled| {
        format!("{at}: {disabled} of {all} are switched off (`enabled = false`), and do not run")
    });
    Some(Beside { untrusted, disabled })
}

/// What switches all of them off in another file than theirs: the first that says anything of it counts.
fn switched_off_beside(site: &Site) -> Option<String> {
    let said = site.recipe.off.iter().find_map(|off| {
        let at = place_of(site, off)?;
        let text = String::from_utf8(guard::read(&at)?).ok()?;
        Some((at, off.says(&text)?))
    });
    match said? {
        (at, Switched::Off(why)) => Some(format!("{}: {why}", at.display())),
        (_, Switched::On) => None,
    }
}

/// `None`: it is the settings file, or nobody knows where we are.
fn place_of(site: &Site, off: &Off) -> Option<PathBuf> {
    if !off.is_here {
        return Some(site.folder.join(off.file));
    }
    let at = std::env::current_dir().ok()?.join(off.file);
    let real = fs::canonicalize(&at).ok()?;
    (fs::canonicalize(site.settings()).ok() != Some(real)).then_some(at)
}

fn plugin_entries(site: &Site) -> Option<PathBuf> {
    site.recipe.plugin.map(|plugin| site.plugin(plugin).join(plugin.entries))
}

/// What keeps the program from the plugin folder and its entries.
fn kept_out(site: &Site, found: &mut Found) -> Vec<String> {
    let mut why = unread_files(site);
    // To install once more mends that.
    found.outdated += why.len();
    why.extend(switched_off(site));
    found.is_ignored |= !why.is_empty();
    why
}

/// The files of ours beside the entries without which the program loads nothing of the folder.
fn unread_files(site: &Site) -> Vec<String> {
    let Some(plugin) = site.recipe.plugin else { return Vec::new() };
    let (folder, title) = (site.plugin(plugin), site.recipe.title);
    let unread = |name: &str| {
        let path = folder.join(name);
        let text = guard::read(&path).and_then(|bytes| String::from_utf8(bytes).ok());
        if text.as_ref().is_some_and(|text| plugin.reads(name, text)) {
            return None;
        }
        let why = if text.is_none() { "cannot be read" } else { "is no manifest of a plugin" };
        let at = path.display();
        Some(format!(
            "{at}: it {why}, so {title} does not load the folder, and no hook in it fires"
        ))
    };
    let files = plugin.files(&site.launcher).into_iter();
    files.filter_map(|file| unread(file.path)).collect()
}

/// What switches the plugin off: a person's settings by saying so, the machine's by naming it at all, for then they
/// alone may bring one of that name.
fn switched_off(site: &Site) -> Vec<String> {
    let Some(plugin) = site.recipe.plugin else { return Vec::new() };
    let (plugins, name) = plugin.switch;
    let says = |path: &Path| plugin.switched(&String::from_utf8(guard::read(path)?).ok()?);
    let (settings, kind) = (site.settings(), site.recipe.kind);
    // Those of the folder that we are in count before the person's own.
    let here = site.recipe.off.iter().filter(|off| off.is_here);
    let mut own = here.filter_map(|off| place_of(site, off)).chain([settings]);
    let own = own.find_map(|at| says(&at).map(|is_on| (at, is_on)));
    let own = own.filter(|(_, is_on)| !is_on).map(|(at, _)| {
        let at = at.display();
        format!("{at}: {plugins} has {name:?}: false, so none of its hooks fires: take that out")
    });
    let managed = site.recipe.managed.iter().flat_map(|path| policies(path));
    let managed = managed.filter(|path| says(path).is_some()).map(|path| {
        format!(
            "{}: {plugins} names {name:?}, so no plugin of yours with that name is loaded, and none of its hooks \
             fires: `headsup hooks install --live {kind}` puts them into the settings",
            path.display()
        )
    });
    own.into_iter().chain(managed).collect()
}

fn state(place: Option<&Path>, found: Option<&Found>) -> State {
    match found {
        None if place.is_some_and(|at| guard::is_closed(at) || guard::read(at).is_some()) => {
            State::Unreadable
        }
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
    let text = text_of(path, problems)?;
    told(site, path, site.inspect(&text), problems)
}

/// The same of the settings, where what the program that is here knows of counts.
fn inspect_settings(site: &Site, path: &Path, problems: &mut Vec<String>) -> Option<Found> {
    let text = text_of(path, problems)?;
    let found = site.inspect(&text);
    // A program is not asked for its version where that says nothing.
    if found.as_ref().is_ok_and(|found| !found.is_empty()) {
        let site = site.for_settings();
        return told(&site, path, site.inspect(&text), problems);
    }
    told(site, path, found, problems)
}

fn text_of(path: &Path, problems: &mut Vec<String>) -> Option<String> {
    // Only what we would edit must be ours; this is a look.
    let text = String::from_utf8(guard::read(path)?);
    if text.is_err() {
        problems.push(format!("{}: it is not UTF-8", path.display()));
    }
    text.ok()
}

/// Says what is wrong with what was found there.
fn told(
    site: &Site,
    path: &Path,
    found: Result<Found, Unchanged>,
    problems: &mut Vec<String>,
) -> Option<Found> {
    let at = path.display();
    match found {
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
                    "{at}: {entries} to headsup (pasted by hand); remove them where hooks are \
                     installed as well, or it is told twice"
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
