//! Reports.

use crate::rig::{Rig, answer, run};
use serde_json::{Value, json};

#[test]
fn a_report_is_quiet_and_carries_what_was_said() {
    let rig = Rig::new();
    let hub = rig.hub(|request| answer(&[], request));
    let args = [
        "report",
        "blocked",
        "--reason",
        "question",
        "--detail",
        "which one?",
        "--agent",
        "nightly",
    ];
    let seen = rig.run(&args);
    assert_eq!((seen.ok(), seen.stderr.as_str()), ("", ""));
    let request = hub.seen().pop().unwrap();
    assert_eq!(request.path, "/api/v1/agents/nightly/reports");
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let wanted = json!({"turn": "blocked", "reason": "question", "detail": "which one?"});
    assert_eq!(body, wanted);
}

#[test]
fn a_report_inside_an_agent_is_about_that_agent() {
    let rig = Rig::new();
    let hub = rig.hub(|request| answer(&[], request));
    for variable in ["HEADSUP_AGENT_ID", "PANOPTICON_AGENT_ID"] {
        let seen = run(rig.command(&["report", "done", "--json"]).env(variable, "api"));
        assert_eq!(seen.ok(), "{\"schema\":1,\"cursor\":\"11\",\"agent_id\":\"api\"}\n");
        assert_eq!(hub.seen().pop().unwrap().path, "/api/v1/agents/api/reports");
    }
}

#[test]
fn a_word_that_a_report_does_not_have_never_reaches_the_hub() {
    let rig = Rig::new();
    let hub = rig.hub(|request| answer(&[], request));
    for (args, why) in [
        (["blocked", "--reason", "bored"], "permission"),
        (["failed", "--outcome", "completed"], "failed is outcome failed"),
        (["done", "--outcome", "failed"], "done is outcome completed"),
    ] {
        let seen = rig.run(&[&["report", "--agent", "x"][..], &args[..]].concat());
        assert_eq!(seen.code, 2, "{args:?}");
        assert!(seen.stderr.contains(why), "{}", seen.stderr);
    }
    assert!(hub.seen().is_empty());
}
