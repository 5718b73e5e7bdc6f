//! GitHub as tracker and forge: what is done there is done once, whatever goes wrong on the way.

use super::bench::{Bench, Client, Reply};
use crate::forge::contract::{self as forge, Ground};
use crate::outgoing::{Base, Secret};
use crate::tracker::contract;
use crate::{GitHubSettings, Provider, ProviderSettings, RepositoryProviders};
use headsup_core::work::remote::RepoName;
use headsup_testkit::github::{Fault, GitHub, REPO, TOKEN};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

pub(super) const FOLDER: &str = "/home/dev/app";

pub(super) fn settings(there: &GitHub) -> ProviderSettings {
    settings_at(&there.api())
}

pub(super) fn settings_at(api: &str) -> ProviderSettings {
    let api = Base::parse(api).unwrap();
    let mut github = GitHubSettings::new(api, Secret::new(TOKEN));
    github.fresh_for = Duration::ZERO;
    let repository = RepositoryProviders {
        path: FOLDER.into(),
        tracker: Some(Provider::GitHub),
        forge: Some(Provider::GitHub),
        github: RepoName::parse(REPO),
    };
    let (github, repositories) = (Some(github), vec![repository]);
    ProviderSettings { github, repositories, ..ProviderSettings::default() }
}

pub(super) async fn with(settings: ProviderSettings) -> Bench {
    let mut limits = crate::limits::Limits::default();
    limits.effects.first = Duration::from_millis(2);
    limits.answer = Duration::from_secs(30);
    let mut bench = Bench::with(limits).await;
    bench.providers = settings;
    bench.forge.merge_policy = headsup_core::work::pull::MergePolicy::Allow;
    bench.restart().await;
    bench
}

pub(super) async fn send(client: &Client, method: &str, path: &str, body: &Value) -> Reply {
    client.send(method, path, &[("content-type", "application/json")], body.to_string()).await
}

pub(super) async fn ok(client: &Client, method: &str, path: &str, body: &Value) -> Value {
    let reply = send(client, method, path, body).await;
    assert!(reply.status.is_success(), "{method} {path}: {}", reply.text());
    reply.json()
}

pub(super) fn new_pull() -> Value {
    json!({"title": "Work", "head_branch": "work", "folder": FOLDER})
}

pub(super) async fn opened(client: &Client) -> (Value, String) {
    let pr = ok(client, "POST", "/api/v1/prs", &new_pull()).await;
    let path = format!("/api/v1/prs/{}", pr["id"].as_str().unwrap());
    (pr, path)
}

/// How often each thing is cut; the long form is for a machine that does nothing else.
fn cuts() -> u64 {
    std::env::var("HEADSUP_CUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

fn limited(status: u16, headers: &[(&'static str, &str)]) -> Fault {
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Fault::Answer(status, json!({"message": "You have exceeded a secondary rate limit"}), headers)
}

fn answer(status: u16, message: &str) -> Fault {
    Fault::Answer(status, json!({ "message": message }), Vec::new())
}

#[tokio::test(flavor = "multi_thread")]
async fn issues_keep_what_every_tracker_keeps() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let app = bench.hub().app();
    contract::keeps(&*app.tracker.at(Some(Path::new(FOLDER))).unwrap()).await;
    assert!(there.issue(1).body.is_empty() || there.issue(1).body.contains("<!-- headsup:"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pull_requests_keep_what_every_forge_keeps() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let commits = std::cell::Cell::new('b');
    let push = || {
        let letter = commits.get();
        commits.set(if letter == 'b' { 'c' } else { 'd' });
        there.push("work", letter)
    };
    let app = bench.hub().app();
    let hosted = app.pulls.forges().at(Path::new(FOLDER)).unwrap();
    forge::keeps(Ground { forge: &*hosted, folder: FOLDER.into(), push: &push }).await;
    assert_eq!((there.pulls(), there.pull(1).merges.len()), (1, 1));
    assert_eq!(there.pull(1).methods, ["squash"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_cut_behind_the_act_makes_no_second_one() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    let task = json!({"title": "t", "folder": FOLDER});
    assert_eq!(ok(&client, "POST", "/api/v1/tasks", &task).await["identifier"], "ada/app#1");
    for round in 0..cuts() {
        there.fails("POST", "/comments", Fault::CutAfter);
        let said = json!({ "comment": format!("round {round}") });
        let path = "/api/v1/tasks/ada%2Fapp%231/comments";
        let told = ok(&client, "POST", path, &said).await;
        assert_eq!(told["effect"]["state"], "done", "{told}");
    }
    let said: Vec<String> = there.issue(1).comments.into_iter().map(|said| said.body).collect();
    assert_eq!(said.len() as u64, cuts());
    for (round, said) in said.iter().enumerate() {
        assert!(said.starts_with(&format!("round {round}\n\n<!-- headsup:")), "{said}");
    }
    for round in 0..cuts() {
        there.push("work", char::from(b'b' + u8::try_from(round % 4).unwrap()));
        there.fails("POST", "/pulls", Fault::CutAfter);
        let (pr, path) = opened(&client).await;
        assert_eq!(pr["existing"], Value::Null, "{pr}");
        there.fails("PUT", "/merge", Fault::CutAfter);
        let merged = ok(&client, "POST", &format!("{path}/merge"), &json!({})).await;
        let number = pr["number"].as_u64().unwrap();
        assert_eq!(json!(there.pull(number).merges), json!([merged["merge_sha"]]));
        // The base has it now: it is at the merge.
        assert_eq!(
            ok(&client, "POST", &format!("{path}/merge"), &json!({})).await["already_merged"],
            true
        );
    }
    assert_eq!(there.pulls() as u64, cuts());
    for round in 0..cuts() {
        there.fails("POST", "/issues", Fault::CutAfter);
        let task = json!({"title": format!("issue {round}"), "folder": FOLDER});
        ok(&client, "POST", "/api/v1/tasks", &task).await;
    }
    assert_eq!(there.issues() as u64, cuts() + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_gets_there_once_whatever_answers_first() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    ok(&client, "POST", "/api/v1/tasks", &json!({"title": "t", "folder": FOLDER})).await;
    let path = "/api/v1/tasks/ada%2Fapp%231/comments";
    let transient = [
        Fault::CutBefore,
        answer(500, "Server Error"),
        answer(502, "Bad Gateway"),
        limited(503, &[("retry-after", "0")]),
        limited(403, &[("retry-after", "0")]),
        limited(429, &[("retry-after", "0")]),
        Fault::Answer(200, json!("not a comment"), Vec::new()),
    ];
    let count = transient.len();
    for (round, fault) in transient.into_iter().enumerate() {
        there.fails("POST", "/comments", fault.clone());
        let said = json!({ "comment": format!("round {round}") });
        let told = ok(&client, "POST", path, &said).await;
        assert_eq!(told["effect"]["state"], "done", "{fault:?}: {told}");
        assert_eq!(told["effect"]["tries"], 2, "{fault:?}: {told}");
    }
    assert_eq!(there.issue(1).comments.len(), count);
    for (fault, says) in [
        (answer(401, "Bad credentials"), "make a new token"),
        (answer(403, "Resource not accessible by personal access token"), "the rights"),
        (answer(404, "Not Found"), "knows no issue ada/app#1"),
        (answer(422, "Validation Failed"), "Validation Failed"),
    ] {
        there.fails("POST", "/comments", fault.clone());
        let reply = send(&client, "POST", path, &json!({"comment": "never"})).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (422, "remote_failed"));
        assert!(reply.text().contains(says), "{fault:?}: {}", reply.text());
    }
    assert_eq!(there.issue(1).comments.len(), count);
    let task = client.get("/api/v1/tasks/ada%2Fapp%231").await.json();
    assert_eq!(task["effects"].as_array().unwrap().len(), 4, "{task}");
    assert_eq!(task["effects"][0]["state"], "failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_says_nothing_is_given_up_and_looked_at() {
    let there = GitHub::start();
    let mut settings = settings(&there);
    if let Some(github) = &mut settings.github {
        // What answers does so far sooner.
        github.patience = Duration::from_secs(3);
    }
    let bench = with(settings).await;
    let client = bench.client();
    ok(&client, "POST", "/api/v1/tasks", &json!({"title": "t", "folder": FOLDER})).await;
    there.fails("POST", "/comments", Fault::Hang);
    let path = "/api/v1/tasks/ada%2Fapp%231/comments";
    let told = ok(&client, "POST", path, &json!({"comment": "once"})).await;
    assert_eq!(told["effect"]["state"], "done", "{told}");
    assert_eq!(there.issue(1).comments.len(), 1);
    there.release();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_nothing_is_sent_and_that_is_said() {
    let there = GitHub::start();
    let mut settings = settings(&there);
    if let Some(github) = &mut settings.github {
        github.token = None;
    }
    let bench = with(settings).await;
    let client = bench.client();
    let told =
        ok(&client, "POST", "/api/v1/tasks/ada%2Fapp%231/comments", &json!({"comment": "x"})).await;
    assert_eq!(
        (&told["effect"]["state"], &told["effect"]["reason"]),
        (&json!("skipped"), &json!("no_key"))
    );
    let task = json!({"title": "t", "folder": FOLDER});
    assert_eq!(send(&client, "POST", "/api/v1/tasks", &task).await.code(), "skipped");
    assert_eq!(client.get("/api/v1/tasks/ada%2Fapp%231").await.code(), "no_key");
    assert_eq!(send(&client, "POST", "/api/v1/prs", &new_pull()).await.code(), "no_key");
    assert!(there.asked().is_empty(), "{:?}", there.asked());
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_spoken_of_whom_the_settings_do_not_name() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    client.report("api", "working").await;
    for (word, code) in [
        ("eve/other#1", "not_configured"),
        ("https://elsewhere.example/ada/app/issues/1", "not_configured"),
        ("ada/app#7", "no_such_task"),
        ("nothing", "no_such_task"),
    ] {
        let link = json!({ "task_identifier": word });
        let reply = send(&client, "PUT", "/api/v1/agents/api/task", &link).await;
        assert_eq!(reply.code(), code, "{word}: {}", reply.text());
    }
    assert_eq!(there.asked(), ["GET /repos/ada/app/issues/7"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_work_is_told_at_its_issue() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    ok(&client, "PUT", "/api/v1/agents/api", &json!({ "cwd": FOLDER })).await;
    ok(&client, "POST", "/api/v1/tasks", &json!({"title": "Log in", "folder": FOLDER})).await;
    let listed = client.get(&format!("/api/v1/tasks?folder={FOLDER}&status=todo")).await.json();
    assert_eq!(listed["tasks"][0]["identifier"], "ada/app#1");
    let link = json!({"task_identifier": "#1"});
    let linked = ok(&client, "PUT", "/api/v1/agents/api/task", &link).await;
    assert_eq!(linked["task"]["identifier"], "ada/app#1");
    let moved = json!({"status": "in_progress"});
    let task = ok(&client, "POST", "/api/v1/agents/api/task/status", &moved).await;
    assert_eq!(task["status"], "in_progress");
    assert_eq!(there.issue(1).labels, ["in progress"]);
    there.push("work", 'b');
    let pr = json!({"title": "Work", "head_branch": "work"});
    let pr = ok(&client, "POST", "/api/v1/agents/api/prs", &pr).await;
    assert_eq!((&pr["task"], &pr["remote"]), (&json!("ada/app#1"), &json!(REPO)));
    let review = json!({"pr_url": pr["url"], "summary": "all of it"});
    // The host is down: the act counts all the same, and gets there.
    there.fails("POST", "/comments", Fault::CutBefore);
    ok(&client, "POST", "/api/v1/agents/api/review", &review).await;
    let agent = client.get("/api/v1/agents/api").await.json();
    assert_eq!(agent["stage"]["state"], "awaiting_review");
    assert_eq!(agent["prs"], json!([pr["id"]]));
    let done = json!({"summary": "merged"});
    ok(&client, "POST", "/api/v1/agents/api/task/complete", &done).await;
    let effects = client.get("/api/v1/effects").await.json();
    for effect in effects["effects"].as_array().unwrap() {
        let key = effect["key"].as_str().unwrap();
        let patience = Duration::from_secs(30);
        let row = bench.hub().effects().outcome(key, patience).await.unwrap().unwrap();
        assert!(matches!(row.standing, crate::effects::Standing::Done { .. }), "{row:?}");
    }
    let issue = there.issue(1);
    assert!(issue.is_closed && issue.state_reason.as_deref() == Some("completed"), "{issue:?}");
    assert!(issue.labels.is_empty(), "{issue:?}");
    let said: Vec<&str> = issue.comments.iter().map(|said| said.body.as_str()).collect();
    assert!(said[0].starts_with("Ready for review: ") && said[1].starts_with("merged"), "{said:?}");
    assert_eq!(said.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_of_a_host_that_is_down_holds_no_report_up() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    ok(&client, "PUT", "/api/v1/agents/api", &json!({ "cwd": FOLDER })).await;
    ok(&client, "POST", "/api/v1/tasks", &json!({"title": "t", "folder": FOLDER})).await;
    ok(&client, "PUT", "/api/v1/agents/api/task", &json!({"task_identifier": "#1"})).await;
    drop(there);
    let done =
        ok(&client, "POST", "/api/v1/agents/api/task/complete", &json!({"summary": "s"})).await;
    let [comment, status] = [&done["effects"][0], &done["effects"][1]];
    assert_eq!(
        (&comment["state"], &status["state"]),
        (&json!("queued"), &json!("queued")),
        "{done}"
    );
    assert!(comment["reason"].is_string(), "a try has failed: {done}");
    let told = client.get("/api/v1/agents/api/task").await.json();
    assert_eq!((&told["has_task"], &told["task"]), (&json!(true), &Value::Null));
    assert!(told["unreachable"].as_str().unwrap().contains("cannot be reached"), "{told}");
    let waiting = client.get("/api/v1/effects?state=queued").await.json();
    let kinds: Vec<_> =
        waiting["effects"].as_array().unwrap().iter().map(|of| of["kind"].clone()).collect();
    assert_eq!(kinds, ["comment", "task_status"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_opened_or_merged_is_said_in_words() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    let reply = send(&client, "POST", "/api/v1/prs", &new_pull()).await;
    assert_eq!(reply.code(), "head_not_found");
    assert!(reply.text().contains("git push -u origin work"), "{}", reply.text());
    there.push("work", 'a');
    assert_eq!(send(&client, "POST", "/api/v1/prs", &new_pull()).await.code(), "no_commits");
    let seen = there.push("work", 'b');
    let (pr, path) = opened(&client).await;
    assert_eq!((&pr["head_sha"], &pr["mergeable"]), (&json!(seen), &json!(true)));
    let again = send(&client, "POST", "/api/v1/prs", &new_pull()).await;
    assert_eq!((again.status.as_u16(), &again.json()["existing"]), (200, &json!(true)));
    let merge = format!("{path}/merge");
    there.push("work", 'c');
    assert_eq!(send(&client, "POST", &merge, &json!({})).await.code(), "head_moved");
    ok(&client, "POST", &format!("{path}/refresh"), &json!({})).await;
    there.fails("PUT", "/merge", answer(409, "Head branch was modified"));
    assert_eq!(send(&client, "POST", &merge, &json!({})).await.code(), "not_mergeable");
    there.fails("PUT", "/merge", answer(405, "At least 1 approving review is required"));
    let reply = send(&client, "POST", &merge, &json!({})).await;
    assert!(reply.text().contains("At least 1 approving review"), "{}", reply.text());
    there.change_pull(1, |pull| pull.conflicts = true);
    let pr = ok(&client, "POST", &format!("{path}/refresh"), &json!({})).await;
    assert!(pr["mergeable_reason"].as_str().unwrap().contains("conflicts with main"), "{pr}");
    assert_eq!(send(&client, "POST", &merge, &json!({})).await.code(), "not_mergeable");
    there.change_pull(1, |pull| pull.conflicts = false);
    there.fails("PUT", "/merge", answer(401, "Bad credentials"));
    assert_eq!(send(&client, "POST", &merge, &json!({})).await.code(), "remote_unauthorized");
    assert_eq!(there.pull(1).merges.len(), 0);
    ok(&client, "POST", &merge, &json!({"merge_method": "rebase"})).await;
    assert_eq!((there.pull(1).merges.len(), there.pull(1).methods), (1, vec!["rebase".to_owned()]));
    let title = json!({"title": "late"});
    assert_eq!(send(&client, "PATCH", &path, &title).await.code(), "pr_final");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_did_there_is_seen() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    there.push("work", 'b');
    let (pr, path) = opened(&client).await;
    // A UUID is the same in any case.
    let shouted = format!("/api/v1/prs/{}", pr["id"].as_str().unwrap().to_uppercase());
    let said = json!({"title": "Better", "body": "why"});
    assert_eq!(ok(&client, "PATCH", &shouted, &said).await["title"], "Better");
    assert_eq!(there.pull(1).title, "Better");
    let review = json!({"user": {"login": "bob"}, "state": "CHANGES_REQUESTED", "body": "name it"});
    there.change_pull(1, |pull| {
        pull.reviews.push(review);
        pull.mergeable_state = Some("blocked".to_owned());
    });
    there.checks(json!([{"name": "build", "status": "completed", "conclusion": "success"}]));
    let refresh = format!("{path}/refresh");
    let pr = ok(&client, "POST", &refresh, &json!({})).await;
    assert_eq!(pr["checks"], json!(["build: success"]));
    assert_eq!(pr["reviews"], json!(["bob: changes requested: name it"]));
    assert_eq!(pr["mergeable_reason"], "bob wants changes");
    there.change_pull(1, |pull| pull.is_closed = true);
    assert_eq!(ok(&client, "POST", &refresh, &json!({})).await["state"], "closed");
    ok(&client, "PATCH", &path, &json!({"state": "open"})).await;
    assert!(!there.pull(1).is_closed);
    there.change_pull(1, |pull| pull.merges.push("e".repeat(40)));
    let merged = ok(&client, "POST", &format!("{path}/merge"), &json!({})).await;
    assert_eq!((&merged["already_merged"], &merged["state"]), (&json!(true), &json!("merged")));
    assert_eq!(merged["merge_sha"], "e".repeat(40));
    // When that was, the host says.
    for time in ["created_at", "merged_at"] {
        assert!(merged[time].as_str().unwrap().starts_with("2026-01-02T"), "{merged}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_is_fresh_is_not_repeated_and_what_is_known_is_not_sent_again() {
    let there = GitHub::start();
    let mut settings = settings(&there);
    if let Some(github) = &mut settings.github {
        github.fresh_for = Duration::from_secs(3_600);
    }
    let bench = with(settings).await;
    let client = bench.client();
    there.push("work", 'b');
    let (_, path) = opened(&client).await;
    let asked = there.asked().len();
    for _ in 0..3 {
        ok(&client, "POST", &format!("{path}/refresh"), &json!({})).await;
    }
    assert_eq!(there.asked().len(), asked, "{:?}", there.asked());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_wants_to_be_left_alone_is() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    let path = "/api/v1/tasks/ada%2Fapp%231";
    there.fails(
        "GET",
        "/issues/1",
        limited(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "99999999999")]),
    );
    let reply = client.get(path).await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (429, "remote_rate_limited"));
    assert_eq!(reply.json()["retryable"], true);
    assert_eq!(client.get(path).await.code(), "remote_rate_limited");
    assert_eq!(there.asked().len(), 1, "{:?}", there.asked());
    // A limit that it names in words alone, with much left of the other one.
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    there.fails("GET", "/issues/1", limited(403, &[("x-ratelimit-remaining", "4000")]));
    let reply = bench.client().get(path).await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (429, "remote_rate_limited"));
    assert_eq!(reply.json()["hint"], "try again in 1m; what is in the outbox goes out by itself");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_somebody_else_opened_becomes_the_agents_by_its_address() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    ok(&client, "PUT", "/api/v1/agents/api", &json!({ "cwd": FOLDER })).await;
    let head = there.push("work", 'b');
    let url = there.opens("work");
    let review = json!({"pr_url": url, "summary": "all of it"});
    ok(&client, "POST", "/api/v1/agents/api/review", &review).await;
    let listed = client.get("/api/v1/agents/api/prs").await.json();
    let pr = &listed["prs"][0];
    assert_eq!(
        (&pr["url"], &pr["head_sha"], &pr["number"]),
        (&json!(url), &json!(head), &json!(1))
    );
    let agent = client.get("/api/v1/agents/api").await.json();
    assert_eq!(agent["prs"], json!([pr["id"]]));
    // One of another host is none; one of another repository of this host is known by its address alone.
    let complete = "/api/v1/agents/api/task/complete";
    for host in ["https://elsewhere.example", "https://github.com"] {
        let elsewhere = json!({"summary": "s", "pr_url": format!("{host}/a/b/pull/1")});
        let refused = send(&client, "POST", complete, &elsewhere).await;
        assert_eq!(refused.code(), "not_a_configured_forge", "{}", refused.text());
    }
    let other = url.replace("/ada/app/", "/a/b/");
    ok(&client, "POST", complete, &json!({"summary": "s", "pr_url": other})).await;
    let agent = client.get("/api/v1/agents/api").await.json();
    assert_eq!(agent["prs"], json!([pr["id"], other]));
}
