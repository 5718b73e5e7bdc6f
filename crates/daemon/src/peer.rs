//! Who may speak on the unix socket: the user the hub runs as.

use tokio::net::UnixStream;

/// Checks the other end before anything it sends is read. Not root either: an answer to a prompt
/// must come from the user.
pub(crate) fn is_ours(stream: &UnixStream, own_uid: u32) -> bool {
    let peer = stream.peer_cred().map(|peer| peer.uid());
    admits(own_uid, peer.ok())
}

/// The user the hub runs as.
pub(crate) fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn admits(own: u32, peer: Option<u32>) -> bool {
    peer == Some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_user_is_admitted() {
        assert!(admits(1000, Some(1000)));
        assert!(!admits(1000, Some(1001)));
        assert!(!admits(1000, Some(0)));
        assert!(!admits(1000, None));
    }

    #[tokio::test]
    async fn the_kernel_says_who_it_is() {
        let (one, other) = UnixStream::pair().unwrap();
        assert!(is_ours(&one, own_uid()) && is_ours(&other, own_uid()));
        assert!(!is_ours(&one, own_uid() + 1));
    }
}
