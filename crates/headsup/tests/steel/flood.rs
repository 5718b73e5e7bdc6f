//! More than anybody sends: nonsense, and agents without end.

use crate::rig::Rig;
use headsup_testkit::flood::{self, Flood};

#[test]
fn a_flood_of_nonsense_changes_nothing_and_is_counted() {
    let rig = Rig::new();
    let _hub = rig.hub();
    let client = rig.client();
    client.report("a", "working");
    let head = client.head();
    let flood = Flood { connections: 8, each: 400 };
    let answers = flood::nonsense(&client.0, flood).unwrap();
    assert_eq!(answers.values().sum::<usize>(), 3_200);
    assert!(answers.keys().all(|status| (200..500).contains(status)), "{answers:?}");
    assert_eq!((client.head(), client.roster()), (head, vec!["a".to_owned()]));
    let counted = client.metric("headsup_reports_total{result=\"not_understood\"}");
    let refused: usize = answers.iter().filter(|(s, _)| **s >= 400).map(|(_, n)| n).sum();
    assert_eq!(counted + refused as u64, 3_200);
    assert_eq!(client.metric("headsup_panics_total{place=\"adapter\"}"), 0);
}

#[test]
fn agents_without_end_are_all_there() {
    let rig = Rig::new();
    let _hub = rig.hub();
    let client = rig.client();
    let answers = flood::agents(&client.0, Flood { connections: 8, each: 125 }).unwrap();
    assert_eq!(answers, [(202, 1_000)].into());
    assert_eq!(client.roster().len(), 1_000);
}
