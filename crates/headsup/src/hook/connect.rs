//! A connection to the hub that never hangs.

use super::deadline::Deadline;
use crate::place::{Authority, Url};
use crate::short;
use rustix::event::PollFlags;
use rustix::fd::OwnedFd;
use rustix::fs::{lstat, stat};
use rustix::io::Errno;
use rustix::net::addr::SocketAddrArg;
use rustix::net::sockopt::socket_error;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use rustix::process::geteuid;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

/// Between two tries at a full backlog, which poll cannot wait for.
const RETRY: Duration = Duration::from_millis(2);

/// A connected, non-blocking socket; `None` where there is no hub, or none in time.
pub(super) fn open(url: &Url, deadline: Deadline) -> Option<OwnedFd> {
    match url {
        Url::Unix(path) => unix(path, deadline),
        Url::Http(Authority { host, port }) => {
            addresses(host).find_map(|ip| tcp(SocketAddr::new(ip, *port), deadline))
        }
        Url::Https(_) | Url::Other(_) => None,
    }
}

fn unix(path: &Path, deadline: Deadline) -> Option<OwnedFd> {
    let Ok(address) = SocketAddrUnix::new(path) else { return far(path, deadline) };
    let socket = socket(AddressFamily::UNIX)?;
    (finish(&socket, &address, deadline) && is_ours(path)).then_some(socket)
}

/// One whose path fits no address.
fn far(path: &Path, deadline: Deadline) -> Option<OwnedFd> {
    let (_open, short) = short::way(path)?;
    let address = SocketAddrUnix::new(&short).ok()?;
    let socket = socket(AddressFamily::UNIX)?;
    (finish(&socket, &address, deadline) && is_ours(&short)).then_some(socket)
}

/// Whether what lies there is our own user's, and where it is a link, which root may have made as well, what that leads
/// to: another user's socket in the hub's place is told nothing. The kernel would say who listens, but also names the process, and the
/// library takes no answer in which that is out of sight, as a hub outside of a container is.
fn is_ours(path: &Path) -> bool {
    let own = geteuid().as_raw();
    lstat(path).is_ok_and(|it| [own, 0].contains(&it.st_uid))
        && stat(path).is_ok_and(|it| it.st_uid == own)
}

fn tcp(address: SocketAddr, deadline: Deadline) -> Option<OwnedFd> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket(family)?;
    finish(&socket, &address, deadline).then_some(socket)
}

/// Numeric addresses and `localhost`: a resolver may take seconds.
fn addresses(host: &str) -> impl Iterator<Item = IpAddr> {
    let local = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    let local = local.into_iter().filter(move |_| host == "localhost");
    host.parse().ok().into_iter().chain(local)
}

fn socket(family: AddressFamily) -> Option<OwnedFd> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    socket_with(family, SocketType::STREAM, flags, None).ok()
}

fn finish(socket: &OwnedFd, address: &impl SocketAddrArg, deadline: Deadline) -> bool {
    loop {
        match connect(socket, address) {
            Ok(()) => return true,
            Err(Errno::AGAIN | Errno::INTR) if deadline.pause(RETRY) => {}
            Err(Errno::INPROGRESS) => {
                return deadline.wait(socket, PollFlags::OUT)
                    && matches!(socket_error(socket), Ok(Ok(())));
            }
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    #[test]
    fn only_what_lies_there_for_our_own_user_is_ours() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a.sock");
        assert!(!is_ours(&path), "nothing is there");
        let _listener = UnixListener::bind(&path).unwrap();
        assert!(is_ours(&path));
        let link = temp.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(is_ours(&link));
        // Only root can give a file away.
        if std::os::unix::fs::chown(&path, Some(geteuid().as_raw() + 1), None).is_ok() {
            assert!(!is_ours(&path) && !is_ours(&link));
        }
    }
}
