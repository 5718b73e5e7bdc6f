//! The server of the tools in each agent's configuration, where there is one of ours.

use super::{Check, agents};
use crate::cli::{Context, hooks};
use crate::setup::status::{Status, status};
use headsup_adapters::inject::server;
use std::path::Path;

pub(super) fn checks(context: &Context) -> Vec<Check> {
    let sites = server::all().iter().filter_map(|recipe| hooks::site(recipe, context).ok());
    sites.filter_map(|site| check(&status(&site))).collect()
}

/// `None`: it has none, and nobody waits for any.
fn check(found: &Status) -> Option<Check> {
    let (name, kind) = (format!("{} tools", found.kind), found.kind);
    let install = format!("`headsup mcp install {kind}`");
    if found.is_installed() {
        return Some(match (found.is_complete(), found.problems.as_slice()) {
            (true, []) => Check::good(name, "installed"),
            (true, problems) if found.is_dead => Check::bad(name, problems.join("; "), install),
            (true, problems) => {
                Check::bad(name, problems.join("; "), "put that right in the file it names")
            }
            (false, _) => Check::bad(name, "outdated: install them again", install),
        });
    }
    if found.elsewhere.is_empty() {
        return found.was_installed.then(|| agents::lost(found, name, "mcp"));
    }
    let detail = format!("they are of the hub of {}", found.elsewhere.join(", "));
    let is_gone = |home: &String| !Path::new(home).join("bin/headsup").exists();
    if found.elsewhere.iter().any(is_gone) {
        let detail = format!("{detail}, whose program is gone, so none starts");
        return Some(Check::bad(name, detail, format!("{install} puts this hub's in their place")));
    }
    Some(match found.was_installed {
        true => {
            let hint = format!(
                "{install} takes their place; `headsup mcp uninstall {kind}` leaves them there"
            );
            Check::bad(name, format!("{detail}, and no more of this one"), hint)
        }
        false => Check::good(name, detail).with(format!("to have this hub's: {install}")),
    })
}
