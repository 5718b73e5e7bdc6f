//! The unix socket: connections of the hub's own user.

use super::attended::Attended;
use super::{ACCEPT_PAUSE, Door};
use crate::limits::{self, HEAD_TIME, HEAD_TIME_WHERE_SHORT};
use crate::peer;
use std::os::fd::AsRawFd as _;
use tokio::net::UnixListener;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

/// With so many event streams one thread does not write to all of them.
const CROWD: i64 = 16;

/// Until the hub's end, at the last of the listeners. In a crowd the runtime `beside` serves about half of the
/// connections: that one will be a stream is not known yet.
pub(super) async fn accept(
    mut listener: UnixListener,
    mut others: mpsc::UnboundedReceiver<UnixListener>,
    mut door: Door,
    beside: Option<Handle>,
) {
    let (own_uid, short_from) = (peer::own_uid(), limits::short_from());
    let here = Handle::current();
    let mut count = 0;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(other) = others.recv() => {
                listener = other;
                continue;
            }
            _ = door.stopped.changed() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                let Some(peer) = peer::process(&stream, own_uid) else {
                    // Closed without a word.
                    door.metrics.refusal("foreign_peer");
                    continue;
                };
                count += 1;
                let is_beside = falls_beside(count) && door.metrics.subscribers.get() >= CROWD;
                let at = beside.as_ref().filter(|_| is_beside).unwrap_or(&here);
                // The system gives the lowest number that is free.
                let file = u64::try_from(stream.as_raw_fd()).unwrap_or(0);
                let head_time = if file < short_from { HEAD_TIME } else { HEAD_TIME_WHERE_SHORT };
                let stream = Attended::new(stream);
                drop(at.spawn(door.clone().connection(stream, None, peer, None, head_time)));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Half of them, in no rhythm: a client that asks something before it opens its stream makes every other
/// connection a stream.
fn falls_beside(count: u64) -> bool {
    // Fibonacci hashing.
    count.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_crowd_half_falls_beside_whatever_else_its_members_ask() {
        for between in 1..=4 {
            let streams = (0..100).map(|n| 1 + n * between);
            let beside = streams.filter(|count| falls_beside(*count)).count();
            assert!((30..=70).contains(&beside), "{beside} of 100, {between} connections each");
        }
    }
}
