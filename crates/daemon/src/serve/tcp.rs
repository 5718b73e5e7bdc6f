//! TCP: anybody's connections, and not more than are good for those on the unix socket.

use super::{ACCEPT_PAUSE, Door, Origin};
use crate::limits::{self, HEAD_TIME};
use crate::namespaces::Peer;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Until the listener's end, or the hub's.
pub(crate) async fn accept(listener: TcpListener, mut door: Door) {
    let places = Arc::new(Semaphore::new(limits::tcp_connections()));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = door.stopped.changed() => return,
        };
        match accepted {
            Ok((stream, _)) => match Arc::clone(&places).try_acquire_owned() {
                Ok(place) => {
                    // Events are small and must not wait for more.
                    stream.set_nodelay(true).ok();
                    // Whoever has left already has no address.
                    let Ok(origin) = Origin::of(&stream) else { continue };
                    let (origin, place) = (Some(origin), Some(place));
                    tokio::spawn(door.clone().connection(
                        stream,
                        origin,
                        Peer::Remote,
                        place,
                        HEAD_TIME,
                    ));
                }
                // Closed without a word: an answer would need what there is none of.
                Err(_) => door.metrics.refusal("too_many_connections"),
            },
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
