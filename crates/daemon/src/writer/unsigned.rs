//! Web hooks without a right signature: anybody may send them, so only so many an hour are kept one by one. Of
//! the others it is kept how many came in each minute, and why. So each is accounted for, and none fills the disk.

use headsup_core::time::UnixMs;

const HOUR_MS: i64 = 3_600_000;

#[derive(Clone, Copy, Debug)]
pub(super) struct Unsigned {
    most: u32,
    /// When the hour began, and how many were kept in it.
    since: UnixMs,
    kept: u32,
}

impl Unsigned {
    pub(super) fn new(most: u32) -> Self {
        Self { most, since: UnixMs(0), kept: 0 }
    }

    /// Whether one that has come now is kept for itself.
    pub(super) fn is_kept(&mut self, now: UnixMs) -> bool {
        if !(0..HOUR_MS).contains(&now.since(self.since)) {
            (self.since, self.kept) = (now, 0);
        }
        let fits = self.kept < self.most;
        self.kept += u32::from(fits);
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_an_hour_are_kept_whatever_the_clock_does() {
        let mut unsigned = Unsigned::new(2);
        let mut kept = |ms| unsigned.is_kept(UnixMs(9 * HOUR_MS + ms));
        assert_eq!([kept(5), kept(6), kept(7)], [true, true, false]);
        assert_eq!([kept(5 + HOUR_MS - 1), kept(5 + HOUR_MS)], [false, true]);
        assert_eq!([kept(1), kept(2), kept(3)], [true, true, false], "it was set back");
    }
}
