//! Requests that a model of the agent's own answers.

use super::bench::{Bench, START};
use crate::process;
use headsup_core::spool::{Record, Report, encode};
use serde_json::json;
use std::fs;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_answers_is_asked_of_nobody_also_where_it_has_waited_in_the_spool() {
    let (pid, start) = process::identity(std::process::id()).unwrap();
    let parents = [json!({"pid": pid, "start": start, "comm": "codex"})];
    let context = json!({ "parents": parents }).to_string();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("rollout-1.jsonl");
    for (reviewer, headline) in [("auto_review", "working"), ("user", "blocked")] {
        let mut bench = Bench::new().await;
        bench.stop().await;
        let payload = json!({ "approvals_reviewer": reviewer });
        let line = json!({"type": "turn_context", "payload": payload});
        fs::write(&log, format!("{line}\n")).unwrap();
        let told = |event: &str| {
            let body = json!({
                "hook_event_name": event, "session_id": "s1", "cwd": "/home/dev/api",
                "turn_id": "t1", "transcript_path": log,
            });
            encode(&Record::Report(Report {
                kind: "codex".into(),
                id: event.into(),
                reported_at: START,
                context: Some(context.clone()),
                is_transition: true,
                body: body.to_string().into_bytes(),
                ..Report::default()
            }))
        };
        let spooled = ["UserPromptSubmit", "PermissionRequest"].map(told).concat();
        fs::write(bench.home().join("spool/queue"), spooled).unwrap();
        bench.start().await;
        assert_eq!(bench.client().headline("codex-api").await, headline, "{reviewer}");
    }
}
