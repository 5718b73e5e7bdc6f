//! Subscribers of the event stream: some read, some only hold their connection.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Nothing comes for so long: something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);

/// Many subscribers at once.
#[derive(Debug)]
pub struct Crowd {
    socket: PathBuf,
    /// They read all the time, up to the cursor that is stored here.
    readers: Vec<JoinHandle<io::Result<Heard>>>,
    sleepers: Vec<UnixStream>,
    head: Arc<AtomicU64>,
}

/// What one subscriber was told in all its connections.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// It read all the time.
    pub reads: bool,
    /// Cursors of all events, in the order in which they came.
    pub cursors: Vec<u64>,
    /// It was told at least once that it lagged, and came back with its cursor.
    pub lagged: bool,
}

impl Crowd {
    /// Opens all streams, from the beginning of the log.
    ///
    /// # Errors
    /// If one cannot be opened.
    pub fn gather(socket: &Path, readers: usize, sleepers: usize) -> io::Result<Self> {
        let head = Arc::new(AtomicU64::new(u64::MAX));
        let mut reading = Vec::new();
        for _ in 0..readers {
            let (stream, socket, head) = (open(socket, 0)?, socket.to_owned(), Arc::clone(&head));
            reading.push(std::thread::spawn(move || follow(&socket, stream, true, &head)));
        }
        let sleepers = (0..sleepers).map(|_| open(socket, 0)).collect::<io::Result<_>>()?;
        Ok(Self { socket: socket.to_owned(), readers: reading, sleepers, head })
    }

    /// Now all of them read, up to `head`, a cursor of the log. Whoever is told that it lags
    /// connects again behind the last event it knows.
    ///
    /// # Errors
    /// If a stream breaks, or the log does not keep what is asked for.
    pub fn catch_up(self, head: u64) -> io::Result<Vec<Heard>> {
        self.head.store(head, Ordering::SeqCst);
        // Readers that wait for the next event are at the end already, or get there.
        let mut heard = Vec::new();
        for stream in self.sleepers {
            heard.push(follow(&self.socket, stream, false, &self.head)?);
        }
        for reader in self.readers {
            heard.push(reader.join().map_err(|_| io::Error::other("a reader died"))??);
        }
        Ok(heard)
    }
}

fn open(socket: &Path, since: u64) -> io::Result<UnixStream> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let request = format!(
        "GET /api/v1/events?since={since} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    Ok(stream)
}

/// Reads until the event at `head`.
fn follow(socket: &Path, stream: UnixStream, reads: bool, head: &AtomicU64) -> io::Result<Heard> {
    let mut heard = Heard { reads, ..Heard::default() };
    let mut lines = BufReader::new(stream);
    let (mut line, mut id, mut event) = (String::new(), None, String::new());
    let mut silence = Instant::now();
    loop {
        if heard.cursors.last().copied() == Some(head.load(Ordering::SeqCst)) {
            return Ok(heard);
        }
        match lines.read_line(&mut line) {
            Ok(0) => return Err(io::Error::other("the stream ended")),
            Ok(_) => silence = Instant::now(),
            Err(error) if is_pause(&error) && silence.elapsed() < PATIENCE => continue,
            Err(error) => return Err(error),
        }
        let whole = std::mem::take(&mut line);
        let whole = whole.trim_end();
        if let Some(value) = whole.strip_prefix("id: ") {
            id = value.parse::<u64>().ok();
        } else if let Some(value) = whole.strip_prefix("event: ") {
            value.clone_into(&mut event);
        } else if whole.starts_with("data: ") {
            match (event.as_str(), id.take()) {
                ("lagged", _) => {
                    heard.lagged = true;
                    let last = heard.cursors.last().copied().unwrap_or(0);
                    lines = BufReader::new(open(socket, last)?);
                }
                ("cursor_expired", _) => return Err(io::Error::other("the cursor is too old")),
                ("snapshot", _) => {}
                (_, Some(cursor)) => heard.cursors.push(cursor),
                (other, None) => return Err(io::Error::other(format!("no cursor: {other}"))),
            }
        }
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
