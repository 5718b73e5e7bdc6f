//! The kernel's tables of all sockets.

use super::{Listed, Socket};
use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};

/// A socket that speaks version 6 to an address of version 4 is in the second.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

pub(super) fn in_tables(peer: SocketAddr, local: SocketAddr) -> Listed {
    let mut tables =
        TABLES.iter().filter_map(|table| std::fs::read_to_string(table).ok()).peekable();
    if tables.peek().is_none() {
        return Listed::Untold;
    }
    let found = tables.find_map(|table| socket(&table, peer, local));
    found.map_or(Listed::Nowhere, Listed::Socket)
}

/// The socket at `peer` that is connected to `local`, in one of the kernel's tables:
/// `sl local_address rem_address st tx_queue:rx_queue tr:when retrnsmt uid timeout inode …`.
/// A socket without an inode has no program any more; the kernel shows it as root's.
pub(super) fn socket(table: &str, peer: SocketAddr, local: SocketAddr) -> Option<Socket> {
    let (from, to) = (entries(peer), entries(local));
    table.lines().find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let is_from = from.iter().any(|entry| fields.clone().next() == Some(entry));
        let is_to = to.iter().any(|entry| fields.clone().nth(1) == Some(entry));
        let user = fields.nth(6)?.parse().ok()?;
        let inode = fields.nth(1)?.parse().ok()?;
        (is_from && is_to && inode != 0).then_some(Socket { user, inode })
    })
}

/// An address as the kernel may list it.
pub(super) fn entries(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    match address.ip().to_canonical() {
        IpAddr::V4(ip) => {
            vec![entry(&ip.octets(), port), entry(&ip.to_ipv6_mapped().octets(), port)]
        }
        IpAddr::V6(ip) => vec![entry(&ip.octets(), port)],
    }
}

/// Words of memory in hexadecimal, then the port.
fn entry(bytes: &[u8], port: u16) -> String {
    let mut text = String::with_capacity(40);
    for word in bytes.chunks_exact(4) {
        let word = [word[0], word[1], word[2], word[3]];
        // Writing to a string cannot fail.
        write!(text, "{:08X}", u32::from_ne_bytes(word)).ok();
    }
    write!(text, ":{port:04X}").ok();
    text
}
