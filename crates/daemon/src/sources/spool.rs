//! The spool: a hook that missed its hub is heard of as soon as it has written its report down.
//!
//! What is there is fetched by the writer; this only wakes it. Where the kernel tells nothing, the
//! writer's own slow look must do.

use super::inotify::Inotify;
use crate::inbox::Inbox;
use crate::job::Work;
use crate::spool;
use std::path::PathBuf;
use std::time::Duration;

/// How often a folder that cannot be watched is tried again.
const MISSING: Duration = Duration::from_secs(2);
/// A hook that was stopped just before it let go of its lock is asked again so often.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

pub(super) async fn watch(folder: PathBuf, inbox: Inbox) {
    let queue = folder.join(spool::QUEUE);
    while let Some(inotify) = Inotify::new() {
        if inotify.add_folder(&folder).is_some() {
            // Watched before it is looked at, so that nothing falls between.
            loop {
                wake(&queue, &inbox).await;
                let changes = inotify.next().await;
                if changes.is_empty() || changes.iter().any(|change| change.is_over) {
                    break;
                }
            }
        }
        tokio::time::sleep(MISSING).await;
    }
}

async fn wake(queue: &std::path::Path, inbox: &Inbox) {
    for _ in 0..TRIES {
        // The hub's own renaming is a change, too.
        if !spool::has_reports(queue) || inbox.submit(Work::Spooled, None).await.is_err() {
            return;
        }
        if !spool::has_reports(queue) {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}
