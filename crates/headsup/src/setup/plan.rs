//! Steps that are worked out and not yet done.

use super::edit::{self, Fault, Step};
use super::{SetupError, Site, diff, lock};
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

    /// All of it as one unified diff.
    pub(crate) fn diff(&self) -> String {
        self.foreign().map(diff::of).collect()
    }
}

impl Step {
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
        match edit::perform(&made.steps, fault) {
            Err(SetupError::Changed(_)) if tries < TRIES => {}
            outcome => return outcome.map(|()| made),
        }
    }
}
