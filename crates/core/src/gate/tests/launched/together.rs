//! What was launched and the agent below it, told to go together.

use super::*;

/// An agent that is told to go may return an error.
#[test]
fn an_agent_that_is_told_to_go_with_the_script_around_it_has_not_crashed() {
    for (signal, kind) in [(15, ExitKind::Killed), (9, ExitKind::Crashed)] {
        let mut script = at_work(false);
        returns(&mut script, None, Some(signal), true);
        script.after(300);
        let own = Exit::from_wait(Some(1), None, false);
        of_process(&mut script, INNER, Fact::Process(ProcessFact::Exited(own)));
        assert_eq!(end(&script), (kind, Some(1), None), "{signal}");
    }
    // Its own signal says more.
    let mut script = at_work(false);
    returns(&mut script, None, Some(15), true);
    let own = Exit::from_wait(None, Some(9), false);
    of_process(&mut script, INNER, Fact::Process(ProcessFact::Exited(own)));
    assert_eq!(end(&script), (ExitKind::Crashed, None, Some(9)));
}
