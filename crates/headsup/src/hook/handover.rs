//! A hub behind TLS: keys, authorities and names are more than the fast path does. A thread of its
//! own speaks to it by the client's means, and is left alone where it is when time is up.

use super::deadline::Deadline;
use super::exchange::{self, Outcome};
use super::request;
use crate::place::{Authority, Url};
use headsup_core::spool::Report;
use headsup_daemon::outgoing::{names, tls};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread;
use tokio_rustls::rustls::{ClientConnection, Stream};

/// Posts to the hub at `authority`, which is what `url` names.
pub(super) fn post(
    url: &Url,
    authority: &Authority,
    report: &Report,
    deadline: Deadline,
) -> Outcome {
    let token = request::header_value("HEADSUP_TOKEN");
    let mut bytes = request::head(url, report, token.as_deref()).into_bytes();
    bytes.extend_from_slice(&report.body);
    let authority = authority.clone();
    let (tell, told) = mpsc::channel();
    let talk = move || tell.send(speak(&authority, &bytes)).ok();
    if thread::Builder::new().spawn(talk).is_err() {
        return Outcome::Undelivered;
    }
    told.recv_timeout(deadline.remaining()).ok().flatten().unwrap_or(Outcome::Undelivered)
}

/// `None` where there was no conversation. It may hang at a name server or on a disk.
fn speak(authority: &Authority, request: &[u8]) -> Option<Outcome> {
    let server = tls::server_name(&authority.host)?;
    let mut tls = ClientConnection::new(tls::config().ok()?, server).ok()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let addresses = runtime.block_on(names::find(&authority.host, authority.port)).ok()?;
    let mut socket = TcpStream::connect(&*addresses).ok()?;
    socket.set_nodelay(true).ok();
    let mut stream = Stream::new(&mut tls, &mut socket);
    // A hub that does not read to the end has something to say.
    stream.write_all(request).and_then(|()| stream.flush()).ok();
    Some(exchange::read(|received| {
        let mut piece = [0; 4096];
        let len = stream.read(&mut piece).unwrap_or(0);
        received.extend_from_slice(&piece[..len]);
        len > 0
    }))
}
