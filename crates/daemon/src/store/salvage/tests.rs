use crate::frame::Frame;
use crate::job::Key;
use crate::store::{Changes, Opened, Reader, Store, StoreError, StoredId, beside, quarantine};
use headsup_core::event::{Event, EventBody};
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::{Headline, Process};
use headsup_core::time::UnixMs;
use headsup_core::workflow::{Stage, StageStatus};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const AGENTS: u64 = 600;
const PAGE: usize = 4_096;
const NOW: UnixMs = UnixMs(9_000_000);

fn place(temp: &tempfile::TempDir) -> PathBuf {
    temp.path().join("headsup.db")
}

fn id(n: u64) -> AgentId {
    AgentId::new(format!("a{n:03}")).unwrap()
}

/// A seat with a stage that a person has set.
fn seat(n: u64) -> Seat {
    let mut seat = Seat::new(id(n), "custom", Source::Report, UnixMs(0));
    let (message, since) = (Some("no access".to_owned()), UnixMs(1));
    let (stage, blockers) = (Stage::Working, Vec::new());
    let status = StageStatus { stage, message, phase: None, progress: None, since, blockers };
    seat.stage = Some(Box::new(status));
    seat
}

fn frame(seq: u64, agent_id: AgentId, body: EventBody) -> Arc<Frame> {
    let (schema, at, cursor) = (1, UnixMs(2), seq.to_string());
    let event = Event { schema, cursor, at, agent_id, spooled: false, reported_at: None, body };
    Arc::new(Frame::new(seq, &event).unwrap())
}

/// A database with so many agents, each known by one event.
fn filled(path: &Path) {
    let mut store = Store::open(path, UnixMs(0)).unwrap().store;
    let seats: Vec<Seat> = (1..=AGENTS).map(seat).collect();
    let frames: Vec<_> = (1..=AGENTS)
        .zip(&seats)
        .map(|(seq, seat)| {
            let agent = Box::new(seat.doc());
            frame(seq, seat.id.clone(), EventBody::Registered { agent })
        })
        .collect();
    let keys: Vec<Key> =
        (1..=AGENTS).map(|n| Key::new(&format!("id-{n:08}"), "", b"").unwrap()).collect();
    let ids = (1..=AGENTS).zip(&keys).map(|(seq, key)| StoredId { key, seq }).collect();
    let rows = seats.iter().map(|seat| (&seat.id, Some(seat))).collect();
    let changes = Changes { frames: &frames, seats: rows, ids, ..Changes::default() };
    store.commit(&changes).unwrap();
}

/// The pages that hold the rows of a table, in their order.
fn leaves(path: &Path, table: &str) -> Vec<usize> {
    let connection = Connection::open(path).unwrap();
    let sql =
        "SELECT pageno FROM dbstat WHERE name = ?1 AND pagetype = 'leaf' ORDER BY path, pageno";
    let mut select = connection.prepare(sql).unwrap();
    let pages = select.query_map([table], |row| row.get::<_, i64>(0)).unwrap();
    pages.map(|page| usize::try_from(page.unwrap()).unwrap()).collect()
}

fn harm(path: &Path, page: usize) -> Vec<u8> {
    let mut bytes = fs::read(path).unwrap();
    bytes[(page - 1) * PAGE..page * PAGE].fill(0xAA);
    fs::write(path, &bytes).unwrap();
    bytes
}

fn count(store: &Store, table: &str) -> u64 {
    let sql = format!("SELECT COUNT(*) FROM {table}");
    store.connection().query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap().cast_unsigned()
}

fn cursors(path: &Path, head: u64) -> Vec<u64> {
    let reader = Reader::open(path).unwrap();
    let (mut after, mut found) = (0, Vec::new());
    while let Some((first, last)) = reader.page(after, head, 1_000, |_, _| true).unwrap().range {
        found.extend(first..=last);
        after = last;
    }
    found
}

#[test]
fn a_log_is_read_up_to_the_damage_and_behind_it() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    filled(&path);
    let pages = leaves(&path, "events");
    harm(&path, pages[pages.len() / 2]);
    let reader = Reader::open(&path).unwrap();
    let page = |after| reader.page(after, AGENTS, 10_000, |_, _| true);
    let (first, last) = page(0).unwrap().range.unwrap();
    assert!(first == 1 && last < AGENTS, "{last}");
    assert!(matches!(page(last), Err(StoreError::Damaged(_))));
    let behind = reader.behind_hole(last, AGENTS);
    assert_eq!(page(behind - 1).unwrap().range, Some((behind, AGENTS)));
    assert!(page(behind - 2).is_err());
    drop(reader);
    harm(&path, *pages.last().unwrap());
    let reader = Reader::open(&path).unwrap();
    let lost = reader.page(behind - 1, AGENTS, 10_000, |_, _| true).unwrap().range.unwrap().1;
    assert!(lost < AGENTS);
    assert_eq!(reader.behind_hole(lost, AGENTS), AGENTS + 1);
}

#[test]
fn a_damaged_head_costs_nothing() {
    type Harm = fn(&mut [u8]);
    let harms: [(&str, Harm); 11] = [
        ("no database", |head| head[..16].fill(0)),
        ("another length of pages", |head| head[16] = 0x20),
        ("fewer pages", |head| head[28..32].copy_from_slice(&[0, 0, 0, 5])),
        ("twice the pages", |head| {
            let pages = u32::try_from(head.len() / 2_048).unwrap();
            head[28..32].copy_from_slice(&pages.to_be_bytes());
        }),
        ("another text", |head| head[59] = 2),
        ("a newer writer", |head| head[18] = 9),
        ("a newer reader", |head| head[19] = 9),
        ("a newer description", |head| head[47] = 9),
        ("any description", |head| head[44..48].fill(0xAA)),
        ("pages that move", |head| head[55] = 1),
        ("all of it", |head| head[..100].fill(0xAA)),
    ];
    for (case, harm) in harms {
        let temp = tempfile::tempdir().unwrap();
        let path = place(&temp);
        filled(&path);
        let mut evidence = fs::read(&path).unwrap();
        harm(&mut evidence);
        fs::write(&path, &evidence).unwrap();
        let Opened { store, loaded, quarantined } = Store::open(&path, NOW).unwrap();
        assert!(fs::read(quarantined.unwrap()).unwrap() == evidence, "{case}: it is kept");
        assert_eq!((loaded.seats.len() as u64, loaded.head), (AGENTS, AGENTS), "{case}");
        assert_eq!((count(&store, "events"), count(&store, "report_ids")), (AGENTS, AGENTS));
        assert!(!beside(&path, "-mended").exists(), "{case}");
    }
}

#[test]
fn a_damaged_page_costs_what_was_on_it_and_no_more() {
    // The table, and which of its pages: the first, one in the middle, the last.
    for (table, at) in [
        ("events", 0),
        ("events", 1),
        ("events", 2),
        ("seats", 0),
        ("seats", 1),
        ("seats", 2),
        ("report_ids", 1),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let path = place(&temp);
        filled(&path);
        let pages = leaves(&path, table);
        assert!(pages.len() > 2, "{table}: {pages:?}");
        let page = [pages[0], pages[pages.len() / 2], pages[pages.len() - 1]][at];
        let evidence = harm(&path, page);
        // A start does not read all of it; the check that follows one does.
        quarantine::doubt(&path).unwrap();
        let Opened { mut store, loaded, quarantined } = Store::open(&path, NOW).unwrap();
        let case = format!("{table} {at}");

        let aside = quarantined.unwrap();
        assert!(fs::read(&aside).unwrap() == evidence, "{case}: it is kept as it was");
        let kept = quarantine::damaged(temp.path());
        assert_eq!(kept.len(), 1, "{case}: {kept:?}");
        assert_eq!(kept[0].path, aside);
        let said = kept[0].saved.as_deref().unwrap();
        assert!(said.contains(&format!("not all could be read of {table}")), "{case}: {said}");
        let sql = "PRAGMA integrity_check";
        let found: String = store.connection().query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(found, "ok", "{case}");

        let mut there: Vec<_> = loaded.seats.iter().map(|seat| seat.id.clone()).collect();
        there.sort();
        assert_eq!(there, (1..=AGENTS).map(id).collect::<Vec<_>>(), "{case}");
        assert_eq!(loaded.unreadable, 0, "{case}");
        for seat in &loaded.seats {
            let stage = seat.stage.as_ref().map(|stage| stage.stage);
            assert_eq!(stage, Some(Stage::Working), "{case}: {}", seat.id);
        }

        let log = cursors(&path, loaded.head);
        assert!(log.is_sorted_by(|one, next| one < next), "{case}: {log:?}");
        assert_eq!(count(&store, "events"), log.len() as u64, "{case}");
        let lost = AGENTS - log.len() as u64;
        assert_eq!(lost > 0, table == "events", "{case}: {lost} lost");
        assert!(lost < 20, "{case}: {lost} lost");
        assert_eq!(loaded.oldest, log[0], "{case}");
        assert_eq!((log[0] > 1, log.contains(&AGENTS)), (case == "events 0", case != "events 2"));
        // No cursor is given out again.
        assert_eq!(loaded.head > AGENTS, case == "events 2", "{case}: {}", loaded.head);
        let lost = AGENTS - count(&store, "report_ids");
        assert_eq!(lost > 0, table == "report_ids", "{case}: {lost} lost");

        let next = loaded.head + 1;
        let frames = [frame(next, id(1), EventBody::TurnStarted { turn_seq: 1 })];
        store.commit(&Changes { frames: &frames, ..Changes::default() }).unwrap();
        drop(store);
        let again = Store::open(&path, NOW).unwrap();
        assert_eq!((again.loaded.head, again.quarantined), (next, None), "{case}");
    }
}

#[test]
fn damage_that_a_start_meets_needs_no_check_before() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    filled(&path);
    let pages = leaves(&path, "seats");
    harm(&path, pages[1]);
    let Opened { loaded, quarantined, .. } = Store::open(&path, NOW).unwrap();
    assert!(quarantined.is_some());
    assert_eq!(loaded.seats.len() as u64, AGENTS);
}

#[test]
fn a_damaged_page_of_the_last_ids_keeps_no_hub_from_its_start() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    filled(&path);
    let whole = Store::open(&path, NOW).unwrap().loaded;
    assert_eq!(whole.last_id.as_deref(), Some("id-00000600"));
    harm(&path, *leaves(&path, "report_ids").last().unwrap());
    let Opened { store, loaded, quarantined } = Store::open(&path, NOW).unwrap();
    assert!(quarantined.is_some());
    assert_eq!((loaded.seats.len() as u64, loaded.head), (AGENTS, AGENTS));
    assert!(count(&store, "report_ids") < AGENTS && loaded.last_id < whole.last_id);
}

#[test]
fn a_column_whose_name_is_no_text_any_more_costs_its_own_table_alone() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    filled(&path);
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "writable_schema", 1).unwrap();
    let sql = "UPDATE sqlite_schema SET sql = replace(sql, 'seq ', CAST(x'73FF7120' AS TEXT))
        WHERE name = 'report_ids'";
    assert_eq!(connection.execute(sql, []).unwrap(), 1);
    drop(connection);
    let saved = super::fill(&path, NOW).unwrap().unwrap();
    assert!(saved.is_whole("events") && saved.is_whole("seats"));
    assert!(!saved.is_whole("report_ids"));
}

#[test]
fn a_page_of_another_table_is_damage() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    filled(&path);
    let (events, seats) = (leaves(&path, "events")[0], leaves(&path, "seats")[0]);
    let mut bytes = fs::read(&path).unwrap();
    bytes.copy_within((events - 1) * PAGE..events * PAGE, (seats - 1) * PAGE);
    fs::write(&path, &bytes).unwrap();
    let Opened { loaded, quarantined, .. } = Store::open(&path, NOW).unwrap();
    assert!(quarantined.is_some());
    assert_eq!((loaded.seats.len() as u64, loaded.unreadable), (AGENTS, 0));
    assert_eq!(loaded.head, AGENTS);
}

#[test]
fn of_a_seat_that_its_events_alone_know_nobody_says_what_it_does() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    let mut store = Store::open(&path, UnixMs(0)).unwrap().store;
    let known = |n| {
        let mut seat = seat(n);
        seat.process.state = Process::Suspended;
        let agent = Box::new(seat.doc());
        frame(n, id(n), EventBody::Registered { agent })
    };
    let frames = [known(1), known(2), known(3), frame(4, id(2), EventBody::Forgotten)];
    let kept = seat(3);
    let seats = vec![(&kept.id, Some(&kept))];
    store.commit(&Changes { frames: &frames, seats, ..Changes::default() }).unwrap();
    assert_eq!(super::rebuilt::rebuild(store.connection(), 70).unwrap(), 1);
    drop(store);
    let seats = Store::open(&path, NOW).unwrap().loaded.seats;
    let seat = seats.iter().find(|seat| seat.id == id(1)).unwrap();
    assert_eq!((seats.len(), seat.headline()), (2, Headline::Unknown));
    assert_eq!((&*seat.kind, seat.prompts_opened), ("custom", 70));
}

#[test]
fn a_file_that_was_cut_goes_on_with_what_is_left() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    filled(&path);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2 / PAGE * PAGE]).unwrap();
    let Opened { store, quarantined, .. } = Store::open(&path, NOW).unwrap();
    assert!(quarantined.is_some());
    let sql = "PRAGMA integrity_check";
    let found: String = store.connection().query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(found, "ok");
}

#[test]
fn where_nothing_can_be_read_a_new_one_is_begun_behind_all_cursors() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    filled(&path);
    harm(&path, 1);
    let Opened { loaded, quarantined, .. } = Store::open(&path, NOW).unwrap();
    assert!(quarantined.is_some());
    assert_eq!((loaded.seats.len(), loaded.head), (0, 9_000_000));
    assert_eq!(quarantine::damaged(temp.path())[0].saved, None);
}

/// A folder in its place stands for a disk that takes no new database.
#[test]
fn where_no_new_database_can_be_written_the_damaged_one_stays_until_there_is_room() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    filled(&path);
    let in_the_way = beside(&path, super::FILLING);
    fs::create_dir(&in_the_way).unwrap();
    // Damage that the start does not meet by itself: it serves what there is, and comes back to it.
    quarantine::doubt(&path).unwrap();
    let Opened { loaded, quarantined, .. } = Store::open(&path, NOW).unwrap();
    assert_eq!((loaded.seats.len() as u64, quarantined), (AGENTS, None));
    assert!(quarantine::is_doubted(&path));
    // Damage that it meets.
    quarantine::trust(&path);
    let evidence = harm(&path, leaves(&path, "seats")[1]);
    assert!(matches!(Store::open(&path, NOW), Err(StoreError::Io(_))));
    assert!(fs::read(&path).unwrap() == evidence, "nothing is put aside");
    assert!(quarantine::damaged(temp.path()).is_empty());
    fs::remove_dir(&in_the_way).unwrap();
    let Opened { loaded, quarantined, .. } = Store::open(&path, NOW).unwrap();
    assert_eq!((loaded.seats.len() as u64, loaded.head), (AGENTS, AGENTS));
    assert!(quarantined.is_some());
}

#[test]
fn a_doubt_about_a_database_that_is_whole_costs_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    filled(&path);
    quarantine::doubt(&path).unwrap();
    let Opened { store, loaded, quarantined } = Store::open(&path, NOW).unwrap();
    assert!(quarantined.is_some());
    assert_eq!((loaded.seats.len() as u64, loaded.head), (AGENTS, AGENTS));
    assert_eq!(count(&store, "report_ids"), AGENTS);
    drop(store);
    assert_eq!(Store::open(&path, NOW).unwrap().quarantined, None);
}

#[test]
fn a_doubt_about_a_database_that_is_gone_is_none_about_the_next_one() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    quarantine::doubt(&path).unwrap();
    filled(&path);
    assert!(!quarantine::is_doubted(&path));
    let Opened { loaded, quarantined, .. } = Store::open(&path, NOW).unwrap();
    assert_eq!((loaded.seats.len() as u64, quarantined), (AGENTS, None));
}

#[test]
fn a_hub_that_was_killed_between_the_two_databases_has_the_new_one() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    filled(&path);
    fs::rename(&path, beside(&path, super::FILLED)).unwrap();
    quarantine::doubt(&path).unwrap();
    let Opened { loaded, quarantined, .. } = Store::open(&path, NOW).unwrap();
    assert_eq!((loaded.head, quarantined), (AGENTS, None));
}

#[test]
fn whoever_reads_the_log_notices_what_is_missing() {
    let temp = tempfile::tempdir().unwrap();
    let path = place(&temp);
    filled(&path);
    let connection = Connection::open(&path).unwrap();
    connection.execute("DELETE FROM events WHERE seq BETWEEN 100 AND 109", []).unwrap();
    drop(connection);
    let reader = Reader::open(&path).unwrap();
    let range = |after| reader.page(after, AGENTS, 1_000, |_, _| true).unwrap().range;
    assert_eq!(range(0), Some((1, 99)));
    assert_eq!(range(99), Some((110, AGENTS)));
}

#[test]
fn what_is_no_database_of_ours_is_refused_in_words() {
    let cases = [
        ("PRAGMA user_version = 0", "format is 0"),
        ("PRAGMA user_version = -5", "format is -5"),
        ("PRAGMA user_version = 5", "not what its format has"),
        ("DROP TABLE events", "events is missing"),
        ("DROP TABLE tasks", "tasks is missing"),
        ("ALTER TABLE seats RENAME COLUMN state TO other", "not what its format has"),
    ];
    for (sql, words) in cases {
        let temp = tempfile::tempdir().unwrap();
        let path = place(&temp);
        filled(&path);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(sql).unwrap();
        drop(connection);
        match Store::open(&path, NOW) {
            Err(StoreError::Unlike(why)) => {
                assert!(why.contains(words) && !why.contains("SELECT"), "{sql}: {why}");
            }
            other => panic!("{sql}: {other:?}"),
        }
        assert!(quarantine::damaged(temp.path()).is_empty(), "{sql}");
    }
}
