//! What our terminal answers when it is asked whether it understands reports, among what is typed.
//!
//! Only that answer is taken out, once, and only for a moment after the question. It is known by
//! its beginning, `ESC ] 7501 ; ?`, which no key sends. Nothing that is typed waits: a lone `ESC`, as
//! of the key, goes on at once. What is still missing when the agent has ended is `overdue.rs`'s.

use std::time::{Duration, Instant};
use termstate::{Message, parse_body};

const BEGINS: &[u8] = b"\x1b]7501;?";
/// How long an answer may take; later ones belong to the agent.
const WITHIN: Duration = Duration::from_secs(2);
/// How long after the question an agent's end is held back for the answer. Most terminals never
/// answer: then a run that is shorter takes so long, which can just be seen, and no other one waits.
const HOLDS_THE_END: Duration = Duration::from_millis(300);
/// How long the rest of an answer is waited for: on a slow line its pieces come apart.
const REST_WITHIN: Duration = Duration::from_millis(400);
const LONGEST: usize = 1_024;

#[derive(Debug)]
pub(super) struct Reply {
    until: Option<Instant>,
    begun: Vec<u8>,
    rest_until: Instant,
}

impl Reply {
    /// To a question that is asked now.
    pub(super) fn asked(now: Instant) -> Self {
        Self { until: Some(now + WITHIN), begun: Vec::new(), rest_until: now }
    }

    /// Where nothing is asked.
    pub(super) fn none(now: Instant) -> Self {
        Self { until: None, begun: Vec::new(), rest_until: now }
    }

    /// Appends what was typed to `out`. Whether the terminal has said that it understands.
    pub(super) fn take(&mut self, input: &[u8], out: &mut Vec<u8>, now: Instant) -> bool {
        if self.begun.is_empty() && self.until.is_none_or(|until| now > until) {
            out.extend_from_slice(input);
            return false;
        }
        let had = self.begun.len();
        self.begun.extend_from_slice(input);
        let text = std::mem::take(&mut self.begun);
        let Some(at) = text.windows(BEGINS.len()).position(|window| window == BEGINS) else {
            out.extend_from_slice(&text);
            return false;
        };
        out.extend_from_slice(&text[..at]);
        let text = &text[at..];
        if let Some((end, rest)) = end(text) {
            self.until = None;
            out.extend_from_slice(&text[rest..]);
            let body = text.get(BEGINS.len() - 1..end).unwrap_or_default();
            return matches!(parse_body(body), Ok(Message::Feature(_)));
        }
        if text.len() > LONGEST {
            self.until = None;
            out.extend_from_slice(text);
            return false;
        }
        // However many pieces it comes in, it takes no longer than an answer may.
        let latest = self.until.filter(|_| had > 0).map(|until| until.max(self.rest_until));
        let rest = now + REST_WITHIN;
        self.rest_until = latest.map_or(rest, |latest| rest.min(latest));
        self.begun = text.to_vec();
        false
    }

    /// Until when the rest of an answer is waited for.
    pub(super) fn waits_until(&self) -> Option<Instant> {
        self.has_begun().then_some(self.rest_until)
    }

    /// At the end: until when the answer is waited for; what lies there by then counts. `None`: none
    /// comes any more.
    pub(super) fn overdue_until(&self, now: Instant) -> Option<Instant> {
        let until = self.until.filter(|until| now <= *until || self.has_begun())?;
        let until = until.checked_sub(WITHIN.saturating_sub(HOLDS_THE_END))?;
        Some(self.waits_until().map_or(until, |rest| rest.max(until)))
    }

    pub(super) fn has_begun(&self) -> bool {
        !self.begun.is_empty()
    }

    /// At the end, where all else is somebody else's: whether the next byte is the answer's, and more
    /// of it is to come.
    pub(super) fn goes_on_with(&mut self, byte: u8, now: Instant) -> bool {
        if self.begun.is_empty() {
            self.rest_until = now + REST_WITHIN;
        }
        self.begun.push(byte);
        let length = self.begun.len().min(BEGINS.len());
        let is_it = self.begun[..length] == BEGINS[..length];
        let goes_on = is_it && self.begun.len() <= LONGEST && end(&self.begun).is_none();
        if !goes_on {
            self.until = None;
            self.begun.clear();
        }
        goes_on
    }

    /// It did not come: what has come goes on.
    pub(super) fn give_up(&mut self, out: &mut Vec<u8>) {
        self.until = None;
        out.append(&mut self.begun);
    }
}

/// Where the body ends, and where what follows begins.
fn end(text: &[u8]) -> Option<(usize, usize)> {
    let at = text.iter().skip(1).position(|byte| *byte == 0x07 || *byte == 0x1b)? + 1;
    match text.get(at..)? {
        [0x07, ..] => Some((at, at + 1)),
        [0x1b, b'\\', ..] => Some((at, at + 2)),
        // Broken off: what follows is something else.
        [0x1b, _, ..] => Some((at, at)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &[u8] = b"\x1b]7501;?:states=idle,done:kinds=auth\x1b\\";

    fn typed(pieces: &[&[u8]]) -> (Vec<u8>, bool) {
        let now = Instant::now();
        let (mut reply, mut out, mut understood) = (Reply::asked(now), Vec::new(), false);
        for piece in pieces {
            understood |= reply.take(piece, &mut out, now);
        }
        reply.give_up(&mut out);
        (out, understood)
    }

    #[test]
    fn the_answer_is_taken_out_of_what_is_typed() {
        let among = [b"ab\x1b[A", ANSWER, b"\x1bc"].concat();
        assert_eq!(typed(&[&among]), (b"ab\x1b[A\x1bc".to_vec(), true));
        for cut in BEGINS.len()..ANSWER.len() {
            let (first, second) = ANSWER.split_at(cut);
            assert_eq!(typed(&[b"x", first, second, b"y"]), (b"xy".to_vec(), true), "{cut}");
        }
        assert_eq!(typed(&[b"\x1b]7501;?\x07z"]), (b"z".to_vec(), true));
    }

    #[test]
    fn only_once_and_only_for_a_moment() {
        assert_eq!(typed(&[ANSWER, ANSWER]), (ANSWER.to_vec(), true));
        let now = Instant::now();
        let (mut reply, mut out) = (Reply::asked(now), Vec::new());
        assert!(!reply.take(ANSWER, &mut out, now + WITHIN + Duration::from_millis(1)));
        assert_eq!(out, ANSWER);
    }

    #[test]
    fn where_nothing_is_asked_nothing_is_an_answer() {
        let now = Instant::now();
        let (mut reply, mut out) = (Reply::none(now), Vec::new());
        assert!(!reply.take(ANSWER, &mut out, now));
        assert_eq!(out, ANSWER);
        assert_eq!((reply.waits_until(), reply.overdue_until(now)), (None, None));
    }

    #[test]
    fn nothing_that_is_typed_waits() {
        let now = Instant::now();
        for key in [&b"\x1b"[..], b"\x1b]", b"\x1b]7501", b"\x1b[", b"7", b"\xff"] {
            let (mut reply, mut out) = (Reply::asked(now), Vec::new());
            assert!(!reply.take(key, &mut out, now));
            assert_eq!(out, key);
            assert_eq!(reply.waits_until(), None);
        }
    }

    #[test]
    fn an_answer_that_comes_byte_by_byte_is_waited_for_and_not_for_ever() {
        let asked = Instant::now();
        let (mut reply, mut out, mut now) = (Reply::asked(asked), Vec::new(), asked);
        let (first, rest) = ANSWER.split_at(BEGINS.len());
        let mut understood = reply.take(first, &mut out, now);
        for byte in rest {
            now += Duration::from_millis(20);
            assert!(reply.waits_until().is_some_and(|until| now < until));
            understood |= reply.take(&[*byte], &mut out, now);
        }
        assert_eq!((out.as_slice(), understood), (&b""[..], true));
        let (mut reply, mut now) = (Reply::asked(asked), asked);
        assert!(!reply.take(first, &mut out, now));
        while now < asked + WITHIN * 2 {
            now += REST_WITHIN / 2;
            assert!(!reply.take(b"x", &mut out, now));
        }
        assert_eq!(reply.waits_until(), Some(asked + WITHIN));
    }

    #[test]
    fn an_answer_that_is_none_or_never_ends_goes_on() {
        let endless = [BEGINS, &[b'x'; 2 * LONGEST][..]].concat();
        assert_eq!(typed(&[&endless, b"y"]), ([&endless[..], b"y"].concat(), false));
        assert_eq!(typed(&[b"\x1b]7501;?:sta"]), (b"\x1b]7501;?:sta".to_vec(), false));
    }
}
