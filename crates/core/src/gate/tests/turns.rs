//! G5, and how turns end: completed, failed, interrupted, queued.

use super::script::{
    Script, at_rest, busy, fail, prompt, start, stop, stop_with, sub, tool, tool_end, tool_of,
    unlisted_stop, wake,
};
use crate::gate::{self, Rule, STALE_MS, UNKNOWN_MS};
use crate::observation::{Background, BackgroundShells, Fact, Level, SessionStart};
use crate::prompt::{Actor, ToolRef};
use crate::source::Source;
use crate::status::Headline;

#[test]
fn one_turn_hook_by_hook() {
    let mut script = Script::idle();
    script.hook(prompt("t1"));
    assert_eq!(script.phrase(), "working(prompt)");
    script.hook(tool(&Actor::Main, "c1", 7));
    assert_eq!(script.phrase(), "working(tool)");
    script.hook(super::script::permission(&Actor::Main, 7));
    assert_eq!(script.phrase(), "blocked(permission)");
    script.hook(tool(&sub("h"), "c2", 8));
    assert_eq!(script.phrase(), "blocked(permission)");
    script.hook(tool_end(&Actor::Main, "c1", 7));
    assert_eq!(script.phrase(), "working(model)");
    script.hook(stop_with("t1", &["h"], 0));
    assert_eq!(script.phrase(), "working(background)");
    assert_eq!(script.count("turn.completed"), 0);
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!(script.phrase(), "working(background)");
    script.hook(wake("t1b"));
    assert_eq!(script.phrase(), "working(prompt)");
    script.hook(stop("t1b"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.count("turn.started"), 1);
    assert_eq!(script.count("turn.completed"), 1);
    assert_eq!(script.count("agent.status_changed"), 7);
}

/// A start can be told late (an agent need not wait for that hook): it opens nothing again.
#[test]
fn a_start_told_after_its_calls_end_changes_nothing() {
    let mut script = Script::idle();
    script.hook(prompt("t1"));
    script.hook(tool_end(&Actor::Main, "c1", 7));
    script.hook(tool(&Actor::Main, "c1", 7));
    script.refused(Rule::G10);
    assert_eq!(script.phrase(), "working(model)");
    script.hook(tool_end(&Actor::Main, "c2", 8));
    script.hook(stop_with("t1", &["h"], 0));
    script.hook(tool_of("t1", "c2"));
    script.refused(Rule::G10);
    assert_eq!(script.phrase(), "working(background)");
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(wake("t1b"));
    script.hook(stop("t1b"));
    script.hook(tool_of("t1b", "c3"));
    script.refused(Rule::G10);
    assert_eq!((script.headline(), script.seat.counters.tools), (Headline::Done, 2));
}

#[test]
fn a_call_counts_once_however_often_its_start_and_its_end_are_told() {
    let mut script = Script::working();
    // Of the first one no start is told.
    for id in ["c0", "c0"] {
        script.hook(tool_end(&Actor::Main, id, 0));
    }
    assert_eq!(script.seat.counters.tools, 1);
    let ids: Vec<String> = (0..20).map(|n| format!("c{n}")).collect();
    for id in &ids[1..] {
        script.hook(tool(&Actor::Main, id, 0));
        script.hook(tool_end(&Actor::Main, id, 0));
    }
    let call = |id: &String| ToolRef { name: "Bash".into(), id: Some(id.clone()), input: None };
    let tools = ids.iter().map(call).collect();
    script.hook(Fact::ToolsEnded { actor: Actor::Main, tools, interrupted: false, turn_ref: None });
    assert_eq!(script.seat.counters.tools, 20);
    // Its helper's end, and that of its turn, come before its own.
    script.hook(tool(&sub("h"), "h1", 1));
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(tool_end(&sub("h"), "h1", 1));
    script.hook(tool(&Actor::Main, "c20", 2));
    script.hook(stop("t1"));
    script.hook(prompt("t2"));
    script.hook(tool_end(&Actor::Main, "c20", 2));
    assert_eq!(script.seat.counters.tools, 22);
}

/// Programs that number their calls may begin anew.
#[test]
fn another_call_of_the_same_id_is_a_call() {
    let mut script = Script::working();
    for _ in 0..3 {
        script.hook(tool(&Actor::Main, "c1", 7));
        assert_eq!(script.phrase(), "working(tool)");
        script.hook(tool_end(&Actor::Main, "c1", 7));
        script.hook(tool_end(&Actor::Main, "c1", 7));
        assert_eq!(script.phrase(), "working(model)");
    }
}

#[test]
fn a_helpers_start_told_after_its_end_opens_no_call() {
    let mut script = Script::working();
    script.hook(tool_end(&sub("h"), "c9", 9));
    script.hook(tool(&sub("h"), "c9", 9));
    script.refused(Rule::G10);
    assert!(script.seat.open_tools.is_empty());
}

#[test]
fn g5_background_shells_alone_leave_the_turn_idle() {
    let mut script = Script::working();
    script.hook(stop_with("t1", &[], 1));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.seat.doc().background.shells, 1);
    script.hook(wake("t2"));
    script.hook(stop("t2"));
    assert_eq!(script.seat.doc().background.shells, 0);
    assert_eq!(script.count("turn.completed"), 2);
}

#[test]
fn g5_background_shells_keep_the_turn_open_where_that_is_set() {
    let mut script = Script::working();
    script.seat.background_shells = BackgroundShells::Working;
    script.hook(stop_with("t1", &[], 1));
    assert_eq!(script.phrase(), "working(background)");
    // The program itself sits at its prompt, and shows that a shell runs.
    script.registry(Level::Idle { shells: 1 });
    script.tick(gate::SETTLE_MS);
    script.hook(Fact::IdleNotice { turn_ref: None });
    assert_eq!(script.phrase(), "working(background)");
    assert_eq!(script.seat.history().trail.iter().filter(|said| said.lost.is_none()).count(), 1);
    assert_eq!(
        script.seat.history().trail.back().map(|said| &*said.value),
        Some("idle"),
        "refused"
    );
    // A shell that somebody kills has no event.
    script.registry(Level::Idle { shells: 0 });
    script.tick(gate::SETTLE_MS);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!(script.count("turn.completed"), 1);
    // One that ends wakes the agent, in the same turn.
    script.hook(prompt("t2"));
    script.hook(stop_with("t2", &[], 1));
    script.hook(wake("t2b"));
    script.hook(stop("t2b"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.count("turn.completed"), 2);
    // Esc is an end, whatever runs.
    script.hook(prompt("t3"));
    script.hook(Fact::TurnInterrupted { turn_ref: Some("t3".into()) });
    assert_eq!(script.outcome(), Some("interrupted"));
}

#[test]
fn a_level_that_only_knows_of_shells_does_not_lower_their_count() {
    let mut script = Script::working();
    script.hook(stop_with("t1", &[], 2));
    script.registry(Level::Idle { shells: 1 });
    assert_eq!(script.seat.doc().background.shells, 2);
    script.registry(Level::Idle { shells: 0 });
    assert_eq!(script.seat.doc().background.shells, 0);
    script.registry(Level::Idle { shells: 1 });
    assert_eq!(script.seat.doc().background.shells, 1);
}

#[test]
fn g5_the_count_of_helpers_is_read_anew_from_each_stop() {
    let mut script = Script::working();
    for id in ["a", "b", "c"] {
        script.hook(Fact::SubagentStarted { id: id.into() });
    }
    script.hook(stop_with("t1", &["b"], 0));
    assert_eq!(script.seat.subagents, ["b"]);
    script.hook(wake("t2"));
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
    assert!(script.seat.subagents.is_empty());
}

/// Its stop does not list its helpers, and its own status is the main agent's alone.
fn stopped_before_its_helper() -> Script {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.said(Source::ProgramStatus, Fact::Level(busy()));
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.phrase(), "working(background)");
    script
}

#[test]
fn g5_a_helper_that_no_stop_lists_runs_until_its_own_end() {
    let mut script = stopped_before_its_helper();
    for level in [Level::Done, at_rest()] {
        script.said(Source::ProgramStatus, Fact::Level(level));
        script.refused(Rule::G5);
        script.tick(2_000);
        assert_eq!(script.phrase(), "working(background)");
    }
    assert_eq!(script.count("turn.completed"), 0);
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    script.tick(2_000);
    assert_eq!(script.count("turn.completed"), 1);
}

#[test]
fn a_rest_that_was_seen_before_the_stop_is_no_helpers_end() {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.said(Source::ProgramStatus, Fact::Level(busy()));
    script.said(Source::ProgramStatus, Fact::Level(Level::Done));
    script.hook(unlisted_stop("t1"));
    script.tick(2_000);
    assert_eq!(script.phrase(), "working(background)");
}

#[test]
fn a_helper_whose_end_is_lost_does_not_work_for_ever() {
    let mut script = stopped_before_its_helper();
    script.tick(STALE_MS);
    assert!(script.seat.stale);
    script.tick(UNKNOWN_MS - STALE_MS);
    assert_eq!(script.headline(), Headline::Unknown);
    // A sign of it shows that it runs all the same.
    script.hook(tool(&sub("h"), "c9", 1));
    assert_eq!(script.phrase(), "working(background)");
    script.tick(UNKNOWN_MS);
    script.said(Source::ProgramStatus, Fact::Level(at_rest()));
    script.tick(2_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

#[test]
fn what_a_person_asks_beside_a_helper_is_a_turn_of_its_own() {
    let mut script = stopped_before_its_helper();
    script.hook(prompt("t2"));
    assert_eq!(script.count("turn.completed"), 1);
    script.hook(unlisted_stop("t2"));
    assert_eq!(script.phrase(), "working(background)");
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.count("turn.completed"), 2);
}

#[test]
fn a_stop_that_may_be_a_helpers_ends_nothing_while_one_runs() {
    let mut script = Script::working();
    let stop = || Fact::TurnEnded { background: Background::anyones(), turn_ref: None };
    script.hook(Fact::SubagentStarted { id: "coder".into() });
    script.hook(stop());
    assert_eq!(script.headline(), Headline::Working);
    script.hook(Fact::SubagentEnded { id: "coder".into() });
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop());
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!(script.count("turn.completed"), 1);

    // The end of a helper that is lost costs one end of a turn, and not all that come.
    script.hook(prompt("t2"));
    script.hook(Fact::SubagentStarted { id: "coder".into() });
    script.hook(stop());
    assert_eq!(script.headline(), Headline::Working);
    script.hook(prompt("t3"));
    assert_eq!(script.count("turn.completed"), 2);
    script.hook(stop());
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_helper_that_ends_before_the_stop_leaves_nothing_behind() {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!(script.headline(), Headline::Working);
    script.hook(unlisted_stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn an_interrupted_turn_is_never_done() {
    // Nothing tells of the interruption; the next prompt does.
    let mut script = Script::working();
    script.hook(tool_of("t1", "c1"));
    script.hook(prompt("t2"));
    script.hook(tool_of("t2", "c2"));
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!(script.count("turn.completed"), 1);
    assert_eq!(script.count("turn.started"), 1);
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.seat.turn.seq, 2);

    // The program's own idle notice tells of it a minute later.
    let mut script = Script::working();
    script.after(60_000).hook(Fact::IdleNotice { turn_ref: None });
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));

    // A tool's end tells of it.
    let mut script = Script::working();
    script.hook(Fact::ToolsEnded {
        actor: Actor::Main,
        tools: Vec::new(),
        interrupted: true,
        turn_ref: None,
    });
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));

    // The program leaves without having ended the turn.
    let mut script = Script::working();
    script.hook(super::script::exit());
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("aborted")));
}

#[test]
fn an_idle_notice_after_a_stop_changes_nothing() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.after(60_000).hook(Fact::IdleNotice { turn_ref: None });
    script.silent();
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

#[test]
fn a_failed_turn_is_failed_until_somebody_saw_it() {
    let mut script = Script::working();
    script.hook(fail("t1", "rate_limit"));
    assert_eq!(script.headline(), Headline::Failed);
    assert_eq!(script.seat.outcome.as_ref().unwrap().code.as_deref(), Some("rate_limit"));
    let decision = gate::mark_seen(&mut script.seat, script.now);
    assert_eq!(decision.events.len(), 1);
    assert_eq!(script.headline(), Headline::Idle);
    let again = gate::mark_seen(&mut script.seat, script.now);
    assert!(again.events.is_empty() && !again.changed);
}

#[test]
fn a_stop_whose_start_was_not_told_is_a_turn_all_the_same() {
    let mut script = Script::idle();
    script.hook(stop("shell-escape"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.published, ["turn.started", "turn.completed", "agent.status_changed"]);
}

#[test]
fn a_prompt_by_a_person_counts_as_having_seen_the_last_outcome() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    assert!(!script.seat.seen());
    script.hook(prompt("t2"));
    assert_eq!(script.seat.seen_turn_seq, 1);
    assert!(script.seat.outcome.is_none());
}

#[test]
fn a_first_fact_without_a_start_registers_a_running_seat() {
    let mut script = Script::new();
    script.hook(tool_of("t1", "c1"));
    assert_eq!(script.headline(), Headline::Working);
    assert!(script.seat.process.state.is_running());
    script.hook(start(SessionStart::Startup));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn a_report_moves_a_seat_without_an_adapter() {
    use crate::source::Source;
    use crate::wire::ReportBody;
    let mut script = Script::new();
    script.session = None;
    let mut say = |turn: &str, reason: Option<&str>, detail: Option<&str>| {
        let body = ReportBody {
            turn: Some(turn.into()),
            reason: reason.map(str::to_owned),
            detail: detail.map(str::to_owned),
            ..ReportBody::default()
        };
        script.said(Source::Report, Fact::Reported(body.parse().unwrap()));
        (script.headline(), script.last.events.len())
    };
    assert_eq!(say("working", None, None).0, Headline::Working);
    assert_eq!(say("working", None, None).1, 0);
    assert_eq!(say("blocked", Some("question"), Some("which?")).0, Headline::Blocked);
    assert_eq!(say("blocked", Some("question"), Some("which?")).1, 0);
    assert_eq!(say("working", Some("tool"), None).0, Headline::Working);
    assert_eq!(say("done", None, None).0, Headline::Done);
    assert_eq!(say("done", None, None).1, 0);
    assert_eq!(say("working", None, None).0, Headline::Working);
    assert_eq!(say("failed", None, None).0, Headline::Failed);
    assert_eq!(say("working", None, None).0, Headline::Working);
    assert_eq!(say("idle", None, None).0, Headline::Idle);
}

#[test]
fn a_seat_that_speaks_without_saying_what_it_does_is_running_and_unknown() {
    let mut script = Script::new();
    script.hook(Fact::Nothing);
    assert_eq!(script.headline(), Headline::Unknown);
    assert!(script.seat.process.state.is_running());
    assert_eq!(script.published, ["agent.status_changed"]);
}

#[test]
fn a_turn_that_was_opened_without_a_name_is_not_begun_twice() {
    // The hub came in mid-turn: the first thing it hears is a permission, which is then denied.
    let mut script = Script::idle();
    script.hook(super::script::permission(&Actor::Main, 7));
    script.hook(prompt("t2"));
    script.hook(tool_of("t2", "c1"));
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!((script.count("turn.started"), script.count("turn.completed")), (2, 2));

    let mut script = Script::idle();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(prompt("t1"));
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_tools_end_never_takes_an_ended_turn_up_again() {
    let mut script = Script::working();
    script.hook(tool_of("t1", "c1"));
    script.hook(stop("t1"));
    let end = || Fact::ToolsEnded {
        actor: Actor::Main,
        tools: Vec::new(),
        interrupted: false,
        turn_ref: Some("t1".into()),
    };
    script.after(5_000).hook(end());
    script.refused(gate::Rule::G10);
    assert_eq!(script.headline(), Headline::Done);
}

/// Nobody has told of its beginning.
#[test]
fn an_interruption_may_be_the_first_that_is_heard_and_is_told_once() {
    let stopped = || Fact::TurnInterrupted { turn_ref: None };
    let mut script = Script::new();
    script.hook(stopped());
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    script.hook(stopped());
    script.silent();
    // Of one that rests it is no news.
    let mut script = Script::idle();
    script.hook(stopped());
    script.silent();
    assert_eq!((script.phrase().as_str(), script.outcome()), ("idle(ready)", None));
}

#[test]
fn an_end_of_turn_and_process_in_one_report_is_both() {
    use crate::source::Source;
    use crate::wire::ReportBody;
    let mut script = Script::new();
    script.session = None;
    let own = |text: &str| Some(text.to_owned());
    let body = ReportBody { turn: own("done"), process: own("exited"), ..ReportBody::default() };
    let fact = Fact::Reported(body.parse().unwrap());
    script.said(Source::Report, fact.clone());
    assert_eq!((script.headline(), script.outcome()), (Headline::Ended, Some("completed")));
    script.said(Source::Report, fact);
    script.refused(gate::Rule::G3);
    assert_eq!(script.seat.incarnation, 1);
}

#[test]
fn a_late_notice_of_rest_does_not_end_the_turn_that_was_queued() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.hook(prompt("t2"));
    script.hook(Fact::TurnOver);
    script.refused(Rule::G10);
    script.tick(300);
    assert_eq!(script.headline(), Headline::Working);
    script.after(2_000).hook(Fact::TurnOver);
    script.tick(300);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}
