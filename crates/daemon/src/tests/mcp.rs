//! The tools over HTTP, in both eras, behind the guard of each transport.

use super::bench::{Bench, Client, Headers, Reply, soon};
use crate::forge::plain::Plain;
use serde_json::{Value, json};

const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");
const AGENT: (&str, &str) = ("x-headsup-agent", "api");
const OLD: (&str, &str) = ("mcp-protocol-version", "2025-11-25");
const NEW: (&str, &str) = ("mcp-protocol-version", "2026-07-28");

async fn post(client: &Client, headers: Headers<'_>, message: &Value) -> Reply {
    let headers: Vec<_> = headers.iter().copied().chain([ACCEPT]).collect();
    client.send("POST", "/mcp", &headers, message.to_string()).await
}

fn call(tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

/// The same with what each request of the newer era carries.
fn complete(mut message: Value) -> Value {
    message["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    message
}

#[tokio::test(flavor = "multi_thread")]
async fn both_eras_are_served_on_the_socket_and_on_tcp() {
    let bench = Bench::new().await;
    bench.client().report("api", "working").await;
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let token = ("authorization", bearer.as_str());
    for (client, extra) in [(bench.client(), None), (tcp, Some(token))] {
        let with = |headers: &[(&'static str, &'static str)]| -> Vec<(&str, &str)> {
            headers.iter().map(|(a, b)| (*a, *b)).chain(extra).collect()
        };
        let hello = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            },
        });
        let welcome = post(&client, &with(&[AGENT]), &hello).await;
        assert_eq!(welcome.status, 200, "{}", welcome.text());
        assert_eq!(welcome.json()["result"]["serverInfo"]["name"], "headsup");
        assert_eq!(welcome.headers.get("mcp-session-id"), None, "each request stands for itself");
        let old = post(&client, &with(&[AGENT, OLD]), &call("get_session", json!({}))).await;
        let told = &old.json()["result"]["structuredContent"];
        assert_eq!((&told["id"], &told["headline"]), (&json!("api"), &json!("working")));
        let methods = [("mcp-method", "tools/call"), ("mcp-name", "get_session")];
        let headers = with(&[AGENT, NEW, methods[0], methods[1]]);
        let new = post(&client, &headers, &complete(call("get_session", json!({})))).await;
        assert_eq!(&new.json()["result"]["structuredContent"], told, "{}", new.text());
        assert_eq!(new.json()["result"]["resultType"], "complete");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agent_is_named_by_each_request_and_appears_with_it() {
    let bench = Bench::new().await;
    let client = bench.client();
    let nobody = post(&client, &[OLD], &call("get_session", json!({}))).await.json();
    let error = &nobody["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "no_scope", "{nobody}");
    assert!(error["message"].as_str().unwrap().contains("X-Headsup-Agent"), "{nobody}");
    assert_eq!(client.headline("api").await, "none");
    let new = post(&client, &[AGENT, OLD], &call("get_session", json!({}))).await.json();
    assert_eq!(new["result"]["structuredContent"]["kind"], "custom", "{new}");
    assert_ne!(client.headline("api").await, "none");
    let bad = post(&client, &[("x-headsup-agent", "a/b")], &call("get_session", json!({}))).await;
    assert_eq!((bad.status.as_u16(), bad.code().as_str()), (400, "bad_agent_id"));
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_pages_and_what_is_no_message_are_refused() {
    let bench = Bench::new().await;
    let client = bench.client();
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let origin = ("origin", "http://evil.example");
    let refused = post(&client, &[AGENT, origin], &list).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (403, "browser_refused"));
    let tcp = bench.on_tcp().await;
    let bearer = bench.bearer();
    let token = ("authorization", bearer.as_str());
    for (headers, status) in [
        (vec![AGENT], 401),
        (vec![AGENT, token, origin], 403),
        (vec![AGENT, token, ("host", "evil.example")], 421),
    ] {
        assert_eq!(post(&tcp, &headers, &list).await.status, status, "{headers:?}");
    }
    for (body, code) in [
        ("[]", -32_600),
        ("nonsense", -32_700),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32_600),
        (r#"{"id":1,"method":"ping"}"#, -32_600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32_600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32_600),
        (r#"{"jsonrpc":"2.0"}"#, -32_600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, -32_602),
    ] {
        let reply = client.send("POST", "/mcp", &[AGENT, ACCEPT], body).await;
        assert_eq!(reply.status, 400, "{body}");
        assert_eq!(reply.headers["content-type"], "application/json", "{body}");
        assert_eq!(reply.json()["error"]["code"], code, "{body}");
    }
    let long = "x".repeat((1 << 20) + 1);
    let reply = client.send("POST", "/mcp", &[AGENT, ACCEPT], long).await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (413, "body_too_large"));
    assert_eq!(client.get("/mcp").await.status, 405, "there is no stream of its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_refused_as_a_whole_is_told_as_a_problem() {
    let bench = Bench::new().await;
    let client = bench.client();
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    for (headers, status, code) in [
        (&[AGENT, ("accept", "text/html")][..], 406, "not_acceptable"),
        (&[AGENT, ACCEPT, ("mcp-protocol-version", "1999-01-01")][..], 400, "bad_mcp_request"),
    ] {
        let reply = client.send("POST", "/mcp", headers, list.clone()).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (status, code));
        assert_eq!(reply.headers["content-type"], "application/problem+json");
        assert!(reply.json()["hint"].is_string(), "{}", reply.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_takes_anything_is_answered() {
    let bench = Bench::new().await;
    let client = bench.client();
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    for headers in
        [&[AGENT][..], &[AGENT, ("accept", "*/*")], &[AGENT, ("accept", "application/*")]]
    {
        let reply = client.send("POST", "/mcp", headers, list.clone()).await;
        assert_eq!(reply.status, 200, "{headers:?}: {}", reply.text());
        assert_eq!(reply.headers["content-type"], "application/json", "{headers:?}");
        assert!(reply.json()["result"]["tools"].is_array(), "{headers:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_shows_the_token_of_one_agent_takes_no_seat_of_another() {
    let bench = Bench::new().await;
    let client = bench.client();
    let token = "f".repeat(64);
    let seat = json!({"kind": "custom", "token": token}).to_string();
    assert!(client.send("PUT", "/api/v1/agents/api", &[], seat).await.status.is_success());
    let shown = ("x-headsup-agent-token", token.as_str());
    let spoof = [shown, ("x-headsup-agent", "spoof")];
    let process = json!({"state": "running", "pid": 1, "start_ticks": 1}).to_string();
    for (method, path, body) in [
        ("GET", "/api/v1/agents/spoof", String::new()),
        ("PUT", "/api/v1/agents/spoof", json!({"adopted": true}).to_string()),
        ("PUT", "/api/v1/agents/spoof/process", process),
    ] {
        let reply = client.send(method, path, &spoof, body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (403, "not_your_agent"),
            "{path}"
        );
    }
    assert_eq!(client.headline("spoof").await, "none");
    // It launches another, and says whose word that is.
    let own = [shown, ("x-headsup-agent", "api")];
    let child = json!({"kind": "custom"}).to_string();
    assert!(client.send("PUT", "/api/v1/agents/child", &own, child).await.status.is_success());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_words_are_one_question_however_they_are_spaced() {
    let bench = Bench::new().await;
    let client = bench.client();
    let asks = [
        json!({"question": "Which\tone,  now?\u{200b}", "default_action": "the  first", "wait_seconds": 0}),
        json!({
            "question": "Which one?\r\n\r\n\r\n\r\nSay it.", "default_action": "a\r\nb",
            "wait_seconds": 0, "options": ["the\tfirst", {"label": "the  second\u{200b}"}],
        }),
    ];
    for (ask, id) in asks.iter().zip(["api-p1", "api-p2"]) {
        for _ in 0..2 {
            assert_eq!(ok(&client, "request_input", ask.clone()).await["prompt_id"], id);
        }
    }
}

/// What the tool answered.
async fn tool(client: &Client, name: &str, arguments: Value) -> Value {
    tool_as(client, "api", name, arguments).await
}

/// The same to another agent.
pub(super) async fn tool_as(client: &Client, agent: &str, name: &str, arguments: Value) -> Value {
    let headers = [("x-headsup-agent", agent), OLD];
    let reply = post(client, &headers, &call(name, arguments)).await.json();
    reply["result"].clone()
}

async fn ok(client: &Client, name: &str, arguments: Value) -> Value {
    let told = tool(client, name, arguments).await;
    assert_eq!(told["isError"], false, "{told}");
    told["structuredContent"].clone()
}

async fn refused(client: &Client, name: &str, arguments: Value) -> Value {
    let told = tool(client, name, arguments).await;
    assert_eq!(told["isError"], true, "{told}");
    told["structuredContent"]["error"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_says_how_its_work_goes_and_is_told_what_cannot_be() {
    let bench = Bench::new().await;
    let client = bench.client();
    let said =
        json!({"status": "working", "message": "migrating", "phase": "coding", "progress": 0.5});
    let state = ok(&client, "update_status", said).await;
    assert_eq!((&state["status"], &state["phase"]), (&json!("working"), &json!("coding")));
    let seat = client.get("/api/v1/agents/api").await.json();
    assert_eq!(seat["stage"]["message"], "migrating");
    let blocked = json!({"reason": "no access", "blockers": ["a key for the registry"]});
    let state = ok(&client, "mark_blocked", blocked).await;
    assert_eq!(
        (&state["status"], &state["blockers"][0]),
        (&json!("blocked"), &json!("a key for the registry"))
    );
    assert_eq!(client.headline("api").await, "blocked");
    let error =
        refused(&client, "update_status", json!({"status": "completed", "message": "x"})).await;
    assert_eq!((&error["code"], &error["allowed"]), (&json!("illegal_stage"), &json!(["working"])));
    let before = client.head().await;
    let state = ok(&client, "get_workflow_state", json!({})).await;
    assert_eq!((&state["status"], &state["allowed"]), (&json!("blocked"), &json!(["working"])));
    assert_eq!(client.head().await, before, "a look changes nothing");
    ok(&client, "update_status", json!({"status": "working", "message": "got it"})).await;
    ok(&client, "update_status", json!({"status": "completed", "message": "done"})).await;
    let error =
        refused(&client, "request_input", json!({"question": "q", "default_action": "d"})).await;
    assert_eq!(error["code"], "illegal_stage", "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_asks_and_a_person_answers() {
    let bench = Bench::new().await;
    let client = bench.client();
    let ask = json!({
        "question": "Which database?", "default_action": "use SQLite", "wait_seconds": 0,
        "options": ["Postgres", {"label": "SQLite", "value": "lite"}],
    });
    let pending = ok(&client, "request_input", ask.clone()).await;
    assert_eq!((&pending["state"], &pending["prompt_id"]), (&json!("pending"), &json!("api-p1")));
    assert_eq!(pending["remaining_seconds"], 1_800);
    assert_eq!(
        ok(&client, "request_input", ask.clone()).await["prompt_id"],
        "api-p1",
        "asked again"
    );
    for question in ["Which\ndatabase?", "  Which \t database?\r\n"] {
        let mut broken = ask.clone();
        (broken["question"], broken["default_action"]) = (json!(question), json!("use\nSQLite"));
        let pending = ok(&client, "request_input", broken).await;
        assert_eq!(pending["prompt_id"], "api-p1", "{question:?} is asked again");
    }
    let mut risky = ask;
    risky["risk"] = json!("high");
    let other = ok(&client, "request_input", risky).await["prompt_id"].clone();
    assert_ne!(other, "api-p1", "with more at stake it is another question");
    ok(&client, "cancel_input", json!({ "prompt_id": other })).await;
    assert_eq!(ok(&client, "list_inputs", json!({})).await["inputs"][0]["prompt_id"], "api-p1");
    let state = ok(&client, "get_workflow_state", json!({})).await;
    assert_eq!(
        (&state["status"], &state["prompt"]["id"]),
        (&json!("awaiting_input"), &json!("api-p1"))
    );
    let error =
        refused(&client, "update_status", json!({"status": "working", "message": "on"})).await;
    assert_eq!((&error["code"], &error["prompt_id"]), (&json!("open_question"), &json!("api-p1")));
    let waiting = {
        let client = client.clone();
        tokio::spawn(async move {
            ok(&client, "wait_for_input", json!({"prompt_id": "api-p1", "wait_seconds": 60})).await
        })
    };
    let answer = json!({"option": 2, "via": "web"}).to_string();
    let path = "/api/v1/prompts/api-p1/answer";
    assert_eq!(client.send("POST", path, &[], answer).await.status, 200);
    let resolved = waiting.await.unwrap();
    assert_eq!((&resolved["outcome"], &resolved["value"]), (&json!("answered"), &json!("lite")));
    assert_eq!(resolved["resolution"]["via"], "web");
    let again = ok(&client, "wait_for_input", json!({"prompt_id": "api-p1"})).await;
    assert_eq!(again, resolved, "it stays to be read");
    let error = refused(&client, "cancel_input", json!({"prompt_id": "api-p1"})).await;
    assert_eq!(error["code"], "already_resolved", "{error}");
}

/// A client's limit is over, and it hangs up.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_cut_off_leaves_its_question_to_the_next_one() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "working").await;
    let mut opened = client.events("?since=0&type=prompt.opened").await;
    let ask = json!({
        "question": "Which colour?", "default_action": "take red", "timeout_minutes": 30,
        "wait_seconds": 300,
    });
    let cut = {
        let (client, ask) = (client.clone(), ask.clone());
        tokio::spawn(async move { tool(&client, "request_input", ask).await })
    };
    let prompt = opened.next_of("prompt.opened").await.data["prompt"].clone();
    cut.abort();
    assert!(cut.await.unwrap_err().is_cancelled());
    bench.pass(10 * 60_000).await;
    let open = ok(&client, "list_inputs", json!({})).await;
    assert_eq!(open["inputs"][0]["prompt_id"], prompt["id"], "{open}");
    assert_eq!(open["inputs"][0]["remaining_seconds"], 1_200);
    let mut again = ask;
    again["wait_seconds"] = json!(0);
    let same = ok(&client, "request_input", again).await;
    assert_eq!((&same["state"], &same["prompt_id"]), (&json!("pending"), &prompt["id"]));
    let path = format!("/api/v1/prompts/{}/answer", prompt["id"].as_str().unwrap());
    client.send("POST", &path, &[], r#"{"value":"blue","via":"web"}"#).await;
    let told = ok(&client, "wait_for_input", json!({ "prompt_id": prompt["id"] })).await;
    assert_eq!((&told["outcome"], &told["value"]), (&json!("answered"), &json!("blue")));
}

/// The model knows no id of what it has asked: it was told of a time-out alone, and asks once more.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_behind_a_call_that_was_cut_off_is_not_asked_again() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "working").await;
    let mut opened = client.events("?since=0&type=prompt.opened").await;
    let ask = json!({"question": "Which?", "default_action": "none", "wait_seconds": 300});
    let asking = {
        let (client, ask) = (client.clone(), ask.clone());
        tokio::spawn(async move { tool(&client, "request_input", ask).await })
    };
    let prompt = opened.next_of("prompt.opened").await.data["prompt"].clone();
    let id = prompt["id"].as_str().unwrap();
    // The wait itself has begun: it is among those who listen.
    soon("the wait", async { while client.metric("headsup_subscribers").await < 2 {} }).await;
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    soon("its end", async { while client.metric("headsup_subscribers").await > 1 {} }).await;
    let path = format!("/api/v1/prompts/{id}/answer");
    client.send("POST", &path, &[], r#"{"value":"blue","via":"web"}"#).await;
    let untold = "/api/v1/prompts?state=untold&agent=api";
    assert_eq!(client.get(untold).await.json()["prompts"][0]["id"], id);
    let told = ok(&client, "request_input", ask.clone()).await;
    assert_eq!((&told["prompt_id"], &told["value"]), (&json!(id), &json!("blue")));
    assert_eq!(client.get(untold).await.json()["prompts"], json!([]));
    let mut anew = ask;
    anew["wait_seconds"] = json!(0);
    let next = ok(&client, "request_input", anew).await;
    assert_eq!(next["state"], "pending", "who knows the answer and asks again wants another");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_taken_back_or_ends_by_its_deadline_once() {
    let bench = Bench::new().await;
    let client = bench.client();
    let ask = |question: &str, more: Value| {
        let mut ask = json!({"question": question, "default_action": "wait", "wait_seconds": 0});
        for (name, value) in more.as_object().unwrap() {
            ask[name] = value.clone();
        }
        ask
    };
    ok(&client, "request_input", ask("one", json!({}))).await;
    let back = ok(&client, "cancel_input", json!({"prompt_id": "api-p1"})).await;
    assert_eq!((&back["state"], &back["outcome"]), (&json!("resolved"), &json!("cancelled")));
    ok(&client, "request_input", ask("two", json!({"timeout_minutes": 1}))).await;
    let fail = json!({"timeout_minutes": 1, "on_timeout": "fail"});
    ok(&client, "request_input", ask("three", fail)).await;
    bench.pass(61_000).await;
    let over = ok(&client, "wait_for_input", json!({"prompt_id": "api-p2"})).await;
    assert_eq!((&over["outcome"], &over["value"]), (&json!("timed_out"), &json!("wait")));
    assert_eq!((&over["default_used"], &over["nobody_saw_it"]), (&json!(true), &json!(true)));
    let over = ok(&client, "wait_for_input", json!({"prompt_id": "api-p3"})).await;
    assert_eq!((&over["outcome"], &over["value"]), (&json!("timed_out"), &json!(null)));
    assert_eq!(over["default_used"], false);
    let risky = ask("four", json!({"risk": "high", "on_timeout": "default"}));
    let error = refused(&client, "request_input", risky).await;
    assert_eq!(
        (&error["code"], &error["allowed"]),
        (&json!("risky_default"), &json!(["block", "fail"]))
    );
    for (name, arguments, code) in [
        ("wait_for_input", json!({"prompt_id": "api-p9"}), "no_such_prompt"),
        ("wait_for_input", json!({"prompt_id": "other-p1"}), "not_your_agent"),
        ("cancel_input", json!({"prompt_id": "nothing"}), "no_such_prompt"),
        ("request_input", ask("five", json!({"multi_select": true})), "bad_question"),
    ] {
        assert_eq!(refused(&client, name, arguments).await["code"], code, "{name}");
    }
}

/// An agent that works in this repository.
async fn works_in(client: &Client, plain: &Plain) {
    let seat = json!({"kind": "custom", "cwd": plain.path()}).to_string();
    let put = client.send("PUT", "/api/v1/agents/api", &[], seat).await;
    assert!(put.status.is_success(), "{}", put.text());
    client.report("api", "working").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_told_where_it_works() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    works_in(&client, &plain).await;
    let told = ok(&client, "get_session", json!({})).await;
    let path = plain.path().display().to_string();
    assert_eq!((&told["repo"], &told["worktree"]), (&json!(path), &json!(path)));
    assert_eq!((&told["branch"], &told["cwd"]), (&json!("main"), &json!(path)));
    let beside = plain.beside("side");
    plain.git(&["worktree", "add", "-q", "-b", "side", beside.to_str().unwrap()]);
    let moved = json!({ "cwd": beside }).to_string();
    client.send("PATCH", "/api/v1/agents/api", &[], moved).await;
    let told = ok(&client, "get_session", json!({})).await;
    let beside = beside.display().to_string();
    assert_eq!(
        (&told["repo"], &told["worktree"], &told["branch"]),
        (&json!(path), &json!(beside), &json!("side"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_brings_its_task_from_the_beginning_to_the_merge() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    works_in(&client, &plain).await;
    plain.branch("work", "new", "a\n");
    let task = json!({"title": "Log in", "prefix": "APP"}).to_string();
    client.send("POST", "/api/v1/tasks", &[], task).await;
    assert_eq!(ok(&client, "get_task_context", json!({})).await["hasTask"], false);
    ok(&client, "link_task", json!({"task_identifier": "APP-1"})).await;
    ok(&client, "update_task_status", json!({"status": "in_progress"})).await;
    ok(&client, "post_task_comment", json!({"comment": "half of it"})).await;
    let context = ok(&client, "get_task_context", json!({})).await;
    assert_eq!(context["task"]["comments"][0]["author"], "api", "{context}");
    let new = json!({"title": "Log in", "head_branch": "work"});
    let pr = ok(&client, "create_pr", new.clone()).await;
    let id = json!({ "pr_id": pr["id"] });
    assert_eq!(ok(&client, "create_pr", new.clone()).await["id"], pr["id"], "it is there already");
    // Who opens the same one works on it as well.
    let cwd = json!({ "cwd": plain.path() }).to_string();
    client.send("PUT", "/api/v1/agents/web", &[], cwd).await;
    let of_web = async |tool: &str, arguments: Value| {
        tool_as(&client, "web", tool, arguments).await["structuredContent"].clone()
    };
    assert_eq!(of_web("list_session_prs", json!({})).await["prs"], json!([]));
    let same = of_web("create_pr", new).await;
    assert_eq!((&same["id"], &same["existing"]), (&pr["id"], &json!(true)));
    let listed = of_web("list_session_prs", json!({})).await;
    assert_eq!((&listed["prs"][0]["id"], listed["prs"].as_array().unwrap().len()), (&pr["id"], 1));
    let says = |body: &str| json!({"pr_id": pr["id"], "body": body});
    assert_eq!(ok(&client, "update_pr", says("why")).await["id"], pr["id"]);
    let path = format!("/api/v1/prs/{}", pr["id"].as_str().unwrap());
    assert_eq!(client.get(&path).await.json()["body"], "why");
    ok(&client, "update_pr", says("")).await;
    assert_eq!(client.get(&path).await.json()["body"], Value::Null, "an empty text takes it away");
    assert_eq!(ok(&client, "list_session_prs", json!({})).await["prs"][0]["id"], pr["id"]);
    let better = json!({ "pr_id": pr["id"], "title": "Log in with a passkey" });
    ok(&client, "update_pr", better).await;
    assert_eq!(ok(&client, "refresh_pr", id.clone()).await["mergeable"], true);
    assert_eq!(ok(&client, "get_pr_status", id.clone()).await["additions"], 1);
    let review = json!({ "pr_url": pr["url"], "summary": "passkeys", "notes_for_reviewer": "mind the cookie" });
    ok(&client, "submit_for_review", review).await;
    let state = ok(&client, "get_workflow_state", json!({})).await;
    assert_eq!(state["status"], "awaiting_review", "{state}");
    let pending = ok(&client, "merge_pr", id.clone()).await;
    assert_eq!(pending["state"], "pending", "{pending}");
    let given = format!("/api/v1/prompts/{}/answer", pending["prompt_id"].as_str().unwrap());
    client.send("POST", &given, &[], r#"{"allow":true}"#).await;
    let merged =
        async { while ok(&client, "get_pr_status", id.clone()).await["state"] != "merged" {} };
    soon("the merge", merged).await;
    assert_eq!(plain.git(&["rev-list", "--count", "--merges", "main"]), "1");
    ok(&client, "complete_task", json!({"summary": "done", "pr_url": pr["url"]})).await;
    let done = ok(&client, "get_task_context", json!({})).await;
    assert_eq!(done["task"]["status"], "done", "{done}");
    let over = refused(&client, "mark_blocked", json!({"reason": "?"})).await;
    assert_eq!(over["code"], "illegal_stage", "{over}");
}
