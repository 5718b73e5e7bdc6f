//! G12 beside the program's own status: a dialog that both tell of is one prompt.

use super::script::{Script, busy, settling_permission, tool, waiting};
use crate::observation::Level;
use crate::prompt::Actor;
use crate::status::{BlockedReason, Headline};

/// An agent of which nobody knows whether somebody sits at it runs these calls.
fn running(inputs: &[u64]) -> Script {
    let mut script = Script::working();
    script.registry(busy());
    for input in inputs {
        script.hook(tool(&Actor::Main, &format!("c{input}"), *input));
    }
    script.published.clear();
    script
}

fn asks(script: &mut Script, input: u64) {
    script.hook(settling_permission(&Actor::Main, input, 1_000));
}

fn titles(script: &Script) -> Vec<&str> {
    script.seat.own_prompts().map(|open| open.ask.title.as_str()).collect()
}

#[test]
fn g12_a_request_that_the_programs_status_shows_has_settled() {
    let mut script = running(&[7]);
    asks(&mut script, 7);
    script.silent();
    script.registry(waiting());
    assert_eq!((script.headline(), titles(&script)), (Headline::Blocked, vec!["Bash: input 7"]));
    script.tick(5_000);
    script.silent();
    script.registry(busy());
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!((script.count("prompt.opened"), script.count("prompt.resolved")), (1, 1));
}

#[test]
fn g12_a_request_behind_the_status_that_shows_it_has_settled() {
    let mut script = running(&[7]);
    script.registry(waiting());
    script.silent();
    asks(&mut script, 7);
    assert_eq!((script.headline(), titles(&script)), (Headline::Blocked, vec!["Bash: input 7"]));
    script.tick(5_000);
    assert_eq!(script.count("prompt.opened"), 1);
}

#[test]
fn g12_of_two_requests_one_is_shown() {
    let mut script = running(&[7, 8]);
    asks(&mut script, 7);
    asks(&mut script, 8);
    script.registry(waiting());
    assert_eq!(titles(&script), ["Bash: input 7"]);
    script.tick(1_000);
    assert_eq!(titles(&script), ["Bash: input 7", "Bash: input 8"]);
}

/// It may be one that the person has opened; if not, it is the request's own.
#[test]
fn g12_a_request_behind_a_dialog_of_another_kind_settles_and_is_no_second_one() {
    let mut script = running(&[7]);
    asks(&mut script, 7);
    let detail = Some("dialog open".to_owned());
    script.registry(Level::Blocked { reason: BlockedReason::Other, detail });
    script.silent();
    script.tick(300);
    assert_eq!(titles(&script), ["dialog open"]);
    script.tick(1_000);
    assert_eq!(titles(&script), ["Bash: input 7"]);
    assert_eq!((script.count("prompt.opened"), script.count("agent.updated")), (1, 1));
}
