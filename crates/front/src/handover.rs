//! What the program has to know that starts after all: two more words on its command line, which
//! `headsup/src/hook/before.rs` reads.

use crate::report::ID;
use crate::system::Stack;
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
    /// `START:READ:ID:TRIED:BODY`. What was read stays in our memory, which is the program's: a file or a pipe
    /// to hand it over by might not be had, and it cannot be read a second time.
    pub(crate) fn leave(
        &self,
        stack: &mut Stack,
        words: &'static mut [u8],
        body: &[u8],
    ) -> Option<()> {
        let mut text = Text::new(words);
        for moment in [self.start, self.read_at] {
            text.number(moment);
            text.push(b":");
        }
        text.push(&self.id);
        text.push(if self.is_tried { b":1:" } else { b":0:" });
        text.without_zeros(body);
        text.push(b"\0");
        stack.append([MARK, text.done()?]);
        Some(())
    }
}
