//! A hub of cardboard: it answers what the test has put there, and remembers what it was asked.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

/// What the hub was asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) last_event_id: Option<String>,
    pub(crate) host: String,
    pub(crate) id: Option<String>,
    pub(crate) body: String,
}

/// What it answers.
pub(crate) enum Reply {
    Json(u16, Value),
    /// Messages of an event stream; it ends when the sender is dropped.
    Stream(mpsc::Receiver<String>),
    /// These bytes, and the end of the connection.
    Raw(&'static [u8]),
    Garbage,
}

pub(crate) struct Hub {
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Hub {
    /// Listens on `socket` until the test ends.
    pub(crate) fn listen<F>(socket: &Path, answer: F) -> Self
    where
        F: Fn(&Request) -> Reply + Send + Sync + 'static,
    {
        let listener = UnixListener::bind(socket).unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&seen), Arc::new(answer));
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                thread::spawn(move || serve(connection, &log, &*answer));
            }
        });
        Self { seen }
    }

    /// Every request so far.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(connection: UnixStream, log: &Mutex<Vec<Request>>, answer: &dyn Fn(&Request) -> Reply) {
    let mut writer = connection.try_clone().unwrap();
    let mut reader = BufReader::new(connection);
    while let Some(request) = read(&mut reader) {
        log.lock().unwrap().push(request.clone());
        match answer(&request) {
            Reply::Json(status, body) => {
                let body = body.to_string();
                let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n", body.len());
                if writer.write_all(format!("{head}{body}").as_bytes()).is_err() {
                    return;
                }
            }
            Reply::Stream(messages) => {
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
                writer.write_all(head.as_bytes()).ok();
                while let Ok(message) = messages.recv() {
                    if writer.write_all(message.as_bytes()).is_err() {
                        return;
                    }
                }
                return;
            }
            Reply::Raw(bytes) => {
                writer.write_all(bytes).ok();
                return;
            }
            Reply::Garbage => {
                writer.write_all(b"go away\r\n\r\n").ok();
                return;
            }
        }
    }
}

fn read(reader: &mut BufReader<UnixStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let mut request = Request {
        method: words.next()?.to_owned(),
        path: words.next()?.to_owned(),
        ..Request::default()
    };
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "host" => value.clone_into(&mut request.host),
            "last-event-id" => request.last_event_id = Some(value.to_owned()),
            "x-headsup-id" => request.id = Some(value.to_owned()),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    request.body = String::from_utf8(body).unwrap();
    Some(request)
}

/// One message of an event stream.
pub(crate) fn message(id: &str, event: &str, data: &Value) -> String {
    format!("id: {id}\nevent: {event}\ndata: {data}\n\n")
}
