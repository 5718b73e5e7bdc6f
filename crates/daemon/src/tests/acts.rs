use super::bench::Bench;

#[tokio::test(flavor = "multi_thread")]
async fn seen_turns_done_into_idle_and_is_kept() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    client.hook("Stop", "s1", &[]).await;
    assert_eq!(client.headline("claude-code-s1").await, "done");
    let path = "/api/v1/agents/claude-code-s1/seen";
    let reply = client.send("POST", path, &[], "").await;
    assert_eq!((reply.status.as_u16(), &reply.json()["agent_id"]), (200, &"claude-code-s1".into()));
    assert_eq!(client.headline("claude-code-s1").await, "idle");
    // Restoring never changes what a person has seen.
    bench.restart().await;
    assert_eq!(bench.client().headline("claude-code-s1").await, "idle");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_act_has_one_effect_for_one_id() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    client.hook("Stop", "s1", &[]).await;
    let path = "/api/v1/agents/claude-code-s1/seen";
    let id = [("x-headsup-id", "click-1")];
    assert!(client.send("POST", path, &id, "").await.json()["cursor"].is_string());
    let again = client.send("POST", path, &id, "").await;
    assert_eq!((again.status.as_u16(), &again.json()["duplicate"]), (200, &true.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_act_on_nobody_is_refused() {
    let bench = Bench::new().await;
    let client = bench.client();
    for (method, path) in [
        ("POST", "/api/v1/agents/nobody/seen"),
        ("DELETE", "/api/v1/agents/nobody"),
        ("GET", "/api/v1/agents/nobody"),
        ("GET", "/api/v1/agents/nobody/explain"),
        ("GET", "/api/v1/agents/nobody/activity"),
    ] {
        let reply = client.send(method, path, &[], "").await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (404, "no_such_agent"),
            "{path}"
        );
    }
    assert_eq!(client.head().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_agent_is_forgotten_only_by_force() {
    let mut bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    client.hook("PreToolUse", "s1", &[]).await;
    let path = "/api/v1/agents/claude-code-s1";
    let refused = client.send("DELETE", path, &[], "").await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "agent_running"));
    let forgotten = client.send("DELETE", &format!("{path}?force=true"), &[], "").await;
    assert_eq!(forgotten.status, 200);
    assert_eq!(client.get(path).await.status, 404);
    assert_eq!(client.log().await.last().unwrap()["type"], "agent.forgotten");
    bench.restart().await;
    let client = bench.client();
    assert_eq!(client.get(path).await.status, 404);
    // It comes back with its next report, without its past.
    client.hook("UserPromptSubmit", "s1", &[]).await;
    let activity = client.get(&format!("{path}/activity")).await.json();
    assert_eq!(activity["entries"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_or_stale_agent_is_forgotten_at_a_word() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.hook("UserPromptSubmit", "s1", &[]).await;
    client.hook("UserPromptSubmit", "s2", &[]).await;
    client.hook("SessionEnd", "s1", &[]).await;
    assert_eq!(client.send("DELETE", "/api/v1/agents/claude-code-s1", &[], "").await.status, 200);
    bench.pass(60_000).await;
    assert_eq!(client.send("DELETE", "/api/v1/agents/claude-code-s2", &[], "").await.status, 200);
}
