//! A log in whose place another one is, without the turn that was open.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_log_that_is_replaced_by_one_without_its_last_turn_tells_that_this_was_taken_back() {
    let start = "{\"type\":\"session.start\",\"data\":{\"sessionId\":\"s1\"}}\n";
    let prompt = "{\"type\":\"user.message\",\"data\":{\"content\":\"x\"}}\n";
    let whole = [start, prompt].concat();
    for (left, times) in [(start, 1), (&*whole, 0)] {
        let folder = tempfile::tempdir().unwrap();
        let [log, other] = ["log.jsonl", "other"].map(|name| folder.path().join(name));
        fs::write(&log, &whole).unwrap();
        let lookout = Lookout::new(|| Err(Errno::MFILE), Arc::new(Metrics::new()));
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let (seats, with_logs) = unbounded_channel();
        tokio::spawn(watch(with_logs, lookout.watcher(), inbox, Arc::new(Metrics::new())));
        let mut seat = Seat::clone(&seat("api", Some(&log)));
        seat.kind = "copilot-cli".into();
        seats.send(Mention::Moved(Arc::new(seat))).unwrap();
        let told = async || {
            let mut told = 0;
            // Each thing is told once the one before it is taken.
            for _ in 0..3 {
                tokio::time::sleep(UNWATCHED * 3 / 2).await;
                for item in outbox.take(Duration::ZERO, 9).unwrap() {
                    let Work::Witnessed(Witnessed::Seat(sight)) = &item.work else { panic!() };
                    told += usize::from(sight.fact == Fact::MainInterrupted);
                }
            }
            told
        };
        assert_eq!(told().await, 0, "{left}");
        fs::write(&other, left).unwrap();
        fs::rename(&other, &log).unwrap();
        assert_eq!(told().await, times, "{left}");
    }
}
