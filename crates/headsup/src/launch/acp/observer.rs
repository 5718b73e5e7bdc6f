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
/// What is under way is said again: so a hub knows that it still is.
const AGAIN_AFTER: Duration = Duration::from_secs(15);

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
    /// The agent has its seat, or never will.
    begins: bool,
    /// Nothing more comes.
    ends: bool,
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
        lock(&self.ear).hear(side, bytes, &mut |news| self.put(news));
    }

    /// One side has said all.
    pub(crate) fn hear_end(&self, side: Side) {
        lock(&self.ear).hear_end(side, &mut |news| self.put(news));
    }

    /// The hub knows the agent, or cannot be told of it: from now on it is told.
    pub(crate) fn begin(&self) {
        lock(&self.queue).begins = true;
        self.changed.notify_all();
    }

    /// Waits until all is told or spooled, but not longer than this.
    pub(crate) fn end(&self, within: Duration) {
        let mut queue = lock(&self.queue);
        queue.ends = true;
        self.changed.notify_all();
        let until = Instant::now() + within;
        while !queue.done {
            let Some(left) = until.checked_duration_since(Instant::now()) else { return };
            let waited = self.changed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The hub could not be told how the agent ended: it finds that in the spool.
    pub(super) fn leave_end(&self, end: End) {
        if let Some(news) = lock(&self.ear).ended(end)
            && let Ok(delivery) = self.delivery.try_lock()
        {
            delivery.leave(news);
        }
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
                    if !delivery.deliver(news) {
                        lock(&self.queue).lost += 1;
                    }
                    again_at = Instant::now() + AGAIN_AFTER;
                }
                Next::Lost(count) => {
                    let news = lock(&self.ear).lost(count);
                    let is_told = news.is_none_or(|news| delivery.deliver(news));
                    // Whatever it was, this is how it stands now.
                    self.refresh(&mut delivery, true);
                    if !is_told {
                        lock(&self.queue).lost += count;
                    }
                }
                Next::Again => {
                    self.refresh(&mut delivery, false);
                    again_at = Instant::now() + AGAIN_AFTER;
                }
                Next::Nothing => break,
            }
        }
        lock(&self.queue).done = true;
        self.changed.notify_all();
    }

    fn refresh(&self, delivery: &mut Delivery, also_rest: bool) {
        let stands = lock(&self.ear).stands(also_rest);
        if let Some(news) = stands {
            delivery.refresh(news);
        }
    }

    fn next(&self, again_at: Instant) -> Next {
        let mut queue = lock(&self.queue);
        loop {
            if queue.begins || queue.ends {
                if let Some(news) = queue.waiting.pop_front() {
                    return Next::Said(news);
                }
                if queue.ends {
                    return Next::Nothing;
                }
                let now = Instant::now();
                if queue.lost > 0 && now >= again_at {
                    return Next::Lost(std::mem::take(&mut queue.lost));
                }
                if now >= again_at {
                    return Next::Again;
                }
            }
            let left = again_at.saturating_duration_since(Instant::now());
            let left = left.max(Duration::from_millis(1));
            let waited = self.changed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// What is to be told next.
enum Next {
    Said(News),
    /// So many were lost.
    Lost(u64),
    /// How everything stands.
    Again,
    Nothing,
}

impl Queue {
    fn put(&mut self, news: News) {
        if self.waiting.len() >= MOST {
            let progress = self.waiting.iter().position(|news| !news.is_transition);
            self.lost += 1;
            match progress {
                Some(index) => drop(self.waiting.remove(index)),
                None => return,
            }
        }
        self.waiting.push_back(news);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    fn news(is_transition: bool) -> News {
        News { event: "x", is_transition, body: Vec::new() }
    }

    #[test]
    fn where_there_is_no_room_progress_goes_first_and_every_loss_is_counted() {
        let mut queue = Queue::default();
        for _ in 0..MOST / 2 {
            queue.put(news(false));
            queue.put(news(true));
        }
        for _ in 0..MOST / 2 {
            queue.put(news(true));
        }
        assert_eq!((queue.waiting.len(), queue.lost), (MOST, MOST as u64 / 2));
        assert!(queue.waiting.iter().all(|news| news.is_transition));
        queue.put(news(true));
        assert_eq!((queue.waiting.len(), queue.lost), (MOST, MOST as u64 / 2 + 1));
    }
}
