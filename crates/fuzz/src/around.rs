//! What the included parsers expect around them, as small as they need it.

use headsup_core::work::pull::MergePolicy;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

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

    pub(crate) fn wrong_method(may: &'static str, detail: &str) -> Self {
        assert!(!may.is_empty() && !detail.is_empty());
        Self
    }
}

pub(crate) mod api {
    pub(crate) use crate::around::Refused;
    pub(crate) use crate::query::{self, Query};
}

pub(crate) mod access {
    pub(crate) use crate::session::Cookie;
    use crate::session::{self, Token};

    pub(crate) struct Access(pub(crate) Token);

    impl Access {
        pub(crate) fn is_an_agents(&self, said: &str) -> bool {
            said == "an agent's" && !self.is_token(said.as_bytes())
        }

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
    use headsup_core::time::UnixMs;
    use headsup_core::work::task::TaskStatus;

    /// A task as its tracker tells it.
    #[derive(Debug)]
    pub(crate) struct TaskThere {
        pub(crate) provider: &'static str,
        pub(crate) id: String,
        pub(crate) identifier: String,
        pub(crate) title: String,
        pub(crate) status: Option<TaskStatus>,
        pub(crate) version: Option<UnixMs>,
        pub(crate) digest: String,
    }
}

pub(crate) mod body {
    pub(crate) use crate::depth::check_depth;
}

pub(crate) mod caller {
    pub(crate) fn digest(text: &str) -> String {
        text.len().to_string()
    }
}

/// A kernel that has one file.
pub(crate) mod system {
    use std::cell::RefCell;

    thread_local! {
        static FILE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }

    pub(crate) struct File(Vec<u8>);

    pub(crate) fn serve(bytes: &[u8]) {
        FILE.with_borrow_mut(|file| bytes.clone_into(file));
    }

    pub(crate) fn open(path: &[u8]) -> Option<File> {
        path.ends_with(b"\0").then(|| File(FILE.with_borrow(Vec::clone)))
    }

    impl File {
        pub(crate) fn read(&self, into: &mut [u8]) -> isize {
            let length = self.0.len().min(into.len());
            into[..length].copy_from_slice(&self.0[..length]);
            isize::try_from(length).unwrap_or(0)
        }

        pub(crate) fn close(self) {
            drop(self.0);
        }
    }
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

        pub(crate) fn internal(message: impl Into<String>) -> Self {
            Self::usage(message)
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

/// The same of pipes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaneReports {
    Never,
    #[default]
    AloneHeard,
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

/// The hub's settings of web hooks, which `config` hands on.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct WebhookSettings {
    pub secret: Option<SharedSecret>,
    pub authors: Arc<[String]>,
    pub replies: bool,
    pub cron_secret: Option<SharedSecret>,
}

/// What nobody is shown.
#[derive(Debug, PartialEq, Eq)]
pub struct SharedSecret;

impl SharedSecret {
    pub fn new(text: String) -> Option<Self> {
        (!text.is_empty()).then_some(Self)
    }
}

/// Who keeps what, which `config` hands on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    #[default]
    Local,
    GitHub,
    Kanbanger,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProviderSettings {
    pub tracker: Provider,
    pub forge: Provider,
    pub github: Option<GitHubSettings>,
    pub kanbanger: Option<KanbangerSettings>,
    pub repositories: Vec<RepositoryProviders>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryProviders {
    pub path: PathBuf,
    pub tracker: Option<Provider>,
    pub forge: Option<Provider>,
    pub github: Option<headsup_core::work::remote::RepoName>,
}

/// The hub's settings of a host, which `config` hands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitHubSettings {
    pub api: outgoing::Base,
    pub token: Option<outgoing::Secret>,
    pub in_progress: String,
    pub in_review: String,
}

impl GitHubSettings {
    pub fn public(token: Option<outgoing::Secret>) -> Self {
        let api = outgoing::Base::public("api.github.com");
        Self { api, token, in_progress: String::new(), in_review: String::new() }
    }
}

/// What a person writes of Kanbanger, which `config` hands on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrittenKanbanger {
    pub url: Option<String>,
    pub headers: Option<BTreeMap<String, String>>,
    pub calls: BTreeMap<String, WrittenCall>,
    pub fields: BTreeMap<String, String>,
    pub statuses: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrittenCall {
    pub method: String,
    pub path: String,
    pub body: Option<serde_json::Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct KanbangerSettings(WrittenKanbanger, Option<outgoing::Secret>);

impl KanbangerSettings {
    pub fn new(written: WrittenKanbanger, key: Option<outgoing::Secret>) -> Result<Self, String> {
        match written.url.as_deref().map(outgoing::Base::parse) {
            Some(Err(why)) => Err(why.to_owned()),
            _ => Ok(Self(written, key)),
        }
    }
}

/// Where another system is, and what nobody may see.
pub mod outgoing {
    pub use crate::base::Base;
    pub(crate) use crate::encode::encode;
    pub use crate::secret::Secret;
}
