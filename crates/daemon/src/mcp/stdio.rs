//! The server on a pair of pipes: one message a line.

use super::frame::{self, Bad};
use super::hub::Hub;
use super::line::Line;
use super::scope::Scope;
use super::server::{Server, VERSIONS};
use crate::body;
use rmcp::model::{
    ClientRequest, GetMeta as _, JsonRpcError, JsonRpcMessage, ProtocolVersion, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage, serve_server};
use rmcp::transport::Transport;
use rmcp::{RoleServer, transport};
use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// Messages that wait for a client that does not read.
const WAITING: usize = 64;
/// An error of the server's own.
const NOT_SERVED: i32 = -32_000;

/// Serves standard input and output until the input ends.
///
/// # Errors
/// The input or output broke.
pub async fn serve<H: Hub>(hub: H, scope: Scope) -> io::Result<()> {
    let (read, write) = transport::stdio_pipes();
    serve_on(hub, scope, read, write).await
}

/// Serves these instead.
pub(crate) async fn serve_on<H, R, W>(hub: H, scope: Scope, read: R, write: W) -> io::Result<()>
where
    H: Hub,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (open, line) = watch::channel(());
    let server = Server::new(Arc::new(hub), scope).on(line);
    let lines = Lines { open: Some(open), ..Lines::new(read, write) };
    let running = match serve_server(server, lines).await {
        Ok(running) => running,
        // Whoever has started us has gone, or wanted something else: there is nobody to serve.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(io::Error::other(error)),
    };
    running.waiting().await.map(drop).map_err(io::Error::other)
}

/// Answers the first message, whatever it is, with why there is no server: a client shows that.
///
/// # Errors
/// The input or output broke.
pub async fn refuse(why: &str) -> io::Result<()> {
    let (read, write) = transport::stdio_pipes();
    refuse_on(why, read, write).await
}

/// Does so on these instead.
pub(crate) async fn refuse_on<R, W>(why: &str, read: R, write: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let mut lines = Lines::new(read, write);
    if let Some(line) = lines.line().await
        && let Some(writer) = &lines.to_writer
    {
        let id = frame::id(&line.unwrap_or_default());
        writer.send(frame::error(&id, NOT_SERVED, why)).await.ok();
    }
    lines.close().await
}

/// Lines in both directions. The library's own says nothing to a line that is too long or no JSON, and
/// whoever has sent it waits for ever.
struct Lines<R> {
    read: BufReader<R>,
    line: Line,
    /// Requests that have no answer yet, or were taken back: the library knows a request by its id alone, and
    /// of two with the same it would answer one.
    awaited: HashSet<RequestId>,
    /// Until then the library gives the line up for whatever is no request.
    has_begun: bool,
    /// Dropped with the end of the input.
    open: Option<watch::Sender<()>>,
    to_writer: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
}

impl<R: AsyncRead + Send + Unpin> Lines<R> {
    fn new(read: R, write: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (to_writer, lines) = mpsc::channel(WAITING);
        let writer = Some(tokio::spawn(write_lines(write, lines)));
        let (line, to_writer) = (Line::new(frame::LONGEST), Some(to_writer));
        let (read, awaited) = (BufReader::new(read), HashSet::new());
        Self { read, line, awaited, has_begun: false, open: None, to_writer, writer }
    }

    /// One line, whole; `None` at the end of the input. What is too long is not kept.
    async fn line(&mut self) -> Option<Result<Vec<u8>, Bad>> {
        loop {
            let piece = self.read.fill_buf().await.ok().filter(|piece| !piece.is_empty())?;
            let (taken, line) = self.line.take(piece);
            self.read.consume(taken);
            if line.is_some() {
                return line;
            }
        }
    }

    async fn refuse(&mut self, bad: Bad, line: &[u8]) {
        if let Some(writer) = &self.to_writer {
            // Nobody reads any more: then nobody waits either.
            writer.send(bad.answer(&frame::id(line))).await.ok();
        }
    }
}

/// Whether the library serves from this request on: it introduces the client, or says all by itself.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            let is_whole = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
            is_whole && meta.protocol_version().is_some_and(|version| VERSIONS.contains(&version))
        }
    }
}

async fn write_lines(mut write: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(mut line) = lines.recv().await {
        line.push(b'\n');
        if write.write_all(&line).await.is_err() || write.flush().await.is_err() {
            return;
        }
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        match &item {
            JsonRpcMessage::Response(answer) => self.awaited.remove(&answer.id),
            JsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => self.awaited.remove(id),
            _ => false,
        };
        let writer = self.to_writer.clone();
        async move {
            let line = serde_json::to_vec(&item)?;
            let gone = || io::Error::new(io::ErrorKind::BrokenPipe, "nobody reads the answers");
            let writer = writer.ok_or_else(gone)?;
            writer.send(line).await.map_err(|_| gone())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = match self.line().await {
                Some(Ok(line)) => line,
                None => {
                    self.open.take();
                    return None;
                }
                Some(Err(bad)) => {
                    self.refuse(bad, b"").await;
                    continue;
                }
            };
            let message = body::unmarked(&line).trim_ascii();
            if message.is_empty() {
                continue;
            }
            if let Err(bad) = frame::check(message) {
                self.refuse(bad, message).await;
                continue;
            }
            let read: Result<RxJsonRpcMessage<RoleServer>, _> = serde_json::from_slice(message);
            match read {
                Ok(JsonRpcMessage::Request(request))
                    if !self.awaited.insert(request.id.clone()) =>
                {
                    self.refuse(Bad::IdInUse, message).await;
                }
                Ok(JsonRpcMessage::Request(request)) => {
                    self.has_begun |= begins(&request.request);
                    return Some(JsonRpcMessage::Request(request));
                }
                // It is about nothing that was said here, and nobody waits for an answer to it.
                Ok(_) if !self.has_begun => {}
                Ok(message) => return Some(message),
                Err(_) => self.refuse(Bad::NoMessage, message).await,
            }
        }
    }

    /// What has been said is written before the end.
    async fn close(&mut self) -> io::Result<()> {
        self.to_writer.take();
        match self.writer.take() {
            Some(writer) => writer.await.map_err(io::Error::other),
            None => Ok(()),
        }
    }
}
