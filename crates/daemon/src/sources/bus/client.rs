//! Requests to a program's own server on this machine: nothing but GET, no password, one connection
//! each.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, CONNECTION, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use tokio::net::TcpStream;

/// A longer answer is not read.
const LONGEST: usize = 4 << 20;

/// Why nothing came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// It wants a password.
    Refused,
    /// It has nothing at that path.
    Absent,
    /// Nobody is there, or nobody who says anything of it.
    Silent,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    address: SocketAddr,
}

impl Client {
    pub(super) fn new(address: SocketAddr) -> Self {
        Self { address }
    }

    /// The whole answer.
    pub(super) async fn get(&self, path: &str) -> Result<String, Failed> {
        let body = Limited::new(self.open(path).await?, LONGEST);
        let bytes = body.collect().await.map_err(|_| Failed::Silent)?.to_bytes();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The answer while it comes.
    pub(super) async fn open(&self, path: &str) -> Result<Incoming, Failed> {
        let stream = TcpStream::connect(self.address).await.map_err(|_| Failed::Silent)?;
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.map_err(|_| Failed::Silent)?;
        // It ends with the answer's body, or once nobody reads that any more.
        tokio::spawn(connection);
        let request = Request::get(path)
            .header(HOST, self.address.to_string())
            .header(ACCEPT, "*/*")
            .header(CONNECTION, "close")
            .body(Empty::<Bytes>::new())
            .map_err(|_| Failed::Silent)?;
        let answer = sender.send_request(request).await.map_err(|_| Failed::Silent)?;
        match answer.status() {
            StatusCode::OK => Ok(answer.into_body()),
            StatusCode::UNAUTHORIZED => Err(Failed::Refused),
            StatusCode::NOT_FOUND => Err(Failed::Absent),
            _ => Err(Failed::Silent),
        }
    }
}
