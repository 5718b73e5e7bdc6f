//! The real Claude Code in a few situations, against a scripted model: every headline right, one
//! event a change, in order. All situations are played by hand, see CONTRIBUTING.

#![expect(clippy::unwrap_used, reason = "a test may fail")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use headsup_testkit::live::{self, Verdict, With};
use std::path::Path;

/// Plays one. Where the program cannot be had, this is said; on CI it is a failure.
fn play(case: &str) -> Option<Verdict> {
    let program = match live::program() {
        Ok(program) => program,
        Err(why) if std::env::var_os("CI").is_some() => panic!("Claude Code cannot be had: {why}"),
        Err(why) => {
            eprintln!("SKIPPED: Claude Code cannot be had: {why}");
            return None;
        }
    };
    let case = live::named(case).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_headsup"));
    Some(live::play(&case, With { binary, program: &program, patient: true, record: None }))
}

#[track_caller]
fn is_right(case: &str) {
    if let Some(verdict) = play(case) {
        assert!(verdict.is_right(), "{verdict:#?}");
        assert!(verdict.spans.len() > 2, "{verdict:#?}");
    }
}

#[test]
fn a_plain_turn() {
    is_right("plain_turn");
}

#[test]
fn a_permission_that_is_given() {
    is_right("permission_approved");
}

#[test]
fn a_permission_that_is_denied() {
    is_right("permission_denied");
}

#[test]
fn escape_while_it_answers() {
    is_right("esc_in_stream");
}

#[test]
fn a_kill_in_mid_turn() {
    is_right("sigkill_working");
}
