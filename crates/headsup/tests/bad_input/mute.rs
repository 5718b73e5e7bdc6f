//! L: a log whose changes the kernel tells nobody of, as on a disk that another machine has, too.

use crate::logs::{append, interruption_now, is_followed};
use crate::rig::{Call, Rig};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::small_disk::SmallDisk;
use headsup_testkit::wait;
use serde_json::json;
use std::fs;

pub(crate) const SORTS: &[&str] = &["31 no word of changes"];

/// Written below a mount of layers: through the mount the change is there, and nobody is told.
#[test]
fn a_log_that_changes_without_a_word_is_read_all_the_same() {
    let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
    let (logs, below) = (home.path().join("logs"), home.path().join("below"));
    fs::create_dir(&logs).unwrap();
    let Ok(Some(layers)) = SmallDisk::layers(&logs, &below) else {
        eprintln!("skipped: no layers of one's own here");
        return;
    };
    let written = below.join("upper/log.jsonl");
    fs::write(&written, "{\"type\":\"summary\"}\n").unwrap();
    let hub = layers.enter(&home.command(["up", "--foreground"]));
    let hub = Hub::start_as(hub, &home.socket());
    let rig = Rig::of(home, hub);
    let payload = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "r31", "prompt_id": "p1",
        "prompt": "go", "cwd": "/home/dev/r31", "transcript_path": logs.join("log.jsonl"),
    });
    let payload = payload.to_string();
    rig.hook("31", &Call { payload: payload.as_bytes(), ..Call::default() });
    is_followed(&rig, &written, "31");
    append(&written, format!("{}\n", interruption_now("r31")).as_bytes());
    wait::until("the interruption", || (rig.roster()["claude-code-r31"] == "idle").then_some(()));
    rig.stands("31");
}
