//! A hub that is absent, stuck or killed holds nothing up, and learns of it later.

use crate::rig::Rig;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

#[test]
fn a_hub_that_was_away_is_told_everything_in_order() {
    let rig = Rig::new();
    let mut talk = rig.scripted(&["--no-start"]);
    talk.session("s");
    talk.prompt(2, "s");
    talk.ask(0, "s");
    let spool = rig.home.state().join("spool/queue");
    wait::until("the spool", || spool.exists().then_some(()));
    let hub = Hub::start(&rig.home);
    rig.comes_to("blocked");
    assert_eq!(rig.doc()["counters"]["turns"], 1);
    hub.kill();
    talk.client(&json!({"id": 0, "result": {"outcome": {"outcome": "cancelled"}}}));
    talk.stop(2);
    talk.prompt(3, "s");
    talk.stop(3);
    talk.leaves(&rig, 3);
    assert_eq!(talk.ends().code(), Some(3));
    let _hub = Hub::start(&rig.home);
    rig.comes_to("crashed");
    wait::until("the cause", || (rig.doc()["process"]["code"] == 3).then_some(()));
    let doc = rig.doc();
    assert_eq!(doc["counters"]["turns"], 2, "{doc}");
    assert_eq!(doc["outcome"]["kind"], "completed");
}

#[test]
fn a_hub_that_is_stuck_holds_nothing_up() {
    let rig = Rig::new();
    let hub = Hub::start(&rig.home);
    let pid = Pid::from_raw(i32::try_from(hub.pid()).unwrap()).unwrap();
    let mut talk = rig.talk("exec cat");
    rig.comes_to("starting");
    kill_process(pid, Signal::STOP).unwrap();
    let mut length = 0;
    for number in 0..2_000 {
        let line = format!("{}\n", json!({"id": number, "method": "session/prompt"}));
        talk.write(line.as_bytes()).unwrap();
        length += line.len();
        talk.reads(length);
    }
    talk.closes();
    assert_eq!(talk.ends().code(), Some(0));
    kill_process(pid, Signal::CONT).unwrap();
    rig.comes_to("ended");
}

#[test]
fn one_that_starts_without_a_hub_starts_it_and_takes_its_seat() {
    let rig = Rig::new();
    let mut talk = rig.scripted(&["--role", "reviewer"]);
    talk.session("s");
    rig.comes_to("idle");
    wait::until("its role", || (rig.doc()["role"] == "reviewer").then_some(()));
    assert_eq!(rig.doc()["kind"], "acp:some");
}
