use super::bench::{Bench, Client, soon};
use crate::frame::Frame;
use crate::limits::{KEEP_ALIVE, Limits};
use headsup_core::event::{Event, EventBody};
use headsup_core::fold::{self, Folded};
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use headsup_core::wire::AgentDoc;
use http_body_util::BodyExt as _;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_begins_with_a_snapshot_and_goes_on() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    let head = client.head().await;
    let mut stream = client.events("").await;
    let snapshot = stream.next().await.unwrap();
    assert_eq!((snapshot.id, snapshot.event.as_str()), (Some(head), "snapshot"));
    assert_eq!(snapshot.data["schema"], 1);
    assert_eq!(snapshot.data["type"], "snapshot");
    assert_eq!(snapshot.data["cursor"], head.to_string());
    assert_eq!(snapshot.data["agents"][0]["id"], "claude-code-s1");
    client.hook("Stop", "s1", &[]).await;
    let next = stream.next().await.unwrap();
    assert_eq!(next.id, Some(head + 1));
    assert_eq!(next.data["cursor"], (head + 1).to_string());
    assert_eq!(next.data["type"], next.event);
    assert_eq!(client.log().await[usize::try_from(head).unwrap()], next.data);
}

#[tokio::test(flavor = "multi_thread")]
async fn cursors_are_resumed_and_meaningless_ones_are_told_so() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    let head = client.head().await;
    assert_eq!(client.events("?since=0").await.next().await.unwrap().id, Some(1));
    assert_eq!(client.events("?since=1").await.next().await.unwrap().id, Some(2));
    let resumed = client.events_with("?since=0", &[("last-event-id", "2")]).await.next().await;
    assert_eq!(resumed.unwrap().id, Some(3), "a browser's header is newer than its address");
    // Of a log that went further than this one, as before it was replaced.
    for cursor in ["99999", "18446744073709551616"] {
        let mut stream = client.events(&format!("?since={cursor}")).await;
        let expired = stream.next().await.unwrap();
        assert_eq!(
            (expired.event.as_str(), &expired.data["cursor"]),
            ("cursor_expired", &cursor.into())
        );
        let snapshot = stream.next().await.unwrap();
        assert_eq!((snapshot.event.as_str(), snapshot.id), ("snapshot", Some(head)));
    }
    for cursor in ["soon", "-4", "", "1.0"] {
        let refused = client.get(&format!("/api/v1/events?since={cursor}")).await;
        let said = (refused.status.as_u16(), refused.code());
        assert_eq!(said, (400, "bad_parameter".to_owned()), "{cursor}");
    }
    // A browser that is refused never comes back.
    let strange = client.events_with("", &[("last-event-id", "soon")]).await.next().await;
    assert_eq!(strange.unwrap().event, "cursor_expired");
    let mut now = client.events("?since=now").await;
    client.hook("Stop", "s1", &[]).await;
    assert_eq!(now.next().await.unwrap().id, Some(head + 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_does_not_follow_ends_at_the_logs_end() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    let head = client.head().await;
    assert_eq!(client.log().await.len() as u64, head);
    assert_eq!(client.events("?since=now&follow=false").await.next().await, None);
    let mut seed = client.events("?follow=false").await;
    assert_eq!(seed.next().await.unwrap().event, "snapshot");
    assert_eq!(seed.next().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_can_be_narrowed_to_agents_and_types() {
    let bench = Bench::new().await;
    let client = bench.client();
    let query = "?agent=claude-code-s1&type=turn.started&type=turn.completed";
    let mut live = client.events(query).await;
    assert_eq!(live.next().await.unwrap().event, "snapshot");
    for session in ["s1", "s2"] {
        client.hook("UserPromptSubmit", session, &[]).await;
        client.hook("Stop", session, &[]).await;
    }
    let mut stored = client.events(&format!("{query}&since=0&follow=false")).await;
    for event in ["turn.started", "turn.completed"] {
        let message = stored.next().await.unwrap();
        assert_eq!(
            (message.event.as_str(), &message.data["agent_id"]),
            (event, &"claude-code-s1".into())
        );
        assert_eq!(live.next().await.unwrap(), message);
    }
    assert_eq!(stored.next().await, None);
    let bad = client.get("/api/v1/events?type=turn.begun").await;
    assert_eq!((bad.status.as_u16(), bad.code().as_str()), (400, "bad_event_type"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_that_is_too_old_is_told_so() {
    let limits = Limits { events: 20, ..Limits::default() };
    let bench = Bench::with(limits).await;
    let client = bench.client();
    for n in 0..30 {
        client.hook(["UserPromptSubmit", "Stop"][n % 2], "s1", &[]).await;
    }
    let head = client.head().await;
    let pruned = async {
        while client.log().await.len() > 20 {
            tokio::task::yield_now().await;
        }
    };
    soon("pruning", pruned).await;
    let mut stream = client.events("?since=3").await;
    let expired = stream.next().await.unwrap();
    let oldest = (head - 19).to_string();
    assert_eq!(
        expired.data,
        serde_json::json!({"schema": 1, "type": "cursor_expired", "cursor": "3", "oldest": oldest})
    );
    let snapshot = stream.next().await.unwrap();
    assert_eq!((snapshot.event.as_str(), snapshot.id), ("snapshot", Some(head)));
    client.hook("UserPromptSubmit", "s1", &[]).await;
    assert_eq!(stream.next().await.unwrap().id, Some(head + 1));
    // The seat has outlived the events that made it.
    assert_eq!(client.headline("claude-code-s1").await, "working");
}

#[tokio::test(flavor = "multi_thread")]
async fn how_long_an_agent_has_been_as_it_is_outlives_the_events_that_told_of_it() {
    let bench = Bench::with(Limits { events: 20, ..Limits::default() }).await;
    let client = bench.client();
    client.report("quiet", "working").await;
    for n in 0..30 {
        client.hook(["UserPromptSubmit", "Stop"][n % 2], "s1", &[]).await;
    }
    let pruned = async {
        while client.log().await.iter().any(|event| event["agent_id"] == "quiet") {
            tokio::task::yield_now().await;
        }
    };
    soon("pruning", pruned).await;
    bench.clock.advance(5_000);
    let history = client.get("/api/v1/agents/quiet/history").await.json();
    let told = client.get("/api/v1/agents/quiet").await.json();
    let all = history["intervals"].as_array().unwrap();
    assert_eq!(all.len(), 1, "{history}");
    assert_eq!(all[0]["headline"], "working");
    assert_eq!(all[0]["from"], told["since"]);
}

// On paused time: it moves on only when nobody can do anything but wait.
#[tokio::test(start_paused = true)]
async fn a_silent_stream_shows_that_it_is_alive() {
    let bench = Bench::new().await;
    let response = bench.client().open("GET", "/api/v1/events?since=now", &[], "").await;
    let mut body = response.into_body();
    let start = tokio::time::Instant::now();
    let up_to_date = soon("that it has caught up", body.frame()).await.unwrap().unwrap();
    assert_eq!(up_to_date.into_data().unwrap(), ": up to date\n\n");
    let comment = soon("a sign of life", body.frame()).await.unwrap().unwrap();
    assert_eq!(comment.into_data().unwrap(), ": still here\n\n");
    assert_eq!(start.elapsed().as_secs(), 15);
}

/// Over a restart nothing may have happened, and nothing may for long.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_back_is_told_that_it_has_missed_nothing() {
    let mut bench = Bench::new().await;
    bench.client().report("a", "working").await;
    let head = bench.client().head().await;
    bench.restart().await;
    let client = bench.client();
    let path = format!("/api/v1/events?since={head}&agent=a");
    let mut body = client.open("GET", &path, &[], "").await.into_body();
    let piece = soon("a word", body.frame()).await.unwrap().unwrap();
    assert_eq!(piece.into_data().unwrap(), ": up to date\n\n");
    // Behind what was missed, and not before it.
    let mut body = client.open("GET", "/api/v1/events?since=0", &[], "").await.into_body();
    let mut text = Vec::new();
    while !text.ends_with(b": up to date\n\n") {
        let piece = soon("a piece", body.frame()).await.unwrap().unwrap();
        text.extend_from_slice(&piece.into_data().unwrap());
    }
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.matches("\nevent: ").count() as u64, head, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_with_a_damaged_page_says_so_and_where_it_goes_on() {
    let mut bench = Bench::new().await;
    for n in 0..200 {
        bench.client().report(&format!("a{n}"), "working").await;
    }
    let middle = bench.client().head().await / 2;
    bench.stop().await;
    let database = bench.home().join("headsup.db");
    let mut bytes = std::fs::read(&database).unwrap();
    let event = format!("\"cursor\":\"{middle}\"");
    let has_it = |page: &[u8]| page.windows(event.len()).any(|at| at == event.as_bytes());
    let mut pages = bytes.chunks_exact_mut(4_096);
    pages.find(|page| page[0] == 13 && has_it(page)).unwrap().fill(0xAA);
    std::fs::write(&database, bytes).unwrap();
    bench.start().await;
    let client = bench.client();
    let head = client.head().await;
    for follow in ["true", "false"] {
        let mut stream = client.events(&format!("?since=0&follow={follow}")).await;
        let mut last = 0;
        let expired = loop {
            let message = stream.next().await.unwrap();
            let Some(id) = message.id else { break message };
            assert_eq!(id, last + 1);
            last = id;
        };
        assert_eq!(expired.event, "cursor_expired");
        assert_eq!(expired.data["cursor"], last.to_string());
        let oldest = expired.data["oldest"].as_str().unwrap().parse::<u64>().unwrap();
        assert!(last < middle && middle < oldest && oldest <= head, "{last} {middle} {oldest}");
        let snapshot = stream.next().await.unwrap();
        assert_eq!((snapshot.event.as_str(), snapshot.id), ("snapshot", Some(head)));
        let behind = format!("?since={}&follow=false", oldest - 1);
        let mut behind = client.events(&behind).await;
        for id in oldest..=head {
            assert_eq!(behind.next().await.unwrap().id, Some(id));
        }
        assert_eq!(behind.next().await, None);
    }
}

/// Posts `posts` prompts and stops for one session.
async fn post(client: Client, session: String, posts: usize) {
    for n in 0..posts {
        let reply = client.hook(["UserPromptSubmit", "Stop"][n % 2], &session, &[]).await;
        assert_eq!(reply.status, 202);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reconnecting_anywhere_leaves_no_gap_and_repeats_nothing() {
    let bench = Bench::new().await;
    let client = bench.client();
    let posters: Vec<_> =
        (0..4).map(|n| tokio::spawn(post(client.clone(), format!("s{n}"), 60))).collect();
    let watcher = async {
        let mut heard = Vec::new();
        let mut cuts = 0_u64;
        // The end is where the posters' last event is, known once they are done.
        while heard.last().is_none_or(|last| *last < 500) {
            let since = heard.last().copied().unwrap_or(0);
            let mut stream = client.events(&format!("?since={since}")).await;
            cuts += 1;
            for _ in 0..=(cuts * 7 % 23) {
                let message = stream.next().await.unwrap();
                heard.push(message.id.expect("an event, nothing else"));
                if heard.last().is_some_and(|last| *last >= 500) {
                    break;
                }
            }
        }
        (heard, cuts)
    };
    let (heard, cuts) = soon("500 events", watcher).await;
    for poster in posters {
        poster.await.unwrap();
    }
    assert_eq!(heard, (1..=500).collect::<Vec<u64>>());
    assert!(cuts > 20, "{cuts}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_lags_is_told_and_holds_up_nobody() {
    let limits = Limits { bus: 16, ..Limits::default() };
    let bench = Bench::with(limits).await;
    let client = bench.client();
    let mut slow = client.events("").await;
    assert_eq!(slow.next().await.unwrap().event, "snapshot");
    // It does not read. Every post is answered all the same, far beyond what any buffer holds.
    let detail = "x".repeat(4_000);
    for n in 0..400 {
        let body = format!("{{\"turn\":\"blocked\",\"detail\":\"{n}{}\"}}", &detail[4..]);
        let turn = if n % 2 == 0 { body } else { "{\"turn\":\"working\"}".to_owned() };
        assert_eq!(client.send("POST", "/api/v1/agents/a/reports", &[], turn).await.status, 202);
    }
    let mut last = 0;
    let lagged = loop {
        let message = slow.next().await.unwrap();
        match message.id {
            Some(id) => {
                assert!(last == 0 || id == last + 1, "a gap before {id} without a word");
                last = id;
            }
            None => break message,
        }
    };
    assert_eq!(lagged.event, "lagged");
    let place = |name: &str| lagged.data[name].as_str().unwrap().parse::<u64>().unwrap();
    assert_eq!(place("from"), last + 1);
    let snapshot = slow.next().await.unwrap();
    assert_eq!((snapshot.event.as_str(), snapshot.id), ("snapshot", Some(place("to"))));
    assert!(client.metric("headsup_lagged_total").await >= 1);
    // From here on it hears everything again.
    client.report("b", "working").await;
    let next = slow.next_of("agent.registered").await;
    assert_eq!(next.data["agent_id"], "b");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_snapshot_is_the_fold_of_the_log() {
    let bench = Bench::new().await;
    let client = bench.client();
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"] {
        for session in ["s1", "s2", "s3"] {
            client.hook(event, session, &[]).await;
        }
    }
    client.hook("SessionEnd", "s2", &[]).await;
    client.report("script", "failed").await;
    client.send("POST", "/api/v1/agents/claude-code-s1/seen", &[], "").await;
    client.send("DELETE", "/api/v1/agents/claude-code-s3?force=true", &[], "").await;
    let mut folded = BTreeMap::new();
    for event in client.log().await {
        let event: Event = serde_json::from_value(event).unwrap();
        fold::apply(&mut folded, &event);
    }
    let roster = client.get("/api/v1/agents?all=true").await.json();
    let docs: Vec<AgentDoc<'static>> = serde_json::from_value(roster["agents"].clone()).unwrap();
    let shown: BTreeMap<_, _> =
        docs.iter().map(|doc| (doc.id.clone(), Folded::from(doc))).collect();
    assert_eq!(folded, shown);
    assert_eq!(shown.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_view_of_the_state_tells_how_each_agent_is_and_nothing_twice() {
    let bench = Bench::new().await;
    let client = bench.client();
    for turn in ["working", "blocked", "working", "done"] {
        for agent in ["a", "b", "gone"] {
            client.report(agent, turn).await;
        }
    }
    client.send("DELETE", "/api/v1/agents/gone?force=true", &[], "").await;
    let head = client.head().await;
    let stored = "/api/v1/events?view=state&since=0&follow=false";
    let mut stream = client.events(stored.strip_prefix("/api/v1/events").unwrap()).await;
    let (mut heard, mut last) = (BTreeMap::new(), None);
    while let Some(message) = stream.next().await {
        let agent = message.data["agent_id"].as_str().unwrap().to_owned();
        let headline = message.data["agent"]["headline"].as_str().map(str::to_owned);
        assert_eq!(heard.insert(agent, (message.event, headline)), None, "one message each");
        last = message.id;
    }
    let done = || ("agent.updated".to_owned(), Some("done".to_owned()));
    let expected = [("a", done()), ("b", done()), ("gone", ("agent.forgotten".to_owned(), None))];
    assert_eq!(heard, expected.map(|(id, told)| (id.to_owned(), told)).into());
    // Only behind the last of them is nothing missing.
    assert_eq!(last, Some(head));
    let mut live = client.events("?view=state&agent=a").await;
    assert_eq!(live.next().await.unwrap().event, "snapshot");
    client.report("b", "working").await;
    client.report("a", "working").await;
    let told = live.next().await.unwrap();
    assert_eq!((told.event.as_str(), &told.data["agent"]["id"]), ("agent.updated", &"a".into()));
    assert_eq!(told.data["agent"]["headline"], "working");
    for path in ["/api/v1/events?view=rows", "/api/v1/ws?view=rows"] {
        let upgrade = [
            ("connection", "upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="),
        ];
        let refused = client.send("GET", path, &upgrade, "").await;
        assert_eq!(refused.code(), "bad_parameter", "{path}");
        assert_eq!(refused.json()["allowed"], serde_json::json!(["events", "state"]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_reads_the_state_slowly_is_never_told_of_a_lag() {
    let bench = Bench::with(Limits { bus: 16, ..Limits::default() }).await;
    let client = bench.client();
    let mut slow = client.events("?view=state").await;
    // It does not read while much more is said than any buffer holds.
    let detail = "x".repeat(4_000);
    for n in 0..400 {
        let turn = ["working", "blocked"][n % 2];
        let body = format!("{{\"turn\":\"{turn}\",\"detail\":\"{n}{}\"}}", &detail[4..]);
        assert_eq!(client.send("POST", "/api/v1/agents/a/reports", &[], body).await.status, 202);
    }
    client.report("a", "done").await;
    let (head, mut last) = (client.head().await, 0);
    loop {
        let message = slow.next().await.unwrap();
        assert!(["snapshot", "agent.updated"].contains(&message.event.as_str()), "{message:?}");
        last = last.max(message.id.expect("each is a place in the log"));
        let agent = match message.event.as_str() {
            "snapshot" => &message.data["agents"][0],
            _ => &message.data["agent"],
        };
        if last == head {
            assert_eq!(agent["headline"], "done");
            break;
        }
    }
    assert_eq!(client.metric("headsup_lagged_total").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_crowd_everybody_is_told_everything_once_and_in_order() {
    let bench = Bench::new().await;
    let client = bench.client();
    for agent in ["a", "b"] {
        client.report(agent, "working").await;
    }
    let queries = ["?since=0", "?since=0&agent=a", "?since=0&type=turn.started", "?view=state"];
    let mut crowd = Vec::new();
    for query in queries.repeat(6) {
        crowd.push((query, client.events(query).await));
    }
    for n in 0..120 {
        let (agent, turn) = (["a", "b"][n % 2], ["idle", "working"][n / 2 % 2]);
        client.report(agent, turn).await;
    }
    for agent in ["b", "a"] {
        client.report(agent, "working").await;
    }
    let log = client.log().await;
    let wanted = |query: &str| -> Vec<u64> {
        let is_wanted = |event: &&serde_json::Value| match query {
            "?since=0&agent=a" => event["agent_id"] == "a",
            "?since=0&type=turn.started" => event["type"] == "turn.started",
            _ => true,
        };
        let wanted = log.iter().filter(is_wanted);
        wanted.map(|event| event["cursor"].as_str().unwrap().parse().unwrap()).collect()
    };
    for (query, mut stream) in crowd {
        let (wanted, mut told) = (wanted(query), Vec::new());
        while told.last() != wanted.last() {
            told.extend(stream.next().await.unwrap().id);
        }
        match query {
            "?view=state" => assert!(told.is_sorted(), "{told:?}"),
            _ => assert_eq!(told, wanted, "{query}"),
        }
    }
    assert_eq!(client.metric("headsup_lagged_total").await, 0);
}

/// The second one is told at the end of the first one's window, with what has come by then.
#[tokio::test]
async fn in_a_crowd_what_comes_in_one_window_is_one_write() {
    let frame = |turn_seq: u64, made: Instant| {
        let (agent_id, body) = (AgentId::new("a").unwrap(), EventBody::TurnStarted { turn_seq });
        let (schema, cursor, at) = (1, turn_seq.to_string(), UnixMs(0));
        let event = Event { schema, cursor, at, agent_id, spooled: false, reported_at: None, body };
        let mut frame = Frame::new(turn_seq, &event).unwrap();
        frame.made = made;
        Arc::new(frame)
    };
    for (others, writes) in [(15, vec![1, 1, 1]), (16, vec![1, 2])] {
        for query in ["?since=0", "?since=0&agent=a"] {
            let bench = Bench::new().await;
            let bus = &bench.hub().app().bus;
            // Sooner than a silence is proved to be one.
            let made = Instant::now() + KEEP_ALIVE / 2;
            let _crowd: Vec<_> = (0..others).map(|_| bus.subscribe()).collect();
            let path = format!("/api/v1/events{query}");
            let mut body = bench.client().open("GET", &path, &[], "").await.into_body();
            let up_to_date = body.frame().await.unwrap().unwrap().into_data().unwrap();
            assert_eq!(&up_to_date[..], b": up to date\n\n");
            tokio::time::pause();
            let mut told = Vec::new();
            for seq in 1..=3 {
                bus.publish([frame(seq, made)]);
                if seq == 1 || told.len() + 1 < writes.len() || seq == 3 {
                    let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
                    let piece = String::from_utf8(piece.to_vec()).unwrap();
                    told.push(piece.matches("id: ").count());
                } else {
                    // Whoever would be told at once is by then.
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
            assert_eq!(told, writes, "{others} others, {query}");
            tokio::time::resume();
        }
    }
}
