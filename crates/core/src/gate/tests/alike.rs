//! G4 where one tool is called twice at once with one input, and requests do not name their call.

use super::script::{Script, permission, settling_permission, tool, tool_end};
use crate::observation::Fact;
use crate::prompt::Actor;
use crate::status::Headline;

fn twice() -> Script {
    let mut script = Script::working();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(tool(&Actor::Main, "c2", 7));
    script.published.clear();
    script
}

fn asked(script: &Script) -> Vec<Option<&str>> {
    let calls = script.seat.own_prompts().filter_map(|open| open.ask.tool.as_ref());
    calls.map(|tool| tool.id.as_deref()).collect()
}

#[test]
fn g4_a_request_is_about_the_call_that_nobody_has_asked_about() {
    let mut script = twice();
    script.hook(permission(&Actor::Main, 7));
    assert_eq!(asked(&script), [Some("c1")]);
    // It is granted, and runs.
    script.hook(Fact::Answered);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(permission(&Actor::Main, 7));
    assert_eq!(asked(&script), [Some("c2")]);
    script.hook(tool_end(&Actor::Main, "c1", 7));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(tool_end(&Actor::Main, "c2", 7));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g4_both_may_be_asked_about_at_once() {
    let mut script = twice();
    script.hook(permission(&Actor::Main, 7));
    script.hook(permission(&Actor::Main, 7));
    assert_eq!(asked(&script), [Some("c1"), Some("c2")]);
    script.hook(permission(&Actor::Main, 7));
    script.silent();
    script.hook(tool_end(&Actor::Main, "c1", 7));
    assert_eq!(asked(&script), [Some("c2")]);
}

#[test]
fn g12_both_requests_may_settle() {
    let mut script = twice();
    for _ in 0..3 {
        script.hook(settling_permission(&Actor::Main, 7, 1_000));
    }
    script.silent();
    script.tick(1_000);
    assert_eq!(asked(&script), [Some("c1"), Some("c2")]);
    script.hook(tool_end(&Actor::Main, "c1", 7));
    assert_eq!(script.headline(), Headline::Blocked);
}
