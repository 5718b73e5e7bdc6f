//! Where the hub keeps its state and where it listens. Std alone: the hook's fast path asks here.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// What the environment says about the hub of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The state folder; `None` where neither `HEADSUP_HOME` nor a home folder is known.
    pub(crate) home: Option<PathBuf>,
    /// Where clients find the hub; `None` where nothing names it and there is no `home`.
    pub(crate) url: Option<Url>,
}

/// An address of the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Url {
    /// `unix:/path`
    Unix(PathBuf),
    /// `http://host:port`; an IPv6 host without its brackets.
    Http { host: String, port: u16 },
    /// Anything else as it was written, `https://…` among it. The hook cannot use it.
    Other(String),
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
        let home = set("HEADSUP_HOME")
            .map(PathBuf::from)
            .or_else(|| base("XDG_STATE_HOME").map(|state| state.join("headsup")))
            .or_else(|| base("HOME").map(|home| home.join(".local/state/headsup")));
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
        Self::http(&text).unwrap_or_else(|| Self::Other(text.into_owned()))
    }

    fn http(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("http://")?;
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
        let port = port.map_or(Ok(80), str::parse).ok()?;
        Some(Self::Http { host: host.to_owned(), port })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Http { host, port } if host.contains(':') => write!(f, "http://[{host}]:{port}"),
            Self::Http { host, port } => write!(f, "http://{host}:{port}"),
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
        let http = |host: &str, port| Url::Http { host: host.into(), port };
        assert_eq!(url("http://127.0.0.1:7717"), http("127.0.0.1", 7717));
        assert_eq!(url("http://localhost:7717/"), http("localhost", 7717));
        assert_eq!(url("http://[::1]:7717"), http("::1", 7717));
        assert_eq!(url("http://hub"), http("hub", 80));
        for text in ["unix:/run/h.sock", "http://127.0.0.1:7717", "http://[::1]:7717"] {
            assert_eq!(url(text).to_string(), text);
        }
    }

    #[test]
    fn what_the_hook_cannot_use_is_kept_as_it_was_written() {
        for text in ["https://hub:1", "http://", "http://u@h:1", "http://h:x", "http://h/p", "hub"]
        {
            assert_eq!(url(text), Url::Other(text.into()));
        }
    }
}
