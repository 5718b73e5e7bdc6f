//! The real agent programs in a few situations, against a scripted model: every headline right, one
//! event a change, in order. All situations are played by hand, see CONTRIBUTING.

#![expect(clippy::unwrap_used, reason = "a test may fail")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod asks;
mod lifecycle;
mod pane;
mod same;
mod tools;

use headsup_testkit::live::{self, Agent, Installed, Verdict, With};
use headsup_testkit::model::{Asker, Request};
use serde_json::Value;
use std::path::Path;

/// A program that has not started its servers by then will not.
const MOST_PROMPTS: usize = 10;

/// Where the program cannot be had, this is said; on CI it is a failure.
fn installed(kind: &str) -> Option<Installed> {
    match live::install(live::of_kind(kind).unwrap()) {
        Ok(installed) => Some(installed),
        Err(why) if std::env::var_os("CI").is_some() => panic!("{kind} cannot be had: {why}"),
        Err(why) => {
            eprintln!("SKIPPED: {kind} cannot be had: {why}");
            None
        }
    }
}

fn with(installed: &Installed) -> With<'_> {
    let binary = Path::new(env!("CARGO_BIN_EXE_headsup"));
    With { binary, program: installed, patient: true, record: None }
}

/// Prompts until a request `fits`: a program may start its servers beside its first moments. Its number
/// among those of the main agent, if the model has answered each prompt before with one text.
fn prompted_until(agent: &Agent<'_>, fits: impl Fn(&Request) -> bool) -> usize {
    let stage = agent.stage();
    for nth in 0..MOST_PROMPTS {
        agent.submit(&format!("Go {nth}"));
        let request = stage.model.request(&Asker::Main, nth);
        if fits(&request) {
            return nth;
        }
        stage.over(request.number);
    }
    let last = stage.model.request(&Asker::Main, MOST_PROMPTS - 1);
    let tools = last.body["tools"].as_array().cloned().unwrap_or_default();
    panic!("no request fits; the last one offers {:?}", tools.iter().map(name).collect::<Vec<_>>())
}

fn name(tool: &Value) -> &Value {
    tool.get("function").unwrap_or(tool).get("name").unwrap_or(tool)
}

/// Plays one.
fn play(kind: &str, case: &str) -> Option<Verdict> {
    let installed = installed(kind)?;
    let case = live::named(kind, case).unwrap();
    Some(live::play(&case, with(&installed)))
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
