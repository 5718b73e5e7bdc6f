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

/// The same of one that tries more than once, and may tell of it only as it leaves.
pub(in crate::live::cases) fn headless_failed_at_last(stage: &Stage) {
    /// More than it tries.
    const TRIES: u32 = 12;
    stage.hub();
    let agent = stage.start_headless("[[stall go]] [[status 400]]");
    let came = stage.asked_at(&Asker::Main);
    agent.mark(came, "idle", Class::Passing, "its session has begun");
    agent.mark(came, "working", Class::Unmeasured, "it asks the model");
    agent.rest();
    for _ in 0..TRIES {
        stage.model.release("go");
    }
    let told = || stage.home.run(["show", agent.id().as_str(), "--json"]).json();
    crate::wait::within(crate::wait::PATIENCE, "its end", || {
        stage.rest(crate::live::stage::REST);
        (told()["process"]["code"].as_i64()? == 1).then_some(())
    });
    let over = stage.answered_last(&Asker::Main);
    agent.mark(over, "failed", Class::Passing, "the server refuses");
    agent.mark(over, "ended", Class::Unmeasured, "and gone");
    agent.rest();
}

/// The same of one whose hooks do not tell that its turn has failed: what it returns does, once it is gone. `gone`: how
/// that is told, which depends on whether it says goodbye.
pub(in crate::live::cases) fn headless_failed_unheard(stage: &Stage, gone: &'static str) {
    stage.hub();
    let agent = stage.start_headless("[[stall go]] [[status 400]]");
    let request = stage.asked(&Asker::Main);
    agent.mark(stage.came(request), "working", Class::Unmeasured, "it asks the model");
    agent.rest();
    stage.model.release("go");
    let over = stage.over(request);
    agent.mark(over, "failed", Class::Passing, "the server refuses");
    agent.mark(over, gone, Class::Unmeasured, "and gone");
    agent.rest();
    agent.rest();
    let told = stage.home.run(["show", agent.id().as_str(), "--json"]).json();
    assert_eq!(told["outcome"]["kind"], "failed", "{told}");
}
