//! Reports as hooks make them: on a new connection each, or on one that stays.

use crate::Outcome;
use crate::stats::Times;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub(crate) const KIND: &str = "claude-code";

static NEXT: AtomicU64 = AtomicU64::new(0);

/// The `n`th event of a session's life, about 1 KB. `closes`: the connection is for it alone.
pub(crate) fn request(session: usize, n: usize, closes: bool) -> String {
    let event = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"][n % 4];
    let filler = "x".repeat(600);
    let body = format!(
        "{{\"hook_event_name\":\"{event}\",\"session_id\":\"session-{session}\",\
         \"cwd\":\"/home/dev/folder-{session}\",\"transcript_path\":\"/logs/{session}.jsonl\",\
         \"tool_name\":\"Bash\",\"tool_use_id\":\"toolu_{n}\",\
         \"tool_input\":{{\"command\":\"ls {filler}\"}}}}"
    );
    let connection = if closes { "close" } else { "keep-alive" };
    // As the hook's: time first, so that neighbours in time are neighbours in an index.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos();
    let id = format!("{now:016x}{:016x}", NEXT.fetch_add(1, Ordering::Relaxed));
    format!(
        "POST /api/v1/hooks/{KIND} HTTP/1.1\r\nHost: localhost\r\nConnection: {connection}\r\n\
         Content-Type: application/json\r\nX-Headsup-Id: {id}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn post(socket: &Path, request: &str) -> io::Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::with_capacity(512);
    stream.read_to_end(&mut answer)?;
    accepted(&answer)
}

fn accepted(answer: &[u8]) -> io::Result<()> {
    if answer.starts_with(b"HTTP/1.1 202") {
        return Ok(());
    }
    Err(io::Error::other(format!("refused: {}", String::from_utf8_lossy(answer))))
}

/// A connection that stays.
pub(crate) struct Line(UnixStream);

impl Line {
    pub(crate) fn open(socket: &Path) -> io::Result<Self> {
        UnixStream::connect(socket).map(Self)
    }

    pub(crate) fn post(&mut self, request: &str) -> io::Result<()> {
        self.send(request)?;
        self.accepted()
    }

    pub(crate) fn send(&mut self, request: &str) -> io::Result<()> {
        self.0.write_all(request.as_bytes())
    }

    /// Reads the answer to what was sent.
    pub(crate) fn accepted(&mut self) -> io::Result<()> {
        let mut answer = [0; 1024];
        let mut length = 0;
        // Its body is one small object.
        while !answer[..length].ends_with(b"}") {
            let more = self.0.read(&mut answer[length..])?;
            if more == 0 {
                return Err(io::Error::other("the answer broke off"));
            }
            length += more;
        }
        accepted(&answer[..length])
    }
}

/// Reports of `lanes` reporters, each on a new connection: as fast as they are taken, or so many
/// in a second. Times are from when a report was due to its acknowledgement.
pub(crate) fn reports(
    socket: &Path,
    lanes: usize,
    time: Duration,
    rate: Option<u32>,
) -> Outcome<(f64, Times)> {
    let start = Instant::now();
    let end = start + time;
    let lane = |lane: usize| -> io::Result<Vec<Duration>> {
        let mut times = Vec::new();
        for n in 0.. {
            let request = request(lane, n, true);
            // Open loop: a report is due when it is due, whether or not the last one was slow.
            let place = u32::try_from(n * lanes + lane).unwrap_or(u32::MAX);
            let due = rate.map(|rate| start + Duration::from_secs(1) * place / rate);
            if let Some(wait) = due.and_then(|due| due.checked_duration_since(Instant::now())) {
                std::thread::park_timeout(wait);
            }
            let from = due.unwrap_or_else(Instant::now);
            if from >= end {
                break;
            }
            post(socket, &request)?;
            times.push(from.elapsed());
        }
        Ok(times)
    };
    let times = std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes).map(|index| scope.spawn(move || lane(index))).collect();
        let mut times = Vec::new();
        for lane in lanes {
            times.extend(lane.join().map_err(|_| io::Error::other("a lane died"))??);
        }
        io::Result::Ok(times)
    })?;
    let rate = crate::stats::figure(times.len()) / start.elapsed().as_secs_f64();
    Ok((rate, Times::new(times)))
}

/// `agents` seats with two turns behind each.
pub(crate) fn fill(socket: &Path, agents: usize) -> Outcome<()> {
    const LANES: usize = 8;
    std::thread::scope(|scope| {
        let lane = |lane: usize| -> io::Result<()> {
            let mut line = Line::open(socket)?;
            for agent in (lane..agents).step_by(LANES) {
                for n in 0..8 {
                    line.post(&request(agent, n, false))?;
                }
            }
            Ok(())
        };
        let lanes: Vec<_> = (0..LANES).map(|index| scope.spawn(move || lane(index))).collect();
        for lane in lanes {
            lane.join().map_err(|_| "a lane died")??;
        }
        Ok(())
    })
}
