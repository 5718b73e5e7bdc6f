//! Many answer one question in the same moment: one wins, and everybody hears who.

use crate::agent::home;
use headsup_testkit::races::{RACERS, Track};

/// The long form is `measure races`.
const RACES: usize = 6;

#[test]
fn of_64_who_answer_over_four_channels_one_wins_and_all_are_told_who() {
    let home = home();
    let track = Track::open(&home).unwrap();
    for race in 0..RACES {
        let finish = track.race(race, RACERS).unwrap();
        assert_eq!(finish.took.len(), RACERS);
    }
    assert_eq!(track.ends().unwrap(), (RACES, RACES), "each question ended once");
}
