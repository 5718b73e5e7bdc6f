//! Kanbanger, or whatever is called as it is, in the settings.

use super::Config;
use super::providers::Provider;
use crate::error::CommandError;
use headsup_daemon::outgoing::Secret;
use headsup_daemon::{KanbangerSettings, WrittenCall, WrittenKanbanger};
use serde::Deserialize;
use std::collections::BTreeMap;

const URL_VARIABLE: &str = "KANBANGER_API_URL";
/// Its key is in no file.
const KEY_VARIABLE: &str = "KANBANGER_API_KEY";

/// How it is called, and where in its answers what stands. Everything has a default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Kanbanger {
    /// The address of its API; left out: that of the environment, else the public one.
    url: Option<String>,
    /// With `{key}` where the key stands.
    headers: Option<BTreeMap<String, String>>,
    calls: BTreeMap<String, Call>,
    /// JSON pointers.
    fields: BTreeMap<String, String>,
    /// What each status is called there.
    statuses: BTreeMap<String, String>,
}

/// One call, with places for values.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    method: String,
    path: String,
    #[serde(default)]
    body: Option<serde_json::Value>,
}

impl Config {
    /// How it is spoken to. `var`: the environment of the hub.
    pub(crate) fn kanbanger(
        &self,
        var: impl Fn(&str) -> Option<String>,
    ) -> Result<KanbangerSettings, CommandError> {
        self.written(var).map_err(|why| CommandError::usage(why).code("bad_config"))
    }

    fn written(&self, var: impl Fn(&str) -> Option<String>) -> Result<KanbangerSettings, String> {
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        let Kanbanger { url, headers, calls, fields, statuses } = &self.tracker.kanbanger;
        let calls = calls.iter().map(|(name, Call { method, path, body })| {
            let (method, path, body) = (method.clone(), path.clone(), body.clone());
            (name.clone(), WrittenCall { method, path, body })
        });
        let is_from_file = url.is_some();
        let written = WrittenKanbanger {
            url: url.clone().or_else(|| set(URL_VARIABLE)),
            headers: headers.clone(),
            calls: calls.collect(),
            fields: fields.clone(),
            statuses: statuses.clone(),
        };
        let key = set(KEY_VARIABLE).and_then(|key| Secret::new(&key));
        KanbangerSettings::new(written, key).map_err(|why| match why.strip_prefix("url: ") {
            Some(why) if !is_from_file => format!("{URL_VARIABLE}: {why}"),
            _ => format!("[tracker.kanbanger] {why}"),
        })
    }

    /// What of it cannot be.
    pub(super) fn kanbanger_checked(self, path: &str) -> Result<Self, CommandError> {
        let forges = self.repository.iter().filter_map(|of| of.forge);
        if forges.chain([self.forge.provider]).any(|forge| forge == Provider::Kanbanger) {
            let message = format!("{path}: Kanbanger keeps no pull requests");
            return Err(CommandError::usage(message)
                .code("bad_config")
                .hint("forge is \"local\" or \"github\""));
        }
        match self.written(|_| None) {
            Ok(_) => Ok(self),
            Err(why) => Err(CommandError::usage(format!("{path}: {why}")).code("bad_config")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, CommandError> {
        Config::parse(text, "/c.toml")
    }

    fn url(config: &Config, of: Option<&str>) -> Result<String, CommandError> {
        let var = |name: &str| of.filter(|_| name == URL_VARIABLE).map(str::to_owned);
        config.kanbanger(var).map(|settings| settings.url())
    }

    #[test]
    fn it_is_where_the_file_or_the_environment_says() {
        let none = parse("").unwrap();
        assert_eq!(url(&none, None).unwrap(), "https://tasks.gmac.io/api");
        assert_eq!(url(&none, Some("")).unwrap(), "https://tasks.gmac.io/api");
        assert_eq!(url(&none, Some("https://t.example")).unwrap(), "https://t.example");
        let set = parse("[tracker.kanbanger]\nurl = \"https://own.example/v1\"\n").unwrap();
        assert_eq!(url(&set, Some("https://t.example")).unwrap(), "https://own.example/v1");
        let wrong = url(&none, Some("http://t.example")).unwrap_err();
        assert!(wrong.message.starts_with("KANBANGER_API_URL: "), "{}", wrong.message);
    }

    #[test]
    fn a_key_is_the_environments_and_shown_nowhere() {
        let var = |name: &str| (name == KEY_VARIABLE).then(|| "k-123".to_owned());
        let settings = parse("").unwrap().kanbanger(var).unwrap();
        assert!(settings.has_key() && !format!("{settings:?}").contains("k-123"));
        assert!(!parse("").unwrap().kanbanger(|_| None).unwrap().has_key());
    }

    #[test]
    fn a_call_is_written_in_the_file_and_what_is_wrong_is_named() {
        let text = "[tracker]\nprovider = \"kanbanger\"\n[tracker.kanbanger.calls.comment]\n\
                    method = \"POST\"\npath = \"/x/{task}\"\nbody = { text = \"{body}\" }\n";
        assert_eq!(parse(text).unwrap().tracker.provider, Provider::Kanbanger);
        for (text, says) in [
            ("[tracker.kanbanger]\nurls = 1\n", "unknown field `urls`"),
            ("[tracker.kanbanger.calls.get]\nmethod = \"GET\"\n", "missing field `path`"),
            (
                "[tracker.kanbanger.calls.get]\nmethod = \"GET\"\npath = \"/{x}\"\n",
                "calls.get: {x}",
            ),
            ("[tracker.kanbanger.calls.merge]\nmethod = \"GET\"\npath = \"/\"\n", "calls.merge"),
            ("[tracker.kanbanger.fields]\nname = \"/n\"\n", "fields.name is unknown"),
            ("[tracker.kanbanger]\nurl = \"http://t.example\"\n", "url: the address"),
            ("[forge]\nprovider = \"kanbanger\"\n", "keeps no pull requests"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.message.starts_with("/c.toml:"), "{}", error.message);
            assert!(error.message.contains(says), "{text}: {}", error.message);
        }
    }
}
