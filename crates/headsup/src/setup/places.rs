//! Where else the same of ours may stand: one program can have several configuration folders.

use super::record::Record;
use super::{Site, guard};
use serde::Serialize;
use std::path::PathBuf;

/// Another configuration folder of the same program, with ours in it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OtherFolder {
    folder: PathBuf,
    /// The command that takes ours out of it; none where no variable leads there.
    uninstall: Option<String>,
    /// The same for a person.
    #[serde(skip)]
    pub(crate) told: String,
}

/// The other configurations of which we remember that ours is in them, and which still have it.
pub(super) fn others(site: &Site) -> Vec<OtherFolder> {
    let folders = Record::other_folders(site).into_iter();
    let sites = folders.map(|folder| Site { folder, ..site.clone() });
    sites.filter(stands).map(|there| other(site, there.folder)).collect()
}

fn other(site: &Site, folder: PathBuf) -> OtherFolder {
    let recipe = site.recipe;
    let part = if recipe.subject() == "hooks" { "hooks" } else { "mcp" };
    let command = format!("headsup {part} uninstall {}", recipe.kind);
    let uninstall = site.address(&folder).map(|before| format!("{before}{command}"));
    let way = match &uninstall {
        Some(whole) => format!("`{whole}` takes them away"),
        None => format!("`{command}` takes them away where it finds that folder"),
    };
    let (at, subject) = (folder.display(), recipe.subject());
    let told = format!("{at} has what was installed there ({subject}): {way}");
    OtherFolder { folder, uninstall, told }
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

/// Is anything of this hub's in this text? A skill names none: nobody else writes the same. Where the text
/// cannot be read, a launcher's path in it says so.
pub(super) fn is_ours(site: &Site, text: &str) -> bool {
    let found = site.inspect(text);
    let is_found = found.is_ok_and(|found| match site.tools {
        Some(_) => found.is_complete(),
        None => !found.is_empty(),
    });
    is_found || site.is_named_in(text)
}
