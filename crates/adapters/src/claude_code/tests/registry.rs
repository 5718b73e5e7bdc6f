//! The status file.

use crate::registry::{log_of, registries, registry, registry_pid};
use crate::{RegistryRecord, WatchedFolder, is_service};
use headsup_core::observation::Level;
use headsup_core::status::{Attach, BlockedReason};
use std::ffi::OsString;
use std::path::Path;

fn record(members: &str) -> Option<RegistryRecord> {
    let text = format!(
        r#"{{"pid":42,"procStart":"800","sessionId":"s-1","cwd":"/home/dev/api",{members}
            "entrypoint":"cli","kind":"interactive"}}"#
    );
    registry("claude-code", "42.json", text.as_bytes())
}

fn level(members: &str) -> Option<Level> {
    record(members).unwrap().level
}

fn blocked(reason: BlockedReason, detail: Option<&str>) -> Level {
    Level::Blocked { reason, detail: detail.map(str::to_owned) }
}

#[test]
fn every_status_is_a_level() {
    assert_eq!(level(r#""status":"busy","#), Some(Level::Working { reason: None }));
    assert_eq!(level(r#""status":"idle","#), Some(Level::Idle { shells: 0 }));
    assert_eq!(level(r#""status":"shell","#), Some(Level::Idle { shells: 1 }));
    let waits = |what: &str| level(&format!(r#""status":"waiting","waitingFor":"{what}","#));
    for (what, reason) in [
        ("permission prompt", BlockedReason::Permission),
        ("sandbox request", BlockedReason::Permission),
        ("worker request", BlockedReason::Permission),
        ("input needed", BlockedReason::Question),
        ("goal proposal", BlockedReason::PlanApproval),
        ("dialog open", BlockedReason::Other),
        ("the tide", BlockedReason::Other),
    ] {
        assert_eq!(waits(what), Some(blocked(reason, Some(what))), "{what}");
    }
    assert_eq!(level(r#""status":"waiting","#), Some(blocked(BlockedReason::Other, None)));
}

#[test]
fn what_is_missing_or_unknown_says_nothing_of_the_turn() {
    for (members, strange) in [
        ("", None),
        (r#""status":null,"#, None),
        (r#""status":"dreaming","spare":true,"#, None),
        (r#""status":"dreaming","#, Some("status")),
        (r#""status":7,"#, Some("status")),
    ] {
        let seen = record(members).unwrap();
        assert_eq!((seen.level, seen.strange), (None, strange), "{members}");
    }
    assert_eq!(record(r#""status":"busy","#).unwrap().strange, None);
    assert_eq!(record(r#""status":"dreaming","parkedJobId":"1","#).unwrap().strange, None);
}

/// `status` stays as it was when `←` was pressed.
#[test]
fn a_session_that_goes_on_in_the_background_says_nothing_more_of_its_own() {
    for status in ["busy", "idle", "waiting", "shell"] {
        let parked = record(&format!(r#""status":"{status}","parkedJobId":"5959124c","#)).unwrap();
        assert_eq!(parked.level, Some(Level::Elsewhere), "{status}");
        assert_eq!((parked.parked_in.as_deref(), parked.job), (Some("5959124c"), None));
    }
    for back in [r#""status":"busy","#, r#""status":"busy","parkedJobId":null,"#] {
        assert_eq!(level(back), Some(Level::Working { reason: None }), "{back}");
    }
    let job = record(r#""status":"busy","jobId":"5959124c","#).unwrap();
    assert_eq!((job.job.as_deref(), job.parked_in), (Some("5959124c"), None));
    assert_eq!(job.level, Some(Level::Working { reason: None }));
}

#[test]
fn a_process_that_is_kept_ready_is_nobodys_until_somebody_asks_for_it() {
    assert_eq!(level(r#""status":"idle","jobId":"1ff29903","spare":true,"#), None);
    let asked = r#""status":"idle","jobId":"1ff29903","#;
    assert_eq!(level(asked), Some(Level::Idle { shells: 0 }));
    assert_eq!(level(&format!(r#"{asked}"spare":false,"#)), Some(Level::Idle { shells: 0 }));
}

#[test]
fn the_service_that_runs_sessions_in_the_background_is_known_by_its_words() {
    let is = |line: &str| {
        let words: Vec<String> = line.split('|').map(str::to_owned).collect();
        is_service("claude-code", &words)
    };
    for service in [
        "/opt/claude|daemon|run|--origin|transient",
        "node|/lib/claude-code/cli.js|daemon|run",
        "claude bg-pty-host|--bg-pty-host|/tmp/a.sock|200|50|--|/opt/claude|--bg-spare|/tmp/b.sock",
        "node|/lib/claude-code/cli.js|--bg-pty-host|/tmp/a.sock|200|50|--|node",
    ] {
        assert!(is(service), "{service}");
    }
    for other in [
        "",
        "claude",
        "claude|--model|x|daemon|run",
        "claude|-p|daemon|run",
        "claude bg-spare|--bg-spare|/tmp/b.sock",
        "tmux|daemon|run",
        "bash|-c|claude --bg-pty-host",
    ] {
        assert!(!is(other), "{other}");
    }
    assert!(!is_service("codex", &["x".into(), "--bg-pty-host".into()]));
}

#[test]
fn the_log_of_a_session_stands_beside_the_status_files() {
    let log = |record: &RegistryRecord| log_of("claude-code", Path::new("/c/sessions"), record);
    let seen = record("").unwrap();
    assert_eq!(log(&seen).unwrap(), Path::new("/c/projects/-home-dev-api/s-1.jsonl"));
    let cwd = Some("/home/é/a_b.c".to_owned());
    let other = RegistryRecord { cwd, ..seen.clone() };
    assert_eq!(log(&other).unwrap(), Path::new("/c/projects/-home---a-b-c/s-1.jsonl"));
    let session = Some("../../etc/passwd".to_owned());
    assert_eq!(log(&RegistryRecord { session, ..seen.clone() }), None);
    assert_eq!(log(&RegistryRecord { cwd: None, ..seen }), None);
}

#[test]
fn a_statement_is_told_from_a_file_that_is_only_written_again() {
    let statement = |members: &str| record(members).unwrap().statement;
    let early = statement(r#""status":"idle","updatedAt":7,"statusUpdatedAt":7,"#);
    assert_eq!(early, Some(7));
    assert_eq!(statement(r#""status":"idle","updatedAt":9,"statusUpdatedAt":7,"#), early);
    assert_ne!(statement(r#""status":"idle","updatedAt":9,"statusUpdatedAt":9,"#), early);
    assert_eq!(statement(r#""status":"idle","updatedAt":9,"#), None);
}

#[test]
fn a_record_names_process_session_and_place() {
    let members = r#""status":"busy","tmux":"rec:@0.%3","later":{"a":[1]},
        "pidDomain":"linux:0:pid:[4026531836]","#;
    let seen = record(members).unwrap();
    assert_eq!((seen.process.pid, seen.process.start_ticks), (42, 800));
    assert_eq!(seen.process.pid_namespace, Some(4_026_531_836));
    assert_eq!(seen.session.as_deref(), Some("s-1"));
    assert_eq!(seen.cwd.as_deref(), Some("/home/dev/api"));
    assert_eq!(seen.tmux_pane.as_deref(), Some("%3"));
    assert_eq!(seen.attach, Some(Attach::Interactive));
    let text = br#"{"pid":42,"procStart":"800","entrypoint":"sdk-cli"}"#;
    let headless = registry("claude-code", "42.json", text).unwrap();
    assert_eq!(headless.attach, Some(Attach::Headless));
}

#[test]
fn a_file_of_another_pid_or_without_a_start_time_is_not_understood() {
    let whole = br#"{"pid":42,"procStart":"800","status":"busy"}"#;
    assert!(registry("claude-code", "42.json", whole).is_some());
    assert!(registry("claude-code", "43.json", whole).is_none());
    assert!(registry("custom", "42.json", whole).is_none());
    for bad in ["", "{", "[]", r#"{"pid":42}"#, r#"{"pid":42,"procStart":"0"}"#, "\u{0}"] {
        assert!(registry("claude-code", "42.json", bad.as_bytes()).is_none(), "{bad}");
    }
    for cut in 0..whole.len() - 1 {
        assert!(registry("claude-code", "42.json", &whole[..cut]).is_none(), "{cut}");
    }
}

#[test]
fn a_key_and_whatever_else_lies_there_is_not_opened() {
    assert_eq!(registry_pid("claude-code", "42.json"), Some(42));
    let others = ["42.key", "42.json.tmp", "042.json", "x.json", ".json", "../42.json", "-1.json"];
    for other in others {
        assert_eq!(registry_pid("claude-code", other), None, "{other}");
    }
}

#[test]
fn the_folder_follows_the_programs_own_variable() {
    let folders = |set: &[(&str, &str)]| {
        registries(|name| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        })
    };
    let one =
        |path: &str| vec![WatchedFolder { kind: "claude-code", path: Path::new(path).to_owned() }];
    assert_eq!(folders(&[("HOME", "/home/dev")]), one("/home/dev/.claude/sessions"));
    let moved = [("HOME", "/home/dev"), ("CLAUDE_CONFIG_DIR", "/etc/agents")];
    assert_eq!(folders(&moved), one("/etc/agents/sessions"));
    assert!(folders(&[]).is_empty());
    assert!(folders(&[("HOME", "relative")]).is_empty());
}

#[test]
fn every_recorded_status_is_understood() {
    let text = include_str!("../../../fixtures/claude-code/2.1.330/samples/session-registry.jsonl");
    for line in text.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = format!("{}.json", value["pid"]);
        let seen = registry("claude-code", &name, line.as_bytes()).unwrap();
        assert_eq!(seen.level.is_some(), value["status"].is_string(), "{line}");
    }
}

#[test]
fn a_log_says_where_its_program_keeps_its_status() {
    let of = |log: &str| crate::registry_of_log("claude-code", log).map(|folder| folder.path);
    let sessions = Some(std::path::PathBuf::from("/cfg/sessions"));
    assert_eq!(of("/cfg/projects/-home-dev/s1.jsonl"), sessions);
    for other in ["/cfg/other/-home-dev/s1.jsonl", "cfg/projects/x/s1.jsonl", "/s1.jsonl", ""] {
        assert_eq!(of(other), None, "{other}");
    }
}
