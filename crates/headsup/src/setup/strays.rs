//! What runs our launcher and is not as it was installed: it is never taken away, and never passed over in
//! silence.

use super::edit::Step;
use super::{SetupError, Site, guard};
use headsup_adapters::inject::Unchanged;

/// Says what of that stays in the settings once `steps` are done. Where there is nothing to do, that is a
/// refusal.
pub(super) fn name(
    site: &Site,
    steps: &[Step],
    is_all: bool,
    notes: &mut Vec<String>,
) -> Result<(), SetupError> {
    let settings = site.settings();
    let written = steps.iter().rev().find_map(|step| match step {
        Step::Write { after, .. } => Some(after.clone()),
        _ => None,
    });
    let left = match written {
        Some(after) => after,
        None if steps.is_empty() => {
            let bytes = guard::read(&settings).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        }
        None => return Ok(()),
    };
    let strays = site.recipe.strays(&left, &site.launcher);
    if strays.is_empty() {
        return Ok(());
    }
    let why = Unchanged::Stray(strays.join(", "));
    if steps.is_empty() && is_all {
        return Err(SetupError::unclear(&settings, why));
    }
    notes.push(format!("{}: {why}: it stays until you take it out by hand", settings.display()));
    Ok(())
}
