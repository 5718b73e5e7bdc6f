//! A disk that refuses, flushes that fail, and one that cannot even be read.

use crate::rig::Rig;
use headsup_testkit::faults::{EDQUOT, EIO, ENOSPC};
use headsup_testkit::home::Done;
use headsup_testkit::hub::Hub;
use serde_json::Value;

const NEW_NAME: &str = r#"{"name":"another"}"#;

#[test]
fn what_the_disk_refuses_is_never_acknowledged_and_the_hub_recovers_by_itself() {
    for (errno, code) in
        [(ENOSPC, "storage_full"), (EIO, "storage_failed"), (EDQUOT, "storage_failed")]
    {
        let rig = Rig::new();
        let hub = rig.hub();
        let client = rig.client();
        assert_eq!(client.report("before", "working").status, 202);
        let head = client.head();
        rig.faults.writes_fail(errno);
        for n in 0..20 {
            let reply = client.report(&format!("agent-{n}"), "working");
            assert_eq!((reply.status, reply.code()), (507, code), "errno {errno}");
            assert_eq!(reply.body["retryable"], true);
        }
        // Acts as well.
        let act = client.send("PATCH", "/api/v1/agents/before", NEW_NAME);
        assert_eq!((act.status, act.code()), (507, code), "errno {errno}");
        assert!(!client.is_ok());
        // Reads are served and show nothing of it.
        assert_eq!(client.roster(), ["before"]);
        assert_eq!(client.headline("before").as_deref(), Some("working"));
        assert_eq!((client.head(), client.log(0).len() as u64), (head, head));
        assert_eq!(client.get("/api/v1/agents/before/explain").status, 200);
        // A report that changes nothing needs no disk.
        assert_eq!(client.report("before", "working").status, 202);
        rig.faults.end();
        assert_eq!(client.report("agent-7", "working").status, 202, "errno {errno}");
        assert_eq!(client.send("PATCH", "/api/v1/agents/before", NEW_NAME).status, 200);
        assert!(client.is_ok());
        assert!(client.metric("headsup_commit_failures_total") >= 20);
        let told = client.log(0);
        hub.kill();
        let _healthy = Hub::start(&rig.home);
        assert_eq!(client.log(0), told, "errno {errno}");
        assert_eq!(client.headline("agent-7").as_deref(), Some("working"));
    }
}

#[test]
fn a_list_says_that_it_may_be_old_and_the_doctor_tries_again() {
    let rig = Rig::new();
    let _hub = rig.hub();
    let client = rig.client();
    assert_eq!(client.report("a", "working").status, 202);
    let may_be_old = || {
        let list = rig.home.run(["ls"]);
        assert!(list.code == 0 && list.stdout.contains("working"), "{list:?}");
        list.stderr.contains("did not take what was reported last")
    };
    // A script reads the same on stderr, where it reads errors; the document is as ever.
    let is_said = || {
        let list = rig.home.run(["ls", "--json"]);
        let doc: Value = serde_json::from_str(&list.stdout).unwrap();
        assert!(list.code == 0 && doc["agents"][0]["headline"] == "working", "{list:?}");
        let said = (!list.stderr.is_empty()).then(|| list.stderr.parse::<Value>().unwrap());
        said.map(|said| said["warning"]["code"].as_str().unwrap().to_owned())
    };
    let store = || {
        let doc: Value = serde_json::from_str(&rig.home.run(["doctor", "--json"]).stdout).unwrap();
        let checks = doc["checks"].as_array().unwrap();
        let store = checks.iter().find(|check| check["name"] == "store").unwrap().clone();
        (store["ok"] == true, store["detail"].as_str().unwrap().to_owned())
    };
    assert!(!may_be_old());
    assert_eq!(is_said(), None);
    rig.faults.writes_fail(ENOSPC);
    assert_eq!(client.report("a", "idle").status, 507);
    assert!(may_be_old());
    assert_eq!(is_said().as_deref(), Some("storage_refuses"));
    assert_eq!(store(), (false, "the disk is full; nothing was stored".to_owned()));
    // Nobody has reported since there is room again.
    rig.faults.end();
    let (is_ok, detail) = store();
    assert!(is_ok, "{detail}");
    assert!(!may_be_old());
}

#[test]
fn an_act_waits_for_its_flush_and_a_report_does_not() {
    for errno in [EIO, ENOSPC] {
        let rig = Rig::new();
        let _hub = rig.hub();
        let client = rig.client();
        assert_eq!(client.report("a", "working").status, 202);
        rig.faults.flushes_fail(errno);
        assert_eq!(client.report("b", "working").status, 202, "a report is not flushed");
        let act = client.send("PATCH", "/api/v1/agents/a", NEW_NAME);
        assert_eq!((act.status, act.code()), (507, "not_flushed"));
        // It was committed before, and under the same key it is not done twice.
        assert_eq!(act.body["retryable"], true);
        assert!(act.body["detail"].as_str().unwrap().starts_with("it is stored, but "));
        assert_eq!(client.get("/api/v1/agents/a").body["name"], "another");
        rig.faults.end();
        assert_eq!(client.send("PATCH", "/api/v1/agents/a", NEW_NAME).status, 200);
    }
}

#[test]
fn a_disk_that_cannot_be_read_ends_nobody() {
    let rig = Rig::new();
    let _hub = rig.hub();
    let client = rig.client();
    for n in 0..50 {
        assert_eq!(client.report(&format!("agent-{n}"), "working").status, 202);
    }
    rig.faults.everything_fails(EIO);
    let refused = client.report("late", "working");
    assert_eq!((refused.status, refused.code()), (507, "storage_failed"));
    // The roster is in memory.
    assert_eq!(client.roster().len(), 50);
    assert_eq!(client.headline("agent-49").as_deref(), Some("working"));
    rig.faults.end();
    assert_eq!(client.report("late", "working").status, 202);
    assert_eq!(client.log(0).len() as u64, client.head());
}

/// `SQLite` calls that damage: what is looked up is not in its memory any more.
#[test]
fn a_disk_that_gives_nothing_for_a_while_is_no_damage() {
    let rig = Rig::new();
    let hub = rig.hub();
    let client = rig.client();
    let detail = "x".repeat(3_900);
    for n in 0..400 {
        let body = format!(r#"{{"turn":"working","detail":"{n}{detail}"}}"#);
        let target = format!("/api/v1/agents/agent-{n}/reports");
        let reply = client.send("POST", &target, &body);
        assert_eq!(reply.status, 202, "{}", reply.body);
    }
    for round in 0..20 {
        rig.faults.everything_fails(EIO);
        for n in 0..10 {
            let reply = client.report(&format!("late-{round}-{n}"), "working");
            assert_eq!((reply.status, reply.code()), (507, "storage_failed"), "{}", reply.body);
        }
        rig.faults.end();
        assert_eq!(client.report(&format!("late-{round}"), "working").status, 202);
    }
    assert_eq!(client.metric("headsup_store_damage_total"), 0);
    drop(hub);
}

/// Nor at a start, which would begin a new one.
#[test]
fn a_start_on_a_disk_that_gives_nothing_for_a_while_puts_nothing_aside() {
    let rig = Rig::new();
    let hub = rig.hub();
    let client = rig.client();
    for n in 0..60 {
        assert_eq!(client.report(&format!("agent-{n}"), "working").status, 202);
    }
    let head = client.head();
    rig.home.run(["down"]).ok();
    drop(hub);
    let is_aside = |name: &str| name.contains("corrupt-") || name.ends_with("-doubted");
    let aside = || {
        let entries = std::fs::read_dir(rig.home.state()).unwrap();
        let mut names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.find(|name| is_aside(name))
    };
    for spared in 0..6 {
        rig.faults.reads_fail(EIO, spared, None);
        let mut command = rig.home.command(["up", "--foreground"]);
        rig.faults.preload(&mut command);
        let done = Done::from(command.output().unwrap());
        let is_said = done.stderr.contains("the disk does not give all of it");
        assert!(done.code == 1 && is_said, "behind {spared}: {done:?}");
        assert_eq!(aside(), None, "behind {spared}");
        // One read alone that fails is made again.
        rig.faults.reads_fail(EIO, spared, Some(1));
        let hub = rig.hub();
        assert_eq!((client.roster().len(), client.head()), (60, head), "behind {spared}");
        assert_eq!(aside(), None, "behind {spared}");
        rig.home.run(["down"]).ok();
        drop(hub);
    }
}

/// A hub that ran goes on by itself, however long that lasts: nobody watches over it.
#[test]
fn a_hub_that_starts_again_waits_for_a_disk_that_gives_nothing() {
    let rig = Rig::new();
    let hub = rig.hub();
    let client = rig.client();
    for n in 0..60 {
        assert_eq!(client.report(&format!("agent-{n}"), "working").status, 202);
    }
    rig.home.run(["down"]).ok();
    drop(hub);
    let mut hub = rig.hub();
    for n in 0..20 {
        assert_eq!(client.report(&format!("late-{n}"), "working").status, 202);
    }
    let head = client.head();
    rig.faults.reads_fail(EIO, 0, None);
    // A hub whose write-ahead log is cut starts again.
    let log = rig.home.state().join("headsup.db-wal");
    std::fs::File::options().write(true).open(log).unwrap().set_len(100).unwrap();
    let ls = || rig.home.run(["ls", "--json", "--no-start"]);
    let said = headsup_testkit::wait::until("the hub to say what it waits for", || {
        let done = ls();
        done.stderr.contains("hub_waits").then_some(done)
    });
    assert!(said.code == 5 && said.stdout.is_empty(), "{said:?}");
    let error: Value = serde_json::from_str(&said.stderr).unwrap();
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("the disk does not give all of the database"), "{message}");
    assert_eq!(error["error"]["retryable"], true);
    // Nobody else takes its folder meanwhile, and an agent notices nothing.
    let second = rig.home.run(["up", "--foreground", "--detach"]);
    assert!(second.code == 7 && second.stderr.contains("already running"), "{second:?}");
    assert!(!hub.has_ended());
    let hook = r#"{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"/home/dev/s"}"#;
    let queue = rig.home.state().join("spool/queue");
    let fire = || {
        let told = rig.home.feed(rig.home.command(["hook", "claude-code"]), hook.as_bytes());
        assert_eq!((told.code, &*told.stdout, &*told.stderr), (0, "", ""));
    };
    headsup_testkit::hook::until("a report to be kept", fire, || {
        std::fs::metadata(&queue).is_ok_and(|queue| queue.len() > 0).then_some(())
    });
    rig.faults.end();
    headsup_testkit::wait::until("the hub to go on", || (ls().code == 0).then_some(()));
    assert_eq!(client.get("/healthz").body["pid"], hub.pid(), "it has not ended");
    assert!(client.head() > head, "no place is given out again");
    let mut roster = client.roster();
    roster.retain(|id| !id.starts_with("late-"));
    assert_eq!(
        roster.len(),
        61,
        "what was in the database is there, and what a hook kept: {roster:?}"
    );
    assert_eq!(client.headline("claude-code-s").as_deref(), Some("working"));
    assert_eq!(client.report("b", "working").status, 202);
}

#[test]
fn a_start_on_a_disk_that_refuses_says_why_and_works_later() {
    let rig = Rig::new();
    rig.hub().kill();
    rig.faults.writes_fail(EIO);
    let mut command = rig.home.command(["up", "--foreground"]);
    rig.faults.preload(&mut command);
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    // Whether it can start depends on what has to be written. If it does, it is honest.
    let socket = rig.home.socket();
    let answered = headsup_testkit::wait::until("a hub, or its word", || {
        if child.try_wait().unwrap().is_some() {
            return Some(false);
        }
        headsup_testkit::http::get(&socket, "/healthz").is_ok().then_some(true)
    });
    if answered {
        let refused = rig.client().report("a", "working");
        assert_eq!((refused.status, refused.body["retryable"] == true), (507, true));
        child.kill().unwrap();
        child.wait().unwrap();
    } else {
        let said = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.contains("headsup") && !said.contains("panicked"), "{said}");
    }
    rig.faults.end();
    let _hub = rig.hub();
    assert_eq!(rig.client().report("a", "working").status, 202);
}
