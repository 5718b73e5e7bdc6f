//! Why TLS is not spoken.

use std::io;
use tokio_rustls::rustls::{CertificateError, Error, InvalidMessage};

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("no authority is trusted here that could vouch for it{0}")]
    NoRoots(String),
    #[error("its certificate is signed by nobody who is trusted here")]
    UnknownIssuer,
    /// As `openssl req -x509` makes them.
    #[error("its certificate is an authority's own, not a server's")]
    NotAServers,
    #[error("its certificate is not for that name, but for {0}")]
    WrongName(String),
    #[error("its certificate has expired")]
    Expired,
    #[error("its certificate is not valid yet")]
    NotYetValid,
    #[error("what answers there does not speak TLS")]
    NotTls,
    #[error("TLS failed: {0}")]
    Other(Error),
    /// It may be starting.
    #[error("it broke off at the beginning of TLS: {0}")]
    Broken(io::Error),
}

impl TlsError {
    /// What went wrong while TLS began.
    pub(super) fn of(error: io::Error) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
            Some(error) => Self::of_tls(error),
            None => Self::Broken(error),
        }
    }

    fn of_tls(error: &Error) -> Self {
        match error {
            Error::InvalidCertificate(of) => Self::of_certificate(of, error),
            Error::InvalidMessage(InvalidMessage::InvalidContentType) => Self::NotTls,
            other => Self::Other(other.clone()),
        }
    }

    fn of_certificate(of: &CertificateError, error: &Error) -> Self {
        match of {
            // A bad signature: whom we trust only has the same name.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => Self::UnknownIssuer,
            CertificateError::Other(of) if of.to_string().contains("CaUsedAsEndEntity") => {
                Self::NotAServers
            }
            CertificateError::NotValidForName => Self::WrongName(names(&[])),
            CertificateError::NotValidForNameContext { presented, .. } => {
                Self::WrongName(names(presented))
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                Self::NotYetValid
            }
            _ => Self::Other(error.clone()),
        }
    }
}

/// More are not listed.
const MOST_NAMES: usize = 5;

/// What a certificate has, as rustls lists it: `DnsName("hub.example")`, `IpAddress(192.0.2.1)`.
fn names(presented: &[String]) -> String {
    let bare = |name: &String| match name.split_once('(') {
        Some((_, rest)) => rest.trim_end_matches(')').trim_matches('"').to_owned(),
        None => name.clone(),
    };
    let mut names: Vec<String> = presented.iter().take(MOST_NAMES).map(bare).collect();
    if presented.len() > MOST_NAMES {
        names.push("others".to_owned());
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_certificate_are_read_by_people() {
        let presented = ["DnsName(\"hub.example\")", "IpAddress(192.0.2.1)"].map(str::to_owned);
        assert_eq!(names(&presented), "hub.example, 192.0.2.1");
        assert_eq!(names(&[]), "none");
        assert_eq!(names(&vec!["x".to_owned(); 9]), "x, x, x, x, x, others");
    }
}
