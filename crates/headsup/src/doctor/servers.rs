//! Servers of agents that the hub would follow, and that do not let it.

use super::Check;

const NAME: &str = "headsup_servers_locked{kind=\"";

pub(super) fn check(metrics: &str) -> Check {
    let locked: Vec<String> = metrics.lines().filter_map(locked).collect();
    if locked.is_empty() {
        return Check::good("servers", "none of them wants a password");
    }
    let detail = format!("a password is wanted, and none is read: {}", locked.join(", "));
    let hint = "what these agents do is told by their hooks or plugins; where none is installed, \
        `headsup hooks install` does it";
    Check::good("servers", detail).with(hint)
}

fn locked(line: &str) -> Option<String> {
    let (kind, count) = line.strip_prefix(NAME)?.split_once("\"} ")?;
    (count != "0").then(|| format!("{kind} ({count})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_wants_a_password_is_named() {
        let row = |kind: &str, count: u32| format!("{NAME}{kind}\"}} {count}\n");
        assert!(check("").hint.is_none() && check(&row("a", 0)).hint.is_none());
        let check = check(&(row("a", 0) + &row("b", 2)));
        assert!(check.ok && check.detail.ends_with("b (2)") && check.hint.is_some(), "{check:?}");
    }
}
