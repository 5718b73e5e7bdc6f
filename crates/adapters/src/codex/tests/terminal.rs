//! Status reports and titles.

use crate::codex::KIND;
use crate::terminal::{is_prompted, program_status, starts_at_work_ms, title};
use headsup_core::observation::{Fact, Level};
use headsup_core::status::BlockedReason;

fn blocked(reason: BlockedReason) -> Level {
    Level::Blocked { reason, detail: None }
}

#[test]
fn its_status_reports_mean_what_they_say() {
    for (body, level) in [
        ("state=idle:app=codex", Level::Idle { shells: 0 }),
        ("state=working:app=codex", Level::Working { reason: None }),
        ("state=done:app=codex", Level::Done),
        ("state=error:app=codex", Level::Failed { code: "error".to_owned() }),
        ("state=blocked:app=codex:kind=permission", blocked(BlockedReason::Permission)),
        ("state=blocked:app=codex:kind=question", blocked(BlockedReason::Question)),
    ] {
        assert_eq!(program_status(KIND, body).fact, Fact::Level(level), "{body}");
    }
    // One of a helper's would not be about the whole, and it takes its word back before it has left.
    let level = Some(blocked(BlockedReason::Permission));
    for (body, fact) in [
        (
            "state=blocked:app=codex:kind=permission:id=a-1",
            Fact::PartStatus { id: "a-1".to_owned(), level },
        ),
        ("state=clear", Fact::Withdrawn),
    ] {
        assert_eq!(program_status(KIND, body).fact, fact, "{body}");
    }
}

#[test]
fn its_title_tells_that_it_works_and_that_a_dialog_is_open() {
    let working = Some(Level::Working { reason: None });
    assert_eq!(title(KIND, "\u{280b} proj"), working);
    assert_eq!(title(KIND, "\u{283c} Mock title | proj"), working);
    let dialog = Some(blocked(BlockedReason::Other));
    assert_eq!(title(KIND, "[ ! ] Action Required | Mock title | proj"), dialog);
    assert_eq!(title(KIND, "[ . ] Action Required | Mock title | proj"), dialog);
}

#[test]
fn false_positive_other_titles_say_nothing() {
    for text in ["", " ", "proj", "Mock title | proj", "a \u{280b}", "[ ! ]", "\u{2800} proj"] {
        assert_eq!(title(KIND, text), None, "{text:?}");
    }
}

#[test]
fn it_may_show_work_for_as_long_as_a_tool_server_may_take_to_start() {
    assert_eq!((starts_at_work_ms(KIND), starts_at_work_ms("custom")), (Some(12_000), None));
}

#[test]
fn a_prompt_on_its_command_line_is_told_from_all_else_there() {
    let has_one = |line: &[&str]| {
        let words: Vec<_> = line.iter().map(|&word| word.to_owned()).collect();
        is_prompted(KIND, &words)
    };
    for line in [
        &["codex", "--no-daemon", "Mend it"][..],
        &["node", "/usr/bin/codex", "--no-daemon", "-m", "gpt-6", "Mend it"],
        &["/x/node", "/x/codex.js", "Mend it", "-a", "never"],
        &["codex", "-i", "a.png", "b.png", "--", "- mend it"],
        &["codex", "resume", "--last", "Go on there"],
        &["codex", "resume", "01a2", "--", "Go on there"],
        &["codex", "fork", "-m", "gpt-6", "my talk", "Go on there"],
    ] {
        assert!(has_one(line), "{line:?}");
    }
    for line in [
        &["codex", "--no-daemon", "-s", "read-only", "-c", "model = \"x\""][..],
        &["codex", "--model=gpt-6", "-i", "a a.png", "b b.png"],
        &["codex", "--of-a-later-version", "Mend it"],
        &["codex", "resume", "--last"],
        &["codex", "resume", "my talk"],
        &["codex", "exec", "Mend it"],
        &["codex", "login"],
        &["codex", "/model gpt-6"],
        &["codex", " "],
        &["sh", "-c", "./start", "codex", "Mend it"],
        &[],
    ] {
        assert!(!has_one(line), "{line:?}");
    }
    assert!(!is_prompted("custom", &["codex".to_owned(), "Mend it".to_owned()]));
}
