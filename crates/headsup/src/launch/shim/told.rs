//! What the hub is told of what an agent says to its terminal: raw, in order, and never so that
//! anybody waits for it. What it has not acknowledged at the agent's end is left for it in the spool.

use super::found::{Found, Status, root};
use super::shared::Shared;
use crate::hook::deliver::{About, Word};
use crate::hook::process::Process;
use crate::launch::seat::{Seat, Told, pid_namespace};
use bytes::Bytes;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};

/// A status that stands, or a title where there is none, is said again: so a hub knows that it still does, also one that was away.
const AGAIN_AFTER: Duration = Duration::from_secs(15);
/// Titles and progress may change with every picture of an animation: then they are told so slowly.
const SLOWLY: Duration = Duration::from_secs(1);
/// So many of them are told at once before that: what a turn does to a title is news.
const AT_ONCE: u32 = 5;
const ANSWER_WITHIN: Duration = Duration::from_secs(2);
/// The same for all that is told behind the agent's end: somebody waits for ours.
const LAST_WITHIN: Duration = Duration::from_secs(1);
/// A hub that is away is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Tells until nobody asks for it any more.
pub(super) async fn tell(
    shared: &Shared,
    seat: &Seat<'_>,
    process: Option<&Process>,
    news: &mut News,
) {
    let (Some(_), Some(of)) = (seat.hub, process.map(of)) else {
        return std::future::pending().await;
    };
    loop {
        let wake = news.wakes_at();
        tokio::select! {
            findings = shared.findings() => news.found.append(findings),
            () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
        }
        while let Some(mut body) = news.next(&of, Instant::now()) {
            let id = news.found.statuses.front().map(|status| status.mark.id());
            let text = Bytes::from(body.to_string());
            let mut told = seat.say(About::Terminal, id, text, ANSWER_WITHIN).await;
            let again = body.as_object_mut().and_then(|body| body.remove("again"));
            if told == Told::Refused && again.is_some() {
                // An older hub does not know that word.
                let text = Bytes::from(body.to_string());
                told = seat.say(About::Terminal, id, text, ANSWER_WITHIN).await;
            }
            news.said(told == Told::Away, Instant::now());
        }
    }
}

/// The agent has ended: the statuses of which the hub has not been heard to know are told within a
/// moment, or else left for it to fetch, as at once where it is away by now. What became of the last one.
pub(super) async fn tell_last(
    shared: &Shared,
    seat: &Seat<'_>,
    process: Option<&Process>,
    mut news: News,
    is_away: bool,
) -> Told {
    let mut told = if is_away { Told::Away } else { Told::Heard };
    let Some(of) = process.map(of) else { return told };
    news.found.append(shared.take_findings());
    let until = Instant::now() + LAST_WITHIN;
    let word = |Status { body, mark }| Word::at_terminal(mark, report(&of, &body).to_string());
    let mut words = news.found.statuses.into_iter().map(word);
    while let Some(word) = words.next() {
        if !is_away {
            told = timeout_at(until, seat.tell(&word)).await.unwrap_or(Told::Away);
        }
        if told == Told::Away {
            // What was told behind one that could not be told would come before it.
            leave([word].into_iter().chain(words), |word| seat.leave(word));
            break;
        }
    }
    told
}

/// Where one cannot be left none can, and for each of them somebody would wait again.
fn leave(mut words: impl Iterator<Item = Word>, takes: impl Fn(&Word) -> bool) {
    while words.next().is_some_and(|word| takes(&word)) {}
}

/// Whose words they are.
fn of(process: &Process) -> Value {
    json!({
        "pid": process.pid, "start_ticks": process.start, "pid_namespace": pid_namespace(),
    })
}

/// What the hub is told where a process has said this status.
pub(super) fn word(process: &Process, status: &[u8]) -> String {
    report(&of(process), status).to_string()
}

fn report(of: &Value, status: &[u8]) -> Value {
    let mut body = of.clone();
    body["status"] = text(status);
    body
}

/// What is still to be told.
#[derive(Debug, Default)]
pub(super) struct News {
    found: Found,
    /// The status of the program as a whole that stands.
    stands: Option<Vec<u8>>,
    /// The title that was told last.
    shown: Option<Vec<u8>>,
    again_at: Option<Instant>,
    /// Until when the titles that were told would have taken, had they been told slowly.
    due_until: Option<Instant>,
    retry_at: Option<Instant>,
}

impl News {
    /// When there is something to do, whether or not something is found.
    fn wakes_at(&self) -> Option<Instant> {
        let status = (!self.found.statuses.is_empty()).then(Instant::now);
        let is_slow = self.found.title.is_some() || self.found.progress.is_some();
        let slow = is_slow.then(|| self.slow_at());
        let slow = slow.map(|at| at.unwrap_or_else(Instant::now));
        let stands = self.stands.is_some() || self.shown.is_some();
        let again = self.again_at.filter(|_| stands);
        // Only for what there is to say: a hub that is away is not asked for nothing.
        let at = [status, slow, again].into_iter().flatten().min()?;
        Some(self.retry_at.map_or(at, |retry| at.max(retry)))
    }

    /// When the next title may be told; `None` if at once.
    fn slow_at(&self) -> Option<Instant> {
        self.due_until?.checked_sub(SLOWLY * (AT_ONCE - 1))
    }

    /// The next thing to be told now.
    fn next(&mut self, of: &Value, now: Instant) -> Option<Value> {
        if self.retry_at.is_some_and(|at| now < at) {
            return None;
        }
        if let Some(status) = self.found.statuses.front() {
            return Some(report(of, &status.body));
        }
        let mut body = of.clone();
        if (self.found.title.is_some() || self.found.progress.is_some())
            && self.slow_at().is_none_or(|at| now >= at)
        {
            self.found.title.iter().for_each(|title| body["title"] = text(title));
            self.found.progress.iter().for_each(|progress| body["progress"] = text(progress));
        } else {
            let is_due = self.again_at.is_some_and(|at| now >= at);
            let again = [("status", &self.stands), ("title", &self.shown)];
            let (part, said) = again.into_iter().find(|(_, said)| is_due && said.is_some())?;
            body[part] = text(said.as_deref()?);
            if part == "status" {
                // What was reported meanwhile is newer.
                body["again"] = true.into();
            }
        }
        Some(body)
    }

    /// What was asked for last is told, or the hub is away: then what stands at its return counts,
    /// and which turns there were.
    fn said(&mut self, is_away: bool, now: Instant) {
        self.again_at = Some(now + if is_away { RETRY_AFTER } else { AGAIN_AFTER });
        if is_away {
            self.retry_at = Some(now + RETRY_AFTER);
            self.found.keep_turns();
            return;
        }
        self.retry_at = None;
        match self.found.statuses.pop_front() {
            Some(status) => match root(&status.body) {
                Some(true) => self.stands = Some(status.body),
                Some(false) => self.stands = None,
                None => {}
            },
            None if self.found.title.is_some() || self.found.progress.is_some() => {
                self.due_until = Some(self.due_until.map_or(now, |due| due.max(now)) + SLOWLY);
                self.shown = self.found.title.take().or(self.shown.take());
                self.found.progress = None;
            }
            None => {}
        }
    }
}

fn text(bytes: &[u8]) -> Value {
    Value::from(String::from_utf8_lossy(bytes))
}

#[cfg(test)]
mod tests {
    use super::super::scan::Finding;
    use super::*;
    use crate::client::Client;
    use crate::client::address::Address;
    use crate::hook::deliver::Mark;
    use crate::place::Url;
    use headsup_core::spool::{Decoder, OF_A_TERMINAL, Record};
    use std::cell::Cell;
    use std::os::unix::net::UnixListener;
    use std::path::Path;

    fn status(body: &str) -> Finding {
        Finding::Status(body.as_bytes().to_vec())
    }

    /// Whoever wakes has something to say: else the shim would never sleep while a hub is away.
    #[test]
    fn a_hub_that_is_away_is_asked_once_a_second() {
        let (mut news, mut now) = (News::default(), Instant::now());
        news.found.take(status("state=working"));
        news.said(false, now);
        let of = json!({});
        now += AGAIN_AFTER;
        for _ in 0..3 {
            let again = json!({"status": "state=working", "again": true});
            assert_eq!(news.next(&of, now), Some(again));
            news.said(true, now);
            assert_eq!(news.next(&of, now), None);
            assert_eq!(news.wakes_at(), Some(now + RETRY_AFTER));
            now += RETRY_AFTER;
        }
        let mut nothing = News::default();
        nothing.said(true, now);
        assert_eq!(nothing.wakes_at(), None);
    }

    #[test]
    fn statuses_come_in_order_and_what_stands_is_said_again() {
        let (mut news, now) = (News::default(), Instant::now());
        news.found.take(status("state=working"));
        news.found.take(status("state=working:id=helper"));
        let of = json!({});
        assert_eq!(news.next(&of, now), Some(json!({"status": "state=working"})));
        news.said(false, now);
        assert_eq!(news.next(&of, now), Some(json!({"status": "state=working:id=helper"})));
        news.said(false, now);
        assert_eq!(news.next(&of, now), None);
        assert_eq!(news.wakes_at(), Some(now + AGAIN_AFTER));
        let again = json!({"status": "state=working", "again": true});
        assert_eq!(news.next(&of, now + AGAIN_AFTER), Some(again));
        news.found.take(status("state=clear"));
        news.said(false, now);
        assert_eq!(news.next(&of, now + 2 * AGAIN_AFTER), None, "nothing stands");
    }

    #[test]
    fn a_title_is_said_again_where_no_status_stands_and_nothing_wakes_for_nothing() {
        let (mut news, now) = (News::default(), Instant::now());
        news.found.take(Finding::Progress(b"4;0".to_vec()));
        assert_eq!(news.next(&json!({}), now), Some(json!({"progress": "4;0"})));
        news.said(false, now);
        assert_eq!(news.wakes_at(), None);
        news.found.take(Finding::Title(b"busy".to_vec()));
        let later = now + SLOWLY;
        assert_eq!(news.next(&json!({}), later), Some(json!({"title": "busy"})));
        news.said(false, later);
        assert_eq!(news.wakes_at(), Some(later + AGAIN_AFTER));
        let later = later + AGAIN_AFTER;
        assert_eq!(news.next(&json!({}), later), Some(json!({"title": "busy"})));
        news.said(false, later);
        news.found.take(status("state=idle"));
        assert_eq!(news.next(&json!({}), later), Some(json!({"status": "state=idle"})));
        news.said(false, later);
        assert_eq!(
            news.next(&json!({}), later + AGAIN_AFTER),
            Some(json!({"status": "state=idle", "again": true}))
        );
    }

    #[test]
    fn after_a_hub_was_away_what_stands_counts_and_which_turns_there_were() {
        let (mut news, now) = (News::default(), Instant::now());
        let said = ["clear", "blocked:id=x", "working", "blocked:id=y", "working:id=x", "done"];
        for state in ["blocked:id=z"].iter().chain(&said) {
            news.found.take(status(&format!("state={state}")));
        }
        assert!(news.next(&json!({}), now).is_some());
        news.said(true, now);
        assert_eq!(news.next(&json!({}), now), None, "not at once");
        let later = now + RETRY_AFTER;
        for state in ["clear", "working", "blocked:id=y", "working:id=x", "done"] {
            let body = json!({"status": format!("state={state}")});
            assert_eq!(news.next(&json!({}), later), Some(body));
            news.said(false, later);
        }
        assert_eq!(news.next(&json!({}), later), None);
    }

    /// What the spool of this home holds of the agent's statuses.
    fn spooled(home: &Path) -> Vec<(String, Value)> {
        let spool = std::fs::read(home.join("spool/queue")).unwrap_or_default();
        let words = Decoder::new(&spool).map(|record| {
            let Ok(Record::Report(report)) = record else { panic!("{record:?}") };
            assert_eq!(report.kind, OF_A_TERMINAL);
            assert_eq!(report.agent_token.as_deref(), Some("t"));
            let body: Value = serde_json::from_slice(&report.body).unwrap();
            assert_eq!(body["pid"], std::process::id());
            (report.id, body["status"].clone())
        });
        words.collect()
    }

    #[tokio::test]
    async fn what_a_hub_that_is_away_has_not_acknowledged_at_the_end_lies_in_the_spool_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let socket = Address::of(&Url::Unix(home.join("headsup.sock"))).unwrap();
        let client = Client::new(socket, None);
        let seat = Seat { id: "api", hub: Some(&client), home: Some(home), token: Some("t") };
        let (shared, process) = (Shared::new(None).unwrap(), Process::read(std::process::id()));
        let mut news = News::default();
        news.found.take(status("state=working"));
        let tried = news.found.statuses[0].mark.id().to_owned();
        news.said(true, Instant::now());
        shared.found(status("state=done"));
        let told = tell_last(&shared, &seat, process.as_ref(), news, false).await;
        assert_eq!(told, Told::Away);
        let words = spooled(home);
        let statuses: Vec<_> = words.iter().map(|(_, status)| status.clone()).collect();
        assert_eq!(statuses, ["state=working", "state=done"]);
        // A hub that has taken it all the same knows it again.
        assert_eq!(words[0].0, tried);
        assert_ne!(words[1].0, tried);
        let nothing = News::default();
        let told = tell_last(&shared, &seat, process.as_ref(), nothing, false).await;
        assert_eq!(told, Told::Heard);
        assert_eq!(spooled(home).len(), 2);
    }

    /// Whoever has just waited for it in vain does not ask again.
    #[tokio::test]
    async fn a_hub_that_is_known_to_be_away_is_not_asked_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let socket = home.join("headsup.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        listener.set_nonblocking(true).unwrap();
        let client = Client::new(Address::of(&Url::Unix(socket)).unwrap(), None);
        let seat = Seat { id: "api", hub: Some(&client), home: Some(home), token: Some("t") };
        let (shared, process) = (Shared::new(None).unwrap(), Process::read(std::process::id()));
        shared.found(status("state=done"));
        let news = News::default();
        let told = tell_last(&shared, &seat, process.as_ref(), news, true).await;
        assert_eq!(told, Told::Away);
        assert_eq!(spooled(home)[0].1, "state=done");
        assert!(listener.accept().is_err(), "nobody calls");
    }

    #[test]
    fn where_one_word_cannot_be_left_the_others_are_not_tried() {
        for (takes, tried) in [(true, 3), (false, 1)] {
            let words = ["a", "b", "c"].map(|body| Word::at_terminal(Mark::now(), body.to_owned()));
            let count = Cell::new(0);
            leave(words.into_iter(), |_| {
                count.set(count.get() + 1);
                takes
            });
            assert_eq!(count.get(), tried);
        }
    }

    /// A turn that fails at once changes the title twice within a moment: told late, the first of them
    /// would bring back work that is over.
    #[test]
    fn a_few_titles_are_told_at_once_and_an_animation_slowly_and_the_last_one_counts() {
        let (mut news, now) = (News::default(), Instant::now());
        news.found.take(Finding::Title(b"a".to_vec()));
        news.found.take(Finding::Title(b"b\xff".to_vec()));
        news.found.take(Finding::Progress(b"4;1;5".to_vec()));
        let of = json!({});
        let both = json!({"title": "b\u{fffd}", "progress": "4;1;5"});
        assert_eq!(news.next(&of, now), Some(both));
        news.said(false, now);
        for title in ["c", "d", "e", "f"] {
            news.found.take(Finding::Title(title.into()));
            assert_eq!(news.next(&of, now), Some(json!({"title": title})), "at once");
            news.said(false, now);
        }
        for title in ["g", "h"] {
            news.found.take(Finding::Title(title.into()));
            assert_eq!(news.next(&of, now), None, "it is an animation");
        }
        assert_eq!(news.wakes_at(), Some(now + SLOWLY));
        assert_eq!(news.next(&of, now + SLOWLY), Some(json!({"title": "h"})));
        news.said(false, now + SLOWLY);
        news.found.take(Finding::Title(b"i".to_vec()));
        assert_eq!(news.wakes_at(), Some(now + 2 * SLOWLY));
        let later = now + SLOWLY * 20;
        assert_eq!(news.next(&of, later), Some(json!({"title": "i"})));
    }
}
