use super::*;
use crate::inbox::{self, Outbox};
use headsup_core::observation::{Fact, Level};
use headsup_core::seat::Session;
use headsup_core::source::Source;
use headsup_core::status::Process;
use headsup_core::time::UnixMs;
use std::process::{Child, Command, Stdio};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// A process that listens, what answers for it, and our source beside it.
struct Rig {
    outbox: Outbox,
    seats: UnboundedSender<Arc<Seat>>,
    metrics: Arc<Metrics>,
    server: TcpListener,
    program: Child,
}

impl Rig {
    /// `named`: the port it is told to take, if not its own.
    fn new(named: Option<u16>) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = named.unwrap_or(listener.local_addr().unwrap().port()).to_string();
        let held = std::os::fd::OwnedFd::from(listener.try_clone().unwrap());
        // It holds the socket as its output.
        let mut program = Command::new("/bin/sh");
        program.args(["-c", "read -r line", "sh", "serve", "--port", &port]);
        let program = program.stdin(Stdio::piped()).stdout(held).spawn().unwrap();
        listener.set_nonblocking(true).unwrap();
        let server = TcpListener::from_std(listener).unwrap();
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let (seats, moved) = unbounded_channel();
        let metrics = Arc::new(Metrics::new());
        tokio::spawn(watch(moved, inbox, Arc::clone(&metrics), Arc::new(Namespaces::new())));
        Self { outbox, seats, metrics, server, program }
    }

    fn seat(&self) {
        self.seat_of(None);
    }

    /// With the conversation that it is known to have.
    fn seat_of(&self, session: Option<&str>) {
        let mut seat = Seat::new(AgentId::new("run").unwrap(), "opencode", Source::Hook, UnixMs(0));
        let (pid, start_ticks) = crate::process::identity(self.program.id()).unwrap();
        seat.process.id = Some(ProcessId { pid, start_ticks, pid_namespace: None, host_pid: None });
        seat.process.state = Process::Unknown;
        seat.session = session.map(|id| Session::new(id.to_owned(), UnixMs(0), true));
        self.seats.send(Arc::new(seat)).unwrap();
    }

    /// Answers requests until somebody wants to listen.
    async fn opened(&self) -> TcpStream {
        let mut stream = loop {
            let (path, stream) = self.asked().await;
            if path == "/global/event" {
                break stream;
            }
            answer(stream, "200 OK", "{}").await;
        };
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        say(&mut stream, "{\"payload\":{\"type\":\"server.connected\",\"properties\":{}}}").await;
        stream
    }

    /// The same, and then for the lists of the folder that it was started in.
    async fn stream(&self, statuses: &str) -> TcpStream {
        let stream = self.opened().await;
        self.lists("", statuses).await;
        stream
    }

    /// Answers for the lists of a folder whose name ends so.
    async fn lists(&self, folder: &str, statuses: &str) {
        for list in ["/session/status", "/permission", "/question"] {
            let (path, stream) = self.asked().await;
            assert!(path.starts_with(list) && path.ends_with(folder), "{path}");
            let body = if list == "/session/status" { statuses } else { "[]" };
            answer(stream, "200 OK", body).await;
        }
    }

    async fn asked(&self) -> (String, TcpStream) {
        let (stream, _) = self.server.accept().await.unwrap();
        let mut reader = BufReader::new(stream);
        let mut request = String::new();
        reader.read_line(&mut request).await.unwrap();
        let path = request.split(' ').nth(1).unwrap().to_owned();
        let mut line = String::new();
        while reader.read_line(&mut line).await.unwrap() > 2 {
            line.clear();
        }
        (path, reader.into_inner())
    }

    /// The next thing that the hub is told: the seat, the session, the level.
    async fn told(&self) -> (Option<String>, Option<String>, &'static str) {
        loop {
            let job = self.outbox.take(Duration::ZERO, 1).unwrap().pop();
            let Some(job) = job else {
                tokio::task::yield_now().await;
                continue;
            };
            let Work::Hook(report) = job.work else { panic!() };
            assert_eq!(report.sighting.source, Source::EventStream);
            let Fact::Level(level) = &report.sighting.fact else { panic!("{report:?}") };
            let claimed = report.claimed.map(|id| id.to_string());
            job.answer.send(Ok(crate::job::Reply::Done { agent: None, cursor: 0 })).unwrap();
            return (claimed, report.sighting.session.clone(), Level::word(level));
        }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.program.kill().ok();
        self.program.wait().ok();
    }
}

async fn answer(mut stream: TcpStream, status: &str, body: &str) {
    let length = body.len();
    let text = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).await.unwrap();
}

async fn say(stream: &mut TcpStream, message: &str) {
    stream.write_all(format!("data: {message}\n\n").as_bytes()).await.unwrap();
}

fn status(kind: &str) -> String {
    let said = json!({ "sessionID": "ses_a", "status": { "type": kind } });
    json!({ "type": "session.status", "properties": said }).to_string()
}

#[tokio::test]
async fn a_program_is_heard_and_a_stream_that_breaks_says_nothing() {
    let rig = Rig::new(None);
    rig.seat();
    let mut stream = rig.stream("{}").await;
    let (run, session) = (Some("run".to_owned()), Some("ses_a".to_owned()));
    assert_eq!(rig.told().await, (run.clone(), None, "idle"));
    let heard = async {
        say(&mut stream, &status("busy")).await;
        let (path, of_session) = rig.asked().await;
        assert_eq!(path, "/session/ses_a");
        answer(of_session, "200 OK", "{\"id\":\"ses_a\"}").await;
    };
    heard.await;
    assert_eq!(rig.told().await, (run.clone(), session.clone(), "working"));
    drop(stream);
    // It has ended when the lists can be asked again, and not before.
    let _stream = rig.stream("{}").await;
    assert_eq!(rig.told().await, (run, session, "idle"));
}

#[tokio::test]
async fn what_is_at_work_in_another_folder_goes_on_when_the_hub_comes_back() {
    let rig = Rig::new(None);
    rig.seat_of(Some("ses_b"));
    let _stream = rig.opened().await;
    let (path, of_session) = rig.asked().await;
    assert_eq!(path, "/session/ses_b");
    answer(of_session, "200 OK", "{\"id\":\"ses_b\",\"directory\":\"/~other\"}").await;
    rig.lists("", "{}").await;
    rig.lists("/~other", "{\"ses_b\":{\"type\":\"busy\"}}").await;
    let (run, session) = (Some("run".to_owned()), Some("ses_b".to_owned()));
    assert_eq!(rig.told().await, (run, session, "working"));
}

#[tokio::test]
async fn a_session_of_which_the_program_does_not_say_where_it_is_does_not_end_by_a_list() {
    let told = |level| (Some("run".to_owned()), Some("ses_a".to_owned()), level);
    let asked = async |failure: &str| {
        let rig = Rig::new(None);
        rig.seat_of(Some("ses_a"));
        let stream = rig.opened().await;
        let (path, of_session) = rig.asked().await;
        assert_eq!(path, "/session/ses_a");
        answer(of_session, failure, "").await;
        rig.lists("", "{}").await;
        (rig, stream)
    };
    let (rig, mut stream) = asked("500 Internal Server Error").await;
    say(&mut stream, &status("busy")).await;
    let (_, of_session) = rig.asked().await;
    answer(of_session, "200 OK", "{\"id\":\"ses_a\",\"directory\":\"/~other\"}").await;
    assert_eq!(rig.told().await, told("working"));
    // One that is not there does not go on anywhere.
    let (rig, _stream) = asked("404 Not Found").await;
    assert_eq!(rig.told().await, told("idle"));
}

/// It was busy when the hub came.
#[tokio::test]
async fn a_session_of_which_nothing_was_said_is_asked_for_again() {
    let rig = Rig::new(None);
    rig.seat_of(Some("ses_a"));
    let mut stream = rig.opened().await;
    let (_, of_session) = rig.asked().await;
    answer(of_session, "500 Internal Server Error", "").await;
    rig.lists("", "{}").await;
    let anew = json!({ "type": "permission.v3.asked", "properties": {} });
    say(&mut stream, &anew.to_string()).await;
    // It listens by then.
    while rig.metrics.counted("opencode", "permission.v3.asked.type") == 0 {
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    tokio::time::advance(AGAIN).await;
    tokio::time::resume();
    let (path, of_session) = rig.asked().await;
    assert_eq!(path, "/session/ses_a");
    answer(of_session, "200 OK", "{\"id\":\"ses_a\"}").await;
    rig.lists("", "{}").await;
    let told = (Some("run".to_owned()), Some("ses_a".to_owned()), "idle");
    assert_eq!(rig.told().await, told);
}

#[tokio::test]
async fn what_a_program_says_anew_changes_nothing_and_is_counted_once() {
    let rig = Rig::new(None);
    rig.seat();
    let mut stream = rig.stream("{\"ses_b\":\"busy\"}").await;
    let (path, of_session) = rig.asked().await;
    assert_eq!(path, "/session/ses_b");
    answer(of_session, "500 Internal Server Error", "").await;
    for _ in 0..2 {
        say(&mut stream, &status("paused")).await;
        let (_, of_session) = rig.asked().await;
        answer(of_session, "500 Internal Server Error", "").await;
    }
    let asked = json!({ "type": "permission.v3.asked", "properties": {} });
    say(&mut stream, &asked.to_string()).await;
    say(&mut stream, &status("busy")).await;
    let (_, of_session) = rig.asked().await;
    answer(of_session, "500 Internal Server Error", "").await;
    let (run, session) = (Some("run".to_owned()), Some("ses_a".to_owned()));
    assert_eq!(rig.told().await, (run, session, "working"));
    for name in ["/session/status.type", "session.status.status", "permission.v3.asked.type"] {
        assert_eq!(rig.metrics.counted("opencode", name), 1, "{name}");
    }
}

#[tokio::test]
async fn a_helper_ends_where_its_parent_is_told_only_after_that_one_has_gone() {
    let rig = Rig::new(None);
    rig.seat();
    let mut stream = rig.stream("{}").await;
    let (run, session) = (Some("run".to_owned()), Some("ses_a".to_owned()));
    assert_eq!(rig.told().await, (run.clone(), None, "idle"));
    say(&mut stream, &status("busy")).await;
    let (_, of_session) = rig.asked().await;
    answer(of_session, "500 Internal Server Error", "").await;
    assert_eq!(rig.told().await, (run.clone(), session.clone(), "working"));
    let deleted = json!({ "info": { "id": "ses_root" } });
    let deleted = json!({ "type": "session.deleted", "properties": deleted });
    say(&mut stream, &deleted.to_string()).await;
    say(&mut stream, &status("busy")).await;
    let (_, of_session) = rig.asked().await;
    answer(of_session, "200 OK", "{\"id\":\"ses_a\",\"parentID\":\"ses_root\"}").await;
    assert_eq!(rig.told().await, (run, session, "idle"));
}

#[tokio::test]
async fn a_server_that_wants_a_password_is_counted_and_left_alone() {
    let rig = Rig::new(None);
    rig.seat();
    let (_, stream) = rig.asked().await;
    answer(stream, "401 Unauthorized", "").await;
    let board = crate::board::Board::new(Vec::new(), 0, 0);
    let row = "headsup_servers_locked{kind=\"opencode\"} 1";
    while !rig.metrics.encode(&board).contains(row) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_port_that_is_not_the_programs_own_is_not_asked() {
    let rig = Rig::new(Some(1));
    rig.seat();
    assert!(timeout(LAST * 4, rig.asked()).await.is_err());
}

#[test]
fn a_folder_is_written_so_that_it_fits_into_a_query() {
    assert_eq!(encoded("/home/a b/ä&c"), "/home/a%20b/%C3%A4%26c");
}

/// What a port has said, byte by byte, and the same in rows.
#[test]
fn a_recorded_stream_is_read_message_by_message_however_it_is_cut() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/fixtures");
    let folder = fixtures.join("opencode/1.18.33/http-sse");
    for name in ["plain-turn", "permission-approved-once", "global-event-stream"] {
        let read = |ending| std::fs::read(folder.join(format!("{name}.{ending}"))).unwrap();
        let json = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).unwrap();
        let rows = read("jsonl");
        let rows = rows.split(|byte| *byte == b'\n').filter(|row| !row.is_empty()).map(json);
        let said = rows.filter(|row| row["kind"] == "sse").map(|mut row| row["data"].take());
        let said: Vec<_> = said.collect();
        let raw = read("sse");
        for size in [1, 7, 1_024, raw.len()] {
            let mut reader = reader::Reader::new(1 << 20);
            let mut heard = Vec::new();
            for piece in raw.chunks(size) {
                reader.take(piece);
                heard.extend(std::iter::from_fn(|| reader.next()));
            }
            let heard: Vec<_> = heard.iter().map(|text| json(text.as_bytes())).collect();
            assert_eq!(heard, said, "{name} in pieces of {size}");
        }
    }
}
