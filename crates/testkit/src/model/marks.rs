//! What happened when, as the server itself saw it: the ground truth of live tests.

use crate::wait;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// One moment. It is taken just before the bytes are handed over, so nothing that an agent does
/// because of them can be earlier.
#[derive(Clone, Debug)]
pub struct Mark {
    pub at: Instant,
    /// Milliseconds since 1970 by the wall clock.
    pub wall_ms: u128,
    /// The request's number, from 0, in the order of arrival.
    pub request: usize,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The whole request was read.
    Received,
    /// A hold of this name was reached: no byte until it is released.
    Stalled(String),
    Released(String),
    /// Status line and headers, or with them the whole answer if it is not streamed.
    FirstByte(u16),
    /// The last bytes of a whole message.
    Finished,
    /// An `event: error` in the stream.
    Errored(String),
    /// The server cut the connection.
    Cut,
    /// The agent closed the connection before the message was finished.
    Left,
}

/// All marks of a server, in order.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    all: Arc<Mutex<Vec<Mark>>>,
}

impl Marks {
    pub(super) fn put(&self, request: usize, what: What) {
        let wall_ms = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        // Under the lock, so that the order of the list is the order of time.
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Mark { at: Instant::now(), wall_ms, request, what });
    }

    pub fn all(&self) -> Vec<Mark> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The first mark that `fits`, now or as soon as there is one.
    ///
    /// # Panics
    /// After the deadline, with `what`.
    #[track_caller]
    pub fn wait(&self, what: &str, mut fits: impl FnMut(&Mark) -> bool) -> Mark {
        wait::within(wait::PATIENCE, what, || self.all().into_iter().find(&mut fits))
    }

    /// The moment at which a hold of this name was reached, for the `nth` time from 0.
    #[track_caller]
    pub fn stalled(&self, name: &str, nth: usize) -> Mark {
        wait::until(&format!("the model to stall at {name}"), || {
            let stalled = |m: &Mark| matches!(&m.what, What::Stalled(at) if at == name);
            self.all().into_iter().filter(stalled).nth(nth)
        })
    }

    /// The moment at which the answer to this request was over, however it ended.
    #[track_caller]
    pub fn over(&self, request: usize) -> Mark {
        self.wait(&format!("the end of request {request}"), |mark| {
            let over = !matches!(
                mark.what,
                What::Received | What::Stalled(_) | What::Released(_) | What::FirstByte(..=399)
            );
            mark.request == request && over
        })
    }
}
