//! Whether a process above a hook is the agent's program, or only what that has called the hook by.

use crate::context::is_shell;
use crate::mapped::map::Map;
use crate::{claude_code, codex, copilot_cli, gemini_cli, mapped, opencode, qwen_code};

/// Programs that run whatever they are told to, by the names that they are started by, without their version.
const RUNNERS: [&str; 13] = [
    "node",
    // What Node calls its process from version 24 on.
    "MainThread",
    "bun",
    "deno",
    "npm",
    "npx",
    "pnpm",
    "python",
    "uv",
    "perl",
    "ruby",
    "php",
    "busybox",
];

/// Their options that have a value of their own behind them (`node --help` of 20.20, `python3 --help` of 3.13).
const VALUED: [&str; 10] = [
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "-C",
    "--conditions",
    "--env-file",
    "-W",
    "-X",
];

/// Their options behind which a program itself stands, and no file.
const INLINE: [&str; 5] = ["-c", "-e", "-p", "--eval", "--print"];

/// What the program of one kind is known by.
#[derive(Clone, Copy)]
enum Known {
    /// Its own names, which no other program has, and the folder in which its scripts lie, whatever they are called: that
    /// of its package, or of its repository.
    Built(&'static [&'static str], &'static str),
    Mapped(&'static Map),
}

impl Known {
    fn of(kind: &str) -> Option<Self> {
        let (names, folder) = match kind {
            claude_code::KIND => (claude_code::PROGRAMS, "claude-code"),
            codex::KIND => (codex::PROGRAMS, "@openai/codex"),
            gemini_cli::KIND => (gemini_cli::RECIPE.programs, "gemini-cli"),
            qwen_code::KIND => (qwen_code::RECIPE.programs, "qwen-code"),
            copilot_cli::KIND => (copilot_cli::RECIPE.programs, "@github/copilot"),
            // Our plugin calls the hook from within the program's own process, whatever that is called.
            opencode::KIND | opencode::KILO => (opencode::PROGRAMS, "opencode-ai"),
            _ => return mapped::of(kind).map(Self::Mapped),
        };
        Some(Self::Built(names, folder))
    }

    fn is_named(self, name: &str) -> bool {
        match self {
            Self::Built(names, _) => names.contains(&name),
            Self::Mapped(map) => {
                let is_process = map.processes.iter().any(|process| process == name);
                let is_own = is_process && !map.interpreters.iter().any(|other| other == name);
                is_own || map.programs.iter().any(|program| program == name)
            }
        }
    }

    fn has_script(self, script: &str) -> bool {
        let is_in = |folder: &str| script.contains(&format!("/{folder}/"));
        let is_in_one = match self {
            Self::Built(_, folder) => is_in(folder),
            Self::Mapped(map) => map.folders.iter().any(|folder| is_in(folder)),
        };
        is_in_one || self.is_named(stem(script))
    }

    fn told(self, comm: &str, command_line: impl FnOnce() -> Option<Vec<String>>) -> Above {
        if self.is_named(comm) {
            return Above::Program;
        }
        let Some(words) = command_line() else { return Above::Unclear };
        let first = words.first().map_or("", String::as_str);
        // Its own name may be there in the place of the interpreter's.
        if self.is_named(stem(first)) {
            return Above::Program;
        }
        if !is_runner(comm) && !is_runner(first) {
            return Above::Unclear;
        }
        match script(&words).is_some_and(|script| self.has_script(script)) {
            true => Above::Program,
            false => Above::Script,
        }
    }
}

/// What the command line of a process above a hook says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Above {
    /// It is the agent's program.
    Program,
    /// It only stands between the hook and its agent: a script that calls hooks, in whatever language.
    Script,
    /// It is another program, or its words are not known.
    Unclear,
}

/// What a process called `comm`, which is no shell, is above a hook of this kind.
pub fn above(kind: &str, comm: &str, command_line: impl FnOnce() -> Option<Vec<String>>) -> Above {
    match Known::of(kind) {
        Some(known) => known.told(comm, command_line),
        None => Above::Unclear,
    }
}

/// Whether a process called so may be a program of this kind: it has a name of its own, or that of what may run it.
pub fn may_be_program(kind: &str, comm: &str) -> bool {
    let known = Known::of(kind);
    known.is_some_and(|known| known.is_named(comm) || RUNNERS.contains(&comm))
}

/// Whether a script in the language of this kind's program is never taken for that, although nobody else is there who may
/// be: any machine has many of them.
pub fn is_named_by_its_script(kind: &str) -> bool {
    mapped::of(kind).is_some_and(|map| !map.interpreters.is_empty())
}

/// Whether this is the name, or the path, of a program that runs others: `/usr/bin/python3.13`, and `npm exec thing`,
/// which some of them write over their command line.
fn is_runner(program: &str) -> bool {
    let program = program.split(' ').next().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    is_shell(name) || RUNNERS.contains(&name)
}

/// The script, or the module, that a runner was started with.
fn script(words: &[String]) -> Option<&str> {
    let mut words = words.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        if INLINE.contains(&word) {
            return None;
        }
        if VALUED.contains(&word) {
            words.next();
        } else if !word.starts_with('-') && word != "run" {
            return Some(word);
        }
    }
    None
}

/// A file's name without what stands behind its first dot.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(kind: &str, comm: &str, line: &[&str]) -> Above {
        above(kind, comm, || Some(line.iter().map(|word| (*word).to_owned()).collect()))
    }

    #[test]
    fn an_interpreter_is_its_program_where_its_command_line_names_it() {
        for words in [
            &["/opt/vibe/bin/python", "/opt/vibe/bin/vibe"][..],
            &["python3", "-I", "/home/dev/.local/bin/vibe", "--agent", "plan"],
            &["python3", "-m", "vibe.cli.entrypoint"],
        ] {
            assert_eq!(is("mistral-vibe", "python3", words), Above::Program, "{words:?}");
        }
        for words in [
            &["python3", "-m", "pytest", "tests/vibe"][..],
            &["python3", "-c", "import vibe"],
            &["python3", "run.py", "vibe"],
            &["python3"],
            &[],
        ] {
            assert_eq!(is("mistral-vibe", "python", words), Above::Script, "{words:?}");
            let own = is("mistral-vibe", "vibe", words);
            assert_eq!(own, Above::Program, "its own name is nobody else's");
        }
        let ended = above("mistral-vibe", "python", || None);
        assert_eq!(ended, Above::Unclear);
    }

    #[test]
    fn a_program_of_a_runtime_is_known_by_its_script() {
        let modules = "/usr/lib/node_modules";
        for (kind, line) in [
            ("gemini-cli", "node /usr/bin/gemini -y"),
            (
                "gemini-cli",
                "/opt/node --max-old-space-size=9 MODULES/@google/gemini-cli/bundle/x.js",
            ),
            ("gemini-cli", "node -r /srv/trace/init.js /usr/bin/gemini"),
            ("gemini-cli", "bun run /srv/bundle/gemini.js"),
            ("qwen-code", "node MODULES/@qwen-code/qwen-code/cli.js -p hi"),
            ("copilot-cli", "node MODULES/@github/copilot/npm-loader.js"),
            ("qwen-code", "node /home/dev/.local/lib/qwen-code/lib/cli.js"),
            ("copilot-cli", "/srv/copilot-linux-x64/copilot --resume"),
            ("auggie", "node MODULES/@augmentcode/auggie/augment.mjs"),
            ("cursor", "/home/dev/.local/bin/cursor-agent --use-system-ca /srv/index.js"),
            ("cursor", "agent /home/dev/.local/share/cursor-agent/versions/2026.07.23/index.js"),
            ("mastra", "node MODULES/mastracode/dist/cli.js"),
            ("codex", "node /usr/bin/codex"),
            ("claude-code", "node MODULES/@anthropic-ai/claude-code/cli.js"),
        ] {
            let line = line.replace("MODULES", modules);
            let words: Vec<&str> = line.split(' ').collect();
            for comm in ["node", "MainThread", "bun"] {
                assert_eq!(is(kind, comm, &words), Above::Program, "{kind} {comm} {words:?}");
            }
        }
    }

    #[test]
    fn a_script_that_calls_hooks_is_no_agent() {
        let kinds = crate::kinds().iter().filter(|kind| crate::inject::recipe(kind).is_some());
        let within = ["opencode", "kilo", "pi"];
        for kind in kinds.filter(|kind| !within.contains(kind)) {
            for (comm, line) in [
                ("node", "node /home/dev/hooks/wrapper.js gemini qwen copilot"),
                ("MainThread", "node --import /srv/gemini wrapper.mjs"),
                ("node", "node -e code"),
                ("bun", "bun run hook.ts"),
                ("python3", "/usr/bin/python3.13 notify.py"),
                ("notify.sh", "/bin/bash /home/dev/notify.sh"),
                ("npm exec tell-it", "npm"),
                ("uv", "uv run hook.py"),
            ] {
                let words: Vec<&str> = line.split(' ').collect();
                assert_eq!(is(kind, comm, &words), Above::Script, "{kind} {line}");
            }
            for (comm, line) in [("tmux: server", "tmux"), ("headsup", "headsup run"), ("x", "x y")]
            {
                let words: Vec<&str> = line.split(' ').collect();
                assert_eq!(is(kind, comm, &words), Above::Unclear, "{kind} {line}");
            }
        }
        // Our plugin is in the process itself.
        for kind in within {
            assert_eq!(is(kind, "node", &["node", "app.js"]), Above::Program, "{kind}");
        }
        assert_eq!(is("acp:agent", "node", &["node", "app.js"]), Above::Unclear);
    }
}
