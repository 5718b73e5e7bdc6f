//! The hub, as the command line speaks to it: HTTP/1.1 over its socket, or over TCP or TLS.

pub(crate) mod address;
pub(crate) mod answer;
pub(crate) mod calls;
mod pace;
pub(crate) mod page;
pub(crate) mod resolve;
pub(crate) mod rows;
pub(crate) mod sse;
pub(crate) mod start;
pub(crate) mod stream;
mod tls_error;
pub(crate) mod version;

use crate::error::{CommandError, Kind};
use address::{Address, Connection, NoConnection};
use bytes::Bytes;
use headsup_core::id::AgentId;
use headsup_daemon::elsewhere::patience;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use pace::Pace;
use serde::de::DeserializeOwned;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// The hub answers in milliseconds; a hub that needs this long is stuck.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// Where it waits for another system, or for git.
const OTHERS_WITHIN: Duration = Duration::from_secs(100);

/// The code of an answer that broke off: whoever gave it may be gone.
pub(crate) const CONNECTION_LOST: &str = "connection_lost";

/// The header by which a request that has to be sent again is known.
pub(crate) const KEY: &str = "x-headsup-id";

/// The header by which a hub knows how long its caller waits.
pub(crate) const UNTIL: &str = "x-headsup-until";

/// The header in which the hub says which one it is.
const VERSION: &str = "x-headsup-version";
/// The header in which it says whether its disk has taken what was reported last, and its word where it has not.
const STORAGE: (&str, &str) = ("x-headsup-storage", "refuses");

type Sender = SendRequest<Full<Bytes>>;

/// What the hub says of itself beside an answer.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// A hub that is older than this header does not say it.
    pub(crate) version: Option<String>,
    /// Its disk has not taken what was reported last.
    pub(crate) is_refused: bool,
}

impl Beside {
    fn of(headers: &HeaderMap) -> Self {
        let said = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let (storage, refuses) = STORAGE;
        Self {
            version: said(VERSION).map(str::to_owned),
            is_refused: said(storage) == Some(refuses),
        }
    }
}

/// One caller. It keeps its connection between calls.
#[derive(Debug)]
pub(crate) struct Client {
    address: Address,
    token: Option<String>,
    /// Id and token of the agent that it speaks for, in place of what the environment says.
    speaks_for: OnceLock<(String, String)>,
    idle: Mutex<Option<Sender>>,
}

/// Why a call brought no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    NoConnection(NoConnection),
    /// The connection broke in the middle.
    Broken(hyper::Error),
    /// The hub said no.
    Answer(CommandError),
}

impl Client {
    /// A caller for the hub at `address`; `token` is sent over TCP and TLS alone.
    pub(crate) fn new(address: Address, token: Option<String>) -> Self {
        Self { address, token, speaks_for: OnceLock::new(), idle: Mutex::default() }
    }

    /// From now on it speaks for the agent that it has launched, whoever has launched itself. Said once.
    pub(crate) fn speak_for(&self, agent: &str, token: &str) {
        self.speaks_for.set((agent.to_owned(), token.to_owned())).ok();
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Connects now, so that the next call finds the line open.
    pub(crate) async fn connect(&self) -> Result<(), CallError> {
        let sender = self.dial().await?;
        self.keep(sender);
        Ok(())
    }

    /// The document at `path`, unread.
    pub(crate) async fn get(&self, path: &str) -> Result<Bytes, CommandError> {
        self.call(Method::GET, path, None).await
    }

    /// The document at `path`.
    pub(crate) async fn get_doc<T: DeserializeOwned>(&self, path: &str) -> Result<T, CommandError> {
        answer::doc(path, &self.get(path).await?)
    }

    /// Hands the document at `path` on as it comes.
    pub(crate) async fn pass_on(
        &self,
        path: &str,
        mut to: impl FnMut(Bytes) -> Result<(), CommandError>,
    ) -> Result<Beside, CommandError> {
        let within = |_| self.no_answer();
        let at = |error: CallError| error.at(&self.address);
        let sent = timeout(ANSWER_WITHIN, self.send(Method::GET, path, None)).await;
        let (_sender, response) = sent.map_err(within)?.map_err(at)?;
        let status = response.status();
        let beside = Beside::of(response.headers());
        let mut body = response.into_body();
        if !status.is_success() {
            let said = timeout(ANSWER_WITHIN, body.collect()).await.map_err(within)?;
            let said = said.map_err(|error| at(CallError::Broken(error)))?.to_bytes();
            return answer::check(status, path, said).map(|_| beside);
        }
        let mut pace = Pace::new();
        loop {
            let asked_at = Instant::now();
            let piece = timeout(pace.left(), body.frame()).await.map_err(within)?;
            let Some(piece) = piece else { break };
            let piece = piece.map_err(|error| at(CallError::Broken(error)))?;
            if let Ok(bytes) = piece.into_data() {
                pace.came(bytes.len(), asked_at.elapsed());
                to(bytes)?;
            }
        }
        Ok(beside)
    }

    /// The document at `path` as the hub sent it.
    pub(crate) async fn get_text(&self, path: &str) -> Result<String, CommandError> {
        answer::text(path, &self.get(path).await?).map(str::to_owned)
    }

    pub(crate) async fn post(&self, path: &str, body: Bytes) -> Result<Bytes, CommandError> {
        self.call(Method::POST, path, Some(body)).await
    }

    /// The same, with whether it is done already (200), or on its way (202).
    pub(crate) async fn post_told(
        &self,
        path: &str,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), CommandError> {
        self.call_told(Method::POST, path, Some(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: Bytes) -> Result<Bytes, CommandError> {
        self.call(Method::PUT, path, Some(body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Bytes) -> Result<Bytes, CommandError> {
        self.call(Method::PATCH, path, Some(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<Bytes, CommandError> {
        self.call(Method::DELETE, path, None).await
    }

    /// One request with further headers, and its answer, whatever it says.
    pub(crate) async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Option<Bytes>,
        headers: &[(&'static str, &str)],
    ) -> Result<(StatusCode, Bytes), CallError> {
        let mut request = self.request(method, path, body)?;
        for (name, text) in headers {
            request.headers_mut().insert(*name, value(name, text)?);
        }
        let mut sender = self.line().await?;
        let response = sender.send_request(request).await.map_err(CallError::Broken)?;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(CallError::Broken)?.to_bytes();
        self.keep(sender);
        Ok((status, body))
    }

    /// The line that is open, or a new one.
    async fn line(&self) -> Result<Sender, CallError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).take();
        match idle.filter(|sender| !sender.is_closed()) {
            Some(sender) => Ok(sender),
            None => self.dial().await,
        }
    }

    fn keep(&self, sender: Sender) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).replace(sender);
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Bytes>,
    ) -> Result<Bytes, CommandError> {
        self.call_told(method, path, body).await.map(|(_, body)| body)
    }

    async fn call_told(
        &self,
        method: Method,
        path: &str,
        body: Option<Bytes>,
    ) -> Result<(StatusCode, Bytes), CommandError> {
        let exchange = async {
            let (sender, response) = self.send(method, path, body).await?;
            let status = response.status();
            let body = response.into_body().collect().await.map_err(CallError::Broken)?.to_bytes();
            self.keep(sender);
            let checked = answer::check(status, path, body).map_err(CallError::Answer);
            checked.map(|body| (status, body))
        };
        let patience = patience(path, OTHERS_WITHIN);
        match timeout(patience, exchange).await {
            Ok(outcome) => outcome.map_err(|error| error.at(&self.address)),
            Err(_) if patience == OTHERS_WITHIN => Err(self.waits_for_others()),
            Err(_) => Err(self.no_answer()),
        }
    }

    /// The head of the answer, and the line that it came on.
    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Bytes>,
    ) -> Result<(Sender, Response<Incoming>), CallError> {
        let mut sender = self.line().await?;
        let request = self.request(method, path, body)?;
        let response = sender.send_request(request).await.map_err(CallError::Broken)?;
        Ok((sender, response))
    }

    /// Opens a stream of its own. `last` is the cursor after which it goes on.
    pub(crate) async fn open(&self, path: &str, last: Option<&str>) -> Result<Incoming, CallError> {
        let exchange = async {
            let mut sender = self.dial().await?;
            let mut request = self.request(Method::GET, path, None)?;
            let headers = request.headers_mut();
            headers.insert(header::ACCEPT, header::HeaderValue::from_static("text/event-stream"));
            if let Some(last) = last {
                headers.insert("last-event-id", value("the cursor", last)?);
            }
            let response: Response<Incoming> =
                sender.send_request(request).await.map_err(CallError::Broken)?;
            let status = response.status();
            if status.is_success() {
                return Ok(response.into_body());
            }
            let body = response.into_body().collect().await.map_err(CallError::Broken)?.to_bytes();
            let refused = answer::check(status, path, body).err();
            Err(CallError::Answer(refused.unwrap_or_else(|| self.no_answer())))
        };
        timeout(ANSWER_WITHIN, exchange)
            .await
            .unwrap_or_else(|_| Err(CallError::Answer(self.no_answer())))
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<Bytes>,
    ) -> Result<Request<Full<Bytes>>, CallError> {
        let mut request =
            Request::builder().method(&method).uri(path).header(header::HOST, self.address.host());
        if [Method::POST, Method::PUT, Method::PATCH].contains(&method) {
            request = request
                .header(header::CONTENT_TYPE, "application/json")
                .header(KEY, uuid::Uuid::now_v7().to_string());
        }
        // Inside an agent a command speaks for that agent.
        let launched = self.speaks_for.get().cloned().unzip();
        let inside = || (resolve::own_id(), std::env::var("HEADSUP_AGENT_TOKEN").ok());
        let (own, token) = if launched.0.is_some() { launched } else { inside() };
        if let Some(own) = own.filter(|id| AgentId::new(id).is_ok()) {
            request = request.header("x-headsup-agent", own);
        }
        if let Some(token) = token.filter(|token| !token.is_empty()) {
            request =
                request.header("x-headsup-agent-token", value("HEADSUP_AGENT_TOKEN", &token)?);
        }
        if let (None, Some(token)) = (self.address.socket(), &self.token) {
            request = request
                .header(header::AUTHORIZATION, value("HEADSUP_TOKEN", &format!("Bearer {token}"))?);
        }
        request.body(Full::new(body.unwrap_or_default())).map_err(|error| {
            CallError::Answer(CommandError::internal(format!("cannot ask for {path}: {error}")))
        })
    }

    async fn dial(&self) -> Result<Sender, CallError> {
        match self.address.connect().await.map_err(CallError::NoConnection)? {
            Connection::Unix(stream) => speak(TokioIo::new(stream)).await,
            Connection::Tcp(stream) => speak(TokioIo::new(stream)).await,
            Connection::Tls(stream) => speak(TokioIo::new(stream)).await,
        }
    }

    fn waits_for_others(&self) -> CommandError {
        let seconds = OTHERS_WITHIN.as_secs();
        let message = format!(
            "the hub at {} gave no answer within {seconds} s; it may be waiting for another system",
            self.address
        );
        CommandError::new(Kind::HubUnreachable, message).hint(
            "`headsup outbox` says what is still to be done there; `headsup doctor` how the hub is",
        )
    }

    /// The error of a call that was waited for in vain, as long as [`ANSWER_WITHIN`].
    pub(crate) fn no_answer(&self) -> CommandError {
        self.silent_for(ANSWER_WITHIN)
    }

    /// The same, of whoever has waited for so long.
    pub(crate) fn silent_for(&self, waited: Duration) -> CommandError {
        let seconds = waited.as_secs();
        let message = format!("the hub at {} gave no answer within {seconds} s", self.address);
        CommandError::new(Kind::HubUnreachable, message)
            .hint("restart it: `headsup down`, then `headsup up`")
    }
}

async fn speak<T>(io: T) -> Result<Sender, CallError>
where
    T: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (sender, connection) = handshake(io).await.map_err(CallError::Broken)?;
    // It ends with its last request; what goes wrong on it is told to that request.
    tokio::spawn(async move { drop(connection.await) });
    Ok(sender)
}

/// `what` names it: it may be a secret, and is never shown.
fn value(what: &str, text: &str) -> Result<header::HeaderValue, CallError> {
    header::HeaderValue::from_str(text).map_err(|_| {
        let message = format!("{what} has characters that cannot stand in a header");
        CallError::Answer(CommandError::usage(message))
    })
}

impl CallError {
    /// The error of a command that called `address`.
    pub(crate) fn at(self, address: &Address) -> CommandError {
        match self {
            Self::NoConnection(error) => error.at(address),
            Self::Broken(error) => {
                let message = format!("lost the hub at {address}: {error}");
                let broken = CommandError::new(Kind::HubUnreachable, message);
                // What answers with something else than HTTP is not a hub that died.
                let broken = match error.is_parse() {
                    true => broken,
                    false => broken.code(CONNECTION_LOST),
                };
                broken.hint("run the command again")
            }
            Self::Answer(error) => error,
        }
    }
}
