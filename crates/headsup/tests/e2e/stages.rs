//! Every move of a workflow, by an agent and by a person, held against the page: what is not on it is
//! refused over HTTP, on the command line and by the tools, and nobody hears of it.

use crate::agent::home;
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::{crowd, http};
use serde_json::{Value, json};

const STAGES: [&str; 9] = [
    "started",
    "working",
    "awaiting_input",
    "blocked",
    "awaiting_review",
    "completed",
    "paused",
    "failed",
    "cancelled",
];

/// A row of the page.
struct Row {
    from: &'static str,
    agent: Vec<&'static str>,
    person: Vec<&'static str>,
}

fn table() -> Vec<Row> {
    let page = include_str!("../../../../docs/workflow.md");
    let words = |cell: &'static str| -> Vec<&'static str> {
        cell.split(',').map(str::trim).filter(|word| !word.is_empty()).collect()
    };
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1).map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let agent = words(cells[2]);
        let person = agent.iter().copied().chain(words(cells[3])).collect();
        Row { from: cells[1], agent, person }
    });
    rows.collect()
}

/// The agent whose workflow is there.
fn seat(from: &str) -> String {
    format!("at-{from}")
}

/// What is taken, though it is no move: the same again, from whoever may say it.
fn stays(from: &str, to: &str, by_agent: bool) -> bool {
    from == to && !(by_agent && ["failed", "cancelled"].contains(&from))
}

fn send(home: &Home, path: &str, headers: &[(&str, &str)], body: &Value) -> (u16, Value) {
    let body = body.to_string();
    let sent = http::request(&home.socket(), "POST", path, headers, body.as_bytes());
    let (status, said) = sent.unwrap();
    (status, serde_json::from_slice(&said).unwrap())
}

/// A hub with an agent at each stage.
fn everywhere() -> (Home, Hub) {
    let home = home();
    let hub = Hub::start(&home);
    for Row { from, .. } in table() {
        let seat = seat(from);
        home.run(["report", "working", "--agent", &seat]).ok();
        if from != "none" {
            home.run(["stage", &seat, from]).ok();
        }
    }
    (home, hub)
}

fn sorted(words: &[&str]) -> Vec<String> {
    let mut words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
    words.sort();
    words
}

fn told(words: &Value) -> Vec<String> {
    let words = words.as_array().into_iter().flatten().filter_map(Value::as_str);
    sorted(&words.collect::<Vec<_>>())
}

#[test]
fn what_is_not_on_the_page_is_refused_over_every_way_in_and_makes_no_event() {
    let (home, _hub) = everywhere();
    let head = crowd::cursor(&home).unwrap();
    let mut refused = 0;
    for Row { from, agent, person } in table() {
        let seat = seat(from);
        let path = format!("/api/v1/agents/{seat}/stage");
        let own = [("x-headsup-agent", seat.as_str())];
        for (headers, legal) in [(&own[..], &agent), (&[][..], &person)] {
            let by_agent = !headers.is_empty();
            let is_legal = |to: &str| legal.contains(&to) || stays(from, to, by_agent);
            let illegal = STAGES.iter().filter(|to| !is_legal(to));
            for to in illegal {
                let case = format!("{from} to {to}, {headers:?}");
                let (status, said) = send(&home, &path, headers, &json!({ "stage": to }));
                assert_eq!((status, &said["code"]), (409, &json!("illegal_stage")), "{case}");
                assert_eq!(said["from"], from, "{case}");
                assert_eq!(told(&said["legal"]), sorted(legal), "{case}");
                let mut command = home.command(["stage", &seat, to]);
                if !headers.is_empty() {
                    command.env("HEADSUP_AGENT_ID", &seat);
                }
                let done = home.feed(command, b"");
                assert_eq!(done.code, 7, "{case}: {done:?}");
                let named = legal.iter().all(|legal| done.stderr.contains(legal));
                assert!(named, "{case}: {done:?}");
                refused += 1;
            }
        }
        for (to, tool, arguments) in [
            ("working", "update_status", json!({"status": "working", "message": "m"})),
            ("completed", "update_status", json!({"status": "completed", "message": "m"})),
            ("blocked", "mark_blocked", json!({"reason": "r"})),
            (
                "awaiting_input",
                "request_input",
                json!({"question": "?", "default_action": "d", "wait_seconds": 0}),
            ),
            (
                "awaiting_review",
                "submit_for_review",
                json!({"pr_url": "https://github.com/a/b/pull/1", "summary": "s"}),
            ),
        ] {
            // Whoever asks has begun to work.
            let asks = to == "awaiting_input" && from == "started";
            if agent.contains(&to) || stays(from, to, true) || asks {
                continue;
            }
            let params = json!({"name": tool, "arguments": arguments});
            let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
            let accept = ("accept", "application/json, text/event-stream");
            let headers = [own[0], accept, ("mcp-protocol-version", "2025-11-25")];
            let (_, said) = send(&home, "/mcp", &headers, &call);
            let error = &said["result"]["structuredContent"]["error"];
            assert_eq!(error["code"], "illegal_stage", "{from}, {tool}: {said}");
            assert_eq!(told(&error["allowed"]), sorted(&agent), "{from}, {tool}: {said}");
        }
    }
    assert!(refused > 80, "{refused}");
    assert_eq!(crowd::cursor(&home).unwrap(), head, "nobody has heard of anything");
}

#[test]
fn what_is_on_the_page_is_done_and_told() {
    let (home, _hub) = everywhere();
    let mut moved = 0;
    for Row { from, agent, person } in table() {
        for (by, legal) in [("agent", agent), ("person", person)] {
            for to in legal {
                let seat = format!("{by}-{from}-{to}");
                home.run(["report", "working", "--agent", &seat]).ok();
                let path = format!("/api/v1/agents/{seat}/stage");
                if from != "none" {
                    let (status, said) = send(&home, &path, &[], &json!({ "stage": from }));
                    assert_eq!(status, 200, "{seat}: {said}");
                }
                let own = [("x-headsup-agent", seat.as_str())];
                let headers = if by == "agent" { &own[..] } else { &[] };
                let head = crowd::cursor(&home).unwrap();
                let (status, said) = send(&home, &path, headers, &json!({ "stage": to }));
                assert_eq!((status, &said["status"]), (200, &json!(to)), "{seat}: {said}");
                assert!(crowd::cursor(&home).unwrap() > head, "{seat}: it is told");
                moved += 1;
            }
        }
    }
    assert!(moved > 30, "{moved}");
}
