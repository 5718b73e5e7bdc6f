//! Memory ahead of who needs it.

use std::hint::black_box;
use std::mem::MaybeUninit;

/// What a report may need beyond what there is: a few pages of the database's and a few of its own.
const ROOM: usize = 32 << 10;
/// A piece of memory that the system gives at once.
const PAGE: usize = 4 << 10;

/// Has memory given to this thread's allocations that is in place already: the next ones find it. To be called before
/// each wait, also one that is over at once. A page that the system first has to find, to empty and to map takes up to
/// 30 µs behind a pause (measured), and every report that comes while a hub's caches fill up takes a new one.
pub(super) fn have_room() {
    let mut room = Vec::<u8>::new();
    // Where there is no more, whoever needs it says so.
    if room.try_reserve_exact(ROOM).is_ok() {
        room.spare_capacity_mut().iter_mut().step_by(PAGE).for_each(touch);
        black_box(&mut room);
    }
}

fn touch(byte: &mut MaybeUninit<u8>) {
    byte.write(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often this thread has had to be given a page (`minflt`, proc(5)).
    fn given() -> u64 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let behind_name = stat.rsplit_once(')').unwrap().1;
        behind_name.split_whitespace().nth(7).unwrap().parse().unwrap()
    }

    #[test]
    fn who_needs_memory_behind_it_is_given_what_is_in_place() {
        let mut held = Vec::new();
        let mut given_for_next = || {
            let before = given();
            held.push(black_box(vec![1_u8; ROOM - PAGE]));
            given() - before
        };
        // What lies ready is used up first; of what comes then a part may be in place.
        let without = (0..1_000).map(|_| given_for_next()).filter(|given| *given > 0).take(3).max();
        have_room();
        let with = given_for_next();
        assert!(without.is_some_and(|without| with < without), "{with} pages, {without:?} without");
    }
}
