//! Status files that programs keep about themselves, one a process.

use super::goodbyes::Goodbyes;
use super::inotify::Change;
use super::lookout::Watcher;
use crate::filesystem;
use crate::inbox::Inbox;
use crate::job::{Reply, StatusFile, Witnessed, Work};
use crate::metrics::Metrics;
use crate::namespaces::{Namespaces, Peer};
use crate::process;
use crate::service::Surroundings;
use headsup_adapters::evidence::taken;
use headsup_adapters::{RegistryRecord, WatchedFolder, log_of, registry, registry_pid};
use headsup_core::gate::Container;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::Level;
use rustix::fs::{FileType, Mode, OFlags};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

/// A status file is small; one that is not is not read.
const MOST_BYTES: u64 = 64 << 10;
/// Folders at once, those that agents have named among them; whoever names more is not followed.
const MOST_FOLDERS: usize = 32;
/// How often a folder that is not there, or not watched, is looked at.
const MISSING: Duration = Duration::from_millis(500);
/// How often everything is read again: what the kernel did not tell, and what still holds.
const AGAIN: Duration = Duration::from_secs(15);
/// A file that nobody understands may be in the middle of being written so long.
const WRITTEN: Duration = Duration::from_secs(1);

pub(super) struct Registries {
    folders: Vec<Folder>,
    /// So many of them, the first ones, nobody had to name.
    own: usize,
    inbox: Inbox,
    goodbyes: Arc<Goodbyes>,
    namespaces: Arc<Namespaces>,
    metrics: Arc<Metrics>,
    watcher: Watcher,
}

struct Folder {
    at: WatchedFolder,
    watch: Option<i32>,
    /// The one that the watch is on: device and inode.
    identity: Option<(u64, u64)>,
    /// The kernel may not tell of changes in it, watched or not.
    is_mute: bool,
    files: HashMap<String, Known>,
}

impl Folder {
    fn new(at: WatchedFolder) -> Self {
        let is_mute = filesystem::may_be_mute(&at.path);
        Self { at, watch: None, identity: None, is_mute, files: HashMap::new() }
    }

    /// Whether somebody has to look.
    fn is_unwatched(&self) -> bool {
        self.watch.is_none() || self.is_mute
    }

    fn is_unclear(&self) -> bool {
        self.files.values().any(|known| known.unclear_since.is_some())
    }
}

/// A file as it was last read.
struct Known {
    pid: u32,
    bytes: Vec<u8>,
    record: Option<RegistryRecord>,
    /// Nobody understands it since then, and it is not counted yet.
    unclear_since: Option<Instant>,
}

impl Registries {
    pub(super) fn new(
        folders: Vec<WatchedFolder>,
        watcher: Watcher,
        inbox: Inbox,
        goodbyes: Arc<Goodbyes>,
        namespaces: Arc<Namespaces>,
        metrics: Arc<Metrics>,
    ) -> Self {
        let folders: Vec<Folder> = folders.into_iter().map(Folder::new).collect();
        let own = folders.len();
        Self { folders, own, inbox, goodbyes, namespaces, metrics, watcher }
    }

    /// One more folder, named by an agent that keeps its files there.
    pub(super) fn add(&mut self, at: WatchedFolder) -> bool {
        let known = self.folders.iter().any(|folder| folder.at == at);
        if !known && self.folders.len() >= MOST_FOLDERS {
            self.make_room();
        }
        let is_new = !known && self.folders.len() < MOST_FOLDERS;
        if is_new {
            self.folders.push(Folder::new(at));
        }
        is_new
    }

    /// Many a folder that an agent has named was made for it alone, and is gone with it.
    fn make_room(&mut self) {
        let is_gone = |folder: &Folder| folder.files.is_empty() && !folder.at.path.is_dir();
        let gone = self.folders.iter().skip(self.own).position(is_gone);
        let gone = gone.map(|place| self.folders.remove(self.own + place));
        if let Some(watch) = gone.and_then(|folder| folder.watch) {
            self.watcher.remove(watch);
        }
    }

    /// Tells of every change, for ever.
    pub(super) async fn watch(&mut self, mut more: UnboundedReceiver<WatchedFolder>) {
        let mut next_scan = Instant::now() + AGAIN;
        let mut next_look = Instant::now() + MISSING;
        loop {
            let missing = self.folders.iter().any(|at| at.is_unwatched() || at.is_unclear());
            // However often folders are named meanwhile.
            let next = if missing { next_look.min(next_scan) } else { next_scan };
            let changes = tokio::select! {
                changes = self.changes(next - Instant::now()) => changes,
                Some(folder) = more.recv() => {
                    if self.add(folder) {
                        self.scan_unwatched().await;
                    }
                    continue;
                }
            };
            if changes.iter().any(|change| change.is_over) {
                for folder in &mut self.folders {
                    folder.watch = None;
                }
            }
            for change in changes {
                let place = self.folders.iter().position(|f| f.watch == Some(change.watch));
                if let (Some(place), Some(name)) = (place, change.name) {
                    self.look_at(place, &name, false).await;
                }
            }
            if Instant::now() >= next_scan {
                self.scan(false).await;
                self.confirm().await;
                next_scan = Instant::now() + AGAIN;
            } else {
                self.scan_unwatched().await;
            }
            next_look = Instant::now() + MISSING;
            self.count_unclear();
        }
    }

    /// Counts the files that nobody understands, once they hold still: what a living process says in them
    /// is news.
    fn count_unclear(&mut self) {
        for folder in &mut self.folders {
            for known in folder.files.values_mut() {
                if known.unclear_since.is_some_and(|since| since.elapsed() >= WRITTEN) {
                    known.unclear_since = None;
                    if process::identity(known.pid).is_some() {
                        self.metrics.not_understood(folder.at.kind, "registry.file");
                    }
                }
            }
        }
    }

    /// What the kernel tells until `patience` has passed.
    async fn changes(&self, patience: Duration) -> Vec<Change> {
        tokio::time::timeout(patience, self.watcher.next()).await.unwrap_or_default()
    }

    /// Looks at every file. `first`: the hub has just started.
    pub(super) async fn scan(&mut self, first: bool) {
        for place in 0..self.folders.len() {
            self.scan_folder(place, first).await;
        }
    }

    /// Looks into folders that were not there, or of which the kernel may not tell.
    async fn scan_unwatched(&mut self) {
        for place in 0..self.folders.len() {
            if self.folders[place].is_unwatched() {
                self.scan_folder(place, false).await;
            }
        }
    }

    async fn scan_folder(&mut self, place: usize, first: bool) {
        self.let_go_of_moved(place);
        let folder = &mut self.folders[place];
        if folder.watch.is_none() {
            // Watched before it is read, so that nothing falls between.
            folder.identity = identity(&folder.at.path);
            folder.watch = self.watcher.add_folder(&folder.at.path);
        }
        let kind = folder.at.kind;
        let mut names: HashSet<String> = folder.files.keys().cloned().collect();
        if let Ok(entries) = std::fs::read_dir(&folder.at.path) {
            let found = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
            names.extend(found.filter(|name| registry_pid(kind, name).is_some()));
        }
        for name in names {
            self.look_at(place, &name, first).await;
        }
    }

    /// One above it may have been moved away, and the watch with it: nothing tells of what stands in its place.
    fn let_go_of_moved(&mut self, place: usize) {
        let folder = &self.folders[place];
        let Some(watch) = folder.watch else { return };
        if folder.identity == identity(&folder.at.path) {
            return;
        }
        self.watcher.remove(watch);
        // Two paths may lead to one folder.
        for folder in self.folders.iter_mut().filter(|folder| folder.watch == Some(watch)) {
            folder.watch = None;
        }
    }

    /// What is still shown holds still: a long silence of everything else ages nothing.
    async fn confirm(&self) {
        for folder in &self.folders {
            for known in folder.files.values() {
                let record = known.record.as_ref().filter(|record| {
                    let rests = |level: &Level| {
                        matches!(level, Level::Idle { shells: 0 } | Level::Elsewhere)
                    };
                    let busy = record.level.as_ref().is_some_and(|level| !rests(level));
                    busy && is_of_a_living(record)
                });
                if let Some(record) = record {
                    self.tell(&folder.at, record, Container::Unsaid, false).await;
                }
            }
        }
    }

    async fn look_at(&mut self, place: usize, name: &str, first: bool) {
        let folder = &mut self.folders[place];
        let kind = folder.at.kind;
        // Whatever else lies there, as a key, is not opened.
        let Some(pid) = registry_pid(kind, name) else { return };
        let path = folder.at.path.join(name);
        let Some(bytes) = read(&path) else {
            let is_gone = path.symlink_metadata().is_err();
            if is_gone && let Some(known) = folder.files.remove(name) {
                let evidence = self.inbox.evidence();
                if let Some(agent) = evidence.file_is_gone(known.pid) {
                    let row = json!({"src": "registry", "file": file(name), "removed": true});
                    evidence.keep(&agent, evidence.now(), &row);
                }
                let process = known.record.map(|record| record.process);
                self.goodbyes.file_is_gone(known.pid, &path, process);
            }
            return;
        };
        let known = folder.files.get(name);
        if known.is_some_and(|known| known.bytes == bytes) {
            return;
        }
        if known.is_none() {
            self.goodbyes.file_is_there(pid, &path);
        }
        let mut record = registry(kind, name, &bytes);
        let mut container = Container::Unsaid;
        if let Some(record) = &mut record {
            container = self.namespaces.settle(&mut record.process, Peer::Unseen);
        }
        let known = folder.files.get(name).and_then(|known| known.record.as_ref());
        let states = record.as_ref().is_some_and(|record| record.statement.is_some());
        // Something else in the file has changed. Told again, an old level would contradict
        // whatever hooks have said since.
        let is_same = states && known == record.as_ref();
        let told = record.clone().filter(|_| !is_same);
        let seen = taken(&bytes);
        let unclear_since = record.is_none().then(Instant::now);
        folder.files.insert(name.to_owned(), Known { pid, bytes, record, unclear_since });
        if let Some(record) = told.filter(is_of_a_living) {
            let at = folder.at.clone();
            let evidence = self.inbox.evidence();
            let moment = evidence.now();
            if let Some(agent) = self.tell(&at, &record, container, first).await {
                evidence.file_is_of(pid, &agent);
                let row = json!({"src": "registry", "file": file(name), "record": seen});
                evidence.keep(&agent, moment, &row);
            }
        }
    }

    /// Whose conversation a background job goes on with.
    fn asked_by(&self, at: &WatchedFolder, record: &RegistryRecord) -> Option<ProcessId> {
        let job = record.job.as_ref()?;
        let folder = self.folders.iter().find(|folder| folder.at == *at)?;
        let mut others = folder.files.values().filter_map(|known| known.record.as_ref());
        let parked = others.find(|other| other.parked_in.as_ref() == Some(job))?;
        is_of_a_living(parked).then(|| parked.process.clone())
    }

    /// Whose file it is.
    async fn tell(
        &self,
        at: &WatchedFolder,
        record: &RegistryRecord,
        container: Container,
        first: bool,
    ) -> Option<AgentId> {
        let (kind, pid) = (at.kind, record.process.pid_here()?);
        let log_path = log_of(kind, &at.path, record);
        let (mut claimed, mut ancestors) = (process::claimed_seat(pid), process::ancestors(pid));
        let around = Surroundings { kind, claimed: &mut claimed, ancestors: &mut ancestors };
        around.without_service(|_| true);
        let file = StatusFile {
            kind,
            record: record.clone(),
            log_path: log_path.and_then(|path| path.into_os_string().into_string().ok()),
            container,
            claimed,
            ancestors,
            asked_by: self.asked_by(at, record),
            first,
        };
        let work = Work::Witnessed(Witnessed::Status(Box::new(file)));
        match self.inbox.submit(work, None).await {
            Ok(Reply::Done { agent, .. }) => agent,
            _ => None,
        }
    }
}

/// As a recording names it.
fn file(name: &str) -> String {
    format!("sessions/{name}")
}

/// Which folder a path leads to now.
fn identity(path: &Path) -> Option<(u64, u64)> {
    rustix::fs::stat(path).ok().map(|stat| (stat.st_dev, stat.st_ino))
}

/// A file outlives a process that was killed, and may be of another machine or container.
fn is_of_a_living(record: &RegistryRecord) -> bool {
    process::is_alive(&record.process)
}

/// A small regular file, whole; no link is followed and nothing is waited for.
fn read(path: &Path) -> Option<Vec<u8>> {
    let careful = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | careful;
    let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut bytes = Vec::new();
    File::from(file).take(MOST_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MOST_BYTES).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox;
    use crate::limits::Limits;
    use crate::sources::lookout::Lookout;
    use std::fs;

    fn at(path: &Path) -> WatchedFolder {
        WatchedFolder { kind: "claude-code", path: path.to_owned() }
    }

    /// Nobody hands out what the kernel tells.
    fn registries(path: &Path) -> (Registries, inbox::Outbox) {
        let metrics = Arc::new(Metrics::new());
        let lookout = Lookout::new(Limits::default().inotify, Arc::clone(&metrics));
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let (watcher, goodbyes) = (lookout.watcher(), Arc::<Goodbyes>::default());
        let (folders, namespaces) = (vec![at(path)], Arc::new(Namespaces::new()));
        (Registries::new(folders, watcher, inbox, goodbyes, namespaces, metrics), outbox)
    }

    #[tokio::test]
    async fn a_folder_in_the_place_of_one_that_was_moved_away_is_watched() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a/sessions");
        fs::create_dir_all(&path).unwrap();
        let (mut all, _outbox) = registries(&path);
        all.scan(true).await;
        let before = all.folders[0].watch;
        all.scan(false).await;
        assert!(before.is_some() && all.folders[0].watch == before);
        fs::rename(home.path().join("a"), home.path().join("old")).unwrap();
        fs::create_dir_all(&path).unwrap();
        all.scan(false).await;
        let now = all.folders[0].watch;
        assert!(now.is_some() && now != before);
    }

    #[tokio::test]
    async fn a_folder_that_is_gone_makes_room_for_another() {
        let home = tempfile::tempdir().unwrap();
        let folder = |name: &str| home.path().join(name);
        let (mut all, _outbox) = registries(&folder("own"));
        let names: Vec<String> = (1..MOST_FOLDERS).map(|number| number.to_string()).collect();
        for name in &names {
            fs::create_dir(folder(name)).unwrap();
            assert!(all.add(at(&folder(name))));
        }
        fs::create_dir(folder("more")).unwrap();
        assert!(!all.add(at(&folder("more"))), "all are there, or our own");
        fs::remove_dir(folder(&names[4])).unwrap();
        assert!(all.add(at(&folder("more"))));
        assert!(!all.add(at(&folder("more"))), "it is known");
        let is_kept = |name: &str| all.folders.iter().any(|kept| kept.at.path == folder(name));
        assert!(is_kept("own") && is_kept("more") && !is_kept(&names[4]));
        assert_eq!(all.folders.len(), MOST_FOLDERS);
    }
}
