//! What a log tells of the time in which no hub was there.

use super::Rig;
use crate::tests::bench::START;
use headsup_core::time::UnixMs;
use serde_json::json;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::time::{Duration, SystemTime};

fn interrupted(at: UnixMs) -> String {
    let line = json!({
        "type": "user", "timestamp": at.to_string(), "sessionId": "s1",
        "message": {"content": [{"type": "text", "text": "[Request interrupted by user]"}]},
    });
    format!("{line}\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_was_stopped_while_no_hub_was_there_is_over_at_the_next_start() {
    let mut rig = Rig::new().await;
    let log = rig.sessions.join("s1.jsonl");
    fs::write(&log, interrupted(START.plus(-1))).unwrap();
    let payload = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s1", "transcript_path": log,
        "cwd": "/home/dev/api", "prompt": "go",
    });
    let client = rig.bench.client();
    client.send("POST", "/api/v1/hooks/claude-code", &[], payload.to_string()).await;
    rig.until_headline("working").await;
    rig.bench.stop().await;
    let stopped = START.plus(2_000);
    let mut file = OpenOptions::new().append(true).open(&log).unwrap();
    file.write_all(interrupted(stopped).as_bytes()).unwrap();
    // By the clock of the hub, not of this machine.
    file.set_modified(
        SystemTime::UNIX_EPOCH + Duration::from_millis(stopped.0.try_into().unwrap()),
    )
    .unwrap();
    rig.bench.clock.advance(5_000);
    rig.bench.start().await;
    let seat = rig.until_headline("idle").await;
    assert_eq!(seat["outcome"]["kind"], "interrupted", "{seat:#}");
    let told = rig.bench.client().log().await;
    let ended = told.iter().find(|event| event["type"] == "turn.completed").unwrap();
    assert_eq!(ended["spooled"], true);
    assert_eq!(ended["reported_at"], stopped.to_string());
}
