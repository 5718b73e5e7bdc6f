//! Reviews of pull requests: what is told, what moves, and what counts for a merge.

use super::bench::{Bench, Client};
use super::emulator::started;
use super::github::{ok, opened as opened_there, send, settings, with};
use crate::forge::plain::Plain;
use headsup_core::work::pull::MergePolicy;
use headsup_testkit::github::{Fault, GitHub};
use serde_json::{Value, json};

const JSON: (&str, &str) = ("content-type", "application/json");

async fn by(client: &Client, agent: &str, path: &str, body: Value) -> (u16, Value) {
    let headers = [JSON, ("x-headsup-agent", agent)];
    let reply = client.send("POST", path, &headers, body.to_string()).await;
    (reply.status.as_u16(), reply.json())
}

fn review(state: &str, body: &str) -> Value {
    match body {
        "" => json!({ "state": state }),
        body => json!({ "state": state, "body": body }),
    }
}

/// What every provider keeps: reviews come back as its own are told, the last word of each reviewer.
async fn are_told(client: &Client, path: &str) {
    let reviews = format!("{path}/reviews");
    let said = review("changes_requested", "name the key\nand test it");
    let pr = ok(client, "POST", &reviews, &said).await;
    let told = |pr: &Value| -> Vec<String> {
        let lines = pr["reviews"].as_array().unwrap();
        let lines = lines.iter().map(|line| line.as_str().unwrap());
        lines.map(|line| line.split_once(": ").unwrap().1.to_owned()).collect()
    };
    assert_eq!(told(&pr), ["changes requested: name the key\nand test it"], "{pr}");
    ok(client, "POST", &reviews, &review("commented", "by the way")).await;
    let pr = ok(client, "POST", &reviews, &review("approved", "")).await;
    assert_eq!(told(&pr), ["approved"], "{pr}");
    assert_eq!(told(&client.get(path).await.json()), ["approved"]);
    for (body, code) in [
        (review("fine", "x"), "bad_pr"),
        (review("dismissed", "x"), "bad_pr"),
        (review("commented", " \n"), "bad_pr"),
        (review("changes_requested", ""), "bad_pr"),
        (json!({"state": "approved", "expected_head_sha": "main"}), "bad_pr"),
        (json!({"state": "approved", "expected_head_sha": "0".repeat(40)}), "head_moved"),
    ] {
        assert_eq!(send(client, "POST", &reviews, &body).await.code(), code, "{body}");
    }
    ok(client, "POST", &format!("{path}/merge"), &json!({})).await;
    assert_eq!(send(client, "POST", &reviews, &review("approved", "")).await.code(), "pr_final");
}

struct Shop {
    bench: Bench,
    plain: Plain,
}

impl Shop {
    /// An agent `api` with a pull request that waits for its review; the path of that.
    async fn with(policy: MergePolicy) -> (Self, Client, String) {
        let (mut bench, plain) = (Bench::new().await, Plain::new());
        bench.forge.merge_policy = policy;
        bench.restart().await;
        let client = bench.client();
        plain.branch("work", "new", "a\n");
        let seat = json!({"cwd": plain.path().display().to_string()});
        ok(&client, "PUT", "/api/v1/agents/api", &seat).await;
        let new = json!({"title": "Work", "head_branch": "work"});
        let pr = ok(&client, "POST", "/api/v1/agents/api/prs", &new).await;
        let handed = json!({"pr_url": pr["url"], "summary": "look"});
        ok(&client, "POST", "/api/v1/agents/api/review", &handed).await;
        let path = format!("/api/v1/prs/{}", pr["id"].as_str().unwrap());
        (Self { bench, plain }, client, path)
    }

    fn more(&self) {
        self.plain.git(&["switch", "-q", "work"]);
        self.plain.write("new", "b\n");
        self.plain.commit("as it was asked for");
        self.plain.git(&["switch", "-q", "main"]);
    }
}

async fn stage(client: &Client) -> (String, String) {
    let told = client.get("/api/v1/agents/api").await.json();
    let text = |name: &str| told["stage"][name].as_str().unwrap_or_default().to_owned();
    (text("state"), text("message"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hubs_own_forge_tells_reviews() {
    let (_shop, client, path) = Shop::with(MergePolicy::Ask).await;
    are_told(&client, &path).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn github_tells_them_the_same() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    there.push("work", 'b');
    let (_, path) = opened_there(&bench.client()).await;
    are_told(&bench.client(), &path).await;
    let states: Vec<_> =
        there.pull(1).reviews.iter().map(|review| review["state"].clone()).collect();
    assert_eq!(states, ["CHANGES_REQUESTED", "COMMENTED", "APPROVED"]);
    assert_eq!(there.pull(1).reviews[0]["commit_id"], "b".repeat(40));
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_elses_github_tells_them_the_same() {
    let Some((emulator, bench)) = started().await else { return };
    emulator.push("work", "one");
    let (_, path) = opened_there(&bench.client()).await;
    are_told(&bench.client(), &path).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_whose_answer_is_lost_is_told_once() {
    let there = GitHub::start();
    let bench = with(settings(&there)).await;
    let client = bench.client();
    there.push("work", 'b');
    let (_, path) = opened_there(&client).await;
    let reviews = format!("{path}/reviews");
    there.fails("POST", "/reviews", Fault::CutAfter);
    for _ in 0..2 {
        let said = review("approved", "").to_string();
        let reply = client.send("POST", &reviews, &[JSON, ("x-headsup-id", "r-1")], said).await;
        assert_eq!(reply.status.as_u16(), 200, "{}", reply.text());
    }
    assert_eq!(there.pull(1).reviews.len(), 1);
    let says = "Could not resolve to a commit";
    let none = json!({"message": "Unprocessable Entity", "errors": [says]});
    there.fails("POST", "/reviews", Fault::Answer(422, none, Vec::new()));
    let refused = send(&client, "POST", &reviews, &review("approved", "")).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "remote_refused"));
    assert!(refused.text().contains(says), "{}", refused.text());
    // An agent would speak there in its person's name: it may remark something, and says who it is.
    let (status, _) = by(&client, "bot", &reviews, review("changes_requested", "x")).await;
    assert_eq!(status, 403);
    assert_eq!(by(&client, "bot", &reviews, review("commented", "found")).await.0, 200);
    let last = there.pull(1).reviews.pop().unwrap();
    assert!(last["body"].as_str().unwrap().starts_with("**bot has looked at this:**"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_opened_it_there_reviews_it_by_a_remark_and_that_counts_here() {
    let there = GitHub::start();
    let mut bench = with(settings(&there)).await;
    bench.forge.merge_policy = MergePolicy::Ask;
    bench.restart().await;
    let client = bench.client();
    there.push("work", 'b');
    let (_, path) = opened_there(&client).await;
    for (state, says, remark) in [
        ("changes_requested", "name it", " wants changes:**\n\nname it"),
        ("approved", "", " has approved this.**"),
    ] {
        let own = format!("Review Can not {state} your own pull request");
        let own = json!({"message": "Unprocessable Entity", "errors": [own]});
        there.fails("POST", "/reviews", Fault::Answer(422, own, Vec::new()));
        ok(&client, "POST", &format!("{path}/reviews"), &review(state, says)).await;
        let last = there.pull(1).reviews.pop().unwrap();
        assert_eq!(last["state"], "COMMENTED");
        assert!(last["body"].as_str().unwrap().contains(remark), "{last}");
        let (status, told) = by(&client, "api", &format!("{path}/merge"), json!({})).await;
        match state {
            "approved" => assert_eq!((status, &told["state"]), (200, &json!("merged")), "{told}"),
            _ => assert_eq!((status, &told["code"]), (403, &json!("changes_requested")), "{told}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wanted_changes_are_work_again_and_hold_that_commit_back() {
    for policy in [MergePolicy::Ask, MergePolicy::Allow] {
        let (shop, client, path) = Shop::with(policy).await;
        assert_eq!(stage(&client).await.0, "awaiting_review");
        let said = review("changes_requested", "name the key");
        let pr = ok(&client, "POST", &format!("{path}/reviews"), &said).await;
        let (working, message) = stage(&client).await;
        assert_eq!(working, "working");
        assert!(message.ends_with(" wants changes: name the key"), "{message}");
        assert_eq!(pr["mergeable"], false);
        assert!(pr["mergeable_reason"].as_str().unwrap().ends_with(" wants changes"), "{pr}");
        let (status, refused) = by(&client, "api", &format!("{path}/merge"), json!({})).await;
        assert_eq!((status, &refused["code"]), (403, &json!("changes_requested")));
        assert!(refused["detail"].as_str().unwrap().contains("name the key"), "{refused}");
        shop.more();
        ok(&client, "POST", &format!("{path}/refresh"), &json!({})).await;
        let (status, now) = by(&client, "api", &format!("{path}/merge"), json!({})).await;
        let wanted = if policy == MergePolicy::Ask { 202 } else { 200 };
        assert_eq!(status, wanted, "{now}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_commit_is_merged_without_a_question_and_only_that_one() {
    let (mut shop, client, path) = Shop::with(MergePolicy::Ask).await;
    let reviews = format!("{path}/reviews");
    let head = shop.plain.git(&["rev-parse", "work"]);
    let said = json!({"state": "approved", "expected_head_sha": head});
    ok(&client, "POST", &reviews, &said).await;
    let (waits, message) = stage(&client).await;
    assert_eq!(waits, "awaiting_review");
    assert!(message.ends_with(" has approved it"), "{message}");
    // Its approval is of what was there, and is not carried over.
    shop.more();
    let (status, asked) = by(&client, "api", &format!("{path}/merge"), json!({})).await;
    assert_eq!(status, 202, "{asked}");
    // Whoever approves now has answered the question as well, and that merges.
    ok(&client, "POST", &reviews, &review("approved", "")).await;
    let prompt = format!("/api/v1/prompts/{}", asked["prompt_id"].as_str().unwrap());
    let answered = client.get(&prompt).await.json();
    assert_eq!(
        (&answered["resolution"]["by"], &answered["resolution"]["value"]),
        (&json!("human"), &json!("yes"))
    );
    shop.bench.restart().await;
    let client = shop.bench.client();
    let (status, merged) = by(&client, "api", &format!("{path}/merge"), json!({})).await;
    assert_eq!((status, &merged["state"]), (200, &json!("merged")), "{merged}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_does_not_outlive_the_end_of_what_it_was_of() {
    let (_shop, client, path) = Shop::with(MergePolicy::Ask).await;
    ok(&client, "POST", &format!("{path}/reviews"), &review("approved", "")).await;
    ok(&client, "PATCH", &path, &json!({"state": "closed"})).await;
    let closed = send(&client, "POST", &format!("{path}/reviews"), &review("approved", "")).await;
    assert_eq!(closed.code(), "pr_final");
    ok(&client, "PATCH", &path, &json!({"state": "open"})).await;
    let (status, asked) = by(&client, "api", &format!("{path}/merge"), json!({})).await;
    assert_eq!(status, 202, "{asked}");
    assert!(asked["pr"]["reviews"][0].as_str().unwrap().ends_with(": dismissed"), "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_reviews_others_work_and_approves_nothing() {
    let (_shop, client, path) = Shop::with(MergePolicy::Ask).await;
    let reviews = format!("{path}/reviews");
    for (agent, state, code) in [
        ("api", "approved", "self_review"),
        ("api", "commented", "self_review"),
        ("web", "approved", "human_only"),
    ] {
        let (status, refused) = by(&client, agent, &reviews, review(state, "x")).await;
        assert_eq!((status, &refused["code"]), (403, &json!(code)), "{agent} {state}");
    }
    let (status, pr) = by(&client, "web", &reviews, review("changes_requested", "no tests")).await;
    assert_eq!((status, &pr["reviews"]), (200, &json!(["web: changes requested: no tests"])));
    // It is shown; but it is no person's word, and moves nobody else's work.
    assert_eq!(
        (stage(&client).await.0.as_str(), &pr["mergeable"]),
        ("awaiting_review", &json!(true))
    );
    assert_eq!(by(&client, "api", &format!("{path}/merge"), json!({})).await.0, 202);
}
