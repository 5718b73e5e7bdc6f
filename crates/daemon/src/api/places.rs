//! Where in repositories agents work, as that is now.

use crate::repository::Place;
use headsup_adapters::text;
use headsup_core::wire::AgentDoc;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// In characters.
const LONGEST_PATH: usize = 4_096;
const LOOK_WITHIN: Duration = Duration::from_millis(200);
/// So many looks at a time: one may hang with its file system for ever.
static LOOKS: Semaphore = Semaphore::const_new(8);

/// By folder.
#[derive(Debug, Default)]
pub(super) struct Places(HashMap<String, Place>);

impl Places {
    /// Looks at each of these folders once. A file system that does not answer is not waited for.
    pub(super) async fn of(mut folders: BTreeSet<String>) -> Self {
        folders.retain(|folder| Path::new(folder).is_absolute());
        if folders.is_empty() {
            return Self::default();
        }
        let look = async {
            let room = LOOKS.acquire().await.ok()?;
            let look = tokio::task::spawn_blocking(move || {
                let place = |folder: String| Place::of(Path::new(&folder)).map(|it| (folder, it));
                let found = folders.into_iter().filter_map(place).collect();
                drop(room);
                found
            });
            look.await.ok()
        };
        Self(timeout(LOOK_WITHIN, look).await.ok().flatten().unwrap_or_default())
    }

    /// What nobody has told of an agent.
    pub(super) fn fill(&self, doc: &mut AgentDoc<'_>) {
        let Some(place) = doc.cwd.as_deref().and_then(|cwd| self.0.get(cwd)) else { return };
        let text = |path: &Path| Cow::Owned(text::line(&path.display().to_string(), LONGEST_PATH));
        doc.repo.get_or_insert_with(|| text(&place.repo));
        doc.worktree.get_or_insert_with(|| text(&place.worktree));
        if let Some(branch) = &place.branch {
            doc.branch.get_or_insert_with(|| Cow::Owned(branch.clone()));
        }
    }
}
