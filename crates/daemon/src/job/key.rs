//! Which request this is, however often it is sent.

use xxhash_rust::xxh3::Xxh3;

/// The idempotency key of a request, with a digest of its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) id: String,
    pub(crate) digest: u64,
}

impl Key {
    /// 1 to 128 printable ASCII characters, or nothing. `target` is what the request is for: the
    /// same body for another agent is another request.
    pub(crate) fn new(id: &str, target: &str, body: &[u8]) -> Option<Self> {
        Self::fits(id).then(|| {
            let mut digest = Xxh3::new();
            digest.update(target.as_bytes());
            digest.update(&[0]);
            digest.update(body);
            Self { id: id.to_owned(), digest: digest.digest() }
        })
    }

    /// Whether a request can be known by it.
    pub(crate) fn fits(id: &str) -> bool {
        let printable = |byte: u8| (b' '..=b'~').contains(&byte);
        (1..=128).contains(&id.len()) && id.bytes().all(printable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idempotency_id_is_short_printable_ascii() {
        for good in ["1", "a b", "~", &"x".repeat(128)] {
            assert!(Key::new(good, "", b"").is_some(), "{good}");
        }
        for bad in ["", "é", "a\tb", "\u{7f}", &"x".repeat(129)] {
            assert!(Key::new(bad, "", b"").is_none(), "{bad}");
        }
    }
}
