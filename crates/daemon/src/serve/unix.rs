//! The unix socket: connections of the hub's own user.

use super::{ACCEPT_PAUSE, Door};
use crate::peer;
use tokio::net::UnixListener;
use tokio::runtime::Handle;

/// With so many event streams one thread does not write to all of them.
const CROWD: i64 = 16;

/// Until the hub's end. In a crowd every other connection is served by the runtime `beside`: that it will be a
/// stream is not known yet.
pub(super) async fn accept(listener: UnixListener, mut door: Door, beside: Option<Handle>) {
    let own_uid = peer::own_uid();
    let here = Handle::current();
    let mut turn = false;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = door.stopped.changed() => return,
        };
        match accepted {
            Ok((stream, _)) if peer::is_ours(&stream, own_uid) => {
                let peer = peer::process(&stream);
                turn = !turn;
                let is_crowded = turn && door.metrics.subscribers.get() >= CROWD;
                let at = beside.as_ref().filter(|_| is_crowded).unwrap_or(&here);
                drop(at.spawn(door.clone().connection(stream, None, peer, None)));
            }
            // Closed without a word.
            Ok(_) => door.metrics.refusal("foreign_peer"),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
