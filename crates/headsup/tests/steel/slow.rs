//! Clients that do not read: reporters do not notice, and everyone can catch up.

use crate::rig::Rig;
use headsup_testkit::http::Line;
use headsup_testkit::subscribers::{Crowd, Heard};

#[test]
fn whoever_does_not_read_holds_up_nobody_and_can_catch_up() {
    let rig = Rig::new();
    let _hub = rig.hub();
    let client = rig.client();
    let crowd = Crowd::gather(&client.0, 10, 10).unwrap();
    let mut line = Line::open(&client.0).unwrap();
    for n in 0..2_000 {
        let body = format!("{{\"turn\":\"blocked\",\"detail\":\"{n}{}\"}}", "x".repeat(600));
        let report = if n % 2 == 0 { body } else { "{\"turn\":\"working\"}".to_owned() };
        let (status, _) = line.post("/api/v1/agents/a/reports", report.as_bytes()).unwrap();
        assert_eq!(status, 202);
    }
    let head = client.head();
    for Heard { reads, cursors, lagged } in crowd.catch_up(head).unwrap() {
        assert!(cursors.iter().copied().eq(1..=head), "a gap or a repeat; reads: {reads}");
        assert!(!reads || !lagged, "who reads hears all of it");
    }
}
