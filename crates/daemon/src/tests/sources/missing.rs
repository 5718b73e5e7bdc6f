//! Folders of status files that are not there yet.

use super::super::bench::soon;
use super::{Agent, Rig};
use serde_json::json;
use std::fs;

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_comes_late_is_found_while_seats_come_without_a_pause() {
    let rig = Rig::new().await;
    fs::remove_dir(&rig.sessions).unwrap();
    fs::create_dir(&rig.sessions).unwrap();
    let agent = Agent::start(&rig.sessions, "s1");
    agent.shows("busy");
    let client = rig.bench.client();
    let projects = rig.sessions.with_file_name("projects");
    let finds = async {
        for number in 0.. {
            // Each names that folder.
            let payload = json!({
                "hook_event_name": "SessionStart", "session_id": format!("other-{number}"),
                "cwd": "/home/dev/web", "source": "startup",
                "transcript_path": projects.join(format!("-home-dev-web/other-{number}.jsonl")),
            });
            let path = "/api/v1/hooks/claude-code";
            client.send("POST", path, &[], payload.to_string()).await;
            let agents = client.get("/api/v1/agents").await.json();
            let mut agents = agents["agents"].as_array().unwrap().iter();
            if agents.any(|agent| agent["session_id"] == "s1") {
                return;
            }
        }
    };
    soon("the status file", finds).await;
}
