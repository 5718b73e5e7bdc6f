//! Where a hub listens, and how long we wait for it to take a call.

use crate::client::start;
use crate::client::tls_error::explain;
use crate::error::{CommandError, Kind};
use crate::place::{Authority, HTTP, HTTPS, Place, Url};
use crate::short;
use headsup_adapters::text::redact;
use headsup_daemon::outgoing::{TlsError, names, tls};
use rustix::process::geteuid;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{sleep, timeout};
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;

/// A hub that is there takes a call at once; this is for machines that are out of breath.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);
/// Between two tries where the hub's queue of callers is full.
const QUEUE_FULL: Duration = Duration::from_millis(5);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    Unix(PathBuf),
    Tcp(Authority),
    /// The name that the certificate must have stands beside it.
    Tls(Authority, ServerName<'static>),
}

/// Whether clients can reach a socket at this path.
pub(crate) fn fits(path: &Path) -> Result<(), CommandError> {
    if short::is_in_reach(path) {
        return Ok(());
    }
    let message = format!(
        "the socket's path {} has {} bytes, and the system takes at most {}",
        path.display(),
        path.as_os_str().len(),
        short::LONGEST
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
    #[error("{0}")]
    Tls(TlsError),
}

impl Address {
    /// The address that `url` is, if this version can reach it.
    pub(crate) fn of(url: &Url) -> Result<Self, CommandError> {
        match url {
            Url::Unix(path) if !path.as_os_str().is_empty() => {
                fits(path)?;
                Ok(Self::Unix(path.clone()))
            }
            Url::Http(authority) => Ok(Self::Tcp(authority.clone())),
            Url::Https(authority) => match tls::server_name(&authority.host) {
                Some(name) => Ok(Self::Tls(authority.clone(), name)),
                None => Err(no_address(url)),
            },
            Url::Unix(_) | Url::Other(_) => Err(no_address(url)),
        }
    }

    /// The socket, where it is one.
    pub(crate) fn socket(&self) -> Option<&Path> {
        match self {
            Self::Unix(path) => Some(path),
            Self::Tcp(_) | Self::Tls(..) => None,
        }
    }

    /// What to do where no hub listens: elsewhere none is started from here.
    pub(crate) fn how_to_start(&self) -> &'static str {
        match start::is_ours(&Place::from_env(), self) {
            true => "start it with `headsup up`",
            false => "HEADSUP_URL names it; a hub is only started in HEADSUP_HOME",
        }
    }

    /// What stands in the Host header.
    pub(crate) fn host(&self) -> String {
        match self {
            Self::Unix(_) => "localhost".to_owned(),
            Self::Tcp(authority) => authority.as_host(HTTP),
            Self::Tls(authority, _) => authority.as_host(HTTPS),
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
        let silent = |_| NoConnection::Silent;
        match (timeout(CONNECT_WITHIN, self.plainly()).await.map_err(silent)??, self) {
            (Connection::Tcp(stream), Self::Tls(_, name)) => {
                let begun = timeout(CONNECT_WITHIN, tls::begin(stream, name)).await;
                let stream = begun.map_err(silent)?.map_err(NoConnection::Tls)?;
                Ok(Connection::Tls(Box::new(stream)))
            }
            (connection, _) => Ok(connection),
        }
    }

    /// A connection on which nothing has been said.
    async fn plainly(&self) -> Result<Connection, NoConnection> {
        loop {
            let connected = match self {
                Self::Unix(path) => unix(path).await.map(Connection::Unix),
                Self::Tcp(Authority { host, port }) | Self::Tls(Authority { host, port }, _) => {
                    let addresses = names::find(host, *port).await.map_err(NoConnection::Failed)?;
                    TcpStream::connect(&*addresses).await.map(Connection::Tcp)
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
    }
}

async fn unix(path: &Path) -> io::Result<UnixStream> {
    if path.as_os_str().len() <= short::LONGEST {
        return ours(UnixStream::connect(path).await?);
    }
    let (_open, short) = short::way(path).ok_or(io::ErrorKind::NotFound)?;
    ours(UnixStream::connect(short).await?)
}

/// Another user's socket in the hub's place is told nothing. Nor is root's: no hub takes a call of another user.
fn ours(stream: UnixStream) -> io::Result<UnixStream> {
    if stream.peer_cred()?.uid() == geteuid().as_raw() {
        return Ok(stream);
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "another user listens there"))
}

fn no_address(url: &Url) -> CommandError {
    // It may hold a password, and an agent may read this.
    let text = redact(&url.to_string()).into_owned();
    CommandError::usage(format!("HEADSUP_URL {text:?} is no address of a hub"))
        .hint("it is unix:/path, http://host:port or https://host")
}

pub(super) enum Connection {
    Unix(UnixStream),
    Tcp(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
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
        let home = address.socket().and_then(Path::parent).filter(|_| matches!(self, Self::Absent));
        if let Some(what) = home.and_then(headsup_daemon::waits_for) {
            return start::waits(what);
        }
        let error = CommandError::new(
            Kind::HubUnreachable,
            format!("cannot reach the hub at {address}: {self}"),
        );
        match self {
            Self::Absent => error.hint(address.how_to_start()),
            Self::Failed(why) if why.kind() == io::ErrorKind::NotADirectory => {
                error.hint("a file is in the place of its folder: move it, or set HEADSUP_HOME")
            }
            Self::Failed(_) => error,
            Self::Silent => error.hint("its process may be stopped or stuck"),
            Self::Tls(why) => explain(why, error),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "{}", path.display()),
            Self::Tcp(authority) => write!(f, "http://{authority}"),
            Self::Tls(authority, _) => write!(f, "https://{authority}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_socket_or_a_host_with_or_without_tls() {
        let unix = Address::Unix(PathBuf::from("/run/h.sock"));
        assert_eq!(Address::of(&Url::Unix("/run/h.sock".into())).unwrap(), unix);
        let at = |host: &str, port| Authority { host: host.to_owned(), port };
        let tcp = Address::of(&Url::Http(at("::1", 80))).unwrap();
        assert_eq!((tcp.to_string(), tcp.host()), ("http://[::1]:80".into(), "[::1]".into()));
        for host in ["hub.example", "127.0.0.1", "::1"] {
            let tls = Address::of(&Url::Https(at(host, 443))).unwrap();
            assert!(matches!(&tls, Address::Tls(_, name) if name.to_str() == host), "{tls:?}");
        }
        assert!(Address::of(&Url::Https(at("hub..example", 443))).is_err());
        for bad in ["", "ftp://x", "/run/h.sock"] {
            let error = Address::of(&Url::Other(bad.to_owned())).unwrap_err();
            assert_eq!(error.kind, Kind::Usage, "{bad}");
        }
        assert!(Address::of(&Url::Unix(PathBuf::new())).is_err());
    }

    #[test]
    fn a_password_in_what_is_no_address_is_not_said() {
        let bad = format!("http://ada:{}@hub.example:1/", "swordfish");
        let error = Address::of(&Url::Other(bad)).unwrap_err();
        assert!(error.message.contains("hub.example"), "{error}");
        assert!(!error.message.contains("swordfish"), "{error}");
    }

    #[test]
    fn a_file_that_stands_in_the_place_of_the_folder_is_said() {
        let address = Address::Unix(PathBuf::from("/run/file/headsup.sock"));
        let of = |kind: io::ErrorKind| NoConnection::from(io::Error::from(kind)).at(&address);
        let hint = of(io::ErrorKind::NotADirectory).hints.concat();
        assert!(hint.contains("HEADSUP_HOME"), "{hint:?}");
        assert_eq!(of(io::ErrorKind::PermissionDenied).hints.concat(), "");
    }
}
