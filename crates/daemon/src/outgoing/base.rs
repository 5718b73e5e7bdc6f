//! Where another system is: `https://host[:port][/path]`.

use axum::http::Uri;
use axum::http::uri::Authority;
use std::fmt;
use std::net::IpAddr;

/// An address that paths are put behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    pub(super) is_tls: bool,
    /// A name or an address; an IPv6 address without its brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// Without a slash at its end.
    pub(super) path: String,
}

const HTTP: u16 = 80;
const HTTPS: u16 = 443;

impl Base {
    /// Reads an address. Without TLS it is on this machine: what is sent there may be secret.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let form = "the address is like https://host or https://host:port/path";
        let uri: Uri = text.parse().map_err(|_| form)?;
        let is_tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(form),
        };
        let authority = uri.authority().map(Authority::as_str).ok_or(form)?;
        if authority.contains('@') || uri.query().is_some() || text.contains('#') {
            return Err("the address has no name, no query and no fragment in it");
        }
        let host = uri.host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        if host.is_empty() {
            return Err(form);
        }
        let port = uri.port_u16().unwrap_or(if is_tls { HTTPS } else { HTTP });
        let path = uri.path().trim_end_matches('/').to_owned();
        let base = Self { is_tls, host, port, path };
        if base.is_tls || base.is_here() {
            Ok(base)
        } else {
            Err("the address begins with https://: without TLS nothing is sent to another machine")
        }
    }

    /// A host that everybody reaches.
    pub(crate) fn public(host: &str) -> Self {
        Self { is_tls: true, host: host.to_owned(), port: HTTPS, path: String::new() }
    }

    fn is_here(&self) -> bool {
        let address: Option<IpAddr> = self.host.parse().ok();
        self.host == "localhost" || address.is_some_and(|address| address.is_loopback())
    }

    /// The host, with its port where that is not the usual one.
    pub(crate) fn authority(&self) -> String {
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        match self.port {
            HTTPS if self.is_tls => host,
            HTTP if !self.is_tls => host,
            port => format!("{host}:{port}"),
        }
    }

    /// The host alone.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_tls_or_is_on_this_machine() {
        for good in [
            "https://api.github.com",
            "https://git.example:8443/api/v3",
            "http://127.0.0.1:4100",
            "http://localhost/x",
            "http://[::1]:80",
        ] {
            let base = Base::parse(good).unwrap();
            let shown = good.replace(":80", "");
            assert_eq!(base.to_string(), shown, "{good}");
        }
        assert_eq!(
            Base::parse("https://Git.Example/api/").unwrap().to_string(),
            "https://git.example/api"
        );
        for bad in [
            "",
            "github.com",
            "ftp://x",
            "http://github.com",
            "http://10.0.0.1",
            "https://user:word@host",
            "https://host/?q=1",
            "https://host/#x",
            "https://",
        ] {
            assert!(Base::parse(bad).is_err(), "{bad}");
        }
    }
}
