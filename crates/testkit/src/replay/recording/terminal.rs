//! What programs said to their terminal, as a shim between the two would report it.
//!
//! A recording says what came through a terminal, and not from whom. That is the program that was
//! started on it last: not one that another recorded program runs.

use super::{ProcessKey, Row, What, text};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// A status that stands is said again after this time, as the shim does it. Milliseconds.
const AGAIN_MS: usize = 15_000;
/// No more often: an hour.
const MOST_AGAIN: usize = 240;
const STATUS: &str = "status";

/// One sequence.
#[derive(Clone, Debug)]
pub(super) struct Word {
    t_ms: u64,
    /// Whose it is, where the recording says so.
    session: Option<String>,
    part: &'static str,
    body: String,
}

/// When a process was on the terminal.
#[derive(Clone, Copy, Debug)]
struct Life {
    first: u64,
    end: u64,
}

impl Word {
    /// Only what a shim reports: no query, which it answers itself.
    pub(super) fn read(row: &Value, t_ms: u64) -> Option<Self> {
        let body = text(&row["body"])?;
        let part = match row["osc"].as_u64()? {
            7501 if body != "?" => STATUS,
            0 | 2 => "title",
            9 if body.starts_with("4;") => "progress",
            _ => return None,
        };
        let session = text(&row["session"]);
        Some(Self { t_ms, session, part, body })
    }

    /// The program asks whether its terminal understands status reports.
    pub(super) fn is_query(row: &Value) -> bool {
        row["osc"] == 7_501 && row["body"] == "?"
    }

    pub(super) fn is_report(row: &Value) -> bool {
        Self::read(row, 0).is_some_and(|word| word.part == STATUS)
    }

    /// As the shim of a launched process reported it.
    pub(super) fn said_by(self, process: ProcessKey) -> What {
        What::Said { process, part: self.part, body: self.body }
    }

    /// A status of the program as a whole, and not the end of one.
    fn stands(&self) -> bool {
        let fields = || self.body.split(':');
        self.part == STATUS && fields().all(|f| f != "state=clear" && !f.starts_with("id="))
    }

    /// Something else is said of the program as a whole.
    fn replaces(&self) -> bool {
        self.part == STATUS && self.body.split(':').all(|field| !field.starts_with("id="))
    }
}

/// The reports, each with the process that made it; also what the shim says again by itself.
pub(super) fn reports(
    mut said: Vec<Word>,
    rows: &[Row],
    parents: &HashMap<ProcessKey, ProcessKey>,
    sessions: &HashMap<String, Vec<ProcessKey>>,
) -> Vec<Row> {
    said.sort_by_key(|word| word.t_ms);
    let mut lives = lives(rows);
    // What has only started a program says nothing itself.
    let heard: Vec<ProcessKey> = lives.keys().copied().collect();
    lives.retain(|process, _| parents.get(process).is_none_or(|above| !heard.contains(above)));
    let last = rows.iter().map(|row| row.t_ms).max().unwrap_or_default();
    let mut found: BTreeMap<ProcessKey, Vec<Word>> = BTreeMap::new();
    for word in said {
        let known = word.session.as_ref().and_then(|session| sessions.get(session));
        let may_be = |process: &ProcessKey| known.is_none_or(|known| known.contains(process));
        if let Some(process) = speaker(word.t_ms, &lives, may_be) {
            found.entry(process).or_default().push(word);
        }
    }
    let of_process = |(process, words): (ProcessKey, Vec<Word>)| {
        let end = lives.get(&process).map_or(last, |life| life.end).min(last);
        let again = again(&words, end);
        let words = words.into_iter().chain(again);
        words.map(move |Word { t_ms, part, body, .. }| Row {
            t_ms,
            what: What::Said { process, part, body },
        })
    };
    found.into_iter().flat_map(of_process).collect()
}

fn lives(rows: &[Row]) -> BTreeMap<ProcessKey, Life> {
    let mut lives: BTreeMap<ProcessKey, Life> = BTreeMap::new();
    for row in rows {
        let (What::Hook { process, .. }
        | What::Registry { process, .. }
        | What::Bus { process, .. }
        | What::Plugin { process, .. }
        | What::End { process, .. }) = &row.what
        else {
            continue;
        };
        let new = Life { first: row.t_ms, end: u64::MAX };
        let life = lives.entry(*process).or_insert(new);
        life.first = life.first.min(row.t_ms);
        if let What::End { .. } = row.what {
            life.end = row.t_ms;
        }
    }
    lives
}

/// Who is on the terminal: whoever came last, else who comes next.
fn speaker(
    t_ms: u64,
    lives: &BTreeMap<ProcessKey, Life>,
    may_be: impl Fn(&ProcessKey) -> bool,
) -> Option<ProcessKey> {
    let known = || lives.iter().filter(|(process, _)| may_be(process));
    let there = known().filter(|(_, life)| life.first <= t_ms && t_ms < life.end);
    let next = || known().filter(|(_, life)| life.first > t_ms).min_by_key(|(_, life)| life.first);
    there.max_by_key(|(_, life)| life.first).or_else(next).map(|(process, _)| *process)
}

/// What the shim repeats until `end`.
fn again(words: &[Word], end: u64) -> Vec<Word> {
    let mut again = Vec::new();
    for (index, word) in words.iter().enumerate().filter(|(_, word)| word.stands()) {
        let next = words[index + 1..].iter().find(|next| next.replaces());
        let until = next.map_or(end, |next| next.t_ms).min(end);
        let times = (word.t_ms..until).step_by(AGAIN_MS).skip(1).take(MOST_AGAIN);
        again.extend(times.map(|t_ms| Word { t_ms, ..word.clone() }));
    }
    again
}

#[cfg(test)]
mod tests {
    use super::super::How;
    use super::*;
    use serde_json::json;

    fn word(t_ms: u64, osc: u64, body: &str) -> Option<Word> {
        Word::read(&json!({"osc": osc, "body": body}), t_ms)
    }

    fn heard(t_ms: u64, process: ProcessKey) -> Row {
        Row { t_ms, what: What::Registry { process, record: None } }
    }

    fn told(said: Vec<Word>, rows: &[Row]) -> Vec<(u64, ProcessKey, String)> {
        let (parents, sessions) = ([(3, 1)].into(), [("s".to_owned(), vec![2])].into());
        let mut rows = reports(said, rows, &parents, &sessions);
        rows.sort_by_key(|row| row.t_ms);
        let told = rows.into_iter().map(|Row { t_ms, what }| match what {
            What::Said { process, body, .. } => (t_ms, process, body),
            other => panic!("{other:?}"),
        });
        told.collect()
    }

    #[test]
    fn what_a_shim_would_not_report_is_left_out() {
        assert!(word(0, 7_501, "?").is_none());
        assert!(word(0, 9, "hello").is_none());
        assert!(word(0, 52, "c;x").is_none());
        assert!(Word::read(&json!({"osc": 7501}), 0).is_none());
        let parts = [(7_501, "state=idle"), (0, "t"), (2, "t"), (9, "4;1;5")];
        let parts = parts.map(|(osc, body)| word(0, osc, body).unwrap().part);
        assert_eq!(parts, ["status", "title", "title", "progress"]);
    }

    #[test]
    fn who_speaks_is_whoever_is_on_the_terminal() {
        let end = |t_ms, process| Row { t_ms, what: What::End { process, how: How::ByItself } };
        let rows = [heard(100, 1), heard(200, 3), heard(500, 1), end(600, 1), heard(900, 2)];
        let at = |t_ms: u64| word(t_ms, 0, "t").unwrap();
        let of = |session: &str| Word { session: Some(session.to_owned()), ..at(300) };
        let words = vec![at(50), at(300), at(650), at(950), of("s")];
        let told: Vec<_> = told(words, &rows).into_iter().map(|(at, who, _)| (at, who)).collect();
        assert_eq!(told, [(50, 1), (300, 1), (300, 2), (650, 2), (950, 2)]);
    }

    #[test]
    fn a_program_that_has_started_itself_anew_speaks_for_itself() {
        let rows = [heard(100, 3), heard(500, 3)];
        let said = |rows: &[Row]| told(vec![word(300, 0, "t").unwrap()], rows);
        assert_eq!(said(&rows), [(300, 3, "t".to_owned())]);
        // What has started it speaks, too.
        assert_eq!(said(&[heard(100, 1), heard(200, 3)])[0].1, 1);
    }

    #[test]
    fn a_status_that_stands_is_said_again_until_something_else_is() {
        let rows = [heard(0, 1), heard(70_000, 1)];
        let words = vec![
            word(1_000, 7_501, "state=working").unwrap(),
            word(2_000, 7_501, "state=working:id=helper").unwrap(),
            word(20_000, 7_501, "state=idle:app=x").unwrap(),
            word(55_000, 7_501, "state=clear").unwrap(),
        ];
        let told = told(words, &rows);
        let times: Vec<u64> = told.iter().map(|(at, ..)| *at).collect();
        assert_eq!(times, [1_000, 2_000, 16_000, 20_000, 35_000, 50_000, 55_000]);
        assert_eq!(told[2].2, "state=working");
    }
}
