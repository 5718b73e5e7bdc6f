//! What the process of an agent takes, over the hub's restarts.

use super::{Agent, Rig};
use crate::tests::bench::soon;
use serde_json::Value;

const API: &str = "/api/v1/agents/claude-code-s1";

impl Rig {
    /// Once there are so many of them.
    async fn samples(&self, count: usize) -> Vec<Value> {
        let looks = async {
            loop {
                let history = self.bench.client().get(&format!("{API}/history")).await.json();
                if let Some(samples) = history["samples"].as_array()
                    && samples.len() >= count
                {
                    return samples.clone();
                }
                tokio::task::yield_now().await;
            }
        };
        soon("samples", looks).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_process_took_is_told_after_a_restart_and_goes_with_its_agent() {
    let mut rig = Rig::new().await;
    let agent = Agent::start(&rig.sessions, "s1");
    rig.hook(&agent, "UserPromptSubmit").await;
    let before = rig.samples(1).await;
    assert_eq!((&before[0]["turn"], &before[0]["turn_seq"]), (&"working".into(), &1.into()));
    rig.bench.clock.advance(40_000);
    rig.bench.restart().await;
    let after = rig.samples(2).await;
    assert_eq!(after[0], before[0]);
    let forgotten = rig.bench.client().send("DELETE", &format!("{API}?force=true"), &[], "").await;
    assert_eq!(forgotten.status, 200, "{}", forgotten.text());
    let file = rig.bench.home().join("samples.db");
    rig.bench.stop().await;
    let file = rusqlite::Connection::open(file).unwrap();
    let sql = "SELECT COUNT(*) FROM samples";
    assert_eq!(file.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap(), 0);
}
