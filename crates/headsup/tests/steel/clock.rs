//! A clock that jumps: nothing happens because of it, and time never runs backwards.

use crate::rig::Rig;
use headsup_testkit::wait;
use serde_json::Value;

const HOUR: i64 = 3_600;

fn times(log: &[Value]) -> Vec<String> {
    log.iter().map(|event| event["at"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_clock_that_jumps_ages_nobody_and_turns_no_time_back() {
    for jump in [8 * HOUR, -8 * HOUR, 10 * 365 * 24 * HOUR] {
        let rig = Rig::new();
        let hub = rig.hub();
        let client = rig.client();
        client.report("a", "working");
        client.report("b", "blocked");
        let head = client.head();
        rig.faults.clock_is_off(jump);
        // The hub has looked at its clock when it has taken something in.
        assert_eq!(client.report("c", "working").status, 202);
        assert_eq!(client.headline("a").as_deref(), Some("working"), "{jump}");
        assert_eq!(client.get("/api/v1/agents/a").body["stale"], false, "{jump}");
        assert_eq!(client.headline("b").as_deref(), Some("blocked"), "{jump}");
        rig.faults.end();
        assert_eq!(client.report("d", "working").status, 202);
        let log = client.log(0);
        assert!(times(&log).is_sorted(), "{jump}: {:?}", times(&log));
        // Nobody but those who reported is in the log.
        let others = log.iter().skip(usize::try_from(head).unwrap());
        assert!(
            others.clone().all(|event| ["c", "d"].contains(&event["agent_id"].as_str().unwrap()))
        );
        // Also over a restart, in a machine whose clock is still wrong.
        hub.kill();
        rig.faults.clock_is_off(-HOUR);
        let _hub = rig.hub();
        assert_eq!(client.report("e", "working").status, 202);
        assert!(times(&client.log(0)).is_sorted(), "{jump}");
        assert_eq!(client.headline("a").as_deref(), Some("working"), "{jump}");
    }
}

#[test]
fn a_silent_hub_that_is_woken_takes_what_was_spooled_once() {
    use rustix::process::Signal;
    let rig = Rig::new();
    let hub = rig.hub();
    let client = rig.client();
    hub.signal(Signal::STOP);
    for n in 0..12 {
        let payload = serde_json::json!({
            "hook_event_name": "UserPromptSubmit", "session_id": format!("s{n}"), "prompt": "go",
            "cwd": format!("/home/dev/s{n}"),
        });
        let done = rig.home.hook("claude-code", &payload.to_string(), &[]);
        assert_eq!((done.code, &*done.stdout), (0, ""));
    }
    hub.signal(Signal::CONT);
    wait::until("all agents", || (client.roster().len() == 12).then_some(()));
    let log = client.log(0);
    let started = log.iter().filter(|event| event["type"] == "turn.started").count();
    assert_eq!(started, 12, "each once");
}
