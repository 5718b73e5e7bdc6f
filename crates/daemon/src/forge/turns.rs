//! One at a time in each repository: a slow host holds up nobody but those who wait for it anyway.

use super::ForgeError;
use crate::outgoing::left;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OwnedMutexGuard;
use tokio::time::timeout;

/// Where nobody waits for an answer.
const LONGEST: Duration = Duration::from_secs(3_600);

type Turn = Arc<tokio::sync::Mutex<()>>;

/// Whose turn it is, by repository.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<HashMap<String, Turn>>);

impl Turns {
    /// Waits for the turn of a repository. It ends with what is returned.
    pub(super) async fn take(&self, repo: &str) -> Result<OwnedMutexGuard<()>, ForgeError> {
        let turn = self.of(repo).lock_owned();
        timeout(left(LONGEST), turn).await.map_err(|_| ForgeError::Busy(repo.to_owned()))
    }

    fn of(&self, repo: &str) -> Turn {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that nobody has or waits for.
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        Arc::clone(turns.entry(repo.to_owned()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outgoing::within;

    #[tokio::test]
    async fn a_repository_waits_for_its_own_turn_alone_and_no_longer_than_its_caller() {
        let turns = Turns::default();
        let first = turns.take("ada/app").await.unwrap();
        let _other = turns.take("ada/other").await.unwrap();
        let second = within(Duration::ZERO, turns.take("ada/app")).await;
        assert!(matches!(&second, Err(ForgeError::Busy(repo)) if repo == "ada/app"));
        drop(first);
        turns.take("ada/app").await.unwrap();
    }
}
