//! Four agents, recorded: what is true at the end of each span is told.

use super::{Rig, Side};
use serde_json::Value;

pub(super) const RECORDED: [(&str, &str); 4] = [
    ("copilot", include_str!("../../../fixtures/acp/1/copilot/timeline.jsonl")),
    ("gemini", include_str!("../../../fixtures/acp/1/gemini/timeline.jsonl")),
    ("opencode", include_str!("../../../fixtures/acp/1/opencode/timeline.jsonl")),
    ("qwen-code", include_str!("../../../fixtures/acp/1/qwen-code/timeline.jsonl")),
];

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn fits(truth: &str, headline: &str) -> bool {
    match truth {
        "idle" => matches!(headline, "idle" | "done"),
        "error" => headline == "failed",
        same => same == headline,
    }
}

#[test]
fn the_truth_is_told_in_every_span() {
    let mut spans = 0;
    for (name, text) in RECORDED {
        let mut rig = Rig::new();
        let mut truth: Option<(String, u64)> = None;
        let mut told = Vec::new();
        let mut judge = |truth: Option<(String, u64)>, told: &mut Vec<String>| {
            if let Some((truth, at)) = truth {
                let is_right = told.iter().any(|headline| fits(&truth, headline));
                assert!(is_right, "{name} {at}: {truth}, told {told:?}");
                spans += 1;
            }
            told.clear();
        };
        for row in rows(text) {
            if let Some(status) = row["status"].as_str().filter(|_| row["kind"] == "truth") {
                judge(truth, &mut told);
                truth = Some((status.to_owned(), row["t_ms"].as_u64().unwrap()));
                told.push(rig.headline());
            }
            let message = row["msg"].to_string();
            match row["kind"].as_str() {
                Some("client_to_agent") => told.push(rig.line(Side::Client, &message)),
                Some("agent_to_client") => told.push(rig.line(Side::Agent, &message)),
                _ => {}
            }
        }
        judge(truth, &mut told);
    }
    assert_eq!(spans, 92);
}

#[test]
fn no_word_of_a_person_and_no_output_is_told() {
    for (_, text) in RECORDED {
        let mut rig = Rig::new();
        for row in rows(text) {
            let side = if row["kind"] == "client_to_agent" { Side::Client } else { Side::Agent };
            rig.line(side, &row["msg"].to_string());
        }
        // A session's title is the agent's own to choose.
        for said in rig.said.iter().filter(|said| said.event != super::Event::Described) {
            let told = String::from_utf8(said.body()).unwrap();
            for private in ["[[scenario", "Hello", "note one", "word1"] {
                assert!(!told.contains(private), "{told}");
            }
            assert!(told.len() < 2_000, "{told}");
        }
    }
}

/// In front of each message stands more than is kept of any.
#[test]
fn what_decides_is_kept_of_a_message_however_long_it_is() {
    let long = "x".repeat(2_000);
    let members: Vec<String> = (0..40).map(|n| format!("\"k{n}\":\"{long}\"")).collect();
    let before = format!("{{\"_meta\":{{{}}},", members.join(","));
    for (name, text) in RECORDED {
        let (mut plain, mut grown) = (Rig::new(), Rig::new());
        for row in rows(text) {
            let side = match row["kind"].as_str() {
                Some("client_to_agent") => Side::Client,
                Some("agent_to_client") => Side::Agent,
                _ => continue,
            };
            let message = row["msg"].to_string();
            let headline = plain.line(side, &message);
            let message = format!("{before}{}", &message[1..]);
            assert_eq!(grown.line(side, &message), headline, "{name}: {}", row["msg"]);
        }
        let told = |rig: &Rig| {
            let told =
                rig.said.iter().map(|said| (said.event, said.id.clone(), said.session.clone()));
            told.collect::<Vec<_>>()
        };
        assert_eq!(told(&grown), told(&plain), "{name}");
    }
}
