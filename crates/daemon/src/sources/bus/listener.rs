//! A row of the kernel's tables under `/proc/net`: who listens, and where.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// How the kernel writes that a socket listens.
const LISTENS: &str = "0A";

/// `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …`
pub(super) fn listener(line: &str) -> Option<(u64, SocketAddr)> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let (address, port) = fields.next()?.split_once(':')?;
    if fields.nth(1)? != LISTENS {
        return None;
    }
    let inode = fields.nth(5)?.parse().ok()?;
    let ip = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(u32::from_str_radix(address, 16).ok()?.swap_bytes())),
        32 => {
            let mut octets = [0; 16];
            for (word, place) in (0..4).zip(octets.chunks_mut(4)) {
                let word = u32::from_str_radix(address.get(word * 8..word * 8 + 8)?, 16).ok()?;
                place.copy_from_slice(&word.swap_bytes().to_be_bytes());
            }
            IpAddr::V6(Ipv6Addr::from(octets)).to_canonical()
        }
        _ => return None,
    };
    // Whoever listens everywhere listens here too; whoever listens only elsewhere is not asked.
    let ip = match ip {
        _ if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        _ if ip.is_loopback() => ip,
        _ => return None,
    };
    Some((inode, SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_here_is_read_from_the_kernels_tables() {
        let row = |address: &str, state: &str| {
            format!("  0: {address} 00000000:0000 {state} 0:0 00:0 0 0 0 4711 1 0 100 0")
        };
        let six = "00000000000000000000000001000000";
        let read = |address: &str| listener(&row(address, "0A")).map(|(_, at)| at.to_string());
        assert_eq!(read("0100007F:1000").as_deref(), Some("127.0.0.1:4096"));
        assert_eq!(read("00000000:0050").as_deref(), Some("127.0.0.1:80"));
        assert_eq!(read(&format!("{six}:1000")).as_deref(), Some("[::1]:4096"));
        assert_eq!(read(&format!("{}:1000", "0".repeat(32))).as_deref(), Some("127.0.0.1:4096"));
        assert_eq!(read("0101A8C0:1000"), None);
        assert_eq!(listener(&row("0100007F:1000", "01")), None);
        assert_eq!(listener("  sl  local_address rem_address   st tx_queue"), None);
    }
}
