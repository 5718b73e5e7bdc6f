//! A hub that has found damage in its database starts again by itself: each start goes on with what can be read.

use crate::store;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Damage that comes back sooner is left to a person: a disk that goes takes something with every start.
const NOT_SOONER: Duration = Duration::from_secs(600);

/// When a hub has started again last.
#[derive(Debug, Default)]
pub(crate) struct Healing(Option<Instant>);

impl Healing {
    /// Whether the hub of this database is to start again now. It is then taken to do so.
    pub(crate) fn begins(&mut self, database: &Path, now: Instant) -> bool {
        // The start sees to a damage that it does not meet only where that is noted.
        store::is_doubted(database) && has_room(database) && self.is_due(now)
    }

    /// The same, where nothing stands in its way.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        let is_soon = self.0.is_some_and(|last| now.saturating_duration_since(last) < NOT_SOONER);
        if !is_soon {
            self.0 = Some(now);
        }
        !is_soon
    }
}

/// What can be read of it is written beside it, and nothing of it is deleted.
fn has_room(database: &Path) -> bool {
    let files = store::files(database);
    let bytes: u64 =
        files.iter().filter_map(|file| fs::metadata(file).ok()).map(|file| file.len()).sum();
    let disk = database.parent().and_then(|folder| rustix::fs::statvfs(folder).ok());
    disk.is_some_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) / 2 > bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hub_starts_again_for_a_damage_that_is_noted_and_not_one_time_after_the_other() {
        let temp = tempfile::tempdir().unwrap();
        let database = temp.path().join("headsup.db");
        fs::write(&database, "x").unwrap();
        let (mut healing, now) = (Healing::default(), Instant::now());
        assert!(!healing.begins(&database, now), "no damage is noted");
        store::doubt(&database).unwrap();
        assert!(healing.begins(&database, now));
        assert!(!healing.begins(&database, now + NOT_SOONER / 2));
        assert!(healing.begins(&database, now + NOT_SOONER));
        // Sparse, and longer than any disk.
        fs::File::options().write(true).open(&database).unwrap().set_len(1 << 43).unwrap();
        assert!(!has_room(&database));
    }
}
