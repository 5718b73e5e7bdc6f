//! What `--output-format stream-json` writes: in the words of Claude Code, of which it has a part.
//!
//! Qwen Code 0.24.4 (measured: `fixtures/qwen-code/0.24.4/headless`).

use crate::claude_code::stream::Run;
use crate::stream::Shown;

pub(crate) fn read(run: &mut Run, line: &str) -> Option<Shown> {
    run.read(line)
}
