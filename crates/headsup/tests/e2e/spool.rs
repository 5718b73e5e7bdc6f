//! Reports made while the hub is down arrive later, once, in order.

use crate::agent::{Agent, count, events, home};
use headsup_testkit::hub::Hub;
use serde_json::json;

#[test]
fn a_turn_told_while_the_hub_is_down_is_told_later_once_and_in_order() {
    let home = home();
    let agent = Agent::new(&home, "api");
    agent.starts();
    agent.is_prompted("prompt-1");
    agent.asks();
    let hub = Hub::start(&home);
    assert_eq!(agent.headline(), "blocked");
    hub.kill();
    let input = json!({"command": "touch asked.txt", "description": "Create a file"});
    let call = json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": "call-1"});
    agent.fires("PostToolUse", &call);
    agent.stops("prompt-1");
    let _hub = Hub::start(&home);
    assert_eq!(agent.headline(), "done");
    let events = events(&home);
    let told: Vec<&str> = events
        .iter()
        .filter(|event| event["type"] == "agent.status_changed")
        .map(|event| event["to"].as_str().unwrap())
        .collect();
    assert_eq!(told, ["idle", "working", "working", "blocked", "working", "done"]);
    assert_eq!(count(&events, "api", "turn.completed"), 1);
    for event in events.iter().filter(|event| event["type"] == "turn.completed") {
        assert_eq!(event["spooled"], true);
        assert!(event["reported_at"].is_string());
    }
    assert!(!home.state().join("spool/queue").exists());
}

#[test]
fn five_hundred_reports_of_ten_agents_arrive_once_and_in_order() {
    let home = home();
    let ids: Vec<String> = (0..10).map(|n| format!("agent-{n}")).collect();
    std::thread::scope(|scope| {
        for id in &ids {
            let home = &home;
            scope.spawn(move || {
                let agent = Agent::new(home, id);
                agent.starts();
                for turn in 0..24 {
                    let prompt = format!("prompt-{turn}");
                    agent.is_prompted(&prompt);
                    agent.stops(&prompt);
                }
            });
        }
    });
    let _hub = Hub::start(&home);
    let events = events(&home);
    for id in &ids {
        assert_eq!(count(&events, id, "turn.started"), 24);
        assert_eq!(count(&events, id, "turn.completed"), 24);
        let sequence: Vec<u64> = events
            .iter()
            .filter(|event| event["agent_id"] == **id && event["type"] == "turn.completed")
            .map(|event| event["turn_seq"].as_u64().unwrap())
            .collect();
        assert_eq!(sequence, (1..=24).collect::<Vec<u64>>());
    }
}
