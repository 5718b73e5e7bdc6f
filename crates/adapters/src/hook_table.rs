//! What the hook client has to know of each agent program before the hub can be asked.
//!
//! The hook runs at every event of every agent: a look-up here is a scan of a short constant.

mod events;
mod told;

pub(crate) use events::{
    CLAUDE_CODE_EVENTS, CODEX_EVENTS, COPILOT_CLI_EVENTS, GEMINI_CLI_EVENTS, QWEN_CODE_EVENTS,
};

use crate::copilot_cli::ready;
use crate::{claude_code, codex, mapped, qwen_code};
use events::Events;
use headsup_core::status::Returns;
use told::{OTHERS, TOLD, Told};

struct Row {
    kind: &'static str,
    headless: Option<Headless>,
    /// Its session's end is told also after a run that nobody can type to.
    parts_with_a_word: bool,
    /// A conversation goes on when a person turns to another one in the same terminal.
    goes_on_beside: bool,
    /// What that returns with which it is launched without a terminal.
    returns: Returns,
}

/// How a run that nobody can type to is told from how its program was started, where its hooks do not
/// say so.
#[derive(Clone, Copy, Debug)]
pub struct Headless {
    /// What the path of its program has in it.
    program: &'static str,
    /// One of these is among the words of its command line.
    words: &'static [&'static str],
    /// It also runs so when its input is no terminal.
    by_input: bool,
    /// It also runs so when the first word of its command line is no option.
    by_question: bool,
    /// It also runs so where this is true of its command line: of words that may as well be what is said to it.
    by_command: Option<fn(&[&str]) -> bool>,
    /// It does not run so, and begins with a prompt all the same, where this is true of its command line.
    by_prompt: Option<fn(&[&str]) -> bool>,
}

impl Headless {
    /// `words`: the command line, which begins with the runtime, its options and the program's path
    /// where a runtime runs it. `terminal`: whether its input is one.
    pub fn is(&self, words: &[&str], terminal: bool) -> bool {
        self.is_asked(words) || (self.by_input && !terminal)
    }

    /// Whether its prompt stands there as well, so that it waits for none: whoever speaks to it line by line has still
    /// to say something. Of a line that is not surely the program's own nothing of that is believed.
    pub fn has_its_prompt(&self, words: &[&str]) -> bool {
        let script = words.iter().skip(1).find(|word| !word.starts_with('-'));
        let is_its =
            words.first().into_iter().chain(script).any(|word| word.contains(self.program));
        let is_command = |word: &&str| self.by_question && qwen_code::COMMANDS.contains(word);
        let is_answered = words.windows(2).any(|pair| pair == ["--input-format", "stream-json"])
            || words.contains(&"--input-format=stream-json");
        is_its && self.is_asked(words) && !is_answered && !words.iter().any(is_command)
    }

    /// Whether somebody can type to it, and it was started with a prompt that it takes first. Of a line that is not surely
    /// the program's own nothing of that is believed.
    pub fn begins_with_a_prompt(&self, words: &[&str], terminal: bool) -> bool {
        let has_one = self.by_prompt.is_some_and(|has_prompt| has_prompt(words));
        has_one && terminal && !self.is(words, terminal)
    }

    fn is_asked(&self, words: &[&str]) -> bool {
        let own = words.get(1..).unwrap_or_default();
        let is_one = |word: &&str| {
            let name = word.split_once('=').map_or(*word, |(name, _)| name);
            self.words.contains(&name)
        };
        let is_option = |word: &&&str| word.starts_with('-');
        let asks = own.iter().skip_while(is_option).nth(1).is_some_and(|word| !is_option(&word));
        let is_told = self.by_command.is_some_and(|is_one_run| is_one_run(words));
        own.iter().any(is_one) || (self.by_question && asks) || is_told
    }
}

/// What most programs agree on.
const PRINTS: Headless = Headless {
    program: "gemini",
    words: &["-p", "--prompt"],
    by_input: true,
    by_question: false,
    by_command: None,
    by_prompt: None,
};

const CLAUDE_CODE: Row = Row {
    kind: "claude-code",
    // A variable says that nobody can type to it, in print mode and under a host alike; `-p` that it has its prompt,
    // which it takes once all hooks of its start have ended, however long they take (2.1.330, measured).
    headless: Some(Headless {
        program: "claude",
        words: &["-p", "--print"],
        by_input: false,
        by_prompt: Some(claude_code::asked::has_prompt),
        ..PRINTS
    }),
    parts_with_a_word: true,
    goes_on_beside: false,
    returns: Returns::OneIfKilled,
};

const CODEX: Row = Row {
    kind: "codex",
    headless: Some(Headless {
        program: "codex",
        words: &["exec"],
        by_input: false,
        by_command: Some(codex::is_one_run),
        by_prompt: Some(codex::terminal::is_prompted),
        ..PRINTS
    }),
    parts_with_a_word: true,
    // From its list of agents ("Agent command center", 0.169.0, measured); `/new` and the like wait for the turn's end.
    goes_on_beside: true,
    // npm's launcher becomes it, or ends by its signal; it returns 1 for an error of its model's (0.169.0, measured).
    returns: Returns::ItsOwn,
};

const QWEN_CODE: Row = Row {
    kind: "qwen-code",
    // `qwen "a question"` as well (0.24.4, read).
    headless: Some(Headless { program: "qwen", by_question: true, ..PRINTS }),
    // The last hook of `qwen -p` is `Stop` (0.24.4, measured).
    parts_with_a_word: false,
    goes_on_beside: false,
    // Its launcher kills itself with it, and else returns what it has returned: 1 for an error of the
    // API, where it writes text (0.24.4, read).
    returns: Returns::ItsOwn,
};

const GEMINI_CLI: Row = Row {
    kind: "gemini-cli",
    headless: Some(PRINTS),
    parts_with_a_word: true,
    goes_on_beside: false,
    returns: Returns::OneIfKilled,
};

const COPILOT_CLI: Row = Row {
    kind: "copilot-cli",
    headless: Some(Headless {
        program: "copilot",
        by_input: false,
        by_command: Some(ready::is_one_run),
        ..PRINTS
    }),
    parts_with_a_word: true,
    goes_on_beside: false,
    returns: Returns::OneIfKilled,
};

const OPENCODE: Row = Row {
    kind: "opencode",
    // The plugin says it.
    headless: None,
    // The end of `opencode run` its process alone tells (1.18.33, measured).
    parts_with_a_word: false,
    // Its status is each session's own, whichever one the terminal shows (1.18.33, not provoked in a terminal).
    goes_on_beside: true,
    returns: Returns::OneIfKilled,
};

const KILO: Row = Row { kind: "kilo", ..OPENCODE };

const TABLE: &[Row] = &[CLAUDE_CODE, CODEX, COPILOT_CLI, GEMINI_CLI, KILO, OPENCODE, QWEN_CODE];

fn told(kind: &str) -> &'static Told {
    TOLD.iter().find(|told| told.kind == kind).unwrap_or(&OTHERS)
}

fn row(kind: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.kind == kind)
}

/// Names of the environment variables that a hook of this kind may report, and no others.
pub fn hook_environment(kind: &str) -> &'static [&'static str] {
    told(kind).environment
}

/// The variable in which this kind tells its hooks its own process id.
pub fn pid_variable(kind: &str) -> Option<&'static str> {
    told(kind).pid_variable
}

/// How it is told at this event whether a person can type to a program of this kind; `None` where its
/// start is not to be looked at.
pub fn headless(kind: &str, event: &str) -> Option<Headless> {
    row(kind).and_then(|row| row.headless).filter(|_| told(kind).start == Some(event))
}

/// Whether a program of this kind tells the end of its session also after a run that nobody can type
/// to. Of one that does not, or is not known, that run is over once its turn has ended.
pub fn parts_with_a_word(kind: &str) -> bool {
    row(kind).is_some_and(|row| row.parts_with_a_word)
}

/// Whether a turn of a program of this kind goes on when a person turns to another conversation in the same
/// terminal.
pub fn goes_on_beside(kind: &str) -> bool {
    row(kind).is_some_and(|row| row.goes_on_beside)
}

/// How long a program of this kind may take to leave in mid-turn, behind a goodbye that may mean something else, where that is
/// long. Milliseconds.
pub fn leaves_within_ms(kind: &str) -> Option<u16> {
    let is_codex = kind == crate::codex::KIND;
    is_codex.then_some(crate::codex::LEAVES_MS).or_else(|| parts_within_ms(kind))
}

/// The same at rest, where that is long.
pub fn parts_within_ms(kind: &str) -> Option<u16> {
    let are_those = [crate::opencode::KIND, crate::opencode::KILO].contains(&kind);
    are_those.then_some(crate::opencode::LEAVES_MS)
}

/// How long behind an end that its log tells of a program of this kind may ask its model once more by itself, where that was
/// asked about what a call has brought. Milliseconds.
pub fn asks_again_ms(kind: &str) -> Option<u16> {
    (kind == crate::gemini_cli::KIND).then_some(crate::gemini_cli::ASKS_AGAIN_MS)
}

/// What the exit code of a run of this kind that nobody can type to tells.
pub fn returns(kind: &str) -> Returns {
    row(kind).map_or(Returns::Anything, |row| row.returns)
}

/// Whether an event can change a status. Only a full spool asks: it drops the others first.
pub fn is_transition(kind: &str, event: &str) -> bool {
    if crate::acp::is_kind(kind) {
        return crate::acp::Event::named(event).is_some_and(crate::acp::Event::is_transition);
    }
    match Events::of(kind.as_bytes()) {
        Some(events) => events.change(event.as_bytes()),
        None => mapped::of(kind).is_some_and(|map| map.is_transition(event)),
    }
}

/// The events a hook is to be registered for: those that can change a status, and the notice
/// that confirms one.
pub fn events_to_register(kind: &str) -> &'static [&'static str] {
    Events::of(kind.as_bytes()).map_or(&[], |events| events.all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_on_a_list_and_every_pid_variable_is() {
        for told in TOLD {
            for name in told.environment {
                for word in ["TOKEN", "KEY", "SECRET", "PASSWORD", "AUTH"] {
                    assert!(!name.contains(word), "{name}");
                }
            }
            assert!(told.pid_variable.is_none_or(|name| told.environment.contains(&name)));
            // It is looked at where there is something to look for, and the kind is known.
            let row = row(told.kind).unwrap();
            assert_eq!(told.start.is_some(), row.headless.is_some(), "{}", told.kind);
        }
        for row in TABLE {
            assert!(row.headless.is_none() || told(row.kind).start.is_some(), "{}", row.kind);
            assert!(!events_to_register(row.kind).is_empty(), "{}", row.kind);
        }
    }

    #[test]
    fn a_run_that_nobody_can_type_to_is_told_by_its_command_line_or_its_input() {
        let is = |kind: &str, words: &[&str], terminal: bool| {
            let event = if kind == "copilot-cli" { "sessionStart" } else { "SessionStart" };
            headless(kind, event).unwrap().is(words, terminal)
        };
        for (kind, words) in [
            ("qwen-code", ["node", "/bin/qwen", "-p", "do it"]),
            ("qwen-code", ["node", "/bin/qwen", "--prompt=do it", "-y"]),
            ("qwen-code", ["node", "/bin/qwen", "do it", "-y"]),
            ("qwen-code", ["node", "--max-old-space-size=9", "/bin/qwen", "do it"]),
            ("gemini-cli", ["node", "/bin/gemini", "-m", "--prompt"]),
            ("copilot-cli", ["node", "/bin/copilot", "-p", "do it"]),
            ("copilot-cli", ["node", "/bin/copilot", "-pdo it", "--yolo"]),
            ("codex", ["codex", "-m", "x", "exec"]),
            ("codex", ["codex", "--search", "e", "do it"]),
            ("codex", ["codex", "--config=a", "review", "--uncommitted"]),
            ("codex", ["sh", "/bin/codex", "e", "do it"]),
            ("claude-code", ["claude", "--model", "x", "--print"]),
        ] {
            assert!(is(kind, &words, true), "{kind} {words:?}");
        }
        for (kind, words) in [
            ("qwen-code", ["node", "/bin/qwen", "-i", "do it"]),
            ("qwen-code", ["node", "--max-old-space-size=9", "/bin/qwen", "-y"]),
            ("qwen-code", ["node", "/bin/qwen", "--prompt-interactive", "-p it"]),
            ("gemini-cli", ["node", "/bin/gemini", "do it", "-y"]),
            ("copilot-cli", ["node", "/bin/copilot", "-i", "do it"]),
            ("codex", ["codex", "-m", "x", "do exec"]),
            ("codex", ["codex", "-m", "e", "do it"]),
            ("codex", ["codex", "resume", "--last", "e"]),
            ("codex", ["codex", "--search", "--", "review"]),
            ("claude-code", ["claude", "--model", "x", "do -p it"]),
        ] {
            assert!(!is(kind, &words, true), "{kind} {words:?}");
        }
        assert!(is("qwen-code", &["node", "/bin/qwen"], false), "its input is a pipe");
        assert!(!is("codex", &["codex", "app-server"], false));
        assert!(!is("qwen-code", &[], true));
        assert!(!is("claude-code", &["claude"], false), "a variable says it");
        for (kind, event) in [("qwen-code", "Stop"), ("opencode", "SessionStart"), ("x", "")] {
            assert!(headless(kind, event).is_none(), "{kind} {event}");
        }
    }

    #[test]
    fn a_run_that_waits_for_no_prompt_has_it_on_its_command_line() {
        let has = |kind: &str, words: &[&str]| {
            let event = if kind == "copilot-cli" { "sessionStart" } else { "SessionStart" };
            headless(kind, event).unwrap().has_its_prompt(words)
        };
        assert!(has("qwen-code", &["node", "/bin/qwen", "-p", "do it"]));
        assert!(has("qwen-code", &["node", "/bin/qwen", "do it"]));
        assert!(has("copilot-cli", &["copilot", "-p", "do it"]));
        assert!(has("codex", &["codex", "exec", "do it"]));
        assert!(has("claude-code", &["/bin/claude", "--model", "x", "-p", "do it"]));
        // Its host has still to say something.
        assert!(!has("claude-code", &["claude", "-p", "--input-format", "stream-json"]));
        assert!(!has("claude-code", &["claude", "do it"]));
        for words in [
            // A server, which tells of what its clients begin.
            &["node", "/bin/qwen", "serve"][..],
            &["node", "/bin/qwen", "-p", "x", "--input-format", "stream-json"],
            &["node", "/bin/qwen", "-p", "x", "--input-format=stream-json"],
            // It reads what it is to do.
            &["node", "/bin/qwen"],
            &["node", "/bin/qwen", "-i", "do it"],
            // Another program that runs its hooks.
            &["python3", "play.py", "qwen-code/idle"],
            &["sh", "-c", "while read -r script; do sh $script; done", "sh"],
        ] {
            assert!(!has("qwen-code", words), "{words:?}");
        }
    }

    #[test]
    fn a_program_at_a_terminal_may_begin_with_a_prompt() {
        let begins = |kind: &str, words: &[&str], terminal: bool| {
            headless(kind, "SessionStart").unwrap().begins_with_a_prompt(words, terminal)
        };
        assert!(begins("claude-code", &["claude", "do it"], true));
        assert!(!begins("claude-code", &["claude", "do it"], false));
        assert!(!begins("claude-code", &["claude", "do it", "-p"], true), "nobody can type to it");
        assert!(!begins("claude-code", &["claude", "--model", "do it"], true));
        assert!(begins("codex", &["codex", "--no-daemon", "do it"], true));
        assert!(!begins("codex", &["codex", "--no-daemon"], true));
        assert!(!begins("codex", &["codex", "exec", "do it"], true), "nobody can type to it");
        assert!(!begins("qwen-code", &["qwen", "-i", "do it"], true), "nobody has measured it");
    }

    #[test]
    fn what_is_unknown_is_no_transition() {
        assert!(is_transition("claude-code", "Stop"));
        assert!(!is_transition("claude-code", "Notification"));
        assert!(!is_transition("claude-code", "MessageDisplay"));
        assert!(!is_transition("claude-code", ""));
        assert!(!is_transition("some-agent", "Stop"));
        assert_eq!(hook_environment("some-agent"), ["TMUX", "TMUX_PANE"]);
    }
}
