//! Named gates at which an answer waits until the test lets it go on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Each release lets one answer pass, also if it comes first.
#[derive(Clone, Debug, Default)]
pub(super) struct Holds {
    gates: Arc<Mutex<HashMap<String, Arc<Semaphore>>>>,
}

impl Holds {
    fn gate(&self, name: &str) -> Arc<Semaphore> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = || Arc::new(Semaphore::new(0));
        Arc::clone(gates.entry(name.to_owned()).or_insert_with(closed))
    }

    pub(super) async fn pass(&self, name: &str) {
        if let Ok(permit) = self.gate(name).acquire().await {
            permit.forget();
        }
    }

    pub(super) fn release(&self, name: &str) {
        self.gate(name).add_permits(1);
    }
}
