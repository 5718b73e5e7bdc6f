//! One edit at a time. A hub's own state has a lock of its own; several hubs of one person meet at the folders
//! in which they edit, which are locked themselves, so that nothing is left behind.

use super::edit::{self, Step};
use super::{SetupError, Site, guard};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::iter;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// An edit takes milliseconds. Somebody else may hold a lock on a folder for as long as they like.
const PATIENCE: Duration = Duration::from_secs(10);
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// What is held until it is dropped. What is to be changed is read after that.
pub(super) fn all(site: &Site) -> Result<Vec<File>, SetupError> {
    let mut held = vec![own(&site.state)?];
    for folder in folders(site) {
        held.extend(hold(&folder)?);
    }
    Ok(held)
}

fn own(state: &Path) -> Result<File, SetupError> {
    let folder = state.join("setup");
    let folders = [state, &folder].map(|path| Step::Folder { path: path.to_owned(), mode: 0o700 });
    edit::perform(&folders, &mut edit::no_fault)?;
    let path = folder.join("lock");
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)
        .map_err(|errno| SetupError::io("open", &path, errno.into()))?;
    rustix::fs::flock(&file, FlockOperation::LockExclusive)
        .map_err(|errno| SetupError::io("lock", &path, errno.into()))?;
    Ok(file.into())
}

/// All that is there on the way to what is edited and is this user's, not everybody's, outermost first, from the
/// home folder on: whoever finds a folder still missing and whoever finds it made have those above it in common.
pub(super) fn folders(site: &Site) -> BTreeSet<PathBuf> {
    let plugin = site.recipe.plugin.map(|plugin| site.plugin(plugin));
    let places = iter::once(site.settings()).chain(plugin);
    let user = rustix::process::geteuid().as_raw();
    let is_above = |path: &Path| {
        path.parent().is_none()
            || site.home.as_deref().is_some_and(|home| home.starts_with(path) && home != path)
    };
    let is_ours = |path: &&Path| {
        let is_one =
            |meta: Metadata| meta.is_dir() && meta.uid() == user && meta.mode() & 0o002 == 0;
        !is_above(path) && fs::metadata(path).is_ok_and(is_one)
    };
    let mut found = BTreeSet::new();
    for place in places.filter_map(|place| guard::real(&place)) {
        found.extend(place.ancestors().skip(1).filter(is_ours).map(Path::to_owned));
    }
    found
}

/// `None` where there are no locks: what is there is still compared before it is replaced.
fn hold(folder: &Path) -> Result<Option<File>, SetupError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(folder, flags, Mode::empty()) else { return Ok(None) };
    let end = Instant::now() + PATIENCE;
    loop {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Some(file.into())),
            Err(Errno::WOULDBLOCK) if Instant::now() < end => thread::park_timeout(BETWEEN_LOOKS),
            Err(Errno::WOULDBLOCK) => return Err(SetupError::Busy(folder.to_owned())),
            Err(Errno::INTR) => {}
            Err(_) => return Ok(None),
        }
    }
}
