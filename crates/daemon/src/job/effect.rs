//! What can become of something that is to be done at another system.

use crate::effects::{Effect, Standing};

#[derive(Debug)]
pub(crate) enum EffectAct {
    /// A new one, unless one of its key is there.
    Send(Effect),
    /// It was tried, and stands like this now.
    Tried { key: String, standing: Standing },
    /// It cannot be tried by the settings as they are, and keeps its place.
    Waits { key: String, why: &'static str },
    /// A person wants one tried again that was skipped or failed.
    Again { key: String },
}
