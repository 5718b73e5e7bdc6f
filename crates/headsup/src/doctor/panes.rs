//! Whose status reports are heard through a pipe of a tmux pane.

use super::Check;
use crate::config::Config;
use headsup_daemon::{PaneReports, ScreenRules};

/// Nothing where nobody is heard and nobody has asked for it.
pub(super) fn check(metrics: &str, config: &Config) -> Option<Check> {
    let heard = metrics.lines().find_map(|line| line.strip_prefix("headsup_pane_pipes "));
    let heard = heard.unwrap_or("0");
    let (agents, their) = if heard == "1" { ("agent is", "its") } else { ("agents are", "their") };
    let is_blind = config.screen_rules() == ScreenRules::Never;
    let detail = match config.pane_reports() {
        PaneReports::Always if is_blind => {
            let detail = "`pane_reports = true` does nothing where `screen_rules = false`";
            let hint = "take one of the two out of the settings, and restart the hub";
            return Some(Check::bad("panes", detail, hint));
        }
        PaneReports::Never => "no pane gets a pipe: `pane_reports = false`".to_owned(),
        PaneReports::AloneHeard if heard == "0" => return None,
        PaneReports::AloneHeard | PaneReports::Always => {
            format!("{heard} {agents} heard through a pipe of {their} tmux pane")
        }
    };
    Some(Check::good("panes", detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_heard_is_said_where_somebody_is_or_somebody_wants_it() {
        let said = |heard: &str, text: &str| {
            let config = Config::parse(text, "/c.toml").unwrap();
            check(&format!("headsup_pane_pipes {heard}\n"), &config)
        };
        assert!(said("0", "").is_none());
        let one = said("1", "").unwrap();
        assert!(one.ok && one.detail.starts_with("1 agent is heard"), "{one:?}");
        assert!(said("0", "pane_reports = true").unwrap().detail.starts_with("0 agents are"));
        assert!(said("0", "pane_reports = false").unwrap().detail.contains("no pane"));
        let both = said("0", "pane_reports = true\nscreen_rules = false").unwrap();
        assert!(!both.ok && both.hint.is_some(), "{both:?}");
    }
}
