//! Whether it was started at a terminal with a prompt, which it takes once it has come up.
//!
//! Claude Code 2.1.330: `claude [options] [command] [prompt]`, with the options that `claude --help` lists (read). Its
//! session's start is told 0.6 to 3 s before that prompt, and its status file shows rest meanwhile (measured).

/// Options that have no value.
const ALONE: &[&str] = &[
    "--allow-dangerously-skip-permissions",
    "--ax-screen-reader",
    "--brief",
    "--chrome",
    "--dangerously-skip-permissions",
    "--disable-slash-commands",
    "--ide",
    "--no-chrome",
    "--strict-mcp-config",
    "--verbose",
];

/// Those that have one.
const WITH_VALUE: &[&str] = &[
    "--agent",
    "--agents",
    "--append-system-prompt",
    "--autocompact",
    "--debug-file",
    "--effort",
    "--fallback-model",
    "--model",
    "--name",
    "-n",
    "--permission-mode",
    "--plugin-dir",
    "--plugin-url",
    "--session-id",
    "--setting-sources",
    "--settings",
    "--system-prompt",
    "--system-prompt-snapshot",
];

/// Those that take every word up to the next option.
const WITH_VALUES: &[&str] = &[
    "--add-dir",
    "--allowedTools",
    "--allowed-tools",
    "--betas",
    "--disallowedTools",
    "--disallowed-tools",
    "--file",
    "--mcp-config",
    "--tools",
];

/// Does a prompt stand among the words of its command line, so that it surely begins with it? Behind an option that is not
/// known here nobody can tell.
pub(crate) fn has_prompt(words: &[&str]) -> bool {
    let Some(own) = own_words(words) else { return false };
    let mut words = own.iter().copied().peekable();
    while let Some(word) = words.next() {
        if word == "--" {
            return words.next().is_some_and(is_prompt);
        }
        if !word.starts_with('-') {
            return is_prompt(word);
        }
        if word.starts_with("--") && word.contains('=') {
            continue;
        }
        if WITH_VALUE.contains(&word) {
            words.next();
        } else if WITH_VALUES.contains(&word) {
            words.next();
            while words.next_if(|word| !word.starts_with('-')).is_some() {}
        } else if !ALONE.contains(&word) {
            return false;
        }
    }
    false
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
            &["claude", "-c", "fix the bug"],
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
