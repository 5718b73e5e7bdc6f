use super::bench::Bench;
use crate::healing::restart_after;
use crate::{Hub, RunError, home};
use std::future::pending;
use std::os::unix::net::UnixListener;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_says_nothing_and_keeps_everything() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    for session in ["s1", "s2"] {
        client.hook("UserPromptSubmit", session, &[]).await;
    }
    client.hook("Stop", "s1", &[]).await;
    let (roster, log) = (client.get("/api/v1/agents").await.json(), client.log().await);
    for _ in 0..3 {
        bench.clock.advance(3_000);
        bench.restart().await;
        let client = bench.client();
        assert_eq!(client.get("/api/v1/agents").await.json(), roster);
        assert_eq!(client.log().await, log);
    }
    // The session still finds its seat, and the log goes on where it was.
    let reply = bench.client().hook("UserPromptSubmit", "s1", &[]).await;
    assert_eq!(reply.json()["agent_id"], "claude-code-s1");
    let cursors: Vec<u64> = bench.client().log().await.iter().map(cursor).collect();
    assert_eq!(cursors, (1..=cursors.len() as u64).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_before_a_restart_is_still_explained_and_added_to() {
    let mut bench = Bench::new().await;
    let said = async |bench: &Bench| {
        let explained = bench.client().get("/api/v1/agents/claude-code-s1/explain").await.json();
        let turn = explained["dimensions"]["turn"].clone();
        let losers = turn["losers"].as_array().unwrap();
        let losers = losers.iter().map(|loser| loser["event"].clone());
        std::iter::once(turn["winner"]["event"].clone()).chain(losers).collect::<Vec<_>>()
    };
    bench.client().hook("UserPromptSubmit", "s1", &[]).await;
    bench.client().hook("Stop", "s1", &[]).await;
    assert_eq!(said(&bench).await, ["Stop", "UserPromptSubmit"]);
    bench.restart().await;
    assert_eq!(said(&bench).await, ["Stop", "UserPromptSubmit"]);
    bench.client().hook("UserPromptSubmit", "s1", &[]).await;
    bench.restart().await;
    assert_eq!(said(&bench).await, ["UserPromptSubmit", "Stop", "UserPromptSubmit"]);
}

fn cursor(event: &serde_json::Value) -> u64 {
    event["cursor"].as_str().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_hub_has_lost_nothing_it_acknowledged() {
    let bench = Bench::new().await;
    let client = bench.client();
    for n in 0..20 {
        let session = format!("s{n}");
        assert_eq!(client.hook("UserPromptSubmit", &session, &[]).await.status, 202);
    }
    let log = client.log().await;
    let after = bench.killed_now().await;
    assert_eq!(after.client().log().await, log);
    assert_eq!(
        after.client().get("/api/v1/agents").await.json(),
        client.get("/api/v1/agents").await.json()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn time_does_not_run_backwards_over_a_restart() {
    let mut bench = Bench::new().await;
    bench.client().hook("UserPromptSubmit", "s1", &[]).await;
    bench.stop().await;
    bench.clock.jump(-3_600_000);
    bench.start().await;
    bench.client().hook("Stop", "s1", &[]).await;
    let log = bench.client().log().await;
    assert!(log.is_sorted_by_key(|event| event["at"].as_str().unwrap().to_owned()), "{log:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_hub_on_the_same_folder_is_refused() {
    let bench = Bench::new().await;
    match Hub::start(bench.config()).await {
        Err(RunError::AlreadyRunning { pid }) => assert_eq!(pid, Some(std::process::id())),
        other => panic!("{other:?}"),
    }
    // The first one is none the worse for it.
    assert_eq!(bench.client().get("/healthz").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_hubs_socket_is_taken_over() {
    let mut bench = Bench::new().await;
    let socket = bench.hub().socket();
    bench.stop().await;
    assert!(!socket.exists());
    drop(UnixListener::bind(&socket).unwrap());
    assert!(socket.exists());
    bench.start().await;
    assert_eq!(bench.client().get("/healthz").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_database_is_refused_and_not_touched() {
    let mut bench = Bench::new().await;
    bench.client().hook("UserPromptSubmit", "s1", &[]).await;
    bench.stop().await;
    let database = bench.home().join("headsup.db");
    let connection = rusqlite::Connection::open(&database).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let before = std::fs::read(&database).unwrap();
    match Hub::start(bench.config()).await {
        Err(RunError::NewerDatabase { found, .. }) => assert_eq!(found, 99),
        other => panic!("{other:?}"),
    }
    assert!(std::fs::read(&database).unwrap() == before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_database_is_put_aside_and_the_hub_serves() {
    let mut bench = Bench::new().await;
    bench.client().hook("UserPromptSubmit", "s1", &[]).await;
    bench.stop().await;
    let database = bench.home().join("headsup.db");
    assert!(!bench.home().join("headsup.db-wal").exists(), "all of it is in the database");
    let mut bytes = std::fs::read(&database).unwrap();
    bytes[..4_096].fill(0xAA);
    std::fs::write(&database, &bytes).unwrap();
    bench.start().await;
    let client = bench.client();
    assert_eq!(client.metric("headsup_store_quarantines_total").await, 1);
    let aside = std::fs::read_dir(bench.home()).unwrap().find_map(|entry| {
        let entry = entry.unwrap();
        entry.file_name().to_str()?.starts_with("headsup.db.corrupt-").then(|| entry.path())
    });
    assert!(std::fs::read(aside.unwrap()).unwrap() == bytes, "the evidence is kept as it was");
    // A cursor into the lost log names no place in the new one.
    client.hook("UserPromptSubmit", "s1", &[]).await;
    let mut stream = client.events("?since=3").await;
    assert_eq!(stream.next().await.unwrap().event, "cursor_expired");
    let head = client.head().await;
    bench.restart().await;
    assert_eq!(bench.client().head().await, head);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_open_streams() {
    let mut bench = Bench::new().await;
    let mut stream = bench.client().events("").await;
    assert_eq!(stream.next().await.unwrap().event, "snapshot");
    bench.stop().await;
    assert_eq!(stream.next().await, None);
}

/// No time between two tries.
fn at_once() -> impl Iterator<Item = Duration> {
    std::iter::repeat(Duration::ZERO)
}

/// A folder in the place of its new socket keeps a hub from its start, as a disk does.
#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_starts_again_waits_for_what_does_not_let_it() {
    let mut bench = Bench::new().await;
    bench.client().report("a", "working").await;
    bench.stop().await;
    let (path, config) = (bench.home(), bench.config());
    let hub = Hub::start(config.clone()).await.unwrap();
    let head = hub.head();
    let in_the_way = path.join("headsup.sock.new");
    std::fs::create_dir(&in_the_way).unwrap();
    let mut tries = 0;
    let told_to_end = async || {
        tries += 1;
        let why = crate::waits_for(&path).unwrap();
        assert!(why.contains("headsup.sock.new is in the way"), "{why}");
        let other = Hub::start(config.clone()).await;
        assert!(matches!(other, Err(RunError::AlreadyRunning { .. })), "{other:?}");
        assert!(!path.join("headsup.sock").exists(), "nobody is told that something is stored");
        if tries == 3 {
            std::fs::remove_dir(&in_the_way).unwrap();
        }
        pending::<()>().await;
    };
    let hub = restart_after(hub, &config, told_to_end, at_once()).await.unwrap().unwrap();
    assert_eq!((tries, hub.head()), (3, head));
    assert_eq!(crate::waits_for(&path), None);
    assert!(path.join("headsup.sock").exists());
    hub.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_waits_ends_when_it_is_told_to_or_its_folder_goes() {
    for is_told in [true, false] {
        let mut bench = Bench::new().await;
        bench.stop().await;
        let (path, config) = (bench.home(), bench.config());
        let hub = Hub::start(config.clone()).await.unwrap();
        std::fs::create_dir(path.join("headsup.sock.new")).unwrap();
        let told_to_end = async || {
            if !is_told {
                std::fs::remove_dir_all(&path).unwrap();
                pending::<()>().await;
            }
        };
        let again = restart_after(hub, &config, told_to_end, at_once()).await.unwrap();
        assert!(again.is_none(), "{is_told}");
        assert_eq!((path.exists(), home::is_held(&path)), (is_told, false));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_starts_again_waits_for_nothing_that_no_time_mends() {
    let mut bench = Bench::new().await;
    bench.client().report("a", "working").await;
    bench.stop().await;
    let (path, config) = (bench.home(), bench.config());
    let hub = Hub::start(config.clone()).await.unwrap();
    let database = rusqlite::Connection::open(path.join("headsup.db")).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    let mut waited = false;
    let again = restart_after(hub, &config, async || waited = true, at_once()).await;
    assert!(!waited, "{again:?}");
    assert!(matches!(again, Err(RunError::NewerDatabase { found: 99, .. })), "{again:?}");
    assert!(!home::is_held(&path));
}
