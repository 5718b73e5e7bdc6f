//! What the program has to know that starts after all: two more words on its command line, which
//! `headsup/src/hook/before.rs` reads.

use crate::report::ID;
use crate::system::{self, Stack};
use crate::text::Text;

/// What stands before the second word.
const MARK: &[u8] = b"--after\0";

pub(crate) struct Handover {
    /// When the process started, on the monotonic clock. Nanoseconds.
    pub(crate) start: u64,
    /// When standard input was read to its end; 0: it was not.
    pub(crate) read_at: u64,
    pub(crate) id: [u8; ID],
    /// The hub may have it: it is not asked again.
    pub(crate) is_tried: bool,
}

impl Handover {
    /// `FD:START:READ:ID:TRIED`; the file holds what was read.
    pub(crate) fn leave(
        &self,
        stack: &mut Stack,
        words: &'static mut [u8],
        body: &[u8],
    ) -> Option<()> {
        let file = system::file_in_memory()?;
        let mut left = body;
        while !left.is_empty() {
            let written = usize::try_from(file.write(left)).ok().filter(|written| *written > 0)?;
            left = left.get(written..)?;
        }
        let mut text = Text::new(words);
        text.number(u64::try_from(file.number()).ok()?);
        for moment in [self.start, self.read_at] {
            text.push(b":");
            text.number(moment);
        }
        text.push(b":");
        text.push(&self.id);
        text.push(if self.is_tried { b":1\0" } else { b":0\0" });
        stack.append([MARK, text.done()?]);
        Some(())
    }
}
