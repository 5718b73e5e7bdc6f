//! What `--output-format stream-json` writes: in the words of Claude Code, of which it has a part.
//!
//! Qwen Code 0.24.4 (measured: `fixtures/qwen-code/0.24.4/headless`).

use crate::claude_code;
use crate::stream::Shown;

pub(crate) fn read(line: &str) -> Option<Shown> {
    claude_code::stream::read(line)
}
