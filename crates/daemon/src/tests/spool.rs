use super::bench::{Bench, payload};
use crate::job::Work;
use crate::limits::Limits;
use headsup_core::spool::{OF_A_PROCESS, OF_A_TERMINAL, OF_AN_AGENT, Record, Report, encode};
use headsup_core::time::UnixMs;
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

pub(super) fn record(event: &str, session: &str, id: &str, at: UnixMs) -> Vec<u8> {
    encode(&Record::Report(Report {
        kind: "claude-code".into(),
        event: None,
        id: id.into(),
        reported_at: at,
        body: payload(event, session).into_bytes(),
        is_transition: true,
        ..Report::default()
    }))
}

/// A whole turn of `session`, spooled from `at` on.
fn turn(session: &str, at: UnixMs) -> Vec<u8> {
    let events = ["SessionStart", "UserPromptSubmit", "Stop"];
    let one =
        |(n, event): (i64, &str)| record(event, session, &format!("{session}-{n}"), at.plus(n));
    (0..).zip(events).flat_map(one).collect()
}

fn of<'a>(log: &'a [Value], session: &'a str) -> impl Iterator<Item = &'a Value> {
    let id = format!("claude-code-{session}");
    log.iter().filter(move |event| event["agent_id"] == id.as_str())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_spooled_comes_once_in_order_and_marked() {
    let mut bench = Bench::new().await;
    bench.stop().await;
    let spool = bench.home().join("spool");
    let at = super::bench::START.plus(-9_000);
    fs::write(spool.join("draining-00000000000000000200"), turn("second", at)).unwrap();
    fs::write(spool.join("draining-00000000000000000100"), turn("first", at)).unwrap();
    fs::write(spool.join("queue"), turn("third", at)).unwrap();
    bench.start().await;
    let client = bench.client();
    let log = client.log().await;
    let registered: Vec<_> = log
        .iter()
        .filter(|event| event["type"] == "agent.registered")
        .map(|event| event["agent_id"].as_str().unwrap())
        .collect();
    assert_eq!(registered, ["claude-code-first", "claude-code-second", "claude-code-third"]);
    for event in &log {
        assert_eq!(event["spooled"], true);
        assert!(event["reported_at"].as_str().unwrap() < event["at"].as_str().unwrap());
    }
    for session in ["first", "second", "third"] {
        assert_eq!(client.headline(&format!("claude-code-{session}")).await, "done");
        let ended = of(&log, session).filter(|event| event["type"] == "turn.completed");
        assert_eq!(ended.count(), 1);
    }
    assert_eq!(fs::read_dir(&spool).unwrap().count(), 0);
    assert_eq!(client.metric("headsup_spool_drained_total").await, 9);
    bench.restart().await;
    assert_eq!(bench.client().log().await, log);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_report_does_not_overtake_the_spool() {
    let bench = Bench::new().await;
    let client = bench.client();
    let at = super::bench::START;
    let queued = [record("SessionStart", "s1", "a", at), record("UserPromptSubmit", "s1", "b", at)];
    fs::write(bench.home().join("spool/queue"), queued.concat()).unwrap();
    client.hook("Stop", "s1", &[]).await;
    let log = client.log().await;
    let types: Vec<_> = of(&log, "s1").map(|event| event["type"].as_str().unwrap()).collect();
    let (started, ended) = ("turn.started", "turn.completed");
    let place = |kind| types.iter().position(|of| *of == kind).unwrap();
    assert!(place(started) < place(ended), "{types:?}");
    assert_eq!(log.last().unwrap().get("spooled"), None);
    assert_eq!(client.headline("claude-code-s1").await, "done");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_hub_finds_the_spool_by_itself() {
    let bench = Bench::new().await;
    // A link that is put there is none of the changes that the kernel tells.
    let written = bench.home().join("written");
    fs::write(&written, turn("s1", super::bench::START)).unwrap();
    fs::hard_link(&written, bench.home().join("spool/queue")).unwrap();
    is_done(&bench, "claude-code-s1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_that_is_spooled_wakes_a_hub_that_never_looks() {
    let never = Duration::from_secs(3_600);
    let bench = Bench::with(Limits { idle_look: never, ..Limits::default() }).await;
    let queue = bench.home().join("spool/queue");
    for session in ["s1", "s2"] {
        fs::write(&queue, turn(session, super::bench::START)).unwrap();
        is_done(&bench, &format!("claude-code-{session}")).await;
    }
    // As a compaction puts its file in the place of the queue.
    let compacted = bench.home().join("spool/compacted");
    fs::write(&compacted, turn("s3", super::bench::START)).unwrap();
    fs::rename(&compacted, &queue).unwrap();
    is_done(&bench, "claude-code-s3").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_lets_go_of_the_spool_late_is_waited_for() {
    let never = Duration::from_secs(3_600);
    let bench = Bench::with(Limits { idle_look: never, ..Limits::default() }).await;
    let queue = bench.home().join("spool/queue");
    let held = fs::File::create(&queue).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockShared).unwrap();
    fs::write(&queue, turn("s1", super::bench::START)).unwrap();
    bench.hub().inbox().submit(Work::Spooled, None).await.unwrap();
    assert!(queue.exists());
    drop(held);
    is_done(&bench, "claude-code-s1").await;
}

async fn is_done(bench: &Bench, agent: &str) {
    let client = bench.client();
    let found = async {
        while client.headline(agent).await != "done" {
            tokio::task::yield_now().await;
        }
    };
    super::bench::soon("the spool's turn", found).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_between_storing_and_removing_doubles_nothing() {
    let mut bench = Bench::new().await;
    bench.stop().await;
    let queue = bench.home().join("spool/queue");
    // With a report that changes nothing among them: it is remembered all the same.
    let mut bytes = turn("s1", super::bench::START);
    bytes.extend(record("Stop", "s1", "again", super::bench::START.plus(5)));
    fs::write(&queue, &bytes).unwrap();
    bench.start().await;
    let log = bench.client().log().await;
    bench.stop().await;
    fs::write(bench.home().join("spool/draining-00000000000000000001"), &bytes).unwrap();
    bench.start().await;
    assert_eq!(bench.client().log().await, log);
    let duplicates = "headsup_reports_total{result=\"duplicate\"}";
    assert_eq!(bench.client().metric(duplicates).await, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_that_was_delivered_after_all_is_not_told_again_by_the_spool() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[("x-headsup-id", "b")]).await;
    let log = client.log().await;
    let queue = bench.home().join("spool/queue");
    fs::write(&queue, record("UserPromptSubmit", "s1", "b", super::bench::START)).unwrap();
    client.hook("PostToolUse", "other", &[]).await;
    assert!(!queue.exists());
    let later = client.log().await;
    assert_eq!(of(&later, "s1").count(), of(&log, "s1").count());
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_in_the_spool_is_counted_and_the_rest_taken() {
    let mut bench = Bench::new().await;
    bench.stop().await;
    let unknown = encode(&Record::Report(Report { kind: "no-such".into(), ..Report::default() }));
    let dropped = encode(&Record::Dropped { count: 12 });
    let deep = encode(&Record::Report(Report {
        kind: "claude-code".into(),
        body: vec![b'['; 65],
        ..Report::default()
    }));
    let pieces = [b"torn".to_vec(), dropped, unknown, deep, turn("s1", super::bench::START)];
    fs::write(bench.home().join("spool/queue"), pieces.concat()).unwrap();
    bench.start().await;
    let client = bench.client();
    assert_eq!(client.headline("claude-code-s1").await, "done");
    for (name, count) in [("corrupt", 1), ("dropped", 12), ("refused", 2), ("drained", 5)] {
        let counted = client.metric(&format!("headsup_spool_{name}_total")).await;
        assert_eq!(counted, count, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_spooled_reports_arrive() {
    let mut bench = Bench::new().await;
    bench.stop().await;
    let mut bytes = Vec::new();
    for n in 0..5_000 {
        let event = ["UserPromptSubmit", "Stop"][n % 2];
        let at = super::bench::START.plus(i64::try_from(n).unwrap() - 10_000);
        bytes.extend(record(event, &format!("s{}", n / 2 % 20), &format!("id-{n}"), at));
    }
    fs::write(bench.home().join("spool/queue"), bytes).unwrap();
    bench.start().await;
    let client = bench.client();
    let log = client.log().await;
    let started = log.iter().filter(|event| event["type"] == "turn.started").count();
    let ended = log.iter().filter(|event| event["type"] == "turn.completed").count();
    assert_eq!((started, ended), (2_500, 2_500));
    let cursors =
        log.iter().map(|event| event["cursor"].as_str().unwrap().parse::<usize>().unwrap());
    assert!(cursors.eq(1..=log.len()));
}

const API: &str = "/api/v1/agents/api";
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A process that was launched for the seat `api`.
struct Launch {
    child: std::process::Child,
    body: Value,
}

impl Launch {
    async fn new(bench: &Bench) -> Self {
        let mut command = std::process::Command::new("cat");
        let child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        let (pid, start_ticks) = crate::process::identity(child.id()).unwrap();
        let client = bench.client();
        client.send("PUT", API, &[], json!({ "token": TOKEN }).to_string()).await;
        let mut body = json!({"pid": pid, "start_ticks": start_ticks, "state": "running"});
        let told = client.send("PUT", &format!("{API}/process"), &[], body.to_string()).await;
        assert_eq!(told.status, 202);
        body["state"] = "exited".into();
        Self { child, body }
    }

    /// It ends by itself, and not by a signal.
    fn end(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }

    /// What its launcher leaves in the spool.
    fn exit(&self, code: i32, token: &str) -> Vec<u8> {
        let mut body = self.body.clone();
        body["code"] = code.into();
        left(OF_A_PROCESS, "exit", &body, token)
    }

    /// What it says of itself to its terminal.
    fn status(&self, state: &str) -> Value {
        json!({
            "pid": self.body["pid"], "start_ticks": self.body["start_ticks"],
            "status": format!("state={state}"),
        })
    }

    /// Its launcher tells that at once.
    async fn tell(&self, bench: &Bench, id: &str, state: &str) {
        let (path, body) = (format!("{API}/terminal"), self.status(state).to_string());
        let told = bench.client().send("POST", &path, &[("x-headsup-id", id)], body).await;
        assert_eq!(told.status, 202, "{}", told.text());
    }

    /// Its launcher leaves it in the spool.
    fn said(&self, id: &str, state: &str) -> Vec<u8> {
        left(OF_A_TERMINAL, id, &self.status(state), TOKEN)
    }
}

fn left(kind: &str, id: &str, body: &Value, token: &str) -> Vec<u8> {
    encode(&Record::Report(Report {
        kind: kind.into(),
        id: id.into(),
        reported_at: super::bench::START.plus(-5_000),
        agent: Some("api".into()),
        agent_token: Some(token.into()),
        body: body.to_string().into_bytes(),
        is_transition: true,
        ..Report::default()
    }))
}

/// Headlines that the seat has had.
async fn headlines(bench: &Bench) -> Vec<String> {
    let log = bench.client().log().await;
    let changes = log.iter().filter(|event| event["type"] == "agent.status_changed");
    changes.map(|event| event["to"].as_str().unwrap().to_owned()).collect()
}

async fn comes_to(bench: &Bench, headline: &str) {
    let client = bench.client();
    let found = async {
        while client.headline("api").await != headline {
            tokio::task::yield_now().await;
        }
    };
    super::bench::soon(headline, found).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn how_a_process_ended_while_no_hub_was_there_its_launcher_has_left_in_the_spool() {
    let mut bench = Bench::new().await;
    let mut launch = Launch::new(&bench).await;
    let before = headlines(&bench).await;
    bench.stop().await;
    launch.end();
    fs::write(bench.home().join("spool/queue"), launch.exit(0, TOKEN)).unwrap();
    bench.start().await;
    let doc = bench.client().get(API).await.json();
    assert_eq!((&doc["headline"], &doc["process"]["code"]), (&json!("ended"), &json!(0)));
    let log = bench.client().log().await;
    let told = log.last().unwrap();
    assert_eq!((&told["to"], &told["spooled"]), (&json!("ended"), &json!(true)));
    assert_eq!(told["reported_at"], super::bench::START.plus(-5_000).to_string());
    // Read once more it says nothing new.
    fs::write(bench.home().join("spool/queue"), launch.exit(0, TOKEN)).unwrap();
    bench.hub().inbox().submit(Work::Spooled, None).await.unwrap();
    assert_eq!(bench.client().log().await, log);
    assert_eq!(headlines(&bench).await, [before, vec!["ended".to_owned()]].concat());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_found_gone_has_ended_as_the_spool_says() {
    let never = Duration::from_secs(3_600);
    let bench = Bench::with(Limits { idle_look: never, ..Limits::default() }).await;
    let mut launch = Launch::new(&bench).await;
    let before = headlines(&bench).await;
    // A link that is put there is none of the changes that the kernel tells.
    let written = bench.home().join("written");
    fs::write(&written, launch.exit(0, TOKEN)).unwrap();
    fs::hard_link(&written, bench.home().join("spool/queue")).unwrap();
    launch.end();
    comes_to(&bench, "ended").await;
    assert_eq!(headlines(&bench).await, [before, vec!["ended".to_owned()]].concat());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_launchers_late_word_explains_a_crash_also_behind_what_was_heard_since() {
    let bench = Bench::new().await;
    let mut launch = Launch::new(&bench).await;
    bench.client().report("api", "idle").await;
    launch.end();
    comes_to(&bench, "crashed").await;
    fs::write(bench.home().join("spool/queue"), launch.exit(0, TOKEN)).unwrap();
    comes_to(&bench, "ended").await;
    let doc = bench.client().get(API).await.json();
    assert_eq!((&doc["process"]["kind"], &doc["process"]["code"]), (&json!("clean"), &json!(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_earlier_launch_has_left_ends_no_later_one() {
    let bench = Bench::new().await;
    let mut launch = Launch::new(&bench).await;
    launch.end();
    comes_to(&bench, "crashed").await;
    let client = bench.client();
    let other = json!({ "token": TOKEN.replace('0', "f") }).to_string();
    assert_eq!(client.send("PUT", API, &[], other).await.status, 201);
    let words = [launch.said("said", "done"), launch.exit(0, TOKEN)].concat();
    fs::write(bench.home().join("spool/queue"), words).unwrap();
    bench.hub().inbox().submit(Work::Spooled, None).await.unwrap();
    assert!(!bench.home().join("spool/queue").exists());
    assert_eq!(client.headline("api").await, "starting");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_said_before_its_end_counts_though_both_wait_in_the_spool() {
    let mut bench = Bench::new().await;
    let mut launch = Launch::new(&bench).await;
    launch.tell(&bench, "said-1", "idle").await;
    bench.pass(2_000).await;
    launch.tell(&bench, "said-2", "working").await;
    assert_eq!(bench.client().headline("api").await, "working");
    bench.stop().await;
    launch.end();
    // The first of these was heard, which its launcher has not heard.
    let said =
        [("said-2", "working"), ("said-3", "done"), ("said-4", "working"), ("said-5", "done")];
    let mut words: Vec<u8> = said.iter().flat_map(|(id, state)| launch.said(id, state)).collect();
    words.extend(launch.exit(0, TOKEN));
    fs::write(bench.home().join("spool/queue"), words).unwrap();
    bench.start().await;
    let client = bench.client();
    let doc = client.get(API).await.json();
    let end = (&doc["headline"], &doc["outcome"]["kind"], &doc["process"]["code"]);
    assert_eq!(end, (&json!("ended"), &json!("completed"), &json!(0)), "{doc}");
    let log = client.log().await;
    let turns: Vec<_> = log.iter().filter(|event| event["type"] == "turn.completed").collect();
    assert_eq!(turns.len(), 2, "{log:?}");
    assert!(turns.iter().all(|turn| turn["spooled"] == true), "{turns:?}");
    // Behind its end nothing that it said brings it back.
    bench.clock.advance(60_000);
    fs::write(bench.home().join("spool/queue"), launch.said("said-6", "working")).unwrap();
    bench.hub().inbox().submit(Work::Spooled, None).await.unwrap();
    assert_eq!(client.headline("api").await, "ended");
    assert_eq!(client.log().await.len(), log.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_may_come_as_late_as_the_end_of_its_process_and_a_title_may_not() {
    let bench = Bench::new().await;
    let _launch = Launch::new(&bench).await;
    // It has started what sits in the seat, and is gone.
    let mut wrapper = std::process::Command::new("true").spawn().unwrap();
    let (pid, start_ticks) = crate::process::identity(wrapper.id()).unwrap();
    wrapper.wait().unwrap();
    let client = bench.client();
    let path = format!("{API}/terminal");
    for (what, code) in [(json!({"status": "state=idle"}), 202), (json!({"title": "x"}), 409)] {
        let mut body = json!({"pid": pid, "start_ticks": start_ticks});
        body.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        let told = client.send("POST", &path, &[], body.to_string()).await;
        assert_eq!(told.status.as_u16(), code, "{body}: {}", told.text());
    }
    assert_eq!(client.headline("api").await, "idle");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_that_is_told_again_is_kept_once() {
    let bench = Bench::new().await;
    let launch = Launch::new(&bench).await;
    let client = bench.client();
    let (path, body) = (format!("{API}/terminal"), launch.status("working").to_string());
    for code in [202, 200] {
        let told = client.send("POST", &path, &[("x-headsup-id", "said")], body.clone()).await;
        assert_eq!(told.status.as_u16(), code, "{}", told.text());
    }
    let bundle = client.get(&format!("{API}/evidence")).await.json();
    assert_eq!(bundle["kept"]["osc"], 1, "{bundle}");
}

/// What `headsup report` leaves where no hub has answered, a second after the start.
fn own_report(id: &str, agent: &str, turn: &str, token: Option<&str>) -> Vec<u8> {
    encode(&Record::Report(Report {
        kind: OF_AN_AGENT.into(),
        id: id.into(),
        reported_at: super::bench::START.plus(1_000),
        agent: Some(agent.into()),
        agent_token: token.map(str::to_owned),
        body: json!({ "turn": turn }).to_string().into_bytes(),
        is_transition: true,
        ..Report::default()
    }))
}

async fn fetch(bench: &Bench, records: &[Vec<u8>]) {
    fs::write(bench.home().join("spool/queue"), records.concat()).unwrap();
    bench.hub().inbox().submit(Work::Spooled, None).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_that_no_hub_has_heard_comes_from_the_spool_once_and_marked() {
    let mut bench = Bench::new().await;
    bench.stop().await;
    bench.clock.advance(2_000);
    let told =
        [own_report("a", "nightly", "working", None), own_report("b", "nightly", "done", None)];
    fs::write(bench.home().join("spool/queue"), told.concat()).unwrap();
    bench.start().await;
    let client = bench.client();
    let doc = client.get("/api/v1/agents/nightly").await.json();
    assert_eq!((&doc["headline"], &doc["kind"]), (&json!("done"), &json!("custom")));
    let log = client.log().await;
    assert!(log.iter().all(|event| event["spooled"] == true), "{log:?}");
    fetch(&bench, &told).await;
    assert_eq!(client.log().await, log);
    // One that the hub has heard, though nobody has heard that.
    let body = json!({"turn": "working"}).to_string();
    let path = "/api/v1/agents/nightly/reports";
    client.send("POST", path, &[("x-headsup-id", "c")], body).await;
    client.report("nightly", "done").await;
    let log = client.log().await;
    fetch(&bench, &[own_report("c", "nightly", "working", None)]).await;
    assert_eq!(client.log().await, log);
    assert_eq!(client.headline("nightly").await, "done");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_in_the_spool_is_of_whoever_is_called_so_and_of_its_launch_alone() {
    let bench = Bench::new().await;
    let _launch = Launch::new(&bench).await;
    bench.clock.advance(2_000);
    let client = bench.client();
    client.send("PATCH", API, &[], json!({"name": "front-end"}).to_string()).await;
    fetch(&bench, &[own_report("a", "front-end", "blocked", None)]).await;
    assert_eq!(client.headline("api").await, "blocked");
    let other = TOKEN.replace('0', "f");
    fetch(&bench, &[own_report("b", "api", "working", Some(&other))]).await;
    assert_eq!(client.headline("api").await, "blocked");
    fetch(&bench, &[own_report("c", "api", "working", Some(TOKEN))]).await;
    assert_eq!(client.headline("api").await, "working");
    assert_eq!(client.get("/api/v1/agents/front-end").await.status, 404);
}
