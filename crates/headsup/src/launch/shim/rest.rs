//! What our terminal has not taken yet when the agent has ended: it is waited for, as the agent itself would have
//! waited, unless somebody wants us gone. The thread may be inside of a write that only the terminal ends: it then
//! goes with us.

use super::ended;
use super::shared::Shared;
use rustix::process::Signal;
use std::pin::pin;
use std::time::Duration;
use tokio::signal::unix::SignalKind;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

pub(super) struct Patience {
    /// A terminal that has not taken the last words by then may not be read at all.
    still: Duration,
    /// How long it may take for them where somebody wants us gone.
    last_words: Duration,
}

pub(super) const PATIENCE: Patience =
    Patience { still: Duration::from_secs(1), last_words: Duration::from_millis(500) };

/// Until our terminal has taken what the agent has said, or nobody waits for that any more. `hear_keys` is called
/// where it stands still: the keys that end a program then end this.
pub(super) async fn pass_on(
    shared: &Shared,
    signals: &mut mpsc::Receiver<SignalKind>,
    relay: &mut oneshot::Receiver<()>,
    patience: Patience,
    hear_keys: impl FnOnce(),
) {
    let mut hear_keys = Some(hear_keys);
    let mut still = pin!(sleep(patience.still));
    loop {
        tokio::select! {
            () = ended(relay) => return,
            Some(kind) = signals.recv() => if ends_us(kind) { break },
            () = &mut still, if hear_keys.is_some() => {
                if let Some(hear_keys) = hear_keys.take() {
                    hear_keys();
                }
            }
        }
    }
    // The same signal may have ended the agent, whose last words are on their way.
    timeout(patience.last_words, ended(relay)).await.ok();
    shared.leave();
    timeout(patience.last_words, ended(relay)).await.ok();
}

/// Whether a program that does not hear it ends of it.
fn ends_us(kind: SignalKind) -> bool {
    kind != SignalKind::window_change() && kind.as_raw_value() != Signal::CONT.as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(1);

    #[tokio::test]
    async fn whoever_wants_us_gone_waits_for_no_thread_that_hangs() {
        let patience = Patience { still: LONG, last_words: SHORT };
        let shared = Shared::new(None).unwrap();
        let (to, mut signals) = mpsc::channel(1);
        let (_thread, mut relay) = oneshot::channel();
        to.send(SignalKind::terminate()).await.unwrap();
        let passed_on = pass_on(&shared, &mut signals, &mut relay, patience, || {});
        assert!(timeout(LONG / 2, passed_on).await.is_ok() && shared.leaves());
    }

    #[tokio::test]
    async fn a_terminal_that_stands_still_is_waited_for_and_its_keys_are_heard() {
        let patience = Patience { still: SHORT, last_words: SHORT };
        let shared = Shared::new(None).unwrap();
        let (to, mut signals) = mpsc::channel(1);
        let (thread, mut relay) = oneshot::channel();
        to.send(SignalKind::window_change()).await.unwrap();
        let hear_keys = || thread.send(()).unwrap();
        pass_on(&shared, &mut signals, &mut relay, patience, hear_keys).await;
        assert!(!shared.leaves());
    }
}
