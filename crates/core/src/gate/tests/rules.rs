//! G2, G3, G8, G10, G11, G12 and the screen's one direction.

use super::script::{
    Script, at_rest, busy, exit, permission, prompt, settling_permission, start, stop, stop_with,
    tool,
};
use crate::gate::{self, Rule, STALE_MS, UNKNOWN_MS};
use crate::id::ProcessId;
use crate::observation::{Delivery, Fact, History, ProcessFact, SessionStart};
use crate::prompt::Actor;
use crate::seat::Seat;
use crate::source::{Confidence, Source};
use crate::status::{BlockedReason, Headline, StartPhase};

#[test]
fn g2_what_is_read_from_an_old_log_is_metadata_and_never_an_edge() {
    let mut script = Script::idle();
    let last_status_at = script.seat.last_status_at;
    script.delivery = Delivery::Replayed;
    script.said(Source::Transcript, prompt("old"));
    script.refused(Rule::G2);
    let history = History {
        prompts: 12,
        model: Some("m".into()),
        title: Some("t".into()),
        ..History::default()
    };
    script.said(Source::Transcript, Fact::History(history));
    script.silent();
    assert_eq!(script.seat.counters.prompts, 12);
    assert_eq!(script.seat.about.model.as_deref(), Some("m"));
    assert_eq!(script.seat.last_status_at, last_status_at);
    assert_eq!(script.headline(), Headline::Idle);
}

#[test]
fn g2_a_restored_seat_emits_nothing_and_does_not_age_by_the_hubs_absence() {
    let script = Script::working();
    let text = serde_json::to_string(&script.seat).unwrap();
    let mut seat: Seat = serde_json::from_str(&text).unwrap();
    let later = script.now.plus(3_600_000);
    gate::restore(&mut seat, later);
    let decision = gate::tick(&mut seat, later);
    assert_eq!(decision, gate::Decision::default());
    assert_eq!(seat.headline(), Headline::Working);
    assert!(!seat.stale);
}

#[test]
fn where_a_protocol_tells_all_hooks_and_titles_of_the_same_program_are_not_heard() {
    let mut script = Script::idle();
    script.seat.kind = "acp:some".into();
    for source in [Source::Hook, Source::Plugin, Source::Transcript, Source::Title, Source::Screen]
    {
        script.said(source, prompt("t1"));
        script.refused(Rule::Rank);
    }
    script.said(Source::Acp, prompt("t1"));
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    script.refused(Rule::Rank);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g3_the_same_again_refreshes_the_evidence_and_emits_nothing() {
    let mut script = Script::working();
    let said_at = script.seat.turn.evidence.confirmed_at;
    script.hook(prompt("t1"));
    script.silent();
    assert!(!script.last.changed);
    assert!(script.seat.turn.evidence.confirmed_at > said_at);
    script.hook(stop("t1"));
    assert_eq!(script.published, ["turn.completed", "agent.status_changed"]);
    script.hook(stop("t1"));
    script.silent();
}

#[test]
fn g3_a_prompt_that_a_hook_tells_again_behind_its_turn_is_no_other_one() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.registry(super::script::at_rest());
    script.after(5_000).hook(prompt("t1"));
    script.refused(Rule::G10);
    let counters = &script.seat.counters;
    assert_eq!((script.headline(), counters.prompts, counters.turns), (Headline::Done, 1, 1));
    // What the program has done by itself may bear the name of the prompt that comes next.
    script.hook(super::script::wake("t2"));
    script.hook(stop("t2"));
    script.after(5_000).hook(prompt("t2"));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g3_turns_are_events_of_their_own_when_the_word_stays() {
    let mut script = Script::working();
    script.hook(prompt("t2"));
    script.silent();
    script.hook(stop("t1"));
    assert_eq!(script.phrase(), "working(prompt)");
    assert_eq!(script.published, ["turn.completed", "turn.started"]);
    script.hook(stop("t2"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.count("turn.completed"), 2);
}

#[test]
fn g8_silence_makes_stale_then_unknown_and_never_idle() {
    let mut script = Script::working();
    script.tick(59_000);
    assert!(!script.seat.stale);
    script.tick(1_500);
    assert!(script.seat.stale && script.last.ask_witnesses);
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!(script.published, ["agent.updated"]);
    script.tick(60_000);
    assert_eq!(script.headline(), Headline::Unknown);
    assert_eq!(script.seat.turn.evidence.confidence, Confidence::None);
    script.tick(86_400_000);
    assert_eq!(script.headline(), Headline::Unknown);
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    assert!(!script.seat.stale);
}

#[test]
fn g8_a_confirmation_keeps_working_from_ageing() {
    let mut script = Script::working();
    for _ in 0..10 {
        script.after(50_000).hook(Fact::Nothing);
        script.tick(0);
    }
    assert_eq!(script.headline(), Headline::Working);
    assert!(!script.seat.stale);
}

/// What becomes of a start nobody knows whose launcher tells no process.
#[test]
fn g8_a_start_of_which_nothing_is_heard_grows_stale() {
    let starting = || Fact::Process(ProcessFact::Starting(StartPhase::Booting));
    let mut script = Script::new();
    script.session = None;
    script.said(Source::Process, starting());
    let deadline = gate::next_deadline(&script.seat);
    assert_eq!(deadline, Some(script.now.plus(STALE_MS)));
    script.tick(STALE_MS - 1);
    assert!(!script.seat.stale);
    script.tick(1);
    assert!(script.seat.stale);
    assert_eq!(script.headline(), Headline::Starting);
    assert_eq!(script.published, ["agent.status_changed", "agent.updated"]);
    assert_eq!(gate::next_deadline(&script.seat), None);
    script.tick(86_400_000);
    script.silent();
    script.process = Some(ProcessId::new(5, 50));
    script.said(Source::Process, starting());
    assert!(!script.seat.stale);
}

/// It may have come up long ago, and its hooks are not read.
#[test]
fn g8_a_program_that_tells_nothing_after_its_start_is_unknown_at_last() {
    let mut script = Script::new();
    (script.session, script.process) = (None, Some(ProcessId::new(5, 50)));
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    assert_eq!(gate::next_deadline(&script.seat), Some(script.now.plus(STALE_MS)));
    script.tick(STALE_MS);
    assert_eq!((script.headline(), script.seat.stale), (Headline::Starting, true));
    let left = UNKNOWN_MS - STALE_MS;
    assert_eq!(gate::next_deadline(&script.seat), Some(script.now.plus(left)));
    script.tick(left);
    assert_eq!(script.headline(), Headline::Unknown);
    let notes = &script.seat.turn.evidence.notes;
    assert!(notes[0].starts_with("no hook has fired since its start"), "{notes:?}");
    assert_eq!(gate::next_deadline(&script.seat), None);
    script.tick(86_400_000);
    script.silent();
    let life = script.seat.incarnation;
    script.session = Some("s1".into());
    script.hook(start(SessionStart::Startup));
    assert_eq!((script.headline(), script.seat.incarnation), (Headline::Idle, life));
    assert!(!script.seat.stale);
}

#[test]
fn g8_a_program_at_a_dialog_that_is_seen_before_it_has_spoken_is_blocked_however_long() {
    let mut script = Script::new();
    (script.session, script.process) = (None, Some(ProcessId::new(5, 50)));
    script.said(Source::Process, Fact::Process(ProcessFact::Starting(StartPhase::Booting)));
    let (reason, detail) = (BlockedReason::Trust, Some("Trust?".to_owned()));
    let trust = Fact::ScreenDialog { reason, detail, first: true, opening: true };
    script.said(Source::Screen, trust);
    script.tick(86_400_000);
    assert_eq!(script.headline(), Headline::Blocked);
}

#[test]
fn g10_a_spooled_report_makes_its_events_unless_later_evidence_was_accepted() {
    let mut script = Script::working();
    let reported_at = script.now.plus(5);
    script.delivery = Delivery::Spooled { reported_at };
    script.after(60_000).hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    assert_eq!(script.seat.spooled_until, reported_at);
    script.delivery = Delivery::Live;
    script.hook(prompt("t2"));
    assert_eq!(
        (script.seat.spooled_until, script.seat.last_live_at),
        (reported_at, Some(script.now))
    );
    script.delivery = Delivery::Spooled { reported_at };
    script.hook(exit());
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn what_waited_is_not_newer_than_its_arrival() {
    let mut script = Script::working();
    script.delivery = Delivery::Spooled { reported_at: script.now.plus(3_600_000) };
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.seat.spooled_until), (Headline::Done, script.now));
}

#[test]
fn g10_vendor_order_within_one_moment_does_not_reopen_an_ended_turn() {
    let mut script = Script::working();
    script.hook(stop("t1"));
    script.hook(super::script::tool_of("t1", "late"));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Done);
    // Long after its end, work in the same turn means that it was taken up again.
    script.after(5_000).hook(super::script::tool_of("t1", "again"));
    assert_eq!(script.headline(), Headline::Working);
}

/// What a program does by itself when a helper has ended may bear the name of the prompt that comes next.
#[test]
fn g10_a_prompt_behind_the_end_of_its_name_begins_a_turn_once_it_cannot_be_late() {
    let mut script = Script::working();
    script.hook(stop_with("t1", &["h"], 0));
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.hook(stop("t2"));
    script.hook(prompt("t2"));
    script.refused(Rule::G10);
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 2));
    script.after(4_000).hook(prompt("t2"));
    assert_eq!(script.phrase(), "working(prompt)");
    script.hook(prompt("t2"));
    script.silent();
    script.hook(super::script::tool_of("t2", "c1"));
    script.hook(stop("t2"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 3));
    script.hook(prompt("t3"));
    // Behind a later one it is late for ever.
    script.after(4_000).hook(prompt("t2"));
    script.refused(Rule::G10);
}

/// A log names turns exactly, and its lines may be read long after what they tell.
#[test]
fn g10_a_line_of_a_log_that_is_read_late_begins_no_turn_anew() {
    for helpers in [&[][..], &["h"]] {
        let mut script = Script::working();
        script.hook(stop_with("t1", helpers, 0));
        let (before, turns) = (script.headline(), script.count("turn.started"));
        script.after(1_000).said(Source::Transcript, prompt("t1"));
        assert_eq!((script.headline(), script.count("turn.started")), (before, turns));
    }
}

/// The same while another helper goes on.
#[test]
fn g10_a_person_who_prompts_behind_helpers_begins_a_turn_whatever_its_name() {
    let mut script = Script::working();
    script.hook(stop_with("t1", &["h", "i"], 0));
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.after(1_000).hook(stop_with("t2", &["i"], 0));
    assert_eq!(script.phrase(), "working(background)");
    script.hook(prompt("t2"));
    script.silent();
    let turns = script.count("turn.started");
    script.after(4_000).hook(prompt("t2"));
    assert_eq!(script.phrase(), "working(prompt)");
    assert_eq!(script.count("turn.started"), turns + 1);
    script.hook(Fact::SubagentEnded { id: "i".into() });
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t2"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

#[test]
fn g11_what_is_not_understood_changes_nothing_and_is_kept() {
    let mut script = Script::working();
    script.hook(Fact::NotUnderstood { why: "unknown event Foo".into() });
    script.refused(Rule::G11);
    assert_eq!(script.headline(), Headline::Working);
    let explained = script.explained();
    assert_eq!(explained.rejected[0].rule, "G11");
    assert_eq!(explained.rejected[0].why, "unknown event Foo");
}

#[test]
fn g11_whoever_speaks_first_is_known_by_its_session_also_where_it_is_not_understood() {
    let starts = super::script::start(SessionStart::Resume);
    for (next, headline) in [(prompt("t1"), Headline::Working), (starts, Headline::Idle)] {
        let mut script = Script::new();
        script.hook(Fact::NotUnderstood { why: "unknown event Foo".into() });
        assert_eq!(script.headline(), Headline::Unknown);
        assert_eq!(script.seat.session.as_ref().map(|session| session.id.as_str()), Some("s1"));
        // It has begun nothing yet: what comes next is of the same life.
        script.hook(next);
        assert_eq!((script.headline(), script.seat.incarnation), (headline, 1));
    }
}

#[test]
fn g12_a_request_the_agent_may_approve_itself_settles_first() {
    let mut script = Script::working();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(settling_permission(&Actor::Main, 7, 1_000));
    script.silent();
    assert_eq!(script.headline(), Headline::Working);
    script.hook(super::script::tool_end(&Actor::Main, "c1", 7));
    script.tick(2_000);
    assert_eq!(script.headline(), Headline::Working);
    assert_eq!(script.count("prompt.opened"), 0);

    script.hook(tool(&Actor::Main, "c2", 8));
    script.hook(settling_permission(&Actor::Main, 8, 1_000));
    let deadline = gate::next_deadline(&script.seat).unwrap();
    assert_eq!(deadline, script.now.plus(1_000));
    script.tick(999);
    assert_eq!(script.headline(), Headline::Working);
    script.tick(1);
    assert_eq!(script.headline(), Headline::Blocked);
    assert_eq!(script.count("prompt.opened"), 1);
}

#[test]
fn a_screen_overrides_hooks_in_one_direction_only() {
    let dialog = || Fact::ScreenDialog {
        reason: BlockedReason::Other,
        detail: None,
        first: false,
        opening: false,
    };
    let mut script = Script::working();
    script.said(Source::Screen, dialog());
    assert_eq!(script.headline(), Headline::Blocked);
    assert_eq!(script.seat.turn.evidence.confidence, Confidence::Weak);

    let mut script = Script::working();
    let quiet = |quiet| Fact::ScreenPrompt { quiet };
    script.said(Source::Screen, quiet(true));
    script.said(Source::Screen, quiet(true));
    assert_eq!(script.headline(), Headline::Working);
    script.said(Source::Screen, quiet(true));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));

    let mut script = Script::blocked();
    for _ in 0..5 {
        script.said(Source::Screen, quiet(true));
    }
    assert_eq!(script.headline(), Headline::Blocked);

    let mut script = Script::working();
    script.registry(busy());
    script.said(Source::Screen, dialog());
    script.refused(Rule::Rank);
}

#[test]
fn a_weaker_level_does_not_override_a_fresh_stronger_witness() {
    let mut script = Script::working();
    script.said(Source::Title, Fact::Level(at_rest()));
    script.refused(Rule::Rank);
    assert_eq!(script.headline(), Headline::Working);
    script.after(61_000).said(Source::Title, Fact::Level(busy()));
    script.said(Source::Title, Fact::Level(at_rest()));
    script.tick(400);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

#[test]
fn explain_names_winner_and_losers_at_each_step() {
    let mut script = Script::idle();
    let turn = |script: &Script| script.explained().dimensions["turn"].clone();
    script.hook(prompt("t1"));
    let told = turn(&script);
    assert_eq!(told.value, "working(prompt)");
    assert_eq!(told.losers[0].value, "idle(ready)");
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(permission(&Actor::Main, 7));
    let told = turn(&script);
    assert_eq!(told.value, "blocked(permission)");
    assert_eq!(told.losers[0].why, "an open prompt outranks it (G4)");
    script.hook(tool(&super::script::sub("h"), "c2", 9));
    let told = turn(&script);
    assert_eq!(told.value, "blocked(permission)");
    assert_eq!(told.losers[0].value, "working(subagent)");
    assert!(told.losers[0].why.contains("G6"));
    let winner = told.winner.unwrap();
    assert_eq!((winner.source, winner.confidence), (Source::Hook, Confidence::Strong));
    assert!(winner.age_ms >= 0);
}

#[test]
fn a_report_that_it_is_blocked_takes_the_place_of_the_report_before() {
    let mut script = Script::new();
    script.session = None;
    for turn in ["working", "blocked"] {
        let body = crate::wire::ReportBody { turn: Some(turn.into()), ..Default::default() };
        script.said(Source::Report, Fact::Reported(body.parse().unwrap()));
    }
    let told = script.explained().dimensions["turn"].clone();
    assert_eq!(told.value, "blocked(other)");
    let lost = &told.losers[0];
    assert_eq!((lost.source, &*lost.value), (Source::Report, "working(model)"));
    assert_eq!(lost.why, "superseded by the later test");
}

#[test]
fn g10_a_level_seen_meanwhile_does_not_make_a_spooled_edge_history() {
    let mut script = Script::working();
    script.registry(busy());
    let reported_at = script.now.plus(5);
    script.after(50).registry(at_rest());
    script.delivery = Delivery::Spooled { reported_at };
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}
