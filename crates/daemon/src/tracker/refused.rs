//! What a tracker did not do, as a problem with what to do next.

use super::TrackerError;
use crate::api::Refused;
use crate::job::Refusal;

impl From<TrackerError> for Refused {
    fn from(error: TrackerError) -> Self {
        match error {
            TrackerError::NoSuchTask(_) | TrackerError::Refused(Refusal::NoSuchTask) => {
                Self::new(404, "no_such_task", error.to_string())
                    .hint("`headsup task ls` lists them; an identifier is like APP-12")
            }
            TrackerError::AnotherRequest => Self::from(Refusal::IdConflict),
            TrackerError::Refused(refusal) => Self::from(refusal),
            TrackerError::Remote(error) => Self::from(error),
            // Whoever did it again would have it done twice.
            TrackerError::Queued(_) => Self::new(503, "queued", error.to_string())
                .hint("it is done as soon as it can be; do not ask for it again: `headsup outbox` shows it")
                .with(|problem| problem.retryable = false),
            TrackerError::Skipped(_) => Self::new(409, "skipped", error.to_string())
                .hint("`headsup doctor` says what the settings lack"),
            TrackerError::Failed(_) => Self::new(422, "remote_failed", error.to_string()).hint(
                "put it right, then `headsup outbox --again KEY`; `headsup outbox` has the key",
            ),
            TrackerError::NotConfigured(_) => Self::new(422, "not_configured", error.to_string())
                .hint("name it in the settings: [[repository]] with path, tracker and github"),
            TrackerError::Unreadable => Self::new(500, "storage_unreadable", error.to_string()),
            TrackerError::Broken(_) => Self::new(500, "storage_unreadable", error.to_string())
                .hint("all others can be read; a copy of headsup.db of an earlier day may have it"),
        }
    }
}
