//! What the model's server does to a turn.

use super::failed;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::Asker;

pub(in crate::live::cases) fn forbidden(stage: &Stage) {
    failed(stage, "[[status 403]]");
}

/// Every try meets it, and each waits longer than the one before.
pub(in crate::live::cases) fn overload(stage: &Stage) {
    failed(stage, "[[status 503]]");
}

/// It works on through its retries.
pub(in crate::live::cases) fn overload_recovered(stage: &Stage) {
    recovered(stage, "[[status 503 x2]] [[retry-after 1]] [[text Well.]]", 2);
}

fn recovered(stage: &Stage, prompt: &str, failures: u32) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt(prompt);
    for _ in 0..failures {
        stage.answered(&Asker::Main);
    }
    agent.answered();
    agent.rest();
}

/// The connection breaks in mid-answer, and it asks once more.
pub(in crate::live::cases) fn cut_in_stream(stage: &Stage) {
    recovered(stage, "[[text Hel]] [[cut x1]] [[text Well.]]", 1);
}

/// The connection breaks in mid-answer, and it gives up.
pub(in crate::live::cases) fn cut_fails(stage: &Stage) {
    failed(stage, "[[text Hel]] [[cut]]");
}

/// A person stops it while it waits to try again.
pub(in crate::live::cases) fn esc_in_retry(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[status 503]] [[retry-after 20]]");
    stage.answered(&Asker::Main);
    agent.rest();
    agent.interrupt("Esc between two tries");
    agent.rest();
}

/// Without a terminal: its one turn fails, and it leaves with an error.
pub(in crate::live::cases) fn headless_failed(stage: &Stage) {
    stage.hub();
    let agent = stage.start_headless("[[stall go]] [[status 400]]");
    let request = stage.asked(&Asker::Main);
    let came = stage.came(request);
    agent.mark(came, "working", Class::Unmeasured, "it asks the model");
    agent.rest();
    stage.model.release("go");
    let over = stage.over(request);
    agent.mark(over, "failed", Class::Unmeasured, "the server refuses");
    agent.mark(over, "ended", Class::Unmeasured, "and gone");
    agent.rest();
}
