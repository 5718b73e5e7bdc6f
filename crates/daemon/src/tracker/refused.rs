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
            TrackerError::Unreadable => Self::new(500, "storage_unreadable", error.to_string()),
        }
    }
}
