//! How long whoever asked the hub still waits for its answer. What the hub asks others for that has no more
//! time: the answer says then who was silent, before anybody believes that of the hub.

use std::time::Duration;
use tokio::time::Instant;

tokio::task_local! {
    static UNTIL: Instant;
}

/// The clients of a hub give up after 10 s.
pub(crate) const ANSWERED_WITHIN: Duration = Duration::from_secs(8);

/// Does it for somebody who waits so long.
pub(crate) async fn within<F: Future>(patience: Duration, work: F) -> F::Output {
    UNTIL.scope(Instant::now() + patience, work).await
}

/// What is left of the time of whoever waits, `most` at most; where nobody waits, `most`.
pub(crate) fn left(most: Duration) -> Duration {
    let left = UNTIL.try_with(|until| until.saturating_duration_since(Instant::now()));
    left.map_or(most, |left| left.min(most))
}

/// For what is to be done elsewhere. The rest is for a look at what has come of it.
pub(crate) fn left_for_acts() -> Duration {
    left(ANSWERED_WITHIN) * 2 / 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn nobody_is_waited_for_longer_than_somebody_waits() {
        let hour = Duration::from_secs(3_600);
        assert_eq!(left(hour), hour);
        within(Duration::from_secs(8), async {
            assert_eq!(
                (left(hour), left(Duration::ZERO)),
                (Duration::from_secs(8), Duration::ZERO)
            );
            tokio::time::advance(Duration::from_secs(5)).await;
            assert_eq!(
                (left(hour), left_for_acts()),
                (Duration::from_secs(3), Duration::from_secs(2))
            );
            tokio::time::advance(hour).await;
            assert_eq!(left(hour), Duration::ZERO);
        })
        .await;
    }
}
