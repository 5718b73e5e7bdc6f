//! What Claude Code says to its terminal.
//!
//! Its status reports (OSC 7501) are sent once the terminal has answered its query (measured). They
//! are right but for these:
//!
//! | said | so |
//! |---|---|
//! | working, `1 shell still running` | idle, with background shells: the turn has ended (measured) |
//! | blocked on auth, `Invalid API key …` | failed: the turn has ended by a 401 (measured) |
//! | blocked on permission, `trust this folder` | the trust dialog (measured) |
//! | blocked on a question, `MCP input: …` | an elicitation (measured) |
//!
//! Its title is `✳ …` both idle and blocked; while it works it begins with `◐` or `◑`, but never in
//! tmux (measured).

use crate::terminal::blocked;
use headsup_core::observation::Level;
use headsup_core::status::BlockedReason;
use termstate::{Kind, Report, State};

/// As its hook calls a 401.
const REFUSED_KEY: &str = "authentication_failed";

pub(crate) fn level(report: &Report<'_>, message: &str) -> Option<Level> {
    match (report.state, report.kind) {
        (State::Working, _) => Some(Level::Idle { shells: shells(message)? }),
        (State::Blocked, Some(Kind::Auth)) if message.starts_with("Invalid API key") => {
            Some(Level::Failed { code: REFUSED_KEY.to_owned() })
        }
        (State::Blocked, Some(Kind::Permission)) if message == "trust this folder" => {
            Some(blocked(BlockedReason::Trust, message))
        }
        (State::Blocked, Some(Kind::Question)) if message.starts_with("MCP input:") => {
            Some(blocked(BlockedReason::Elicitation, message))
        }
        _ => None,
    }
}

/// `2 shells still running`.
fn shells(message: &str) -> Option<u32> {
    let (count, what) = message.split_once(' ')?;
    let is_so = matches!(what, "shell still running" | "shells still running");
    is_so.then(|| count.parse().ok()).flatten().filter(|count| *count > 0)
}

pub(crate) fn title(title: &str) -> Option<Level> {
    title.starts_with(['\u{25d0}', '\u{25d1}']).then_some(Level::Working { reason: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::KIND;
    use crate::terminal;
    use headsup_core::observation::Fact;

    #[test]
    fn what_it_says_wrongly_is_put_right() {
        let level = |body: &str| match terminal::program_status(KIND, body).fact {
            Fact::Level(level) => level,
            other => panic!("{body}: {other:?}"),
        };
        let shell = "state=working:app=claude-code:msg=MSBzaGVsbCBzdGlsbCBydW5uaW5n";
        assert_eq!(level(shell), Level::Idle { shells: 1 });
        let key = "state=blocked:app=claude-code:kind=auth:\
            msg=SW52YWxpZCBBUEkga2V5IMK3IEZpeCBleHRlcm5hbCBBUEkga2V5";
        assert_eq!(level(key), Level::Failed { code: REFUSED_KEY.to_owned() });
        for (body, expected) in [
            ("kind=permission:msg=dHJ1c3QgdGhpcyBmb2xkZXI=", BlockedReason::Trust),
            ("kind=question:msg=TUNQIGlucHV0OiBkZW1v", BlockedReason::Elicitation),
            ("kind=permission:msg=Z28=", BlockedReason::Permission),
        ] {
            let said = level(&format!("state=blocked:app=claude-code:{body}"));
            assert!(
                matches!(&said, Level::Blocked { reason, .. } if *reason == expected),
                "{said:?}"
            );
        }
        let working = "state=working:app=claude-code:msg=QmFja2dyb3VuZCBqb2I=";
        assert_eq!(level(working), Level::Working { reason: None });
    }

    #[test]
    fn its_title_tells_only_that_it_works() {
        let working = Some(Level::Working { reason: None });
        assert_eq!(title("\u{25d0} Fix the tests"), working);
        for nothing in ["\u{2733} Claude Code", "Claude Code", "", "a \u{25d0}"] {
            assert_eq!(title(nothing), None, "{nothing}");
        }
    }
}
