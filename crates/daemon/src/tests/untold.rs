//! Answers that have not reached whoever asked: the same question brings them, once.

use super::bench::{Bench, Client};
use super::mcp::tool_as;
use serde_json::{Value, json};

async fn tool(client: &Client, name: &str, arguments: Value) -> Value {
    let told = tool_as(client, "api", name, arguments).await;
    assert_eq!(told["isError"], false, "{told}");
    told["structuredContent"].clone()
}

async fn ask(client: &Client) -> Value {
    let ask = json!({"question": "Deploy now?", "default_action": "wait", "wait_seconds": 0});
    tool(client, "request_input", ask).await
}

async fn answer(client: &Client, asked: &Value, value: &str) {
    let path = format!("/api/v1/prompts/{}/answer", asked["prompt_id"].as_str().unwrap());
    let reply = client.send("POST", &path, &[], json!({ "value": value }).to_string()).await;
    assert!(reply.status.is_success(), "{}", reply.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_behind_a_wait_that_has_ended_is_brought_once() {
    let bench = Bench::new().await;
    let client = bench.client();
    client.report("api", "working").await;
    let first = ask(&client).await;
    assert_eq!(first["state"], "pending", "{first}");
    answer(&client, &first, "yes").await;
    let told = ask(&client).await;
    assert_eq!((&told["prompt_id"], &told["value"]), (&first["prompt_id"], &json!("yes")));
    let anew = ask(&client).await;
    assert_eq!(anew["state"], "pending", "{anew}");
    assert_ne!(anew["prompt_id"], first["prompt_id"]);
    // Whoever has waited for an answer knows it.
    answer(&client, &anew, "no").await;
    let waited = json!({ "prompt_id": anew["prompt_id"] });
    assert_eq!(tool(&client, "wait_for_input", waited).await["value"], "no");
    let third = ask(&client).await;
    assert_eq!(third["state"], "pending", "{third}");
    // A person who looks at it has not told the agent.
    answer(&client, &third, "later").await;
    client.get(&format!("/api/v1/prompts/{}", third["prompt_id"].as_str().unwrap())).await;
    let told = ask(&client).await;
    assert_eq!((&told["prompt_id"], &told["value"]), (&third["prompt_id"], &json!("later")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_around_a_restart_of_the_hub_is_brought_once() {
    let mut bench = Bench::new().await;
    bench.client().report("api", "working").await;
    for is_answered_before in [true, false] {
        let asked = ask(&bench.client()).await;
        assert_eq!(asked["state"], "pending", "{asked}");
        if is_answered_before {
            answer(&bench.client(), &asked, "yes").await;
        }
        bench.restart().await;
        if !is_answered_before {
            answer(&bench.client(), &asked, "yes").await;
        }
        let told = ask(&bench.client()).await;
        assert_eq!((&told["prompt_id"], &told["value"]), (&asked["prompt_id"], &json!("yes")));
        bench.restart().await;
    }
    let asked = ask(&bench.client()).await;
    assert_eq!(asked["state"], "pending", "{asked}");
    answer(&bench.client(), &asked, "yes").await;
    let bench = bench.killed_now().await;
    let told = ask(&bench.client()).await;
    assert_eq!((&told["prompt_id"], &told["value"]), (&asked["prompt_id"], &json!("yes")));
}
