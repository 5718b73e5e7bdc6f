//! Pull requests of the hub's own forge, through its routes.

mod blocked;
mod late;

use super::bench::{Bench, Client, Reply, soon};
use crate::ForgeSettings;
use crate::forge::plain::Plain;
use headsup_core::work::pull::MergePolicy;
use serde_json::{Value, json};

async fn send(client: &Client, method: &str, path: &str, body: &Value) -> Reply {
    client.send(method, path, &[("content-type", "application/json")], body.to_string()).await
}

async fn ok(client: &Client, method: &str, path: &str, body: &Value) -> Value {
    let reply = send(client, method, path, body).await;
    assert!(reply.status.is_success(), "{method} {path}: {}", reply.text());
    reply.json()
}

/// A hub that merges without asking.
async fn allowing() -> Bench {
    let mut bench = Bench::new().await;
    bench.forge = ForgeSettings { merge_policy: MergePolicy::Allow, repositories: Vec::new() };
    bench.restart().await;
    bench
}

fn new(plain: &Plain) -> Value {
    json!({"title": "Work", "head_branch": "work", "folder": plain.path().join("nowhere").display().to_string()})
}

async fn opened(client: &Client, plain: &Plain) -> (Value, String) {
    let pr = ok(client, "POST", "/api/v1/prs", &new(plain)).await;
    let path = format!("/api/v1/prs/{}", pr["id"].as_str().unwrap());
    (pr, path)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_is_opened_looked_at_and_merged_once() {
    let (bench, plain) = (allowing().await, Plain::new());
    let client = bench.client();
    let head = plain.branch("work", "new", "a\nb\n");
    let (pr, path) = opened(&client, &plain).await;
    assert_eq!(
        (&pr["state"], &pr["base_branch"], &pr["mergeable"]),
        (&json!("open"), &json!("main"), &json!(true))
    );
    assert_eq!(
        (&pr["additions"], &pr["changed_files"], &pr["head_sha"]),
        (&json!(2), &json!(1), &json!(head))
    );
    assert_eq!(pr["files"], json!([{"path": "new", "additions": 2, "deletions": 0}]));
    let again = send(&client, "POST", "/api/v1/prs", &new(&plain)).await;
    assert_eq!((again.status.as_u16(), &again.json()["existing"]), (200, &json!(true)));
    assert_eq!(again.json()["id"], pr["id"]);
    let said = json!({"title": "Better", "body": "why"});
    assert_eq!(ok(&client, "PATCH", &path, &said).await["title"], "Better");

    let merging = (0..8).map(|_| {
        let (client, path) = (client.clone(), format!("{path}/merge"));
        tokio::spawn(async move { ok(&client, "POST", &path, &json!({})).await })
    });
    let merging: Vec<_> = merging.collect();
    let mut firsts = 0;
    for merge in merging {
        let merged = merge.await.unwrap();
        firsts += usize::from(merged["already_merged"] == false);
        assert_eq!(merged["merge_sha"], plain.git(&["rev-parse", "main"]));
    }
    assert_eq!(firsts, 1);
    assert_eq!(plain.git(&["rev-list", "--count", "main"]), "3");
    assert_eq!(plain.git(&["rev-parse", "main^2"]), head);
    assert_eq!(
        plain.git(&["log", "-1", "--format=%s%n%b", "main"]),
        "Merge work into main\nBetter\n\nwhy"
    );
    for (method, path, body) in [
        ("PATCH", path.as_str(), json!({"state": "closed"})),
        ("PATCH", &path, json!({"title": "x"})),
    ] {
        assert_eq!(send(&client, method, path, &body).await.code(), "pr_final");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_pull_request_is_linked_to_it_and_its_task() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "new", "a\n");
    let seat = json!({"cwd": plain.path().display().to_string()});
    ok(&client, "PUT", "/api/v1/agents/api", &seat).await;
    ok(&client, "POST", "/api/v1/tasks", &json!({"title": "t", "prefix": "A"})).await;
    ok(&client, "PUT", "/api/v1/agents/api/task", &json!({"task_identifier": "A-1"})).await;
    let new = json!({"title": "Work", "head_branch": "work"});
    let id = [("x-headsup-id", "make-1")];
    let mut ids = Vec::new();
    for _ in 0..2 {
        let reply = client.send("POST", "/api/v1/agents/api/prs", &id, new.to_string()).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        ids.push(reply.json()["id"].clone());
    }
    assert_eq!(ids[0], ids[1]);
    let agent = client.get("/api/v1/agents/api").await.json();
    assert_eq!(agent["prs"], json!([ids[0]]));
    let listed = client.get("/api/v1/agents/api/prs").await.json();
    assert_eq!(
        (&listed["prs"][0]["task"], &listed["prs"][0]["agent_id"]),
        (&json!("A-1"), &json!("api"))
    );
    client.report("lone", "working").await;
    assert_eq!(client.get("/api/v1/agents/lone/prs").await.json()["prs"], json!([]));
    assert_eq!(
        send(&client, "POST", "/api/v1/agents/lone/prs", &new).await.code(),
        "no_repository"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_commit_that_was_seen_is_merged() {
    let (bench, plain) = (allowing().await, Plain::new());
    let client = bench.client();
    let seen = plain.branch("work", "new", "a\n");
    let (_, path) = opened(&client, &plain).await;
    let merge = format!("{path}/merge");
    plain.git(&["checkout", "-q", "work"]);
    let later = plain.commit("sneaked in");
    plain.git(&["checkout", "-q", "main"]);
    let refused = send(&client, "POST", &merge, &json!({})).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "head_moved"));
    assert!(
        refused.text().contains(&later) && refused.text().contains(&seen),
        "{}",
        refused.text()
    );
    let refreshed = ok(&client, "POST", &format!("{path}/refresh"), &json!({})).await;
    assert_eq!(refreshed["head_sha"], later);
    let pinned = json!({"expected_head_sha": seen});
    assert_eq!(send(&client, "POST", &merge, &pinned).await.code(), "head_moved");
    let pinned = json!({"expected_head_sha": later, "merge_method": "squash"});
    ok(&client, "POST", &merge, &pinned).await;
    assert_eq!(plain.git(&["rev-list", "--count", "main"]), "2");
    assert_eq!(plain.git(&["log", "-1", "--format=%an <%ae>", "main"]), "Ada <a@b.c>");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_was_moved_back_to_the_base_has_nothing_to_merge() {
    let (bench, plain) = (allowing().await, Plain::new());
    let client = bench.client();
    let seen = plain.branch("work", "new", "a\n");
    let (_, path) = opened(&client, &plain).await;
    plain.git(&["branch", "-f", "work", "main"]);
    let base = plain.git(&["rev-parse", "main"]);
    let approves = json!({"state": "approved"});
    let refused = send(&client, "POST", &format!("{path}/reviews"), &approves).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "head_moved"));
    assert!(refused.text().contains(&seen), "{}", refused.text());
    for _ in 0..2 {
        let pr = ok(&client, "POST", &format!("{path}/refresh"), &json!({})).await;
        assert_eq!(
            (&pr["head_sha"], &pr["changed_files"], &pr["files"], &pr["mergeable"]),
            (&json!(base), &json!(0), &json!([]), &json!(false))
        );
    }
    for method in ["merge", "squash", "rebase"] {
        let said = json!({"merge_method": method});
        let refused = send(&client, "POST", &format!("{path}/merge"), &said).await;
        assert_eq!(refused.code(), "no_commits");
        assert!(refused.text().contains("there is nothing to merge"), "{}", refused.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_whose_hub_died_behind_it_is_recognised_and_not_repeated() {
    let (bench, plain) = (allowing().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "new", "a\n");
    let (pr, path) = opened(&client, &plain).await;
    // The branch has moved; what the hub was about to note of it was not noted.
    let id = pr["id"].as_str().unwrap().to_owned();
    plain.git(&["merge", "-q", "--squash", "work"]);
    let sha = plain.commit("squashed");
    let act = crate::job::PullAct::Intends { id, sha: sha.clone() };
    bench.hub().inbox().submit(crate::job::Work::Pull(Box::new(act)), None).await.unwrap();
    let merged =
        ok(&client, "POST", &format!("{path}/merge"), &json!({"merge_method": "squash"})).await;
    assert_eq!((&merged["already_merged"], &merged["merge_sha"]), (&json!(true), &json!(sha)));
    assert_eq!(plain.git(&["rev-parse", "main"]), sha);
}

const AGENT: (&str, &str) = ("x-headsup-agent", "api");

/// An agent's merge: the status and the document.
async fn calls_for(client: &Client, merge: &str, body: Value) -> (u16, Value) {
    let headers = [("content-type", "application/json"), AGENT];
    let reply = client.send("POST", merge, &headers, body.to_string()).await;
    (reply.status.as_u16(), reply.json())
}

async fn answer(client: &Client, prompt: &Value, value: &str) {
    let path = format!("/api/v1/prompts/{}/answer", prompt.as_str().unwrap());
    ok(client, "POST", &path, &json!({"value": value})).await;
}

/// Until the hub has merged it, or has seen that it cannot.
async fn until(client: &Client, path: &str, is: impl Fn(&Value) -> bool) -> Value {
    let look = async {
        loop {
            let pr = client.get(path).await.json();
            if is(&pr) {
                return pr;
            }
        }
    };
    soon("the merge", look).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_merge_waits_for_a_person_and_happens_by_itself_then() {
    let (mut bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    let head = plain.branch("work", "new", "a\n");
    let (_, path) = opened(&client, &plain).await;
    let merge = format!("{path}/merge");
    let (status, asked) = calls_for(&client, &merge, json!({"merge_method": "squash"})).await;
    assert_eq!((status, &asked["state"]), (202, &json!("pending")), "{asked}");
    assert_eq!(asked["pr"]["head_sha"], head);
    let again = calls_for(&client, &merge, json!({"merge_method": "squash"})).await;
    assert_eq!(again.1["prompt_id"], asked["prompt_id"], "nobody is asked twice");
    assert_eq!(plain.git(&["rev-list", "--count", "main"]), "1");
    // The question outlives the hub.
    bench.restart().await;
    let client = bench.client();
    answer(&client, &asked["prompt_id"], "yes").await;
    let pr = until(&client, &path, |pr| pr["state"] == "merged").await;
    assert_eq!(plain.git(&["rev-parse", "main"]), pr["merge_sha"].as_str().unwrap());
    assert_eq!(plain.git(&["rev-list", "--count", "main"]), "2");
    let (status, merged) = calls_for(&client, &merge, json!({"merge_method": "squash"})).await;
    assert_eq!((status, &merged["already_merged"]), (200, &json!(true)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_cannot_agree_for_a_person_and_a_no_is_one_until_there_is_more() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "new", "a\n");
    let (_, path) = opened(&client, &plain).await;
    let merge = format!("{path}/merge");
    let (_, asked) = calls_for(&client, &merge, json!({})).await;
    let own = format!("/api/v1/prompts/{}/answer", asked["prompt_id"].as_str().unwrap());
    let said = client.send("POST", &own, &[AGENT], r#"{"value":"yes"}"#).await;
    assert_eq!((said.status.as_u16(), said.code().as_str()), (403, "self_answer"));
    answer(&client, &asked["prompt_id"], "no").await;
    let (status, refused) = calls_for(&client, &merge, json!({})).await;
    assert_eq!((status, &refused["code"]), (403, &json!("merge_refused")));
    assert_eq!(plain.git(&["rev-list", "--count", "main"]), "1");
    plain.git(&["switch", "-q", "work"]);
    plain.write("new", "b\n");
    plain.commit("more");
    plain.git(&["switch", "-q", "main"]);
    let (status, more) = calls_for(&client, &merge, json!({})).await;
    assert_eq!(status, 202, "{more}");
    assert_ne!(more["prompt_id"], asked["prompt_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_way_of_merging_is_asked_about_for_itself_and_a_no_stays_one() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "new", "a\n");
    let (_, path) = opened(&client, &plain).await;
    let merge = format!("{path}/merge");
    let by = |method: &str| json!({"merge_method": method});
    let (_, rebase) = calls_for(&client, &merge, by("rebase")).await;
    answer(&client, &rebase["prompt_id"], "no").await;
    let (_, plainly) = calls_for(&client, &merge, by("merge")).await;
    let (_, squash) = calls_for(&client, &merge, by("squash")).await;
    assert_ne!(plainly["prompt_id"], squash["prompt_id"]);
    let again = calls_for(&client, &merge, by("rebase")).await;
    assert_eq!(again.1["code"], "merge_refused", "{}", again.1);
    answer(&client, &plainly["prompt_id"], "yes").await;
    let pr = until(&client, &path, |pr| pr["state"] == "merged").await;
    assert_eq!(plain.git(&["rev-list", "--count", "--merges", "main"]), "1", "{pr}");
    // Nobody is asked about what has happened.
    let other = format!("/api/v1/prompts/{}", squash["prompt_id"].as_str().unwrap());
    let other = until(&client, &other, |prompt| prompt["state"] == "resolved").await;
    assert_eq!(other["resolution"]["by"], "cancelled");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_one_is_not_merged_by_an_answer_that_was_for_the_open_one() {
    let (mut bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "new", "a\n");
    let (_, path) = opened(&client, &plain).await;
    let (_, asked) = calls_for(&client, &format!("{path}/merge"), json!({})).await;
    ok(&client, "PATCH", &path, &json!({"state": "closed"})).await;
    let given = format!("/api/v1/prompts/{}/answer", asked["prompt_id"].as_str().unwrap());
    let late = send(&client, "POST", &given, &json!({"value": "yes"})).await;
    assert_eq!(late.code(), "already_resolved");
    ok(&client, "PATCH", &path, &json!({"state": "open"})).await;
    bench.restart().await;
    assert_eq!(bench.client().get(&path).await.json()["state"], "open");
    assert_eq!(plain.git(&["rev-list", "--count", "main"]), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_moved_since_a_person_was_asked_is_not_merged() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "readme", "theirs\n");
    let (_, path) = opened(&client, &plain).await;
    let (_, asked) = calls_for(&client, &format!("{path}/merge"), json!({})).await;
    plain.write("readme", "ours\n");
    let ours = plain.commit("ours");
    answer(&client, &asked["prompt_id"], "yes").await;
    let pr = until(&client, &path, |pr| pr["mergeable"] == false).await;
    assert_eq!((&pr["state"], plain.git(&["rev-parse", "main"])), (&json!("open"), ours));
    assert!(pr["mergeable_reason"].as_str().unwrap().contains("conflicts"), "{pr}");
    // Whoever has agreed is told, and the agent.
    let agent = until(&client, "/api/v1/agents/api", |agent| agent["headline"] == "blocked").await;
    let says =
        "the merge of work into main was agreed to and did not happen: work conflicts with main";
    assert!(agent["stage"]["message"].as_str().unwrap().starts_with(says), "{agent}");
    let workflow = client.get("/api/v1/agents/api/workflow").await.json();
    assert!(workflow.to_string().contains(says), "{workflow}");
    let log = client.get("/api/v1/agents/api/activity").await.text();
    assert!(log.contains(says), "{log}");
    // Once it is merged after all, nothing is in its way any more.
    plain.git(&["switch", "-q", "work"]);
    plain.git(&["reset", "-q", "--hard", "main"]);
    plain.write("readme", "both\n");
    plain.commit("both");
    plain.git(&["switch", "-q", "main"]);
    ok(&client, "POST", &format!("{path}/refresh"), &json!({})).await;
    ok(&client, "POST", &format!("{path}/merge"), &json!({})).await;
    let agent = client.get("/api/v1/agents/api").await.json();
    assert_eq!(
        (&agent["stage"]["state"], &agent["stage"]["message"]),
        (&json!("working"), &json!("the pull request of work into main is merged"))
    );
    assert_eq!(agent["stage"].get("blockers"), None, "{agent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_any_more_about_a_commit_that_is_not_the_last_one() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "new", "a\n");
    let (_, path) = opened(&client, &plain).await;
    let (_, asked) = calls_for(&client, &format!("{path}/merge"), json!({})).await;
    plain.git(&["switch", "-q", "work"]);
    plain.write("new", "b\n");
    plain.commit("more");
    plain.git(&["switch", "-q", "main"]);
    let (_, again) = calls_for(&client, &format!("{path}/merge"), json!({})).await;
    let of = |asked: &Value| format!("/api/v1/prompts/{}", asked["prompt_id"].as_str().unwrap());
    let first = client.get(&of(&asked)).await.json();
    assert_eq!(first["resolution"]["by"], "cancelled", "{first}");
    assert_eq!(client.get(&of(&again)).await.json()["state"], "open");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_merges_at_once_and_an_agent_where_the_settings_say_so() {
    let (mut bench, plain) = (Bench::new().await, Plain::new());
    plain.branch("work", "new", "a\n");
    let (_, path) = opened(&bench.client(), &plain).await;
    ok(&bench.client(), "POST", &format!("{path}/merge"), &json!({})).await;
    plain.git(&["checkout", "-q", "work"]);
    plain.write("newer", "a\n");
    plain.commit("more");
    plain.git(&["checkout", "-q", "main"]);
    bench.forge.repositories = vec![(plain.path(), MergePolicy::Allow)];
    bench.restart().await;
    let (_, path) = opened(&bench.client(), &plain).await;
    let (status, merged) = calls_for(&bench.client(), &format!("{path}/merge"), json!({})).await;
    assert_eq!((status, &merged["state"]), (200, &json!("merged")), "{merged}");
}

#[tokio::test(flavor = "multi_thread")]
async fn conflicts_are_told_before_and_at_the_merge() {
    let (bench, plain) = (allowing().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "readme", "theirs\n");
    plain.write("readme", "ours\n");
    plain.commit("ours");
    let (pr, path) = opened(&client, &plain).await;
    assert_eq!(
        (&pr["mergeable"], &pr["mergeable_reason"]),
        (&json!(false), &json!("work conflicts with main in readme"))
    );
    let refused = send(&client, "POST", &format!("{path}/merge"), &json!({})).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "conflicts"));
    assert!(refused.json()["hint"].as_str().unwrap().contains("git merge main"));
    plain.git(&["branch", "-D", "work"]);
    let pr = ok(&client, "POST", &format!("{path}/refresh"), &json!({})).await;
    assert!(pr["mergeable_reason"].as_str().unwrap().contains("no branch \"work\""), "{pr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_pull_request_is_named() {
    let (bench, plain) = (allowing().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "new", "a\n");
    plain.git(&["branch", "same"]);
    let with = |key: &str, value: Value| {
        let mut body = new(&plain);
        body[key] = value;
        body
    };
    let (_, path) = opened(&client, &plain).await;
    let merge = format!("{path}/merge");
    let draft = ok(
        &client,
        "POST",
        "/api/v1/prs",
        &json!({
            "title": "d", "head_branch": "work", "base_branch": "same", "draft": true,
            "folder": plain.path().display().to_string(),
        }),
    )
    .await;
    let draft = format!("/api/v1/prs/{}/merge", draft["id"].as_str().unwrap());
    let cases = [
        ("POST", "/api/v1/prs", with("head_branch", json!("gone")), "head_not_found"),
        ("POST", "/api/v1/prs", with("base_branch", json!("gone")), "base_not_found"),
        ("POST", "/api/v1/prs", with("head_branch", json!("main")), "same_branch"),
        ("POST", "/api/v1/prs", with("head_branch", json!("same")), "no_commits"),
        ("POST", "/api/v1/prs", with("head_branch", json!("-x")), "bad_branch"),
        ("POST", "/api/v1/prs", with("folder", json!("/")), "no_repository"),
        ("POST", "/api/v1/prs", with("folder", json!("here")), "bad_pr"),
        ("POST", "/api/v1/prs", with("title", json!("")), "bad_pr"),
        ("POST", "/api/v1/prs", with("reviewers", json!([])), "bad_json"),
        ("GET", "/api/v1/prs/nothing", json!(null), "no_such_pr"),
        ("GET", "/api/v1/prs?state=x", json!(null), "bad_pr"),
        ("PATCH", path.as_str(), json!({}), "bad_pr"),
        ("PATCH", path.as_str(), json!({"state": "merged"}), "bad_pr"),
        ("POST", merge.as_str(), json!({"merge_method": "fast"}), "bad_pr"),
        ("POST", merge.as_str(), json!({"expected_head_sha": "main"}), "bad_pr"),
        ("POST", "/api/v1/prs/nothing/merge", json!({}), "no_such_pr"),
        ("POST", "/api/v1/prs/nothing/refresh", json!({}), "no_such_pr"),
        ("POST", "/api/v1/agents/nobody/prs", new(&plain), "no_such_agent"),
        ("POST", draft.as_str(), json!({}), "draft"),
    ];
    for (method, path, body, code) in cases {
        let reply = send(&client, method, path, &body).await;
        assert_eq!(reply.code(), code, "{method} {path} {body}: {}", reply.text());
    }
    let long = "x".repeat(300);
    for branch in ["a..b", "refs/heads/../x", "a b", "@{u}", "--upload-pack=x", &long] {
        for end in ["head_branch", "base_branch"] {
            let body = with(end, json!(branch));
            let reply = send(&client, "POST", "/api/v1/prs", &body).await;
            assert_eq!(reply.code(), "bad_branch", "{end} {branch}: {}", reply.text());
        }
    }
    ok(&client, "PATCH", &path, &json!({"state": "closed"})).await;
    assert_eq!(send(&client, "POST", &merge, &json!({})).await.code(), "pr_final");
    ok(&client, "PATCH", &path, &json!({"state": "open"})).await;
    ok(&client, "POST", &merge, &json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_hands_in_its_own_work_alone() {
    let (bench, plain) = (Bench::new().await, Plain::new());
    let client = bench.client();
    plain.branch("work", "new", "a\n");
    for agent in ["api", "web"] {
        client.report(agent, "working").await;
    }
    ok(&client, "POST", "/api/v1/tasks", &json!({"title": "t", "prefix": "A"})).await;
    let headers = [("content-type", "application/json"), AGENT];
    let (link, linked) = ("task", json!({"task_identifier": "A-1"}));
    let own = client.send("PUT", "/api/v1/agents/api/task", &headers, linked.to_string()).await;
    assert_eq!(own.status.as_u16(), 200, "{}", own.text());
    let others = [
        ("PUT", link, linked),
        ("POST", "task/comments", json!({"comment": "c"})),
        ("POST", "task/status", json!({"status": "done"})),
        ("POST", "task/complete", json!({"summary": "s"})),
        ("POST", "review", json!({"pr_url": "https://github.com/a/b/pull/1", "summary": "s"})),
        ("POST", "prs", new(&plain)),
    ];
    for (method, what, body) in others {
        let path = format!("/api/v1/agents/web/{what}");
        let refused = client.send(method, &path, &headers, body.to_string()).await;
        assert_eq!(refused.code(), "not_your_agent", "{path}: {}", refused.text());
    }
}
