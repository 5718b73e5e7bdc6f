//! What taking our hooks out again would do.

use super::edit::{self, Step};
use super::guard::{self, Target};
use super::install::{is_ours, without_others};
use super::plan::Plan;
use super::record::{Edited, Record};
use super::{SetupError, Site};
use headsup_adapters::inject::Plugin;
use std::fs;
use std::path::{Path, PathBuf};

/// The steps back to how it was before. Where somebody has edited since, their edits stay and
/// exactly our entries go.
pub(crate) fn uninstall(site: &Site) -> Result<Plan, SetupError> {
    let record = Record::load(site)?;
    let mut notes = Vec::new();
    let mut steps = plugin(site, &mut notes)?;
    steps.extend(settings(site, &record)?);
    steps.extend(leftovers(site));
    let folders = record.folders.iter().rev();
    steps.extend(folders.map(|path| Step::DeleteEmpty { path: path.clone() }));
    steps.extend(Record::drop(site)?);
    Ok(Plan { steps, own: site.state.clone(), notes })
}

/// What is there of edits that were killed, wherever one may have been.
fn leftovers(site: &Site) -> impl Iterator<Item = Step> {
    let of_plugin = |plugin: &Plugin| {
        let path = site.plugin(plugin);
        let files = plugin.files(&site.launcher).into_iter().map(|file| path.join(file.path));
        files.chain([path.clone()]).collect::<Vec<_>>()
    };
    let theirs = site.recipe.plugin.map(of_plugin).unwrap_or_default();
    let theirs = theirs.into_iter().chain([site.settings()]);
    // Where a link leads, the edit was there.
    let theirs = theirs.filter_map(|path| guard::resolve(&path, &site.roots).ok());
    let ours = [PathBuf::from(&site.launcher), Record::path(site)];
    let all: Vec<PathBuf> = theirs.chain(ours).filter(|path| edit::was_cut_off(path)).collect();
    all.into_iter().map(|path| Step::Clear { path })
}

pub(super) fn settings(site: &Site, record: &Record) -> Result<Vec<Step>, SetupError> {
    let named = site.settings();
    let known = record.settings.as_ref();
    if fs::symlink_metadata(&named).is_err() {
        return Ok(Vec::new());
    }
    let Target { path, before, mode } = match guard::look(&named, &site.roots) {
        Ok(target) => target,
        // Nothing of ours was ever put there.
        Err(_) if known.is_none() && !mentions_us(site, &named) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let Some(text) = before else { return Ok(Vec::new()) };
    let known = known.filter(|known| known.path == path);
    if let Some(known) = known.filter(|known| known.after == text) {
        // An older version has kept what another hub had there.
        let first = known.first.as_ref().and_then(|first| first.text.as_deref());
        let back = known.before.as_deref().map(|before| without_others(site, before, first));
        let back = back.transpose().map_err(|why| SetupError::unclear(&named, why))?;
        return Ok(vec![match back.flatten() {
            Some(after) => Step::Write { path, before: Some(text), after, mode },
            None => Step::Delete { path, before: text },
        }]);
    }
    let original = known.and_then(Edited::original);
    if known.is_none() && !text.contains(&site.launcher) {
        return Ok(Vec::new());
    }
    let removed = site.recipe.remove(&text, &site.launcher, original);
    let mut after = removed.map_err(|why| SetupError::unclear(&named, why))?;
    if after == text {
        return Ok(Vec::new());
    }
    // Of several hubs the last one leaves: what is left means what was there before them all.
    if let Some(first) = original.filter(|first| {
        known.is_some_and(|known| known.first.is_some()) && means_the_same(first, &after)
    }) {
        first.clone_into(&mut after);
    }
    let was_made = original.is_none_or(|original| site.recipe.is_all_ours(original));
    let is_empty = after.is_empty() && original.is_none();
    if is_empty || known.is_some() && was_made && holds_nothing(&after) {
        return Ok(vec![Step::Delete { path, before: text }]);
    }
    Ok(vec![Step::Write { path, before: Some(text), after, mode }])
}

fn mentions_us(site: &Site, path: &Path) -> bool {
    guard::read(path).is_some_and(|bytes| String::from_utf8_lossy(&bytes).contains(&site.launcher))
}

fn means_the_same(one: &str, other: &str) -> bool {
    let read = |text| serde_json::from_str::<serde_json::Value>(text).ok();
    read(one).is_some_and(|one| read(other) == Some(one))
}

fn holds_nothing(text: &str) -> bool {
    let value = serde_json::from_str::<serde_json::Value>(text);
    value.is_ok_and(|value| value.as_object().is_some_and(serde_json::Map::is_empty))
}

pub(super) fn plugin(site: &Site, notes: &mut Vec<String>) -> Result<Vec<Step>, SetupError> {
    let Some(plugin) = site.recipe.plugin else { return Ok(Vec::new()) };
    if !is_ours(site, plugin, &site.plugin(plugin)) {
        return Ok(Vec::new());
    }
    let path = site.real_plugin(plugin)?;
    guard::can_put(&path)?;
    let mut steps = Vec::new();
    let mut ours = Vec::new();
    let mut stays = strangers(site, plugin, &path);
    let mut has_entries = false;
    for file in plugin.files(&site.launcher) {
        let Target { path, before, mode } = guard::look(&path.join(file.path), &site.roots)?;
        let Some(text) = before else { continue };
        // Somebody may have put entries of their own beside ours.
        if file.path == plugin.entries && text != file.text {
            let removed = site.recipe.remove(&text, &site.launcher, None);
            let after = removed.map_err(|why| SetupError::unclear(&path, why))?;
            if !holds_nothing(&after) {
                has_entries = true;
                stays.push(path.clone());
                if after != text {
                    steps.push(Step::Write { path, before: Some(text), after, mode });
                }
                continue;
            }
        }
        ours.push((file.path.to_owned(), path, text));
    }
    if stays.is_empty() {
        let files = ours.into_iter().map(|(name, _, text)| (name, text)).collect();
        return Ok(vec![Step::DeleteTree { path, files }]);
    }
    for path in &stays {
        notes.push(format!("{} is not ours and stays", path.display()));
    }
    // The file that makes it a plugin stays with entries that are not ours.
    if has_entries {
        return Ok(steps);
    }
    Ok(ours.into_iter().map(|(_, path, before)| Step::Delete { path, before }).collect())
}

/// Files in our folder that we have not put there.
fn strangers(site: &Site, plugin: &Plugin, path: &Path) -> Vec<PathBuf> {
    let files = plugin.files(&site.launcher);
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let there = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(there);
            } else if !files.iter().any(|file| path.join(file.path) == there) {
                found.push(there);
            }
        }
    }
    found.sort();
    found
}
