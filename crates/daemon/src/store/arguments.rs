//! The arguments of launches leave a database of an older format, which had them in the states of seats.

use super::StoreError;
use super::busy::Busy;
use crate::launches::{self, Launches};
use headsup_core::seat::{LaunchWords, Seat};
use headsup_core::time::UnixMs;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, params};
use serde::Deserialize;
use std::path::Path;

/// States with a launch. Within a text its quotes would not stand alone.
const LAUNCHED: &str = r#"SELECT id, state FROM seats WHERE instr(state, '"launch":{') > 0"#;
const WITHOUT: &str = "UPDATE seats SET state = json_set(json_remove(state, '$.launch.arguments'), \
                       '$.launch.words', json(?2)) WHERE id = ?1";

/// A state as it was.
#[derive(Deserialize)]
struct Before {
    kind: String,
    launch: Launched,
}

#[derive(Deserialize)]
struct Launched {
    arguments: Option<Vec<String>>,
}

/// Takes them out and leaves nothing of them in the database or its log. May be broken off and done again.
pub(super) fn move_out(
    connection: &mut Connection,
    path: &Path,
    now: UnixMs,
) -> Result<(), StoreError> {
    let launches = Launches::new(path.parent().unwrap_or(Path::new(".")));
    let transaction = connection.transaction()?;
    for (id, state) in launched(&transaction)? {
        let Ok(Before { kind, launch: Launched { arguments: Some(arguments) } }) =
            serde_json::from_str(&state)
        else {
            continue;
        };
        // Of whoever is over nobody asks for them.
        let is_wanted =
            serde_json::from_str::<Seat>(&state).is_ok_and(|seat| launches::is_wanted(&seat, now));
        let words = match is_wanted {
            true => launches.keep_words(&kind, &arguments),
            false => LaunchWords::Unkept,
        };
        transaction.execute(WITHOUT, params![id, serde_json::to_string(&words)?])?;
    }
    transaction.commit()?;
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    tracing::info!(
        at = %path.display(), bytes,
        "the database is written anew, without the arguments of earlier launches: once, and it may take a while"
    );
    let _busy = Busy::with(path, "its database is written anew, once, which may take a while");
    match rewrite(connection) {
        Ok(()) => tracing::info!(at = %path.display(), "the database has been written anew"),
        Err(error) => tracing::warn!(
            %error, "arguments of earlier launches may still lie in free parts of the database"
        ),
    }
    Ok(())
}

fn launched(connection: &Connection) -> Result<Vec<(String, String)>, StoreError> {
    let mut select = connection.prepare(LAUNCHED)?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// What was written over or dropped lies in the free parts of any page: only a new file is without it.
fn rewrite(connection: &Connection) -> Result<(), StoreError> {
    // Not in memory: the log may be long.
    connection.pragma_update(None, "temp_store", "FILE")?;
    let rewritten = connection.execute_batch("VACUUM");
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::TRUNCATE)?;
    Ok(rewritten?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Opened, Store};
    use headsup_core::id::AgentId;
    use headsup_core::seat::Session;
    use headsup_core::source::Source;
    use headsup_core::status::{Exit, ExitKind, Process};
    use serde_json::json;
    use std::fmt::Write as _;
    use std::fs;
    use std::sync::{Arc, Mutex};
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    const SECRET: &str = "sk-live-0123456789";

    fn state(id: &str, process: Process, since: i64, arguments: &[&str]) -> String {
        let id = AgentId::new(id).unwrap();
        let mut seat = Seat::new(id, "claude-code", Source::Report, UnixMs(0));
        (seat.process.state, seat.process.since) = (process, UnixMs(since));
        let since = UnixMs(0);
        seat.session = Some(Session::new("s1".into(), since, true));
        let mut state = serde_json::to_value(seat).unwrap();
        state["launch"] = json!({"program": "/bin/x", "name": "x", "folder": "/", "here": true,
            "arguments": arguments});
        state.to_string()
    }

    /// A database of the format before, that has been written to for a while.
    fn before(path: &Path, rows: &[(&str, String)]) {
        drop(Store::open(path, UnixMs(0)).unwrap());
        let connection = Connection::open(path).unwrap();
        let put = "INSERT OR REPLACE INTO seats (id, state) VALUES (?1, ?2)";
        let note = "INSERT OR REPLACE INTO histories (id, history) VALUES (?1, ?2)";
        for round in 0..200_usize {
            // Of any length, so that pages are given back and used for something else.
            let long = vec![SECRET; [1, 3, 20, 600][round % 4]];
            let agent = format!("was-{}", round % 7);
            let was = state(&agent, Process::Suspended, 0, &long);
            connection.execute(put, [&agent, &was]).unwrap();
            connection.execute(note, [agent, "x".repeat(round * 20)]).unwrap();
        }
        connection.execute("DELETE FROM seats", []).unwrap();
        for row in rows {
            connection.execute(put, row.clone()).unwrap();
        }
        connection.pragma_update(None, "user_version", 12).unwrap();
    }

    /// The files of the database that hold it.
    fn with_secret(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| {
            path.is_file() && String::from_utf8_lossy(&fs::read(path).unwrap()).contains(SECRET)
        });
        files.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn arguments_in_a_database_become_files_and_leave_nothing_behind() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        let words = ["--settings", SECRET, "and a prompt"];
        let over = Process::Exited(Exit::of(ExitKind::Clean));
        before(
            &path,
            &[
                ("away", state("away", Process::Suspended, 0, &words)),
                ("over", state("over", over, 0, &words)),
                ("just", state("just", over, 1_000_000, &words)),
                ("plain", state("plain", Process::Suspended, 0, &[])),
                ("torn", "{\"launch\":{".to_owned()),
            ],
        );
        assert!(with_secret(temp.path()).contains(&"headsup.db".to_owned()));
        for again in [false, true] {
            let Opened { store, loaded, .. } = Store::open(&path, UnixMs(1_030_000)).unwrap();
            assert_eq!(with_secret(temp.path()), [""; 0], "{again}");
            assert_eq!((loaded.seats.len(), loaded.unreadable), (4, 1));
            let words = |id: &str| {
                let seat = loaded.seats.iter().find(|seat| seat.id.as_str() == id).unwrap();
                seat.launch.as_ref().unwrap().words.clone()
            };
            assert_eq!((words("over"), words("plain")), (LaunchWords::Unkept, LaunchWords::None));
            for id in ["away", "just"] {
                let LaunchWords::In(name) = words(id) else { panic!("{id}") };
                let text = fs::read_to_string(temp.path().join("launches").join(name)).unwrap();
                assert_eq!(text, json!(["--settings", SECRET]).to_string());
            }
            drop(store);
            assert_eq!(with_secret(temp.path()), [""; 0], "{again}");
        }
        assert_eq!(fs::read_dir(temp.path().join("launches")).unwrap().count(), 2);
    }

    /// Keeps what is written to the log, a line each.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<String>>>);

    struct Line(String);

    impl Visit for Line {
        fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
            write!(self.0, "{field}={value:?} ").unwrap();
        }
    }

    impl Subscriber for Lines {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, event: &Event<'_>) {
            let mut line = Line(String::new());
            event.record(&mut line);
            self.0.lock().unwrap().push(line.0);
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn whoever_waits_for_a_large_database_reads_in_the_log_what_is_being_done() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        before(&path, &[("away", state("away", Process::Suspended, 0, &["--settings", SECRET]))]);
        let bytes = fs::metadata(&path).unwrap().len();
        let lines = Lines::default();
        for _ in 0..2 {
            let open = || drop(Store::open(&path, UnixMs(0)).unwrap());
            tracing::subscriber::with_default(lines.clone(), open);
        }
        let said = lines.0.lock().unwrap().clone();
        let said: Vec<&String> = said.iter().filter(|line| line.contains("anew")).collect();
        assert_eq!(said.len(), 2, "{said:?}");
        let size = format!("bytes={bytes}");
        assert!(said[0].contains(&size) && said[0].contains("may take a while"), "{said:?}");
        assert!(said[1].contains("has been written"), "{said:?}");
    }

    #[test]
    fn where_no_file_can_be_made_the_database_is_opened_all_the_same() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        before(&path, &[("away", state("away", Process::Suspended, 0, &["--settings", SECRET]))]);
        fs::write(temp.path().join("launches"), "").unwrap();
        let loaded = Store::open(&path, UnixMs(0)).unwrap().loaded;
        assert_eq!(loaded.seats[0].launch.as_ref().unwrap().words, LaunchWords::Unkept);
        assert_eq!(with_secret(temp.path()), [""; 0]);
    }
}
