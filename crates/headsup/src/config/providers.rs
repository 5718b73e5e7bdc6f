//! Who keeps tasks and pull requests, in the settings.

use super::Config;
use crate::error::CommandError;
use headsup_core::work::remote::RepoName;
use headsup_daemon::outgoing::{Base, Secret};
use headsup_daemon::{GitHubSettings, ProviderSettings, RepositoryProviders};
use serde::Deserialize;

/// Where the token is, if the settings do not say.
const TOKEN_VARIABLE: &str = "GITHUB_TOKEN";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Provider {
    /// The hub itself.
    #[default]
    Local,
    #[serde(rename = "github")]
    GitHub,
    /// Tasks alone.
    Kanbanger,
}

impl From<Provider> for headsup_daemon::Provider {
    fn from(provider: Provider) -> Self {
        match provider {
            Provider::Local => Self::Local,
            Provider::GitHub => Self::GitHub,
            Provider::Kanbanger => Self::Kanbanger,
        }
    }
}

/// Settings of pull requests, wherever no repository has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Forge {
    /// Who keeps them.
    pub(crate) provider: Provider,
}

/// Settings of one host. A token in the file is seen by whoever may read the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GitHub {
    /// The address of its API; left out: the public one.
    pub(crate) api: Option<Api>,
    pub(crate) token: Option<Token>,
    /// The environment variable of the hub that holds the token.
    pub(crate) token_variable: Option<String>,
    /// The labels of open issues that are being worked on, and that wait for a review.
    pub(crate) in_progress: Option<Label>,
    pub(crate) in_review: Option<Label>,
}

/// `owner/name`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Name(pub(crate) RepoName);

impl TryFrom<String> for Name {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, &'static str> {
        RepoName::parse(&text).map(Self).ok_or("a repository is called owner/name")
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Api(pub(crate) Base);

impl TryFrom<String> for Api {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, &'static str> {
        Base::parse(&text).map(Self)
    }
}

/// It is in no error, either.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Token(pub(crate) Secret);

impl TryFrom<String> for Token {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, &'static str> {
        Secret::new(&text).map(Self).ok_or("a token is of printable characters without spaces")
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Label(pub(crate) String);

impl TryFrom<String> for Label {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, &'static str> {
        let fits = (1..=50).contains(&text.chars().count()) && !text.contains(char::is_control);
        if fits { Ok(Self(text)) } else { Err("a label has 1 to 50 characters") }
    }
}

impl Config {
    /// Who keeps what. `var`: the environment of the hub.
    pub(crate) fn providers(&self, var: impl Fn(&str) -> Option<String>) -> ProviderSettings {
        let repositories = self.repository.iter().map(|of| RepositoryProviders {
            path: of.path.0.clone(),
            tracker: of.tracker.map(Into::into),
            forge: of.forge.map(Into::into),
            github: of.github.as_ref().map(|name| name.0.clone()),
        });
        ProviderSettings {
            tracker: self.tracker.provider.into(),
            forge: self.forge.provider.into(),
            github: self.speaks_to_github().then(|| self.github.settings(var)),
            kanbanger: None,
            repositories: repositories.collect(),
        }
    }

    /// Nobody is called whom no repository wants.
    pub(crate) fn speaks_to_github(&self) -> bool {
        let is = |provider: &Provider| *provider == Provider::GitHub;
        let named = self.repository.iter().any(|of| of.github.is_some());
        let own = self.repository.iter().flat_map(|of| [of.tracker, of.forge]).flatten();
        let mut all = own.chain([self.tracker.provider, self.forge.provider]);
        named && all.any(|provider| is(&provider))
    }

    /// What goes together with what.
    pub(super) fn checked(self, path: &str) -> Result<Self, CommandError> {
        for of in &self.repository {
            let wants = [of.tracker, of.forge].contains(&Some(Provider::GitHub));
            let above = |other: &super::Repository| {
                other.github.is_some() && of.path.0.starts_with(&other.path.0)
            };
            if wants && !self.repository.iter().any(above) {
                let at = of.path.0.display();
                let message = format!(
                    "{path}: the repository {at} is at GitHub, and nothing says which it is there"
                );
                return Err(CommandError::usage(message)
                    .code("bad_config")
                    .hint("add to its table: github = \"owner/name\""));
            }
        }
        self.kanbanger_checked(path)
    }
}

impl GitHub {
    fn settings(&self, var: impl Fn(&str) -> Option<String>) -> GitHubSettings {
        let named = self.token_variable.as_deref().unwrap_or(TOKEN_VARIABLE);
        let token = match &self.token {
            Some(token) => Some(token.0.clone()),
            None => var(named).and_then(|token| Secret::new(&token)),
        };
        let mut settings = GitHubSettings::public(token);
        if let Some(api) = &self.api {
            settings.api = api.0.clone();
        }
        let labels = [
            (&mut settings.in_progress, &self.in_progress),
            (&mut settings.in_review, &self.in_review),
        ];
        for (label, set) in labels {
            if let Some(set) = set {
                label.clone_from(&set.0);
            }
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, CommandError> {
        Config::parse(text, "/c.toml")
    }

    const WHOLE: &str = "[tracker]\nprovider = \"github\"\n[github]\napi = \"https://git.example/api/v3\"\n\
        token_variable = \"MY_TOKEN\"\nin_review = \"review\"\n[[repository]]\npath = \"/a\"\n\
        forge = \"github\"\ngithub = \"ada/app\"\n";

    #[test]
    fn nobody_is_called_whom_the_settings_do_not_name() {
        let none = parse("").unwrap().providers(|_| Some("t".to_owned()));
        assert_eq!(none, ProviderSettings::default());
        // A name alone calls nobody.
        let text = "[[repository]]\npath = \"/a\"\ngithub = \"ada/app\"\n";
        assert_eq!(parse(text).unwrap().providers(|_| None).github, None);
    }

    #[test]
    fn a_host_has_an_address_a_token_and_labels() {
        let var = |name: &str| (name == "MY_TOKEN").then(|| "secret-1".to_owned());
        let set = parse(WHOLE).unwrap().providers(var);
        assert_eq!(set.tracker, headsup_daemon::Provider::GitHub);
        let github = set.github.unwrap();
        assert_eq!(github.api.to_string(), "https://git.example/api/v3");
        assert_eq!(github.token, Secret::new("secret-1"));
        assert_eq!(
            (github.in_progress.as_str(), github.in_review.as_str()),
            ("in progress", "review")
        );
        let [only] = set.repositories.as_slice() else { panic!() };
        assert_eq!((only.tracker, only.forge), (None, Some(headsup_daemon::Provider::GitHub)));
        assert!(!format!("{github:?}").contains("secret-1"));
    }

    #[test]
    fn what_does_not_go_together_is_said() {
        for (text, says) in [
            ("[[repository]]\npath = \"/a\"\ntracker = \"github\"\n", "nothing says which"),
            ("[[repository]]\npath = \"/a\"\ngithub = \"app\"\n", "owner/name"),
            ("[github]\napi = \"http://git.example\"\n", "https://"),
            ("[github]\ntoken = \"a b\"\n", "printable"),
            ("[tracker]\nprovider = \"jira\"\n", "unknown variant"),
            ("[github]\ntokn = \"x\"\n", "unknown field"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.message.contains(says), "{text}: {}", error.message);
            assert!(!error.message.contains("a b"), "{}", error.message);
        }
        // A folder below one that is named is named, too.
        let below = "[[repository]]\npath = \"/a\"\ngithub = \"ada/app\"\n[[repository]]\npath = \"/a/b\"\nforge = \"github\"\n";
        assert!(parse(below).is_ok());
    }
}
