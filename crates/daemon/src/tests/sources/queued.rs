//! A status file and a log both say when they say what they say.

use super::{Agent, Rig};
use crate::tests::bench::soon;
use headsup_core::time::UnixMs;
use std::fs;
use std::io::Write as _;

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_that_was_queued_goes_on_at_once_behind_an_interruption() {
    let rig = Rig::new().await;
    let agent = Agent::start(&rig.sessions, "s1");
    let project = rig.sessions.with_file_name("projects").join("-home-dev-api");
    fs::create_dir_all(&project).unwrap();
    let log = project.join("s1.jsonl");
    let model = r#"{"type":"assistant","sessionId":"s1","message":{"model":"some-model"}}"#;
    fs::write(&log, format!("{model}\n")).unwrap();
    let start = UnixMs::parse("2999-01-01T00:00:00.000Z").unwrap();
    let began = u64::try_from(start.0).unwrap();
    agent.states("busy", began, began);
    rig.until_headline("working").await;
    let write = |line: &str| {
        let mut log = fs::OpenOptions::new().append(true).open(&log).unwrap();
        writeln!(log, "{line}").unwrap();
    };
    // From then on what is written is news.
    let reads_the_past = async {
        loop {
            write(r#"{"type":"mode"}"#);
            if rig.until("a seat", |_| true).await["model"] == "some-model" {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    soon("the past", reads_the_past).await;
    agent.states("busy", began + 40, began + 40);
    // Files are looked at in the order of their changes.
    let other = Agent::start(&rig.sessions, "s2");
    other.shows("idle");
    let count = async |kind: &str| rig.types().await.iter().filter(|told| *told == kind).count();
    let both = async {
        while count("agent.registered").await < 2 {
            tokio::task::yield_now().await;
        }
    };
    soon("the other agent", both).await;
    let stopped = start.plus(20);
    write(&format!(
        r#"{{"type":"user","timestamp":"{stopped}","sessionId":"s1","message":{{"content":[{{"type":"text","text":"[Request interrupted by user]"}}]}}}}"#
    ));
    let ends = async {
        while count("turn.completed").await == 0 {
            tokio::task::yield_now().await;
        }
    };
    soon("the end of what was stopped", ends).await;
    assert_eq!(count("turn.started").await, 2);
    rig.until_headline("working").await;
}
