//! A hub that does as it is told.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, SystemTime};

/// One request as it arrived.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    pub(crate) at: SystemTime,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// How a hub treats a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Manner {
    /// Reads the request, answers, closes.
    Answers(&'static str),
    /// The same, a byte every 20 ms.
    AnswersSlowly(&'static str),
    /// Accepts and reads; says nothing until the hook gives up.
    Silent,
    /// Accepts and closes.
    HangsUp,
    /// Answers without reading the request.
    Interrupts(&'static str),
}

/// Listens on a unix socket; the requests come out of the channel.
pub(crate) fn unix(path: &Path, manner: Manner) -> mpsc::Receiver<Request> {
    let listener = UnixListener::bind(path).unwrap();
    serve(manner, move || listener.accept().map(|(stream, _)| stream.into()))
}

/// The same on a TCP port of `address`, which is returned.
pub(crate) fn tcp(address: &str, manner: Manner) -> (u16, mpsc::Receiver<Request>) {
    let listener = TcpListener::bind((address, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    (port, serve(manner, move || listener.accept().map(|(stream, _)| stream.into())))
}

/// All that a unix hub was asked so far: it treats one after the other, and so what is asked now as the last.
pub(crate) fn heard(path: &Path, requests: &mpsc::Receiver<Request>) -> Vec<Request> {
    let mut last = UnixStream::connect(path).unwrap();
    last.write_all(b"POST /last HTTP/1.1\r\nContent-Length: 0\r\n\r\n").unwrap();
    requests.iter().take_while(|request| !request.head.starts_with("POST /last ")).collect()
}

fn serve(
    manner: Manner,
    accept: impl Fn() -> std::io::Result<OwnedFd> + Send + 'static,
) -> mpsc::Receiver<Request> {
    let (send, requests) = mpsc::channel();
    thread::spawn(move || {
        while let Ok(stream) = accept() {
            let mut stream = File::from(stream);
            // A hook that has given up is no fault of this hub's.
            treat(manner, &mut stream, |request| drop(send.send(request)));
        }
    });
    requests
}

/// `tell` is called before the answer, so that whoever has the answer finds the request.
fn treat(manner: Manner, stream: &mut File, tell: impl Fn(Request)) -> Option<()> {
    match manner {
        Manner::HangsUp => {}
        Manner::Interrupts(answer) => {
            stream.write_all(answer.as_bytes()).ok()?;
            hung_up(stream, Duration::from_secs(5));
        }
        Manner::Silent => {
            tell(read(stream)?);
            hung_up(stream, Duration::from_secs(5));
        }
        Manner::Answers(answer) => {
            tell(read(stream)?);
            stream.write_all(answer.as_bytes()).ok()?;
        }
        Manner::AnswersSlowly(answer) => {
            tell(read(stream)?);
            for byte in answer.as_bytes() {
                stream.write_all(&[*byte]).ok()?;
                if hung_up(stream, Duration::from_millis(20)) {
                    break;
                }
            }
        }
    }
    Some(())
}

pub(crate) fn read(stream: &mut File) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 << 10];
    let mut more = |bytes: &mut Vec<u8>| match stream.read(&mut piece) {
        Ok(read) if read > 0 => {
            bytes.extend_from_slice(&piece[..read]);
            Some(())
        }
        _ => None,
    };
    let end = loop {
        more(&mut bytes)?;
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut request = Request { head, body: Vec::new(), at: SystemTime::now() };
    let len: usize = request.header("Content-Length").unwrap().parse().unwrap();
    while bytes.len() < end + len {
        more(&mut bytes)?;
    }
    request.body = bytes.split_off(end);
    Some(request)
}

/// Waits for the hook to end; false after `most`.
fn hung_up(stream: &File, most: Duration) -> bool {
    let timeout = Timespec::try_from(most).unwrap();
    let mut fds = [PollFd::new(stream, PollFlags::RDHUP)];
    poll(&mut fds, Some(&timeout)).is_ok_and(|ready| ready > 0)
}
