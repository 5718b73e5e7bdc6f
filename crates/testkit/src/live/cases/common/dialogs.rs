//! What a program asks before its first event: nothing but the screen tells of it.

use crate::live::stage::Stage;
use crate::live::truth::Class;
use rustix::process::Signal;

/// It asks whether to trust the folder. `after`: what is told, one after the other, once it has been
/// told that: nothing is known of it until its first event.
pub(in crate::live::cases) fn trust_dialog(stage: &Stage, words: &str, after: &[&'static str]) {
    stage.hub();
    let agent = stage.run_to_dialog(&[], words);
    agent.rest();
    let at = agent.press("Enter");
    for headline in after {
        agent.mark(at, headline, Class::Unmeasured, "trusted");
    }
    agent.ready();
    agent.rest();
    let at = agent.submit("[[hold go]] [[text Hello.]]");
    if !after.contains(&"idle") {
        agent.mark(at, "idle", Class::Unmeasured, "told with the first prompt");
    }
    agent.mark(at, "working", Class::Hooked, "prompt sent");
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}

/// Told to go while it asks.
pub(in crate::live::cases) fn dialog_ended(stage: &Stage, words: &str) {
    stage.hub();
    let agent = stage.run_to_dialog(&[], words);
    agent.rest();
    let at = agent.signal(Signal::TERM);
    agent.mark(at, "ended", Class::Kill, "SIGTERM");
    agent.rest();
}

/// Left at the dialog by a person who does not want to go on.
pub(in crate::live::cases) fn dialog_left(stage: &Stage, words: &str, keys: &[&str]) {
    stage.hub();
    let agent = stage.run_to_dialog(&[], words);
    agent.rest();
    agent.keys_class(keys, "ended", Class::Kill, "left");
    agent.rest();
}

/// One that a person opens by this command, behind a turn, and that no rule for screens knows: nothing tells of it,
/// and so what was true before stays told. `words`: to be seen of it.
pub(in crate::live::cases) fn unknown_dialog(stage: &Stage, command: &str, words: &str) {
    stage.hub();
    let agent = stage.start(&[]);
    agent.turn();
    let at = agent.submit(command);
    agent.shows(words);
    agent.settle();
    let screen = agent.screen();
    assert_eq!(headsup_adapters::screen(stage.kind(), None, &screen), None, "{screen}");
    agent.mark(at, "done", Class::Unmeasured, command);
    agent.rest();
    let at = agent.press("Escape");
    agent.mark(at, "done", Class::Unmeasured, "closed");
    agent.rest();
    agent.turn();
}
