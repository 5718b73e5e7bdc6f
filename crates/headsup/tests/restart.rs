//! A hub that starts over many long logs says nothing, and hears what is written next.

use headsup_testkit::crowd::{Crowd, agent, cursor};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::Value;

#[test]
fn a_restart_over_many_transcripts_is_no_event() {
    let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
    let hub = Hub::start(&home);
    let crowd = Crowd::gather(&home, 50, 300_000, 10).unwrap();
    let before = cursor(&home).unwrap();
    hub.kill();
    let (_hub, _) = crowd.restart(&home).unwrap();
    // What comes behind everything that a start reads is heard, and is all there is.
    crowd.interrupt(41).unwrap();
    wait::until("the interruption", || {
        (agent(&home, &crowd.ids[41])["headline"] == "idle").then_some(())
    });
    let since = before.to_string();
    let told = home.run(["watch", "--since", &since, "--no-follow", "--json", "--no-start"]);
    let told: Vec<Value> =
        told.ok().stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<_> = told.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["turn.completed", "agent.status_changed"], "{told:#?}");
    assert!(told.iter().all(|event| event["agent_id"] == crowd.ids[41].as_str()));
}
