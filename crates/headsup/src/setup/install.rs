//! What installing would do.

use super::edit::{self, Step};
use super::guard::{self, Denied};
use super::plan::Plan;
use super::record::{Edited, First, Record};
use super::uninstall::holds_nothing;
use super::{SetupError, Site, Way, sharers, uninstall, yours};
use headsup_adapters::inject::{self, Plugin, Recipe, Unchanged, server};
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};

/// The steps from what is there to hooks that report. None if all of it is there.
pub(crate) fn install(site: &Site, way: Way, binary: &Path) -> Result<Plan, SetupError> {
    let known = Record::load(site)?;
    let mut record = known.clone();
    let mut notes = Vec::new();
    // The other way goes once this one is in place: an agent that runs the commands of both
    // would tell everything twice.
    let wanted = site.recipe.plugin.filter(|_| way == Way::Plugin && site.finds_plugin());
    let other = match wanted {
        Some(_) => uninstall::settings(site, &known, &mut notes),
        None => uninstall::plugin(site, &known, &mut notes),
    };
    let mut steps = match wanted {
        Some(wanted) => plugin(site, wanted, &mut record, &mut notes)?,
        None => settings(&site.for_settings(), &mut record, &mut notes)?,
    };
    if wanted.is_none() {
        record.files.clear();
    }
    // A skill may be another hub's.
    if steps.is_empty() && site.tools.is_none() && !Record::exists(site) {
        let at = wanted.map_or_else(|| site.settings(), |wanted| site.plugin(wanted));
        notes.push(format!(
            "{} has the {} already, which was not known: it is remembered from now on, without what \
             was there before",
            at.display(),
            site.recipe.subject()
        ));
    }
    steps.extend(other?);
    let mut all = launcher(site, binary);
    // Nothing of the program's changes, and its hooks run all the same from now on.
    if steps.is_empty() && !all.is_empty() {
        notes.push(format!("{} is a link to {} with this", site.launcher, binary.display()));
    }
    if !steps.is_empty() || record != known {
        all.extend(record.keep(site)?);
    }
    all.extend(steps);
    all.extend(uninstall::leftovers(site));
    Ok(Plan { steps: all, own: site.state.clone(), notes })
}

/// The link that all entries name, pointed at this program.
pub(crate) fn launcher(site: &Site, binary: &Path) -> Vec<Step> {
    let path = PathBuf::from(&site.launcher);
    let is_linked = fs::read_link(&path).is_ok_and(|to| to == binary);
    // The program may lie there itself: a link to itself would take its place.
    let is_it = || !path.is_symlink() && path.canonicalize().is_ok_and(|real| real == binary);
    if is_linked || is_it() {
        return Vec::new();
    }
    let folder = site.state.join("bin");
    vec![
        Step::Folder { path: site.state.clone(), mode: 0o700 },
        Step::Folder { path: folder, mode: 0o700 },
        Step::Link { path, to: binary.to_owned() },
    ]
}

fn plugin(
    site: &Site,
    plugin: &Plugin,
    record: &mut Record,
    notes: &mut Vec<String>,
) -> Result<Vec<Step>, SetupError> {
    let path = site.real_plugin(plugin)?;
    guard::can_put(&path)?;
    let files = plugin.files(&site.launcher_of(plugin));
    let whole = files.iter().filter(|file| file.path != plugin.entries);
    let written = whole.map(|file| (file.path.to_owned(), file.text.clone())).collect();
    if fs::symlink_metadata(&path).is_err() {
        record.files = written;
        let mut steps = folders(site, path.parent(), record);
        let files = files.into_iter().map(|file| (file.path.to_owned(), file.text)).collect();
        steps.push(Step::Tree { path, files });
        return Ok(steps);
    }
    if !is_ours(site, plugin, record, &path) {
        return Err(SetupError::denied(&site.plugin(plugin), Denied::ForeignFolder));
    }
    let mut steps = Vec::new();
    take_over(site, plugin, &path, record, notes);
    for file in files {
        let target = guard::look(&path.join(file.path), &site.roots)?;
        let there = target.before.as_deref().unwrap_or_default();
        let (after, is_theirs) = if file.path == plugin.entries {
            match with_theirs(site, there) {
                Ok(both) => (both.unwrap_or(file.text), false),
                Err(_) => (file.text, true),
            }
        } else {
            let is_same = |written: &String| inject::is_same_text(written, there);
            let is_known = is_same(&file.text) || record.files.get(file.path).is_some_and(is_same);
            (file.text, !is_known)
        };
        if target.before.as_ref() == Some(&after) {
            continue;
        }
        steps.extend(folders(site, target.path.parent(), record));
        if is_theirs && !there.is_empty() {
            let beside = yours::outside(&path, &target.path);
            steps.extend(yours::keep(&target.path, &beside, there, target.mode, notes));
        }
        let (path, before, mode) = (target.path, target.before, target.mode);
        steps.push(Step::Write { path, before, after, mode });
    }
    record.files = written;
    Ok(steps)
}

/// Our entries, and without those of other hubs, in a file that has something of a person's in it.
/// `None`: it has nothing of that.
fn with_theirs(site: &Site, text: &str) -> Result<Option<String>, Unchanged> {
    let found = site.inspect(text)?;
    let mut rest = text.to_owned();
    for home in found.elsewhere {
        rest = site.recipe.remove(&rest, &format!("{home}/bin/headsup"), None)?;
    }
    if holds_nothing(&site.remove(&rest, None)?) {
        return Ok(None);
    }
    site.append(&rest).map(Some)
}

/// The folder may report to another hub: then that is said.
fn take_over(
    site: &Site,
    plugin: &Plugin,
    path: &Path,
    record: &mut Record,
    notes: &mut Vec<String>,
) {
    let text = guard::read(&path.join(plugin.entries)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    inherit(site, &text, path, record);
    let found = site.inspect(&text).unwrap_or_default();
    notes.extend(taken(site, &site.plugin(plugin), &found.elsewhere));
}

/// That what is there has been other hubs', and is ours now.
fn taken(site: &Site, at: &Path, homes: &[String]) -> Vec<String> {
    let (at, own) = (at.display(), site.state.display());
    let say = |home: &String| {
        format!("{at} reports to the hub of {home}: with this it reports to that of {own} alone")
    };
    homes.iter().map(say).collect()
}

/// What else of ours has edited this file and is in it: the tools beside the hooks, and what other hubs
/// have there. What these installations made on the way to `path` is ours to take away as well: whoever
/// made it will find it in use.
fn inherit(site: &Site, text: &str, path: &Path, record: &mut Record) -> Vec<Edited> {
    let mut edits = Vec::new();
    for recipe in of_one_file(site.recipe) {
        let part = Site { recipe, ..site.clone() };
        let found = part.inspect(text).unwrap_or_default();
        let is_beside = recipe.record() != site.recipe.record() && !found.is_empty();
        let own = is_beside.then(|| site.state.clone());
        let homes = found.elsewhere.iter().map(PathBuf::from);
        let homes = homes.chain(sharers::ever_with_tools(site));
        for state in own.into_iter().chain(homes) {
            let other = Site { state, ..part.clone() };
            let theirs = Record::look(&other).unwrap_or_default();
            let made = theirs.folders.into_iter().filter(|folder| path.starts_with(folder));
            for folder in made {
                if !record.folders.contains(&folder) {
                    record.folders.push(folder);
                }
            }
            for (name, text) in theirs.files {
                record.files.entry(name).or_insert(text);
            }
            edits.extend(theirs.settings.filter(|theirs| theirs.is_of(path)));
        }
    }
    edits
}

/// This recipe, and the other one whose part goes into the same file, where there is one.
pub(super) fn of_one_file(recipe: &'static Recipe) -> impl Iterator<Item = &'static Recipe> {
    let all = [inject::recipe(recipe.kind), server::of(recipe.kind)].into_iter().flatten();
    let is_beside = move |other: &&Recipe| {
        other.settings == recipe.settings && other.record() != recipe.record()
    };
    iter::once(recipe).chain(all.filter(is_beside))
}

/// What one of these other hubs, which came before us, has put into the file.
fn theirs(site: &Site, homes: &[String], path: &Path) -> Option<Edited> {
    homes.iter().find_map(|home| {
        let other = Site { state: PathBuf::from(home), ..site.clone() };
        Record::look(&other)?.settings.filter(|theirs| theirs.is_of(path))
    })
}

/// The text without what another hub has where ours goes: that is nothing to come back. `None`: nothing
/// is left.
pub(super) fn without_others(
    site: &Site,
    text: &str,
    original: Option<&str>,
) -> Result<Option<String>, Unchanged> {
    if !site.recipe.has_one_place() {
        return Ok(Some(text.to_owned()));
    }
    let found = site.inspect(text).unwrap_or_default();
    let Some(home) = found.elsewhere.first() else { return Ok(Some(text.to_owned())) };
    let rest = site.recipe.remove(text, &format!("{home}/bin/headsup"), original)?;
    Ok(Some(rest).filter(|rest| !rest.is_empty() || original == Some("")))
}

/// A folder that one of our files marks, or that has entries of this hub in it. So is one of which a deletion that
/// was cut off has left nothing but our folders; an empty one of which we have no record may be anybody's.
pub(super) fn is_ours(site: &Site, plugin: &Plugin, record: &Record, path: &Path) -> bool {
    let files = plugin.files(&site.launcher);
    let is_way = |folder: &Path| files.iter().any(|file| path.join(file.path).starts_with(folder));
    let is_empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    if edit::is_hollow(path, is_way) && (!record.files.is_empty() || !is_empty()) {
        return true;
    }
    let has_entries = |text: &str| {
        let found = site.inspect(text);
        found.is_ok_and(|found| !found.is_empty())
    };
    files.iter().any(|file| {
        let text = guard::read(&path.join(file.path)).and_then(|text| String::from_utf8(text).ok());
        let text = text.unwrap_or_default();
        plugin.owns(file.path, &text) || file.path == plugin.entries && has_entries(&text)
    })
}

fn settings(
    site: &Site,
    record: &mut Record,
    notes: &mut Vec<String>,
) -> Result<Vec<Step>, SetupError> {
    let named = site.settings();
    let target = guard::look(&named, &site.roots)?;
    let text = target.before.as_deref().unwrap_or_default();
    let unclear = |why| SetupError::unclear(&named, why);
    let is_remembered = yours::is_remembered(site, record.settings.as_ref(), text);
    let seen = if is_remembered { "" } else { text };
    let after = site.append(seen).map_err(unclear)?;
    if target.before.as_ref() == Some(&after) {
        adopt(site, target.path, after, record).map_err(unclear)?;
        return Ok(Vec::new());
    }
    guard::fits(&named, &after)?;
    let others = inherit(site, text, &target.path, record);
    let was_written = record.settings.iter().chain(&others).any(|edited| edited.wrote(site, text));
    let found = site.inspect(text).unwrap_or_default();
    let takes_over = site.recipe.has_one_place();
    if takes_over {
        notes.extend(taken(site, &named, &found.elsewhere));
        let homes = found.elsewhere.iter().map(PathBuf::from);
        let new: Vec<_> = homes.filter(|home| !record.others.contains(home)).collect();
        record.others.extend(new);
    }
    // What was remembered of a file that nothing of this is in any more is not about this one.
    let known = record.settings.take();
    let at = &target.path;
    let emptied = yours::keep_original(at, known.as_ref(), text, target.mode, notes);
    let is_in_there = is_remembered || !found.is_empty();
    let known = known.filter(|known| is_in_there && known.is_of(&target.path));
    let theirs = theirs(site, &found.elsewhere, &target.path);
    // Whoever leaves last leaves what was there before all of ours.
    let first = known.as_ref().and_then(|known| known.first.clone()).or_else(|| {
        let earliest = known.as_ref().filter(|_| !others.is_empty()).or(others.first())?;
        Some(First { text: earliest.original().map(str::to_owned) })
    });
    let has_aliases =
        |known: &Edited| known.before.as_ref().is_some_and(|before| site.has_aliases(before));
    let is_as_written = |known: &Edited| known.after == text && !has_aliases(known);
    let before = match (&known, &theirs) {
        // Ours are in there, and nobody has been at it since.
        (Some(known), _) if is_remembered || is_as_written(known) => known.before.clone(),
        // So are theirs, and ours take their place.
        (_, Some(theirs)) if takes_over && theirs.after == text => theirs.before.clone(),
        _ => {
            let ours = known.as_ref().and_then(Edited::original);
            let original = first.as_ref().map_or(ours, |first| first.text.as_deref());
            let clean = |text: &String| {
                let rest = site.remove(text, known.as_ref().map(Edited::start))?;
                without_others(site, &rest, original)
            };
            let rest = target.before.as_ref().map(clean).transpose().map_err(unclear)?.flatten();
            let is_forgotten = known.is_none() && others.is_empty() && !found.is_empty();
            let was_made = |rest: &str| is_forgotten && uninstall::is_made(site, text, rest);
            // Of a file that held nothing but what is ours nothing is left.
            let is_left = |rest: &str| !rest.is_empty() || text.is_empty() || original == Some("");
            // So it is of one that was made for it, whatever somebody has changed since.
            let is_new = known.as_ref().is_some_and(|known| known.original().is_none());
            let is_bare = |rest: &str| is_new && holds_nothing(rest);
            rest.filter(|rest| is_left(rest) && !was_made(rest) && !is_bare(rest))
        }
    };
    let path = target.path;
    record.settings = Some(Edited { path: path.clone(), before, after: after.clone(), first });
    let mut steps = folders(site, path.parent(), record);
    steps.extend(emptied);
    if (is_remembered || site.recipe.is_altered(text)) && !was_written {
        steps.extend(yours::keep(&path, &path, text, target.mode, notes));
    }
    steps.push(Step::Write { path, before: target.before, after, mode: target.mode });
    Ok(steps)
}

/// What we have put there, where that has been forgotten, is ours to take away all the same. So is a skill that
/// another hub has put there, which may leave before us: nobody else writes the same.
fn adopt(site: &Site, path: PathBuf, text: String, record: &mut Record) -> Result<(), Unchanged> {
    if record.settings.as_ref().is_some_and(|known| known.is_of(&path)) {
        return Ok(());
    }
    let others = inherit(site, &text, &path, record);
    let original = others.first().map(|other| other.original().map(str::to_owned));
    let (before, first) = match site.tools {
        Some(_) => (original.flatten(), None),
        None => (uninstall::without_ours(site, &text)?, original.map(|text| First { text })),
    };
    record.folders.extend(own_folder(site, &path).filter(|_| others.is_empty()));
    record.folders.sort();
    record.settings = Some(Edited { path, before, after: text, first });
    Ok(())
}

/// The folder around a skill, which has our name.
pub(super) fn own_folder(site: &Site, path: &Path) -> Option<PathBuf> {
    let is_so = site.tools.is_some() && path.ends_with(site.recipe.settings);
    path.parent().filter(|_| is_so).map(Path::to_owned)
}

/// The folders that are missing on the way to `folder`; they are remembered as ours. So are those that
/// are there because another agent's hooks were installed before, or another part of this one's by whichever
/// hub: whoever leaves last takes them away.
fn folders(site: &Site, folder: Option<&Path>, record: &mut Record) -> Vec<Step> {
    let ancestors = folder.into_iter().flat_map(Path::ancestors);
    let homes = iter::once(site.state.clone()).chain(sharers::anywhere(site));
    let ours: Vec<PathBuf> = homes.flat_map(|home| Record::all_folders(&home)).collect();
    let shared =
        ancestors.clone().filter(|path| path.exists() && ours.iter().any(|own| own == path));
    let shared: Vec<PathBuf> = shared.map(Path::to_owned).collect();
    let mut missing: Vec<PathBuf> =
        ancestors.take_while(|path| !path.exists()).map(Path::to_owned).collect();
    missing.reverse();
    for path in shared.iter().chain(&missing) {
        if !record.folders.contains(path) {
            record.folders.push(path.clone());
        }
    }
    // Outermost first.
    record.folders.sort();
    missing.into_iter().map(|path| Step::Folder { path, mode: 0o755 }).collect()
}
