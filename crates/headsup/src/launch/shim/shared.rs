//! What the thread at the terminal and the rest of the shim tell each other. Neither ever waits
//! for the other one, and everything is bounded.

use super::super::acp::observer::Observer;
use super::found::{self, Found};
use super::scan::Finding;
use headsup_adapters::acp::Side;
use rustix::event::{EventfdFlags, eventfd};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

#[derive(Debug)]
pub(crate) struct Shared {
    ear: Option<Arc<Observer>>,
    findings: Mutex<Found>,
    found: Notify,
    /// To be said to our own terminal.
    say: Mutex<Vec<u8>>,
    wake: OwnedFd,
    has_ended: AtomicBool,
    ends: AtomicBool,
    has_said: AtomicBool,
    /// How often somebody has asked for everything to be passed on; how often of these that was seen at the
    /// terminal, and how often it was done.
    asked: AtomicU64,
    seen: AtomicU64,
    done: AtomicU64,
    flushed: Notify,
    /// The program speaks for itself to whoever listens at the terminal.
    speaks: AtomicBool,
    /// What it has said there last is not over by itself.
    stands: AtomicBool,
    understands: AtomicBool,
    understood: Notify,
    /// Our terminal may be set and read by us: nobody else has it.
    ours: AtomicBool,
    lost: Notify,
    outer_gone: Notify,
    /// Nobody waits for our terminal any more.
    leaves: AtomicBool,
    /// An interrupt was typed that the agent's terminal takes for one.
    interrupted: AtomicBool,
}

impl Shared {
    /// `ear` hears what the agent says to its terminal.
    pub(crate) fn new(ear: Option<Arc<Observer>>) -> io::Result<Self> {
        Ok(Self {
            ear,
            findings: Mutex::default(),
            found: Notify::new(),
            say: Mutex::default(),
            wake: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            has_ended: AtomicBool::new(false),
            ends: AtomicBool::new(false),
            has_said: AtomicBool::new(false),
            asked: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            done: AtomicU64::new(0),
            flushed: Notify::new(),
            speaks: AtomicBool::new(false),
            stands: AtomicBool::new(false),
            understands: AtomicBool::new(false),
            understood: Notify::new(),
            ours: AtomicBool::new(false),
            lost: Notify::new(),
            outer_gone: Notify::new(),
            leaves: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
        })
    }

    /// At the terminal: an interrupt is typed, or is none.
    pub(crate) fn is_typed(&self, interrupt: bool) {
        self.interrupted.fetch_or(interrupt, Ordering::AcqRel);
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }

    /// At the terminal: these bytes go by.
    pub(crate) fn heard(&self, bytes: &[u8]) {
        if let Some(ear) = &self.ear {
            ear.hear(Side::Agent, bytes);
        }
    }

    /// At the terminal: something was found.
    pub(crate) fn found(&self, finding: Finding) {
        if let Finding::Status(body) = &finding {
            self.speaks.store(true, Ordering::Release);
            if let Some(stands) = found::stands(body) {
                self.stands.store(stands, Ordering::Release);
            }
        }
        lock(&self.findings).take(finding);
        self.found.notify_one();
    }

    /// Everything that was found since the last call.
    pub(crate) fn take_findings(&self) -> Found {
        std::mem::take(&mut *lock(&self.findings))
    }

    /// The same; waits until there is something.
    pub(crate) async fn findings(&self) -> Found {
        loop {
            let findings = self.take_findings();
            if !findings.is_empty() {
                return findings;
            }
            self.found.notified().await;
        }
    }

    /// The program has reported its own status.
    pub(crate) fn speaks(&self) -> bool {
        self.speaks.load(Ordering::Acquire)
    }

    /// To be said to our terminal, once nothing else is under way there. The last word counts.
    pub(crate) fn say(&self, text: &str) {
        self.has_said.store(true, Ordering::Release);
        *lock(&self.say) = text.as_bytes().to_vec();
        self.wake();
    }

    /// At the terminal: what is to be said to it.
    pub(crate) fn to_be_said(&self) -> Vec<u8> {
        std::mem::take(&mut *lock(&self.say))
    }

    /// The agent has ended: what it has said is heard at once, whatever our terminal takes of it, and is passed on in
    /// its time.
    pub(crate) fn hear_out(&self) {
        self.has_ended.store(true, Ordering::Release);
        self.wake();
    }

    /// At the terminal: whether the agent has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// The agent's end is told: what is on its way is still passed on. `last` is said to our terminal
    /// if anything was that it takes back: by us, or by the program itself, which has ended without a word.
    pub(crate) fn end(&self, last: Option<String>) {
        let stands = self.stands.load(Ordering::Acquire);
        let is_open = match self.speaks() {
            true => self.understands.load(Ordering::Acquire) && stands,
            false => self.has_said.load(Ordering::Acquire),
        };
        if let Some(last) = last.filter(|_| is_open) {
            *lock(&self.say) = last.into_bytes();
        }
        self.ends.store(true, Ordering::Release);
        self.wake();
    }

    pub(crate) fn ends(&self) -> bool {
        self.ends.load(Ordering::Acquire)
    }

    /// Waits until everything that the agent has said so far is passed on, or, behind its end, heard. For one caller at a
    /// time.
    pub(crate) async fn flush(&self) {
        let ours = self.asked.fetch_add(1, Ordering::AcqRel) + 1;
        self.wake();
        // Whoever asked before and did not wait may be answered meanwhile.
        while self.done.load(Ordering::Acquire) < ours {
            self.flushed.notified().await;
        }
    }

    /// At the terminal: whether somebody waits for that. What is looked at behind this counts for whoever has asked by now.
    pub(crate) fn is_to_flush(&self) -> bool {
        let asked = self.asked.load(Ordering::Acquire);
        self.seen.store(asked, Ordering::Release);
        self.done.load(Ordering::Acquire) < asked
    }

    /// At the terminal: that is done, for whoever had asked when that was looked at last.
    pub(crate) fn is_flushed(&self) {
        let seen = self.seen.load(Ordering::Acquire);
        if self.done.swap(seen, Ordering::AcqRel) < seen {
            self.flushed.notify_one();
        }
    }

    /// At the terminal: it has said that it understands reports.
    pub(crate) fn is_understood(&self) {
        self.understands.store(true, Ordering::Release);
        self.understood.notify_one();
    }

    /// Waits until the terminal says that it understands reports. For one caller, once.
    pub(crate) async fn understood(&self) {
        self.understood.notified().await;
    }

    /// Our terminal is ours now, and set so; or it is somebody else's.
    pub(crate) fn set_ours(&self, ours: bool) {
        self.ours.store(ours, Ordering::Release);
        self.wake();
    }

    pub(crate) fn is_ours(&self) -> bool {
        self.ours.load(Ordering::Acquire)
    }

    /// At the terminal: it is somebody else's.
    pub(crate) fn is_lost(&self) {
        self.ours.store(false, Ordering::Release);
        self.lost.notify_one();
    }

    /// Waits until it is seen that our terminal is somebody else's. For one caller.
    pub(crate) async fn lost(&self) {
        self.lost.notified().await;
    }

    /// At the terminal: nobody is there any more.
    pub(crate) fn is_gone(&self) {
        self.outer_gone.notify_one();
    }

    /// Waits until nobody is at the terminal any more. For one caller, once.
    pub(crate) async fn gone(&self) {
        self.outer_gone.notified().await;
    }

    /// Whoever is at the terminal leaves it now, and lets go of the agent's. What our terminal has not taken
    /// is dropped.
    pub(crate) fn leave(&self) {
        self.leaves.store(true, Ordering::Release);
        self.wake();
    }

    /// At the terminal: whether it is to be left.
    pub(crate) fn leaves(&self) -> bool {
        self.leaves.load(Ordering::Acquire)
    }

    pub(crate) fn waker(&self) -> &OwnedFd {
        &self.wake
    }

    fn wake(&self) {
        // A count that is full wakes as well.
        rustix::io::write(&self.wake, &1_u64.to_ne_bytes()).ok();
    }
}

/// A thread that has died in the middle leaves nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::{Pin, pin};
    use std::task::{Context, Waker};

    fn is_answered(flush: Pin<&mut impl Future<Output = ()>>) -> bool {
        flush.poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn what_a_program_has_said_itself_is_taken_back_behind_its_end_where_it_still_stands() {
        let clear = || Some("clear".to_owned());
        for (words, understands, is_said) in [
            (&["working", "blocked:kind=permission"][..], true, true),
            (&["idle", "working"][..], true, true),
            (&["blocked:id=helper"][..], true, true),
            (&["blocked", "clear"][..], true, false),
            (&["blocked", "idle"][..], true, false),
            (&["idle", "working:id=helper"][..], true, false),
            (&["idle", "strange"][..], true, false),
            // Nobody has understood it.
            (&["blocked"][..], false, false),
            (&[][..], true, false),
        ] {
            let shared = Shared::new(None).unwrap();
            if understands {
                shared.is_understood();
            }
            for word in words {
                shared.found(Finding::Status(format!("state={word}").into_bytes()));
            }
            shared.end(clear());
            assert_eq!(!shared.to_be_said().is_empty(), is_said, "{words:?} {understands}");
        }
        // What was said in its place.
        let shared = Shared::new(None).unwrap();
        shared.say("working");
        shared.end(clear());
        assert_eq!(shared.to_be_said(), b"clear");
    }

    /// An agent may have said its last words, and ended, behind the look.
    #[test]
    fn what_was_looked_at_before_it_was_asked_for_says_nothing() {
        let shared = Shared::new(None).unwrap();
        assert!(!shared.is_to_flush());
        let mut flush = pin!(shared.flush());
        assert!(!is_answered(flush.as_mut()));
        shared.is_flushed();
        assert!(!is_answered(flush.as_mut()));
        assert!(shared.is_to_flush());
        shared.is_flushed();
        assert!(is_answered(flush.as_mut()));
        assert!(!shared.is_to_flush());
    }

    #[test]
    fn the_answer_to_somebody_who_did_not_wait_is_nobody_elses() {
        let shared = Shared::new(None).unwrap();
        {
            let mut given_up = pin!(shared.flush());
            assert!(!is_answered(given_up.as_mut()));
        }
        assert!(shared.is_to_flush());
        shared.is_flushed();
        let mut flush = pin!(shared.flush());
        assert!(!is_answered(flush.as_mut()));
        assert!(shared.is_to_flush());
        shared.is_flushed();
        assert!(is_answered(flush.as_mut()));
    }
}
