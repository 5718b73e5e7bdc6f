//! Everything the hub tells, with the moment at which it arrived here.

use crate::wait;
use serde_json::Value;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the hub may be down between two tries to connect.
const AGAIN: Duration = Duration::from_millis(20);

/// One event.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) at: Instant,
    pub(super) event: Value,
}

/// Follows the hub until it goes out of scope, also over restarts.
#[derive(Debug)]
pub(super) struct Watcher {
    told: Arc<Mutex<Vec<Told>>>,
    over: Arc<AtomicBool>,
    follower: Option<JoinHandle<()>>,
}

impl Watcher {
    pub(super) fn start(socket: &Path) -> Self {
        let (told, over) = <(Arc<Mutex<Vec<Told>>>, Arc<AtomicBool>)>::default();
        let connected = Arc::new(AtomicBool::new(false));
        let (into, end, socket) = (Arc::clone(&told), Arc::clone(&over), socket.to_owned());
        let open = Arc::clone(&connected);
        let follower = std::thread::spawn(move || follow(&socket, &into, &open, &end));
        wait::until("the event stream", || connected.load(Ordering::Relaxed).then_some(()));
        Self { told, over, follower: Some(follower) }
    }

    pub(super) fn told(&self) -> Vec<Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn follow(socket: &Path, into: &Mutex<Vec<Told>>, open: &AtomicBool, over: &AtomicBool) {
    let mut cursor = "0".to_owned();
    while !over.load(Ordering::Relaxed) {
        // While the hub is down there is nothing to hear.
        listen(socket, &mut cursor, into, open, over).ok();
        std::thread::park_timeout(AGAIN);
    }
}

fn listen(
    socket: &Path,
    cursor: &mut String,
    into: &Mutex<Vec<Told>>,
    open: &AtomicBool,
    over: &AtomicBool,
) -> io::Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    // So that the end is noticed when nothing is told.
    stream.set_read_timeout(Some(Duration::from_millis(100)))?;
    // The older protocol, for a body that ends with the connection and is not cut in chunks.
    let target = format!("/api/v1/events?since={cursor}");
    stream.write_all(format!("GET {target} HTTP/1.0\r\nhost: localhost\r\n\r\n").as_bytes())?;
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        match reader.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(()),
            Ok(_) if line.ends_with(b"\n") => {}
            Ok(_) => continue,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if over.load(Ordering::Relaxed) {
                    return Ok(());
                }
                continue;
            }
            Err(error) => return Err(error),
        }
        let at = Instant::now();
        open.store(true, Ordering::Relaxed);
        let text = String::from_utf8_lossy(&line).into_owned();
        line.clear();
        let event = text.strip_prefix("data:").map(str::trim);
        let Some(event) = event.and_then(|event| serde_json::from_str::<Value>(event).ok()) else {
            continue;
        };
        if let Some(seen) = event["cursor"].as_str() {
            seen.clone_into(cursor);
        }
        into.lock().unwrap_or_else(PoisonError::into_inner).push(Told { at, event });
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(follower) = self.follower.take() {
            let _ended = follower.join();
        }
    }
}
