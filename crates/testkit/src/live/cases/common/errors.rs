//! What the model's server does to a turn.

use super::failed;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::Asker;

pub(in super::super) fn forbidden(stage: &Stage) {
    failed(stage, "[[status 403]]");
}

/// Every try meets it, and each waits longer than the one before.
pub(in super::super) fn overload(stage: &Stage) {
    failed(stage, "[[status 503]]");
}

/// It works on through its retries.
pub(in super::super) fn overload_recovered(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[status 503 x2]] [[text Well.]]");
    stage.answered(&Asker::Main);
    stage.answered(&Asker::Main);
    agent.answered();
    agent.rest();
}

/// The connection breaks in the middle of an answer, and it asks again.
pub(in super::super) fn cut_in_stream(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[text Hel]] [[cut x1]] [[text Well.]]");
    stage.answered(&Asker::Main);
    agent.answered();
    agent.rest();
}

/// A person stops it while it waits to try again.
pub(in super::super) fn esc_in_retry(stage: &Stage) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.prompt("[[status 503]] [[retry-after 20]]");
    stage.answered(&Asker::Main);
    agent.rest();
    agent.interrupt("Esc between two tries");
    agent.rest();
}

/// Without a terminal: its one turn fails, and it leaves with an error.
pub(in super::super) fn headless_failed(stage: &Stage) {
    stage.hub();
    let agent = stage.start_headless("[[stall go]] [[status 400]]");
    let request = stage.asked(&Asker::Main);
    let came = stage.came(request);
    agent.mark(came, "idle", Class::Unmeasured, "its session has begun");
    agent.mark(came, "working", Class::Unmeasured, "it asks the model");
    agent.rest();
    stage.model.release("go");
    let over = stage.over(request);
    agent.mark(over, "failed", Class::Unmeasured, "the server refuses");
    agent.mark(over, "ended", Class::Unmeasured, "and gone");
    agent.rest();
}
