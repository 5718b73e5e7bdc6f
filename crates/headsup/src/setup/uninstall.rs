//! What taking our hooks out again would do.

use super::edit::{self, Step};
use super::guard::{self, Target};
use super::install::{is_ours, of_one_file, own_folder, without_others};
use super::plan::Plan;
use super::record::{Edited, Record};
use super::temporary::left;
use super::{SetupError, Site, places, sharers, strays, yours};
use headsup_adapters::inject::{Plugin, Unchanged, is_same_text};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const BOM: char = '\u{feff}';

/// The steps back to how it was before. Where somebody has edited since, their edits stay and
/// exactly our entries go.
pub(crate) fn uninstall(site: &Site) -> Result<Plan, SetupError> {
    let record = Record::load(site)?;
    let mut notes = Vec::new();
    let mut steps = plugin(site, &record, &mut notes)?;
    let sharer = sharers::with_tools(site).into_iter().next().filter(|_| site.settings().exists());
    if let Some(home) = sharer {
        let (path, home) = (site.settings(), home.display());
        notes.push(format!("{} stays: the hub of {home} has its tools there", path.display()));
    } else {
        let of_settings = settings(site, &record, &mut notes)?;
        strays::name(site, &of_settings, steps.is_empty(), &mut notes)?;
        steps.extend(of_settings);
    }
    steps.extend(leftovers(site));
    let folders = record.folders.iter().rev();
    steps.extend(folders.map(|path| Step::DeleteEmpty { path: path.clone() }));
    steps.extend(Record::drop(site)?);
    notes.extend(places::others(site).into_iter().map(|other| other.told));
    Ok(Plan { steps, own: site.state.clone(), notes })
}

/// What is there of edits that were killed, wherever one may have been.
pub(super) fn leftovers(site: &Site) -> impl Iterator<Item = Step> {
    let of_plugin = |plugin: &Plugin| {
        let path = site.plugin(plugin);
        let files = plugin.files(&site.launcher).into_iter().map(|file| path.join(file.path));
        let kept = |file: PathBuf| [yours::place(&yours::outside(&path, &file)), file];
        files.flat_map(kept).chain([path.clone()]).collect::<Vec<_>>()
    };
    let theirs = site.recipe.plugin.map(of_plugin).unwrap_or_default();
    let settings = site.settings();
    let theirs = theirs.into_iter().chain([yours::place(&settings), settings]);
    // Where a link leads, the edit was there.
    let theirs = theirs.filter_map(|path| guard::resolve(&path, &site.roots).ok());
    let ours = [PathBuf::from(&site.launcher), Record::path(site)];
    let all: Vec<PathBuf> = theirs.chain(ours).filter(|path| edit::was_cut_off(path)).collect();
    all.into_iter().map(|path| Step::Clear { path })
}

pub(super) fn settings(
    site: &Site,
    record: &Record,
    notes: &mut Vec<String>,
) -> Result<Vec<Step>, SetupError> {
    let named = site.settings();
    let known = record.settings.as_ref();
    if fs::symlink_metadata(&named).is_err() {
        return Ok(Vec::new());
    }
    let Target { path, before, mode } = match guard::look(&named, &site.roots) {
        Ok(target) => target,
        // Nothing of ours was ever put there, or it is gone.
        Err(_) if has_none(site, known, &named) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let Some(text) = before else { return Ok(Vec::new()) };
    let known = known.filter(|known| known.is_of(&path));
    let was_written = known.is_some_and(|known| known.wrote(site, &text));
    if let Some(step) = yours::keep_original(&path, known, &text, mode, notes) {
        return Ok(vec![step]);
    }
    let mut steps = Vec::new();
    let has_aliases =
        |known: &Edited| known.before.as_ref().is_some_and(|before| site.has_aliases(before));
    let is_as_written = |known: &&Edited| known.after == text && !has_aliases(known);
    let after = if let Some(known) = known.filter(is_as_written) {
        // An older version has kept what another hub had there.
        let first = known.first.as_ref().and_then(|first| first.text.as_deref());
        let back = known.before.as_deref().map(|before| without_others(site, before, first));
        let back = back.transpose().map_err(|why| SetupError::unclear(&named, why))?;
        match back.flatten() {
            // The very bytes that were there.
            Some(back) if known.first.is_none() => Some(back),
            Some(back) => settled(site, Some(known), back),
            None => first.map(str::to_owned),
        }
    } else {
        if known.is_none() && !places::is_ours(site, &text) {
            return Ok(Vec::new());
        }
        let original = known.and_then(Edited::original);
        let is_remembered = yours::is_remembered(site, known, &text);
        let removed = match is_remembered {
            true => Ok(original.unwrap_or_default().to_owned()),
            false => site.remove(&text, known.map(Edited::start)),
        };
        let rest = match removed {
            Ok(rest) => rest,
            // That ours was there once is no reason to refuse.
            Err(_) if !places::is_ours(site, &text) => return Ok(Vec::new()),
            Err(why) => return Err(SetupError::unclear(&named, why)),
        };
        if rest == text {
            let is_theirs = site.recipe.is_own_file() && !site.recipe.is_all_ours(&text);
            notes.extend(is_theirs.then(|| format!("{} is not ours and stays", named.display())));
            return Ok(Vec::new());
        }
        if (is_remembered || site.recipe.is_altered(&text)) && !was_written {
            steps.extend(yours::keep(&path, &path, &text, mode, notes));
        }
        match known {
            None if is_made(site, &text, &rest) => None,
            _ => settled(site, known, rest),
        }
    };
    let after = match after {
        None if named.is_symlink() => Some(emptied(site, known, &text, &named)?),
        after => after,
    };
    let folder = own_folder(site, &path).filter(|_| known.is_none() && after.is_none());
    steps.push(match after {
        Some(after) => Step::Write { path, before: Some(text), after, mode },
        None => Step::Delete { path, before: text },
    });
    steps.extend(folder.map(|path| Step::DeleteEmpty { path }));
    Ok(steps)
}

/// What is left of a file that would go, but that a person has put a link to: that would lead to nothing.
fn emptied(
    site: &Site,
    known: Option<&Edited>,
    text: &str,
    named: &Path,
) -> Result<String, SetupError> {
    if site.recipe.is_own_file() {
        return Ok(String::new());
    }
    let rest = site.remove(text, known.map(Edited::start));
    rest.map_err(|why| SetupError::unclear(named, why))
}

/// What becomes of a file of which `rest` is left without our part: whoever leaves last leaves what was
/// there before all of ours. `None`: nothing was there.
fn settled(site: &Site, known: Option<&Edited>, rest: String) -> Option<String> {
    let original = known.and_then(Edited::original);
    if let Some(original) = original.filter(|original| is_as_it_was(site, original, &rest)) {
        return Some(original.to_owned());
    }
    let was_made = original.is_none_or(|original| site.recipe.is_all_ours(original));
    let is_empty = rest.is_empty() && original.is_none();
    let goes = is_empty || known.is_some() && was_made && holds_nothing(&rest);
    (!goes).then_some(rest)
}

/// Does `rest` mean what `original` does, or what comings and goings of ours make of that: of this part, and of the
/// other one where both stand in one file?
fn is_as_it_was(site: &Site, original: &str, rest: &str) -> bool {
    if means_the_same(original, rest) {
        return true;
    }
    let mut left = original.to_owned();
    for recipe in of_one_file(site.recipe) {
        let part = Site { recipe, ..site.clone() };
        // One that has something of ours in it would lose that.
        let found = part.inspect(&left).unwrap_or_default();
        if !found.is_empty() || !found.elsewhere.is_empty() {
            return false;
        }
        let came = part.append(&left);
        let Ok(went) = came.and_then(|came| part.remove(&came, Some(&left))) else { return false };
        if means_the_same(&went, rest) {
            return true;
        }
        left = went;
    }
    false
}

/// What is left without our part of a file of which nobody remembers what was there before. `None`: nothing.
pub(super) fn without_ours(site: &Site, text: &str) -> Result<Option<String>, Unchanged> {
    let rest = site.remove(text, None)?;
    let goes = rest.is_empty() || is_made(site, text, &rest);
    Ok((!goes).then_some(rest))
}

/// Was a file with ours in it, of which nobody remembers where it came from, made for ours alone? A link is a
/// person's.
pub(super) fn is_made(site: &Site, text: &str, rest: &str) -> bool {
    holds_nothing(rest) && !site.settings().is_symlink() && site.has_made(text)
}

/// Is there nothing to take out of a file that we may not edit? Of one in which ours was, and that cannot be read,
/// nobody knows; and one that is empty by now needs what we remember.
fn has_none(site: &Site, known: Option<&Edited>, path: &Path) -> bool {
    let Some(bytes) = guard::read(path) else { return known.is_none() };
    let text = String::from_utf8_lossy(&bytes);
    let is_needed = known.is_some() && text.trim().is_empty();
    !is_needed && !places::is_ours(site, &text) && !yours::is_remembered(site, known, &text)
}

fn means_the_same(one: &str, other: &str) -> bool {
    if one.starts_with(BOM) != other.starts_with(BOM) {
        return false;
    }
    let [one, other] = [one, other].map(|text| text.trim_start_matches(BOM).trim_end());
    if one == other {
        return true;
    }
    // To every program that reads JSON, an empty file is an empty object.
    let read = |text: &str| {
        let text = if text.is_empty() { "{}" } else { text };
        serde_json::from_str::<serde_json::Value>(text).ok()
    };
    if let (Some(one), Some(other)) = (read(one), read(other)) {
        return one == other;
    }
    // With comments in it.
    let is_json = |text: &str| text.trim_start().starts_with(['{', '/']);
    is_json(one) && is_json(other) && words(one) == words(other)
}

/// JSON without the space between its words, which are strings, comments and single signs.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let length = match sign {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            _ => sign.len_utf8(),
        };
        let (word, behind) = rest.split_at(length);
        words.push(word.trim_end());
        rest = behind;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// How long the string is that the text begins with, quotes and all.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, sign) in text.char_indices().skip(1) {
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

pub(super) fn holds_nothing(text: &str) -> bool {
    let value = serde_json::from_str::<serde_json::Value>(text.trim_start_matches(BOM));
    value.is_ok_and(|value| value.as_object().is_some_and(serde_json::Map::is_empty))
}

pub(super) fn plugin(
    site: &Site,
    record: &Record,
    notes: &mut Vec<String>,
) -> Result<Vec<Step>, SetupError> {
    let Some(plugin) = site.recipe.plugin else { return Ok(Vec::new()) };
    if !is_ours(site, plugin, record, &site.plugin(plugin)) {
        return Ok(Vec::new());
    }
    let folder = site.real_plugin(plugin)?;
    guard::can_put(&folder)?;
    let mut steps = Vec::new();
    let mut ours = Vec::new();
    let mut altered = Vec::new();
    let mut stays = strangers(site, plugin, &folder);
    let mut has_entries = false;
    for file in plugin.files(&site.launcher_of(plugin)) {
        let Target { path, before, mode } = guard::look(&folder.join(file.path), &site.roots)?;
        let Some(text) = before else { continue };
        // Somebody may have put entries of their own beside ours.
        if file.path == plugin.entries && text != file.text {
            let removed = site.remove(&text, None);
            let after = removed.map_err(|why| SetupError::unclear(&path, why))?;
            // One that somebody has emptied has nothing of anybody's.
            if !after.trim().is_empty() && !holds_nothing(&after) {
                has_entries = true;
                stays.push(path.clone());
                if after != text {
                    steps.push(Step::Write { path, before: Some(text), after, mode });
                }
                continue;
            }
        }
        let is_same = |written: &String| is_same_text(written, &text);
        let is_known = is_same(&file.text) || record.files.get(file.path).is_some_and(is_same);
        if file.path != plugin.entries && !is_known {
            altered.push((path.clone(), text.clone(), mode));
        }
        ours.push((file.path.to_owned(), path, text));
    }
    for path in &stays {
        notes.push(format!("{} is not ours and stays", path.display()));
    }
    // The file that makes it a plugin stays with entries that are not ours.
    if has_entries {
        return Ok(steps);
    }
    for (path, text, mode) in altered {
        let beside = yours::outside(&folder, &path);
        steps.extend(yours::keep(&path, &beside, &text, mode, notes));
    }
    if stays.is_empty() {
        let files = ours.into_iter().map(|(name, _, text)| (name, text)).collect();
        steps.push(Step::DeleteTree { path: folder, files });
    } else {
        steps.extend(ours.into_iter().map(|(_, path, before)| Step::Delete { path, before }));
    }
    Ok(steps)
}

/// Files in our folder that we have not put there.
fn strangers(site: &Site, plugin: &Plugin, path: &Path) -> Vec<PathBuf> {
    let files = plugin.files(&site.launcher).into_iter();
    let files: Vec<PathBuf> = files.map(|file| path.join(file.path)).collect();
    // What an edit that was killed has left is not a person's.
    let cut_off: Vec<PathBuf> = files.iter().flat_map(|file| left(file)).collect();
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let Ok(entries) = entries else {
            // Nobody knows what is in it.
            found.push(folder);
            continue;
        };
        for entry in entries {
            let there = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(there);
            } else if !files.contains(&there) && !cut_off.contains(&there) {
                found.push(there);
            }
        }
    }
    found.sort();
    found
}
