mod replaced;

use super::*;
use crate::inbox;
use crate::limits::Limits;
use crate::sources::lookout::Lookout;
use headsup_core::seat::{Made, MadeEnd};
use headsup_core::status::Process;
use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::io::Errno;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::time::{Duration, SystemTime};
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot::error::TryRecvError;

const INTERRUPTED: &[u8] = br#"{"type":"user","sessionId":"s1","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}"#;

fn seat(id: &str, log: Option<&Path>) -> Arc<Seat> {
    let mut seat = Seat::new(AgentId::new(id).unwrap(), "claude-code", Source::Hook, UnixMs(0));
    seat.process.state = Process::Unknown;
    seat.about.log_path = log.map(|path| path.to_str().unwrap().into());
    Arc::new(seat)
}

#[tokio::test(start_paused = true)]
async fn unwatched_logs_are_looked_at_every_second_whatever_else_moves() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    fs::write(&log, "").unwrap();
    let metrics = Arc::new(Metrics::new());
    let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::clone(&metrics));
    let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
    let (seats, with_logs) = unbounded_channel();
    tokio::spawn(watch(with_logs, lookout.watcher(), inbox, metrics));
    seats.send(Mention::Moved(seat("api", Some(&log)))).unwrap();
    tokio::time::sleep(UNWATCHED * 3 / 2).await;
    let mut file = OpenOptions::new().append(true).open(&log).unwrap();
    file.write_all(&[INTERRUPTED, b"\n"].concat()).unwrap();
    let told = || outbox.take(Duration::ZERO, 1).unwrap();
    assert!(told().is_empty(), "nobody has looked since");
    for _ in 0..10 {
        seats.send(Mention::Moved(seat("other", None))).unwrap();
        tokio::time::sleep(UNWATCHED / 10).await;
    }
    let told = told();
    let Work::Witnessed(Witnessed::Seat(sight)) = &told[0].work else { panic!() };
    assert_eq!((sight.agent.as_str(), sight.source), ("api", Source::Transcript));
}

fn written(at: UnixMs) -> String {
    let line = String::from_utf8(INTERRUPTED.to_vec()).unwrap();
    line.replacen('{', &format!("{{\"timestamp\":\"{at}\","), 1) + "\n"
}

#[tokio::test(start_paused = true)]
async fn copies_of_old_lines_are_no_news_however_many_pieces_they_come_in() {
    let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
    let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
    let now = inbox.evidence().now().at;
    let (old, new) = (now.plus(-60_000), now.plus(60_000));
    let (seats, with_logs) = unbounded_channel();
    tokio::spawn(watch(with_logs, lookout.watcher(), inbox, Arc::new(Metrics::new())));
    let folder = tempfile::tempdir().unwrap();
    for is_there in [true, false] {
        let log = folder.path().join(format!("{is_there}.jsonl"));
        if is_there {
            fs::write(&log, written(old)).unwrap();
        }
        seats.send(Mention::Moved(seat("api", Some(&log)))).unwrap();
        tokio::task::yield_now().await;
        let append = async |lines: &str| {
            let mut file = OpenOptions::new().append(true).create(true).open(&log).unwrap();
            file.write_all(lines.as_bytes()).unwrap();
            tokio::time::sleep(UNWATCHED * 3 / 2).await;
            outbox.take(Duration::ZERO, 9).unwrap().len()
        };
        for _ in 0..3 {
            assert_eq!(append(&written(old)).await, 0, "{is_there}");
        }
        assert_eq!(append(&written(new)).await, 1, "{is_there}");
        // From now on the order of the lines is the order, whatever a clock that was set back says.
        assert_eq!(append(&written(old)).await, 1, "{is_there}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_written_before_a_log_was_found_is_news_and_what_was_copied_into_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
    let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
    let (seats, with_logs) = unbounded_channel();
    tokio::spawn(watch(with_logs, lookout.watcher(), inbox, Arc::new(Metrics::new())));
    seats.send(Mention::Moved(seat("api", Some(&log)))).unwrap();
    tokio::task::yield_now().await;
    let line = |at: &str| {
        String::from_utf8(INTERRUPTED.to_vec()).unwrap().replacen(
            '{',
            &format!("{{\"timestamp\":\"{at}\","),
            1,
        )
    };
    let (old, new) = (line("2020-01-01T00:00:00.000Z"), line("2999-01-01T00:00:00.000Z"));
    fs::write(&log, format!("{old}\n{new}\n{old}\n")).unwrap();
    tokio::time::sleep(UNWATCHED * 3 / 2).await;
    let told = outbox.take(Duration::ZERO, 9).unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    let Work::Witnessed(Witnessed::Seat(sight)) = &told[0].work else { panic!() };
    assert_eq!((sight.agent.as_str(), sight.delivery), ("api", Delivery::Live));
    assert_eq!(sight.made_at, UnixMs::parse("2999-01-01T00:00:00.000Z"));
}

#[tokio::test(start_paused = true)]
async fn what_a_line_says_anew_is_counted_and_the_past_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let metrics = Arc::new(Metrics::new());
    let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::clone(&metrics));
    let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
    let (seats, with_logs) = unbounded_channel();
    tokio::spawn(watch(with_logs, lookout.watcher(), inbox, Arc::clone(&metrics)));
    let news = r#"{"timestamp":"2999-01-01T00:00:00.000Z","type":"hologram"}"#;
    let bored = r#"{"type":"assistant","message":{"stop_reason":"bored","content":[]}}"#;
    let counted = |what: &str| metrics.counted("claude-code", what);
    for (is_there, times) in [(true, 1), (false, 2)] {
        let log = folder.path().join(format!("{is_there}.jsonl"));
        let append = |lines: &str| {
            let mut file = OpenOptions::new().append(true).create(true).open(&log).unwrap();
            file.write_all(lines.as_bytes()).unwrap();
        };
        if is_there {
            append(&format!("{news}\n{bored}\n"));
        }
        seats.send(Mention::Moved(seat("api", Some(&log)))).unwrap();
        tokio::task::yield_now().await;
        append(&format!("{news}\n"));
        tokio::time::sleep(UNWATCHED * 3 / 2).await;
        append(&format!("{bored}\n{{\"type\":\"mode\",\"mode\":\"plan\"}}\n"));
        tokio::time::sleep(UNWATCHED * 3 / 2).await;
        let read = [counted("transcript.type"), counted("transcript.stop_reason")];
        assert_eq!(read, [times; 2], "{is_there}");
    }
    assert!(outbox.take(Duration::ZERO, 9).unwrap().is_empty(), "nothing of it is a fact");
}

/// A seat's log that is followed, and what there is to be told of it.
async fn followed(log: &Path, lookout: &Arc<Lookout>) -> (inbox::Inbox, inbox::Outbox) {
    let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
    let (seats, with_logs) = unbounded_channel();
    let told = watch(with_logs, lookout.watcher(), inbox.clone(), Arc::new(Metrics::new()));
    seats.send(Mention::Moved(seat("api", Some(log)))).unwrap();
    tokio::spawn(async move {
        let _seats = seats;
        told.await;
    });
    tokio::time::sleep(UNWATCHED * 3 / 2).await;
    (inbox, outbox)
}

#[tokio::test(start_paused = true)]
async fn what_is_written_right_after_a_rotation_is_news_and_what_was_copied_into_it_is_not() {
    for is_missed in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        fs::write(&log, "{}\n").unwrap();
        let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
        let (inbox, outbox) = followed(&log, &lookout).await;
        fs::rename(&log, folder.path().join("log.1")).unwrap();
        if is_missed {
            tokio::time::sleep(UNWATCHED).await;
        }
        let now = inbox.evidence().now().at;
        // As a program writes it: dated before it stands there.
        let (old, new) = (written(now.plus(-WRITTEN_MS - 1)), written(now.plus(1_000)));
        fs::write(&log, [&*old, &*new, &*old].concat()).unwrap();
        tokio::time::sleep(UNWATCHED * 3 / 2).await;
        assert_eq!(outbox.take(Duration::ZERO, 9).unwrap().len(), 1, "{is_missed}");
        // The rest of the past comes, and then what is new.
        for (line, told) in [(&old, 0), (&new, 1)] {
            let mut file = OpenOptions::new().append(true).open(&log).unwrap();
            file.write_all(line.as_bytes()).unwrap();
            tokio::time::sleep(UNWATCHED * 3 / 2).await;
            assert_eq!(outbox.take(Duration::ZERO, 9).unwrap().len(), told, "{is_missed}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_whose_folder_was_moved_away_is_found_again_in_its_place() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("a/b");
    let log = folder.join("log.jsonl");
    fs::create_dir_all(&folder).unwrap();
    fs::write(&log, "{}\n").unwrap();
    let lookout = Lookout::new(Limits::default().inotify, Arc::new(Metrics::new()));
    tokio::spawn(Arc::clone(&lookout).run());
    let (inbox, outbox) = followed(&log, &lookout).await;
    // The kernel tells nothing of this to whoever watches the file.
    fs::rename(home.path().join("a"), home.path().join("old")).unwrap();
    fs::create_dir_all(&folder).unwrap();
    fs::write(&log, written(inbox.evidence().now().at.plus(1_000))).unwrap();
    tokio::time::sleep(UNWATCHED * 3 / 2).await;
    assert_eq!(outbox.take(Duration::ZERO, 9).unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_log_of_a_helper_is_followed_while_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let day = folder.path().join("2026/11/21");
    fs::create_dir_all(&day).unwrap();
    let [main, helpers] = ["m", "h1"].map(|id| day.join(format!("rollout-{id}.jsonl")));
    fs::write(&main, "").unwrap();
    let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
    let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
    let (seats, with_logs) = unbounded_channel();
    tokio::spawn(watch(with_logs, lookout.watcher(), inbox, Arc::new(Metrics::new())));
    let tell = |runs: bool| {
        let mut seat = Seat::clone(&seat("api", Some(&main)));
        seat.kind = "codex".into();
        seat.subagents = runs.then(|| "h1".to_owned()).into_iter().collect();
        seats.send(Mention::Moved(Arc::new(seat))).unwrap();
    };
    let append = async || {
        let line = r#"{"timestamp":"2999-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"turn_aborted","root_turn_id":"t1","turn_id":"t2","reason":"interrupted"}}"#;
        let mut file = OpenOptions::new().append(true).create(true).open(&helpers).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
        tokio::time::sleep(UNWATCHED * 3 / 2).await;
        outbox.take(Duration::ZERO, 9).unwrap()
    };
    // It is not there yet.
    tell(true);
    tokio::task::yield_now().await;
    assert!(append().await.is_empty());
    // It asks something.
    tell(true);
    tokio::task::yield_now().await;
    let told = append().await;
    assert_eq!(told.len(), 1, "{told:?}");
    let Work::Witnessed(Witnessed::Seat(sight)) = &told[0].work else { panic!() };
    assert_eq!((sight.agent.as_str(), sight.name.as_str()), ("api", "turn_aborted"));
    assert_eq!(sight.fact, Fact::RunEnded { id: "h1".to_owned(), run: "t2".to_owned() });
    tell(false);
    tokio::task::yield_now().await;
    assert!(append().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_a_stored_seats_log_says_since_it_was_heard_last_waited_for_a_hub() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let heard = UnixMs::parse("2026-07-01T12:00:00.000Z").unwrap();
    let never = UnixMs::parse("2999-01-01T00:00:00.000Z").unwrap();
    let nothing = format!("{{\"type\":\"mode\",\"mode\":\"{}\"}}\n", "x".repeat(1_000));
    // More than one look back, and not quite in the order in which it was made.
    let lines = [-5_000, 1].map(|ms| written(heard.plus(ms))).concat();
    let more = [heard.plus(-5), heard, heard.plus(2), never.plus(1)].map(written).concat();
    let more = nothing.repeat(200) + &more;
    fs::write(&log, lines + &more).unwrap();
    let changed_at = Duration::from_millis(heard.plus(2).0.try_into().unwrap());
    let file = OpenOptions::new().append(true).open(&log).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + changed_at).unwrap();
    let ended_at = |made_at: UnixMs| {
        let turn = Some(MadeEnd { session: None, made_at, at: made_at });
        Box::new(Made { turn, ..Made::default() })
    };
    let ended = async |live: Option<UnixMs>, spooled: UnixMs, ended: Option<UnixMs>| {
        let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let (seats, with_logs) = unbounded_channel();
        tokio::spawn(watch(with_logs, lookout.watcher(), inbox, Arc::new(Metrics::new())));
        let mut seat = seat("api", Some(&log));
        let stored = Arc::make_mut(&mut seat);
        (stored.last_live_at, stored.spooled_until) = (live, spooled);
        stored.made = ended.map(ended_at);
        seats.send(Mention::Stored(seat)).unwrap();
        let (done, mut read) = oneshot::channel();
        seats.send(Mention::Read(done)).unwrap();
        let mut waited = Vec::new();
        while read.try_recv() != Err(TryRecvError::Closed) {
            tokio::task::yield_now().await;
            for item in outbox.take(Duration::ZERO, 9).unwrap() {
                let Work::Witnessed(Witnessed::Seat(sight)) = &item.work else { panic!() };
                let Delivery::Spooled { reported_at } = sight.delivery else { panic!("{sight:?}") };
                waited.push(reported_at.since(heard));
            }
        }
        waited
    };
    let told = async |live, spooled| ended(live, spooled, None).await;
    let last = never.plus(1).since(heard);
    assert_eq!(told(Some(heard), UnixMs(0)).await, [1, 2, last]);
    assert_eq!(told(Some(heard), heard.plus(1)).await, [2, last], "told by a hub before this one");
    assert_eq!(told(None, heard.plus(1)).await, [2, last]);
    assert!(told(None, UnixMs(0)).await.is_empty(), "a log of which nothing is known is the past");
    assert!(told(Some(never), UnixMs(0)).await.is_empty(), "it has not changed since");
    let waited = ended(Some(heard), heard.plus(1), Some(heard.plus(1))).await;
    assert_eq!(waited, [1, 2, last], "the hook of that end, which was told first, says less of it");
    let live = ended(Some(heard.plus(1)), heard.plus(1), Some(heard.plus(1))).await;
    assert_eq!(live, [2, last], "a hub heard that end");
}

/// The hook that tells where the log is comes behind the line of the turn, and no other comes until that is over.
#[tokio::test(start_paused = true)]
async fn a_turn_that_has_begun_before_its_log_is_known_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
    let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
    let now = inbox.evidence().now().at;
    let (seats, with_logs) = unbounded_channel();
    tokio::spawn(watch(with_logs, lookout.watcher(), inbox, Arc::new(Metrics::new())));
    let begun = |trigger: &str, at: UnixMs| {
        let turn = format!(r#""turn_id":"t1","turn_attribution":{{"turn_trigger":"{trigger}"}}"#);
        let payload = format!(r#"{{"type":"task_started",{turn}}}"#);
        format!("{{\"timestamp\":\"{at}\",\"type\":\"event_msg\",\"payload\":{payload}}}\n")
    };
    let told = async |name: &str, lines: &str| {
        let log = folder.path().join(name);
        fs::write(&log, lines).unwrap();
        let mut seat = Seat::clone(&seat("api", Some(&log)));
        seat.kind = "codex".into();
        seats.send(Mention::Moved(Arc::new(seat))).unwrap();
        let mut turns = Vec::new();
        // Each thing is told once the one before it is taken.
        for _ in 0..3 {
            tokio::time::sleep(UNWATCHED * 3 / 2).await;
            for item in outbox.take(Duration::ZERO, 9).unwrap() {
                let Work::Witnessed(Witnessed::Seat(sight)) = &item.work else { panic!() };
                if let Fact::PromptSubmitted { by, turn_ref } = &sight.fact {
                    turns.push((*by, turn_ref.clone(), sight.delivery));
                }
            }
        }
        turns
    };
    let by = |by| [(by, Some("t1".to_owned()), Delivery::Live)];
    assert_eq!(told("begun", &begun("goal", now)).await, by(Submitter::Goal));
    // The hook of its prompt may be lost.
    let prompted = begun("user", now);
    assert_eq!(told("prompted", &prompted).await, by(Submitter::Person));
    let long_ago = begun("goal", now.plus(-60_000));
    assert_eq!(told("resumed", &(long_ago + &prompted)).await, by(Submitter::Person));
    assert!(told("past", &begun("user", now.plus(-60_000))).await.is_empty());
    // The log of a forked conversation begins with copies that are written anew.
    let over = prompted.replace("task_started", "turn_aborted");
    assert!(told("forked", &format!("{prompted}{over}")).await.is_empty());
    assert_eq!(told("asked", &format!("{prompted}{over}{prompted}")).await.len(), 1);
}

/// Logs of which one is followed, with what there is to be told of it: nobody else reads them.
fn alone(log: &Path, lookout: &Arc<Lookout>) -> (Logs, Owner, inbox::Outbox) {
    let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
    let (followed, helpers, behind) = (Followed::new(), HashMap::new(), VecDeque::new());
    let metrics = Arc::new(Metrics::new());
    let watcher = lookout.watcher();
    let mut logs = Logs { watcher, inbox, metrics, followed, helpers, behind };
    logs.look_at(&seat("api", Some(log)), None);
    (logs, (AgentId::new("api").unwrap(), None), outbox)
}

fn append(log: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(log).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// How much `outbox` has been told once nothing moves any more.
async fn told(outbox: &inbox::Outbox) -> usize {
    tokio::time::sleep(UNWATCHED / 10).await;
    outbox.take(Duration::ZERO, 9).unwrap().len()
}

#[tokio::test(start_paused = true)]
async fn a_log_that_could_not_be_read_is_looked_at_again_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let [log, away] = ["log.jsonl", "away"].map(|name| folder.path().join(name));
    fs::write(&log, "{}\n").unwrap();
    // Watched, and nobody hands out what the kernel tells: as where it tells nothing.
    let lookout = Lookout::new(Limits::default().inotify, Arc::new(Metrics::new()));
    let (mut logs, owner, outbox) = alone(&log, &lookout);
    fs::rename(&log, &away).unwrap();
    fs::create_dir(&log).unwrap();
    logs.read(&owner).await;
    append(&away, &written(logs.inbox.evidence().now().at.plus(1_000)));
    fs::remove_dir(&log).unwrap();
    fs::rename(&away, &log).unwrap();
    tokio::spawn(async move { logs.look_at_unwatched().await });
    assert_eq!(told(&outbox).await, 1);
}

#[tokio::test(start_paused = true)]
async fn another_log_in_its_place_is_followed_while_somebody_holds_the_one_before_open() {
    for is_missed in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let [log, other] = ["log.jsonl", "other"].map(|name| folder.path().join(name));
        fs::write(&log, "{}\n").unwrap();
        let lookout = Lookout::new(Limits::default().inotify, Arc::new(Metrics::new()));
        tokio::spawn(Arc::clone(&lookout).run());
        let (inbox, outbox) = followed(&log, &lookout).await;
        // Its watch stays as long as this.
        let _held = fs::File::open(&log).unwrap();
        if is_missed {
            fs::remove_file(&log).unwrap();
            tokio::time::sleep(UNWATCHED * 3 / 2).await;
        }
        fs::write(&other, "{}\n").unwrap();
        fs::rename(&other, &log).unwrap();
        tokio::time::sleep(UNWATCHED * 3 / 2).await;
        append(&log, &written(inbox.evidence().now().at.plus(1_000)));
        tokio::time::sleep(UNWATCHED * 3 / 2).await;
        assert_eq!(outbox.take(Duration::ZERO, 9).unwrap().len(), 1, "{is_missed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_is_followed_that_is_back_while_somebody_holds_open_what_stood_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let [log, away] = ["log.jsonl", "away"].map(|name| folder.path().join(name));
    fs::write(&log, "{}\n").unwrap();
    let lookout = Lookout::new(Limits::default().inotify, Arc::new(Metrics::new()));
    tokio::spawn(Arc::clone(&lookout).run());
    let (inbox, outbox) = followed(&log, &lookout).await;
    fs::rename(&log, &away).unwrap();
    mkfifoat(CWD, &log, Mode::RUSR | Mode::WUSR).unwrap();
    tokio::time::sleep(UNWATCHED * 3 / 2).await;
    // Its watch stays as long as this.
    let _held = OpenOptions::new().read(true).write(true).open(&log).unwrap();
    fs::rename(&away, &log).unwrap();
    tokio::time::sleep(UNWATCHED * 3 / 2).await;
    append(&log, &written(inbox.evidence().now().at.plus(1_000)));
    tokio::time::sleep(UNWATCHED * 3 / 2).await;
    assert_eq!(outbox.take(Duration::ZERO, 9).unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_log_with_much_that_is_new_leaves_the_others_their_turn() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    fs::write(&log, "{}\n").unwrap();
    let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
    let (mut logs, owner, outbox) = alone(&log, &lookout);
    let nothing = format!("{{\"type\":\"mode\",\"mode\":\"{}\"}}\n", "x".repeat(100_000));
    append(&log, &nothing.repeat(50));
    append(&log, &written(logs.inbox.evidence().now().at.plus(1_000)));
    let once = tokio::spawn(async move {
        logs.read(&owner).await;
        logs
    });
    assert_eq!(told(&outbox).await, 0, "others come before its end");
    let mut logs = once.await.unwrap();
    tokio::spawn(async move {
        while !logs.behind.is_empty() {
            logs.go_on().await;
        }
    });
    assert_eq!(told(&outbox).await, 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_told_of_one_log_has_nobody_look_at_all_that_are_not_watched() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    fs::write(&log, "{}\n").unwrap();
    let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
    let (mut logs, _, outbox) = alone(&log, &lookout);
    append(&log, &written(logs.inbox.evidence().now().at.plus(1_000)));
    let change = |watch| Change { watch, name: None, is_over: false };
    let of_another = tokio::spawn(async move {
        logs.changed(&[change(1), change(2)]).await;
        logs
    });
    assert_eq!(told(&outbox).await, 0);
    let mut logs = of_another.await.unwrap();
    tokio::spawn(async move { logs.changed(&[Change::of_everything()]).await });
    assert_eq!(told(&outbox).await, 1, "changes were lost: everything is looked at");
}
