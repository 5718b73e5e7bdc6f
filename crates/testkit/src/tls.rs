//! TLS before a plain TCP port, as a proxy does it, under an authority of the test's own.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Signs certificates that only those believe who are told of it.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
}

/// What a certificate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    Good,
    /// It was good once.
    Expired,
    /// It could sign others.
    OfAnAuthority,
}

/// Takes TLS calls and passes them on in plain, until it is dropped.
pub struct Front {
    port: u16,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Authority {
    /// # Panics
    /// If no key can be made.
    #[expect(clippy::expect_used, reason = "a test without its authority cannot go on")]
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate").der().clone();
        Self { issuer: Issuer::new(params, key), certificate }
    }

    /// Writes its certificate into `folder`, for `SSL_CERT_FILE`.
    ///
    /// # Panics
    /// If that cannot be written.
    #[expect(clippy::expect_used, reason = "a test without its authority cannot go on")]
    pub fn write(&self, folder: &Path) -> PathBuf {
        let path = folder.join("authority.pem");
        let body = STANDARD.encode(&self.certificate);
        let lines = body.as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line) + "\n");
        let body: String = lines.collect();
        let pem = format!("-----BEGIN CERTIFICATE-----\n{body}-----END CERTIFICATE-----\n");
        std::fs::write(&path, pem).expect("a file");
        path
    }

    #[expect(clippy::expect_used, reason = "a test without its certificate cannot go on")]
    fn server(&self, names: &[&str], what: Certificate) -> ServerConfig {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("names");
        match what {
            Certificate::Good => {}
            Certificate::Expired => {
                params.not_before = date_time_ymd(2001, 1, 1);
                params.not_after = date_time_ymd(2002, 1, 1);
            }
            Certificate::OfAnAuthority => {
                params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            }
        }
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let private = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private)
            .expect("a key that fits")
    }
}

impl Front {
    /// A front on 127.0.0.1 that is certified for `names` and passes on to `HOST:PORT`.
    ///
    /// # Panics
    /// If there is no port.
    #[expect(clippy::expect_used, reason = "a test without its front cannot go on")]
    pub fn start(authority: &Authority, names: &[&str], what: Certificate, to: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let acceptor = TlsAcceptor::from(Arc::new(authority.server(names, what)));
        let (end, ended) = oneshot::channel();
        let to = to.to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let thread = thread::spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    failed = serve(listener, acceptor, to) => drop(failed),
                    _ = ended => {}
                }
            });
        });
        Self { port, end: Some(end), thread: Some(thread) }
    }

    pub fn port(&self) -> u16 {
        self.port
    }
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, to: String) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (outer, _) = listener.accept().await?;
        let (acceptor, to) = (acceptor.clone(), to.clone());
        // Whoever does not believe us hangs up.
        tokio::spawn(async move { pass(outer, acceptor, &to).await.ok() });
    }
}

async fn pass(outer: TcpStream, acceptor: TlsAcceptor, to: &str) -> io::Result<(u64, u64)> {
    let mut outer = acceptor.accept(outer).await?;
    let mut inner = TcpStream::connect(to).await?;
    copy_bidirectional(&mut outer, &mut inner).await
}

impl Drop for Front {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
