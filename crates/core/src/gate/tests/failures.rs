//! One failure after another, where nothing but levels tells of them, and failures that are told more than once or late.

use super::script::{Script, at_rest, busy, fail, prompt, stop, tool, tool_end};
use crate::gate;
use crate::observation::{Background, Delivery, Fact, JUST_FAILED, Level, ProcessFact};
use crate::prompt::Actor;
use crate::source::Source;
use crate::status::{Exit, ExitKind, Headline};

fn failed(code: &str) -> Fact {
    Fact::Level(Level::Failed { code: code.to_owned() })
}

/// Its outcome's code, which stands beside the turn, too.
fn code(script: &Script) -> &str {
    let code = script.seat.outcome.as_ref().and_then(|outcome| outcome.code.as_deref()).unwrap();
    assert_eq!(script.seat.turn.detail.as_deref(), Some(code));
    code
}

/// An agent on a terminal of ours, which has told of no session.
fn failed_on_a_terminal() -> Script {
    let mut script = Script::new();
    script.session = None;
    script.said(Source::ProgramStatus, Fact::Level(at_rest()));
    script.said(Source::ProgramStatus, failed("disk full"));
    assert_eq!((script.headline(), code(&script)), (Headline::Failed, "disk full"));
    script.published.clear();
    script
}

#[test]
fn another_failure_on_a_terminal_is_shown_and_the_same_again_is_no_event() {
    let mut script = failed_on_a_terminal();
    // Without a word it is the same.
    for said in ["disk full", "no network", "no network", JUST_FAILED] {
        script.said(Source::ProgramStatus, failed(said));
    }
    assert_eq!((script.headline(), code(&script)), (Headline::Failed, "no network"));
    assert_eq!(script.published, ["agent.status_changed"]);
    assert_eq!(script.seat.turn.seq, 1);
    // It rests in between.
    script.said(Source::ProgramStatus, Fact::Level(at_rest()));
    script.said(Source::ProgramStatus, failed("disk full"));
    assert_eq!((code(&script), script.count("agent.status_changed")), ("disk full", 2));
}

#[test]
fn a_failure_that_a_person_has_seen_comes_back_only_as_another_one() {
    let mut script = failed_on_a_terminal();
    gate::mark_seen(&mut script.seat, script.now);
    script.said(Source::ProgramStatus, failed("disk full"));
    assert_eq!(script.headline(), Headline::Idle);
    script.said(Source::ProgramStatus, failed("no network"));
    assert_eq!(script.headline(), Headline::Failed);
}

#[test]
fn a_failure_that_counts_down_is_one_whether_it_was_seen_or_not() {
    let mut script = failed_on_a_terminal();
    script.said(Source::ProgramStatus, failed("no network: retry in 10 s"));
    assert_eq!(script.published, ["agent.status_changed"]);
    for seen in [false, true] {
        if seen {
            gate::mark_seen(&mut script.seat, script.now);
        }
        for left in ["9", "8", "1", ""] {
            script.said(Source::ProgramStatus, failed(&format!("no network: retry in {left} s")));
            script.silent();
        }
        let then = if seen { Headline::Idle } else { Headline::Failed };
        assert_eq!((script.headline(), code(&script)), (then, "no network: retry in 10 s"));
    }
    script.said(Source::ProgramStatus, failed("no network: given up"));
    assert_eq!(script.headline(), Headline::Failed);
}

/// Their levels have fewer words for it than what else they tell, or than hooks do.
#[test]
fn what_was_told_of_a_failure_by_others_stays() {
    for source in [Source::Hook, Source::AppServer] {
        let mut script = Script::idle();
        script.hook(prompt("t1"));
        script.said(Source::AppServer, Fact::Level(busy()));
        let turn_ref = Some("t1".to_owned());
        script.said(source, Fact::TurnFailed { code: "quota".into(), detail: None, turn_ref });
        for level in [Source::AppServer, Source::ProgramStatus, Source::AppServer] {
            script.said(level, failed("system_error"));
            script.tick(gate::SETTLE_MS);
        }
        assert_eq!((script.headline(), code(&script)), (Headline::Failed, "quota"));
    }
}

/// A terminal is told in words alone, and before the log is written.
#[test]
fn a_failure_has_the_code_that_the_log_has_for_it_and_the_words_of_the_terminal() {
    let words = "API Error: 529 Overloaded. This is a server-side issue.";
    for late in [false, true] {
        let mut script = Script::new();
        script.session = None;
        script.said(Source::ProgramStatus, Fact::Level(at_rest()));
        script.said(Source::ProgramStatus, failed(words));
        assert_eq!((script.headline(), code(&script)), (Headline::Failed, words));
        script.after(if late { 5_000 } else { 0 });
        script.published.clear();
        let detail = Some("x".to_owned());
        let fails = || Fact::TurnFailed {
            code: "overloaded".into(),
            detail: detail.clone(),
            turn_ref: None,
        };
        script.log(fails());
        let shown = if late { words } else { "overloaded" };
        for (source, told) in
            [(Source::Transcript, fails()), (Source::ProgramStatus, failed(words))]
        {
            script.said(source, told);
            let outcome = script.seat.outcome.as_ref().unwrap();
            assert_eq!(outcome.code.as_deref(), Some(shown), "{late}");
            assert_eq!(script.seat.turn.detail.as_deref(), Some(words), "{late}");
        }
        let published = if late { &[][..] } else { &["agent.status_changed"] };
        assert_eq!(script.published, published, "{late}");
        script.seat.seen_turn_seq = script.seat.turn.seq;
        script.said(Source::ProgramStatus, Fact::Level(at_rest()));
        script.said(Source::ProgramStatus, failed("another one"));
        assert_eq!((script.headline(), code(&script)), (Headline::Failed, "another one"), "{late}");
    }
}

#[test]
fn the_first_code_that_is_told_for_words_stays() {
    let mut script = failed_on_a_terminal();
    for code in ["overloaded", "unknown"] {
        let (code, detail) = (code.to_owned(), None);
        script.log(Fact::TurnFailed { code, detail, turn_ref: None });
        let outcome = script.seat.outcome.as_ref().unwrap();
        assert_eq!(outcome.code.as_deref(), Some("overloaded"));
        assert_eq!(script.seat.turn.detail.as_deref(), Some("disk full"));
    }
    gate::mark_seen(&mut script.seat, script.now);
    script.said(Source::ProgramStatus, failed("disk full"));
    assert_eq!(script.headline(), Headline::Idle, "it is the same one");
}

#[test]
fn a_run_that_leaves_as_soon_as_it_has_failed_has_had_one_turn() {
    for is_hooked in [false, true] {
        let mut script = Script::working();
        script.said(Source::EventStream, Fact::Level(busy()));
        script.said(Source::EventStream, failed("400"));
        if is_hooked {
            script.hook(fail("t1", "400"));
        }
        let exit = Exit { code: Some(1), ..Exit::of(ExitKind::Crashed) };
        script.said(Source::Process, Fact::Process(ProcessFact::Exited(exit)));
        let told = ["turn.started", "turn.completed"].map(|kind| script.count(kind));
        assert_eq!((told, script.outcome()), ([0, 1], Some("failed")), "{is_hooked}");
        assert_eq!((script.seat.turn.seq, script.seat.counters.turns), (1, 1), "{is_hooked}");
    }
}

/// Both have waited for a hub, and the hook, which knows of no failure and of no Esc, is told first. A failure may also be
/// written just behind the end.
#[test]
fn the_log_tells_behind_its_hook_how_a_turn_has_ended_that_no_hub_has_heard() {
    let fails = || Fact::TurnFailed { code: "x".into(), detail: None, turn_ref: None };
    let stopped = || Fact::TurnInterrupted { turn_ref: None };
    for (said, written, headline) in [
        (fails(), 900, Headline::Failed),
        (stopped(), 1_000, Headline::Idle),
        (fails(), 1_007, Headline::Failed),
        // Of the turn before, and of none that is over.
        (stopped(), -20, Headline::Done),
        (stopped(), 1_007, Headline::Done),
        (fails(), 3_000, Headline::Done),
    ] {
        let mut script = Script::working();
        let heard = script.now;
        script.after(60_000);
        for (source, fact, at) in
            [(Source::Hook, stop("t1"), 1_000), (Source::Transcript, said.clone(), written)]
        {
            let reported_at = heard.plus(at);
            script.delivery = Delivery::Spooled { reported_at };
            script.made_at = Some(reported_at);
            script.said(source, fact);
        }
        assert_eq!(script.headline(), headline, "{said:?} at {written}");
        let told = ["turn.started", "turn.completed"].map(|kind| script.count(kind));
        assert_eq!((told, script.seat.turn.seq), ([0, 1], 1), "{said:?} at {written}");
    }
}

/// A program that has had no answer says so behind its hook, as of an end like any other.
#[test]
fn a_failure_that_the_log_tells_just_behind_the_end_is_how_the_turn_has_ended() {
    for (written, headline) in
        [(-1, Headline::Done), (7, Headline::Failed), (2_000, Headline::Done)]
    {
        let mut script = Script::working();
        let ended = script.now.plus(500);
        script.made_at = Some(ended);
        script.hook(stop("t1"));
        assert_eq!(script.headline(), Headline::Done);
        script.made_at = Some(ended.plus(written));
        let detail = Some("No response was returned.".to_owned());
        script.log(Fact::TurnFailed {
            code: "query".into(),
            detail: detail.clone(),
            turn_ref: None,
        });
        assert_eq!(script.headline(), headline, "{written}");
        assert_eq!(script.count("turn.completed"), 1, "{written}");
        if headline == Headline::Failed {
            assert_eq!(script.seat.turn.detail.as_deref(), detail.as_deref());
            script.made_at = None;
            script.hook(prompt("t2"));
            assert_eq!(script.headline(), Headline::Working);
        }
    }
}

/// Its main agent has failed beside a helper, whose end has woken it: all of that has waited for a hub.
#[test]
fn false_positive_a_failure_behind_which_the_agent_has_gone_on_is_no_end_of_what_goes_on() {
    for is_over in [false, true] {
        let mut script = Script::working();
        script.hook(Fact::SubagentStarted { id: "h".into() });
        let heard = script.now;
        script.after(60_000);
        let background = Background { wakes: true, ..Background::unlisted() };
        let stopped = Fact::TurnEnded { background, turn_ref: Some("t1".into()) };
        let mut facts = vec![
            (stopped, 1_000),
            (Fact::SubagentEnded { id: "h".into() }, 5_000),
            (tool(&Actor::Main, "c1", 7), 6_000),
        ];
        if is_over {
            facts.extend([(tool_end(&Actor::Main, "c1", 7), 7_000), (stop("t1"), 8_000)]);
        }
        let headline = if is_over { Headline::Done } else { Headline::Working };
        let told = |script: &mut Script, source, fact, at| {
            let reported_at = heard.plus(at);
            script.delivery = Delivery::Spooled { reported_at };
            script.made_at = Some(reported_at);
            script.said(source, fact);
        };
        for (fact, at) in facts {
            told(&mut script, Source::Hook, fact, at);
        }
        assert_eq!(script.headline(), headline);
        let fails = Fact::TurnFailed { code: "query".into(), detail: None, turn_ref: None };
        told(&mut script, Source::Transcript, fails, 1_007);
        let told = (script.headline(), script.count("turn.completed"));
        assert_eq!(told, (headline, usize::from(is_over)));
    }
}
