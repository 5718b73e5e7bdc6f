//! A connection to the hub that never hangs.

use super::deadline::Deadline;
use crate::place::{Authority, Url};
use crate::short;
use rustix::event::PollFlags;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::addr::SocketAddrArg;
use rustix::net::sockopt::socket_error;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
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
    finish(&socket, &address, deadline).then_some(socket)
}

/// One whose path fits no address.
fn far(path: &Path, deadline: Deadline) -> Option<OwnedFd> {
    let (_open, short) = short::way(path)?;
    let address = SocketAddrUnix::new(short).ok()?;
    let socket = socket(AddressFamily::UNIX)?;
    finish(&socket, &address, deadline).then_some(socket)
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
