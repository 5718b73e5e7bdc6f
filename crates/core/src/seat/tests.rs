use super::*;
use crate::prompt::Actor;
use serde_json::json;

fn seat() -> Seat {
    Seat::new(AgentId::new("api").unwrap(), "custom", Source::Report, UnixMs(1_795_296_597_200))
}

/// As it comes out of the store.
fn stored(seat: &Seat) -> Seat {
    Seat { history: None, ageing_from: UnixMs::default(), ..seat.clone() }
}

/// As the first versions wrote it: every field.
#[test]
fn a_seat_that_was_stored_whole_is_read() {
    let seat = seat();
    let mut written = serde_json::to_value(&seat).unwrap();
    assert!(written.get("session").is_none() && written["turn"].get("queued").is_none());
    for absent in ["session", "outcome", "stage", "last_status_at", "last_activity"] {
        written[absent] = json!(null);
    }
    for empty in ["left_sessions", "verdicts", "prompts", "open_tools", "claims", "held"] {
        written[empty] = json!([]);
    }
    written["turn"]["queued"] = json!([]);
    written["turn"]["compacting"] = json!(false);
    written["about"]["labels"] = json!({});
    let read: Seat = serde_json::from_value(written).unwrap();
    assert_eq!(read, stored(&seat));
}

#[test]
fn what_is_written_is_read() {
    let seat = seat();
    let written = serde_json::to_string(&seat).unwrap();
    assert_eq!(serde_json::from_str::<Seat>(&written).unwrap(), stored(&seat));
}

/// As `ls` and `show` say it. Nobody who is not its parent is told how a process ended.
#[test]
fn how_a_process_ended_is_explained_or_why_that_is_not_known() {
    use crate::status::{Exit, ExitKind};
    let crashed = || Exit::of(ExitKind::Crashed);
    let (no_child, untold) = ("it is no child of headsup's", "its launcher has not told");
    for (exit, adopted, value, why) in [
        (Exit { signal: Some(9), ..crashed() }, true, "exited(crashed, signal 9)", None),
        (Exit { code: Some(3), ..crashed() }, false, "exited(crashed, exit code 3)", None),
        (Exit { code: Some(0), ..Exit::of(ExitKind::Clean) }, false, "exited(clean)", None),
        (Exit::of(ExitKind::Lost), true, "exited(lost)", None),
        (crashed(), true, "exited(crashed)", Some(no_child)),
        (Exit::of(ExitKind::Unspecified), true, "exited(unspecified)", Some(no_child)),
        (crashed(), false, "exited(crashed)", Some(untold)),
    ] {
        let mut seat = seat();
        seat.process.state = Process::Exited(exit);
        seat.about.adopted = adopted;
        let explained = seat.explain(&History::default(), seat.registered_at);
        let process = &explained.dimensions["process"];
        let notes = process.winner.as_ref().unwrap().notes.join("; ");
        let why = why.map(|why| format!("how is not known: {why}"));
        assert_eq!((process.value.as_str(), notes), (value, why.unwrap_or_default()));
    }
}

/// Nobody but the agent and people speak of it, and so it has one witness.
#[test]
fn what_is_reported_of_work_and_task_is_explained_by_whose_word_it_is() {
    use crate::verdict::Verdict;
    use crate::wire::VerdictDoc;
    use crate::workflow::{Stage, StageStatus};
    let mut seat = seat();
    let (at, now) = (seat.registered_at, seat.registered_at.plus(5_000));
    let plain = seat.explain(&History::default(), now).dimensions;
    assert!(plain["stage"].winner.is_none() && !plain.contains_key("verdict"));
    let (stage, blockers) = (Stage::Working, Vec::new());
    let (message, phase, progress, since) = (None, None, None, at);
    let status = StageStatus { stage, message, phase, progress, since, blockers };
    seat.stage = Some(Box::new(status));
    for (task, verdict) in [("APP-1", Verdict::Failed), ("APP-2", Verdict::Passed)] {
        let (task, notes) = (task.to_owned(), None);
        seat.verdicts.push(VerdictDoc { task, verdict, notes, at });
    }
    let explained = seat.explain(&History::default(), now).dimensions;
    for (dimension, value, notes) in
        [("stage", "working", &[][..]), ("verdict", "passed", &["of the task APP-2"][..])]
    {
        let dimension = &explained[dimension];
        let winner = dimension.winner.as_ref().unwrap();
        assert_eq!((&*dimension.value, winner.source), (value, Source::Report));
        assert_eq!((winner.observed_at, winner.age_ms), (at, 5_000));
        assert_eq!(winner.notes, notes);
    }
}

/// What it asks a person makes it blocked, whatever its turn and its workflow are.
#[test]
fn open_questions_are_explained_beside_the_turn() {
    use crate::prompt::NewPrompt;
    use crate::status::BlockedReason;
    let mut seat = seat();
    let (at, now) = (seat.registered_at, seat.registered_at.plus(5_000));
    assert!(!seat.explain(&History::default(), now).dimensions.contains_key("prompts"));
    for (id, title, kind) in [
        ("api-p1", "Run ls?", PromptKind::Permission),
        ("api-p2", "Which branch?", PromptKind::Input),
        ("api-p3", "Deploy?", PromptKind::Input),
    ] {
        let ask = NewPrompt { kind, ..NewPrompt::plain(BlockedReason::Question, Some(title)) };
        let (id, actor, source) = (id.to_owned(), Actor::Main, Source::Report);
        let (opened_at, by_notice, logged, input) = (at, false, None, None);
        let open = OpenPrompt { id, actor, opened_at, source, by_notice, logged, ask, input };
        seat.prompts.push(open);
    }
    let explained = seat.explain(&History::default(), now);
    assert_eq!(explained.headline, Headline::Blocked);
    let prompts = &explained.dimensions["prompts"];
    let winner = prompts.winner.as_ref().unwrap();
    assert_eq!((&*prompts.value, winner.source), ("3 open", Source::Report));
    assert_eq!((winner.observed_at, winner.age_ms), (at, 5_000));
    assert_eq!(winner.notes, ["api-p1: Run ls?", "api-p2: Which branch?", "api-p3: Deploy?"]);
}
