//! Does the system tell the hub of changes of files, or must it look for them?

use super::Check;

/// What the hub may be short of, and a good limit: it is called `fs.inotify.max_user_` and this.
const SHORT: [(&str, u32); 2] = [("instances", 1_024), ("watches", 524_288)];

pub(super) fn check(metrics: &str) -> Check {
    let is_short = |(what, _): &&(&str, u32)| {
        let row = format!("headsup_inotify_short{{what=\"{what}\"}} 1");
        metrics.lines().any(|line| line == row)
    };
    match SHORT.iter().find(is_short) {
        None => Check::good("files", "the system tells of their changes"),
        Some((what, limit)) => {
            let detail = format!(
                "the system has no inotify {what} left: changes are seen within a second, not at once"
            );
            let hint = format!(
                "raise the limit, as by `sudo sysctl fs.inotify.max_user_{what}={limit}`; the hub \
                 asks again by itself"
            );
            Check::bad("files", detail, hint)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_is_named_with_its_limit() {
        let row = |what: &str, value| format!("headsup_inotify_short{{what=\"{what}\"}} {value}\n");
        let none = row("instances", 0) + &row("watches", 0);
        assert!(check(&none).ok && check("").ok);
        for (what, _) in SHORT {
            let short = check(&row(what, 1));
            assert!(!short.ok && short.detail.contains(what), "{short:?}");
            assert!(short.hint.unwrap().contains(&format!("fs.inotify.max_user_{what}")));
        }
    }
}
