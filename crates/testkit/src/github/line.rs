//! Requests and answers on one connection, and what goes wrong with them.

use super::{Shared, TOKEN, routes};
use serde_json::{Value, json};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What goes wrong with a request.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Nothing is done, and this is answered; further headers.
    Answer(u16, Value, Vec<(&'static str, String)>),
    /// Nothing is done, and the connection ends.
    CutBefore,
    /// It is done, and the connection ends.
    CutAfter,
    /// It is done, and no answer comes until all is let go.
    Hang,
}

#[derive(Debug, Default)]
pub(super) struct Faults {
    wanted: Vec<(String, String, Fault)>,
    hanging: Vec<Sender<()>>,
}

impl Faults {
    pub(super) fn add(&mut self, method: &str, path: &str, fault: Fault) {
        self.wanted.push((method.to_owned(), path.to_owned(), fault));
    }

    pub(super) fn release(&mut self) {
        self.hanging.clear();
    }

    fn take(&mut self, request: &Request) -> Option<Fault> {
        let fits = |(method, path, _): &(String, String, Fault)| {
            *method == request.method && request.target.contains(path.as_str())
        };
        let index = self.wanted.iter().position(fits)?;
        Some(self.wanted.remove(index).2)
    }

    fn hang(&mut self) -> Receiver<()> {
        let (hanging, held) = channel();
        self.hanging.push(hanging);
        held
    }
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    /// With its query, as it was sent.
    pub(super) target: String,
    pub(super) body: Value,
    token: Option<String>,
    known: Option<String>,
}

pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Value,
    pub(super) headers: Vec<(&'static str, String)>,
}

impl Answer {
    pub(super) fn new(status: u16, body: Value) -> Self {
        Self { status, body, headers: Vec::new() }
    }

    pub(super) fn refused(status: u16, message: &str) -> Self {
        Self::new(status, json!({ "message": message }))
    }
}

pub(super) fn serve(stream: TcpStream, shared: &Shared) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let request = read(&mut reader)?;
        if shared.is_over.load(Ordering::Relaxed) {
            return None;
        }
        let line = format!("{} {}", request.method, request.target);
        shared.asked.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        let fault = shared.faults.lock().unwrap_or_else(PoisonError::into_inner).take(&request);
        let answer = match &fault {
            Some(Fault::Answer(status, body, headers)) => {
                Answer { status: *status, body: body.clone(), headers: headers.clone() }
            }
            Some(Fault::CutBefore) => return None,
            Some(Fault::CutAfter | Fault::Hang) | None => answer(&request, shared),
        };
        match fault {
            Some(Fault::CutAfter) => return None,
            Some(Fault::Hang) => {
                let held = shared.faults.lock().unwrap_or_else(PoisonError::into_inner).hang();
                // Until it is dropped; then the connection ends.
                held.recv().ok();
                return None;
            }
            _ => {
                let status = write(reader.get_mut(), &request, answer)?;
                // What has not changed costs nothing of what a host allows.
                let counter = if status == 304 { &shared.unchanged } else { &shared.spent };
                counter.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

fn answer(request: &Request, shared: &Shared) -> Answer {
    if request.token.as_deref() != Some(TOKEN) {
        return Answer::refused(401, "Bad credentials");
    }
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    routes::answer(request, &mut state)
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut length, mut token, mut known) = (0, None, None);
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let trimmed = line.trim_end();
        if trimmed.is_empty() {
            break;
        }
        let (name, value) = trimmed.split_once(':')?;
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => token = value.trim().strip_prefix("Bearer ").map(str::to_owned),
            "if-none-match" => known = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(Request { method, target, body, token, known })
}

/// Returns the status that was answered.
fn write(stream: &mut TcpStream, request: &Request, answer: Answer) -> Option<u16> {
    let Answer { mut status, body, headers } = answer;
    let mut text = if body.is_null() { String::new() } else { body.to_string() };
    let mut head = String::new();
    if request.method == "GET" && status == 200 {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let etag = format!("W/\"{:016x}\"", hasher.finish());
        if request.known.as_ref() == Some(&etag) {
            (status, text) = (304, String::new());
        }
        head.extend(["etag: ", &etag, "\r\n"]);
    }
    for (name, value) in headers {
        head.extend([name, ": ", &value, "\r\n"]);
    }
    let length =
        if status == 304 { String::new() } else { format!("content-length: {}\r\n", text.len()) };
    let answer = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\n{length}{head}\r\n{text}"
    );
    stream.write_all(answer.as_bytes()).ok().map(|()| status)
}
