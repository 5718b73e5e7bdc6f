//! Answers that are asked for again with "unless it is as it was": an answer of 304 costs nothing of
//! what a host allows.

use bytes::Bytes;
use std::collections::HashMap;

/// Answers kept.
const MOST: usize = 256;
/// A longer one is not kept. Bytes.
const LONGEST: usize = 256 << 10;

#[derive(Debug, Default)]
pub(super) struct Etags {
    kept: HashMap<String, Kept>,
    /// Counts uses.
    uses: u64,
}

#[derive(Debug)]
struct Kept {
    etag: String,
    body: Bytes,
    used: u64,
}

impl Etags {
    pub(super) fn etag(&self, path: &str) -> Option<String> {
        self.kept.get(path).map(|kept| kept.etag.clone())
    }

    /// What was answered before.
    pub(super) fn body(&mut self, path: &str) -> Option<Bytes> {
        self.uses += 1;
        let kept = self.kept.get_mut(path)?;
        kept.used = self.uses;
        Some(kept.body.clone())
    }

    pub(super) fn keep(&mut self, path: &str, etag: &str, body: &Bytes) {
        if body.len() > LONGEST {
            self.kept.remove(path);
            return;
        }
        self.uses += 1;
        let kept = Kept { etag: etag.to_owned(), body: body.clone(), used: self.uses };
        self.kept.insert(path.to_owned(), kept);
        if self.kept.len() > MOST {
            let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.used);
            if let Some(oldest) = oldest.map(|(path, _)| path.clone()) {
                self.kept.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_used_answer_goes_first_and_a_long_one_is_not_kept() {
        let mut etags = Etags::default();
        let body = Bytes::from_static(b"{}");
        for n in 0..MOST {
            etags.keep(&n.to_string(), "e", &body);
        }
        assert!(etags.body("0").is_some());
        etags.keep("new", "e", &body);
        assert!(etags.etag("0").is_some() && etags.etag("new").is_some());
        assert_eq!(etags.etag("1"), None);
        etags.keep("0", "f", &Bytes::from(vec![0; LONGEST + 1]));
        assert_eq!(etags.etag("0"), None);
    }
}
