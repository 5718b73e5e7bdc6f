//! The situations that are promised to be told right (promise A1), each for every program: is there a play of it, or a
//! reason on the page why there is none?

use super::cases;
use super::programs::{self, Program};

/// As the promise lists them.
const PROMISED: &str = "\
prompt open · granted and the tool still running · denied · question tool open and answered · Esc in mid-stream and in \
mid-tool · turn over with background work running · blocked main agent while a subagent works · a subagent's own \
permission · nested agent in the same pane · idle notice 60 s after Stop · rate limit, overload, auth failure, API error \
then back at the prompt · manual and automatic compaction · clear, resume, fork · SIGKILL, SIGTERM, clean exit, exit \
code, OOM · trust or login dialog before the first prompt · hub down during the turn, back later · two agents in one \
folder · an unknown new event or dialog";

/// One of them, or a part of one.
struct Situation {
    /// How the promise's own words for it begin.
    of: &'static str,
    /// Which part it is, where that has several.
    part: &'static str,
    /// Its plays: one of these.
    plays: &'static [&'static str],
    /// Programs (by kind) whose play has another name.
    other: &'static [(&'static str, &'static str)],
    /// Programs that are not played in it, and the line of the page that says why.
    silent: &'static [(&'static str, &'static str)],
}

const fn situation(
    of: &'static str,
    part: &'static str,
    plays: &'static [&'static str],
) -> Situation {
    Situation { of, part, plays, other: &[], silent: &[] }
}

impl Situation {
    const fn other(self, other: &'static [(&'static str, &'static str)]) -> Self {
        Self { other, ..self }
    }

    const fn silent(self, silent: &'static [(&'static str, &'static str)]) -> Self {
        Self { silent, ..self }
    }

    /// Is it played with this program, or does the page say why not?
    fn is_kept(&self, program: &Program) -> bool {
        let of_it = |(kind, _): &&(&str, &str)| *kind == program.kind;
        let is_played = |name: &str| cases::named(program.kind, name).is_some();
        if let Some((_, name)) = self.other.iter().find(of_it) {
            return is_played(name);
        }
        let says = |line: &str| program.silences.iter().any(|(what, _)| *what == line);
        self.plays.iter().any(|name| is_played(name))
            || self.silent.iter().find(of_it).is_some_and(|(_, line)| says(line))
    }
}

/// Of programs that wait for their helpers.
const HELPERS: &str =
    "main agent blocked while a helper works, a helper behind the finished answer";
/// Of one whose work has always ended when its turn has.
const BEHIND: &str = "work in the background behind a turn";

const SITUATIONS: &[Situation] = &[
    situation("prompt open", "", &["permission_approved"]),
    situation("granted", "", &["permission_approved"]),
    situation("denied", "", &["permission_denied"]),
    situation("question tool", "", &["question_answered"]),
    situation("Esc", "in mid-stream", &["esc_in_stream"]),
    situation("Esc", "in mid-tool", &["esc_in_tool"]),
    situation("turn over", "a shell", &["background_shell", "background_terminal"])
        .silent(&[("opencode", BEHIND)]),
    situation("turn over", "a helper", &["subagent_behind"])
        .other(&[("claude-code", "subagent"), ("codex", "subagent")])
        .silent(&[("opencode", BEHIND), ("gemini-cli", HELPERS)]),
    situation("blocked main agent", "", &["blocked_beside_subagent"])
        .silent(&[("gemini-cli", HELPERS)]),
    situation("a subagent's own permission", "", &["subagent_permission"]),
    situation("nested agent", "", &["nested"]).silent(&[("copilot-cli", "nested")]),
    situation("idle notice", "", &["idle_notice"]).silent(&[
        ("codex", "a notice of idleness"),
        ("opencode", "a notice of idleness"),
        ("gemini-cli", "fork, notice of idleness, form of a tool server"),
        ("qwen-code", "a notice of idleness a minute behind the turn"),
        ("copilot-cli", "fork, notice of idleness"),
    ]),
    situation("rate limit", "rate limit", &["rate_limit"]),
    situation("rate limit", "overload", &["overload", "overload_recovered"]),
    situation("rate limit", "auth failure", &["authentication"]),
    situation("rate limit", "API error then back at the prompt", &["bad_request"]),
    situation("manual", "manual", &["compact_manual"]),
    situation("manual", "automatic", &["compact_auto"]),
    situation("clear", "clear", &["clear"]),
    situation("clear", "resume", &["resume_after_kill"]),
    situation("clear", "fork", &["fork"]).silent(&[
        ("gemini-cli", "fork, notice of idleness, form of a tool server"),
        ("copilot-cli", "fork, notice of idleness"),
    ]),
    situation("SIGKILL", "at rest", &["sigkill_idle"]),
    situation("SIGKILL", "in a turn", &["sigkill_working"]),
    situation("SIGKILL", "at a prompt", &["sigkill_blocked"]),
    situation("SIGKILL", "SIGTERM", &["sigterm"]),
    situation("SIGKILL", "clean exit", &["exit"]),
    situation("SIGKILL", "exit code", &["headless_failed"]),
    situation("SIGKILL", "OOM", &["oom"]),
    situation("trust or login", "trust", &["trust_dialog"])
        .silent(&[("opencode", "trust or login dialog")]),
    situation("trust or login", "login", &["login_dialog"])
        .other(&[("claude-code", "first_run_login")])
        .silent(&[("opencode", "trust or login dialog"), ("copilot-cli", "login dialog")]),
    situation("hub down", "", &["hub_down_in_turn"]),
    situation("two agents", "", &["two_in_one_folder"]),
    situation("an unknown new event", "event", &["unknown_event"]),
    situation("an unknown new event", "dialog", &["unknown_dialog"]),
];

#[test]
fn every_program_is_played_in_every_situation_or_the_page_says_why_not() {
    let all = SITUATIONS.iter().flat_map(|row| programs::ALL.map(|program| (row, program)));
    let missing: Vec<String> = all
        .filter(|(row, program)| !row.is_kept(program))
        .map(|(row, program)| format!("{} ({}): {}", row.of, row.part, program.kind))
        .collect();
    assert_eq!(
        missing, [""; 0],
        "neither a play nor a line in the page's list of what is not played"
    );
}

#[test]
fn every_situation_that_is_promised_has_a_row() {
    let promised: Vec<&str> = PROMISED.split(" · ").collect();
    for words in &promised {
        assert!(SITUATIONS.iter().any(|row| words.starts_with(row.of)), "{words}");
    }
    for row in SITUATIONS {
        let own = promised.iter().filter(|words| words.starts_with(row.of)).count();
        assert_eq!(own, 1, "{} ({})", row.of, row.part);
        for (kind, line) in row.other.iter().chain(row.silent) {
            assert!(programs::of_kind(kind).is_some(), "{kind}: {line}");
        }
    }
}
