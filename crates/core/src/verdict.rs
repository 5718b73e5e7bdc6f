//! Dimension *verdict*: what an agent found of a task. A fact about the task and never about the
//! agent: one that is `blocked` blocks nobody's turn.

use crate::status::turn::words;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    InProgress,
    Passed,
    /// It cannot be said before somebody has put something right.
    Blocked,
    Failed,
}

words!(Verdict {
    InProgress = "in_progress", Passed = "passed", Blocked = "blocked", Failed = "failed",
});

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
