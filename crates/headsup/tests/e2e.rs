//! The whole path for real: hooks as processes, a hub as a process, commands as processes.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail")]

#[path = "e2e/agent.rs"]
mod agent;
#[path = "e2e/attention.rs"]
mod attention;
#[path = "e2e/hub.rs"]
mod hub;
#[path = "e2e/inbox.rs"]
mod inbox;
#[path = "e2e/kill.rs"]
mod kill;
#[path = "e2e/pr.rs"]
mod pr;
#[path = "e2e/question.rs"]
mod question;
#[path = "e2e/race.rs"]
mod race;
#[path = "e2e/spool.rs"]
mod spool;
#[path = "e2e/stages.rs"]
mod stages;
#[path = "e2e/straggler.rs"]
mod straggler;
#[path = "e2e/task.rs"]
mod task;
#[path = "e2e/turn.rs"]
mod turn;
#[path = "e2e/wait.rs"]
mod wait;
#[path = "e2e/words.rs"]
mod words;
