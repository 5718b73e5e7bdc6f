//! The six dimensions of a status, and the one word people read.

pub mod headline;
pub mod outcome;
pub mod process;
pub mod turn;

pub use headline::{Headline, HeadlineFacts, InboxFacts};
pub use outcome::{Outcome, OutcomeKind};
pub use process::{Attach, Exit, ExitKind, Process, Returns, StartPhase};
pub use turn::{BlockedReason, IdleReason, Turn, WorkingReason};
