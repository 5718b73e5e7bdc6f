//! TLS, to a hub that has a proxy before it and to other systems. The certificate is always checked, against the
//! authorities that this system trusts, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR`.

use super::TlsError;
use rustls_native_certs::{CertificateResult, load_certs_from_paths};
use std::env;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// The one protocol that we speak inside.
const PROTOCOL: &[u8] = b"http/1.1";

/// The name that the certificate of `host` must have: its own, or its address.
pub fn server_name(host: &str) -> Option<ServerName<'static>> {
    ServerName::try_from(host.to_owned()).ok()
}

/// How we speak TLS. Made at the first call: the authorities are read from disk.
///
/// # Errors
/// Where no authority is trusted.
pub fn config() -> Result<Arc<ClientConfig>, TlsError> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(Arc::clone(config));
    }
    let config = Arc::new(make(authorities()?)?);
    Ok(Arc::clone(CONFIG.get_or_init(|| config)))
}

/// Begins TLS on a connection to `server`.
///
/// # Errors
/// Where its certificate is not good, or it does not speak TLS.
pub async fn begin(
    stream: TcpStream,
    server: &ServerName<'static>,
) -> Result<TlsStream<TcpStream>, TlsError> {
    let connector = TlsConnector::from(config()?);
    connector.connect(server.clone(), stream).await.map_err(TlsError::of)
}

/// A few that cannot be read do no harm, as long as there are others.
fn authorities() -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    let found = named();
    roots.add_parsable_certificates(found.certs);
    match found.errors.first() {
        _ if !roots.is_empty() => Ok(roots),
        Some(error) => Err(TlsError::NoRoots(format!(" ({error})"))),
        None => Err(TlsError::NoRoots(String::new())),
    }
}

/// Those that the environment names, else the system's. An empty variable counts as unset.
fn named() -> CertificateResult {
    if env::var_os("SSL_CERT_FILE").is_none_or(|file| !file.is_empty()) {
        return rustls_native_certs::load_native_certs();
    }
    // That would read the file without a name.
    let dirs = env::var_os("SSL_CERT_DIR").unwrap_or_default();
    let mut dirs: Vec<PathBuf> =
        env::split_paths(&dirs).filter(|dir| !dir.as_os_str().is_empty()).collect();
    let mut file = None;
    if dirs.is_empty() {
        let system = openssl_probe::probe();
        (file, dirs) = (system.cert_file, system.cert_dir);
    }
    let mut found = load_certs_from_paths(file.as_deref(), None);
    for dir in dirs {
        let more = load_certs_from_paths(None, Some(&dir));
        found.certs.extend(more.certs);
        found.errors.extend(more.errors);
    }
    found
}

fn make(roots: RootCertStore) -> Result<ClientConfig, TlsError> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(TlsError::Other)?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(config)
}
