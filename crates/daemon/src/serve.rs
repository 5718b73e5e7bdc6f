//! Connections: who is let in, how long a request may take to arrive, and a stop in good order.

use crate::api::{Code, Refused};
use crate::limits::{DRAIN_TIME, HEAD_TIME};
use crate::metrics::Metrics;
use crate::{guard, peer};
use axum::Router;
use axum::response::{IntoResponse as _, Response};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// Bytes that one connection may hold back while its client does not read.
const BUFFER: usize = 128 << 10;
/// After a failed accept, which is for want of file descriptors: others must end first.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The accepting task and its connections.
#[derive(Debug)]
pub(crate) struct Server {
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
    /// Ends when the last connection has ended.
    open: mpsc::Receiver<Infallible>,
}

/// Serves `router` on a unix socket. The router itself knows nothing of sockets.
pub(crate) fn start(
    listener: std::os::unix::net::UnixListener,
    router: Router,
    metrics: Arc<Metrics>,
) -> io::Result<Server> {
    let listener = UnixListener::from_std(listener)?;
    let (stop, stopped) = watch::channel(false);
    let (alive, open) = mpsc::channel(1);
    let door = Door { router: TowerToHyperService::new(router), metrics, stopped, alive };
    let accepting = tokio::spawn(door.accept(listener));
    Ok(Server { stop, accepting, open })
}

impl Server {
    /// No more connections; those that are open may finish their request, but not take for ever.
    pub(crate) async fn stop(mut self) {
        self.stop.send_replace(true);
        self.accepting.await.ok();
        if tokio::time::timeout(DRAIN_TIME, self.open.recv()).await.is_err() {
            tracing::warn!("some requests did not end and are cut");
        }
    }
}

#[derive(Clone)]
struct Door {
    router: TowerToHyperService<Router>,
    metrics: Arc<Metrics>,
    stopped: watch::Receiver<bool>,
    /// Each connection holds one.
    alive: mpsc::Sender<Infallible>,
}

impl Door {
    async fn accept(mut self, listener: UnixListener) {
        let own_uid = peer::own_uid();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = self.stopped.changed() => return,
            };
            match accepted {
                Ok((stream, _)) if peer::is_ours(&stream, own_uid) => {
                    tokio::spawn(self.clone().connection(stream));
                }
                // Closed without a word.
                Ok(_) => self.metrics.refusal("foreign_peer"),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    async fn connection(self, stream: UnixStream) {
        let Self { router, metrics, mut stopped, alive } = self;
        let service =
            service_fn(move |request| answer(router.clone(), Arc::clone(&metrics), request));
        let mut builder = Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(BUFFER);
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let mut connection = std::pin::pin!(connection);
        // The hub says it once, and says nothing else.
        let ended = tokio::select! {
            ended = connection.as_mut() => Some(ended),
            _ = stopped.changed() => None,
        };
        let ended = if let Some(ended) = ended {
            ended
        } else {
            connection.as_mut().graceful_shutdown();
            connection.await
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended early");
        }
        drop(alive);
    }
}

async fn answer(
    router: TowerToHyperService<Router>,
    metrics: Arc<Metrics>,
    request: Request<Incoming>,
) -> Result<Response, Infallible> {
    let response = match guard::check(&request) {
        Ok(()) => router.call(request).await?,
        Err(refused) => Refused::into_response(refused),
    };
    if let Some(Code(code)) = response.extensions().get() {
        metrics.refusal(code);
    }
    Ok(response)
}
