//! The kernel asked for one socket by its two ends (`sock_diag(7)`), which costs microseconds. Its tables under
//! `/proc/net` cost milliseconds on a machine with much memory, as all that could be in them is looked through.

use super::{Listed, Socket};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

/// `SOCK_DIAG_BY_FAMILY`, and `NLM_F_REQUEST`, `NLMSG_ERROR` of `netlink(7)`.
const BY_FAMILY: u16 = 20;
const REQUEST: u16 = 1;
const ERROR: u16 = 2;
/// The highest number of an error (`MAX_ERRNO`).
const LAST_ERROR: i32 = 4_095;
const TCP: u8 = 6;
const LISTENING: u8 = 10;
/// Of `struct nlmsghdr`, `inet_diag_req_v2` and `inet_diag_msg` (`linux/inet_diag.h`), in bytes.
const HEADER: usize = 16;
const ASKED: usize = HEADER + 56;
const TOLD: usize = HEADER + 72;

/// A kernel without the part that answers says the same as one that knows no such socket. So its
/// "no" counts from the first answer on.
static ANSWERS: AtomicBool = AtomicBool::new(false);

/// The socket at `peer` that is connected to `local`; `None` where the kernel does not say.
pub(super) fn find(peer: SocketAddr, local: SocketAddr) -> Option<Listed> {
    let found = ask(peer, local);
    match found {
        Ok(_) => ANSWERS.store(true, Ordering::Relaxed),
        Err(Errno::NOENT) if ANSWERS.load(Ordering::Relaxed) => return Some(Listed::Nowhere),
        Err(_) => return None,
    }
    found.ok().map(|socket| socket.map_or(Listed::Nowhere, Listed::Socket))
}

/// `Ok(None)` for one that no program holds any more.
fn ask(peer: SocketAddr, local: SocketAddr) -> Result<Option<Socket>, Errno> {
    let family = AddressFamily::NETLINK;
    let kernel =
        socket_with(family, SocketType::RAW, SocketFlags::CLOEXEC, Some(netlink::SOCK_DIAG))?;
    send(&kernel, &question(peer, local), SendFlags::empty())?;
    let mut answer = [0; 512];
    // What it has to say it has said before `send` returns.
    let (len, _) = recv(&kernel, &mut answer, RecvFlags::DONTWAIT)?;
    read(&answer[..len.min(answer.len())], peer.port(), local.port())
}

/// A socket that speaks version 6 to an address of version 4 is found under version 4, too.
fn question(peer: SocketAddr, local: SocketAddr) -> Vec<u8> {
    let (from, to) = (peer.ip().to_canonical(), local.ip().to_canonical());
    let family = if from.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let mut bytes = Vec::with_capacity(ASKED);
    bytes.extend_from_slice(&u32::try_from(ASKED).unwrap_or_default().to_ne_bytes());
    bytes.extend_from_slice(&BY_FAMILY.to_ne_bytes());
    bytes.extend_from_slice(&REQUEST.to_ne_bytes());
    // Sequence and sender: there is one question and one asks.
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&[u8::try_from(family.as_raw()).unwrap_or_default(), TCP, 0, 0]);
    // In every state.
    bytes.extend_from_slice(&u32::MAX.to_ne_bytes());
    bytes.extend_from_slice(&peer.port().to_be_bytes());
    bytes.extend_from_slice(&local.port().to_be_bytes());
    for ip in [from, to] {
        let mut address = [0; 16];
        match ip {
            IpAddr::V4(ip) => address[..4].copy_from_slice(&ip.octets()),
            IpAddr::V6(ip) => address = ip.octets(),
        }
        bytes.extend_from_slice(&address);
    }
    // On any interface, whichever cookie it has.
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&[0xFF; 8]);
    bytes
}

pub(super) fn read(answer: &[u8], from: u16, to: u16) -> Result<Option<Socket>, Errno> {
    let word = |at: usize| -> Result<u32, Errno> {
        let bytes = answer.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u32::from_ne_bytes).ok_or(Errno::BADMSG)
    };
    let port = |at: usize| -> Result<u16, Errno> {
        let bytes = answer.get(at..at + 2).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u16::from_be_bytes).ok_or(Errno::BADMSG)
    };
    let kind = answer.get(4..6).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    match kind.ok_or(Errno::BADMSG)? {
        ERROR => {
            let code = word(HEADER)?.cast_signed().saturating_neg();
            // Another number is no error's, and cannot be made one.
            let is_error = (1..=LAST_ERROR).contains(&code);
            Err(if is_error { Errno::from_raw_os_error(code) } else { Errno::BADMSG })
        }
        BY_FAMILY if answer.len() >= TOLD => {
            // Where none is connected it names one that listens at that port.
            let is_it = port(HEADER + 4)? == from && port(HEADER + 6)? == to;
            let is_listening = answer[HEADER + 1] == LISTENING;
            let socket = Socket { user: word(TOLD - 8)?, inode: u64::from(word(TOLD - 4)?) };
            Ok(Some(socket).filter(|socket| is_it && !is_listening && socket.inode != 0))
        }
        _ => Err(Errno::BADMSG),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn the_kernel_says_of_a_connection_what_its_table_says() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            // A machine without the one still has the other.
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let local = listener.local_addr().unwrap();
            let client = TcpStream::connect(local).unwrap();
            let peer = client.local_addr().unwrap();
            let listed = find(peer, local);
            // A kernel may have no such part.
            let Some(listed) = listed else { continue };
            assert_eq!(listed, super::super::tables::in_tables(peer, local), "{address}");
            assert!(matches!(listed, Listed::Socket(_)), "{address}");
            assert_eq!(find(local, local), Some(Listed::Nowhere), "it listens, and is no peer");
            drop(client);
        }
    }

    #[test]
    fn a_socket_of_version_6_that_speaks_to_version_4_is_asked_for_as_version_4() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        let mapped = question(at("[::ffff:127.0.0.1]:49153"), at("127.0.0.1:7717"));
        assert_eq!(mapped, question(at("127.0.0.1:49153"), at("127.0.0.1:7717")));
        assert_eq!(mapped.len(), ASKED);
        assert_ne!(mapped, question(at("[::1]:49153"), at("[::1]:7717")));
    }

    #[test]
    fn an_answer_that_is_cut_or_of_another_socket_names_nobody() {
        let mut answer = vec![0; TOLD];
        answer[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
        answer[HEADER + 4..HEADER + 6].copy_from_slice(&7_u16.to_be_bytes());
        answer[HEADER + 6..HEADER + 8].copy_from_slice(&8_u16.to_be_bytes());
        answer[TOLD - 8..TOLD - 4].copy_from_slice(&1000_u32.to_ne_bytes());
        answer[TOLD - 4..].copy_from_slice(&99_u32.to_ne_bytes());
        assert_eq!(read(&answer, 7, 8), Ok(Some(Socket { user: 1000, inode: 99 })));
        assert_eq!(read(&answer, 8, 7), Ok(None));
        for len in 0..TOLD {
            assert_eq!(read(&answer[..len], 7, 8), Err(Errno::BADMSG), "{len}");
        }
        answer[HEADER + 1] = LISTENING;
        assert_eq!(read(&answer, 7, 8), Ok(None));
        answer[4..6].copy_from_slice(&ERROR.to_ne_bytes());
        answer[HEADER..HEADER + 4].copy_from_slice(&(-2_i32).to_ne_bytes());
        assert_eq!(read(&answer, 7, 8), Err(Errno::NOENT));
        for none in [0, 1, -4_096, i32::MIN] {
            answer[HEADER..HEADER + 4].copy_from_slice(&none.to_ne_bytes());
            assert_eq!(read(&answer, 7, 8), Err(Errno::BADMSG), "{none}");
        }
    }
}
