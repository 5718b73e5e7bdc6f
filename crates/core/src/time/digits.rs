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
    let mut fits = [4, 7, 10, 13, 16, 19, 23].iter().all(|at| text[*at] == SHAPE[*at]);
    let mut number = |from: usize, to: usize| {
        text[from..to].iter().fold(0, |number, digit| {
            fits &= digit.is_ascii_digit();
            number * 10 + i64::from(digit & 15)
        })
    };
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let (hour, minute, second) = (number(11, 13), number(14, 16), number(17, 19));
    let ms = number(20, 23);
    // A leap second is the library's business.
    let is_time = hour < 24 && minute < 60 && second < 60;
    if !fits || !is_time || !(1..=month_days(year, month)).contains(&day) {
        return None;
    }
    Some(days(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1_000 + ms)
}

/// None in a month that there is not.
fn month_days(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// The text of a moment; `None` outside of the years that have four digits.
pub(super) fn write(ms: i64, buffer: &mut [u8; LENGTH]) -> Option<&str> {
    if !RANGE.contains(&ms) {
        return None;
    }
    let (year, month, day) = date(ms.div_euclid(DAY_MS))?;
    let ms = u32::try_from(ms.rem_euclid(DAY_MS)).ok()?;
    let (second, ms) = (ms / 1_000, ms % 1_000);
    let minute = second / 60;
    buffer.copy_from_slice(SHAPE);
    buffer[20] = digit(ms / 100);
    for (number, place) in [
        (year / 100, 0),
        (year % 100, 2),
        (month, 5),
        (day, 8),
        (minute / 60, 11),
        (minute % 60, 14),
        (second % 60, 17),
        (ms % 100, 21),
    ] {
        buffer[place] = digit(number / 10);
        buffer[place + 1] = digit(number % 10);
    }
    str::from_utf8(buffer).ok()
}

fn digit(number: u32) -> u8 {
    b'0' + u8::try_from(number % 10).unwrap_or_default()
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

/// The other way, for the years that have four digits.
fn date(days: i64) -> Option<(u32, u32, u32)> {
    // One era more, so that the year 0, which began in the one before, is no negative number.
    let days = u32::try_from(days + 719_468 + 146_097).ok()?;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = (era * 400 + year + u32::from(month <= 2)).checked_sub(400)?;
    Some((year, month, day))
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
