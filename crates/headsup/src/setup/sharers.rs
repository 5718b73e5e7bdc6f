//! What several hubs need and no hub is named in: the skill, which goes with the tools, and folders.

use super::record::Record;
use super::{Site, guard};
use std::iter;
use std::path::PathBuf;

/// The state folders of the other hubs whose tools are in the program that this skill is for.
pub(super) fn with_tools(site: &Site) -> Vec<PathBuf> {
    site.tools.as_deref().map(|tools| named_in(tools, tools.settings())).unwrap_or_default()
}

/// The state folders of the other hubs that have anything in this program's configuration.
pub(super) fn anywhere(site: &Site) -> Vec<PathBuf> {
    let mut homes = Vec::new();
    for site in iter::once(site).chain(&site.kin) {
        let plugin = site.recipe.plugin.map(|plugin| site.plugin(plugin).join(plugin.entries));
        let files = iter::once(site.settings()).chain(plugin);
        homes.extend(files.flat_map(|path| named_in(site, path)));
    }
    homes.sort();
    homes.dedup();
    homes
}

/// The state folders of the other hubs that a file reports to.
fn named_in(site: &Site, path: PathBuf) -> Vec<PathBuf> {
    let text = guard::read(&path).unwrap_or_default();
    let found = site.inspect(&String::from_utf8_lossy(&text));
    found.unwrap_or_default().elsewhere.into_iter().map(PathBuf::from).collect()
}

/// The same, and of those whose place our tools have taken.
pub(super) fn ever_with_tools(site: &Site) -> Vec<PathBuf> {
    let mut homes = with_tools(site);
    let ours = site.tools.as_deref().and_then(Record::look);
    homes.extend(ours.unwrap_or_default().others);
    homes
}
