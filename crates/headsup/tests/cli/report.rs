//! Reports.

use crate::hub::Reply;
use crate::rig::{Rig, answer, run};
use headsup_core::spool::{Decoder, OF_AN_AGENT, Record, Report};
use serde_json::{Value, json};
use std::os::unix::net::UnixListener;

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

/// A hub that takes every call and answers none.
fn silent(rig: &Rig) -> UnixListener {
    UnixListener::bind(rig.socket()).unwrap()
}

fn kept(rig: &Rig) -> Vec<Report> {
    let spool = std::fs::read(rig.socket().with_file_name("spool/queue")).unwrap_or_default();
    let records = Decoder::new(&spool).map(|record| match record {
        Ok(Record::Report(report)) => report,
        other => panic!("{other:?}"),
    });
    records.collect()
}

#[test]
fn a_report_that_the_hub_does_not_hear_is_kept_for_it() {
    let rig = Rig::new();
    let hub = silent(&rig);
    let seen = rig.run(&["report", "blocked", "--detail", "which?", "--agent", "nightly"]);
    assert_eq!(seen.ok(), "");
    assert!(seen.stderr.contains("no answer within 2 s; the report is kept"), "{seen:?}");
    let own = ["report", "done", "--json"];
    let seen =
        run(rig.command(&own).env("HEADSUP_AGENT_ID", "api").env("HEADSUP_AGENT_TOKEN", "t"));
    let doc: Value = serde_json::from_str(seen.ok()).unwrap();
    let wanted = json!({"schema": 1, "cursor": null, "agent_id": "api", "spooled": true});
    assert_eq!((doc, seen.stderr.as_str()), (wanted, ""));
    drop(hub);
    std::fs::remove_file(rig.socket()).unwrap();
    // One that is not there, and is not to be started, may never come.
    assert_eq!(rig.run(&["report", "idle", "--agent", "nightly", "--no-start"]).code, 5);
    let kept = kept(&rig);
    let whose = kept.iter().map(|report| (report.agent.as_deref(), report.agent_token.as_deref()));
    let whose: Vec<_> = whose.collect();
    assert_eq!(whose, [(Some("nightly"), None), (Some("api"), Some("t"))]);
    assert!(kept.iter().all(|report| report.kind == OF_AN_AGENT && report.is_transition));
    let body: Value = serde_json::from_slice(&kept[0].body).unwrap();
    assert_eq!(body, json!({"turn": "blocked", "detail": "which?"}));
}

#[test]
fn what_the_hub_may_have_heard_is_kept_under_the_same_id() {
    let rig = Rig::new();
    let hub = rig.hub(|request| match request.method.as_str() {
        "POST" => Reply::Raw(b""),
        _ => answer(&[], request),
    });
    rig.run(&["report", "done", "--agent", "nightly"]).ok();
    let told = hub.seen().pop().unwrap();
    let [kept] = kept(&rig).try_into().unwrap();
    assert_eq!((told.path.as_str(), told.id), ("/api/v1/agents/nightly/reports", Some(kept.id)));
    assert_eq!(told.body.as_bytes(), kept.body);
}

#[test]
fn what_the_hub_alone_can_decide_is_not_kept() {
    let rig = Rig::new();
    let _hub = silent(&rig);
    let other = ["report", "done", "--agent", "web"];
    let seen = run(rig.command(&other).env("HEADSUP_AGENT_ID", "api"));
    assert_eq!(seen.code, 5, "{seen:?}");
    assert_eq!(rig.run(&["report", "done", "--agent", "no id"]).code, 5);
    assert!(kept(&rig).is_empty());
}
