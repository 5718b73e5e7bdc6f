//! What a person has set of web hooks. Secrets come from the environment and stay in memory.

use std::fmt;
use std::sync::Arc;
use subtle::ConstantTimeEq as _;

/// Something that nobody is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct SharedSecret(String);

impl SharedSecret {
    /// Nothing where the text is empty.
    pub fn new(text: String) -> Option<Self> {
        (!text.is_empty()).then_some(Self(text))
    }

    /// For whoever has to send or use it.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Compared in constant time.
    pub(crate) fn is(&self, said: &[u8]) -> bool {
        self.bytes().ct_eq(said).into()
    }
}

impl fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Settings of web hooks. The default listens to nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookSettings {
    /// Without it nothing is listened to.
    pub secret: Option<SharedSecret>,
    /// Whose comments may answer, by id or name as the tracker tells them.
    pub authors: Arc<[String]>,
    /// Whoever tried to answer, and did not, gets one polite word in the thread.
    pub replies: bool,
    /// What the expiry route wants to be shown, if anything.
    pub cron_secret: Option<SharedSecret>,
}
