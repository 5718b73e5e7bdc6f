//! Whose connection it is: on the unix socket the kernel says so with the connection, on loopback it
//! lists the sockets of all users.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};
use tokio::net::UnixStream;

/// Checks the other end before anything it sends is read. Not root either: an answer to a prompt
/// must come from the user.
pub(crate) fn is_ours(stream: &UnixStream, own_uid: u32) -> bool {
    let peer = stream.peer_cred().map(|peer| peer.uid());
    admits(own_uid, peer.ok())
}

/// The user the hub runs as.
pub(crate) fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether the other end of a TCP connection is a socket of another user of this machine. One that
/// the kernel does not list is on another machine, or its end is that of a dead program.
pub(crate) fn is_another_users(peer: SocketAddr, local: SocketAddr) -> bool {
    owner(peer, local).is_some_and(|owner| owner != own_uid())
}

/// A socket of IPv6 may be connected to an address of IPv4, so both tables are looked at.
fn owner(peer: SocketAddr, local: SocketAddr) -> Option<u32> {
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| {
        let table = std::fs::read_to_string(table).ok()?;
        owner_in(&table, peer, local)
    })
}

/// The user of the socket at `peer` that is connected to `local`, in one of the kernel's tables:
/// `sl local_address rem_address st tx_queue:rx_queue tr:when retrnsmt uid …`.
fn owner_in(table: &str, peer: SocketAddr, local: SocketAddr) -> Option<u32> {
    let (from, to) = (entry(peer), entry(local));
    let mapped = words(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]);
    table.lines().find_map(|line| {
        let fields = line.split_ascii_whitespace().skip(1);
        // An address of IPv4 in the table of IPv6.
        let mut fields = fields.map(|field| field.strip_prefix(&mapped).unwrap_or(field));
        let found = fields.next()? == from && fields.next()? == to;
        found.then(|| fields.nth(4)?.parse().ok()).flatten()
    })
}

/// An address as the kernel writes it: words of memory in hexadecimal, then the port.
fn entry(address: SocketAddr) -> String {
    let address_words = match address.ip().to_canonical() {
        IpAddr::V4(ip) => words(&ip.octets()),
        IpAddr::V6(ip) => words(&ip.octets()),
    };
    format!("{address_words}:{:04X}", address.port())
}

fn words(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(32);
    for word in bytes.chunks_exact(4) {
        let word = [word[0], word[1], word[2], word[3]];
        // Writing to a string cannot fail.
        write!(text, "{:08X}", u32::from_ne_bytes(word)).ok();
    }
    text
}

fn admits(own: u32, peer: Option<u32>) -> bool {
    peer == Some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(owner_in(table, peer, local), Some(1001));
        assert_eq!(owner_in(table, local, peer), Some(1000));
        assert_eq!(owner_in(table, at("[::ffff:127.0.0.1]:49153"), local), Some(1001));
        assert_eq!(owner_in(table, at("127.0.0.1:49154"), local), None);
        assert_eq!(entry(at("[::1]:80")), "00000000000000000000000001000000:0050");
    }

    #[test]
    fn our_own_connections_are_ours_and_listed() {
        // The last is a socket of IPv6 that is connected to an address of IPv4.
        for (listens, called) in
            [("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("127.0.0.1", "::ffff:127.0.0.1")]
        {
            let (listens, called): (IpAddr, IpAddr) =
                (listens.parse().unwrap(), called.parse().unwrap());
            // A machine without the one still has the other.
            let Ok(listener) = std::net::TcpListener::bind((listens, 0)) else { continue };
            let local = listener.local_addr().unwrap();
            let Ok(_client) = std::net::TcpStream::connect((called, local.port())) else {
                continue;
            };
            let peer = listener.accept().unwrap().1;
            assert_eq!(owner(peer, local), Some(own_uid()), "{called}");
            assert!(!is_another_users(peer, local));
        }
    }

    #[tokio::test]
    async fn the_kernel_says_who_it_is() {
        let (one, other) = UnixStream::pair().unwrap();
        assert!(is_ours(&one, own_uid()) && is_ours(&other, own_uid()));
        assert!(!is_ours(&one, own_uid() + 1));
    }
}
