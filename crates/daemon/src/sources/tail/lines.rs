//! Whole lines, cut out of what is added to a log.

/// What has come of a line that is not whole.
#[derive(Debug)]
pub(super) struct Lines {
    /// Bytes of a line at most.
    longest: u64,
    partial: Vec<u8>,
    skipping: bool,
}

impl Lines {
    pub(super) fn new(longest: u64) -> Self {
        Self { longest, partial: Vec::new(), skipping: false }
    }

    /// These bytes are the beginning of a line; what was before is of no other.
    pub(super) fn begin_with(&mut self, partial: Vec<u8>) {
        *self = Self { partial, ..Self::new(self.longest) };
    }

    /// Hands over the lines that are whole with these bytes, but for empty ones; how many were too long.
    pub(super) fn take(&mut self, new: &[u8], mut to: impl FnMut(Vec<u8>)) -> u64 {
        let (mut rest, mut skipped) = (new, 0);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = (&rest[..end], &rest[end + 1..]);
            rest = after;
            if std::mem::take(&mut self.skipping) {
                self.partial.clear();
                continue;
            }
            let mut whole = std::mem::take(&mut self.partial);
            whole.extend_from_slice(line);
            if whole.len() as u64 > self.longest {
                skipped += 1;
            } else if !whole.is_empty() {
                to(whole);
            }
        }
        if self.skipping {
            return skipped;
        }
        self.partial.extend_from_slice(rest);
        if self.partial.len() as u64 > self.longest {
            self.partial = Vec::new();
            self.skipping = true;
            skipped += 1;
        }
        skipped
    }
}
