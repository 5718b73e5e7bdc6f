//! Where else the same of ours may stand: one program can have several configuration folders.

use super::record::Record;
use super::{Site, guard};
use std::path::PathBuf;

/// What to say where nothing was found in this configuration, while another one that we remember still has
/// ours in it.
pub(super) fn others(site: &Site) -> Vec<String> {
    let folders = Record::other_folders(site).into_iter();
    let sites = folders.map(|folder| Site { folder, ..site.clone() });
    sites.filter(stands).map(|there| told(site, &there)).collect()
}

fn told(site: &Site, there: &Site) -> String {
    let (recipe, folder) = (site.recipe, &there.folder);
    let part = if recipe.subject() == "hooks" { "hooks" } else { "mcp" };
    let command = format!("headsup {part} uninstall {}", recipe.kind);
    let way = match site.address(folder) {
        Some(before) => format!("`{before}{command}` takes them away"),
        None => format!("`{command}` takes them away where it finds that folder"),
    };
    format!("{} has what was installed there ({}): {way}", folder.display(), recipe.subject())
}

/// Is anything of this hub's in this configuration?
fn stands(site: &Site) -> bool {
    let read = |path: PathBuf| {
        let bytes = guard::read(&path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let plugin = site.recipe.plugin.map(|plugin| read(site.plugin(plugin).join(plugin.entries)));
    is_ours(site, &read(site.settings())) || plugin.is_some_and(|text| is_ours(site, &text))
}

/// Is anything of this hub's in this text? A skill names none: nobody else writes the same.
pub(super) fn is_ours(site: &Site, text: &str) -> bool {
    let is_skill = |text: &str| {
        let found = site.recipe.inspect(text, &site.launcher);
        found.is_ok_and(|found| found.is_complete())
    };
    text.contains(&site.launcher) || site.tools.is_some() && is_skill(text)
}
