//! Status reports and titles.

use crate::codex::KIND;
use crate::terminal::{program_status, starts_at_work_ms, title};
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
