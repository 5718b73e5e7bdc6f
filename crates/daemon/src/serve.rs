//! Connections: who is let in, how long a request may take to arrive, and a stop in good order.

mod attended;
mod strict;
pub(crate) mod tcp;
mod unix;
mod unread;
mod wordless;

use crate::api::{Code, Refused, TOO_MANY_SUBSCRIBERS};
use crate::guard::Guard;
use crate::limits::DRAIN_TIME;
use crate::metrics::Metrics;
use crate::namespaces::Peer;
use crate::peer;
use crate::web;
use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, CONTENT_TYPE, EXPECT};
use axum::response::{IntoResponse as _, Response};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use strict::Framing;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixListener};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use wordless::Worded;

/// Bytes that one connection may hold back while its client does not read.
const BUFFER: usize = 128 << 10;
/// After a failed accept, which is for want of file descriptors: others must end first.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The accepting task and the connections of all transports.
#[derive(Debug)]
pub(crate) struct Server {
    stop: watch::Sender<Stop>,
    stopped: watch::Receiver<Stop>,
    alive: mpsc::Sender<Infallible>,
    accepting: JoinHandle<()>,
    /// The way to it for a socket that was made anew.
    listeners: mpsc::UnboundedSender<UnixListener>,
    /// Ends when the last connection has ended.
    open: mpsc::Receiver<Infallible>,
}

/// Serves `router` on a unix socket. The router itself knows nothing of sockets. `beside`: a runtime that takes
/// about half of the connections where there is a crowd.
pub(crate) fn start(
    listener: std::os::unix::net::UnixListener,
    router: Router,
    metrics: Arc<Metrics>,
    beside: Option<Handle>,
) -> io::Result<Server> {
    let listener = UnixListener::from_std(listener)?;
    let (listeners, others) = mpsc::unbounded_channel();
    let (stop, stopped) = watch::channel(Stop::Not);
    let (alive, open) = mpsc::channel(1);
    let door = Door::new(router, Guard::Socket, metrics, stopped.clone(), alive.clone());
    let accepting = tokio::spawn(unix::accept(listener, others, door, beside));
    Ok(Server { stop, stopped, alive, accepting, listeners, open })
}

impl Server {
    /// A door of this server for another transport and its router.
    pub(crate) fn door(&self, router: Router, metrics: Arc<Metrics>) -> Door {
        let (stopped, alive) = (self.stopped.clone(), self.alive.clone());
        Door::new(router, Guard::Socket, metrics, stopped, alive)
    }

    /// Takes connections from this unix socket, and no more from the one before.
    pub(crate) fn listen(&self, listener: std::os::unix::net::UnixListener) -> io::Result<()> {
        // Whoever stops takes none.
        self.listeners.send(UnixListener::from_std(listener)?).ok();
        Ok(())
    }

    /// No more connections; those that are open may finish their request, but not take for ever.
    pub(crate) async fn stop(self) {
        let Self { stop, stopped, alive, accepting, mut open, .. } = self;
        drop((stopped, alive));
        stop.send_replace(Stop::Drain);
        accepting.await.ok();
        if timeout(DRAIN_TIME, open.recv()).await.is_err() {
            tracing::warn!("some requests did not end and are cut");
        }
    }
}

/// The end of a listener.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stop {
    #[default]
    Not,
    /// The hub ends: what is under way may finish, and streams say goodbye.
    Drain,
    /// Nobody is to hear more: what is under way may finish, and streams are cut.
    Cut,
}

/// What every connection of one listener gets.
#[derive(Clone)]
pub(crate) struct Door {
    router: TowerToHyperService<Router>,
    guard: Guard,
    metrics: Arc<Metrics>,
    stopped: watch::Receiver<Stop>,
    /// Each connection holds one.
    alive: mpsc::Sender<Infallible>,
}

/// Travels with each request, and beyond it where the connection becomes something else.
#[derive(Clone, Debug)]
pub(crate) struct Connected {
    pub(crate) stopped: watch::Receiver<Stop>,
    pub(crate) origin: Option<Arc<Origin>>,
    pub(crate) peer: Peer,
    _alive: mpsc::Sender<Infallible>,
    _permit: Option<Arc<OwnedSemaphorePermit>>,
}

/// Both ends of a TCP connection.
#[derive(Debug)]
pub(crate) struct Origin {
    peer: SocketAddr,
    local: SocketAddr,
    is_another_users: OnceLock<bool>,
    process: OnceLock<Option<u32>>,
}

impl Origin {
    fn of(stream: &TcpStream) -> io::Result<Self> {
        let (peer, local) = (stream.peer_addr()?, stream.local_addr()?);
        Ok(Self { peer, local, is_another_users: OnceLock::new(), process: OnceLock::new() })
    }

    #[cfg(test)]
    pub(crate) fn told(is_another_users: bool) -> Self {
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let is_another_users = is_another_users.into();
        Self { peer: nowhere, local: nowhere, is_another_users, process: None.into() }
    }

    /// The process of this machine at its other end, if it is on loopback. Looked up once.
    pub(crate) fn process(&self) -> Option<u32> {
        *self.process.get_or_init(|| peer::process_at(self.peer, self.local))
    }

    /// Whether another user of this machine has made it. Looked up once, and only when it matters.
    pub(crate) fn is_another_users(&self) -> bool {
        *self.is_another_users.get_or_init(|| peer::is_another_users(self.peer, self.local))
    }
}

#[cfg(test)]
impl Connected {
    /// A connection that is going to last.
    pub(crate) fn told(origin: Origin) -> Self {
        let (stopped, alive) = (watch::channel(Stop::Not).1, mpsc::channel(1).0);
        let (origin, peer) = (Some(Arc::new(origin)), Peer::Remote);
        Self { stopped, origin, peer, _alive: alive, _permit: None }
    }
}

impl Door {
    fn new(
        router: Router,
        guard: Guard,
        metrics: Arc<Metrics>,
        stopped: watch::Receiver<Stop>,
        alive: mpsc::Sender<Infallible>,
    ) -> Self {
        Self { router: TowerToHyperService::new(router), guard, metrics, stopped, alive }
    }

    /// The same for one listener: its guard and its end.
    pub(crate) fn with(&self, guard: Guard, stopped: watch::Receiver<Stop>) -> Self {
        Self { guard, stopped, ..self.clone() }
    }

    pub(crate) fn stopped(&self) -> watch::Receiver<Stop> {
        self.stopped.clone()
    }

    /// Serves one connection to its end. `head_time`: how long the head of a request may take.
    async fn connection<S>(
        self,
        stream: S,
        origin: Option<Origin>,
        peer: Peer,
        permit: Option<OwnedSemaphorePermit>,
        head_time: Duration,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut stopped = self.stopped.clone();
        let metrics = Arc::clone(&self.metrics);
        // On the socket a hang-up fails the stream; by TCP nobody knows it from a client that says no more.
        let may_say_no_more = origin.is_none();
        let connected = Connected {
            stopped: self.stopped.clone(),
            origin: origin.map(Arc::new),
            peer,
            _alive: self.alive.clone(),
            _permit: permit.map(Arc::new),
        };
        let (stream, frames) = strict::watch(stream);
        let stream = Worded::new(stream);
        let streams = Arc::new(AtomicBool::new(false));
        let is_stream = Arc::clone(&streams);
        let service = service_fn(move |mut request: Request<Incoming>| {
            let framing = frames.next();
            request.extensions_mut().insert(connected.clone());
            self.guard.mark(&mut request);
            let (door, streams) = (self.clone(), Arc::clone(&streams));
            async move {
                let response = door.answer(request, framing).await?;
                let kind = response.headers().get(CONTENT_TYPE);
                let is_stream = kind.is_some_and(|kind| kind == "text/event-stream");
                streams.store(is_stream, Ordering::Relaxed);
                Ok::<_, Infallible>(response)
            }
        });
        let mut builder = Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(head_time).max_buf_size(BUFFER);
        builder.half_close(may_say_no_more);
        let connection = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
        let mut connection = std::pin::pin!(connection);
        // The listener says it once, and says nothing else.
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            _ = stopped.changed() => {
                connection.as_mut().graceful_shutdown();
                let cut = *stopped.borrow() == Stop::Cut && is_stream.load(Ordering::Relaxed);
                let patience = if cut { Duration::ZERO } else { DRAIN_TIME };
                timeout(patience, connection).await.unwrap_or(Ok(()))
            }
        };
        if let Err(error) = ended {
            // It has been answered, and no router has seen it.
            if error.is_parse() {
                metrics.refusal(wordless::CODE);
            }
            tracing::debug!(%error, "a connection ended early");
        }
    }

    async fn answer(
        self,
        request: Request<Incoming>,
        framing: Framing,
    ) -> Result<Response, Infallible> {
        let reader = web::is_for_a_person(&request);
        let checked = match framing {
            Framing::Unclear => Err(strict::refused()),
            Framing::Clear | Framing::Last => self.guard.check(&request),
        };
        // Who asks whether to send a body has not sent it.
        let is_sent = framing != Framing::Unclear && !request.headers().contains_key(EXPECT);
        let (head, body) = request.into_parts();
        let (body, lender) = unread::lend(body);
        let request = Request::from_parts(head, body);
        let mut response = match checked {
            Ok(()) => self.router.call(request).await?,
            Err(refused) => {
                drop(request);
                Refused::into_response(refused)
            }
        };
        if is_sent {
            lender.discard().await;
        }
        let code = response.extensions().get::<Code>().map(|Code(code)| *code);
        if let Some(code) = code {
            self.metrics.refusal(code);
        }
        if reader {
            response = web::refusal(response);
        }
        // The file of one too many is for whoever waits for one.
        if framing != Framing::Clear || code == Some(TOO_MANY_SUBSCRIBERS) {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        self.guard.finish(&mut response);
        Ok(response)
    }
}
