//! What several hubs need and no hub is named in: the skill, which goes with the tools.

use super::record::Record;
use super::{Site, guard};
use std::path::PathBuf;

/// The state folders of the other hubs whose tools are in the program that this skill is for.
pub(super) fn with_tools(site: &Site) -> Vec<PathBuf> {
    let Some(tools) = site.tools.as_deref() else { return Vec::new() };
    let text = guard::read(&tools.settings()).unwrap_or_default();
    let found = tools.recipe.inspect(&String::from_utf8_lossy(&text), &tools.launcher);
    found.unwrap_or_default().elsewhere.into_iter().map(PathBuf::from).collect()
}

/// The same, and of those whose place our tools have taken.
pub(super) fn ever_with_tools(site: &Site) -> Vec<PathBuf> {
    let mut homes = with_tools(site);
    let ours = site.tools.as_deref().and_then(Record::look);
    homes.extend(ours.unwrap_or_default().others);
    homes
}
