//! A container engine that runs nothing: it speaks Docker's API on a unix socket, as version 1.47
//! (Docker 27.3.1) does, and tells whatever a test has it tell.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A running engine; its socket goes away with it.
#[derive(Debug)]
pub struct Engine {
    socket: PathBuf,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The `State` of each container, by its whole id.
    containers: BTreeMap<String, Value>,
    listeners: Vec<Listener>,
    /// `METHOD TARGET`, in order.
    asked: Vec<String>,
}

#[derive(Debug)]
struct Listener {
    /// Beginnings of ids; none: all.
    wanted: Vec<String>,
    stream: UnixStream,
}

impl Engine {
    /// Listens at `socket`.
    ///
    /// # Panics
    /// If it cannot.
    #[expect(clippy::expect_used, reason = "a test without its engine cannot go on")]
    pub fn start(socket: &Path) -> Self {
        std::fs::remove_file(socket).ok();
        let listener = UnixListener::bind(socket).expect("a socket");
        let shared = Arc::<Mutex<Shared>>::default();
        let ours = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&ours);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { socket: socket.to_owned(), shared }
    }

    /// A container that runs; `pid`: its first process, as the machine sees it.
    pub fn runs(&self, id: &str, pid: u32) {
        let state = json!({
            "Status": "running", "Running": true, "Paused": false, "Restarting": false,
            "OOMKilled": false, "Dead": false, "Pid": pid, "ExitCode": 0, "Error": "",
            "StartedAt": "2026-01-02T03:04:05.678901234Z", "FinishedAt": "0001-01-01T00:00:00Z",
        });
        self.lock().containers.insert(id.to_owned(), state);
    }

    /// Changes what is said of a container's state.
    pub fn states(&self, id: &str, change: &Value) {
        let mut shared = self.lock();
        let state = shared.containers.entry(id.to_owned()).or_insert_with(|| json!({}));
        if let (Some(state), Some(change)) = (state.as_object_mut(), change.as_object()) {
            state.extend(change.clone());
        }
    }

    /// A container is there no more.
    pub fn removes(&self, id: &str) {
        self.lock().containers.remove(id);
    }

    /// Tells of an event to whoever listens for this container.
    pub fn tells(&self, id: &str, action: &str, attributes: &Value) {
        self.tells_all(id, &[(action, attributes.clone())]);
    }

    /// Tells of events that come at once.
    fn tells_all(&self, id: &str, events: &[(&str, Value)]) {
        let chunks: String = events.iter().map(|(action, more)| chunk(id, action, more)).collect();
        self.lock().listeners.retain(|listener| {
            let wanted = &listener.wanted;
            let is_told = wanted.is_empty() || wanted.iter().any(|wanted| id.starts_with(wanted));
            // Whoever has gone is forgotten.
            !is_told || (&listener.stream).write_all(chunks.as_bytes()).is_ok()
        });
    }

    /// It ends with a code: the state, and the event.
    pub fn ends(&self, id: &str, code: i32, oom_killed: bool) {
        self.exits(id, code, oom_killed);
        self.tells_all(id, &[died(code)]);
    }

    /// The same, and behind it that somebody wanted it.
    pub fn stops(&self, id: &str, code: i32) {
        self.exits(id, code, false);
        self.tells_all(id, &[died(code), ("stop", json!({}))]);
    }

    fn exits(&self, id: &str, code: i32, oom_killed: bool) {
        let change = json!({
            "Status": "exited", "Running": false, "Paused": false, "Pid": 0, "ExitCode": code,
            "OOMKilled": oom_killed, "FinishedAt": "2026-01-02T04:04:05Z",
        });
        self.states(id, &change);
    }

    /// How many listen for what befalls a container.
    pub fn listeners(&self, id: &str) -> usize {
        let wants = |of: &&Listener| of.wanted.iter().any(|wanted| id.starts_with(wanted));
        self.lock().listeners.iter().filter(wants).count()
    }

    /// Ends all connections, as an engine does that is started again.
    pub fn hangs_up(&self) {
        for listener in self.lock().listeners.drain(..) {
            listener.stream.shutdown(std::net::Shutdown::Both).ok();
        }
    }

    /// What was asked of it, as `GET /_ping`.
    pub fn asked(&self) -> Vec<String> {
        self.lock().asked.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        lock(&self.shared)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        std::fs::remove_file(&self.socket).ok();
        self.hangs_up();
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn died(code: i32) -> (&'static str, Value) {
    ("die", json!({"exitCode": code.to_string(), "execDuration": "60"}))
}

/// One event, as it is sent.
fn chunk(id: &str, action: &str, more: &Value) -> String {
    let mut own = json!({"image": "agent:1", "name": "agent"});
    if let (Some(own), Some(more)) = (own.as_object_mut(), more.as_object()) {
        own.extend(more.clone());
    }
    let event = json!({
        "status": action, "id": id, "from": "agent:1", "Type": "container", "Action": action,
        "Actor": {"ID": id, "Attributes": own}, "scope": "local",
        "time": 1_795_296_597, "timeNano": 1_795_296_597_200_000_000_i64,
    });
    let line = format!("{event}\n");
    format!("{:x}\r\n{line}\r\n", line.len())
}

const HEAD: &str = "Api-Version: 1.47\r\nServer: Docker/27.3.1 (linux)\r\n";

/// One request a connection.
fn serve(mut stream: UnixStream, shared: &Mutex<Shared>) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let first = lines.next()?.ok()?;
    while !lines.next()?.ok()?.is_empty() {}
    let mut words = first.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    lock(shared).asked.push(format!("{method} {target}"));
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if let Some(id) = path.strip_prefix("/containers/").and_then(|rest| rest.strip_suffix("/json"))
    {
        let shared = lock(shared);
        let mut found = shared.containers.iter().filter(|(whole, _)| whole.starts_with(id));
        let (status, body) = match found.next() {
            Some((id, state)) => ("200 OK", json!({"Id": id, "Name": "/agent", "State": state})),
            None => ("404 Not Found", json!({"message": format!("No such container: {id}")})),
        };
        return answer(&mut stream, status, "application/json", &body.to_string());
    }
    match path {
        "/_ping" => answer(&mut stream, "200 OK", "text/plain; charset=utf-8", "OK"),
        "/events" => {
            let head = format!(
                "HTTP/1.1 200 OK\r\n{HEAD}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            );
            // Nobody hears of anything before this is written.
            let mut shared = lock(shared);
            stream.write_all(head.as_bytes()).ok()?;
            shared.listeners.push(Listener { wanted: wanted(query), stream });
            Some(())
        }
        _ => {
            let body = json!({"message": "page not found"}).to_string();
            answer(&mut stream, "404 Not Found", "application/json", &body)
        }
    }
}

/// `filters={"container":["ID"]}`, with what must be escaped in a query escaped.
fn wanted(query: &str) -> Vec<String> {
    let filters = query.strip_prefix("filters=").unwrap_or_default();
    let plain = [
        ("%7B", "{"),
        ("%7D", "}"),
        ("%22", "\""),
        ("%3A", ":"),
        ("%5B", "["),
        ("%5D", "]"),
        ("%2C", ","),
    ];
    let filters = plain.iter().fold(filters.to_owned(), |text, (from, to)| text.replace(from, to));
    let filters: Value = serde_json::from_str(&filters).unwrap_or_default();
    let ids = filters["container"].as_array().cloned().unwrap_or_default();
    ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect()
}

fn answer(stream: &mut UnixStream, status: &str, kind: &str, body: &str) -> Option<()> {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\n{HEAD}Content-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).ok()
}
