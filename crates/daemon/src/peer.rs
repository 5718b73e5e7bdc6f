//! Whose connection it is: on the unix socket the kernel says so with the connection, on loopback it
//! tells of the sockets of all users.

mod diag;
mod tables;

use crate::namespaces::Peer;
use std::net::SocketAddr;
use tables::in_tables;
use tokio::net::UnixStream;

/// Checks the other end before anything it sends is read. Not root either: an answer to a prompt
/// must come from the user.
pub(crate) fn is_ours(stream: &UnixStream, own_uid: u32) -> bool {
    process(stream, own_uid).is_some()
}

/// Which process of our own user is at the other end, by our own pid; `None` for anybody else. One in a namespace
/// that is not below ours has no pid.
pub(crate) fn process(stream: &UnixStream, own_uid: u32) -> Option<Peer> {
    let peer = stream.peer_cred().ok();
    if !admits(own_uid, peer.map(|peer| peer.uid())) {
        return None;
    }
    let pid = peer.and_then(|peer| u32::try_from(peer.pid()?).ok()).filter(|pid| *pid > 0);
    Some(pid.map_or(Peer::Unseen, Peer::Process))
}

/// The user the hub runs as.
pub(crate) fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether the other end of a TCP connection is a socket of another user of this machine. One on
/// loopback that the kernel does not list has been given up by whoever it was, and says nothing
/// for itself any more; from elsewhere it is on another machine.
pub(crate) fn is_another_users(peer: SocketAddr, local: SocketAddr) -> bool {
    match listed(peer, local) {
        Listed::Socket(socket) => socket.user != own_uid(),
        Listed::Nowhere => peer.ip().to_canonical().is_loopback(),
        Listed::Untold => false,
    }
}

/// A process of this machine that is at the other end of a TCP connection on loopback. It looks at all
/// that our processes have open, the youngest process first: for what is seldom asked.
pub(crate) fn process_at(peer: SocketAddr, local: SocketAddr) -> Option<u32> {
    if !peer.ip().to_canonical().is_loopback() {
        return None;
    }
    let Listed::Socket(Socket { inode, .. }) = listed(peer, local) else { return None };
    let wanted = format!("socket:[{inode}]");
    let holds = |pid: &u32| {
        let open = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let mut links = open.filter_map(|file| std::fs::read_link(file.path()).ok());
        links.any(|link| link.as_os_str() == wanted.as_str())
    };
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut pids: Vec<u32> = pids.collect();
    pids.sort_unstable_by(|one, other| other.cmp(one));
    pids.into_iter().find(holds)
}

/// What the kernel says of a socket by its two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    Socket(Socket),
    /// There is none, or no program has it any more.
    Nowhere,
    /// It tells nobody.
    Untold,
}

fn listed(peer: SocketAddr, local: SocketAddr) -> Listed {
    diag::find(peer, local).unwrap_or_else(|| in_tables(peer, local))
}

/// A socket as the kernel lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Socket {
    user: u32,
    inode: u64,
}

fn admits(own: u32, peer: Option<u32>) -> bool {
    peer == Some(own)
}

#[cfg(test)]
mod tests {
    use super::tables::{entries, socket};
    use super::*;

    fn owner(table: &str, peer: SocketAddr, local: SocketAddr) -> Option<u32> {
        socket(table, peer, local).map(|socket| socket.user)
    }

    #[test]
    fn whoever_connects_on_loopback_is_found() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let local = listener.local_addr().unwrap();
        let client = std::net::TcpStream::connect(local).unwrap();
        let peer = client.local_addr().unwrap();
        assert_eq!(process_at(peer, local), Some(std::process::id()));
        assert_eq!(process_at("192.0.2.1:49153".parse().unwrap(), local), None);
    }

    #[test]
    fn only_our_own_user_is_admitted() {
        assert!(admits(1000, Some(1000)));
        assert!(!admits(1000, Some(1001)));
        assert!(!admits(1000, Some(0)));
        assert!(!admits(1000, None));
    }

    #[test]
    fn the_kernels_table_tells_the_owner() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n\
            0: 0100007F:1E25 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1\n\
            1: 0100007F:C001 0100007F:1E25 01 00000000:00000000 00:00000000 00000000  1001        0 2\n\
            2: 0100007F:1E25 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 3\n";
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        let (peer, local) = (at("127.0.0.1:49153"), at("127.0.0.1:7717"));
        assert_eq!(owner(table, peer, local), Some(1001));
        assert_eq!(owner(table, local, peer), Some(1000));
        assert_eq!(owner(table, at("[::ffff:127.0.0.1]:49153"), local), Some(1001));
        assert_eq!(owner(table, at("127.0.0.1:49154"), local), None);
        assert_eq!(entries(at("[::1]:80")), ["00000000000000000000000001000000:0050"]);
    }

    #[test]
    fn a_socket_of_version_6_that_speaks_to_version_4_is_found() {
        let table = "0: 0000000000000000FFFF00000100007F:C001 0000000000000000FFFF00000100007F:1E25 01 \
            00000000:00000000 00:00000000 00000000 65534        0 7\n";
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        assert_eq!(owner(table, at("127.0.0.1:49153"), at("127.0.0.1:7717")), Some(65_534));
    }

    #[test]
    fn a_socket_that_was_given_up_is_nobodys() {
        let table = "0: 0100007F:C001 0100007F:1E25 05 \
            00000000:00000000 00:00000000 00000000 0        0 0\n";
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        assert_eq!(owner(table, at("127.0.0.1:49153"), at("127.0.0.1:7717")), None);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let local = listener.local_addr().unwrap();
        let client = std::net::TcpStream::connect(local).unwrap();
        let peer = client.local_addr().unwrap();
        assert!(!is_another_users(peer, local));
        let accepted = listener.accept().unwrap();
        drop(client);
        assert!(is_another_users(peer, local), "on loopback, and nobody's");
        drop(accepted);
        assert!(!is_another_users(at("192.0.2.1:49153"), local), "another machine's");
    }

    #[test]
    fn our_own_connections_are_ours_and_listed() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            // A machine without the one still has the other.
            let Ok(listener) = std::net::TcpListener::bind(address) else { continue };
            let local = listener.local_addr().unwrap();
            let client = std::net::TcpStream::connect(local).unwrap();
            let peer = client.local_addr().unwrap();
            let name = if local.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
            let table = std::fs::read_to_string(name).unwrap();
            assert_eq!(owner(&table, peer, local), Some(own_uid()), "{address}");
            assert!(!is_another_users(peer, local));
        }
    }

    #[tokio::test]
    async fn the_kernel_says_who_it_is() {
        let (one, other) = UnixStream::pair().unwrap();
        assert!(is_ours(&one, own_uid()) && is_ours(&other, own_uid()));
        assert!(!is_ours(&one, own_uid() + 1));
        assert_eq!(process(&one, own_uid()), Some(Peer::Process(std::process::id())));
        assert_eq!(process(&one, own_uid() + 1), None);
    }
}
