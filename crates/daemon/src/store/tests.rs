use super::{AHEAD, Changes, Log, Opened, Reader, Store, StoreError, StoredId, open};
use crate::frame::Frame;
use crate::job::Key;
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use headsup_core::timeline::Entry;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Bench {
    temp: tempfile::TempDir,
    store: Store,
    head: u64,
}

impl Bench {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let Opened { store, loaded, .. } =
            Store::open(&temp.path().join("headsup.db"), UnixMs(0)).unwrap();
        assert_eq!((loaded.head, loaded.oldest), (0, 1));
        Self { temp, store, head: 0 }
    }

    fn path(&self) -> PathBuf {
        self.temp.path().join("headsup.db")
    }

    fn append(&mut self, agent: &str, at: i64, body: EventBody) {
        self.head += 1;
        let event = Event {
            schema: 1,
            cursor: self.head.to_string(),
            at: UnixMs(at),
            agent_id: id(agent),
            spooled: false,
            reported_at: None,
            body,
        };
        let frames = [Arc::new(Frame::new(self.head, &event).unwrap())];
        let key = Key::new(&format!("id-{:08}", self.head), "", b"").unwrap();
        let ids = vec![StoredId { key: &key, seq: self.head }];
        self.store.commit(&Changes { frames: &frames, ids, ..Changes::default() }).unwrap();
    }

    fn act(&mut self, agent: &str) {
        let action = Some(format!("{agent} {}", self.head + 1));
        let entry = Entry { ts: UnixMs(0), tool: None, action, state: "working".into() };
        self.append(agent, 0, EventBody::ActivityAppended { entry });
    }

    /// The numbers of the events that an agent's activity is made of.
    fn activity(&self, agent: &str, limit: usize) -> Vec<u64> {
        let reader = Reader::open(&self.path()).unwrap();
        let entries = reader.activity(&id(agent), limit).unwrap();
        let number = |entry: &String| {
            let entry: Entry = serde_json::from_str(entry).unwrap();
            entry.action.unwrap().strip_prefix(agent).unwrap().trim().parse().unwrap()
        };
        entries.iter().map(number).collect()
    }
}

fn id(text: &str) -> AgentId {
    AgentId::new(text).unwrap()
}

#[test]
fn activity_is_the_same_whether_or_not_it_has_been_copied() {
    let mut bench = Bench::new();
    for n in 0..300 {
        bench.act(["a", "b"][n % 2]);
    }
    let odd: Vec<u64> = (1..300).step_by(2).collect();
    for until in [0, 1, 120, 299, 300] {
        if until > 0 {
            bench.store.copy_activity(until).unwrap();
        }
        assert_eq!(bench.activity("a", 100), odd[50..], "copied until {until}");
        assert_eq!(bench.activity("a", 3), odd[147..], "copied until {until}");
    }
}

#[test]
fn whoever_was_forgotten_has_no_past() {
    let mut bench = Bench::new();
    bench.act("a");
    bench.act("b");
    bench.append("a", 0, EventBody::Forgotten);
    assert_eq!(bench.activity("a", 9), [0; 0]);
    bench.act("a");
    for until in [1, 3, 4] {
        bench.store.copy_activity(until).unwrap();
        assert_eq!(bench.activity("a", 9), [4], "copied until {until}");
        assert_eq!(bench.activity("b", 9), [2], "copied until {until}");
    }
}

#[test]
fn old_entries_leave_the_store() {
    let mut bench = Bench::new();
    for _ in 0..2_100 {
        bench.act("a");
    }
    bench.store.copy_activity(2_000).unwrap();
    bench.store.copy_activity(2_100).unwrap();
    let sql = "SELECT COUNT(*) FROM activity";
    let kept: u32 = bench.store.connection().query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 100);
    assert_eq!(bench.activity("a", 100), (2_001..=2_100).collect::<Vec<_>>());
}

#[test]
fn old_events_go_with_their_ids_but_never_the_last_one() {
    let mut bench = Bench::new();
    for n in 0..1_200 {
        bench.append("a", n, EventBody::TurnStarted { turn_seq: 1 });
    }
    let ids = |store: &Store| -> u32 {
        let sql = "SELECT COUNT(*) FROM report_ids";
        store.connection().query_row(sql, [], |row| row.get(0)).unwrap()
    };
    // By number: all before 1001, in steps.
    let first = bench.store.prune(1, 1_200, 1_001, UnixMs(0)).unwrap();
    assert!(first > 1 && first < 1_001, "one step is a small one: {first}");
    let mut oldest = first;
    while oldest < 1_001 {
        oldest = bench.store.prune(oldest, 1_200, 1_001, UnixMs(0)).unwrap();
    }
    while bench.store.sweep_ids(oldest).unwrap() {}
    assert_eq!(ids(&bench.store), 200);
    // By age: all of them are too old, and the last one stays.
    while oldest < 1_200 {
        oldest = bench.store.prune(oldest, 1_200, 1, UnixMs(i64::MAX)).unwrap();
    }
    assert_eq!(bench.store.prune(1_200, 1_200, 1, UnixMs(i64::MAX)).unwrap(), 1_200);
    while bench.store.sweep_ids(oldest).unwrap() {}
    assert_eq!(ids(&bench.store), 1);
    let path = bench.path();
    drop(bench.store);
    let loaded = Store::open(&path, UnixMs(0)).unwrap().loaded;
    assert_eq!((loaded.head, loaded.oldest, loaded.last_at), (1_200, 1_200, UnixMs(1_199)));
}

#[test]
fn however_many_seats_there_are_all_are_read() {
    let bench = Bench::new();
    let path = bench.path();
    let insert = "INSERT INTO seats (id, state) VALUES (?1, ?2)";
    let mut ids = Vec::new();
    for count in [0, 1, 255, 256, 257, 511, 512, 513, 1_025, 2_100] {
        for n in ids.len()..count {
            let seat = Seat::new(id(&format!("a{n:04}")), "custom", Source::Report, UnixMs(0));
            let state = serde_json::to_string(&seat).unwrap();
            bench.store.connection().execute(insert, [seat.id.as_str(), &state]).unwrap();
            ids.push(seat.id);
        }
        let loaded = Store::open(&path, UnixMs(0)).unwrap().loaded;
        let mut found: Vec<_> = loaded.seats.iter().map(|seat| seat.id.clone()).collect();
        found.sort();
        assert_eq!((found, loaded.unreadable), (ids.clone(), 0));
    }
}

#[test]
fn a_seat_that_cannot_be_read_keeps_nobody_else_away() {
    let bench = Bench::new();
    let path = bench.path();
    let good = Seat::new(id("good"), "custom", Source::Report, UnixMs(0));
    let insert = "INSERT INTO seats (id, state) VALUES (?1, ?2)";
    for (id, state) in [("bad", "{}".to_owned()), ("good", serde_json::to_string(&good).unwrap())] {
        bench.store.connection().execute(insert, [id, &state]).unwrap();
    }
    drop(bench.store);
    let loaded = Store::open(&path, UnixMs(0)).unwrap().loaded;
    assert_eq!((loaded.unreadable, loaded.seats.len()), (1, 1));
    assert_eq!(loaded.seats[0].id, id("good"));
}

#[test]
fn a_database_that_was_emptied_is_noticed_where_hubs_have_run() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("headsup.db");
    assert!(!open::is_emptied(&path));
    std::fs::write(&path, "").unwrap();
    assert!(!open::is_emptied(&path), "the first hub may have been killed");
    std::fs::write(temp.path().join("token"), "x").unwrap();
    assert!(open::is_emptied(&path));
    std::fs::write(&path, "x").unwrap();
    assert!(open::is_emptied(&path), "one byte is nothing, too");
    drop(Store::open(&path, UnixMs(0)).unwrap());
    assert!(!open::is_emptied(&path));
    std::fs::remove_file(&path).unwrap();
    assert!(open::is_emptied(&path), "somebody has taken it away");
}

/// As it is where both are removed that a killed hub has left beside it: all of it stood in the one.
#[test]
fn a_database_that_lost_its_log_and_the_logs_index_counts_as_emptied() {
    let mut bench = Bench::new();
    bench.act("a");
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("headsup.db");
    std::fs::copy(bench.path(), &path).unwrap();
    assert!(!open::is_emptied(&path), "the first hub may have been killed");
    std::fs::write(temp.path().join("token"), "x").unwrap();
    assert!(open::is_emptied(&path));
    let loaded = Store::open(&path, UnixMs(9_000)).unwrap().loaded;
    assert_eq!((loaded.head, loaded.oldest), (9_000, 9_001));
    assert!(!open::is_emptied(&path));
}

#[test]
fn no_cursor_into_a_database_that_was_taken_away_or_emptied_names_a_place_in_the_next() {
    for is_there in [false, true] {
        let mut bench = Bench::new();
        let path = bench.path();
        std::fs::write(bench.temp.path().join("token"), "x").unwrap();
        bench.act("a");
        let Bench { temp, store, .. } = bench;
        drop(store);
        match is_there {
            false => std::fs::remove_file(&path).unwrap(),
            true => std::fs::write(&path, "").unwrap(),
        }
        let loaded = Store::open(&path, UnixMs(9_000)).unwrap().loaded;
        assert_eq!((loaded.head, loaded.oldest), (9_000, 9_001), "emptied: {is_there}");
        let again = Store::open(&path, UnixMs(9_900)).unwrap().loaded;
        assert_eq!((again.head, again.oldest), (9_000, 9_001), "emptied: {is_there}");
        drop(temp);
    }
}

/// What is wrong with a write-ahead log.
type Harm = fn(&mut Vec<u8>);

/// Bytes of a frame in it.
const FRAME: usize = 24 + 4_096;

#[test]
fn a_damaged_log_of_a_killed_hub_is_kept_and_its_places_stay_free() {
    let mut bench = Bench::new();
    for _ in 0..20 {
        bench.act("a");
    }
    let whole = std::fs::read(bench.store.log_path()).unwrap();
    let frames = (whole.len() - 32) / FRAME;
    let is_commit = |frame: usize| whole[32 + frame * FRAME + 4..][..4] != [0; 4];
    assert!(frames > 20 && !is_commit(0) && !is_commit(1), "{frames} frames");
    let harms: [(&str, Harm, bool); 9] = [
        ("nothing", |_| {}, false),
        ("cut in a frame", |log| log.truncate(log.len() - 100), false),
        ("with room ahead", |log| log.resize(log.len() + (1 << 16), 0), false),
        ("a torn last frame", |log| *log.last_mut().unwrap() ^= 1, false),
        ("frames taken back", |log| log.extend_from_within(32..32 + 2 * FRAME), false),
        ("header", |log| log[17] ^= 1, true),
        ("zeros", |log| log.fill(0), true),
        ("first frame", |log| log[100] ^= 1, true),
        ("a frame in the middle", |log| *log.iter_mut().rev().nth(10 * FRAME).unwrap() ^= 1, true),
    ];
    for (case, harm, is_damage) in harms {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        std::fs::copy(bench.path(), &path).unwrap();
        let mut log = whole.clone();
        harm(&mut log);
        let beside = temp.path().join("headsup.db-wal");
        std::fs::write(&beside, &log).unwrap();
        let Opened { store, loaded, quarantined } = Store::open(&path, UnixMs(7)).unwrap();
        assert_eq!(quarantined.is_some(), is_damage, "{case}");
        assert_eq!(loaded.head > 1_000, is_damage, "{case}: {}", loaded.head);
        let Some(kept) = quarantined else { continue };
        assert_eq!(kept, temp.path().join("headsup.db.corrupt-7-log"), "{case}");
        assert_eq!(std::fs::read(&kept).unwrap(), log, "{case}");
        let damaged = super::damaged(temp.path());
        assert!(damaged.len() == 1 && damaged[0].is_log(), "{case}: {damaged:?}");
        // Killed again, it has nothing to say.
        let other = tempfile::tempdir().unwrap();
        let copy = other.path().join("headsup.db");
        std::fs::copy(&path, &copy).unwrap();
        std::fs::copy(&beside, other.path().join("headsup.db-wal")).unwrap();
        let again = Store::open(&copy, UnixMs(8)).unwrap();
        assert_eq!((again.quarantined, again.loaded.head), (None, loaded.head), "{case}");
        drop(store);
    }
}

#[test]
fn a_log_in_use_is_to_have_room_ahead_and_none_that_begins_anew_or_was_cut() {
    let page = 4_096;
    let log = Log::of_pages(page);
    let frames = |pages: u64| pages * (page + 24);
    assert!(!log.is_short_of_room(frames(9)), "it begins anew");
    log.is(100);
    assert!(!log.is_short_of_room(frames(99) - 1_000), "it was cut");
    assert!(log.is_short_of_room(frames(100)));
    let roomy = frames(100 + u64::from(AHEAD));
    assert!(!log.is_short_of_room(roomy));
    log.is(200);
    assert!(log.is_short_of_room(roomy), "some of it is used up");
    log.give_up();
    assert!(!log.is_short_of_room(roomy), "nobody is to write there any more");
}

/// As a hub leaves it that was killed: with its index beside it.
#[test]
fn a_log_that_was_cut_is_known_by_its_index() {
    let mut bench = Bench::new();
    for _ in 0..20 {
        bench.act("a");
    }
    let whole = std::fs::read(bench.store.log_path()).unwrap();
    let half = 32 + (whole.len() - 32) / FRAME / 2 * FRAME;
    for is_copied in [false, true] {
        if is_copied {
            bench.store.checkpoint().unwrap();
        }
        let database = std::fs::read(bench.path()).unwrap();
        let index = std::fs::read(bench.temp.path().join("headsup.db-shm")).unwrap();
        for (case, left, is_cut) in [
            ("whole", whole.len(), false),
            ("cut in a frame", whole.len() - 100, true),
            ("half", half, true),
            ("empty", 0, true),
        ] {
            let temp = tempfile::tempdir().unwrap();
            let path = temp.path().join("headsup.db");
            std::fs::write(&path, &database).unwrap();
            std::fs::write(temp.path().join("headsup.db-wal"), &whole[..left]).unwrap();
            std::fs::write(temp.path().join("headsup.db-shm"), &index).unwrap();
            let Opened { store, loaded, quarantined } = Store::open(&path, UnixMs(7)).unwrap();
            assert_eq!(quarantined, None, "{case}");
            // What is in the database is nobody's loss, and nothing that is older comes over it.
            match is_cut && !is_copied {
                true => assert!(loaded.head > 1_000, "{case}: {}", loaded.head),
                false => assert_eq!(loaded.head, 20, "{case}, copied: {is_copied}"),
            }
            drop(store);
        }
    }
}

/// As a hub leaves it that was killed.
#[test]
fn a_log_that_was_taken_away_is_noticed_and_its_places_stay_free() {
    let mut bench = Bench::new();
    let path = bench.path();
    bench.store.checkpoint().unwrap();
    bench.act("a");
    assert!(!open::is_cut(&path), "a hub that was killed leaves both");
    // What the first one still has open is not in the way of the second.
    std::fs::rename(bench.store.log_path(), bench.temp.path().join("gone")).unwrap();
    assert!(open::is_cut(&path));
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("headsup.db");
    drop(Store::open(&path, UnixMs(0)).unwrap());
    assert!(!open::is_cut(&path), "a hub that has ended leaves none");
    std::fs::write(temp.path().join("headsup.db-shm"), "").unwrap();
    let Opened { store, loaded, .. } = Store::open(&path, UnixMs(0)).unwrap();
    assert!(loaded.head > 1_000, "nobody's cursor names a place in the new log");
    assert_eq!((loaded.oldest, store.free_places()), (loaded.head + 1, loaded.head));
    drop(store);
    let again = Store::open(&path, UnixMs(0)).unwrap();
    assert_eq!(again.loaded.head, loaded.head);
    assert_eq!(again.store.free_places(), loaded.head);
}

/// As somebody leaves it who has cleaned up behind a hub that was killed.
#[test]
fn a_log_that_was_taken_away_with_its_index_is_noticed_too() {
    let mut bench = Bench::new();
    bench.store.checkpoint().unwrap();
    bench.act("a");
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("headsup.db");
    std::fs::copy(bench.path(), &path).unwrap();
    assert!(!open::is_cut(&path), "a hub that has ended leaves none");
    let mark = "headsup.db-in-use";
    std::fs::copy(bench.temp.path().join(mark), temp.path().join(mark)).unwrap();
    assert!(open::is_cut(&path));
    let Opened { store, loaded, .. } = Store::open(&path, UnixMs(0)).unwrap();
    assert!(loaded.head > 1_000, "nobody's cursor names a place in the new log");
    drop(store);
    assert!(!open::is_cut(&path));
    let again = Store::open(&path, UnixMs(0)).unwrap();
    assert_eq!(again.loaded.head, loaded.head);
}

#[test]
fn what_lies_beside_the_database_is_for_nobody_else() {
    let bench = Bench::new();
    super::note_cut(&bench.path()).unwrap();
    super::doubt(&bench.path()).unwrap();
    let waiting = super::Waiting::of(&bench.path());
    waiting.says("more room");
    for mark in ["", "-in-use", "-cut", "-doubted", "-waits"] {
        let file = bench.temp.path().join(format!("headsup.db{mark}"));
        let mode = std::fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mark}");
    }
}

/// It has moved all of the log into the database, which it could not read.
#[test]
fn a_start_that_fails_takes_no_log_away() {
    let mut bench = Bench::new();
    bench.act("a");
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("headsup.db");
    for part in ["", "-wal", "-in-use"] {
        let name = format!("headsup.db{part}");
        std::fs::copy(bench.temp.path().join(&name), temp.path().join(&name)).unwrap();
    }
    let other = rusqlite::Connection::open(&path).unwrap();
    other.pragma_update(None, "user_version", 99).unwrap();
    drop(other);
    // As if the start itself had closed it last.
    std::fs::write(temp.path().join("headsup.db-wal"), "").unwrap();
    assert!(matches!(Store::open(&path, UnixMs(0)), Err(StoreError::Newer { .. })));
    assert!(!temp.path().join("headsup.db-wal").exists() && !open::is_cut(&path));
}

#[test]
fn a_database_that_is_open_to_others_is_closed() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("headsup.db");
    drop(Store::open(&path, UnixMs(0)).unwrap());
    std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    let opened = Store::open(&path, UnixMs(0)).unwrap();
    for name in ["headsup.db", "headsup.db-wal", "headsup.db-shm"] {
        let mode = std::fs::metadata(temp.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    drop(opened);
}

#[test]
fn of_a_database_that_is_a_link_the_log_lies_beside_the_real_file() {
    let temp = tempfile::tempdir().unwrap();
    let (link, disk) = (temp.path().join("headsup.db"), temp.path().join("disk"));
    std::fs::create_dir(&disk).unwrap();
    std::os::unix::fs::symlink("disk/real.db", &link).unwrap();
    let refused = Store::open(&link, UnixMs(0)).unwrap_err();
    assert!(matches!(&refused, StoreError::Unlike(why) if why.contains("a link")), "{refused}");
    assert_eq!(std::fs::read_dir(&disk).unwrap().count(), 0, "nothing is begun there");
    std::fs::write(disk.join("real.db"), "").unwrap();
    let store = Store::open(&link, UnixMs(0)).unwrap().store;
    let log = std::fs::canonicalize(&disk).unwrap().join("real.db-wal");
    assert_eq!(store.log_path(), log);
    assert!(log.exists() && !store.log_is_empty());
}

#[test]
fn a_pipe_or_a_folder_in_the_databases_place_is_refused_at_once() {
    let temp = tempfile::tempdir().unwrap();
    let (pipe, folder) = (temp.path().join("pipe"), temp.path().join("folder"));
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();
    std::fs::create_dir(&folder).unwrap();
    for (path, word) in [(pipe, "regular file"), (folder, "folder")] {
        let refused = Store::open(&path, UnixMs(0)).unwrap_err();
        assert!(matches!(&refused, StoreError::Unlike(why) if why.contains(word)), "{refused}");
    }
}

#[test]
fn a_folder_or_a_link_where_a_file_beside_the_database_belongs_is_named() {
    let make: [fn(&Path) -> std::io::Result<()>; 3] = [
        |path| std::fs::DirBuilder::new().create(path),
        |path| std::os::unix::fs::symlink("nowhere", path),
        |path| std::os::unix::fs::symlink("/dev/null", path),
    ];
    for name in ["headsup.db-wal", "headsup.db-shm", "headsup.db-journal", "headsup.db-in-use"] {
        for make in make {
            let temp = tempfile::tempdir().unwrap();
            let (path, other) = (temp.path().join("headsup.db"), temp.path().join(name));
            make(&other).unwrap();
            let refused = Store::open(&path, UnixMs(0)).unwrap_err();
            let words = format!("{name} is in the way and is not a regular file; move it away");
            assert!(refused.to_string().ends_with(&words), "{refused}");
            assert!(!path.exists() && other.symlink_metadata().is_ok(), "both are left alone");
        }
    }
}
