//! What the model's server does to a turn.

use super::Case;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::{Asker, Reply};

pub(super) const CASES: &[Case] = &[
    Case::new("bad_request", bad_request),
    Case::new("authentication", authentication),
    Case::new("forbidden", forbidden),
    Case::new("rate_limit", rate_limit),
    Case::new("overload", overload),
    Case::new("overload_recovered", overload_recovered),
    Case::new("cut_in_stream", cut_in_stream),
];

fn failed(stage: &Stage, prompt: &str) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt(prompt);
    agent.shows("API Error");
    // How often it tries depends on the error.
    let over = stage.answered_last(&Asker::Main);
    agent.mark(over, "failed", Class::Hooked, "the last try failed");
    agent.rest();
    // The program sends what failed once more, directives and all.
    stage.model.script(Reply::new().hold("go").and_text("Better."));
    agent.prompt("Again.");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

fn bad_request(stage: &Stage) {
    failed(stage, "[[status 400]]");
}

fn authentication(stage: &Stage) {
    failed(stage, "[[status 401]]");
}

fn forbidden(stage: &Stage) {
    failed(stage, "[[status 403]]");
}

/// Every try meets it, and each waits longer than the one before.
fn overload(stage: &Stage) {
    failed(stage, "[[status 529 x4]] [[retry-after 1]]");
}

fn rate_limit(stage: &Stage) {
    failed(stage, "[[status 429 x4]] [[retry-after 1]]");
}

/// It works on through its retries.
fn overload_recovered(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[status 529 x2]] [[text Well.]]");
    stage.answered(&Asker::Main);
    stage.answered(&Asker::Main);
    agent.answered();
    agent.rest();
}

fn cut_in_stream(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[text Hel]] [[cut x1]] [[text Well.]]");
    stage.answered(&Asker::Main);
    agent.answered();
    agent.rest();
}
