//! Steps that are worked out and not yet done.

use super::edit::{self, Fault, Step};
use super::{SetupError, Site, diff, lock};
use std::fs;
use std::path::{Path, PathBuf};

/// How often a plan is made anew because a file changed under it.
const TRIES: usize = 3;

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// Our own folder: what changes in there is not shown.
    pub(crate) own: PathBuf,
    /// What a person should know.
    pub(crate) notes: Vec<String>,
}

impl Plan {
    /// Would anything outside of our own folder change?
    pub(crate) fn is_empty(&self) -> bool {
        self.foreign().next().is_none()
    }

    /// The steps in folders of other programs.
    pub(crate) fn foreign(&self) -> impl Iterator<Item = &Step> {
        let is_theirs = |step: &&Step| {
            let tidies = matches!(step, Step::DeleteEmpty { .. } | Step::Clear { .. });
            !tidies && !step.path().starts_with(&self.own)
        };
        self.steps.iter().filter(is_theirs)
    }

    /// What was to be remembered of an edit that has not begun is of nothing that ever was there.
    fn forget(&self) {
        if self.foreign().any(Step::has_begun) {
            return;
        }
        for step in self.steps.iter().filter(|step| step.path().starts_with(&self.own)) {
            if let Step::Write { path, before: None, after, .. } = step
                && fs::read(path).is_ok_and(|now| now == after.as_bytes())
            {
                fs::remove_file(path).ok();
            }
        }
    }

    /// All of it as one unified diff.
    pub(crate) fn diff(&self) -> String {
        self.foreign().map(diff::of).collect()
    }
}

impl Step {
    /// Is what it is about not as it was any more? Folders and links hold nothing.
    fn has_begun(&self) -> bool {
        match self {
            Self::Write { path, before: Some(before), .. } | Self::Delete { path, before } => {
                !fs::read(path).is_ok_and(|now| now == before.as_bytes())
            }
            Self::Write { path, before: None, .. } | Self::Tree { path, .. } => {
                fs::symlink_metadata(path).is_ok()
            }
            Self::DeleteTree { path, .. } => fs::symlink_metadata(path).is_err(),
            Self::Folder { .. }
            | Self::Clear { .. }
            | Self::DeleteEmpty { .. }
            | Self::Link { .. } => false,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Folder { path, .. }
            | Self::Write { path, .. }
            | Self::Delete { path, .. }
            | Self::Tree { path, .. }
            | Self::DeleteTree { path, .. }
            | Self::Clear { path }
            | Self::DeleteEmpty { path }
            | Self::Link { path, .. } => path,
        }
    }
}

/// Makes a plan and carries it out, one command at a time. If a file changes in between, the
/// plan is made again from what is there then.
pub(crate) fn carry_out(
    site: &Site,
    mut plan: impl FnMut() -> Result<Plan, SetupError>,
    fault: Fault<'_>,
) -> Result<Plan, SetupError> {
    let _held = lock::all(site)?;
    let mut tries = 0;
    loop {
        let made = plan()?;
        tries += 1;
        let outcome = edit::perform(&made.steps, fault);
        if outcome.is_err() {
            made.forget();
        }
        match outcome {
            Err(SetupError::Changed(_)) if tries < TRIES => {}
            outcome => return outcome.map(|()| made),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::status::status;
    use crate::setup::{Way, install};
    use headsup_adapters::inject::recipes;
    use std::ffi::OsString;
    use std::io;

    #[test]
    fn an_install_that_fails_leaves_no_folder_and_no_record_of_what_never_was_there() {
        let recipe = recipes()[0];
        for way in [Way::Plugin, Way::Settings] {
            for at in 0.. {
                let folder = tempfile::tempdir().unwrap();
                let home = folder.path();
                let var = |name: &str| (name == "HOME").then(|| OsString::from(home));
                let site = Site::of(recipe, &home.join("state"), var).unwrap();
                let mut left = at;
                let mut full = |_: &'static str| {
                    if left == 0 {
                        return Err(io::Error::from(io::ErrorKind::StorageFull));
                    }
                    left -= 1;
                    Ok(())
                };
                let binary = Path::new("/usr/bin/true");
                let done = carry_out(&site, || install(&site, way, binary), &mut full);
                let is_there = status(&site).is_installed();
                let all = (home.join(recipe.folder).exists(), site.was_installed());
                assert_eq!(all, (is_there, is_there), "{way:?}, step {at}: {done:?}");
                if done.is_ok() {
                    assert!(is_there && at > 5, "{way:?} has {at} steps");
                    break;
                }
            }
        }
    }
}
