//! `--timeout`: how long is waited for what is not so yet.

use crate::client::ANSWER_WITHIN;
use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// A limit that is no time to wait for a hub: its first word has the time that every question has.
const BRIEF: Duration = Duration::from_secs(2);

/// How long the hub has for its first word.
fn first_word(limit: Duration) -> Duration {
    if limit < BRIEF { ANSWER_WITHIN } else { limit }
}

/// What `work` comes to; `None` once `limit` is over. As long as `work` has not `looked` how things stand, a
/// limit below two seconds leaves it the time that every question to the hub has, so that what is so already is
/// found.
pub(super) async fn within<T>(
    limit: Option<Duration>,
    looked: &Cell<bool>,
    work: impl Future<Output = T>,
) -> Option<T> {
    let Some(limit) = limit else { return Some(work.await) };
    let begun = Instant::now();
    let mut work = pin!(work);
    let mut due = pin!(sleep_until(begun + limit));
    let mut last = pin!(sleep_until(begun + first_word(limit)));
    poll_fn(|context| {
        if !looked.get() && last.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        if let Poll::Ready(outcome) = work.as_mut().poll(context) {
            return Poll::Ready(Some(outcome));
        }
        if looked.get() { due.as_mut().poll(context).map(|()| None) } else { Poll::Pending }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::task::yield_now;

    #[test]
    fn a_hub_that_says_nothing_is_waited_for_no_longer_than_was_asked() {
        let word = |ms| first_word(Duration::from_millis(ms));
        for ms in [0, 1, 1_999] {
            assert_eq!(word(ms), ANSWER_WITHIN, "{ms}: it only asks");
        }
        for ms in [2_000, 3_000, 60_000] {
            assert_eq!(word(ms), Duration::from_millis(ms));
        }
    }

    #[tokio::test]
    async fn the_first_look_is_taken_to_its_end_and_then_the_limit_counts() {
        let looked = Cell::new(false);
        let look = async {
            yield_now().await;
            7
        };
        assert_eq!(within(Some(Duration::ZERO), &looked, look).await, Some(7));
        let look = async {
            yield_now().await;
            looked.set(true);
            std::future::pending::<u8>().await
        };
        assert_eq!(within(Some(Duration::ZERO), &looked, look).await, None);
        assert!(looked.get());
        assert_eq!(within(None, &looked, async { 7 }).await, Some(7));
    }
}
