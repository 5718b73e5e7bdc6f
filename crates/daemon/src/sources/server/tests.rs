use super::*;
use crate::inbox::{self, Outbox};
use headsup_core::status::{Exit, ExitKind, Process};
use std::path::PathBuf;
use tempfile::TempDir;
use tokio::net::UnixListener;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// A home of the program, its server, and our source beside it.
struct Rig {
    home: TempDir,
    outbox: Outbox,
    seats: UnboundedSender<Arc<Seat>>,
    metrics: Arc<Metrics>,
}

impl Rig {
    fn new() -> Self {
        Self::with(Vec::new())
    }

    /// The seats are those on the board.
    fn with(seats: Vec<Arc<Seat>>) -> Self {
        let board = Arc::new(Board::new(seats, 0, 0));
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let (seats, moved) = unbounded_channel();
        let metrics = Arc::new(Metrics::new());
        tokio::spawn(watch(board, moved, inbox, Arc::clone(&metrics)));
        Self { home: tempfile::tempdir().unwrap(), outbox, seats, metrics }
    }

    fn log(&self) -> PathBuf {
        self.home.path().join("sessions/2026/11/21/rollout-t-1.jsonl")
    }

    fn seat(&self, id: &str, thread: &str, state: Process) {
        let mut seat = Seat::new(AgentId::new(id).unwrap(), "codex", Source::Hook, UnixMs(0));
        seat.process.state = state;
        seat.about.log_path = Some(self.log().to_str().unwrap().into());
        seat.session = Some(serde_json::from_value(session(thread)).unwrap());
        self.seats.send(Arc::new(seat)).unwrap();
    }

    fn serve(&self) -> UnixListener {
        let socket = server_of_log("codex", &self.log()).unwrap().path;
        std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
        std::fs::remove_file(&socket).ok();
        UnixListener::bind(socket).unwrap()
    }

    /// The next thing that the hub is told.
    async fn told(&self) -> Sight {
        loop {
            let job = self.outbox.take(Duration::ZERO, 1).unwrap().pop();
            if let Some(job) = job {
                let Work::Witnessed(Witnessed::Seat(sight)) = job.work else { panic!() };
                return *sight;
            }
            tokio::task::yield_now().await;
        }
    }
}

fn session(id: &str) -> serde_json::Value {
    json!({ "id": id, "since": 0 })
}

/// A client that has said who it is and has asked who is there.
async fn greeted(listener: &UnixListener) -> WebSocketStream<UnixStream> {
    let (stream, _) = listener.accept().await.unwrap();
    let mut client = tokio_tungstenite::accept_async(stream).await.unwrap();
    for expected in server_greeting("codex") {
        let said = client.next().await.unwrap().unwrap();
        assert_eq!(said.to_text().unwrap(), expected);
    }
    client
}

async fn say(client: &mut WebSocketStream<UnixStream>, thread: &str, status: &str) {
    say_with(client, thread, status, &[]).await;
}

async fn say_with(
    client: &mut WebSocketStream<UnixStream>,
    thread: &str,
    status: &str,
    flags: &[&str],
) {
    let params = json!({"threadId": thread, "status": {"type": status, "activeFlags": flags}});
    let message = json!({"method": "thread/status/changed", "params": params});
    client.send(Message::text(message.to_string())).await.unwrap();
}

fn level(sight: &Sight) -> (&str, &str, &'static str) {
    let Fact::Level(level) = &sight.fact else { panic!("{sight:?}") };
    (sight.agent.as_str(), sight.session.as_deref().unwrap_or_default(), level.word())
}

#[tokio::test]
async fn every_conversation_of_a_server_is_told_to_its_own_seat() {
    let rig = Rig::new();
    let listener = rig.serve();
    rig.seat("api", "t-1", Process::Unknown);
    let mut client = greeted(&listener).await;
    rig.seat("web", "t-2", Process::Unknown);
    // Taken in before the server says anything of it.
    tokio::task::yield_now().await;
    client.send(Message::text("nonsense")).await.unwrap();
    client.send(Message::binary(vec![0xff])).await.unwrap();
    say(&mut client, "t-3", "active").await;
    say(&mut client, "t-2", "active").await;
    say(&mut client, "t-1", "idle").await;
    assert_eq!(level(&rig.told().await), ("web", "t-2", "working"));
    let told = rig.told().await;
    assert_eq!(level(&told), ("api", "t-1", "idle"));
    assert_eq!((told.source, &*told.name), (Source::AppServer, "thread/status/changed"));
    assert_eq!(told.delivery, Delivery::Live);
}

#[tokio::test]
async fn a_helper_that_works_behind_its_dialog_has_been_answered() {
    let mut seat = Seat::new(AgentId::new("api").unwrap(), "codex", Source::Hook, UnixMs(0));
    seat.subagents = ["h-1".to_owned()].into();
    let rig = Rig::with(vec![Arc::new(seat)]);
    let listener = rig.serve();
    rig.seat("api", "t-1", Process::Unknown);
    let mut client = greeted(&listener).await;
    let waits = ["waitingOnApproval"];
    // It works, asks, is answered and goes on; another one is nobody's, and at its next dialog it is stopped.
    say(&mut client, "h-1", "active").await;
    say_with(&mut client, "h-1", "active", &waits).await;
    say(&mut client, "h-1", "active").await;
    say(&mut client, "h-1", "active").await;
    say_with(&mut client, "h-2", "active", &waits).await;
    say(&mut client, "h-2", "active").await;
    say_with(&mut client, "h-1", "active", &waits).await;
    say(&mut client, "h-1", "idle").await;
    say(&mut client, "t-1", "idle").await;
    let told = rig.told().await;
    let Fact::PromptResolved { actor, reason, key, .. } = &told.fact else { panic!("{told:?}") };
    assert_eq!(*actor, Actor::Sub("h-1".to_owned()));
    assert_eq!((*reason, key), (BlockedReason::Permission, &None));
    assert_eq!((told.agent.as_str(), told.session.as_deref()), ("api", None));
    assert_eq!(level(&rig.told().await), ("api", "t-1", "idle"));
}

#[tokio::test]
async fn what_a_server_says_anew_is_counted() {
    let rig = Rig::new();
    let listener = rig.serve();
    rig.seat("api", "t-1", Process::Unknown);
    let mut client = greeted(&listener).await;
    for method in ["warning", "thread/dreamt", "thread/dreamt"] {
        let message = json!({"method": method, "params": {"threadId": "t-1"}});
        client.send(Message::text(message.to_string())).await.unwrap();
    }
    say(&mut client, "t-1", "active").await;
    assert_eq!(level(&rig.told().await), ("api", "t-1", "working"));
    let counted = |what: &str| rig.metrics.counted("codex", what);
    assert_eq!([counted("thread/dreamt.method"), counted("warning.method")], [2, 0]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_comes_late_or_again_is_found_and_asked_who_is_there() {
    let rig = Rig::new();
    rig.seat("api", "t-1", Process::Unknown);
    sleep(AGAIN * 3).await;
    for status in ["active", "idle"] {
        let listener = rig.serve();
        let mut client = greeted(&listener).await;
        let thread = json!({"id": "t-1", "status": {"type": status, "activeFlags": []}});
        let answer = json!({"id": 2, "result": {"data": [thread]}});
        client.send(Message::text(answer.to_string())).await.unwrap();
        let sight = rig.told().await;
        let Fact::Level(level) = &sight.fact else { panic!("{sight:?}") };
        assert_eq!(matches!(level, Level::Idle { .. }), status == "idle");
    }
}

#[tokio::test]
async fn a_conversation_on_a_later_page_of_the_list_is_told_as_well() {
    let rig = Rig::new();
    let listener = rig.serve();
    rig.seat("api", "t-1", Process::Unknown);
    let mut client = greeted(&listener).await;
    let first = json!({"id": 2, "result": {"data": [], "nextCursor": "c-1"}});
    client.send(Message::text(first.to_string())).await.unwrap();
    let asked = client.next().await.unwrap().unwrap();
    let asked: serde_json::Value = serde_json::from_str(asked.to_text().unwrap()).unwrap();
    assert_eq!(asked["params"]["cursor"], "c-1");
    let thread = json!({"id": "t-1", "status": {"type": "idle"}});
    let second = json!({"id": asked["id"], "result": {"data": [thread], "nextCursor": null}});
    client.send(Message::text(second.to_string())).await.unwrap();
    assert_eq!(level(&rig.told().await), ("api", "t-1", "idle"));
}

#[tokio::test]
async fn the_last_agent_that_leaves_closes_the_connection() {
    let rig = Rig::new();
    let listener = rig.serve();
    rig.seat("api", "t-1", Process::Unknown);
    rig.seat("web", "t-2", Process::Unknown);
    let mut client = greeted(&listener).await;
    rig.seat("api", "t-1", Process::Exited(Exit::of(ExitKind::Clean)));
    say(&mut client, "t-1", "active").await;
    say(&mut client, "t-2", "active").await;
    assert_eq!(level(&rig.told().await), ("web", "t-2", "working"), "it has left");
    rig.seat("web", "t-2", Process::Exited(Exit::of(ExitKind::Clean)));
    while let Some(Ok(_)) = client.next().await {}
}

#[tokio::test(start_paused = true)]
async fn a_message_beyond_all_measure_ends_the_connection_and_nothing_else() {
    let rig = Rig::new();
    let listener = rig.serve();
    rig.seat("api", "t-1", Process::Unknown);
    let mut client = greeted(&listener).await;
    client.send(Message::text("x".repeat(LONGEST + 1))).await.ok();
    let mut client = greeted(&listener).await;
    say(&mut client, "t-1", "active").await;
    assert_eq!(level(&rig.told().await), ("api", "t-1", "working"));
}
