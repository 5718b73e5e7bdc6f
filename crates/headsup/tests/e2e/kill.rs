//! The hub dies again and again under load: nothing acknowledged is lost, nothing doubled.

use crate::agent::{events, home};
use headsup_testkit::hub::Hub;
use headsup_testkit::reporter::{REPORTERS, lost_and_doubled, report};
use headsup_testkit::wait;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The long form is `measure kill --rounds 500 --events 1000000`.
const CYCLES: usize = 6;

#[test]
fn kill_nine_under_four_reporters_loses_and_doubles_nothing() {
    let home = home();
    let mut hub = Some(Hub::start(&home));
    let (stop, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let ledgers: Vec<_> = std::thread::scope(|scope| {
        let reporters: Vec<_> = (0..REPORTERS)
            .map(|name| {
                let (home, stop, done) = (&home, &stop, &done);
                scope.spawn(move || report(home, name, stop, done))
            })
            .collect();
        for _ in 0..CYCLES {
            let before = done.load(Ordering::Relaxed);
            wait::until("some reports", || {
                (done.load(Ordering::Relaxed) > before + 40).then_some(())
            });
            if let Some(hub) = hub.take() {
                hub.kill();
            }
            hub = Some(Hub::start(&home));
        }
        stop.store(true, Ordering::Relaxed);
        reporters.into_iter().map(|reporter| reporter.join().expect("a reporter")).collect()
    });
    let events = events(&home);
    for (name, ledger) in ledgers.iter().enumerate() {
        assert_eq!(lost_and_doubled(name, ledger, &events), (0, 0), "reporter {name}");
        assert!(ledger.acknowledged.len() > CYCLES && ledger.tried >= ledger.acknowledged.len());
    }
    drop(hub);
}
