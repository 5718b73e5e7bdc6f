//! The form in which nearly all moments are written and read, without a calendar library's
//! generality: a seat holds dozens of them, and a hub ten thousand seats.

/// `2026-11-21T21:29:57.200Z`
pub(super) const LENGTH: usize = 24;

const SHAPE: &[u8; LENGTH] = b"0000-00-00T00:00:00.000Z";
const DAY_MS: i64 = 86_400_000;
/// The first moments of the years 0 and 10000.
const RANGE: std::ops::Range<i64> = -62_167_219_200_000..253_402_300_800_000;

/// Milliseconds since the Unix epoch. `None`: another form, or no moment at all.
pub(super) fn read(text: &[u8]) -> Option<i64> {
    let text: &[u8; LENGTH] = text.try_into().ok()?;
    let fits = |(byte, shape): (&u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => byte == shape,
    };
    if !text.iter().zip(SHAPE).all(fits) {
        return None;
    }
    let number = |from: usize, to: usize| {
        text[from..to].iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
    };
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let (hour, minute, second) = (number(11, 13), number(14, 16), number(17, 19));
    // A leap second is the library's business.
    if hour > 23 || minute > 59 || second > 59 || !(1..=12).contains(&month) {
        return None;
    }
    let days = days(year, month, day);
    if day < 1 || date(days) != (year, month, day) {
        return None;
    }
    Some(days * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1_000 + number(20, 23))
}

/// The text of a moment; `None` outside of the years that have four digits.
pub(super) fn write(ms: i64, buffer: &mut [u8; LENGTH]) -> Option<&str> {
    if !RANGE.contains(&ms) {
        return None;
    }
    let (year, month, day) = date(ms.div_euclid(DAY_MS));
    let ms = ms.rem_euclid(DAY_MS);
    let (second, ms) = (ms / 1_000, ms % 1_000);
    buffer.copy_from_slice(SHAPE);
    for (number, last, digits) in [
        (year, 3, 4),
        (month, 6, 2),
        (day, 9, 2),
        (second / 3_600, 12, 2),
        (second / 60 % 60, 15, 2),
        (second % 60, 18, 2),
        (ms, 22, 3),
    ] {
        let mut rest = number;
        for place in 0..digits {
            buffer[last - place] = b'0' + u8::try_from(rest % 10).ok()?;
            rest /= 10;
        }
    }
    str::from_utf8(buffer).ok()
}

/// Days since the Unix epoch of a date of the Gregorian calendar. Years are counted from March,
/// so that the leap day is the last of its year, in eras of 400 years.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let from_march = (month + 9) % 12;
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The other way.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn library(ms: i64) -> String {
        let stamp = jiff::Timestamp::from_millisecond(ms).unwrap();
        super::super::PRINTER.timestamp_to_string(&stamp)
    }

    #[test]
    fn what_is_no_moment_is_left_to_the_library() {
        for text in [
            "2026-02-29T00:00:00.000Z",
            "2026-04-31T00:00:00.000Z",
            "2026-00-01T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-01-00T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "2026-01-01T00:60:00.000Z",
            "2016-12-31T23:59:60.000Z",
            "2026-01-01 00:00:00.000Z",
            "2026-01-01T00:00:00.00Z",
            "",
        ] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
        assert_eq!(read(b"2024-02-29T00:00:00.000Z"), Some(1_709_164_800_000));
        assert_eq!(write(RANGE.end, &mut [0; LENGTH]), None);
        assert_eq!(write(RANGE.start - 1, &mut [0; LENGTH]), None);
    }

    proptest! {
        #[test]
        fn a_moment_is_what_the_library_says(ms in RANGE) {
            let mut buffer = [0; LENGTH];
            let text = write(ms, &mut buffer).unwrap();
            prop_assert_eq!(text, library(ms));
            prop_assert_eq!(read(text.as_bytes()), Some(ms));
        }
    }
}
