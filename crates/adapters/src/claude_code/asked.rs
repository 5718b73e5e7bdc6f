//! Whether it was started at a terminal with a prompt, which it takes once it has come up.
//!
//! Claude Code 2.1.330: `claude [options] [command] [prompt]` (its help). Its session's start is told 0.6 to 3 s before
//! that prompt, and its status file shows rest meanwhile (measured).

use super::KIND;
use crate::resume;

/// Does a prompt stand among the words of its command line, so that it surely begins with it? Behind an option that is not
/// known nobody can tell, but for what stands behind the end of all options.
pub(crate) fn has_prompt(words: &[&str]) -> bool {
    let Some(own) = own_words(words) else { return false };
    let mut parts = own.splitn(2, |word| *word == "--");
    let first = parts.next().and_then(|options| resume::surely(KIND, options));
    let behind = || parts.next()?.first().copied();
    first.or_else(behind).is_some_and(is_prompt)
}

/// What stands behind the program, which a runtime may run.
fn own_words<'a, 'b>(words: &'a [&'b str]) -> Option<&'a [&'b str]> {
    let (first, behind) = words.split_first()?;
    if is_its(first) {
        return Some(behind);
    }
    let script = behind.iter().position(|word| !word.starts_with('-'))?;
    let (up_to_it, behind) = behind.split_at(script + 1);
    up_to_it.last().filter(|word| is_its(word)).map(|_| behind)
}

fn is_its(word: &str) -> bool {
    word.contains("claude")
}

/// One word alone may be a command of the program's (`doctor`), and what begins with one of these signs is one of a
/// person's (`/model`, `!ls`), of which no prompt is told.
fn is_prompt(word: &str) -> bool {
    let word = word.trim();
    word.contains(char::is_whitespace) && !word.starts_with(['/', '!'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_told_from_options_and_their_values() {
        for words in [
            &["claude", "fix the bug"][..],
            &["/usr/bin/claude", "--model", "opus", "fix the bug", "--verbose"],
            &["claude", "--permission-mode=plan", "--dangerously-skip-permissions", "fix the bug"],
            &["claude", "--allowedTools", "Bash", "Edit", "--model", "x", "fix the bug"],
            &["claude", "-n", "my name", "--", "- fix the bug"],
            &["node", "--max-old-space-size=9", "/lib/claude-code/cli.js", "fix the bug"],
            // It goes on with a conversation, of whose start no more is told than of any other.
            &["claude", "-c", "fix the bug"],
        ] {
            assert!(has_prompt(words), "{words:?}");
        }
        for words in [
            &["claude"][..],
            &[],
            &["claude", "--model", "opus"],
            &["claude", "--append-system-prompt", "be very brief"],
            &["claude", "--allowedTools", "Bash(git *)", "Bash(ls *)"],
            &["claude", "--settings={\"a\": 1}", "--add-dir", "/my projects"],
            // It may have a value.
            &["claude", "--resume", "my last session"],
            &["claude", "--worktree", "fix the bug"],
            &["claude", "--of-a-later-version", "fix the bug"],
            // A command, of the program's own or of a person's.
            &["claude", "doctor"],
            &["claude", "mcp", "add the server"],
            &["claude", "/model opus please"],
            &["claude", "!ls -l"],
            &["claude", ""],
            &["claude", "--"],
            // Another program that runs its hooks.
            &["python3", "play.py", "fix the bug"],
            &["sh", "-c", "fix the bug"],
        ] {
            assert!(!has_prompt(words), "{words:?}");
        }
    }
}
