//! Measures the hub over its socket: `load hub HOME` runs one, `load bare SOCKET` runs a server
//! that only answers, `load post SOCKET CONNECTIONS SECONDS [RATE]` posts hooks, each on a new
//! connection, `load fill SOCKET AGENTS` makes seats, `load watch SOCKET SECONDS` measures the way
//! to one watcher.
//!
//! Compare figures of one run only: the machine's other work is in all of them.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program for a person to run")]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of a few seconds"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let words: Vec<&str> = args.iter().skip(1).map(String::as_str).collect();
    match words[..] {
        ["hub", home] => serve(run_hub(home.into())),
        ["bare", socket] => serve(run_bare(socket.into())),
        ["post", socket, connections, seconds] => {
            post(socket.as_ref(), number(connections), number(seconds), None);
        }
        ["post", socket, connections, seconds, rate] => {
            post(socket.as_ref(), number(connections), number(seconds), Some(number(rate)));
        }
        ["fill", socket, agents] => fill(socket.as_ref(), number(agents)),
        ["watch", socket, seconds] => watch(socket.as_ref(), number(seconds)),
        _ => println!("see the top of examples/load.rs"),
    }
}

fn number(text: &str) -> u32 {
    text.parse().unwrap()
}

fn serve(server: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(server);
}

async fn run_hub(home: PathBuf) {
    let retention = headsup_daemon::Retention::default();
    let config = headsup_daemon::Config {
        home,
        folders: Vec::new(),
        retention,
        background_shells: headsup_daemon::BackgroundShells::Idle,
        listen: None,
        must_listen: false,
    };
    headsup_daemon::run(config, async |_| ()).await.unwrap();
}

async fn run_bare(socket: PathBuf) {
    let answer = |_body: axum::body::Bytes| async { (axum::http::StatusCode::ACCEPTED, "{}") };
    let router = axum::Router::new().route("/api/v1/hooks/{kind}", axum::routing::post(answer));
    let listener = tokio::net::UnixListener::bind(socket).unwrap();
    axum::serve(listener, router).await.unwrap();
}

/// The `n`th event of a session's life, about 1 KB.
fn request(session: usize, n: usize) -> String {
    let event = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"][n % 4];
    let filler = "x".repeat(600);
    let body = format!(
        "{{\"hook_event_name\":\"{event}\",\"session_id\":\"session-{session}\",\
         \"cwd\":\"/home/dev/folder-{session}\",\"transcript_path\":\"/logs/{session}.jsonl\",\
         \"tool_name\":\"Bash\",\"tool_use_id\":\"toolu_{n}\",\
         \"tool_input\":{{\"command\":\"ls {filler}\"}}}}"
    );
    // As the hook's: time first, so that neighbours in time are neighbours in an index.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let id = format!("{:016x}{:08x}{session:016x}", now.as_nanos(), std::process::id());
    let kind = headsup_adapters::kinds()[0];
    format!(
        "POST /api/v1/hooks/{kind} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nX-Headsup-Id: {id}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn send(socket: &Path, request: &str) {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::with_capacity(512);
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 202"), "{}", String::from_utf8_lossy(&answer));
}

fn post(socket: &Path, connections: u32, seconds: u32, rate: Option<u32>) {
    let start = Instant::now();
    let end = start + Duration::from_secs(seconds.into());
    let one = |lane: u32| {
        let socket = socket.to_owned();
        move || {
            let mut times = Vec::new();
            for n in 0_u32.. {
                let request = request(lane as usize, n as usize);
                // Open loop: a report is due when it is due, whether or not the last one was slow.
                let due = rate
                    .map(|rate| start + Duration::from_secs(1) * (n * connections + lane) / rate);
                if let Some(wait) = due.and_then(|due| due.checked_duration_since(Instant::now())) {
                    std::thread::park_timeout(wait);
                }
                let from = due.unwrap_or_else(Instant::now);
                if from >= end {
                    break;
                }
                send(&socket, &request);
                times.push(from.elapsed());
            }
            times
        }
    };
    let lanes: Vec<_> = (0..connections).map(|lane| std::thread::spawn(one(lane))).collect();
    let times: Vec<_> = lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect();
    let rate = times.len() as f64 / start.elapsed().as_secs_f64();
    println!("{connections} connections: {rate:.0}/s, {}", percentiles(times));
}

fn fill(socket: &Path, agents: u32) {
    const LANES: u32 = 8;
    let lanes = (0..LANES).map(|lane| {
        let socket = socket.to_owned();
        std::thread::spawn(move || {
            for agent in (lane..agents).step_by(LANES as usize) {
                for n in 0..8 {
                    send(&socket, &request(agent as usize, n));
                }
            }
        })
    });
    for lane in lanes.collect::<Vec<_>>() {
        lane.join().unwrap();
    }
}

fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: f64| {
        let index = (times.len() as f64 * share) as usize;
        times[index.min(times.len() - 1)].as_secs_f64() * 1e6
    };
    format!("p50 {:.0} us, p99 {:.0} us, max {:.0} us", at(0.5), at(0.99), at(1.0))
}

fn watch(socket: &Path, seconds: u32) {
    let mut stream = UnixStream::connect(socket).unwrap();
    let head = "GET /api/v1/events?since=now&type=turn.started HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let (heard, arrivals) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            if line.unwrap().starts_with("data: ") && heard.send(Instant::now()).is_err() {
                return;
            }
        }
    });
    let end = Instant::now() + Duration::from_secs(seconds.into());
    let mut times = Vec::new();
    let mut n = 0;
    while Instant::now() < end {
        for _ in 0..4 {
            let request = request(9_999, n);
            let start = Instant::now();
            send(socket, &request);
            if n % 4 == 0 {
                times.push(arrivals.recv().unwrap() - start);
            }
            n += 1;
        }
        std::thread::park_timeout(Duration::from_millis(1));
    }
    println!("post to watcher, {} times: {}", times.len(), percentiles(times));
}
