//! Agents that are driven by a protocol, which tells all of their status: what is open by its word nothing else ends.

use super::script::{Script, prompt, stop, wake};
use crate::gate::{Rule, STALE_MS};
use crate::observation::{Fact, ProcessFact, Reported, ReportedTurn};
use crate::prompt::{Actor, NewPrompt, Resolution};
use crate::source::Source;
use crate::status::{BlockedReason, Exit, ExitKind, Headline, OutcomeKind, WorkingReason};
use crate::time::UnixMs;

fn at_rest() -> Script {
    let mut script = Script::idle();
    script.seat.kind = "acp:some".into();
    script
}

fn exact(script: &mut Script, fact: Fact) {
    script.said(Source::Acp, fact);
}

fn asks(settle_ms: u32) -> Fact {
    let prompt = NewPrompt::plain(BlockedReason::Permission, Some("go?"));
    let prompt = NewPrompt { key: Some("7".to_owned()), ..prompt };
    Fact::PromptOpened { actor: Actor::Main, prompt, settle_ms, turn_ref: None }
}

fn answered() -> Fact {
    let (reason, key) = (BlockedReason::Permission, Some("7".to_owned()));
    let resolution = Resolution::elsewhere(UnixMs::default());
    Fact::PromptResolved { actor: Actor::Main, reason, key, resolution }
}

fn report(turn: ReportedTurn, outcome: Option<OutcomeKind>) -> Fact {
    let outcome = outcome.map(|kind| (kind, None));
    Fact::Reported(Reported { turn: Some(turn), detail: None, outcome, process: None })
}

/// Of another session, as a rule.
#[test]
fn what_waits_for_an_answer_waits_on_when_a_turn_begins() {
    for by_person in [true, false] {
        let mut script = at_rest();
        exact(&mut script, asks(0));
        assert_eq!(script.headline(), Headline::Blocked);
        script.published.clear();
        let begins = if by_person { prompt("t1") } else { wake("t1") };
        exact(&mut script, begins);
        assert_eq!(script.published, ["turn.started"], "{by_person}");
        assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Blocked, 1));
        // Told again in that turn it is the same one.
        exact(&mut script, asks(0));
        script.silent();
        exact(&mut script, answered());
        assert_eq!(script.headline(), Headline::Working);
    }
    // Nor is what waits a moment forgotten.
    let mut script = at_rest();
    exact(&mut script, asks(1_000));
    exact(&mut script, prompt("t1"));
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn no_report_ends_what_the_protocol_says_is_open() {
    for turn in [ReportedTurn::Idle, ReportedTurn::Rests] {
        for outcome in [Some(OutcomeKind::Completed), None] {
            let mut script = at_rest();
            exact(&mut script, prompt("t1"));
            script.said(Source::Report, report(turn, outcome));
            script.refused(Rule::Rank);
            assert_eq!(script.headline(), Headline::Working);
            exact(&mut script, asks(0));
            script.said(Source::Report, report(turn, outcome));
            script.refused(Rule::Rank);
            assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Blocked, 1));
            exact(&mut script, answered());
            exact(&mut script, stop("t1"));
            assert_eq!(script.headline(), Headline::Done);
            // What is asked in no turn waits as well.
            exact(&mut script, asks(0));
            script.said(Source::Report, report(turn, outcome));
            script.refused(Rule::Rank);
            assert_eq!(script.headline(), Headline::Blocked);
            // However long that takes.
            script.after(STALE_MS).said(Source::Report, report(turn, outcome));
            script.refused(Rule::Rank);
            assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Blocked, 1));
        }
    }
    // That it works answers nothing.
    let mut script = at_rest();
    exact(&mut script, prompt("t1"));
    exact(&mut script, asks(0));
    script.said(Source::Report, report(ReportedTurn::Working(WorkingReason::Tool), None));
    assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Blocked, 1));
}

#[test]
fn a_report_ends_its_own_and_what_nobody_tells_of_any_more() {
    let ends = || report(ReportedTurn::Idle, Some(OutcomeKind::Completed));
    // Its own turn, and its own question.
    for begins in
        [ReportedTurn::Working(WorkingReason::Tool), ReportedTurn::Blocked(BlockedReason::Question)]
    {
        let mut script = at_rest();
        script.said(Source::Report, report(begins, None));
        script.said(Source::Report, ends());
        assert_eq!(script.headline(), Headline::Done, "{begins:?}");
    }
    // The protocol has said nothing for long.
    let mut script = at_rest();
    exact(&mut script, prompt("t1"));
    script.after(STALE_MS).said(Source::Report, ends());
    assert_eq!(script.headline(), Headline::Done);
    // Its process has ended.
    let mut script = at_rest();
    exact(&mut script, prompt("t1"));
    let exited = ProcessFact::Exited(Exit::of(ExitKind::Clean));
    let Fact::Reported(said) = ends() else { unreachable!() };
    script.said(Source::Report, Fact::Reported(Reported { process: Some(exited), ..said }));
    assert_eq!(script.headline(), Headline::Ended);
}
