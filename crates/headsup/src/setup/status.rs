//! What is installed, and what keeps it from working.

use super::Site;
use super::guard;
use headsup_adapters::inject::Found;
use serde::Serialize;
use std::fs;
use std::path::PathBuf;

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
    /// The program on the search path.
    pub(crate) program: Option<PathBuf>,
    pub(crate) plugin: State,
    pub(crate) settings: State,
    pub(crate) problems: Vec<String>,
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
    let mut look = |path: PathBuf| inspect(site, &path, &mut problems);
    let plugin = look(site.plugin().join(site.recipe.plugin_entries));
    let settings = look(site.settings());
    for path in site.recipe.managed {
        look(PathBuf::from(path));
    }
    let states = [&plugin, &settings].map(|found| state(found.as_ref()));
    let entries = [plugin, settings].into_iter().flatten().flat_map(|found| found.entries);
    let entries: Vec<_> = entries.collect();
    let dead = fs::metadata(&site.launcher).is_err();
    if dead && !entries.is_empty() {
        problems.push(format!("{} is gone, so nothing is reported", site.launcher));
    }
    if states.iter().all(|state| *state != State::Absent) {
        let twice =
            "both the plugin and the settings report, so everything is told twice: install again";
        problems.push(twice.to_owned());
    }
    Status {
        kind: site.recipe.kind,
        title: site.recipe.title,
        program: site.program.clone(),
        plugin: states[0],
        settings: states[1],
        problems,
        entries,
    }
}

fn state(found: Option<&Found>) -> State {
    match found {
        Some(found) if found.is_complete() => State::Complete,
        Some(found) if !found.is_empty() => State::Outdated,
        _ => State::Absent,
    }
}

fn inspect(site: &Site, path: &PathBuf, problems: &mut Vec<String>) -> Option<Found> {
    // Only what we would edit must be ours; this is a look.
    let text = fs::read_to_string(path).ok()?;
    let at = path.display();
    match site.recipe.inspect(&text, &site.launcher) {
        Err(why) => {
            problems.push(format!("{at}: {why}"));
            None
        }
        Ok(found) => {
            problems.extend(found.problems.iter().map(|problem| format!("{at}: {problem}")));
            if found.others > 0 {
                problems.push(format!(
                    "{at}: {} other entries report to headsup as well (pasted by hand, or of \
                     another HEADSUP_HOME); remove them, or everything is told twice",
                    found.others
                ));
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
