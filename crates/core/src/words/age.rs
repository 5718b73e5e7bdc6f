//! How long ago, in as few letters as people need.

use crate::time::UnixMs;

/// Milliseconds as `12s`, `4m`, `2h05`, `3d`. A moment in the future is `0s`.
pub fn short(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    if seconds < 60 {
        format!("{seconds}s")
    } else if minutes < 60 {
        format!("{minutes}m")
    } else if days < 1 {
        format!("{hours}h{:02}", minutes % 60)
    } else {
        format!("{days}d")
    }
}

/// How long before `now` something was.
pub fn since(moment: UnixMs, now: UnixMs) -> String {
    short(now.since(moment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_short() {
        let second = 1000;
        let hour = 3600 * second;
        let table = [
            (-5, "0s"),
            (999, "0s"),
            (12 * second, "12s"),
            (60 * second, "1m"),
            (2 * hour - 1, "1h59"),
            (2 * hour + 5 * 60 * second, "2h05"),
            (24 * hour, "1d"),
            (80 * hour, "3d"),
        ];
        for (ms, text) in table {
            assert_eq!(short(ms), text, "{ms}");
        }
    }
}
