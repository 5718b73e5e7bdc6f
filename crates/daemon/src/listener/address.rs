//! Addresses to listen on, and names to be known by.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The hub's usual place.
pub const DEFAULT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7717);

/// What was written is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no address to listen on: it is IP:PORT, as 127.0.0.1:7717 or [::1]:7717")]
pub struct BadAddress(String);

/// What was written cannot stand in a Host header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no host name: it is NAME or NAME:PORT, as hub.example.net")]
pub struct BadName(String);

/// Reads `IP:PORT`, `IP`, `localhost` or `localhost:PORT`.
pub fn parse(text: &str) -> Result<SocketAddr, BadAddress> {
    let rest = text.strip_prefix("localhost");
    if let Some(port) =
        rest.and_then(|rest| if rest.is_empty() { Some(rest) } else { rest.strip_prefix(':') })
    {
        let port = if port.is_empty() { Ok(DEFAULT.port()) } else { port.parse() };
        return match port {
            Ok(port) if !text.ends_with(':') => Ok(SocketAddr::new(DEFAULT.ip(), port)),
            _ => Err(BadAddress(text.to_owned())),
        };
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let alone = || bare.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, DEFAULT.port()));
    text.parse().or_else(|_| alone()).map_err(|_| BadAddress(text.to_owned()))
}

/// Whether only this machine can reach it.
pub fn is_local(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

/// A name as browsers put it into the Host header.
pub fn host_name(text: &str) -> Result<String, BadName> {
    let bad = || BadName(text.to_owned());
    let name = text.to_ascii_lowercase();
    let (host, port) = match name.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((v6, rest)) => {
            v6.parse::<std::net::Ipv6Addr>().map_err(|_| bad())?;
            ("v6", rest.strip_prefix(':').or((!rest.is_empty()).then_some("x")))
        }
        None => {
            name.split_once(':').map_or((name.as_str(), None), |(host, port)| (host, Some(port)))
        }
    };
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let is_name = !host.is_empty() && host.len() <= 253 && host.bytes().all(legal);
    let dots = host.starts_with('.') || host.ends_with('.') || host.contains("..");
    let is_port = port.is_none_or(|port| {
        port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
    });
    if is_name && !dots && is_port { Ok(name) } else { Err(bad()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_leave_out_its_port() {
        let read = |text: &str| parse(text).map(|address| address.to_string());
        for (text, address) in [
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("127.0.0.1", "127.0.0.1:7717"),
            ("localhost", "127.0.0.1:7717"),
            ("localhost:80", "127.0.0.1:80"),
            ("[::1]:9", "[::1]:9"),
            ("::1", "[::1]:7717"),
            ("[::1]", "[::1]:7717"),
            ("0.0.0.0:1", "0.0.0.0:1"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(address), "{text}");
        }
        for text in
            ["", "7717", ":7717", "hub:1", "localhost:", "localhost.evil", "127.0.0.1:x", "127.1"]
        {
            assert_eq!(parse(text), Err(BadAddress(text.to_owned())));
        }
    }

    #[test]
    fn only_loopback_is_local() {
        for (address, local) in [
            ("127.0.0.1:1", true),
            ("127.9.9.9:1", true),
            ("[::1]:1", true),
            ("[::ffff:127.0.0.1]:1", true),
            ("0.0.0.0:1", false),
            ("[::]:1", false),
            ("192.168.1.2:1", false),
            ("169.254.169.254:1", false),
        ] {
            assert_eq!(is_local(address.parse().unwrap()), local, "{address}");
        }
    }

    #[test]
    fn a_name_is_what_stands_in_a_host_header() {
        for name in ["hub.example.net", "hub:8443", "10.0.0.7:80", "[2001:db8::1]:443", "[::2]"] {
            assert_eq!(host_name(name).as_deref(), Ok(name));
        }
        assert_eq!(host_name("Hub.Example"), Ok("hub.example".to_owned()));
        for name in [
            "",
            "*",
            "http://hub",
            "hub/",
            "hub.",
            ".hub",
            "a..b",
            "hub:",
            "hub:99999",
            "hub:+1",
            "a b",
            "[::1]x",
            "u@hub",
        ] {
            assert!(host_name(name).is_err(), "{name}");
        }
    }
}
