//! One inotify instance for all sources: a user has few of them, and all programs share these.
//!
//! Where the system gives none, nothing is watched: each source looks by itself every
//! [`UNWATCHED`], and the system is asked again.

use super::inotify::{Change, Inotify};
use crate::limits::Open;
use crate::metrics::{Metrics, Short};
use rustix::io::Errno;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// How often a source looks at what nobody watches for it.
pub(super) const UNWATCHED: Duration = Duration::from_secs(1);
/// How often the system is asked for an instance again.
const AGAIN: Duration = Duration::from_secs(5);
/// Changes that a source may have before it; with more it is told to look at everything.
const MOST: usize = 4_096;

pub(super) struct Lookout {
    open: Open,
    metrics: Arc<Metrics>,
    kernel: Mutex<Kernel>,
}

#[derive(Default)]
struct Kernel {
    instance: Option<Arc<Inotify>>,
    /// Whom a watch is for.
    owners: HashMap<i32, Arc<Told>>,
    sources: Vec<Arc<Told>>,
    /// What is short has been said.
    said: HashSet<Short>,
}

/// One source's part of it.
pub(super) struct Watcher {
    lookout: Arc<Lookout>,
    told: Arc<Told>,
}

/// Changes on their way to one source.
#[derive(Default)]
struct Told {
    pending: Mutex<Pending>,
    come: Notify,
}

#[derive(Default)]
struct Pending {
    order: Vec<Change>,
    known: HashSet<Change>,
}

impl Lookout {
    /// Asks `open` for an instance. Whatever it tells goes nowhere until [`Lookout::run`].
    pub(super) fn new(open: Open, metrics: Arc<Metrics>) -> Arc<Self> {
        let lookout = Self { open, metrics, kernel: Mutex::default() };
        lookout.obtain();
        Arc::new(lookout)
    }

    /// A source's own part.
    pub(super) fn watcher(self: &Arc<Self>) -> Watcher {
        let told = Arc::<Told>::default();
        self.kernel().sources.push(Arc::clone(&told));
        Watcher { lookout: Arc::clone(self), told }
    }

    /// Hands out what the kernel tells, for ever.
    pub(super) async fn run(self: Arc<Self>) {
        loop {
            if let Some(instance) = self.obtain() {
                loop {
                    let changes = instance.next().await;
                    if changes.is_empty() {
                        break;
                    }
                    self.hand_out(changes);
                }
                self.lose();
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    fn obtain(&self) -> Option<Arc<Inotify>> {
        let mut kernel = self.kernel();
        if kernel.instance.is_none() {
            match Inotify::new(self.open) {
                Ok(instance) => kernel.instance = Some(Arc::new(instance)),
                Err(error) => self.say(&mut kernel, Short::Instances, Some(error)),
            }
        }
        if kernel.instance.is_some() {
            self.say(&mut kernel, Short::Instances, None);
        }
        kernel.instance.clone()
    }

    /// It cannot be read any more.
    fn lose(&self) {
        let mut kernel = self.kernel();
        kernel.instance = None;
        kernel.owners.clear();
        for source in &kernel.sources {
            source.push(Change::of_everything());
        }
    }

    fn hand_out(&self, changes: Vec<Change>) {
        let mut kernel = self.kernel();
        for change in changes {
            if change.is_of_everything() {
                kernel.sources.iter().for_each(|source| source.push(change.clone()));
            } else if change.is_over {
                // Else it would go on where the file was moved to.
                kernel.instance.iter().for_each(|instance| instance.remove(change.watch));
                if let Some(owner) = kernel.owners.remove(&change.watch) {
                    owner.push(change);
                }
            } else if let Some(owner) = kernel.owners.get(&change.watch) {
                owner.push(change);
            }
        }
    }

    /// `add` with the lock held: nothing is told of the new watch before it has its owner.
    fn add(
        &self,
        owner: &Arc<Told>,
        add: impl FnOnce(&Inotify) -> rustix::io::Result<i32>,
    ) -> Option<i32> {
        let mut kernel = self.kernel();
        let instance = kernel.instance.clone()?;
        match add(&instance) {
            Ok(watch) => {
                self.say(&mut kernel, Short::Watches, None);
                kernel.owners.insert(watch, Arc::clone(owner));
                Some(watch)
            }
            Err(error) => {
                if error == Errno::NOSPC {
                    self.say(&mut kernel, Short::Watches, Some(error));
                }
                None
            }
        }
    }

    /// Tells whether the system is short of something, the first time also in words.
    fn say(&self, kernel: &mut Kernel, what: Short, error: Option<Errno>) {
        self.metrics.short_of(what, error.is_some());
        if let Some(error) = error
            && kernel.said.insert(what)
        {
            let what = what.word();
            tracing::warn!(
                %error,
                "the system has no inotify {what} left: changes of files are seen within a second, \
                 not at once; raise fs.inotify.max_user_{what}"
            );
        }
    }

    fn kernel(&self) -> MutexGuard<'_, Kernel> {
        self.kernel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watcher {
    /// Whatever is written, moved or removed in a folder. `None`: it is not watched.
    pub(super) fn add_folder(&self, path: &Path) -> Option<i32> {
        self.lookout.add(&self.told, |instance| instance.add_folder(path))
    }

    /// Whatever is written to a file that is no link. `None`: it is not watched, as no folder is by this.
    pub(super) fn add_file(&self, path: &Path) -> Option<i32> {
        self.lookout.add(&self.told, |instance| instance.add_file(path))
    }

    pub(super) fn remove(&self, watch: i32) {
        let mut kernel = self.lookout.kernel();
        kernel.owners.remove(&watch);
        if let Some(instance) = &kernel.instance {
            instance.remove(watch);
        }
    }

    /// Waits for changes and takes what is there.
    pub(super) async fn next(&self) -> Vec<Change> {
        loop {
            let come = self.told.come.notified();
            let changes = self.told.take();
            if !changes.is_empty() {
                return changes;
            }
            come.await;
        }
    }
}

impl Told {
    /// One that waits already says the same.
    fn push(&self, change: Change) {
        let mut pending = self.pending();
        if pending.known.insert(change.clone()) {
            pending.order.push(change);
        }
        if pending.order.len() > MOST {
            *pending = Pending { order: vec![Change::of_everything()], ..Pending::default() };
        }
        drop(pending);
        self.come.notify_one();
    }

    fn take(&self) -> Vec<Change> {
        std::mem::take(&mut *self.pending()).order
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
