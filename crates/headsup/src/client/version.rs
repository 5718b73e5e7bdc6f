//! Is the hub of an older version than this command?

/// True where `hub` is surely older than `ours`: both are three numbers.
pub(crate) fn is_older(hub: &str, ours: &str) -> bool {
    numbers(hub).zip(numbers(ours)).is_some_and(|(hub, ours)| hub < ours)
}

/// What follows a `-` or a `+` is of the same release.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let release = version.split(['-', '+']).next()?;
    let numbers: Result<Vec<u64>, _> = release.split('.').map(str::parse).collect();
    numbers.ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_version_that_is_surely_older_is_older() {
        for (hub, ours) in [("0.1.0", "0.1.1"), ("0.9.9", "0.10.0"), ("1.2.3-rc.1", "2.0.0")] {
            assert!(is_older(hub, ours), "{hub} {ours}");
            assert!(!is_older(ours, hub), "{ours} {hub}");
        }
        for same in ["0.1.0", "", "0", "nightly", "1.2.3.4"] {
            assert!(!is_older(same, "0.1.0"), "{same}");
        }
    }
}
