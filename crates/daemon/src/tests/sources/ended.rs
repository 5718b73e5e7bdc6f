//! How a process has ended.

use super::{Agent, Rig};
use std::fs;

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_is_crashed_and_its_turn_aborted() {
    let rig = Rig::new().await;
    let mut agent = Agent::start(&rig.sessions, "s1");
    rig.hook(&agent, "UserPromptSubmit").await;
    agent.shows("busy");
    agent.kill();
    let seat = rig.until_headline("crashed").await;
    assert_eq!(seat["outcome"]["kind"], "aborted");
    assert_eq!(rig.types().await.iter().filter(|kind| *kind == "turn.completed").count(), 1);
}

/// Its program takes its file away and ends its session also after a run that nobody can type to.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_terminal_that_is_killed_at_rest_is_crashed() {
    for leaves in [true, false] {
        let rig = Rig::new().await;
        let mut agent = Agent::start(&rig.sessions, "s1");
        let unattended = "\"CLAUDE_CODE_SESSION_ATTENDED\":\"0\",\"CLAUDE_PID\"";
        let context = agent.context().replace("\"CLAUDE_PID\"", unattended);
        for event in ["SessionStart", "UserPromptSubmit", "Stop"] {
            rig.hook_from(&agent, event, &context).await;
        }
        let seat = rig.until_headline("done").await;
        assert_eq!(seat["process"]["attach"], "headless");
        if leaves {
            rig.hook_from(&agent, "SessionEnd", &context).await;
            agent.leave();
        } else {
            agent.kill();
        }
        rig.until_headline(if leaves { "ended" } else { "crashed" }).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_removed_its_file_has_ended() {
    let rig = Rig::new().await;
    let mut agent = Agent::start(&rig.sessions, "s1");
    agent.shows("idle");
    rig.until_headline("idle").await;
    fs::remove_file(agent.file()).unwrap();
    agent.kill();
    rig.until_headline("ended").await;
    assert!(!rig.types().await.contains(&"turn.completed".to_owned()));
}
