//! Durations as people type them: `700ms`, `90s`, `10m`, `1h30m`, `2d`.

use std::time::Duration;

/// Why a text is no duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a duration is like 700ms, 90s, 10m, 1h30m or 2d")]
pub(crate) struct BadDuration;

const UNITS: [(&str, u64); 5] =
    [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// Reads numbers with their units, without spaces. A number alone says nothing and is refused, but for 0.
pub(crate) fn parse(text: &str) -> Result<Duration, BadDuration> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let mut rest = text;
    let mut total: u64 = 0;
    let mut last = u64::MAX;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = rest[..digits].parse().map_err(|_| BadDuration)?;
        rest = &rest[digits..];
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let unit = UNITS.iter().find(|(name, _)| *name == &rest[..letters]);
        let (_, unit) = unit.ok_or(BadDuration)?;
        // Larger units come first, each once: `5m1h` is a slip.
        if *unit >= last {
            return Err(BadDuration);
        }
        last = *unit;
        let part = number.checked_mul(*unit).ok_or(BadDuration)?;
        total = total.checked_add(part).ok_or(BadDuration)?;
        rest = &rest[letters..];
    }
    if last == u64::MAX { Err(BadDuration) } else { Ok(Duration::from_millis(total)) }
}

/// The same duration as text that [`parse`] reads.
pub(crate) fn text(duration: Duration) -> String {
    let mut left = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let mut text = String::new();
    for (name, unit) in UNITS.iter().rev() {
        let number = left / unit;
        left %= unit;
        if number > 0 {
            text.push_str(&number.to_string());
            text.push_str(name);
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_read_and_written() {
        let table = [
            ("700ms", 700),
            ("90s", 90_000),
            ("10m", 600_000),
            ("1h30m", 5_400_000),
            ("2d", 172_800_000),
            ("1m500ms", 60_500),
        ];
        for (written, ms) in table {
            assert_eq!(parse(written), Ok(Duration::from_millis(ms)), "{written}");
            assert_eq!(parse(&text(Duration::from_millis(ms))), parse(written));
        }
        assert_eq!(parse("0s"), Ok(Duration::ZERO));
        assert_eq!(parse("0"), Ok(Duration::ZERO), "zero of whatever unit");
        assert_eq!(text(Duration::from_secs(90)), "1m30s");
    }

    #[test]
    fn what_says_no_unit_or_too_much_is_refused() {
        for bad in
            ["", "5", "m", "5 m", "-5s", "1.5h", "5m1h", "5s5s", "5x", "é", "99999999999999999d"]
        {
            assert_eq!(parse(bad), Err(BadDuration), "{bad:?}");
        }
    }
}
