//! Questions to a person: opened once, answered once, kept.

use super::bench::{Bench, Client, Headers, Reply};
use serde_json::{Value, json};
use std::collections::HashSet;

pub(super) const OPEN: &str = "/api/v1/agents/api/prompts";
/// Whoever sends this is the agent itself.
pub(super) const AS_API: Headers<'static> = &[("x-headsup-agent", "api")];

pub(super) fn question() -> Value {
    json!({
        "question": "Which database?", "default_action": "use SQLite",
        "options": ["Postgres", {"label": "SQLite", "value": "lite", "description": "a file"}],
    })
}

/// Asks in the agent's name.
pub(super) async fn ask(client: &Client, body: Value) -> Reply {
    client.send("POST", OPEN, AS_API, body.to_string()).await
}

/// An agent asks its client, by the protocol that drives it.
pub(super) async fn asks_its_client(bench: &Bench) {
    for (event, method) in
        [("turn_started", "session/prompt"), ("prompt_opened", "session/request_permission")]
    {
        let path = format!("/api/v1/hooks/acp:some?event={event}");
        let body = json!({"event": event, "method": method, "id": "0", "sessionId": "s",
            "turn_id": "7.1", "title": "touch x"});
        let reply = bench.client().send("POST", &path, AS_API, body.to_string()).await;
        assert_eq!(reply.status.as_u16(), 202, "{}", reply.text());
    }
    bench.pass(2_000).await;
}

/// The id of a question that was asked.
pub(super) async fn asked(client: &Client, body: Value) -> String {
    let reply = ask(client, body).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.json()["id"].as_str().unwrap().to_owned()
}

pub(super) async fn answer(client: &Client, id: &str, body: Value) -> Reply {
    client.send("POST", &format!("/api/v1/prompts/{id}/answer"), &[], body.to_string()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_blocks_its_agent_until_a_person_answers_and_stays_to_be_read() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    let opened = ask(&client, question()).await;
    assert_eq!(opened.status, 201, "{}", opened.text());
    let doc = opened.json();
    assert_eq!((&doc["id"], &doc["kind"]), (&json!("api-p1"), &json!("input")));
    assert_eq!((&doc["title"], &doc["body"]), (&json!("Which database?"), &json!(null)));
    assert_eq!(doc["options"][1]["value"], "lite");
    assert_eq!((&doc["remaining_seconds"], &doc["state"]), (&json!(1_800), &json!("open")));
    assert_eq!(doc["answerable"], json!(["api"]));
    assert_eq!(client.headline("api").await, "blocked");
    let agent = client.get("/api/v1/agents/api").await.json();
    assert_eq!(agent["stage"]["state"], "awaiting_input");
    assert_eq!(agent["prompts"][0]["id"], "api-p1");
    // It survives a restart, and the end of whoever asked.
    bench.restart().await;
    let client = bench.client();
    let list = client.get("/api/v1/prompts?state=open").await.json();
    assert_eq!(list["prompts"][0]["id"], "api-p1");
    let won = answer(&client, "api-p1", json!({"option": 2, "via": "cli"})).await;
    assert_eq!(won.status, 200, "{}", won.text());
    let resolution = won.json()["resolution"].clone();
    assert_eq!((&resolution["by"], &resolution["value"]), (&json!("human"), &json!("lite")));
    assert_eq!(resolution["via"], "cli");
    assert!(resolution["actor"].as_str().is_some_and(|actor| !actor.is_empty()));
    let agent = client.get("/api/v1/agents/api").await.json();
    assert_eq!((&agent["stage"]["state"], &agent["prompts"]), (&json!("working"), &json!([])));
    let kinds: Vec<_> = client.log().await.iter().map(|event| event["type"].clone()).collect();
    for kind in ["prompt.opened", "prompt.resolved"] {
        assert_eq!(kinds.iter().filter(|of| **of == kind).count(), 1, "{kind}: {kinds:?}");
    }
    bench.restart().await;
    let client = bench.client();
    let kept = client.get("/api/v1/prompts/api-p1").await.json();
    assert_eq!((&kept["state"], &kept["resolution"]), (&json!("resolved"), &resolution));
    let list = client.get("/api/v1/prompts?state=resolved&agent=api").await.json();
    assert_eq!(list["prompts"][0]["id"], "api-p1");
    assert_eq!(client.get("/api/v1/prompts").await.json()["prompts"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_ends_with_nothing_that_its_agents_process_does() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"] {
        client.hook(event, "s1", AS_API).await;
        assert_eq!(client.headline("api").await, "blocked", "{event}");
    }
    client.hook("SessionEnd", "s1", AS_API).await;
    assert_eq!(client.headline("api").await, "ended");
    let list = client.get("/api/v1/prompts?state=open").await.json();
    assert_eq!(list["prompts"][0]["id"], id.as_str());
    assert_eq!(answer(&client, &id, json!({"value": "Postgres"})).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_answer_wins_and_a_later_one_is_told_who_was_first() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    let first = [("x-headsup-id", "click-1")];
    let path = format!("/api/v1/prompts/{id}/answer");
    let body = json!({"value": "Postgres", "via": "web"}).to_string();
    assert_eq!(client.send("POST", &path, &first, body.clone()).await.status, 200);
    bench.pass(5_000).await;
    let late = answer(&client, &id, json!({"value": "lite"})).await;
    assert_eq!((late.status.as_u16(), late.code().as_str()), (409, "already_resolved"));
    let told = late.json();
    let winner = &told["resolution"];
    assert_eq!((&winner["value"], &winner["via"]), (&json!("Postgres"), &json!("web")));
    assert!(winner["actor"].is_string() && winner["at"].is_string(), "{told}");
    let detail = told["detail"].as_str().unwrap();
    assert!(detail.contains("Postgres") && detail.contains("in the browser"), "{detail}");
    // The same request again is the same answer; its id for another one is none.
    let again = client.send("POST", &path, &first, body).await;
    assert_eq!((again.status.as_u16(), &again.json()["replayed"]), (200, &json!(true)));
    let other = client.send("POST", &path, &first, json!({"value": "lite"}).to_string()).await;
    assert_eq!((other.status.as_u16(), other.code().as_str()), (422, "idempotency_mismatch"));
    assert_eq!(other.json()["resolution"]["value"], "Postgres");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_answer_changes_nothing() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    let head = client.head().await;
    for (body, status, code) in [
        (json!({"value": "purple"}), 422, "invalid_option"),
        (json!({"option": 3}), 422, "invalid_option"),
        (json!({"option": 0}), 422, "invalid_option"),
        (json!({"option": [1, 2]}), 422, "invalid_option"),
        (json!({"allow": true}), 422, "invalid_option"),
        (json!({}), 400, "bad_answer"),
        (json!({"value": ""}), 400, "bad_answer"),
        (json!({"value": "lite", "option": 1}), 400, "bad_answer"),
        (json!({"value": "lite", "via": "comment"}), 400, "bad_answer"),
        (json!({"value": "lite", "via": "pigeon"}), 400, "bad_json"),
        (json!({"value": "lite", "by": "me"}), 400, "bad_json"),
        (json!({"option": -1}), 400, "bad_json"),
    ] {
        let reply = answer(&client, &id, body.clone()).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (status, code), "{body}");
        if body.get("via").is_some() {
            let allowed = json!(["web", "cli", "tui", "api", "notification"]);
            assert_eq!(reply.json()["allowed"], allowed, "{body}");
        }
        if code == "invalid_option" {
            assert_eq!(reply.json()["options"].as_array().unwrap().len(), 2);
        }
    }
    for id in ["api-p9", "nobody-p1", "api", "a%2fb-p1", "api-px"] {
        let reply = answer(&client, id, json!({"value": "x"})).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (404, "no_such_prompt"), "{id}");
    }
    assert_eq!(client.head().await, head);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_question_is_asked_once() {
    let bench = Bench::new().await;
    let client = bench.client();
    let mut body = question();
    body["dedupe_key"] = json!("db");
    let id = asked(&client, body.clone()).await;
    let again = ask(&client, body.clone()).await;
    assert_eq!((again.status.as_u16(), &again.json()["id"]), (200, &json!(id)));
    // Two at once, under a key and under a request.
    let request = [AS_API[0], ("x-headsup-id", "ask-1")];
    let first = client.send("POST", OPEN, &request, question().to_string()).await;
    let second = client.send("POST", OPEN, &request, question().to_string()).await;
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (201, 200));
    assert_eq!(first.json()["id"], second.json()["id"]);
    // Whoever asks again after the answer gets the answer.
    answer(&client, &id, json!({"option": 1})).await;
    let after = ask(&client, body).await;
    assert_eq!((after.status.as_u16(), &after.json()["state"]), (200, &json!("resolved")));
    answer(&client, first.json()["id"].as_str().unwrap(), json!({"option": 1})).await;
    let after = client.send("POST", OPEN, &request, question().to_string()).await;
    assert_eq!(after.json()["resolution"]["value"], "Postgres");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_questions_stand_side_by_side_and_the_work_goes_on_behind_the_last() {
    let bench = Bench::new().await;
    let client = bench.client();
    let one = asked(&client, question()).await;
    let mut many = question();
    many["multi_select"] = json!(true);
    let two = asked(&client, many).await;
    let stage = async || client.get("/api/v1/agents/api").await.json()["stage"]["state"].clone();
    assert_eq!(answer(&client, &two, json!({"option": [2, 1]})).await.status, 200);
    assert_eq!(stage().await, "awaiting_input");
    let both = client.get(&format!("/api/v1/prompts/{two}")).await.json();
    assert_eq!(both["resolution"]["values"], json!(["lite", "Postgres"]));
    let cancel = format!("/api/v1/prompts/{one}/cancel");
    let cancelled = client.send("POST", &cancel, AS_API, "").await;
    assert_eq!(cancelled.json()["resolution"]["by"], "cancelled", "{}", cancelled.text());
    assert_eq!(stage().await, "working");
    assert_eq!(answer(&client, &one, json!({"option": 1})).await.code(), "already_resolved");
    for number in 0..16 {
        asked(&client, json!({"question": format!("{number}?"), "default_action": "-"})).await;
    }
    let full = ask(&client, question()).await;
    assert_eq!(
        (full.code().as_str(), &full.json()["retryable"]),
        ("too_many_prompts", &json!(true))
    );
    assert!(full.json()["detail"].as_str().unwrap().contains("16 of one agent"), "{}", full.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_question_is_refused_in_words() {
    let bench = Bench::new().await;
    let client = bench.client();
    let with = |name: &str, value: Value| {
        let mut body = question();
        body[name] = value;
        body
    };
    let labelled = |options: &[(&str, &str)]| {
        let option = |(label, value): &(&str, &str)| json!({"label": label, "value": value});
        Value::Array(options.iter().map(option).collect())
    };
    for (body, status, code) in [
        (json!({"question": "?"}), 400, "bad_json"),
        (with("question", json!(" ")), 400, "bad_question"),
        (with("default_action", json!("")), 400, "bad_question"),
        (with("timeout_minutes", json!(0)), 400, "bad_timeout"),
        (with("timeout_minutes", json!(121)), 400, "bad_timeout"),
        (with("timeout_minutes", json!(1.5)), 400, "bad_json"),
        (with("options", json!(["a", "a"])), 400, "bad_question"),
        (with("options", json!(["2", "\u{ff12}"])), 400, "bad_question"),
        (with("options", labelled(&[("x", "1"), ("x", "2")])), 400, "bad_question"),
        (with("options", labelled(&[("Keep", "Drop"), ("Drop", "Keep")])), 400, "bad_question"),
        (with("options", labelled(&[("a", "1"), ("1", "b")])), 400, "bad_question"),
        (with("options", json!([["Yes", "No", null]])), 400, "bad_json"),
        (with("options", json!([{"label": "a", "colour": "red"}])), 400, "bad_json"),
        (with("options", json!((0..21).collect::<Vec<_>>())), 400, "bad_json"),
        (
            with("options", json!((0..21).map(|n| n.to_string()).collect::<Vec<_>>())),
            400,
            "bad_question",
        ),
        (with("options", json!([7])), 400, "bad_json"),
        (with("colour", json!("red")), 400, "bad_json"),
        (with("question", json!("x".repeat(5_000))), 400, "too_long"),
        (
            json!({"question": "?", "default_action": "-", "risk": "high", "on_timeout": "default"}),
            422,
            "risky_default",
        ),
    ] {
        let reply = ask(&client, body.clone()).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (status, code), "{body}");
    }
    assert_eq!(client.head().await, 0, "nobody was made known by it");
    let nobody = client.send("POST", OPEN, &[], question().to_string()).await;
    assert_eq!(nobody.code(), "no_such_agent");
    for path in ["/api/v1/prompts?state=x", "/api/v1/prompts?limit=0", "/api/v1/prompts?x=1"] {
        assert_eq!(client.get(path).await.status, 400, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_for_an_answer_has_it_at_once() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    let waits = {
        let (client, path) = (client.clone(), format!("/api/v1/prompts/{id}?wait_seconds=300"));
        tokio::spawn(async move { client.get(&path).await.json() })
    };
    answer(&client, &id, json!({"option": 1})).await;
    assert_eq!(waits.await.unwrap()["resolution"]["value"], "Postgres");
    let id = asked(&client, question()).await;
    let open = client.get(&format!("/api/v1/prompts/{id}?wait_seconds=1")).await.json();
    assert_eq!(open["state"], "open");
    let long = client.get(&format!("/api/v1/prompts/{id}?wait_seconds=301")).await;
    assert_eq!(long.code(), "bad_parameter");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_may_wait_for_the_answer_in_the_same_call() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "working").await;
    let mut opened = client.events("?since=0&type=prompt.opened").await;
    let with = |seconds: Value| {
        let mut body = question();
        body["wait_seconds"] = seconds;
        body
    };
    let waits = {
        let (client, body) = (client.clone(), with(json!(300)));
        tokio::spawn(async move { ask(&client, body).await })
    };
    let id = opened.next_of("prompt.opened").await.data["prompt"]["id"].clone();
    assert_eq!(answer(&client, id.as_str().unwrap(), json!({"option": 1})).await.status, 200);
    let reply = waits.await.unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
    let doc = reply.json();
    assert_eq!((&doc["id"], &doc["state"]), (&id, &json!("resolved")));
    assert_eq!(doc["resolution"]["value"], "Postgres");
    for seconds in [0, 1] {
        let reply = ask(&client, with(json!(seconds))).await;
        assert_eq!((reply.status.as_u16(), &reply.json()["state"]), (201, &json!("open")));
    }
    let head = client.head().await;
    for (seconds, code) in [
        (json!(301), "bad_parameter"),
        (json!(5_000_000_000_u64), "bad_parameter"),
        (json!(-1), "bad_json"),
        (json!("30"), "bad_json"),
    ] {
        let reply = ask(&client, with(seconds.clone())).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (400, code), "{seconds}");
        assert!(reply.text().contains("0 to 300"), "{}", reply.text());
    }
    assert_eq!(client.head().await, head, "nothing was asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_own_dialog_is_answered_in_its_terminal() {
    let bench = Bench::new().await;
    let client = bench.client();
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest"] {
        client.hook(event, "s1", AS_API).await;
    }
    client
        .send(
            "PATCH",
            "/api/v1/agents/api",
            &[("content-type", "application/json")],
            r#"{"tmux":"%7"}"#,
        )
        .await;
    bench.pass(2_000).await;
    let list = client.get("/api/v1/prompts").await.json();
    let id = list["prompts"][0]["id"].as_str().unwrap().to_owned();
    let reply = answer(&client, &id, json!({"allow": true})).await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (409, "terminal_only"));
    let told = reply.json();
    assert!(told["detail"].as_str().unwrap().contains("tmux %7"), "{told}");
    assert_eq!(told["location"]["tmux"], "%7");
    client.hook("PostToolUse", "s1", AS_API).await;
    let kept = client.get(&format!("/api/v1/prompts/{id}")).await.json();
    assert_eq!(kept["resolution"]["by"], "elsewhere");
    assert_eq!(answer(&client, &id, json!({"allow": true})).await.code(), "already_resolved");
}

/// It has no terminal of its own.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_asks_by_a_protocol_is_answered_in_its_client() {
    let bench = Bench::new().await;
    let client = bench.client();
    asks_its_client(&bench).await;
    let list = client.get("/api/v1/prompts").await.json();
    let id = list["prompts"][0]["id"].as_str().unwrap().to_owned();
    let reply = answer(&client, &id, json!({"allow": true})).await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (409, "terminal_only"));
    let detail = reply.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("in the client that drives its agent"), "{detail}");
    assert!(!detail.contains("terminal"), "{detail}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_64_racers_one_wins_and_all_others_are_told_who() {
    let bench = Bench::new().await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let client = bench.client();
    for _ in 0..8 {
        let id = asked(&client, question()).await;
        let mut racers = tokio::task::JoinSet::new();
        for racer in 0..64 {
            let via = ["web", "cli", "api", "tui"][racer % 4];
            let (client, id, bearer) = (
                if racer % 2 == 0 { client.clone() } else { tcp.clone() },
                id.clone(),
                bearer.clone(),
            );
            racers.spawn(async move {
                let key = format!("{id}-{racer}");
                let headers = [("x-headsup-id", key.as_str()), ("authorization", bearer.as_str())];
                let body = json!({"option": racer % 2 + 1, "via": via}).to_string();
                let path = format!("/api/v1/prompts/{id}/answer");
                client.send("POST", &path, &headers, body).await
            });
        }
        let replies = racers.join_all().await;
        let won = replies.iter().filter(|reply| reply.status == 200).count();
        assert_eq!(won, 1);
        let said: HashSet<String> =
            replies.iter().map(|reply| reply.json()["resolution"].to_string()).collect();
        assert_eq!(said.len(), 1, "{said:?}");
        let kinds = client.log().await;
        let resolved = kinds.iter().filter(|event| {
            event["type"] == "prompt.resolved" && event["prompt"]["id"] == id.as_str()
        });
        assert_eq!(resolved.count(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_acknowledged_survives_a_kill_and_is_the_same_again() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    let path = format!("/api/v1/prompts/{id}/answer");
    let headers = [("x-headsup-id", "click-9")];
    let body = json!({"option": 2}).to_string();
    assert_eq!(client.send("POST", &path, &headers, body.clone()).await.status, 200);
    // The reply may have been lost: the same request again, at what a killed hub has left.
    let after = bench.killed_now().await;
    let client = after.client();
    let again = client.send("POST", &path, &headers, body).await;
    assert_eq!((again.status.as_u16(), &again.json()["replayed"]), (200, &json!(true)));
    assert_eq!(again.json()["resolution"]["value"], "lite");
    assert_eq!(answer(&client, &id, json!({"option": 1})).await.code(), "already_resolved");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_agents_questions_are_taken_back_and_their_ids_are_not_used_again() {
    let bench = Bench::new().await;
    let client = bench.client();
    let id = asked(&client, question()).await;
    client.send("DELETE", "/api/v1/agents/api?force=true", &[], "").await;
    let kept = client.get(&format!("/api/v1/prompts/{id}")).await.json();
    assert_eq!(kept["resolution"]["by"], "cancelled");
    // Nothing is told of an agent that it has not done.
    let log = client.log().await;
    let moves = |event: &&Value| event["type"] == "agent.status_changed";
    let told = log.iter().filter(moves).map(|event| event["to"].as_str().unwrap());
    assert_eq!(told.collect::<Vec<_>>(), ["unknown", "blocked"], "{log:?}");
    assert_ne!(asked(&client, question()).await, id);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_prompt_has_the_id_of_a_forgotten_agents_dialog() {
    let bench = Bench::new().await;
    let client = bench.client();
    let forget = || client.send("DELETE", "/api/v1/agents/api?force=true", &[], "");
    let dialog = async || {
        client.report("api", "blocked").await;
        let doc = client.get("/api/v1/agents/api").await.json();
        doc["prompts"][0]["id"].as_str().unwrap().to_owned()
    };
    let answered = dialog().await;
    client.report("api", "working").await;
    forget().await;
    // This one is open still when its agent is forgotten.
    let open = dialog().await;
    forget().await;
    client.report("api", "working").await;
    let question = asked(&client, question()).await;
    assert_eq!([&*answered, &*open, &*question], ["api-p1", "api-p2", "api-p3"]);
    let kept = client.get(&format!("/api/v1/prompts/{open}")).await.json();
    assert_eq!(kept["resolution"]["by"], "cancelled", "{kept}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_once_is_one_question_however_many_ask_it_at_a_time() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "working").await;
    let asking = (0..8).map(|turn| {
        let (client, gap) = (client.clone(), if turn % 2 == 0 { " " } else { "\n" });
        let said = json!({"question": format!("Which{gap}colour?"), "default_action": "red", "once": true});
        tokio::spawn(async move { client.send("POST", OPEN, AS_API, said.to_string()).await.json() })
    });
    let mut ids = HashSet::new();
    for asked in asking.collect::<Vec<_>>() {
        ids.insert(asked.await.unwrap()["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(ids.len(), 1, "{ids:?}");
    let other = json!({"question": "Which colour?", "default_action": "blue", "once": true});
    let other = client.send("POST", OPEN, AS_API, other.to_string()).await;
    assert_eq!(other.status, 201, "{}", other.text());
}
