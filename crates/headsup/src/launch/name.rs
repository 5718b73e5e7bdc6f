//! What to call the agent of a command line.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Programs that only run another one.
const RUNNERS: [&str; 14] = [
    "npx", "bunx", "pnpx", "uvx", "node", "bun", "deno", "python", "python3", "env", "uv", "pnpm",
    "yarn", "npm",
];
/// Their own words before the one that they run.
const VERBS: [&str; 5] = ["run", "exec", "dlx", "x", "tool"];
/// Endings of scripts, which are no part of a name.
const ENDINGS: [&str; 5] = [".js", ".mjs", ".cjs", ".ts", ".py"];
/// Characters of a name.
const LONGEST: usize = 64;

/// The program's name, or the name of what it runs; never empty.
pub(crate) fn of(command: &[OsString]) -> String {
    let mut words = command.iter().map(|word| plain(word));
    let program = words.next().unwrap_or_default();
    if !RUNNERS.contains(&program.as_str()) {
        return legal(&program);
    }
    let is_one = |word: &OsString| {
        let word = word.to_string_lossy();
        !word.starts_with('-') && !word.contains('=') && !VERBS.contains(&&*word)
    };
    let run = command.iter().skip(1).find(|word| is_one(word));
    legal(&run.map_or(program, |word| plain(word)))
}

/// Without its folder, its scope, its version and its ending.
fn plain(word: &OsStr) -> String {
    let name = Path::new(word).file_name().unwrap_or(word).to_string_lossy();
    let name = name.split('@').find(|part| !part.is_empty()).unwrap_or_default();
    let ending = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    ending.unwrap_or(name).to_owned()
}

fn legal(name: &str) -> String {
    let is_legal = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = name.chars().filter(is_legal).take(LONGEST).collect();
    if name.is_empty() { "agent".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_called_by_what_it_runs() {
        for (command, name) in [
            ("some-agent --acp", "some-agent"),
            ("/usr/local/bin/some-agent acp", "some-agent"),
            ("./my agent.py", "my"),
            ("npx -y @scope/some-agent-acp@0.16.0 --x", "some-agent-acp"),
            ("npx some-agent@latest", "some-agent"),
            ("node /opt/agent/main.mjs --acp", "main"),
            ("env A=1 agent", "agent"),
            ("uv run agent", "agent"),
            ("npx", "npx"),
            ("\u{e9}", "agent"),
        ] {
            let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
            assert_eq!(of(&words), name, "{command}");
        }
    }
}
