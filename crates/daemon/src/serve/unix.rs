//! The unix socket: connections of the hub's own user.

use super::{ACCEPT_PAUSE, Door};
use crate::peer;
use tokio::net::UnixListener;

/// Until the hub's end.
pub(super) async fn accept(listener: UnixListener, mut door: Door) {
    let own_uid = peer::own_uid();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = door.stopped.changed() => return,
        };
        match accepted {
            Ok((stream, _)) if peer::is_ours(&stream, own_uid) => {
                let peer = peer::process(&stream);
                tokio::spawn(door.clone().connection(stream, None, peer, None));
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
