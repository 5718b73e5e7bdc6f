//! The settings of a person: `$HEADSUP_CONFIG`, else `$XDG_CONFIG_HOME/headsup/config.toml`.
//!
//! The hub and the commands read it; a hook never does. Nothing is read from a repository.

// The fuzzer includes this file by its path, too.
#[path = "config/kanbanger.rs"]
mod kanbanger;
#[path = "config/providers.rs"]
mod providers;
#[path = "config/wrong.rs"]
mod wrong;

use crate::error::CommandError;
use crate::regular::{self, Unread};
use headsup_core::work::pull::MergePolicy;
use headsup_core::work::task::is_prefix;
use headsup_daemon::{
    BackgroundShells, ForgeSettings, PaneReports, RepositorySettings, ScreenRules, SharedSecret,
    TrackerSettings, WebhookSettings,
};
use kanbanger::Kanbanger;
use providers::{Forge, GitHub, Name, Provider};
use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use wrong::wrong;

/// Every key has a default, so that no file is a whole one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) colour: Colour,
    pub(crate) retention: Retention,
    /// Does a turn go on while shells of its agent run in the background?
    pub(crate) background_shells: BackgroundShells,
    /// May the hub look at the terminals of agents? Left out: until their first event alone.
    pub(crate) screen_rules: Option<bool>,
    /// May the hub give panes a pipe, to hear status reports there? Left out: for agents of which nothing else is heard.
    pub(crate) pane_reports: Option<bool>,
    /// Where else the hub listens, as `127.0.0.1:7717`.
    pub(crate) listen: Option<String>,
    /// Names by which browsers may call it there.
    pub(crate) allowed_hosts: Vec<String>,
    /// Who decides whether a pull request is merged.
    pub(crate) merge_policy: MergePolicy,
    /// Who keeps the tasks, and what they are called.
    pub(crate) tracker: Tracker,
    /// Whose comments on tasks may answer questions.
    pub(crate) webhooks: Webhooks,
    /// Who keeps pull requests.
    pub(crate) forge: Forge,
    /// GitHub, or whoever speaks as it does.
    pub(crate) github: GitHub,
    /// What holds in one repository or folder, and below.
    pub(crate) repository: Vec<Repository>,
}

/// Settings of what trackers tell by themselves. Secrets are the environment's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Webhooks {
    /// By id or name, as the tracker tells them. Nobody, where nothing is said.
    pub(crate) authors: Vec<String>,
    /// Whoever tried to answer, and did not, gets one polite word in the thread.
    pub(crate) replies: bool,
}

/// Settings of tasks, wherever no repository has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Tracker {
    /// The first part of new identifiers; left out: the repository's or folder's name.
    pub(crate) prefix: Option<Prefix>,
    /// Who keeps them.
    pub(crate) provider: Provider,
    /// How Kanbanger is called.
    pub(crate) kanbanger: Kanbanger,
}

/// Settings of one repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repository {
    /// Its folder, absolute.
    pub(crate) path: Absolute,
    #[serde(default)]
    pub(crate) prefix: Option<Prefix>,
    #[serde(default)]
    pub(crate) merge_policy: Option<MergePolicy>,
    /// Who keeps its tasks.
    #[serde(default)]
    pub(crate) tracker: Option<Provider>,
    /// Who keeps its pull requests.
    #[serde(default)]
    pub(crate) forge: Option<Provider>,
    /// What it is called there: `owner/name`.
    #[serde(default)]
    pub(crate) github: Option<Name>,
}

/// The first part of a task's identifier.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Prefix(pub(crate) String);

impl TryFrom<String> for Prefix {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, &'static str> {
        let why = "a prefix is a capital letter and up to nine capital letters or digits";
        if is_prefix(&text) { Ok(Self(text)) } else { Err(why) }
    }
}

/// A path that means the same in every working folder.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "PathBuf")]
pub(crate) struct Absolute(pub(crate) PathBuf);

impl TryFrom<PathBuf> for Absolute {
    type Error = &'static str;
    fn try_from(path: PathBuf) -> Result<Self, &'static str> {
        if path.is_absolute() { Ok(Self(path)) } else { Err("the path is an absolute one") }
    }
}

/// Are words coloured?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` says no.
    #[default]
    Auto,
    Always,
    Never,
}

/// How much of the log of events is kept; whichever limit is reached first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Retention {
    #[serde(deserialize_with = "one_or_more")]
    pub(crate) events: u64,
    #[serde(deserialize_with = "one_or_more")]
    pub(crate) days: u32,
}

/// Whoever writes 0 may mean no limit, and would have what was answered yesterday forgotten.
fn one_or_more<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default + PartialEq,
{
    let number = T::deserialize(deserializer)?;
    match number == T::default() {
        true => Err(D::Error::invalid_value(Unexpected::Unsigned(0), &"a whole number from 1 on")),
        false => Ok(number),
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self { events: 1_000_000, days: 90 }
    }
}

/// Larger settings are something else.
const LARGEST_KIB: u64 = 1024;

/// Where the file is, or would be; `None` without a home folder.
pub(crate) fn path(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(named) = set("HEADSUP_CONFIG") {
        return Some(named);
    }
    // A relative base would mean another file in each working folder, a repository's among them.
    let base = |name: &str| set(name).filter(|path| path.is_absolute());
    let base = base("XDG_CONFIG_HOME").or_else(|| base("HOME").map(|home| home.join(".config")));
    base.map(|base| base.join("headsup/config.toml"))
}

impl Config {
    /// What this process's environment names; the defaults where there is no file.
    pub(crate) fn load() -> Result<Self, CommandError> {
        let Some(path) = path(|name| std::env::var_os(name)) else { return Ok(Self::default()) };
        let named = std::env::var_os("HEADSUP_CONFIG").is_some_and(|value| !value.is_empty());
        match regular::read(&path, LARGEST_KIB) {
            Ok(bytes) => Self::read(bytes, &path),
            Err(error) if error.is_absent() && !named => Ok(Self::default()),
            Err(error) => Err(unread(&path, named, &error)),
        }
    }

    fn read(bytes: Vec<u8>, path: &Path) -> Result<Self, CommandError> {
        let path = path.display().to_string();
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = memchr::memchr_iter(b'\n', good).count() + 1;
            CommandError::usage(format!("{path}:{line}: this is not UTF-8"))
                .code("bad_config")
                .hint("save the file as UTF-8")
        })?;
        Self::parse(&text, &path)
    }

    pub(crate) fn screen_rules(&self) -> ScreenRules {
        match self.screen_rules {
            None => ScreenRules::BeforeFirstEvent,
            Some(true) => ScreenRules::Always,
            Some(false) => ScreenRules::Never,
        }
    }

    pub(crate) fn pane_reports(&self) -> PaneReports {
        match self.pane_reports {
            None => PaneReports::AloneHeard,
            Some(true) => PaneReports::Always,
            Some(false) => PaneReports::Never,
        }
    }

    /// Who keeps the tasks of which repository.
    pub(crate) fn tracker(&self) -> TrackerSettings {
        let named = |prefix: &Option<Prefix>| prefix.as_ref().map(|prefix| prefix.0.clone());
        let repositories = self.repository.iter().map(|repository| RepositorySettings {
            path: repository.path.0.clone(),
            prefix: named(&repository.prefix),
        });
        TrackerSettings {
            prefix: named(&self.tracker.prefix),
            repositories: repositories.collect(),
        }
    }

    /// Who is listened to without a token, and whose comments answer. An empty variable is none.
    pub(crate) fn webhooks(&self, var: impl Fn(&str) -> Option<OsString>) -> WebhookSettings {
        let secret = |name: &str| SharedSecret::new(var(name)?.into_string().ok()?);
        WebhookSettings {
            secret: secret("KANBANGER_WEBHOOK_SECRET"),
            authors: self.webhooks.authors.as_slice().into(),
            replies: self.webhooks.replies,
            cron_secret: secret("CRON_SECRET"),
        }
    }

    /// Who decides of merges in which repository.
    pub(crate) fn forge(&self) -> ForgeSettings {
        // A repository has the name that it has behind all links.
        let names = |path: &Path| {
            let behind = path.canonicalize().ok().filter(|behind| behind != path);
            [Some(path.to_owned()), behind]
        };
        let own = |of: &Repository| {
            let policy = of.merge_policy?;
            Some(names(&of.path.0).into_iter().flatten().map(move |path| (path, policy)))
        };
        let repositories = self.repository.iter().filter_map(own).flatten().collect();
        ForgeSettings { merge_policy: self.merge_policy, repositories }
    }

    pub(crate) fn parse(text: &str, path: &str) -> Result<Self, CommandError> {
        let read = toml::from_str(text).map_err(|error| wrong(text, path, &error));
        read.and_then(|config: Self| config.checked(path))
    }
}

/// `named`: by `HEADSUP_CONFIG`.
fn unread(path: &Path, named: bool, error: &Unread) -> CommandError {
    let message = format!("cannot read the settings {}: {error}", path.display());
    let is_no_text = !matches!(error, Unread::Io(_));
    CommandError::usage(message).code("bad_config").hint(match (named, is_no_text) {
        (true, _) => {
            "HEADSUP_CONFIG names it; without that variable the settings in ~/.config count"
        }
        (false, true) => "put a file of text there, or move it away: every setting has a default",
        (false, false) => {
            "let yourself read it (chmod u+r), or move it away: every setting has a default"
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, CommandError> {
        Config::parse(text, "/c.toml")
    }

    #[test]
    fn every_key_has_a_default() {
        assert_eq!(parse("").unwrap(), Config::default());
        let config = parse("colour = \"never\"\n[retention]\ndays = 7\n").unwrap();
        assert_eq!(config.colour, Colour::Never);
        assert_eq!(config.retention, Retention { events: 1_000_000, days: 7 });
        assert_eq!(config.background_shells, BackgroundShells::Idle);
        let config = parse("background_shells = \"working\"").unwrap();
        assert_eq!(config.background_shells, BackgroundShells::Working);
        for (text, rules) in [
            ("", ScreenRules::BeforeFirstEvent),
            ("screen_rules = true", ScreenRules::Always),
            ("screen_rules = false", ScreenRules::Never),
        ] {
            assert_eq!(parse(text).unwrap().screen_rules(), rules);
        }
        for (text, reports) in [
            ("", PaneReports::AloneHeard),
            ("pane_reports = true", PaneReports::Always),
            ("pane_reports = false", PaneReports::Never),
        ] {
            assert_eq!(parse(text).unwrap().pane_reports(), reports);
        }
    }

    #[test]
    fn a_wrong_key_or_value_is_named_with_its_line() {
        let cases = [
            ("# mine\ncolor = \"auto\"\n", "/c.toml:2: unknown field `color`", Some("colour")),
            ("[retention]\nday = 7\n", "/c.toml:2: unknown field `day`", Some("days")),
            ("zzz = 1\n", "/c.toml:1: unknown field `zzz`", None),
            ("colour = 3\n", "/c.toml:1: ", None),
            ("colour = \"pink\"\n", "/c.toml:1: unknown variant `pink`", None),
            ("background_shell = 1\n", "/c.toml:1: unknown field", Some("background_shells")),
            ("background_shells = \"done\"\n", "/c.toml:1: unknown variant `done`", None),
            ("[tracker]\nprefx = \"A\"\n", "/c.toml:2: unknown field `prefx`", Some("prefix")),
            ("[tracker]\nprefix = \"a b\"\n", "/c.toml:2: a prefix is", None),
            ("[[repository]]\nprefix = \"A\"\n", "/c.toml:1: missing field `path`", None),
            ("[[repository]]\npath = \"here\"\n", "/c.toml:2: the path is an absolute", None),
            ("[webhooks]\nauthor = []\n", "/c.toml:2: unknown field `author`", Some("authors")),
            ("[webhooks]\nauthors = \"ada\"\n", "/c.toml:2: ", None),
            ("\n\ncolour \n", "/c.toml:3: ", None),
        ];
        for (text, why, hint) in cases {
            let error = parse(text).unwrap_err();
            assert_eq!(error.kind, crate::error::Kind::Usage);
            assert!(error.message.starts_with(why), "{text}: {}", error.message);
            let expected: Vec<String> = hint.iter().map(|key| format!("is it {key:?}?")).collect();
            assert_eq!(error.hints, expected, "{text}");
        }
    }

    #[test]
    fn a_repository_may_name_its_tasks() {
        let text = "[tracker]\nprefix = \"ANY\"\n[[repository]]\npath = \"/a\"\nprefix = \"A\"\n";
        let set = parse(text).unwrap().tracker();
        assert_eq!(set.prefix.as_deref(), Some("ANY"));
        let [only] = set.repositories.as_slice() else { panic!("{set:?}") };
        assert_eq!((only.path.as_path(), only.prefix.as_deref()), ("/a".as_ref(), Some("A")));
    }

    #[test]
    fn a_repository_may_say_who_decides_of_merges() {
        let asked = parse("").unwrap().forge();
        assert_eq!((asked.merge_policy, asked.repositories), (MergePolicy::Ask, vec![]));
        let text =
            "merge_policy = \"allow\"\n[[repository]]\npath = \"/a\"\nmerge_policy = \"ask\"\n";
        let set = parse(text).unwrap().forge();
        assert_eq!(set.merge_policy, MergePolicy::Allow);
        assert_eq!(set.repositories, [(PathBuf::from("/a"), MergePolicy::Ask)]);
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().canonicalize().unwrap(), folder.path().join("link"));
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let named =
            |path: &Path| format!("[[repository]]\npath = {path:?}\nmerge_policy = \"ask\"\n");
        let set = parse(&named(&real)).unwrap().forge();
        assert_eq!(
            set.repositories,
            [(real.clone(), MergePolicy::Ask)],
            "once where it is no link"
        );
        let set = parse(&named(&link)).unwrap().forge();
        assert_eq!(set.repositories, [link, real].map(|path| (path, MergePolicy::Ask)));
        let error = parse("merge_policy = \"never\"\n").unwrap_err();
        assert!(error.message.contains("`ask` or `allow`"), "{}", error.message);
    }

    #[test]
    fn secrets_are_the_environments_and_an_empty_one_is_none() {
        let config = parse("[webhooks]\nauthors = [\"17\"]\nreplies = true\n").unwrap();
        let var = |name: &str| match name {
            "KANBANGER_WEBHOOK_SECRET" => Some(OsString::from("s3cret")),
            "CRON_SECRET" => Some(OsString::new()),
            _ => None,
        };
        let set = config.webhooks(var);
        assert_eq!((set.secret.is_some(), set.cron_secret.is_some()), (true, false));
        assert_eq!((&*set.authors, set.replies), (&["17".to_owned()][..], true));
        assert!(!format!("{set:?}").contains("s3cret"), "a secret is shown to nobody");
        assert_eq!(Config::default().webhooks(|_| None), WebhookSettings::default());
    }

    #[test]
    fn what_is_no_text_is_named_with_its_line() {
        let error = Config::read(b"# mine\ncolour = \"\xff\"\n".to_vec(), Path::new("/c.toml"));
        let error = error.unwrap_err();
        assert_eq!(error.message, "/c.toml:2: this is not UTF-8");
        assert_eq!((error.code.as_str(), error.hints.len()), ("bad_config", 1));
    }

    #[test]
    fn the_file_is_the_first_that_is_named() {
        let at = |vars: &[(&str, &str)]| {
            let find = |name: &str| vars.iter().find(|(of, _)| *of == name);
            path(|name| find(name).map(|(_, value)| OsString::from(value)))
        };
        let home = ("HOME", "/home/ada");
        let file = |path: &str| Some(PathBuf::from(path));
        assert_eq!(at(&[home, ("HEADSUP_CONFIG", "/c.toml")]), file("/c.toml"));
        assert_eq!(at(&[home, ("XDG_CONFIG_HOME", "/x")]), file("/x/headsup/config.toml"));
        let own = file("/home/ada/.config/headsup/config.toml");
        assert_eq!(at(&[home, ("HEADSUP_CONFIG", ""), ("XDG_CONFIG_HOME", "here")]), own);
        assert_eq!(at(&[]), None);
    }
}
