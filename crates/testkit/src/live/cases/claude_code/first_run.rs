//! Nobody has run it here before: what it shows until its prompt box is open. Nothing but the screen tells
//! of it.

use super::Case;
use super::makers::Makers;
use crate::live::stage::{Agent, Hooks, Stage};
use crate::live::truth::Class;
use serde_json::json;

pub(super) const CASES: &[Case] = &[
    new("first_run", first_run),
    new("first_run_login", first_run_login),
    new("first_run_left", first_run_left),
];

/// The launch brings the hooks.
const fn new(name: &'static str, play: fn(&Stage)) -> Case {
    Case { hooks: Hooks::None, ..Case::new(name, play) }
}

const THEME: &str = "Choose the text style";

/// Up to the first dialog.
fn begun(stage: &Stage) -> Agent<'_> {
    stage.set(".claude.json", &json!({ "hasCompletedOnboarding": false }));
    stage.hub();
    let agent = stage.run_to_dialog(&[], THEME);
    agent.rest();
    agent
}

/// Enter leads to the next dialog.
fn goes_on(agent: &Agent<'_>, words: &str) {
    agent.press("Enter");
    let at = agent.shows(words);
    agent.screen_taken();
    agent.mark(at, "blocked", Class::Unmeasured, words);
    agent.settle();
    agent.rest();
}

/// With a key in its environment nobody is asked to sign in.
fn first_run(stage: &Stage) {
    let agent = begun(stage);
    goes_on(&agent, "Press Enter to continue");
    let at = agent.press("Enter");
    agent.mark(at, "idle", Class::Unhooked, "the notes are read");
    agent.ready();
    agent.rest();
    agent.turn();
}

/// Without one somebody has to: up to the page that a browser shows, and back, and then not.
fn first_run_login(stage: &Stage) {
    let _makers = Makers::start(stage);
    stage.forget(&["ANTHROPIC_API_KEY"]);
    let agent = begun(stage);
    goes_on(&agent, "Select login method");
    goes_on(&agent, "Paste code here if prompted");
    let at = agent.press("Escape");
    agent.mark(at, "blocked", Class::Unmeasured, "back");
    agent.shows("Select login method");
    agent.settle();
    agent.rest();
    agent.press("C-c");
    agent.shows("again to exit");
    let at = agent.press("C-c");
    agent.mark(at, "ended", Class::Kill, "nobody signs in");
    agent.rest();
}

fn first_run_left(stage: &Stage) {
    let agent = begun(stage);
    agent.press("C-c");
    agent.shows("again to exit");
    let at = agent.press("C-c");
    agent.mark(at, "ended", Class::Kill, "left at the first dialog");
    agent.rest();
}
