//! A file system that is really full, with everything on it: database, spool, settings.

use crate::rig::Client;
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hook;
use headsup_testkit::hub::Hub;
use headsup_testkit::small_disk::SmallDisk;
use std::fs;
use std::path::Path;

const MIB: u64 = 1 << 20;

/// A home on a small disk of its own.
struct Small {
    home: Home,
    disk: SmallDisk,
}

impl Small {
    fn new() -> Option<Self> {
        let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
        match SmallDisk::mount(home.path(), 4 * MIB) {
            Ok(Some(disk)) => Some(Self { home, disk }),
            other => {
                eprintln!("skipped: no file system of one's own here ({other:?})");
                None
            }
        }
    }

    fn client(&self) -> Client {
        Client(self.disk.path().join("state/headsup.sock"))
    }

    fn hub(&self) -> Hub {
        let command = self.disk.enter(&self.home.command(["up", "--foreground"]));
        Hub::start_as(command, &self.client().0)
    }

    fn run(&self, args: &[&str]) -> Done {
        Done::from(self.disk.enter(&self.home.command(args)).output().unwrap())
    }

    fn hook(&self, event: &str, session: &str) {
        let payload = serde_json::json!({
            "hook_event_name": event, "session_id": session, "cwd": format!("/home/dev/{session}"),
            "prompt": "x".repeat(2_000),
        });
        let command = self.disk.enter(&self.home.command(["hook", "claude-code"]));
        let done = self.home.feed(command, payload.to_string().as_bytes());
        assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""), "{event} {session}");
    }
}

#[test]
fn a_full_disk_loses_nothing_it_acknowledged_and_goes_on_when_there_is_room() {
    let Some(small) = Small::new() else { return };
    let hub = small.hub();
    let client = small.client();
    assert_eq!(client.report("before", "working").status, 202);
    small.disk.fill().unwrap();
    let mut acknowledged = vec!["before".to_owned()];
    let mut refused = 0;
    for n in 0..200 {
        let id = format!("agent-{n}");
        let reply = client.report(&id, "working");
        if reply.status == 202 {
            acknowledged.push(id);
        } else {
            assert_eq!((reply.status, reply.code()), (507, "storage_full"));
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
    let act = client.send("PATCH", "/api/v1/agents/before", r#"{"name":"x"}"#);
    assert_eq!((act.status, act.code()), (507, "storage_full"));
    // The agent never notices.
    small.hook("UserPromptSubmit", "s1");
    assert_eq!(client.roster().len(), acknowledged.len());
    small.disk.clear().unwrap();
    assert_eq!(client.report("after", "working").status, 202);
    acknowledged.push("after".to_owned());
    hub.kill();
    let _hub = small.hub();
    for id in acknowledged {
        assert_eq!(client.headline(&id).as_deref(), Some("working"), "{id}");
    }
}

#[test]
fn a_start_on_a_full_disk_says_so() {
    let Some(small) = Small::new() else { return };
    let hub = small.hub();
    assert_eq!(small.client().report("a", "working").status, 202);
    small.run(&["down"]).ok();
    drop(hub);
    small.disk.fill().unwrap();
    let done = small.run(&["up", "--foreground"]);
    assert!(done.code == 1 && done.stderr.contains("the disk is full"), "{done:?}");
    small.disk.clear().unwrap();
    let _hub = small.hub();
    assert_eq!(small.client().roster(), ["a"]);
}

/// Damages a page of the roster.
fn without_a_seat(database: &Path) -> Vec<u8> {
    let mut bytes = fs::read(database).unwrap();
    let has = |page: &[u8], word: &str| page.windows(word.len()).any(|at| at == word.as_bytes());
    let is_of_seats = |page: &&mut [u8]| {
        page[0] == 13 && has(page, "\"kind\":\"custom\"") && !has(page, "\"cursor\"")
    };
    bytes.chunks_exact_mut(4_096).find(is_of_seats).unwrap().fill(0xAA);
    fs::write(database, &bytes).unwrap();
    bytes
}

#[test]
fn a_damaged_database_on_a_full_disk_loses_nothing_for_want_of_room() {
    let Some(small) = Small::new() else { return };
    let hub = small.hub();
    let client = small.client();
    for n in 0..60 {
        assert_eq!(client.report(&format!("a{n}"), "working").status, 202);
    }
    let head = client.head();
    small.run(&["down"]).ok();
    drop(hub);
    let state = small.disk.path().join("state");
    let evidence = without_a_seat(&state.join("headsup.db"));
    // None at all, and not enough.
    for left in [0, 100_000] {
        small.disk.fill().unwrap();
        let filler =
            fs::File::options().write(true).open(small.disk.path().join("filler")).unwrap();
        filler.set_len(filler.metadata().unwrap().len() - left).unwrap();
        let done = small.run(&["up"]);
        assert!(done.code == 1 && done.stderr.contains("is full"), "{left}: {done:?}");
        assert!(
            fs::read(state.join("headsup.db")).unwrap() == evidence,
            "{left}: nothing is put aside"
        );
        small.disk.clear().unwrap();
    }
    let done = small.run(&["up"]);
    assert!(done.code == 0 && done.stderr.contains("database was damaged"), "{done:?}");
    assert_eq!((client.roster().len(), client.head()), (60, head));
    small.run(&["down"]).ok();
}

#[test]
fn a_spool_on_a_full_disk_keeps_what_it_has_and_takes_more_when_there_is_room() {
    let Some(small) = Small::new() else { return };
    fs::create_dir(small.disk.path().join("state")).unwrap();
    let queue = small.disk.path().join("state/spool/queue");
    let length = || fs::metadata(&queue).map_or(0, |queue| queue.len());
    let is_kept = |session: &str| {
        let before = length();
        let fire = || small.hook("UserPromptSubmit", session);
        hook::until("a report to be kept", fire, || (length() > before).then_some(()));
    };
    is_kept("first");
    let before = fs::read(&queue).unwrap();
    small.disk.fill().unwrap();
    for n in 0..20 {
        small.hook("UserPromptSubmit", &format!("lost-{n}"));
    }
    assert!(fs::read(&queue).unwrap().starts_with(&before), "what was there stays");
    small.disk.clear().unwrap();
    is_kept("second");
    let _hub = small.hub();
    let client = small.client();
    for id in ["claude-code-first", "claude-code-second"] {
        assert_eq!(client.headline(id).as_deref(), Some("working"), "{id}");
    }
}

#[test]
fn an_installation_on_a_full_disk_leaves_the_old_file_and_nothing_beside_it() {
    let Some(small) = Small::new() else { return };
    let folder = small.disk.path().join(".claude");
    fs::create_dir_all(&folder).unwrap();
    let text = "{\n  \"model\": \"opus\"\n}\n";
    fs::write(folder.join("settings.json"), text).unwrap();
    small.disk.fill().unwrap();
    for way in [&["hooks", "install", "claude-code", "--live"][..], &["hooks", "install"]] {
        let done = small.run(way);
        assert_ne!(done.code, 0, "{done:?}");
        assert!(done.stderr.contains("No space left"), "{done:?}");
        assert_eq!(fs::read_to_string(folder.join("settings.json")).unwrap(), text);
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.retain(|name| name != "skills");
        assert_eq!(names, ["settings.json"], "nothing is left beside it");
    }
    small.disk.clear().unwrap();
    small.run(&["hooks", "install", "claude-code", "--live"]).ok();
    small.run(&["hooks", "uninstall"]).ok();
    assert_eq!(fs::read_to_string(folder.join("settings.json")).unwrap(), text);
}
