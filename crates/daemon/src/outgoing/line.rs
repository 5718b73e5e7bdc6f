//! Requests to one system, and its answers.

use super::{Base, RemoteError, Secret, left, names, tls};
use bytes::Bytes;
use headsup_adapters::text;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A system that is there takes a call within this time.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// The longest answer, in bytes.
const LONGEST: usize = 8 << 20;
/// A connection that was idle for longer may have been closed by the other side.
const KEPT: Duration = Duration::from_secs(15);

type Sender = SendRequest<Full<Bytes>>;

/// How one system is spoken to. It keeps its connection between requests.
#[derive(Debug)]
pub(crate) struct Line {
    base: Base,
    /// How long an answer may take, where nobody waits for less.
    patience: Duration,
    idle: Mutex<Option<(Sender, Instant)>>,
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    /// Behind the base; begins with a slash.
    pub(crate) path: &'a str,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// What no log may show: `Authorization` and its value.
    pub(crate) secrets: Vec<(String, Secret)>,
    /// JSON.
    pub(crate) body: Option<Bytes>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

impl Line {
    pub(crate) fn new(base: Base, patience: Duration) -> Self {
        Self { base, patience, idle: Mutex::default() }
    }

    pub(crate) fn host(&self) -> String {
        self.base.host().to_owned()
    }

    /// Asks, and returns the answer, whatever it says; a redirect is an error.
    pub(crate) async fn ask(&self, ask: Ask<'_>) -> Result<Answer, RemoteError> {
        let patience = left(self.patience);
        let (host, seconds) = (self.host(), patience.as_secs().max(1));
        if patience.is_zero() {
            // Nothing is begun whose end nobody would see.
            return Err(RemoteError::Silent { host, seconds });
        }
        let silent = |_| RemoteError::Silent { host, seconds };
        timeout(patience, self.exchange(ask)).await.map_err(silent)?
    }

    async fn exchange(&self, ask: Ask<'_>) -> Result<Answer, RemoteError> {
        // Only what may be asked twice goes over a connection that may be dead by now.
        let kept = if ask.method == Method::GET { self.kept() } else { None };
        if let Some(sender) = kept
            && let Ok(answer) = self.over(sender, &ask).await
        {
            return answer;
        }
        let sender = self.dial().await?;
        self.over(sender, &ask).await.unwrap_or_else(|error| {
            let (host, why) = (self.host(), error.to_string());
            Err(RemoteError::Broken { host, why })
        })
    }

    /// The outer error: the connection broke.
    async fn over(
        &self,
        mut sender: Sender,
        ask: &Ask<'_>,
    ) -> Result<Result<Answer, RemoteError>, hyper::Error> {
        let request = match self.request(ask) {
            Ok(request) => request,
            Err(error) => return Ok(Err(error)),
        };
        let response: Response<Incoming> = sender.send_request(request).await?;
        let (parts, body) = response.into_parts();
        let body = match Limited::new(body, LONGEST).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) => {
                let (host, why) = (self.host(), error.to_string());
                let broken = error.downcast::<hyper::Error>().is_ok();
                return Ok(Err(match broken {
                    true => RemoteError::Broken { host, why },
                    false => RemoteError::TooLong { host, most: LONGEST },
                }));
            }
        };
        let kept = (sender, Instant::now());
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).replace(kept);
        if parts.status.is_redirection() && parts.status.as_u16() != 304 {
            let to = parts.headers.get(header::LOCATION).and_then(|to| to.to_str().ok());
            let to = text::line(to.unwrap_or("nowhere"), text::DETAIL);
            return Ok(Err(RemoteError::Moved { host: self.host(), to }));
        }
        Ok(Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body }))
    }

    fn kept(&self) -> Option<Sender> {
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (sender, since) = kept?;
        (since.elapsed() < KEPT && sender.is_ready()).then_some(sender)
    }

    fn request(&self, ask: &Ask<'_>) -> Result<Request<Full<Bytes>>, RemoteError> {
        let garbled = |what: String| RemoteError::Garbled { host: self.host(), what };
        let mut request = Request::builder()
            .method(&ask.method)
            .uri(format!("{}{}", self.base.path, ask.path))
            .header(header::HOST, self.base.authority())
            .header(header::USER_AGENT, concat!("headsup/", env!("CARGO_PKG_VERSION")));
        if ask.body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        for (name, value) in &ask.headers {
            request = request.header(*name, value);
        }
        for (name, secret) in &ask.secrets {
            let mut value = HeaderValue::from_str(secret.reveal())
                .map_err(|_| garbled("the token cannot stand in a header".to_owned()))?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        request
            .body(Full::new(ask.body.clone().unwrap_or_default()))
            .map_err(|error| garbled(format!("a request that cannot be made: {error}")))
    }

    async fn dial(&self) -> Result<Sender, RemoteError> {
        let unreachable = |why: String| RemoteError::Unreachable { host: self.host(), why };
        let Base { is_tls, host, port, .. } = &self.base;
        let connect = async {
            let addresses = names::find(host, *port).await.map_err(|error| error.to_string())?;
            let stream =
                TcpStream::connect(&*addresses).await.map_err(|error| error.to_string())?;
            stream.set_nodelay(true).ok();
            if !is_tls {
                return speak(TokioIo::new(stream)).await;
            }
            let name = tls::server_name(host).ok_or("its name cannot be in a certificate")?;
            let stream = tls::begin(stream, &name).await.map_err(|error| error.to_string())?;
            speak(TokioIo::new(stream)).await
        };
        match timeout(CONNECT_WITHIN, connect).await {
            Ok(connected) => connected.map_err(unreachable),
            Err(_) => Err(unreachable(format!(
                "it does not take the call within {} s",
                CONNECT_WITHIN.as_secs()
            ))),
        }
    }
}

async fn speak<T>(io: T) -> Result<Sender, String>
where
    T: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (sender, connection) = handshake(io).await.map_err(|error| error.to_string())?;
    // It ends with its last request; what goes wrong on it is told to that request.
    tokio::spawn(async move { drop(connection.await) });
    Ok(sender)
}
