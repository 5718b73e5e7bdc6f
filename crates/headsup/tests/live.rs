//! The real agent programs in a few situations, against a scripted model: every headline right, one
//! event a change, in order. All situations are played by hand, see CONTRIBUTING.

#![expect(clippy::unwrap_used, reason = "a test may fail")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use headsup_testkit::live::{self, Verdict, With};
use std::path::Path;

/// Plays one. Where the program cannot be had, this is said; on CI it is a failure.
fn play(kind: &str, case: &str) -> Option<Verdict> {
    let program = live::of_kind(kind).unwrap();
    let installed = match live::install(program) {
        Ok(installed) => installed,
        Err(why) if std::env::var_os("CI").is_some() => panic!("{kind} cannot be had: {why}"),
        Err(why) => {
            eprintln!("SKIPPED: {kind} cannot be had: {why}");
            return None;
        }
    };
    let case = live::named(kind, case).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_headsup"));
    Some(live::play(&case, With { binary, program: &installed, patient: true, record: None }))
}

#[track_caller]
fn is_right(kind: &str, case: &str) {
    if let Some(verdict) = play(kind, case) {
        assert!(verdict.is_right(), "{verdict:#?}");
        assert!(verdict.spans.len() > 2, "{verdict:#?}");
    }
}

#[test]
fn a_plain_turn() {
    is_right("claude-code", "plain_turn");
}

#[test]
fn a_permission_that_is_given() {
    is_right("claude-code", "permission_approved");
}

#[test]
fn a_permission_that_is_denied() {
    is_right("claude-code", "permission_denied");
}

#[test]
fn escape_while_it_answers() {
    is_right("claude-code", "esc_in_stream");
}

#[test]
fn a_kill_in_mid_turn() {
    is_right("claude-code", "sigkill_working");
}

#[test]
fn codex_asks_and_is_let() {
    is_right("codex", "permission_approved");
}

#[test]
fn opencode_asks_and_is_let() {
    is_right("opencode", "permission_approved");
}

#[test]
fn gemini_cli_asks_and_is_let() {
    is_right("gemini-cli", "permission_approved");
}

#[test]
fn qwen_code_asks_and_is_let() {
    is_right("qwen-code", "permission_approved");
}

#[test]
fn copilot_cli_asks_and_is_let() {
    is_right("copilot-cli", "permission_approved");
}
