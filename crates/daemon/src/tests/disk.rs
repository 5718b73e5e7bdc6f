use super::bench::Bench;
use crate::job::{Answer, Probe, Refusal, Work};
use crate::limits::Limits;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

impl Bench {
    /// Runs `probe` on the writer's thread, as a job of its own.
    async fn probe(&self, probe: impl Fn(&crate::store::Store) + Send + 'static) -> Answer {
        self.hub().inbox().submit(Work::Probe(Probe(Box::new(probe))), None).await
    }

    async fn disk_has_pages(&self, pages: u32) {
        let limit = move |store: &crate::store::Store| {
            let connection = store.connection();
            let used: u32 =
                connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
            let pragma = "max_page_count";
            connection.pragma_update_and_check(None, pragma, used + pages, |_| Ok(())).unwrap();
        };
        self.probe(limit).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_said_and_nothing_false_is_acknowledged() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("a", "working").await;
    bench.disk_has_pages(0).await;
    let mut refused = 0;
    let mut acknowledged = Vec::new();
    for n in 0..200 {
        let id = format!("agent-{n}");
        let reply = client.report(&id, "working").await;
        if reply.status == 202 {
            acknowledged.push(id);
            continue;
        }
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (507, "storage_full"));
        assert_eq!(reply.json()["retryable"], true);
        assert_eq!(client.get(&format!("/api/v1/agents/{id}")).await.status, 404, "{id}");
        refused += 1;
    }
    assert!(refused > 100, "{refused}");
    assert_eq!(client.get("/healthz").await.json()["ok"], false);
    let seen = client.send("POST", "/api/v1/agents/nobody/seen", &[], "").await;
    assert_eq!(seen.status, 404, "what writes nothing is still answered");
    // Reads are served, and show nothing that was refused.
    let log = client.log().await;
    assert_eq!(log.len() as u64, client.head().await);
    let ids = client.get("/api/v1/agents").await.json()["agents"].as_array().unwrap().len();
    assert_eq!(ids, acknowledged.len() + 1);
    // With room again it goes on, without a restart.
    bench.disk_has_pages(10_000).await;
    assert_eq!(client.report("late", "working").await.status, 202);
    assert_eq!(client.get("/healthz").await.json()["ok"], true);
    assert_eq!(client.report("agent-199", "working").await.status, 202);
    let after = bench.killed_now().await;
    for id in acknowledged {
        assert_eq!(after.client().headline(&id).await, "working", "{id}");
    }
}

/// The check that would find it is over by then, and the next start does not meet it by itself.
#[tokio::test(flavor = "multi_thread")]
async fn damage_that_a_running_hub_meets_is_said_and_mended_by_the_next_start() {
    let mut bench = Bench::new().await;
    bench.client().report("a", "working").await;
    bench.stop().await;
    let path = bench.home().join("headsup.db");
    let page = {
        let database = rusqlite::Connection::open(&path).unwrap();
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'prompts'";
        let page: i64 = database.query_row(sql, [], |row| row.get(0)).unwrap();
        page.cast_unsigned()
    };
    bench.start().await;
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&[0xAA; 4_096], (page - 1) * 4_096).unwrap();
    let client = bench.client();
    for agent in ["b", "c"] {
        let reply = client.report(agent, "working").await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (507, "storage_damaged"));
        assert!(reply.json()["hint"].as_str().unwrap().contains("headsup up"), "{}", reply.text());
    }
    assert!(client.metric("headsup_store_damage_total").await > 0, "doctor says so");
    bench.restart().await;
    let client = bench.client();
    assert_eq!(client.report("b", "working").await.status, 202);
    assert_eq!(client.headline("a").await, "working");
    assert_eq!(client.metric("headsup_store_quarantines_total").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_report_can_be_sent_again_under_its_id() {
    let bench = Bench::new().await;
    let client = bench.client();
    bench.disk_has_pages(0).await;
    let mut sent = 0;
    let id = loop {
        let id = format!("r{sent}");
        let session = format!("s{sent}");
        if client.hook("UserPromptSubmit", &session, &[("x-headsup-id", &id)]).await.status == 507 {
            break (id, session);
        }
        sent += 1;
    };
    bench.disk_has_pages(10_000).await;
    let again = client.hook("UserPromptSubmit", &id.1, &[("x-headsup-id", &id.0)]).await;
    assert_eq!(again.status, 202);
    assert_eq!(client.headline(&format!("claude-code-{}", id.1)).await, "working");
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_spool_that_cannot_be_stored_live_hooks_wait_their_turn() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    bench.disk_has_pages(0).await;
    let spooled = |n: i64| {
        let at = super::bench::START.plus(n);
        super::spool::record("UserPromptSubmit", &format!("new-{n}"), &format!("id-{n}"), at)
    };
    let queue = bench.home().join("spool/queue");
    std::fs::write(&queue, (0..200).flat_map(spooled).collect::<Vec<_>>()).unwrap();
    for _ in 0..2 {
        let refused = client.hook("Stop", "s1", &[]).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (507, "storage_full"));
    }
    // What the spool does not hold is not held up by it.
    assert_eq!(
        client.send("POST", "/api/v1/agents/claude-code-s1/seen", &[], "").await.status,
        200
    );
    bench.disk_has_pages(10_000).await;
    bench.pass(1_000).await;
    assert_eq!(client.hook("Stop", "s1", &[]).await.status, 202);
    let log = client.log().await;
    let spooled = log.iter().filter(|event| event["spooled"] == true).count();
    assert!(spooled >= 200, "{spooled}");
    assert_eq!(log.last().unwrap()["agent_id"], "claude-code-s1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_costs_one_job_and_not_its_batch() {
    let bench = Bench::new().await;
    let client = bench.client();
    let inbox = bench.hub().inbox();
    // All in one batch: the writer is held up while they queue.
    let (hold, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Mutex::new(held);
    let wait = Probe(Box::new(move |_| held.lock().unwrap().recv().unwrap_or_default()));
    let holding = inbox.submit(Work::Probe(wait), None);
    let bomb = Work::Probe(Probe(Box::new(|_| panic!("a defect, on purpose"))));
    let before = client.report("before", "working");
    let panicking = inbox.submit(bomb, None);
    let after = client.report("after", "working");
    let release = async {
        while bench.hub().inbox().waiting() < 4 {
            tokio::task::yield_now().await;
        }
        drop(hold);
    };
    let (_, before, bad, after, ()) = tokio::join!(holding, before, panicking, after, release);
    assert_eq!((before.status.as_u16(), after.status.as_u16()), (202, 202));
    assert_eq!(bad, Err(Refusal::Defect));
    for id in ["before", "after"] {
        assert_eq!(client.headline(id).await, "working");
        let events = client.log().await;
        let registered =
            events.iter().filter(|e| e["agent_id"] == id && e["type"] == "agent.registered");
        assert_eq!(registered.count(), 1, "{id}");
    }
    let panics = client.metric("headsup_panics_total{place=\"writer\"}").await;
    assert!(panics >= 1);
}

/// On one thread, as whoever serves is: what waits on it keeps everybody waiting.
#[tokio::test]
async fn a_report_that_begins_the_log_anew_keeps_nobody_else_waiting() {
    let mut bench = Bench::new().await;
    bench.client().report("a", "working").await;
    // All of the log is in the database, and the next commit waits for the disk.
    bench.restart().await;
    let database = rusqlite::Connection::open(bench.home().join("headsup.db")).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let client = bench.client();
    let report = tokio::spawn(async move { client.report("a", "idle").await.status });
    while bench.hub().inbox().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.client().get("/healthz").await.status, 200);
    assert!(!report.is_finished());
    database.execute_batch("ROLLBACK").unwrap();
    assert_eq!(report.await.unwrap(), 202);
    // The log has begun, and a lone report is written where it comes in, once the writer is at rest.
    while !bench.hub().inbox().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.client().report("a", "working").await.status, 202);
}

/// On one thread, as above.
#[tokio::test]
async fn a_database_that_another_program_keeps_locked_holds_up_nobody_who_asks() {
    let bench = Bench::new().await;
    assert_eq!(bench.client().report("a", "working").await.status, 202);
    // From here on a lone report is written where it comes in.
    while !bench.hub().inbox().is_empty() {
        tokio::task::yield_now().await;
    }
    let database = rusqlite::Connection::open(bench.home().join("headsup.db")).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let client = bench.client();
    let report = tokio::spawn(async move { client.report("a", "idle").await.status });
    while bench.hub().inbox().is_empty() && !report.is_finished() {
        tokio::task::yield_now().await;
    }
    assert!(!report.is_finished(), "it waits, and on the writer's thread");
    assert_eq!(bench.client().get("/healthz").await.status, 200);
    database.execute_batch("ROLLBACK").unwrap();
    assert_eq!(report.await.unwrap(), 202);
    assert_eq!(bench.client().headline("a").await, "idle");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_of_another_program_is_no_fault_of_the_disk() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("a", "working").await;
    // So that it is soon said.
    bench.probe(|store| store.wait_for_others(false)).await.unwrap();
    let database = rusqlite::Connection::open(bench.home().join("headsup.db")).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let question = r#"{"question":"Which?","default_action":"none"}"#;
    let ask = || client.send("POST", "/api/v1/agents/a/prompts", &[], question);
    let refused = ask().await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (507, "storage_locked"));
    assert_eq!(refused.json()["retryable"], true);
    assert_eq!(client.get("/healthz").await.json()["ok"], false);
    database.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ask().await.status, 201);
    assert_eq!(client.get("/healthz").await.json()["ok"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_hub_empties_a_log_that_is_copied_already() {
    let idle_look = Duration::from_millis(10);
    let bench = Bench::with(Limits { idle_look, ..Limits::default() }).await;
    // So much is copied while the hub is not idle yet.
    let much = "CREATE TABLE much (a); INSERT INTO much VALUES (zeroblob(20000000));";
    bench.probe(move |store| store.connection().execute_batch(much).unwrap()).await.unwrap();
    let log = bench.home().join("headsup.db-wal");
    while std::fs::metadata(&log).unwrap().len() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.client().report("a", "idle").await.status, 202);
}
