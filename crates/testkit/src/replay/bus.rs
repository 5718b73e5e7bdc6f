//! A stand-in for the port on which a program serves its conversations.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Whoever looks for a port does so within this time.
const FOUND_WITHIN: Duration = Duration::from_secs(3);

/// It serves until its process is dropped with it.
#[derive(Debug)]
pub(super) struct Bus {
    listener: TcpListener,
    port: u16,
    known: Arc<Mutex<Known>>,
    coming: Mutex<Receiver<TcpStream>>,
}

/// What it answers, and who listens.
#[derive(Debug, Default)]
struct Known {
    lists: [Value; 3],
    sessions: HashMap<String, Value>,
    asked: HashMap<String, Value>,
    clients: Vec<TcpStream>,
    is_over: bool,
}

impl Bus {
    pub(super) fn start(lists: Option<[Value; 3]>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let lists = lists.unwrap_or_else(|| [json!({}), json!([]), json!([])]);
        let known = Arc::new(Mutex::new(Known { lists, ..Known::default() }));
        let (come, coming) = channel();
        let (own, served) = (listener.try_clone()?, Arc::clone(&known));
        thread::Builder::new().name("bus".to_owned()).spawn(move || {
            for stream in own.incoming() {
                if lock(&served).is_over {
                    return;
                }
                if let Ok(stream) = stream {
                    answer(stream, &served, &come).ok();
                }
            }
        })?;
        Ok(Self { listener, port, known, coming: Mutex::new(coming) })
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// For the process that is said to listen.
    pub(super) fn socket(&self) -> io::Result<OwnedFd> {
        Ok(self.listener.try_clone()?.into())
    }

    /// Tells all clients, and waits for the first one.
    pub(super) fn say(&self, message: &str) -> io::Result<()> {
        self.note(message);
        let coming = self.coming.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = lock(&self.known);
        known.clients.extend(coming.try_iter());
        if known.clients.is_empty() {
            drop(known);
            let first = coming.recv_timeout(FOUND_WITHIN);
            known = lock(&self.known);
            known.clients.extend(first);
        }
        if known.clients.is_empty() {
            return Err(io::Error::other("nobody listens to the program's port"));
        }
        let text = format!("data: {message}\n\n");
        let piece = format!("{:x}\r\n{text}\r\n", text.len());
        known.clients.retain_mut(|client| client.write_all(piece.as_bytes()).is_ok());
        Ok(())
    }

    /// What its lists will need.
    fn note(&self, message: &str) {
        let Ok(mut event) = serde_json::from_str::<Value>(message) else { return };
        if event["payload"].is_object() {
            event = event["payload"].take();
        }
        let said = &event["properties"];
        let mut known = lock(&self.known);
        if let Some(id) = said["info"]["id"].as_str().filter(|id| id.starts_with("ses")) {
            known.sessions.insert(id.to_owned(), said["info"].clone());
        }
        let name = event["type"].as_str().and_then(|name| name.rsplit('.').next());
        let asks = name == Some("asked");
        if let Some(id) = said["id"].as_str().filter(|_| asks) {
            known.asked.insert(id.to_owned(), said.clone());
        }
    }

    pub(super) fn answers(&self, lists: &[Value; 3]) {
        lock(&self.known).lists.clone_from(lists);
    }

    /// Ends all streams.
    pub(super) fn end_streams(&self) {
        let coming = self.coming.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = lock(&self.known);
        known.clients.extend(coming.try_iter());
        for client in known.clients.drain(..) {
            client.shutdown(Shutdown::Both).ok();
        }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.end_streams();
        lock(&self.known).is_over = true;
        // Whoever waits for the next one sees that it is over.
        TcpStream::connect(("127.0.0.1", self.port)).ok();
    }
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(mut stream: TcpStream, known: &Mutex<Known>, come: &Sender<TcpStream>) -> io::Result<()> {
    let mut request = String::new();
    let mut head = BufReader::new(stream.try_clone()?);
    head.read_line(&mut request)?;
    let mut line = String::new();
    while head.read_line(&mut line)? > 2 {
        line.clear();
    }
    let target = request.split(' ').nth(1).unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default();
    if path.ends_with("/event") {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes())?;
        come.send(stream).ok();
        return Ok(());
    }
    let body = lock(known).of(path).to_string();
    let length = body.len();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
    stream.write_all(format!("{head}Content-Length: {length}\r\n\r\n{body}").as_bytes())
}

impl Known {
    fn of(&self, path: &str) -> Value {
        let asked = |list: &Value| {
            let ids = list.as_array().into_iter().flatten().filter_map(Value::as_str);
            let one = |id| self.asked.get(id).cloned().unwrap_or_else(|| json!({ "id": id }));
            ids.map(one).collect::<Value>()
        };
        match path {
            "/session/status" => self.lists[0].clone(),
            "/permission" => asked(&self.lists[1]),
            "/question" => asked(&self.lists[2]),
            _ => {
                let id = path.strip_prefix("/session/").unwrap_or_default();
                self.sessions.get(id).cloned().unwrap_or_else(|| json!({ "id": id }))
            }
        }
    }
}
