//! What the included parsers expect around them, as small as they need it.

use headsup_core::work::pull::MergePolicy;
use std::path::PathBuf;

pub(crate) struct Refused;

impl Refused {
    pub(crate) fn new(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        assert!((400..500).contains(&status) && !code.is_empty() && !detail.into().is_empty());
        Self
    }

    pub(crate) fn hint(self, hint: &str) -> Self {
        assert!(!hint.is_empty());
        self
    }

    pub(crate) fn no_such_agent() -> Self {
        Self
    }
}

pub(crate) mod api {
    pub(crate) use crate::around::Refused;
    pub(crate) use crate::query::{self, Query};
}

pub(crate) mod access {
    use crate::session::{self, Cookie, Token};

    pub(crate) struct Access(pub(crate) Token);

    impl Access {
        pub(crate) fn is_token(&self, said: &[u8]) -> bool {
            said == self.0.0.as_bytes()
        }

        #[expect(clippy::unnecessary_wraps, reason = "the real one may have no token yet")]
        pub(crate) fn cookie(&self, port: u16) -> Option<Cookie<'_>> {
            Some(session::of(&self.0, port))
        }
    }
}

pub(crate) mod serve {
    use std::sync::Arc;

    /// A connection, whose other end is ours.
    #[derive(Clone)]
    pub(crate) struct Connected {
        pub(crate) origin: Option<Arc<Origin>>,
    }

    pub(crate) struct Origin(pub(crate) bool);

    impl Origin {
        pub(crate) fn is_another_users(&self) -> bool {
            self.0
        }
    }
}

pub(crate) mod job {
    pub(crate) use crate::key::Key;
}

pub(crate) mod board {
    /// Where a log begins and ends.
    pub(crate) struct Board {
        pub(crate) head: u64,
        pub(crate) oldest: u64,
    }

    impl Board {
        pub(crate) fn head(&self) -> u64 {
            self.head
        }

        pub(crate) fn oldest(&self) -> u64 {
            self.oldest
        }
    }
}

pub(crate) mod error {
    #[derive(Debug)]
    pub(crate) struct CommandError;

    impl CommandError {
        pub(crate) fn usage(message: impl Into<String>) -> Self {
            assert!(!message.into().is_empty());
            Self
        }

        pub(crate) fn code(self, _: &'static str) -> Self {
            self
        }

        pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
            assert!(!hint.into().is_empty());
            self
        }
    }
}

/// The hub's setting, which `config` hands on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScreenRules {
    Never,
    #[default]
    BeforeFirstEvent,
    Always,
}

/// The hub's settings of tasks, which `config` hands on.
#[derive(Debug)]
pub struct TrackerSettings {
    pub prefix: Option<String>,
    pub repositories: Vec<RepositorySettings>,
}

/// The same of one repository.
#[derive(Debug)]
pub struct RepositorySettings {
    pub path: PathBuf,
    pub prefix: Option<String>,
}

/// The hub's settings of merges, which `config` hands on.
#[derive(Debug)]
pub struct ForgeSettings {
    pub merge_policy: MergePolicy,
    pub repositories: Vec<(PathBuf, MergePolicy)>,
}
