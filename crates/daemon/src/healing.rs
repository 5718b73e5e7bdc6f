//! A hub that has found damage in its database starts again by itself: each start goes on with what can be read.

use crate::home::DATABASE;
use crate::store::{self, Waiting};
use crate::{Config, Hub, RunError};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Damage that comes back sooner is left to a person: a disk that goes takes something with every start. A log that
/// somebody has cut is none: what was in it is lost, and the hub has nothing else to go on with than the database.
const NOT_SOONER: Duration = Duration::from_secs(600);

/// Between the first two tries of a start that the disk does not let happen; each pause is twice as long as the one
/// before.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// And no longer than this: whoever waits for the disk waits so long behind it, too.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Starts a hub that ran again, in this process. It goes on trying where the disk does not let it: nobody may be there
/// to start another one. Meanwhile it has the folder and no socket, so that nothing is acknowledged, and hooks write
/// down what they have to tell. `None`: `told_to_end` came back, or the folder is not there any more.
///
/// # Errors
/// What no time mends.
pub(crate) async fn restart(
    hub: Hub,
    config: &Config,
    told_to_end: impl AsyncFnMut(),
) -> Result<Option<Hub>, RunError> {
    restart_after(hub, config, told_to_end, pauses()).await
}

/// The same with these pauses between the tries.
pub(crate) async fn restart_after(
    hub: Hub,
    config: &Config,
    mut told_to_end: impl AsyncFnMut(),
    mut pauses: impl Iterator<Item = Duration>,
) -> Result<Option<Hub>, RunError> {
    // Kept all along: whoever needs a hub starts none that would end at the same.
    let Some(held) = hub.end().await else { return Ok(None) };
    let waiting = Waiting::of(&config.home.join(DATABASE));
    let mut said = None;
    loop {
        if !held.is_there() {
            tracing::error!("the state folder was removed or replaced: this hub ends");
            return Ok(None);
        }
        let again = async { Hub::start_in(held.home()?, config.clone()).await };
        let error = match again.await {
            Ok(hub) => return Ok(Some(hub)),
            Err(error) => error,
        };
        let Some(why) = error.awaited() else { return Err(error) };
        if said.as_ref() != Some(&why) {
            waiting.says(&why);
            tracing::error!(%why, "this hub cannot start again yet: it goes on trying by itself");
        }
        said = Some(why);
        let pause = pauses.next().unwrap_or(LONGEST_PAUSE);
        tokio::select! {
            biased;
            () = told_to_end() => return Ok(None),
            () = sleep(pause) => {}
        }
    }
}

fn pauses() -> impl Iterator<Item = Duration> {
    let twice = |pause: &Duration| Some((*pause * 2).min(LONGEST_PAUSE));
    std::iter::successors(Some(FIRST_PAUSE), twice)
}

/// When a hub has started again last.
#[derive(Debug, Default)]
pub(crate) struct Healing(Option<Instant>);

impl Healing {
    /// Whether the hub of this database is to start again now. It is then taken to do so.
    pub(crate) fn begins(&mut self, database: &Path, now: Instant) -> bool {
        // The start sees to a damage that it does not meet only where that is noted.
        store::is_doubted(database) && has_room(database) && self.is_due(now)
    }

    fn is_due(&mut self, now: Instant) -> bool {
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

    #[test]
    fn pauses_grow_up_to_some_seconds() {
        let told: Vec<u128> = pauses().take(6).map(|pause| pause.as_millis()).collect();
        assert_eq!(told, [500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    }
}
