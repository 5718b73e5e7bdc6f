//! The spool as the hooks leave it for the hub.

use crate::rig::{KIND, Rig, Running, STOP, eventually, read_reports};
use headsup_core::spool::{DROPPED_LEN, Decoder, LIMIT, MAGIC, Record, Report, encode};
use headsup_testkit::hook;
use rustix::fs::{FlockOperation, flock};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// On a busy machine one of many hooks may run out of time; then the round is tried again. What
/// is there must be whole and single in every round.
fn until_complete(count: usize, round: impl Fn(&Rig) -> Vec<Report>) {
    for _ in 0..20 {
        let reports = round(&Rig::new());
        let ids: BTreeSet<_> = reports.iter().map(|report| &report.id).collect();
        let agents: BTreeSet<_> =
            reports.iter().filter_map(|report| report.agent.as_ref()).collect();
        assert_eq!((ids.len(), agents.len()), (reports.len(), reports.len()));
        if reports.len() == count {
            return;
        }
    }
    panic!("in no round were all {count} reports kept");
}

fn spawn(rig: &Rig, seats: std::ops::Range<usize>) -> Vec<Running> {
    seats
        .map(|seat| rig.hook("Stop").env("HEADSUP_AGENT_ID", format!("seat-{seat}")).spawn())
        .collect()
}

fn join(hooks: Vec<Running>) {
    for hook in hooks {
        hook.wait().assert_silent("one of many");
    }
}

#[test]
fn a_hundred_hooks_at_once_leave_a_hundred_whole_records() {
    until_complete(100, |rig| {
        join(spawn(rig, 0..100));
        rig.reports()
    });
}

#[test]
fn a_drain_in_between_loses_nothing() {
    until_complete(60, |rig| {
        let finished = AtomicBool::new(false);
        thread::scope(|scope| {
            let hub = scope.spawn(|| {
                let mut reports = Vec::new();
                loop {
                    let last = finished.load(Ordering::Acquire);
                    reports.extend(drain(rig));
                    if last {
                        return reports;
                    }
                    thread::yield_now();
                }
            });
            for seat in (0..60).step_by(4) {
                join(spawn(rig, seat..seat + 4));
            }
            finished.store(true, Ordering::Release);
            hub.join().unwrap()
        })
    });
}

/// As the hub does it.
fn drain(rig: &Rig) -> Vec<Report> {
    let Ok(file) = File::open(rig.queue()) else { return Vec::new() };
    flock(&file, FlockOperation::LockExclusive).unwrap();
    let draining = rig.queue().with_file_name("draining-1");
    fs::rename(rig.queue(), &draining).unwrap();
    drop(file);
    let reports = read_reports(&draining);
    fs::remove_file(draining).unwrap();
    reports
}

#[test]
fn a_hook_that_waits_for_the_lock_does_not_write_to_what_the_hub_took_away() {
    for _ in 0..20 {
        let rig = Rig::new();
        rig.until_kept("first", || rig.hook("Stop"));
        let hub = File::open(rig.queue()).unwrap();
        flock(&hub, FlockOperation::LockExclusive).unwrap();
        let mut hook = rig.hook("Stop").spawn();
        eventually("the hook has the file open, or has given up", || {
            let gone = hook.child.try_wait().unwrap().is_some();
            let files = fs::read_dir(format!("/proc/{}/fd", hook.child.id())).into_iter().flatten();
            let mut paths = files.flatten().filter_map(|file| fs::read_link(file.path()).ok());
            (gone || paths.any(|path| path == rig.queue())).then_some(())
        });
        let draining = rig.queue().with_file_name("draining-1");
        fs::rename(rig.queue(), &draining).unwrap();
        // Another hook was faster.
        File::create(rig.queue()).unwrap();
        drop(hub);
        hook.wait().assert_silent("waiting");
        assert_eq!(read_reports(&draining).len(), 1);
        if rig.reports().len() == 1 {
            return;
        }
    }
    panic!("the hook always gives up");
}

#[test]
fn a_lock_that_is_never_released_is_given_up() {
    let rig = Rig::new();
    rig.until_kept("first", || rig.hook("Stop"));
    let holder = File::open(rig.queue()).unwrap();
    flock(&holder, FlockOperation::LockExclusive).unwrap();
    rig.hook("Stop").run().assert_silent("locked");
    drop(holder);
    assert_eq!(rig.reports().len(), 1);
}

#[test]
fn only_a_real_file_of_ours_is_written() {
    type Prepare = fn(&Rig);
    let cases: [(&str, Prepare); 5] = [
        ("a link in the place of the queue", |rig| {
            symlink(rig.path("victim"), rig.queue()).unwrap();
        }),
        ("a dangling link", |rig| symlink(rig.path("nowhere"), rig.queue()).unwrap()),
        ("a folder", |rig| fs::create_dir(rig.queue()).unwrap()),
        ("a pipe", |rig| {
            let mode = rustix::fs::Mode::RWXU;
            rustix::fs::mkfifoat(rustix::fs::CWD, rig.queue(), mode).unwrap();
        }),
        ("a link in the place of the folder", |rig| {
            fs::remove_dir(rig.home().join("spool")).unwrap();
            fs::create_dir(rig.path("other")).unwrap();
            symlink(rig.path("other"), rig.home().join("spool")).unwrap();
        }),
    ];
    for (case, prepare) in cases {
        let rig = Rig::new();
        fs::write(rig.path("victim"), "untouched").unwrap();
        fs::create_dir(rig.home().join("spool")).unwrap();
        prepare(&rig);
        rig.hook("Stop").run().assert_silent(case);
        assert_eq!(fs::read(rig.path("victim")).unwrap(), b"untouched", "{case}");
        assert!(!fs::exists(rig.path("nowhere")).unwrap(), "{case}");
        assert!(!fs::exists(rig.path("other/queue")).unwrap(), "{case}");
    }
}

#[test]
fn a_pipe_with_a_reader_gets_nothing_either() {
    let rig = Rig::new();
    fs::create_dir(rig.home().join("spool")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, rig.queue(), rustix::fs::Mode::RWXU).unwrap();
    let mut open = OpenOptions::new();
    let reader = open.read(true).write(true).open(rig.queue()).unwrap();
    rig.hook("Stop").run().assert_silent("a pipe with a reader");
    assert_eq!(rustix::io::ioctl_fionread(&reader), Ok(0));
}

#[test]
fn a_torn_record_hides_no_later_one() {
    let rig = Rig::new();
    rig.until_kept("first", || rig.hook("Stop"));
    let mut bytes = fs::read(rig.queue()).unwrap();
    bytes.truncate(bytes.len() - 5);
    fs::write(rig.queue(), &bytes).unwrap();
    let fire = || rig.hook("SessionEnd").run().assert_silent("second");
    let bytes = hook::until("another record", fire, || {
        let after = fs::read(rig.queue()).unwrap();
        (after.len() > bytes.len()).then_some(after)
    });
    let mut decoder = Decoder::new(&bytes);
    let events: Vec<_> = decoder.by_ref().flatten().map(event).collect();
    assert_eq!(events, ["SessionEnd"]);
    assert_eq!(decoder.skipped().stretches, 1);
}

fn event(record: Record) -> String {
    match record {
        Record::Report(report) => report.event.unwrap(),
        Record::Dropped { count } => format!("dropped {count}"),
    }
}

/// A spool that has no room for one more report: transitions `T…` and others `O…` in turn.
fn full_spool(rig: &Rig) -> usize {
    let mut bytes = Vec::new();
    for n in 0.. {
        let is_transition = n % 2 == 0;
        let record = encode(&Record::Report(Report {
            kind: KIND.into(),
            event: Some(format!("{}{n}", if is_transition { 'T' } else { 'O' })),
            id: n.to_string(),
            is_transition,
            body: vec![b'x'; 100_000],
            ..Report::default()
        }));
        if bytes.len() + record.len() + DROPPED_LEN > LIMIT {
            // Nothing fits behind this: damage that a later compaction throws away.
            bytes.resize(LIMIT - DROPPED_LEN, 0);
            fs::create_dir(rig.home().join("spool")).unwrap();
            fs::write(rig.queue(), &bytes).unwrap();
            return n;
        }
        bytes.extend_from_slice(&record);
    }
    unreachable!()
}

#[test]
fn a_full_spool_drops_what_changes_no_status_first_and_counts() {
    let rig = Rig::new();
    let before = full_spool(&rig);
    let size = || usize::try_from(fs::metadata(rig.queue()).unwrap().len()).unwrap();
    let marker = || {
        let bytes = fs::read(rig.queue()).unwrap();
        Decoder::new(&bytes[LIMIT - DROPPED_LEN..]).flatten().next()
    };
    // A hook on a busy machine may give up, so what must come is waited for.
    for count in [1, 2] {
        eventually("a dropped report is counted", || {
            rig.hook("Notification").run().assert_silent("not a transition");
            (marker() == Some(Record::Dropped { count })).then_some(())
        });
        assert_eq!(size(), LIMIT);
    }

    let stop = || {
        rig.hook("Stop").run().assert_silent("a transition");
        let bytes = fs::read(rig.queue()).unwrap();
        let events: Vec<_> = Decoder::new(&bytes).flatten().map(event).collect();
        (events.last()? == "Stop").then_some(events)
    };
    let events = eventually("a transition makes itself room", stop);
    assert!(size() < LIMIT / 4 * 3 + 4096);
    let kept: Vec<usize> =
        events[1..events.len() - 1].iter().map(|e| e[1..].parse().unwrap()).collect();
    // Two were counted, one stretch of damage is, the rest are the oldest others.
    let dropped = before - kept.len() + 3;
    assert_eq!(events[0], format!("dropped {dropped}"));
    assert!(kept.is_sorted());
    let others: Vec<usize> = kept.iter().copied().filter(|n| n % 2 == 1).collect();
    assert_eq!(kept.len() - others.len(), before.div_ceil(2), "every transition is kept");
    assert_eq!(others.last(), Some(&(before - 1 - before % 2)), "the newest others are kept");
    assert!(others.windows(2).all(|pair| pair[1] == pair[0] + 2));

    // There is room again.
    rig.hook("Notification").run().assert_silent("room");
    let names: Vec<_> =
        fs::read_dir(rig.home().join("spool")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["queue"]);
    assert!(fs::read(rig.queue()).unwrap().starts_with(&MAGIC));
}

#[test]
fn what_is_kept_is_what_would_have_been_sent() {
    let rig = Rig::new();
    let hook =
        || rig.hook("Stop").env("HEADSUP_AGENT_ID", "seat").env("HEADSUP_AGENT_TOKEN", "secret");
    let report = rig.until_kept("kept", hook);
    assert_eq!((report.kind.as_str(), report.event.as_deref()), (KIND, Some("Stop")));
    assert_eq!(report.agent.as_deref(), Some("seat"));
    assert_eq!(report.agent_token.as_deref(), Some("secret"));
    assert!(report.context.unwrap().contains("\"parents\":[{\"pid\":"));
    assert!(report.reported_at.0 > 1_700_000_000_000);
    assert_eq!(report.body, STOP);
}
