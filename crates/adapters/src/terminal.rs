//! What a program says of itself to its terminal: status reports (OSC 7501), titles, progress.
//!
//! A status report is the Program Status Protocol, revision 0.4, and means the same of every
//! program; where one says what it does not do, its kind corrects it. What a title or a progress
//! bar means is each program's own affair; most mean nothing.

use crate::{FactExt, claude_code, codex, copilot_cli, gemini_cli, qwen_code, text};
use headsup_core::observation::{Fact, JUST_FAILED, Level};
use headsup_core::status::BlockedReason;
use termstate::{Kind, Message, Report, State, parse_body};

pub use crate::copilot_cli::ready::{Contents, Ready, Started};

/// In characters.
const LONGEST_DETAIL: usize = 2_048;

/// A status report, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramStatus {
    /// Its own word, for `explain`.
    pub name: String,
    pub fact: Fact,
}

/// Reads the body of a status report, which is what stands behind `7501;`. What is told of a part
/// of a program (`id`) is about that part alone.
pub fn program_status(kind: &str, body: &str) -> ProgramStatus {
    match parse_body(body.as_bytes()) {
        Ok(Message::Report(report)) => {
            let name = report.state.as_str().to_owned();
            let fact = match &report.id {
                Some(id) => part(kind, id.as_str(), Some(plain(&report, &words(&report)))),
                None => Fact::Level(level(kind, &report)),
            };
            ProgramStatus { name, fact }
        }
        Ok(Message::Clear { id }) => {
            let fact = id.map_or(Fact::Withdrawn, |id| part(kind, id.as_str(), None));
            ProgramStatus { name: "clear".into(), fact }
        }
        Ok(Message::Feature(_)) => ProgramStatus { name: "query".into(), fact: Fact::Nothing },
        Err(error) => {
            let fact = Fact::not_understood(&error.to_string());
            ProgramStatus { name: "program status".into(), fact }
        }
    }
}

/// Whether a program of this kind sends status reports to any terminal, unasked: then whoever only listens at its
/// terminal hears them. All others that have any ask first whether they are understood (Claude Code 2.1.330, measured).
pub fn reports_unasked(kind: &str) -> bool {
    kind == codex::KIND
}

/// The kind of a program that sends status reports unasked, by the name of its file and the words that it was started
/// with; `None` for all others, and where it shows nothing on a terminal.
pub fn unasked_reporter(program: &str, words: &[String]) -> Option<&'static str> {
    // It runs itself under other names for other things.
    let name = words.first().map(|word| word.rsplit_once('/').map_or(&**word, |(_, name)| name));
    let is_it = codex::PROGRAMS.contains(&program) && name == Some(program);
    (is_it && codex::terminal::opens_screen(words)).then_some(codex::KIND)
}

/// Whether a title of this kind of program may name the conversation that it shows.
pub fn may_name_conversations(kind: &str) -> bool {
    kind == codex::KIND
}

/// Whether it names this one.
pub fn names_conversation(kind: &str, title: &str, session: &str) -> bool {
    may_name_conversations(kind) && codex::terminal::names(title, session)
}

/// Whether the titles of this kind of program say anything of its turns.
pub fn has_titles(kind: &str) -> bool {
    [claude_code::KIND, codex::KIND, gemini_cli::KIND, qwen_code::KIND].contains(&kind)
}

/// What a title says of the turn, if this kind of program says anything by it.
pub fn title(kind: &str, title: &str) -> Option<Level> {
    match kind {
        claude_code::KIND => claude_code::terminal::title(title),
        codex::KIND => codex::terminal::title(title),
        copilot_cli::KIND => copilot_cli::terminal::title(title),
        gemini_cli::KIND => gemini_cli::terminal::title(title),
        qwen_code::KIND => qwen_code::terminal::title(title),
        _ => None,
    }
}

/// What comes of a title. Where one tells of the start alone, another one in its place takes that back: without
/// hooks nobody would tell what the program does from then on.
pub fn titled(kind: &str, said: &str) -> Option<Fact> {
    let takes_back = || titles_its_start(kind) && !said.is_empty();
    let level = title(kind, said).map(Fact::Level);
    level.or_else(|| takes_back().then_some(Fact::Withdrawn))
}

/// Whether the title of this kind of program tells that its prompt box is open, before its first prompt, and nothing
/// of what it does after that.
pub fn titles_its_start(kind: &str) -> bool {
    kind == copilot_cli::KIND
}

/// The variables (`NAME=`) of such a program that tell where it looks: its home folder, and that of its
/// configuration.
pub const READY_VARIABLES: [&[u8]; 2] = [b"HOME=", copilot_cli::MOVED_TO];

/// What may stand between a program of this kind, started like this, and a prompt while its title calls it ready.
/// `None`: nobody knows.
pub fn ready(kind: &str, start: &Started<'_>) -> Option<Ready> {
    titles_its_start(kind).then(|| Ready::of(start)).flatten()
}

/// Why a program need not be ready of whose start nothing can be read.
pub const UNSEEN: &str = "whether anything stands between it and a prompt cannot be read";

/// After how long without a word of the program's its title says that somebody is asked, of a kind whose hooks tell of
/// every dialog that its title shows in a turn. Milliseconds.
pub fn silent_title_ms(kind: &str) -> Option<u16> {
    (kind == gemini_cli::KIND).then_some(gemini_cli::terminal::SILENT_MS)
}

/// Whether a program of this kind tells its terminal only of the conversation that it shows there, while another one of it
/// may work.
pub fn shows_one(kind: &str) -> bool {
    kind == codex::KIND
}

/// How long a program of this kind may show work on its terminal while it comes up. Milliseconds.
pub fn starts_at_work_ms(kind: &str) -> Option<u16> {
    (kind == codex::KIND).then_some(codex::terminal::START_MS)
}

/// Whether a program of this kind that was started with these words was given its first prompt with them: work that it
/// shows as it comes up is somebody's.
pub fn is_prompted(kind: &str, words: &[String]) -> bool {
    let line: Vec<&str> = words.iter().map(String::as_str).collect();
    kind == codex::KIND && codex::terminal::is_prompted(&line)
}

/// What a progress bar (the body of OSC 9, `4;STATE;PERCENT`) says of the turn: nothing, of the
/// kinds that are known.
pub fn progress(_kind: &str, _body: &str) -> Option<Level> {
    None
}

fn part(kind: &str, id: &str, level: Option<Level>) -> Fact {
    if kind == claude_code::KIND {
        // Its own report is about its helpers as well (measured).
        return Fact::Nothing;
    }
    Fact::PartStatus { id: text::line(id, text::TITLE), level }
}

/// What a part says, or at least what it is called.
fn words(report: &Report<'_>) -> String {
    report.msg.or(report.title).map(|words| words.to_string()).unwrap_or_default()
}

fn level(kind: &str, report: &Report<'_>) -> Level {
    let message = report.msg.map(|message| message.to_string()).unwrap_or_default();
    let own = match kind {
        claude_code::KIND => claude_code::terminal::level(report, &message),
        _ => None,
    };
    own.unwrap_or_else(|| plain(report, &message))
}

fn plain(report: &Report<'_>, message: &str) -> Level {
    match report.state {
        State::Idle => Level::Idle { shells: 0 },
        State::Done => Level::Done,
        State::Working => Level::Working { reason: None },
        State::Error => {
            // What it says is its only word for the failure.
            let said = text::line(message, text::DETAIL);
            Level::Failed { code: if said.is_empty() { JUST_FAILED.to_owned() } else { said } }
        }
        State::Blocked => {
            let reason = match report.kind {
                Some(Kind::Permission) => BlockedReason::Permission,
                Some(Kind::Question) => BlockedReason::Question,
                Some(Kind::Auth) => BlockedReason::Auth,
                None => BlockedReason::Other,
            };
            blocked(reason, message)
        }
    }
}

pub(crate) fn blocked(reason: BlockedReason, message: &str) -> Level {
    let detail = text::block(message, LONGEST_DETAIL);
    Level::Blocked { reason, detail: (!detail.is_empty()).then_some(detail) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: &str, body: &str) -> Fact {
        program_status(kind, body).fact
    }

    #[test]
    fn a_report_says_the_same_of_every_program() {
        let blocked = |reason, detail: Option<&str>| {
            Fact::Level(Level::Blocked { reason, detail: detail.map(str::to_owned) })
        };
        for (body, fact) in [
            ("state=idle", Fact::Level(Level::Idle { shells: 0 })),
            ("state=done:app=x", Fact::Level(Level::Done)),
            ("state=working:progress=5", Fact::Level(Level::Working { reason: None })),
            ("state=error:app=x", Fact::Level(Level::Failed { code: "error".into() })),
            ("state=error:msg=b29wcw==", Fact::Level(Level::Failed { code: "oops".into() })),
            ("state=blocked", blocked(BlockedReason::Other, None)),
            (
                "state=blocked:kind=permission:msg=Z28/",
                blocked(BlockedReason::Permission, Some("go?")),
            ),
            ("state=blocked:kind=question", blocked(BlockedReason::Question, None)),
            ("state=blocked:kind=auth", blocked(BlockedReason::Auth, None)),
            ("state=clear", Fact::Withdrawn),
            ("?", Fact::Nothing),
        ] {
            assert_eq!(read("custom", body), fact, "{body}");
        }
    }

    #[test]
    fn who_reports_unasked_is_known_by_its_program_where_that_has_a_screen() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (program, line, kind) in [
            ("codex", "codex", Some(codex::KIND)),
            ("codex", "/opt/bin/codex resume --last", Some(codex::KIND)),
            ("codex", "codex -c a=b fix the tests", Some(codex::KIND)),
            ("codex", "codex -- exec", Some(codex::KIND)),
            ("codex", "codex exec fix", None),
            ("codex", "codex-linux-sandbox sh", None),
            ("codex", "codex app-server --managed-daemon", None),
            ("node", "node codex", None),
            ("claude", "claude", None),
        ] {
            assert_eq!(unasked_reporter(program, &words(line)), kind, "{line}");
        }
        let asked = [claude_code::KIND, gemini_cli::KIND, qwen_code::KIND, "custom"];
        assert!(reports_unasked(codex::KIND) && !asked.into_iter().any(reports_unasked));
    }

    #[test]
    fn a_title_names_a_conversation_by_enough_of_its_id() {
        let id = "019aa2f0-7a31-7c22-9b1d-5f2f30e6a1b7";
        for (title, names) in [
            (format!("proj | {id}"), true),
            (format!("\u{280b} proj | {}...", &id[..29]), true),
            (format!("{}\u{2026}", &id[..29]), true),
            (format!("proj | {}...", &id[..13]), false),
            ("proj | 019aa2f0-7a31-7c22-9b1d-000000000000".to_owned(), false),
            ("proj".to_owned(), false),
        ] {
            assert_eq!(names_conversation(codex::KIND, &title, id), names, "{title}");
            assert!(!names_conversation(claude_code::KIND, &title, id), "{title}");
        }
    }

    #[test]
    fn what_is_said_of_a_part_is_about_that_part_alone() {
        let asks = |reason, detail: Option<&str>| {
            Some(Level::Blocked { reason, detail: detail.map(str::to_owned) })
        };
        let (go, called) = (":kind=permission:title=RVUgV2VzdA==:msg=Z28/", ":title=RVUgV2VzdA==");
        for (state, level) in [
            (format!("blocked{go}"), asks(BlockedReason::Permission, Some("go?"))),
            (format!("blocked{called}"), asks(BlockedReason::Other, Some("EU West"))),
            ("blocked:kind=question".into(), asks(BlockedReason::Question, None)),
            ("working".into(), Some(Level::Working { reason: None })),
            ("done".into(), Some(Level::Done)),
            ("clear".into(), None),
        ] {
            let fact = Fact::PartStatus { id: "us/east".into(), level };
            assert_eq!(read("custom", &format!("state={state}:id=us/east")), fact, "{state}");
            // Claude Code's own report is about its helpers too.
            let of_both = read(claude_code::KIND, &format!("state={state}:id=us/east"));
            assert_eq!(of_both, Fact::Nothing, "{state}");
        }
    }

    #[test]
    fn what_the_protocol_discards_is_not_understood() {
        for body in ["", "state=busy", "state=idle:msg=Z", "\u{fffd}"] {
            assert!(matches!(read("custom", body), Fact::NotUnderstood { .. }), "{body:?}");
        }
    }

    #[test]
    fn a_secret_in_a_message_does_not_get_through() {
        let key = "c2stYW50LWFwaTAzLUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";
        for state in ["blocked", "error"] {
            let fact = read("custom", &format!("state={state}:msg={key}"));
            assert!(!format!("{fact:?}").contains("api03-AAAA"), "{fact:?}");
        }
    }

    #[test]
    fn another_title_takes_back_what_one_has_told_of_the_start() {
        let ready = Fact::Level(Level::Idle { shells: 0 });
        assert_eq!(titled(copilot_cli::KIND, "GitHub Copilot"), Some(ready));
        for other in ["Fix it - GitHub Copilot", "GitHub Copilot CLI", "mine"] {
            assert_eq!(titled(copilot_cli::KIND, other), Some(Fact::Withdrawn), "{other}");
        }
        assert_eq!(titled(copilot_cli::KIND, ""), None);
        assert_eq!(titled(gemini_cli::KIND, "mine"), None);
        assert!(!has_titles(copilot_cli::KIND), "of its turns it says nothing");
    }

    #[test]
    fn titles_and_progress_of_a_program_that_nobody_knows_say_nothing() {
        assert_eq!(title("custom", "\u{25d0} busy"), None);
        assert_eq!(progress("custom", "4;1;50"), None);
    }
}
