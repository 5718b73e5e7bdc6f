//! What the hub has counted since its start, and what a start before that has put aside.

use super::{Check, files, panes, servers};
use crate::client::Client;
use crate::config::Config;
use headsup_daemon::Damaged;
use std::path::Path;

/// How many events are named to a person; a script is told of all.
const EVENTS: usize = 8;

/// Databases that were damaged: what could not be read of them is in them, and in no other place. And what the hub
/// has found in the one that it has.
pub(super) fn database(home: &Path, metrics: &str) -> Check {
    let (logs, kept): (Vec<Damaged>, Vec<Damaged>) =
        headsup_daemon::damaged(home).into_iter().partition(Damaged::is_log);
    let is_counted = |name: &str| {
        let mut lines = metrics.lines();
        lines.find_map(|line| line.strip_prefix(name)).is_some_and(|found| found != "0")
    };
    let (mut said, mut hints) = (Vec::new(), Vec::new());
    if is_counted("headsup_store_unread_total ") {
        said.push("its disk did not give all of it at times since the hub's start".to_owned());
        hints.push(
            "the disk may be failing: see the system's log, and have a copy of the state folder elsewhere"
                .to_owned(),
        );
    }
    if is_counted("headsup_store_unreadable_total ") {
        said.push("some of its rows cannot be read and are left out of lists".to_owned());
        hints.push(
            "hub.log in the state folder names them; a copy of headsup.db of an earlier day may have them"
                .to_owned(),
        );
    }
    if is_counted("headsup_store_damage_total ") {
        said.push("damage was found in it since the hub's start".to_owned());
        hints.push(
            "see hub.log in the state folder; after `headsup down` and `headsup up` it goes on with \
             what can be read of it"
                .to_owned(),
        );
    }
    let names = |kept: Vec<Damaged>| kept.into_iter().map(in_words).collect::<Vec<_>>().join(", ");
    let is_kept = !(logs.is_empty() && kept.is_empty());
    if !logs.is_empty() {
        let logs = names(logs);
        said.push(format!(
            "its write-ahead log was damaged and part of it is lost; a copy is kept: {logs}"
        ));
    }
    if !kept.is_empty() {
        let kept = names(kept);
        said.push(format!("was damaged and begun anew; the old one is kept: {kept}"));
    }
    if is_kept {
        hints.push(format!("look why, then move it away from {}", home.display()));
    }
    match said.is_empty() {
        true => Check::good("database", "no damage is known"),
        false => Check::bad("database", said.join("; "), hints.join("; ")),
    }
}

fn in_words(damaged: Damaged) -> String {
    let name = damaged.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match damaged.saved {
        Some(saved) => format!("{name} ({saved})"),
        None => name,
    }
}

/// What the hub's own figures say.
pub(super) async fn checks(client: &Client, home: &Path, config: &Config) -> Vec<Check> {
    match client.get_text("/metrics").await {
        Ok(metrics) => {
            let all = [
                database(home, &metrics),
                input(&metrics),
                events(&metrics),
                files::check(&metrics),
                servers::check(&metrics),
            ];
            all.into_iter().chain(panes::check(&metrics, config)).collect()
        }
        Err(error) => {
            let input = Check::bad("input", error.message, "see hub.log in the state folder");
            vec![database(home, ""), input]
        }
    }
}

/// What was refused or not understood, by its code. Only defects and losses are bad.
fn input(metrics: &str) -> Check {
    let mut counted: Vec<(String, u64)> = metrics.lines().filter_map(read).collect();
    // The hub tells them in no order.
    counted.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let said = |words: &[(String, u64)]| {
        let words: Vec<String> = words.iter().map(|(word, n)| format!("{n} {word}")).collect();
        words.join(", ")
    };
    let (bad, other): (Vec<_>, Vec<_>) = counted.into_iter().partition(|(word, _)| is_bad(word));
    match (bad.as_slice(), other.as_slice()) {
        ([], []) => Check::good("input", "all of it was understood"),
        ([], other) => Check::good("input", format!("since the hub's start: {}", said(other))),
        (bad, _) => {
            let hint = "see hub.log in the state folder";
            Check::bad("input", format!("since the hub's start: {}", said(bad)), hint)
        }
    }
}

/// Which hooks, status files, status reports, logs and streams said what nobody knows. Nothing was changed by them,
/// so that is not bad.
fn events(metrics: &str) -> Check {
    let mut counted: Vec<(u64, String)> = metrics.lines().filter_map(unknown).collect();
    counted.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    if counted.is_empty() {
        return Check::good(
            "events",
            "every hook, every status, every log and every stream was understood",
        );
    }
    let words: Vec<String> =
        counted.iter().map(|(count, what)| format!("{what}: {count}")).collect();
    let detail =
        |words: &[String]| format!("not understood since the hub's start: {}", words.join(", "));
    let brief = words.split_at_checked(EVENTS).filter(|(_, more)| !more.is_empty());
    let brief = brief.map(|(first, more)| {
        format!("{}, and {} more: `headsup doctor --json`", detail(first), more.len())
    });
    let check = Check { brief, ..Check::good("events", detail(&words)) };
    check.with(
        "what was not understood changed nothing (EVENT.MEMBER: only that member of it); a program \
         that is newer than this headsup says more than it knows: `headsup capture AGENT` makes a \
         bundle for a bug report",
    )
}

/// `headsup_not_understood_total{kind="a",event="B"} 3`
fn unknown(line: &str) -> Option<(u64, String)> {
    let (name, value) = line.rsplit_once(' ')?;
    let labels = name.strip_prefix("headsup_not_understood_total{kind=\"")?;
    let (kind, event) = labels.strip_suffix("\"}")?.split_once("\",event=\"")?;
    Some((value.parse().ok()?, format!("{kind} {event}")))
}

/// A counter that is not 0, in words. `headsup_refusals_total{code="bad_json"} 3`.
fn read(line: &str) -> Option<(String, u64)> {
    let (name, value) = line.rsplit_once(' ')?;
    let count = value.parse().ok().filter(|count| *count > 0)?;
    let word = match name.split_once('{') {
        Some(("headsup_refusals_total", labels)) => match label(labels)? {
            // Nothing has come in with it; the doctor itself asks for a seat that is not there.
            "no_such_agent" => return None,
            code => format!("refused ({code})"),
        },
        Some(("headsup_reports_total", labels)) if label(labels)? == "not_understood" => {
            "not understood".to_owned()
        }
        Some(("headsup_flaws_total", labels)) => match label(labels)? {
            "lossy" => "taken without what was not UTF-8 (lossy)".to_owned(),
            "duplicate_member" => "with a member twice (duplicate_member)".to_owned(),
            "skew" => "of another time by their own word (skew)".to_owned(),
            "source_lost" => "times that a log that was followed was gone (source_lost)".to_owned(),
            _ => return None,
        },
        Some(("headsup_panics_total", labels)) => format!("defects in the {}", label(labels)?),
        None => match name {
            "headsup_spool_corrupt_total" => "unreadable stretches of the spool".to_owned(),
            "headsup_spool_dropped_total" => "dropped by a full spool".to_owned(),
            "headsup_spool_refused_total" => "spooled of an unknown kind".to_owned(),
            "headsup_log_lines_skipped_total" => {
                "lines of logs left out, as too long or as no JSON".to_owned()
            }
            _ => return None,
        },
        _ => return None,
    };
    Some((word, count))
}

fn is_bad(word: &str) -> bool {
    ["defects", "unreadable", "dropped"].iter().any(|bad| word.contains(bad))
}

fn label(labels: &str) -> Option<&str> {
    labels.split('"').nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_nobody_knows_are_named_with_their_kind_and_their_number() {
        let line = |kind: &str, event: &str, count: u64| {
            format!("headsup_not_understood_total{{kind=\"{kind}\",event=\"{event}\"}} {count}\n")
        };
        assert!(events("").hint.is_none());
        let check = events(&(line("a", "Old", 2) + &line("b", "New \\\"x\\\"", 7)));
        let said = "not understood since the hub's start: b New \\\"x\\\": 7, a Old: 2";
        assert_eq!((check.ok, &*check.detail, check.brief), (true, said, None));
        let many: String = (0..20).map(|n| line("a", &format!("E{n}"), 1)).collect();
        let check = events(&many);
        let brief = check.brief.unwrap();
        assert!(brief.ends_with(", and 12 more: `headsup doctor --json`"), "{brief}");
        assert_eq!((brief.matches(": 1,").count(), check.detail.matches(": 1").count()), (8, 20));
    }

    #[test]
    fn a_database_has_one_row_whatever_is_wrong_with_it() {
        let home = tempfile::tempdir().unwrap();
        let found = |count: u32| format!("headsup_store_damage_total {count}\n");
        let detail = |metrics: &str| {
            let check = database(home.path(), metrics);
            assert_eq!(check.ok, check.hint.is_none(), "{check:?}");
            check.detail
        };
        assert_eq!([detail(""), detail(&found(0))], ["no damage is known"; 2]);
        assert_eq!(detail(&found(1)), "damage was found in it since the hub's start");
        let unread = detail("headsup_store_unread_total 2\n");
        assert_eq!(unread, "its disk did not give all of it at times since the hub's start");
        let rows = detail("headsup_store_unreadable_total 1\n");
        assert_eq!(rows, "some of its rows cannot be read and are left out of lists");
        std::fs::write(home.path().join("headsup.db.corrupt-7"), "").unwrap();
        let before = "was damaged and begun anew; the old one is kept: headsup.db.corrupt-7";
        assert_eq!(detail(&found(0)), before);
        let both = format!("damage was found in it since the hub's start; {before}");
        assert_eq!(detail(&found(2)), both);
        std::fs::rename(
            home.path().join("headsup.db.corrupt-7"),
            home.path().join("headsup.db.corrupt-7-log"),
        )
        .unwrap();
        let log = detail(&found(0));
        assert!(log.starts_with("its write-ahead log was damaged"), "{log}");
        assert!(log.ends_with("headsup.db.corrupt-7-log"), "{log}");
    }

    #[test]
    fn what_was_refused_most_often_is_said_first() {
        let line =
            |code: &str, count: u64| format!("headsup_refusals_total{{code=\"{code}\"}} {count}\n");
        let check = input(&(line("c", 2) + &line("b", 7) + &line("a", 2) + &line("d", 0)));
        let said = "since the hub's start: 7 refused (b), 2 refused (a), 2 refused (c)";
        assert_eq!((check.ok, &*check.detail), (true, said));
    }

    #[test]
    fn a_counter_is_said_in_words_and_zero_is_not() {
        let said = |line: &str| read(line);
        let some = |word: &str, count| Some((word.to_owned(), count));
        assert_eq!(
            said("headsup_refusals_total{code=\"bad_json\"} 3"),
            some("refused (bad_json)", 3)
        );
        assert_eq!(said("headsup_refusals_total{code=\"no_such_agent\"} 3"), None);
        assert_eq!(
            said("headsup_reports_total{result=\"not_understood\"} 2"),
            some("not understood", 2)
        );
        assert_eq!(
            said("headsup_panics_total{place=\"adapter\"} 1"),
            some("defects in the adapter", 1)
        );
        let lossy = "taken without what was not UTF-8 (lossy)";
        assert_eq!(said("headsup_flaws_total{flaw=\"lossy\"} 2"), some(lossy, 2));
        let left_out = "lines of logs left out, as too long or as no JSON";
        assert_eq!(said("headsup_log_lines_skipped_total 5"), some(left_out, 5));
        for line in [
            "headsup_reports_total{result=\"accepted\"} 2",
            "headsup_spool_corrupt_total 0",
            "# EOF",
            "",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }
}
