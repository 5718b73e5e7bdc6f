//! What has befallen a container, and what its end means for who was in it.

use crate::engine::Event;
use headsup_core::status::{Exit, ExitKind};

const HUP: i32 = 1;
const INT: i32 = 2;
const KILL: i32 = 9;
const TERM: i32 = 15;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    Nothing,
    Paused(bool),
    Ended,
    /// It was removed, and nothing says how it ended.
    Gone,
}

#[derive(Debug, Default)]
pub(super) struct Course {
    /// Somebody wanted it to end: TERM, INT or HUP, or a stop.
    was_asked: bool,
    was_starved: bool,
    /// The last signal that an engine was told to send.
    signal: Option<i32>,
    has_ended: bool,
    code: Option<i32>,
}

impl Course {
    /// Words of Docker's API; Podman says `remove` for its `destroy`.
    pub(super) fn hear(&mut self, event: &Event) -> News {
        match &*event.action {
            "start" => *self = Self::default(),
            "oom" => self.was_starved = true,
            "kill" => {
                self.signal = event.number("signal");
                self.was_asked |= matches!(self.signal, Some(HUP | INT | TERM));
            }
            "stop" => self.was_asked = true,
            "pause" => return News::Paused(true),
            "unpause" => return News::Paused(false),
            "die" => {
                self.ends(event.number("exitCode"));
                return News::Ended;
            }
            "destroy" | "remove" if !self.has_ended => return News::Gone,
            _ => {}
        }
        News::Nothing
    }

    pub(super) fn ends(&mut self, code: Option<i32>) {
        self.has_ended = true;
        self.code = code;
    }

    pub(super) fn starves(&mut self, starved: bool) {
        self.was_starved |= starved;
    }

    /// Was it killed, and not by a word that we have heard? An engine that stops a container kills
    /// it at last, and may say so only then.
    pub(super) fn may_be_stopped(&self) -> bool {
        let killed = Exit::from_wait(self.code, None, false).was_killed();
        killed && !self.was_asked && !self.was_starved && self.signal.is_none()
    }

    /// `has_joined`: of one that was put into it while it ran; the code is that of another.
    pub(super) fn exit(&self, has_joined: bool) -> Exit {
        let exit = Exit::from_wait(self.code, None, false);
        let kind = match exit.kind {
            _ if exit.was_killed() && self.was_starved => ExitKind::OomKilled,
            _ if self.was_asked && (has_joined || exit.kind == ExitKind::Crashed) => {
                ExitKind::Killed
            }
            _ if has_joined => ExitKind::Crashed,
            kind => kind,
        };
        let signal = self.signal.filter(|signal| *signal == KILL && kind == ExitKind::Crashed);
        let signal = signal.filter(|_| exit.was_killed());
        match has_joined {
            true => Exit { signal, ..Exit::of(kind) },
            false => Exit { kind, signal, ..exit },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(action: &str, attributes: &[(&str, &str)]) -> Event {
        let attributes: serde_json::Map<_, _> =
            attributes.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let actor = json!({"ID": "0a1b", "Attributes": attributes});
        serde_json::from_value(json!({"Type": "container", "Action": action, "Actor": actor}))
            .unwrap()
    }

    /// `(action, attribute)` in order; the last is the end.
    type Told<'a> = &'a [(&'a str, &'a str)];

    fn end(told: Told<'_>) -> (Course, Exit) {
        let mut course = Course::default();
        for (action, value) in told {
            let name = if *action == "kill" { "signal" } else { "exitCode" };
            course.hear(&event(action, &[(name, value)]));
        }
        let exit = course.exit(false);
        (course, exit)
    }

    #[test]
    fn how_a_container_ended_says_how_its_agent_did() {
        let cases: [(Told<'_>, ExitKind, Option<i32>); 10] = [
            (&[("die", "0")], ExitKind::Clean, None),
            (&[("die", "3")], ExitKind::Crashed, None),
            (&[("oom", ""), ("die", "137")], ExitKind::OomKilled, None),
            // Somebody in it was killed for want of memory; it went on and left.
            (&[("oom", ""), ("die", "0")], ExitKind::Clean, None),
            // A stop: TERM, and ten seconds later KILL.
            (&[("kill", "15"), ("die", "143")], ExitKind::Killed, None),
            (&[("kill", "15"), ("kill", "9"), ("die", "137")], ExitKind::Killed, None),
            (&[("kill", "15"), ("die", "1")], ExitKind::Killed, None),
            (&[("kill", "9"), ("die", "137")], ExitKind::Crashed, Some(9)),
            (&[("die", "137")], ExitKind::Crashed, None),
            // What was before its start is another's.
            (&[("kill", "15"), ("start", ""), ("die", "2")], ExitKind::Crashed, None),
        ];
        for (told, kind, signal) in cases {
            let (_, exit) = end(told);
            assert_eq!((exit.kind, exit.signal), (kind, signal), "{told:?}");
            assert_eq!(
                exit.code.map(|code| code.to_string()).as_deref(),
                told.last().map(|last| last.1)
            );
        }
    }

    #[test]
    fn the_containers_code_is_not_that_of_one_that_was_put_into_it() {
        let of = |told: &[(&str, &str)]| end(told).0.exit(true);
        assert_eq!(of(&[("die", "0")]), Exit::of(ExitKind::Crashed));
        assert_eq!(of(&[("kill", "15"), ("die", "0")]), Exit::of(ExitKind::Killed));
        let killed = Exit { signal: Some(9), ..Exit::of(ExitKind::Crashed) };
        assert_eq!(of(&[("kill", "9"), ("die", "137")]), killed);
    }

    #[test]
    fn only_a_kill_that_nobody_has_explained_waits_for_a_stop() {
        assert!(end(&[("die", "137")]).0.may_be_stopped());
        for told in [
            [("kill", "9"), ("die", "137")],
            [("oom", ""), ("die", "137")],
            [("pause", ""), ("die", "1")],
        ] {
            assert!(!end(&told).0.may_be_stopped(), "{told:?}");
        }
        let (mut course, _) = end(&[("die", "137")]);
        course.hear(&event("stop", &[]));
        assert_eq!(course.exit(false).kind, ExitKind::Killed);
    }

    #[test]
    fn a_removal_is_news_only_where_the_end_was_not_told() {
        let mut course = Course::default();
        assert_eq!(course.hear(&event("exec_die", &[("exitCode", "1")])), News::Nothing);
        assert_eq!(course.hear(&event("pause", &[])), News::Paused(true));
        assert_eq!(course.hear(&event("remove", &[])), News::Gone);
        assert_eq!(course.hear(&event("die", &[("exitCode", "0")])), News::Ended);
        assert_eq!(course.hear(&event("destroy", &[])), News::Nothing);
    }
}
