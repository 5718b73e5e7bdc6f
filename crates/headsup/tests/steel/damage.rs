//! Databases that are damaged, cut, mixed up or from tomorrow.

use crate::rig::Rig;
use headsup_testkit::hub::Hub;
use headsup_testkit::{http, wait};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn aside(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home).unwrap().map(|entry| entry.unwrap().path());
    let is_aside = |path: &PathBuf| {
        let path = path.to_string_lossy();
        path.contains("headsup.db.corrupt-") && !path.ends_with("-saved")
    };
    entries.filter(is_aside).collect()
}

/// What may be wrong with the files of a hub that was killed.
type Harm = fn(&Path);

#[test]
fn a_damaged_database_is_kept_aside_and_said() {
    let harms: &[(&str, Harm)] = &[
        ("no database", |path| fs::write(path, vec![0x5A; 8_192]).unwrap()),
        ("a text", |path| fs::write(path, "no database\n".repeat(1_000)).unwrap()),
        ("first page", |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes[..4_096].fill(0xAA);
            fs::write(path, bytes).unwrap();
        }),
    ];
    for (case, harm) in harms {
        let rig = Rig::new();
        let hub = rig.hub();
        rig.client().report("a", "working");
        let pid = hub.pid();
        rig.home.run(["down"]).ok();
        drop(hub);
        assert!(pid > 0);
        let database = rig.home.state().join("headsup.db");
        harm(&database);
        let evidence = fs::read(&database).unwrap();
        let _hub = rig.hub();
        let kept = aside(&rig.home.state());
        assert_eq!(fs::read(&kept[0]).unwrap(), evidence, "{case}: the evidence is kept");
        assert_eq!(rig.client().metric("headsup_store_quarantines_total"), 1, "{case}");
        assert_eq!(rig.client().report("b", "working").status, 202);
        let doctor = rig.home.run(["doctor", "--json"]);
        assert!(doctor.stdout.contains("corrupt-"), "{case}: {doctor:?}");
        // A start later it is still said: the file lies there until a person takes it away.
        assert!(rig.home.run(["doctor"]).stdout.contains("corrupt-"), "{case}");
        fs::remove_file(&kept[0]).unwrap();
        assert!(!rig.home.run(["doctor"]).stdout.contains("corrupt-"), "{case}");
    }
}

/// Damages the leaf of a table with this event on it; returns what the file is then.
fn without_event(database: &Path, cursor: u64) -> Vec<u8> {
    let mut bytes = fs::read(database).unwrap();
    let event = format!("\"cursor\":\"{cursor}\"");
    let has = |page: &[u8]| page.windows(event.len()).any(|at| at == event.as_bytes());
    let mut pages = bytes.chunks_exact_mut(4_096);
    pages.find(|page| page[0] == 13 && has(page)).unwrap().fill(0xAA);
    fs::write(database, &bytes).unwrap();
    bytes
}

/// Sixty agents work.
fn hub_of_sixty(rig: &Rig) -> Hub {
    let hub = rig.hub();
    for n in 0..60 {
        rig.client().report(&format!("a{n}"), "working");
    }
    hub
}

/// The system ends whoever reads memory whose file is gone: no hub can say a word.
#[test]
fn a_hub_whose_index_is_cut_is_ended_and_the_next_has_all_that_was_acknowledged() {
    let rig = Rig::new();
    let mut hub = hub_of_sixty(&rig);
    let index = rig.home.state().join("headsup.db-shm");
    fs::File::options().write(true).open(index).unwrap().set_len(0).unwrap();
    wait::until("its end", || {
        let late = "/api/v1/agents/late/reports";
        http::post(&rig.home.socket(), late, br#"{"turn":"working"}"#).ok();
        hub.has_ended().then_some(())
    });
    drop(hub);
    let _hub = rig.hub();
    for n in 0..60 {
        assert_eq!(rig.client().get(&format!("/api/v1/agents/a{n}")).status, 200, "a{n}");
    }
    assert_eq!(rig.client().report("b", "working").status, 202);
}

#[test]
fn a_hub_that_finds_damage_goes_on_by_itself_with_what_can_be_read() {
    let rig = Rig::new();
    let hub = hub_of_sixty(&rig);
    let head = rig.client().head();
    rig.home.run(["down"]).ok();
    drop(hub);
    // No start reads what stands in the middle: the check that comes behind it finds it.
    without_event(&rig.home.state().join("headsup.db"), head / 2);
    let mut hub = rig.hub();
    let kept = wait::until("the old database aside", || aside(&rig.home.state()).pop());
    let client = rig.client();
    // What was there before may still answer.
    wait::until("the hub to be back", || {
        let (_, counts) = http::get(&client.0, "/metrics").ok()?;
        let counts = String::from_utf8_lossy(&counts).into_owned();
        counts.contains("headsup_store_quarantines_total 1").then_some(())
    });
    assert_eq!(client.get("/healthz").body["pid"], hub.pid(), "it has not ended");
    assert!(!hub.has_ended());
    let is_evidence = |page: &[u8]| page.iter().all(|byte| *byte == 0xAA);
    assert!(fs::read(&kept).unwrap().chunks_exact(4_096).any(is_evidence), "it is kept");
    assert_eq!((client.roster().len(), client.head()), (60, head));
    assert_eq!(client.report("b", "working").status, 202);
    assert_eq!(client.metric("headsup_store_quarantines_total"), 1);
    assert_eq!(client.metric("headsup_store_damage_total"), 0, "the new one is whole");
    assert_eq!(aside(&rig.home.state()).len(), 1);
}

#[test]
fn a_damaged_page_costs_what_was_on_it_and_up_says_so() {
    let rig = Rig::new();
    let hub = hub_of_sixty(&rig);
    rig.home.run(["stage", "a7", "working"]).ok();
    rig.home.run(["stage", "a7", "blocked", "--message", "no access"]).ok();
    let before = rig.client();
    let (head, mut agents) = (before.head(), before.roster());
    rig.home.run(["down"]).ok();
    drop(hub);
    // Each start reads the first event.
    let bytes = without_event(&rig.home.state().join("headsup.db"), 1);

    let done = rig.home.run(["up"]);
    let (client, kept) = (rig.client(), aside(&rig.home.state()));
    let (mut there, head_then) = (client.roster(), client.head());
    let (stage, log) = (client.get("/api/v1/agents/a7").body, client.log(0));
    let doctor = rig.home.run(["doctor", "--json"]);
    assert_eq!((head_then, client.report("b", "working").status), (head, 202));
    rig.home.run(["down"]).ok();

    for words in ["database was damaged", "headsup.db.corrupt-", "agents 60", "not all could be"] {
        assert!(done.code == 0 && done.stderr.contains(words), "{words}: {done:?}");
    }
    assert_eq!(fs::read(&kept[0]).unwrap(), bytes, "the evidence is kept");
    assert!(doctor.stdout.contains("agents 60"), "{doctor:?}");
    there.sort();
    agents.sort();
    assert_eq!(there, agents);
    assert_eq!(stage["stage"]["state"], "blocked", "{stage}");
    let cursors: Vec<u64> =
        log.iter().map(|event| event["cursor"].as_str().unwrap().parse().unwrap()).collect();
    assert!(cursors[0] > 1 && cursors.ends_with(&[head]), "{cursors:?}");
    assert!(cursors.is_sorted_by(|one, next| one < next), "{cursors:?}");
}

/// The database of a hub that has gone, where it lies and what is in it.
fn left_behind() -> (Rig, PathBuf, Vec<u8>) {
    let rig = Rig::new();
    let hub = rig.hub();
    rig.client().report("a", "working");
    rig.home.run(["down"]).ok();
    drop(hub);
    let database = rig.home.state().join("headsup.db");
    let bytes = fs::read(&database).unwrap();
    (rig, database, bytes)
}

#[test]
fn a_database_that_is_not_ours_is_refused_in_words() {
    let (rig, database, mut bytes) = left_behind();
    for version in [0, -5, 5_i32] {
        bytes[60..64].copy_from_slice(&version.to_be_bytes());
        fs::write(&database, &bytes).unwrap();
        let done = rig.home.run(["up", "--foreground"]);
        assert_ne!(done.code, 0, "{version}");
        for words in ["cannot be used", "format", "move it away", "headsup.db"] {
            assert!(done.stderr.contains(words), "{version}: {words}: {}", done.stderr);
        }
    }
}

#[test]
fn a_lost_or_cut_write_ahead_log_costs_what_was_in_it_and_no_more() {
    let harms: &[(&str, Harm)] = &[
        ("gone", |log| fs::remove_file(log).unwrap()),
        ("gone with its index", |log| {
            fs::remove_file(log).unwrap();
            fs::remove_file(log.with_file_name("headsup.db-shm")).unwrap();
        }),
        ("empty", |log| fs::write(log, "").unwrap()),
        ("garbage", |log| fs::write(log, vec![7; 40_000]).unwrap()),
        ("flipped", |log| {
            let mut bytes = fs::read(log).unwrap();
            bytes[100] ^= 1;
            fs::write(log, bytes).unwrap();
        }),
        ("cut", |log| {
            let bytes = fs::read(log).unwrap();
            fs::write(log, &bytes[..bytes.len() - 100]).unwrap();
        }),
    ];
    for (case, harm) in harms {
        let rig = Rig::new();
        let hub = rig.hub();
        rig.client().report("a", "working");
        rig.home.run(["down"]).ok();
        drop(hub);
        let hub = rig.hub();
        for n in 0..20 {
            rig.client().report(&format!("late-{n}"), "working");
        }
        hub.kill();
        harm(&rig.home.state().join("headsup.db-wal"));
        let _hub = rig.hub();
        let client = rig.client();
        assert_eq!(client.headline("a").as_deref(), Some("working"), "{case}");
        // What is left is whole: the log and the seats are from the same moment.
        let log = client.log(0);
        let cursor = |e: &Value| e["cursor"].as_str().unwrap().parse::<u64>().unwrap();
        let mut cursors: Vec<u64> = log.iter().map(cursor).collect();
        // The word on a gap stands where the log breaks off.
        cursors.dedup();
        cursors.push(client.head() + 1);
        assert_eq!(cursors[0], 1, "{case}");
        // It is known that something is missing: its places stay free.
        let is_gap = |pair: &&[u64]| pair[1] != pair[0] + 1;
        let gaps = cursors.windows(2).filter(is_gap).count();
        let is_damaged = matches!(*case, "garbage" | "flipped");
        assert_eq!(gaps, 1, "{case} {cursors:?}");
        let kept = client.metric("headsup_store_quarantines_total");
        assert_eq!(kept, u64::from(is_damaged), "{case}");
        assert_eq!(aside(&rig.home.state()).len(), usize::from(is_damaged), "{case}");
        let registered = log.iter().filter(|event| event["type"] == "agent.registered").count();
        assert_eq!(registered, client.roster().len(), "{case}");
        assert_eq!(client.report("b", "working").status, 202, "{case}");
    }
}

#[test]
fn a_newer_database_is_refused_in_words_and_not_touched() {
    let (rig, database, mut bytes) = left_behind();
    // The header's user version, big endian at 60.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&database, &bytes).unwrap();
    let done = rig.home.run(["up", "--foreground"]);
    assert_ne!(done.code, 0);
    for word in ["format 99", "newer version", "headsup.db"] {
        assert!(done.stderr.contains(word), "{word}: {}", done.stderr);
    }
    assert_eq!(fs::read(&database).unwrap(), bytes);
    bytes[60..64].copy_from_slice(&fs::read(&database).unwrap()[60..64]);
    // With the version it knows it goes on where it was.
    let known = rig_version(&rig);
    bytes[60..64].copy_from_slice(&known.to_be_bytes());
    fs::write(&database, &bytes).unwrap();
    let _hub = Hub::start(&rig.home);
    assert_eq!(rig.client().headline("a").as_deref(), Some("working"));
}

/// The version that a fresh database of this program has.
fn rig_version(_: &Rig) -> u32 {
    let fresh = Rig::new();
    let hub = fresh.hub();
    fresh.home.run(["down"]).ok();
    drop(hub);
    let bytes = fs::read(fresh.home.state().join("headsup.db")).unwrap();
    u32::from_be_bytes(bytes[60..64].try_into().unwrap())
}

#[test]
fn a_write_ahead_log_that_is_cut_under_a_hub_costs_what_was_in_it_and_no_place() {
    for goes_on in [false, true] {
        let rig = Rig::new();
        let hub = rig.hub();
        rig.client().report("a", "working");
        rig.home.run(["down"]).ok();
        drop(hub);
        let hub = rig.hub();
        let client = rig.client();
        // However often that happens.
        for _ in 0..2 {
            for n in 0..20 {
                client.report(&format!("late-{n}"), "working");
            }
            let head = client.head();
            let log = rig.home.state().join("headsup.db-wal");
            fs::File::options().write(true).open(log).unwrap().set_len(0).unwrap();
            if goes_on {
                assert_eq!(client.report("b", "working").status, 202);
            }
            let health = wait::until("the hub to start again", || {
                let (_, body) = http::get(&client.0, "/healthz").ok()?;
                let health: Value = serde_json::from_slice(&body).ok()?;
                let cursor: u64 = health["cursor"].as_str()?.parse().ok()?;
                (cursor > head + 1_000).then_some(health)
            });
            assert_eq!(health["pid"], hub.pid(), "it has not ended");
            assert_eq!(client.roster(), ["a"], "what was in the database is there");
            assert_eq!(client.report("b", "working").status, 202);
        }
    }
}
