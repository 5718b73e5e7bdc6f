//! Word, state, the same word.

use crate::compat::{
    Scale, State, Vocabulary, bob, boocode, jackin, multicode, overdeck, panopticon, superset,
    wardian,
};
use crate::event::EventBody;
use crate::status::{Exit, ExitKind, OutcomeKind, Process};
use crate::time::UnixMs;
use crate::workflow::Stage;

/// Every word of a scale comes back from what it says; the words are these.
#[track_caller]
fn assert_survives<S: Scale>(words: &[&str]) {
    let all: Vec<&str> = S::ALL.iter().map(|word| word.word()).collect();
    assert_eq!(all, words, "{}", S::NAME);
    for (index, word) in S::ALL.iter().enumerate() {
        assert_eq!(S::of(&word.read()), Some(*word), "{} {}", S::NAME, word.word());
        assert_eq!(S::parse(word.word()), Some(*word));
        assert!(!S::ALL[..index].iter().any(|other| other.read() == word.read()), "{word:?}");
    }
    assert_eq!(S::parse("no such word"), None);
}

#[test]
fn every_vocabulary_survives_the_round_trip() {
    assert_survives::<boocode::Status>(&["working", "blocked", "idle", "error"]);
    assert_survives::<wardian::Status>(&[
        "Idle",
        "Processing...",
        "Action Needed",
        "Starting",
        "Restoring",
        "Pending...",
        "Off",
        "Headless",
        "Error",
        "unknown",
    ]);
    assert_survives::<wardian::Input>(&[
        "unknown",
        "booting",
        "ready",
        "busy",
        "action_required",
        "unavailable",
    ]);
    assert_survives::<wardian::Reply>(&["done", "blocked", "failed"]);
    assert_survives::<bob::Stage>(&[
        "started",
        "working",
        "awaiting_input",
        "blocked",
        "awaiting_review",
        "completed",
    ]);
    assert_survives::<bob::Session>(&[
        "provisioning",
        "starting",
        "running",
        "idle",
        "stopping",
        "stopped",
        "completed",
        "failed",
        "error",
    ]);
    assert_survives::<panopticon::Activity>(&["active", "idle", "suspended", "uninitialized"]);
    assert_survives::<panopticon::Report>(&["passed", "blocked", "failed", "in-progress"]);
    assert_survives::<panopticon::Health>(&["active", "stale", "warning", "stuck"]);
    assert_survives::<overdeck::Activity>(&["working", "thinking", "waiting", "idle", "stopped"]);
    assert_survives::<overdeck::Resolution>(&[
        "working",
        "done",
        "needs_input",
        "stuck",
        "completed",
        "unclear",
        "abandoned",
        "api_error",
    ]);
    assert_survives::<jackin::Status>(&[
        "Initializing",
        "Idle",
        "Busy",
        "Question",
        "Crashed",
        "OomKilled",
        "Unknown",
    ]);
    assert_survives::<jackin::Public>(&["working", "blocked", "done", "idle", "unknown"]);
    assert_survives::<jackin::Overlay>(&["stuck"]);
    assert_survives::<superset::Status>(&["working", "permission", "review", "failed", "idle"]);
    assert_survives::<superset::End>(&["detached", "terminal-exited", "resumed", "disposed"]);
    assert_survives::<multicode::Session>(&["Idle", "Busy", "Question"]);
    assert_survives::<multicode::Automation>(&[
        "Working",
        "WaitingOnVm",
        "Question",
        "Review",
        "Idle",
        "Stale",
    ]);
    assert_eq!(bob::TASK, ["todo", "in_progress", "in_review", "done"]);
}

/// What a specialist reports, and how a request was replied to, is a verdict: a list says it beside the status.
#[test]
fn a_verdict_is_said_beside_the_status() {
    let said = |vocabulary: Vocabulary, question: &str, state: &State| {
        vocabulary.say(state).beside.get(question).map(ToString::to_string)
    };
    let report = |state: &State| said(Vocabulary::Panopticon, "report", state);
    let reply = |state: &State| said(Vocabulary::Wardian, "reply", state);
    for word in panopticon::Report::ALL {
        assert_eq!(report(&word.read()).as_deref(), Some(word.word()));
    }
    for word in wardian::Reply::ALL {
        assert_eq!(reply(&word.read()).as_deref(), Some(word.word()));
    }
    assert_eq!((report(&State::idle()), reply(&State::idle())), (None, None));
    assert_eq!(reply(&panopticon::Report::InProgress.read()), None);
}

#[test]
fn what_jackins_words_carry_comes_back_with_them() {
    use jackin::{Fields, Status};
    let since = Some(UnixMs(1_795_296_597_200));
    let prompt = Some("Which branch?".to_owned());
    let cases = [
        (Status::Busy, Fields { since, ..Fields::default() }),
        (Status::Question, Fields { since, prompt, exit_code: None }),
        (Status::Crashed, Fields { exit_code: Some(3), ..Fields::default() }),
        (Status::Crashed, Fields::default()),
        (Status::OomKilled, Fields::default()),
        (Status::Idle, Fields::default()),
    ];
    for (status, fields) in cases {
        let state = fields.read(status);
        assert_eq!((Status::of(&state), Fields::of(&state)), (Some(status), fields));
    }
    let exit = Exit { signal: Some(9), ..Exit::of(ExitKind::Crashed) };
    let killed = State::process(Process::Exited(exit));
    assert_eq!(Fields::of(&killed).exit_code, Some(137));
}

/// Its `done` is what has ended while nobody looked: what a person has stopped is idle.
#[test]
fn jackin_calls_no_turn_done_that_was_interrupted() {
    use jackin::Public;
    for (outcome, word) in [
        (OutcomeKind::Completed, Public::Done),
        (OutcomeKind::Failed, Public::Done),
        (OutcomeKind::Interrupted, Public::Idle),
    ] {
        let state = State::unseen(outcome);
        assert_eq!(Public::of(&state), Some(word), "{outcome:?}");
        assert_eq!(Public::of(&State { seen: true, ..state }), Some(Public::Idle), "{outcome:?}");
    }
}

/// Nor does it call idle what has gone wrong before anybody has looked.
#[test]
fn jackin_calls_what_has_crashed_done_until_somebody_has_looked() {
    use jackin::Public;
    let failed = Some(OutcomeKind::Failed);
    let crashed = |kind| (State::exited(kind), Public::Done);
    for (gone, unseen) in [
        crashed(ExitKind::Crashed),
        crashed(ExitKind::OomKilled),
        crashed(ExitKind::Lost),
        (State { outcome: failed, ..State::exited(ExitKind::Clean) }, Public::Done),
        (State::exited(ExitKind::Clean), Public::Idle),
        (State::exited(ExitKind::Killed), Public::Idle),
    ] {
        let said = |seen| Public::of(&State { seen, ..gone.clone() });
        assert_eq!((said(false), said(true)), (Some(unseen), Some(Public::Idle)), "{gone:?}");
    }
}

/// Where there is a word for a failure, the end behind it takes that back as little as a look does.
#[test]
fn what_has_ended_behind_a_failure_is_called_failed() {
    let code = Some("rate_limit".to_owned());
    for kind in [ExitKind::Clean, ExitKind::Killed, ExitKind::Unspecified] {
        for seen in [true, false] {
            let outcome = Some(OutcomeKind::Failed);
            let failed = State { outcome, code: code.clone(), seen, ..State::exited(kind) };
            let said = boocode::Status::with_reason(&failed);
            assert_eq!(said, (boocode::Status::Error, code.clone()), "{failed:?}");
            assert_eq!(boocode::Status::of(&failed), Some(boocode::Status::Error));
            assert_eq!(wardian::Status::of(&failed), Some(wardian::Status::Error));
            assert_eq!(wardian::Input::of(&failed), Some(wardian::Input::Unavailable));
            assert_eq!(bob::Session::of(&failed), Some(bob::Session::Failed));
            assert_eq!(superset::Status::of(&failed), Some(superset::Status::Failed));
            assert_eq!(overdeck::Activity::of(&failed), Some(overdeck::Activity::Stopped));
            let resolution = overdeck::Resolution::of(&failed);
            assert_eq!(resolution, Some(overdeck::Resolution::ApiError));
            // These have none.
            assert_eq!(jackin::Status::of(&failed), Some(jackin::Status::Idle));
            assert_eq!(multicode::Session::of(&failed), Some(multicode::Session::Idle));
            let nameless = State { code: None, ..failed.clone() };
            assert_eq!(boocode::Status::with_reason(&nameless).1.as_deref(), Some("failed"));
            let done = State { outcome: Some(OutcomeKind::Completed), ..failed };
            let said = boocode::Status::with_reason(&done);
            assert_eq!(said, (boocode::Status::Idle, Some("ended".to_owned())));
            assert_eq!(wardian::Status::of(&done), Some(wardian::Status::Off));
            assert_eq!(superset::Status::of(&done), Some(superset::Status::Idle));
            assert_ne!(bob::Session::of(&done), Some(bob::Session::Failed));
        }
    }
}

/// Its automation waits for a review of the work, not for its agent: that may have left, or tell nothing of its turn.
#[test]
fn multicodes_automation_waits_for_a_review_also_where_the_agent_is_gone() {
    use multicode::Automation;
    let said = |state: State, stage| Automation::of(&State { stage, ..state });
    for (state, otherwise) in [
        (State::process(Process::Suspended), Automation::Idle),
        (State::process(Process::Absent), Automation::Idle),
        (State::exited(ExitKind::Clean), Automation::Idle),
        (State::exited(ExitKind::Killed), Automation::Idle),
        (State::unknown(), Automation::Stale),
    ] {
        let review = said(state.clone(), Some(Stage::AwaitingReview));
        assert_eq!(review, Some(Automation::Review), "{state:?}");
        for stage in [None, Some(Stage::Working), Some(Stage::Completed)] {
            assert_eq!(said(state.clone(), stage), Some(otherwise), "{state:?} {stage:?}");
        }
    }
    // It works again, or something went wrong: that is more.
    for (state, word) in [
        (State::working(), Automation::Working),
        (State::exited(ExitKind::Crashed), Automation::Stale),
    ] {
        assert_eq!(said(state, Some(Stage::AwaitingReview)), Some(word));
    }
}

#[test]
fn what_boocodes_helper_says_of_an_edge_is_one_event_of_ours() {
    for edge in boocode::Edge::ALL {
        assert!(EventBody::KINDS.contains(&edge.event_type()));
    }
    let ended = EventBody::TurnCompleted { turn_seq: 1, outcome: None };
    assert_eq!(boocode::Edge::of(&ended).map(boocode::Edge::word), Some("done"));
    let started = EventBody::TurnStarted { turn_seq: 1 };
    assert_eq!(boocode::Edge::of(&started).map(boocode::Edge::word), Some("working"));
    assert_eq!(boocode::Edge::of(&EventBody::Forgotten), None);
}

/// A crash is no failed turn, and both are an error there: the reason tells them apart.
#[test]
fn boocodes_reason_tells_what_its_word_does_not() {
    let said = |state: &State| {
        let (status, reason) = boocode::Status::with_reason(state);
        (status.word(), reason)
    };
    let reason = |word: &str| Some(word.to_owned());
    assert_eq!(said(&State::exited(ExitKind::Crashed)), ("error", reason("crashed")));
    assert_eq!(said(&State::exited(ExitKind::OomKilled)), ("error", reason("oom_killed")));
    let failed = State { code: reason("rate_limit"), ..boocode::Status::Error.read() };
    assert_eq!(said(&failed), ("error", reason("rate_limit")));
    assert_eq!(said(&State::unknown()), ("working", reason("unknown")));
    assert_eq!(said(&State::process(Process::Suspended)), ("idle", reason("suspended")));
    assert_eq!(said(&State::idle()), ("idle", None));
    assert_eq!(said(&boocode::Status::Blocked.read()), ("blocked", reason("permission")));
    assert_eq!(said(&boocode::Status::Idle.read()), ("idle", reason("completed")));
    assert_eq!(said(&boocode::Status::Working.read()), ("working", None));
}
