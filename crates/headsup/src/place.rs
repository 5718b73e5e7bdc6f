//! Where the hub keeps its state and where it listens. Std alone: the hook's fast path asks here.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// What the environment says about the hub of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The state folder; `None` where neither `HEADSUP_HOME` nor a home folder is known, and where that is relative.
    pub(crate) home: Option<PathBuf>,
    /// Where clients find the hub; `None` where nothing names it and there is no `home`.
    pub(crate) url: Option<Url>,
}

/// An address of the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Url {
    /// `unix:/path`
    Unix(PathBuf),
    /// `http://host[:port]`
    Http(Authority),
    /// `https://host[:port]`: TLS, which the hook's fast path does not speak.
    Https(Authority),
    /// Anything else as it was written. No client can use it.
    Other(String),
}

/// Whom a call on TCP is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Authority {
    /// A name or an address; an IPv6 address without its brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Place {
    /// Reads the environment of this process.
    pub(crate) fn from_env() -> Self {
        Self::resolve(|name| std::env::var_os(name))
    }

    /// The same for any environment. An empty variable counts as unset.
    pub(crate) fn resolve(var: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        // A relative base would mean another folder in each working directory.
        let base = |name: &str| set(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = match set("HEADSUP_HOME") {
            Some(_) => base("HEADSUP_HOME"),
            None => base("XDG_STATE_HOME")
                .map(|state| state.join("headsup"))
                .or_else(|| base("HOME").map(|home| home.join(".local/state/headsup"))),
        };
        let url = set("HEADSUP_URL")
            .map(Url::parse)
            .or_else(|| home.as_ref().map(|home| Url::Unix(home.join("headsup.sock"))));
        Self { home, url }
    }
}

impl Url {
    fn parse(text: OsString) -> Self {
        if let Some(path) = text.as_bytes().strip_prefix(b"unix:") {
            let path = path.strip_prefix(b"//").unwrap_or(path);
            return Self::Unix(OsString::from_vec(path.to_vec()).into());
        }
        let text = text.to_string_lossy();
        let http = || text.strip_prefix("http://").and_then(|rest| Authority::parse(rest, HTTP));
        let https = || text.strip_prefix("https://").and_then(|rest| Authority::parse(rest, HTTPS));
        let known = http().map(Self::Http).or_else(|| https().map(Self::Https));
        known.unwrap_or_else(|| Self::Other(text.into_owned()))
    }
}

/// The ports of the schemes.
pub(crate) const HTTP: u16 = 80;
pub(crate) const HTTPS: u16 = 443;

impl Authority {
    /// What stands behind a scheme whose own port is `usual`.
    fn parse(rest: &str, usual: u16) -> Option<Self> {
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match authority.strip_prefix('[') {
            Some(v6) => {
                let (host, port) = v6.split_once(']')?;
                (host, port.strip_prefix(':'))
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'_');
        if host.is_empty() || !host.bytes().all(legal) {
            return None;
        }
        let port = port.map_or(Ok(usual), str::parse).ok()?;
        Some(Self { host: host.to_owned(), port })
    }

    /// What stands in a Host header: as browsers do, without the scheme's own port.
    pub(crate) fn as_host(&self, usual: u16) -> String {
        let whole = self.to_string();
        match whole.rsplit_once(':') {
            Some((host, _)) if self.port == usual => host.to_owned(),
            _ => whole,
        }
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Http(authority) => write!(f, "http://{authority}"),
            Self::Https(authority) => write!(f, "https://{authority}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(vars: &[(&str, &str)]) -> Place {
        Place::resolve(|name| {
            vars.iter().find(|(of, _)| *of == name).map(|(_, value)| OsString::from(value))
        })
    }

    fn url(text: &str) -> Url {
        place(&[("HEADSUP_URL", text)]).url.unwrap()
    }

    #[test]
    fn the_state_folder_is_the_first_that_is_named() {
        let home = ("HOME", "/home/ada");
        let xdg = ("XDG_STATE_HOME", "/state");
        let cases = [
            (vec![home, xdg, ("HEADSUP_HOME", "/hub")], Some("/hub")),
            (vec![home, xdg, ("HEADSUP_HOME", "")], Some("/state/headsup")),
            (vec![home, xdg, ("HEADSUP_HOME", "hub")], None),
            (vec![home, ("XDG_STATE_HOME", "relative")], Some("/home/ada/.local/state/headsup")),
            (vec![home], Some("/home/ada/.local/state/headsup")),
            (vec![("HOME", "")], None),
            (vec![], None),
        ];
        for (vars, expected) in cases {
            let Place { home, url } = place(&vars);
            assert_eq!(home, expected.map(PathBuf::from), "{vars:?}");
            let socket = home.map(|home| Url::Unix(home.join("headsup.sock")));
            assert_eq!(url, socket, "{vars:?}");
        }
    }

    #[test]
    fn an_address_is_read_and_written_back() {
        assert_eq!(url("unix:/run/h.sock"), Url::Unix("/run/h.sock".into()));
        assert_eq!(url("unix:///run/h.sock"), Url::Unix("/run/h.sock".into()));
        let authority = |host: &str, port| Authority { host: host.into(), port };
        let http = |host: &str, port| Url::Http(authority(host, port));
        let https = |host: &str, port| Url::Https(authority(host, port));
        assert_eq!(url("http://127.0.0.1:7717"), http("127.0.0.1", 7717));
        assert_eq!(url("http://localhost:7717/"), http("localhost", 7717));
        assert_eq!(url("http://[::1]:7717"), http("::1", 7717));
        assert_eq!(url("http://hub"), http("hub", 80));
        assert_eq!(url("https://hub.example/"), https("hub.example", 443));
        assert_eq!(url("https://[::1]:8443"), https("::1", 8443));
        for text in ["unix:/run/h.sock", "http://127.0.0.1:7717", "https://[::1]:7717"] {
            assert_eq!(url(text).to_string(), text);
        }
    }

    #[test]
    fn the_port_of_the_scheme_is_not_told_to_the_hub() {
        let host = |host: &str, port, usual| Authority { host: host.into(), port }.as_host(usual);
        assert_eq!(host("hub", 443, HTTPS), "hub");
        assert_eq!(host("::1", 443, HTTPS), "[::1]");
        assert_eq!(host("hub", 443, HTTP), "hub:443");
        assert_eq!(host("127.0.0.1", 7717, HTTP), "127.0.0.1:7717");
    }

    #[test]
    fn what_is_no_address_is_kept_as_it_was_written() {
        for text in ["https://", "http://", "http://u@h:1", "https://h:x", "http://h/p", "hub"] {
            assert_eq!(url(text), Url::Other(text.into()));
        }
    }
}
