//! Where a hub listens, and how long we wait for it to take a call.

use crate::error::{CommandError, Kind};
use crate::place::Url;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{Instant, sleep, timeout_at};

/// A hub that is there takes a call at once; this is for machines that are out of breath.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);
/// Between two tries where the hub's queue of callers is full.
const QUEUE_FULL: Duration = Duration::from_millis(5);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    Unix(PathBuf),
    /// `host:port`
    Tcp(String),
}

/// The longest path that fits an address of a unix socket on Linux.
const LONGEST_PATH: usize = 107;

/// Whether clients can reach a socket at this path.
pub(crate) fn fits(path: &Path) -> Result<(), CommandError> {
    let length = path.as_os_str().len();
    if length <= LONGEST_PATH {
        return Ok(());
    }
    let message = format!(
        "the socket's path {} has {length} bytes, and the system takes at most {LONGEST_PATH}",
        path.display()
    );
    Err(CommandError::new(Kind::Refused, message)
        .code("path_too_long")
        .hint("set HEADSUP_HOME to a folder with a shorter path"))
}

/// Why nobody took the call.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoConnection {
    /// Nobody listens: a hub can be started there.
    #[error("no hub listens there")]
    Absent,
    #[error("{0}")]
    Failed(io::Error),
    #[error("it does not take the call within {} s", CONNECT_WITHIN.as_secs())]
    Silent,
}

impl Address {
    /// The address that `url` is, if this version can reach it.
    pub(crate) fn of(url: &Url) -> Result<Self, CommandError> {
        match url {
            Url::Unix(path) if !path.as_os_str().is_empty() => {
                fits(path)?;
                Ok(Self::Unix(path.clone()))
            }
            Url::Http { host, port } if host.contains(':') => {
                Ok(Self::Tcp(format!("[{host}]:{port}")))
            }
            Url::Http { host, port } => Ok(Self::Tcp(format!("{host}:{port}"))),
            Url::Other(text) if text.starts_with("https://") => {
                Err(CommandError::usage("this version cannot reach a hub over https")
                    .hint("use a tunnel, and HEADSUP_URL=http://127.0.0.1:PORT"))
            }
            Url::Unix(_) | Url::Other(_) => {
                let text = url.to_string();
                Err(CommandError::usage(format!("HEADSUP_URL {text:?} is no address of a hub"))
                    .hint("it is unix:/path or http://host:port"))
            }
        }
    }

    /// The socket, where it is one.
    pub(crate) fn socket(&self) -> Option<&Path> {
        match self {
            Self::Unix(path) => Some(path),
            Self::Tcp(_) => None,
        }
    }

    /// What stands in the Host header.
    pub(crate) fn host(&self) -> &str {
        match self {
            Self::Unix(_) => "localhost",
            Self::Tcp(authority) => authority,
        }
    }

    /// The process that listens there. The kernel says so, also of a hub that answers nothing.
    pub(crate) async fn listener(&self) -> Result<u32, NoConnection> {
        let unknown =
            || NoConnection::Failed(io::Error::other("the system does not say whose it is"));
        let Connection::Unix(stream) = self.connect().await? else { return Err(unknown()) };
        let pid = stream.peer_cred().map_err(NoConnection::Failed)?.pid();
        pid.and_then(|pid| u32::try_from(pid).ok()).ok_or_else(unknown)
    }

    pub(super) async fn connect(&self) -> Result<Connection, NoConnection> {
        let deadline = Instant::now() + CONNECT_WITHIN;
        let attempt = async {
            loop {
                let connected = match self {
                    Self::Unix(path) => UnixStream::connect(path).await.map(Connection::Unix),
                    Self::Tcp(authority) => {
                        TcpStream::connect(authority).await.map(Connection::Tcp)
                    }
                };
                match connected {
                    Ok(connection) => return Ok(connection),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        sleep(QUEUE_FULL).await;
                    }
                    Err(error) => return Err(NoConnection::from(error)),
                }
            }
        };
        timeout_at(deadline, attempt).await.unwrap_or(Err(NoConnection::Silent))
    }
}

pub(super) enum Connection {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl From<io::Error> for NoConnection {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Self::Absent,
            _ => Self::Failed(error),
        }
    }
}

impl NoConnection {
    /// The error for a command that needed the hub at `address`.
    pub(crate) fn at(&self, address: &Address) -> CommandError {
        let error = CommandError::new(
            Kind::HubUnreachable,
            format!("cannot reach the hub at {address}: {self}"),
        );
        match self {
            Self::Absent => error.hint("start it with `headsup up`"),
            Self::Failed(_) => error,
            Self::Silent => error.hint("its process may be stopped or stuck"),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "{}", path.display()),
            Self::Tcp(authority) => write!(f, "http://{authority}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_socket_or_plain_http() {
        let unix = Address::Unix(PathBuf::from("/run/h.sock"));
        let tcp = |authority: &str| Address::Tcp(authority.to_owned());
        let http = |host: &str, port| Url::Http { host: host.to_owned(), port };
        assert_eq!(Address::of(&Url::Unix("/run/h.sock".into())).unwrap(), unix);
        assert_eq!(Address::of(&http("127.0.0.1", 7717)).unwrap(), tcp("127.0.0.1:7717"));
        assert_eq!(Address::of(&http("::1", 80)).unwrap(), tcp("[::1]:80"));
        for bad in ["", "https://x", "/run/h.sock"] {
            let error = Address::of(&Url::Other(bad.to_owned())).unwrap_err();
            assert_eq!(error.kind, Kind::Usage, "{bad}");
        }
        assert!(Address::of(&Url::Unix(PathBuf::new())).is_err());
    }
}
