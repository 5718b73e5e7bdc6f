//! What the kernel says of sockets, with the same places inside.

#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../daemon/src/peer/diag.rs"]
mod diag;
#[path = "../../daemon/src/sources/bus/listener.rs"]
mod listener;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../daemon/src/peer/tables.rs"]
mod tables;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    Socket(Socket),
    Nowhere,
    Untold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Socket {
    user: u32,
    inode: u64,
}

/// An answer names the socket that was asked for, or none; one that is cut names none.
pub(crate) fn netlink(bytes: &[u8]) {
    // Where the ports stand, and all that must be there.
    const PORTS: usize = 20;
    const WHOLE: usize = 88;
    let port = |at: usize| match bytes.get(at..at + 2) {
        Some(&[high, low]) => u16::from_be_bytes([high, low]),
        _ => 0,
    };
    let (from, to) = (port(PORTS), port(PORTS + 2));
    let found = |bytes: &[u8], from: u16, to: u16| diag::read(bytes, from, to).ok().flatten();
    if let Some(socket) = found(bytes, from, to) {
        assert!(socket.inode != 0 && bytes.len() >= WHOLE);
        assert_eq!(found(&bytes[..WHOLE], from, to), Some(socket));
        assert_eq!(found(&bytes[..WHOLE - 1], from, to), None);
    }
    assert_eq!(found(bytes, from ^ 1, to).or(found(bytes, from, to ^ 1)), None);
}

/// The tables: a socket is found by its two ends whatever else stands there; who listens is on this machine.
pub(crate) fn tables(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for (_, at) in text.lines().filter_map(listener::listener) {
        assert!(at.ip().is_loopback(), "{at}");
    }
    let mut octets = [0; 20];
    octets.iter_mut().zip(bytes).for_each(|(octet, byte)| *octet = *byte);
    let [a, b, c, d, ..] = octets;
    let mut six = [0; 16];
    six.copy_from_slice(&octets[..16]);
    let ports = [u16::from_ne_bytes([a, b]), u16::from_ne_bytes([c, d])];
    for ip in [IpAddr::V4(Ipv4Addr::from([a, b, c, d])), IpAddr::V6(Ipv6Addr::from(six))] {
        let (peer, local) = (SocketAddr::new(ip, ports[0]), SocketAddr::new(ip, ports[1]));
        let own = tables::entries(peer);
        for (from, to) in own.iter().zip(&tables::entries(local)) {
            let is_its = |line: &&str| own.iter().any(|entry| line.contains(entry));
            let others: Vec<&str> = text.lines().filter(|line| !is_its(line)).collect();
            let others = others.join("\n");
            let row = format!("7: {from} {to} 01 0:0 00:0 0 1000 0 4711 1");
            let found = tables::socket(&format!("{others}\n{row}\n"), peer, local);
            assert_eq!(found, Some(Socket { user: 1_000, inode: 4_711 }), "{row}");
            assert_eq!(tables::socket(&others, peer, local), None);
        }
    }
    let own = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), ports[0]);
    let row = format!("7: {} 00000000:0000 0A 0:0 00:0 0 1000 0 4711 1", tables::entries(own)[0]);
    assert_eq!(listener::listener(&row), Some((4_711, own)));
}
