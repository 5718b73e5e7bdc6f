//! What has befallen a container, and what its end means for who was in it.

use crate::engine::Event;
use headsup_core::status::{Exit, ExitKind};

const HUP: i32 = 1;
const INT: i32 = 2;
const KILL: i32 = 9;
const TERM: i32 = 15;

/// How long after a kill for want of memory a container may end of it. Milliseconds.
const TOGETHER_MS: u64 = 3_000;
/// How long after it was asked to end a container may do so for that reason: most that outlive it for longer were never
/// meant to end of it (HUP has many a program read its settings anew). Milliseconds.
const ASKED_MS: u64 = 30_000;

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
    /// When that was last, where it was told.
    asked_at_ms: Option<i64>,
    /// Somebody in it was killed for want of memory, which the engine goes on saying of it.
    was_starved: bool,
    /// When that was last, where it was heard.
    starved_at_ms: Option<i64>,
    ended_at_ms: Option<i64>,
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
            "oom" => {
                self.was_starved = true;
                self.starved_at_ms = event.at_ms();
            }
            "kill" => {
                self.signal = event.number("signal");
                match self.signal {
                    Some(HUP | INT | TERM) => self.is_asked(event),
                    // A stop has lost its patience.
                    Some(KILL) if self.was_asked => self.is_asked(event),
                    _ => {}
                }
            }
            "stop" => self.is_asked(event),
            "pause" => return News::Paused(true),
            "unpause" => return News::Paused(false),
            "die" => {
                self.ended_at_ms = event.at_ms();
                self.ends(event.number("exitCode"));
                return News::Ended;
            }
            "destroy" | "remove" if !self.has_ended => return News::Gone,
            _ => {}
        }
        News::Nothing
    }

    fn is_asked(&mut self, event: &Event) {
        self.was_asked = true;
        self.asked_at_ms = event.at_ms();
    }

    pub(super) fn ends(&mut self, code: Option<i32>) {
        self.has_ended = true;
        self.code = code;
    }

    pub(super) fn starves(&mut self, starved: bool) {
        self.was_starved |= starved;
    }

    /// Was it killed, and not by a word that we have heard? An engine that stops a container kills
    /// it at last, and may say so only then. Whoever was asked long ago may have been stopped with much patience.
    pub(super) fn may_be_stopped(&self) -> bool {
        let exit = Exit::from_wait(self.code, None, false);
        let is_unheard = exit.was_killed() && self.signal.is_none();
        (is_unheard || self.was_asked) && !self.is_wanted() && !self.has_starved()
    }

    /// Has it ended because it was asked to? Of a signal that it has survived, a while ago, it has not.
    fn is_wanted(&self) -> bool {
        let apart = self.asked_at_ms.zip(self.ended_at_ms);
        let is_apart = apart.is_some_and(|(asked, end)| end.abs_diff(asked) > ASKED_MS);
        self.was_asked && !is_apart
    }

    /// Has it ended with that kill? Of a helper's, a while ago, it has not.
    fn has_starved(&self) -> bool {
        let apart = self.starved_at_ms.zip(self.ended_at_ms);
        let is_apart = apart.is_some_and(|(kill, end)| end.abs_diff(kill) >= TOGETHER_MS);
        self.was_starved && !is_apart
    }

    /// `has_joined`: of one that was put into it while it ran; the code is that of another.
    pub(super) fn exit(&self, has_joined: bool) -> Exit {
        let exit = Exit::from_wait(self.code, None, false);
        let is_explained = self.is_wanted() || self.signal == Some(KILL);
        let kind = match exit.kind {
            _ if exit.was_killed() && self.has_starved() && !is_explained => ExitKind::OomKilled,
            _ if self.is_wanted() && (has_joined || exit.kind == ExitKind::Crashed) => {
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

    /// With when each is told. Milliseconds.
    type Timed<'a> = &'a [(&'a str, &'a str, i64)];

    fn course(told: Timed<'_>) -> Course {
        let mut course = Course::default();
        for (action, value, at_ms) in told {
            let name = if *action == "kill" { "signal" } else { "exitCode" };
            let attributes = json!({ name: value });
            let event = json!({
                "Action": action, "Actor": {"ID": "0a1b", "Attributes": attributes},
                "timeNano": at_ms * 1_000_000,
            });
            course.hear(&serde_json::from_value(event).unwrap());
        }
        course
    }

    #[test]
    fn a_signal_that_was_survived_explains_no_end_long_after_it() {
        const HOUR: i64 = 3_600_000;
        let cases: [(Timed<'_>, ExitKind); 8] = [
            (&[("kill", "1", 0), ("die", "1", HOUR)], ExitKind::Crashed),
            (&[("kill", "1", 0), ("die", "137", HOUR)], ExitKind::Crashed),
            (&[("kill", "1", 0), ("oom", "", HOUR), ("die", "137", HOUR + 9)], ExitKind::OomKilled),
            (&[("kill", "15", 0), ("die", "1", 20_000)], ExitKind::Killed),
            // A stop with much patience: it was killed, or went before that.
            (
                &[("kill", "15", 0), ("kill", "9", 600_000), ("die", "137", 600_100)],
                ExitKind::Killed,
            ),
            (
                &[("kill", "15", 0), ("die", "143", 400_000), ("stop", "", 400_010)],
                ExitKind::Killed,
            ),
            (&[("kill", "1", 0), ("kill", "15", HOUR), ("die", "1", HOUR + 9)], ExitKind::Killed),
            (&[("kill", "1", 0), ("die", "0", HOUR)], ExitKind::Clean),
        ];
        for (told, kind) in cases {
            assert_eq!(course(told).exit(false).kind, kind, "{told:?}");
        }
        let joined = course(&[("kill", "1", 0), ("die", "0", HOUR)]).exit(true);
        assert_eq!(joined.kind, ExitKind::Crashed);
        // The engine may be about to say that it was a stop.
        assert!(course(&[("kill", "15", 0), ("die", "143", 400_000)]).may_be_stopped());
        assert!(!course(&[("kill", "15", 0), ("die", "143", 9_000)]).may_be_stopped());
    }

    #[test]
    fn a_kill_for_want_of_memory_counts_only_for_an_end_that_comes_with_it() {
        let cases: [(Timed<'_>, ExitKind, Option<i32>); 6] = [
            (&[("oom", "", 0), ("die", "137", 900)], ExitKind::OomKilled, None),
            (
                &[("oom", "", 0), ("oom", "", 9_000), ("die", "137", 9_100)],
                ExitKind::OomKilled,
                None,
            ),
            // A tool of its own.
            (&[("oom", "", 0), ("die", "137", 8_000)], ExitKind::Crashed, None),
            (
                &[("oom", "", 0), ("kill", "9", 8_000), ("die", "137", 8_100)],
                ExitKind::Crashed,
                Some(9),
            ),
            (
                &[
                    ("oom", "", 0),
                    ("kill", "15", 8_000),
                    ("kill", "9", 9_000),
                    ("die", "137", 9_100),
                ],
                ExitKind::Killed,
                None,
            ),
            (&[("oom", "", 0), ("kill", "15", 200), ("die", "137", 900)], ExitKind::Killed, None),
        ];
        for (told, kind, signal) in cases {
            let mut course = course(told);
            // The engine says it of every end behind it.
            course.starves(true);
            let exit = course.exit(false);
            assert_eq!((exit.kind, exit.signal), (kind, signal), "{told:?}");
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
