//! G7: nothing is idle between the start and the end of a compaction.

use super::script::{Script, at_rest, start, stop};
use crate::gate::Rule;
use crate::observation::{Fact, SessionStart};
use crate::status::Headline;

#[test]
fn g7_nothing_produces_idle_during_compaction() {
    let mut script = Script::working();
    script.hook(Fact::CompactionStarted);
    assert_eq!(script.phrase(), "working(compacting)");
    script.hook(stop("t1"));
    script.refused(Rule::G7);
    script.hook(Fact::IdleNotice);
    script.refused(Rule::G7);
    script.registry(at_rest());
    script.refused(Rule::G7);
    script.hook(start(SessionStart::Compact));
    script.silent();
    assert_eq!(script.phrase(), "working(compacting)");
    script.hook(Fact::CompactionEnded { manual: false });
    assert_eq!(script.phrase(), "working(model)");
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.count("turn.completed"), 1);
}

#[test]
fn a_manual_compaction_is_a_turn_of_its_own() {
    let mut script = Script::idle();
    script.hook(Fact::CompactionStarted);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(Fact::CompactionEnded { manual: true });
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.count("turn.started"), 1);
    assert_eq!(script.count("turn.completed"), 1);
}
