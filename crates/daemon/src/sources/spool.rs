//! The spool: a hook that missed its hub is heard of as soon as it has written its report down.
//!
//! What is there is fetched by the writer; this only wakes it.

use super::lookout::{UNWATCHED, Watcher};
use crate::inbox::Inbox;
use crate::job::Work;
use crate::spool;
use std::path::PathBuf;
use std::time::Duration;

/// A hook that was stopped just before it let go of its lock is asked again so often.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

pub(super) async fn watch(folder: PathBuf, watcher: Watcher, inbox: Inbox) {
    let queue = folder.join(spool::QUEUE);
    loop {
        // Watched before it is looked at, so that nothing falls between.
        let is_watched = watcher.add_folder(&folder).is_some();
        wake(&queue, &inbox).await;
        while is_watched && !watcher.next().await.iter().any(|change| change.is_over) {
            wake(&queue, &inbox).await;
        }
        tokio::time::sleep(UNWATCHED).await;
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

#[cfg(test)]
mod tests {
    use super::super::lookout::Lookout;
    use super::*;
    use crate::inbox;
    use crate::metrics::Metrics;
    use headsup_core::spool::{Record, Report, encode};
    use rustix::io::Errno;
    use std::sync::Arc;

    #[tokio::test(start_paused = true)]
    async fn an_unwatched_spool_is_looked_into_every_second() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("spool");
        let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        tokio::spawn(watch(folder.clone(), lookout.watcher(), inbox));
        tokio::time::sleep(UNWATCHED / 2).await;
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(spool::QUEUE), encode(&Record::Report(Report::default())))
            .unwrap();
        assert!(outbox.take(Duration::ZERO, 1).unwrap().is_empty(), "nobody has looked since");
        tokio::time::sleep(UNWATCHED).await;
        let told = outbox.take(Duration::ZERO, 1).unwrap();
        assert!(matches!(told[0].work, Work::Spooled));
    }
}
