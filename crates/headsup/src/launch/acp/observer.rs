//! What was heard on the way, and the thread that tells the hub of it.
//!
//! Between the two is a queue. It is bounded: where there is no room, what only shows progress goes
//! first, and whatever is lost is counted, told, and made good by saying how everything stands. What the hub does
//! not take goes to the spool, as with hooks, and so does all that comes behind it until the hub
//! has fetched it: the order stays.

use super::End;
pub(crate) use super::ear::Ear;
use crate::hook::deliver::{Delivery, News};
use headsup_adapters::acp::Side;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Messages that wait to be told.
const MOST: usize = 1_024;
/// What was lost is made good in a pause, but not later than this after something gets through.
const MAKE_GOOD_WITHIN: Duration = Duration::from_secs(1);
/// What is under way is said again: so a hub knows that it still is.
const AGAIN_AFTER: Duration = Duration::from_secs(15);
/// What says more of something that was heard comes within a few milliseconds; after this it does not.
const SETTLES_WITHIN: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Observer {
    ear: Mutex<Box<dyn Ear>>,
    queue: Mutex<Queue>,
    changed: Condvar,
    /// The hub's thread has it while it tells.
    delivery: Mutex<Delivery>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<News>,
    lost: u64,
    /// Since something was lost, until it has been told how everything stands, behind all that waited then.
    lost_since: Option<Instant>,
    /// Until then something that was heard waits for what follows it.
    settles_at: Option<Instant>,
    /// The agent has its seat, or never will.
    begins: bool,
    /// Nothing more comes.
    ends: bool,
    /// The hub is not waited for any more: what is left goes to the spool.
    hurries: bool,
    /// All is told.
    done: bool,
}

impl Observer {
    /// Starts the thread. Without one nothing is told, and the agent runs all the same.
    pub(crate) fn start(delivery: Option<Delivery>, ear: Box<dyn Ear>) -> Arc<Self> {
        let is_deaf = delivery.is_none();
        let delivery = delivery.unwrap_or_else(Delivery::nowhere);
        let observer = Arc::new(Self {
            ear: Mutex::new(ear),
            queue: Mutex::new(Queue { done: is_deaf, ends: is_deaf, ..Queue::default() }),
            changed: Condvar::new(),
            delivery: Mutex::new(delivery),
        });
        if !is_deaf {
            let own = Arc::clone(&observer);
            let run = thread::Builder::new().name("to-hub".to_owned()).spawn(move || own.run());
            if run.is_err() {
                let mut queue = lock(&observer.queue);
                (queue.ends, queue.done) = (true, true);
            }
        }
        observer
    }

    /// These bytes go by.
    pub(crate) fn hear(&self, side: Side, bytes: &[u8]) {
        let mut ear = lock(&self.ear);
        ear.hear(side, bytes, &mut |news| self.put(news));
        self.wait_for_more(ear.is_unsettled());
    }

    /// One side has said all.
    pub(crate) fn hear_end(&self, side: Side) {
        let mut ear = lock(&self.ear);
        ear.hear_end(side, &mut |news| self.put(news));
        self.wait_for_more(ear.is_unsettled());
    }

    /// What the agent writes to begins anew.
    pub(crate) fn begin_anew(&self) {
        let mut ear = lock(&self.ear);
        ear.begin_anew(&mut |news| self.put(news));
        self.wait_for_more(ear.is_unsettled());
    }

    fn wait_for_more(&self, is_unsettled: bool) {
        let mut queue = lock(&self.queue);
        let waited = queue.settles_at.is_some();
        queue.settles_at = match is_unsettled {
            true => queue.settles_at.or_else(|| Some(Instant::now() + SETTLES_WITHIN)),
            false => None,
        };
        if queue.settles_at.is_some() && !waited {
            self.changed.notify_all();
        }
    }

    /// The hub knows the agent, or cannot be told of it: from now on it is told.
    pub(crate) fn begin(&self) {
        lock(&self.queue).begins = true;
        self.changed.notify_all();
    }

    /// Waits until all is told, but not longer than this; then until the rest of it is spooled, as long again.
    pub(crate) fn end(&self, within: Duration) {
        lock(&self.queue).ends = true;
        self.changed.notify_all();
        if !self.is_done(within) {
            self.hurry(within);
        }
    }

    /// The hub could not be told how the agent ended: it finds that in the spool, behind all the rest. False
    /// where nobody here has words for it.
    pub(super) fn leave_end(&self, end: End, within: Duration) -> bool {
        let Some(news) = lock(&self.ear).ended(end) else { return false };
        let mut queue = lock(&self.queue);
        if queue.done {
            drop(queue);
            lock(&self.delivery).leave(news);
        } else {
            queue.waiting.push_back(news);
            drop(queue);
            self.hurry(within);
        }
        true
    }

    fn hurry(&self, within: Duration) {
        lock(&self.queue).hurries = true;
        self.is_done(within);
    }

    fn is_done(&self, within: Duration) -> bool {
        let queue = lock(&self.queue);
        let waited = self.changed.wait_timeout_while(queue, within, |queue| !queue.done);
        waited.unwrap_or_else(PoisonError::into_inner).0.done
    }

    fn put(&self, news: News) {
        let mut queue = lock(&self.queue);
        if queue.ends {
            return;
        }
        queue.put(news);
        drop(queue);
        self.changed.notify_all();
    }

    fn run(&self) {
        let mut again_at = Instant::now() + AGAIN_AFTER;
        loop {
            let next = self.next(again_at);
            let mut delivery = lock(&self.delivery);
            match next {
                Next::Said(news) => {
                    // Not locked while the hub is told: whoever puts something there never waits.
                    let hurries = lock(&self.queue).hurries;
                    let told = match hurries {
                        true => delivery.leave(news),
                        false => delivery.deliver(news),
                    };
                    if !told {
                        lock(&self.queue).lose(1);
                    } else if self.is_to_make_good() {
                        self.make_good(&mut delivery);
                    }
                    again_at = Instant::now() + AGAIN_AFTER;
                }
                Next::Lost => {
                    self.make_good(&mut delivery);
                    again_at = Instant::now() + AGAIN_AFTER;
                }
                Next::Last => self.say_last(&mut delivery),
                Next::Settles => lock(&self.ear).settle(&mut |news| self.put(news)),
                Next::Again => {
                    self.refresh(&mut delivery, false);
                    again_at = Instant::now() + AGAIN_AFTER;
                }
                Next::Nothing => break,
            }
        }
        self.changed.notify_all();
    }

    /// Something has got through. What still waits tells its part of the story first, unless that
    /// takes long.
    fn is_to_make_good(&self) -> bool {
        let queue = lock(&self.queue);
        let is_long_ago = |since: Instant| since.elapsed() >= MAKE_GOOD_WITHIN;
        queue.lost_since.is_some_and(|since| queue.waiting.is_empty() || is_long_ago(since))
    }

    /// Tells how many were lost, and how it all stands now.
    fn make_good(&self, delivery: &mut Delivery) {
        let count = std::mem::take(&mut lock(&self.queue).lost);
        let news = (count > 0).then(|| lock(&self.ear).lost(count)).flatten();
        if !news.is_none_or(|news| delivery.deliver(news)) {
            lock(&self.queue).lose(count);
            return;
        }
        let (stands, waits) = self.stands();
        if stands.is_none_or(|news| delivery.refresh(news)) {
            let mut queue = lock(&self.queue);
            if queue.lost == 0 {
                // What waited is older than that, and must not have the last word: it is made good once more.
                queue.lost_since = waits.then(Instant::now);
            }
        }
    }

    /// How everything stands, and whether something waits that is older. Then it is not told that it rests: how it
    /// came to that may be what waits.
    fn stands(&self) -> (Option<News>, bool) {
        let ear = lock(&self.ear);
        let waits = !lock(&self.queue).waiting.is_empty();
        (ear.stands(!waits), waits)
    }

    /// Nothing more comes: how many were lost, and as the last word, also for a hub that is away, how everything stands.
    fn say_last(&self, delivery: &mut Delivery) {
        let (hurries, count) = {
            let mut queue = lock(&self.queue);
            (queue.hurries, std::mem::take(&mut queue.lost))
        };
        if let Some(news) = (count > 0).then(|| lock(&self.ear).lost(count)).flatten() {
            match hurries {
                true => delivery.leave(news),
                false => delivery.deliver(news),
            };
        }
        if hurries || !self.refresh(delivery, true) {
            let stands = lock(&self.ear).stands(true);
            if let Some(news) = stands {
                delivery.leave(news);
            }
        }
    }

    /// False where it could not be told.
    fn refresh(&self, delivery: &mut Delivery, also_rest: bool) -> bool {
        let stands = lock(&self.ear).stands(also_rest);
        stands.is_none_or(|news| delivery.refresh(news))
    }

    fn next(&self, again_at: Instant) -> Next {
        let mut queue = lock(&self.queue);
        loop {
            if queue.begins || queue.ends {
                if let Some(news) = queue.waiting.pop_front() {
                    return Next::Said(news);
                }
                if queue.ends {
                    if queue.lost_since.take().is_some() {
                        return Next::Last;
                    }
                    queue.done = true;
                    return Next::Nothing;
                }
                let now = Instant::now();
                if queue.settles_at.is_some_and(|at| now >= at) {
                    queue.settles_at = None;
                    return Next::Settles;
                }
                if queue.lost_since.is_some() && now >= again_at {
                    return Next::Lost;
                }
                if now >= again_at {
                    return Next::Again;
                }
            }
            let settles_at = queue.settles_at.filter(|_| queue.begins);
            let wakes_at = settles_at.map_or(again_at, |at| at.min(again_at));
            let left = wakes_at.saturating_duration_since(Instant::now());
            let left = left.max(Duration::from_millis(1));
            let waited = self.changed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// What is to be told next.
enum Next {
    Said(News),
    /// What follows something that was heard has not come.
    Settles,
    /// Something was lost, and it is quiet.
    Lost,
    /// Something was lost, and nothing more comes.
    Last,
    /// How everything stands.
    Again,
    Nothing,
}

impl Queue {
    fn put(&mut self, news: News) {
        if self.waiting.len() >= MOST {
            let progress = self.waiting.iter().position(|news| !news.is_transition);
            self.lose(1);
            match progress {
                Some(index) => drop(self.waiting.remove(index)),
                None => return,
            }
        }
        self.waiting.push_back(news);
    }

    fn lose(&mut self, count: u64) {
        self.lost += count;
        self.lost_since.get_or_insert_with(Instant::now);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
