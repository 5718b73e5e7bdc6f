//! Why a hub is not spoken to over TLS, and what to do.

use crate::error::CommandError;
use headsup_daemon::outgoing::TlsError;

/// `error` with its code and what to do.
pub(super) fn explain(why: &TlsError, error: CommandError) -> CommandError {
    let (code, hint) = match why {
        TlsError::NoRoots(_) => (
            "tls_no_roots",
            "install the package ca-certificates, or name the authority: SSL_CERT_FILE=FILE.pem",
        ),
        TlsError::UnknownIssuer => (
            "tls_unknown_issuer",
            "if the authority is your own, name its certificate: SSL_CERT_FILE=FILE.pem",
        ),
        TlsError::NotAServers => {
            ("tls_not_a_servers", "make one for the server's name, with basicConstraints=CA:FALSE")
        }
        TlsError::WrongName(_) => {
            ("tls_wrong_name", "use in HEADSUP_URL a name that the certificate has")
        }
        TlsError::Expired => ("tls_expired", "renew it at the proxy; or is this clock wrong?"),
        TlsError::NotYetValid => ("tls_not_yet_valid", "is this clock wrong?"),
        TlsError::NotTls => {
            ("tls_not_spoken", "if it speaks plain HTTP, write http:// in HEADSUP_URL")
        }
        TlsError::Other(_) => ("tls_failed", "look into the log of the proxy before the hub"),
        TlsError::Broken(_) => {
            return error.hint("does it speak TLS? plain HTTP is http:// in HEADSUP_URL");
        }
    };
    // Trying again is of no use.
    CommandError { retryable: false, ..error.code(code).hint(hint) }
}
