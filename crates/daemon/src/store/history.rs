//! What was said of a seat lately: read when it is wanted, and not at a start.

use super::{Store, StoreError};
use headsup_core::id::AgentId;
use headsup_core::seat::History;
use rusqlite::{Connection, OptionalExtension as _};

impl Store {
    /// What was stored of an agent; nothing of one that is not there.
    pub(crate) fn history(&self, agent: &AgentId) -> Result<History, StoreError> {
        read(&self.connection, agent.as_str())
    }
}

pub(super) fn read(connection: &Connection, agent: &str) -> Result<History, StoreError> {
    let mut select = connection.prepare_cached("SELECT history FROM histories WHERE id = ?1")?;
    // Read where it lies: bytes that are no text cost what was said, and not every report from then on.
    let stored = select.query_row([agent], |row| {
        Ok(serde_json::from_slice(row.get_ref(0)?.as_bytes().unwrap_or_default()))
    });
    let Some(read) = stored.optional()? else { return Ok(History::default()) };
    Ok(read.unwrap_or_else(|error| {
        tracing::error!(%error, agent, "what was said of the agent cannot be read");
        History::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Changes, Opened};
    use headsup_core::seat::{Rejection, Seat, Statement};
    use headsup_core::source::Source;
    use headsup_core::time::UnixMs;
    use serde_json::{Value, json};
    use std::path::Path;

    const FIRST: &str = include_str!("migrations/0001_log_and_seats.sql");
    const AT: &str = "2026-11-21T21:29:57.200Z";

    fn open(path: &Path) -> Opened {
        Store::open(path, UnixMs(0)).unwrap()
    }

    fn seat(id: &str) -> Seat {
        Seat::new(AgentId::new(id).unwrap(), "custom", Source::Report, UnixMs(1))
    }

    /// A database of the first format with these states in it.
    fn first_format(path: &Path, states: &[(&str, String)]) {
        let connection = Connection::open(path).unwrap();
        connection.execute_batch(FIRST).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        for row in states {
            connection
                .execute("INSERT INTO seats (id, state) VALUES (?1, ?2)", row.clone())
                .unwrap();
        }
    }

    /// As the first format kept a seat: all in one.
    fn whole(id: &str, trail: Value, rejected: Value) -> String {
        let mut state = serde_json::to_value(seat(id)).unwrap();
        state["trail"] = trail;
        state["rejected"] = rejected;
        state.to_string()
    }

    #[test]
    fn a_database_of_the_first_format_is_read_with_all_that_was_said() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        let (list, object) = (
            json!(["report", "report", "idle", AT, null]),
            json!({"source": "report", "event": "report", "value": "idle", "at": AT, "lost": null}),
        );
        let refused = json!([[AT, "hook", "Stop", "G1", "of another session"]]);
        first_format(
            &path,
            &[
                ("list", whole("list", json!([list]), refused)),
                ("object", whole("object", json!([object]), json!([]))),
                ("silent", serde_json::to_string(&seat("silent")).unwrap()),
                ("strange", "{}".to_owned()),
                ("torn", "{\"id\":".to_owned()),
            ],
        );
        for _ in 0..2 {
            let Opened { store, loaded, .. } = open(&path);
            assert_eq!((loaded.seats.len(), loaded.unreadable), (3, 2));
            assert!(loaded.seats.iter().all(|seat| seat.history.is_none()), "read at the start");
            let said = |id: &str| store.history(&AgentId::new(id).unwrap()).unwrap();
            let idle = Statement {
                source: Source::Report,
                event: "report".into(),
                value: "idle".into(),
                at: UnixMs::parse(AT).unwrap(),
                lost: None,
            };
            let (list, object) = (said("list"), said("object"));
            assert_eq!((&list.trail[0], &object.trail[0]), (&idle, &idle));
            let refused = Rejection {
                at: idle.at,
                source: Source::Hook,
                event: "Stop".into(),
                rule: "G1".into(),
                why: "of another session".into(),
            };
            assert_eq!(list.rejected, [refused]);
            assert_eq!((said("silent"), said("nobody")), (History::default(), History::default()));
        }
    }

    #[test]
    fn a_seat_without_its_history_is_written_and_leaves_it_as_it_was() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("headsup.db");
        let mut store = open(&path).store;
        let mut seat = seat("api");
        let (source, at) = (Source::Hook, UnixMs(5));
        let history = seat.history.as_deref_mut().unwrap();
        let (event, value) = ("Stop".into(), "idle".into());
        history.trail.push_back(Statement { source, event, value, at, lost: None });
        let said = history.clone();
        history.unsaved = true;
        for name in ["one", "two"] {
            name.clone_into(&mut seat.name);
            let seats = vec![(&seat.id, Some(&seat))];
            store.commit(&Changes { seats, ..Changes::default() }).unwrap();
            assert_eq!(store.history(&seat.id).unwrap(), said);
            seat.history = None;
        }
        drop(store);
        assert_eq!(open(&path).loaded.seats[0].name, "two");
    }

    #[test]
    fn a_history_that_is_no_text_any_more_is_begun_anew() {
        let temp = tempfile::tempdir().unwrap();
        let mut store = open(&temp.path().join("headsup.db")).store;
        let mut seat = seat("api");
        let stored = |store: &mut Store, seat: &mut Seat| {
            let history = seat.history.as_deref_mut().unwrap();
            let (source, at) = (Source::Hook, UnixMs(5));
            let (event, value) = ("Stop".into(), "idle".into());
            history.trail.push_back(Statement { source, event, value, at, lost: None });
            let said = history.clone();
            history.unsaved = true;
            let seats = vec![(&seat.id, Some(&*seat))];
            store.commit(&Changes { seats, ..Changes::default() }).unwrap();
            said
        };
        stored(&mut store, &mut seat);
        let sql = "UPDATE histories SET history = CAST(x'7BFF7D' AS TEXT)";
        assert_eq!(store.connection().execute(sql, []).unwrap(), 1);
        let read = store.history(&seat.id).unwrap();
        assert_eq!(read, History::default());
        seat.history = Some(Box::new(read));
        let said = stored(&mut store, &mut seat);
        assert_eq!(store.history(&seat.id).unwrap(), said);
    }

    #[test]
    fn who_is_forgotten_leaves_no_history_behind() {
        let temp = tempfile::tempdir().unwrap();
        let mut store = open(&temp.path().join("headsup.db")).store;
        let mut seat = seat("api");
        seat.history.as_deref_mut().unwrap().unsaved = true;
        let id = seat.id.clone();
        for seats in [vec![(&id, Some(&seat))], vec![(&id, None)]] {
            store.commit(&Changes { seats, ..Changes::default() }).unwrap();
        }
        for table in ["seats", "histories"] {
            let sql = format!("SELECT count(*) FROM {table}");
            let rows: i64 = store.connection().query_row(&sql, [], |row| row.get(0)).unwrap();
            assert_eq!(rows, 0, "{table}");
        }
    }
}
