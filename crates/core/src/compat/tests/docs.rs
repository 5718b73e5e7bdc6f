//! What is written of these tables elsewhere: the page for people and the types for TypeScript.

use crate::compat::{
    Scale, State, Vocabulary, bob, boocode, jackin, multicode, overdeck, panopticon, superset,
    wardian,
};
use crate::status::{
    Attach, BlockedReason, Exit, ExitKind, OutcomeKind, Process, StartPhase, Turn, WorkingReason,
};
use crate::workflow::Stage;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use ts_rs::{Config, TS};

/// Compares a golden file, or writes it anew.
#[track_caller]
fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if fs::read_to_string(&path).unwrap_or_default() != text {
        fs::write(&path, text).unwrap();
        panic!("docs/{name} was out of date and is written anew: look at the difference");
    }
}

#[test]
fn the_page_holds_these_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/compatibility.md");
    let mut page = fs::read_to_string(path).unwrap();
    for (name, table) in [("words", words()), ("states", states()), ("events", events())] {
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
        let start = page.find(&begin).unwrap() + begin.len();
        let stop = page.find(&end).unwrap();
        page.replace_range(start..stop, &table);
    }
    assert_golden("compatibility.md", &page);
}

/// A state in a few words.
fn phrase(state: &State) -> String {
    let mut parts = Vec::new();
    parts.push(match state.process {
        Process::Running { attach: Attach::Interactive } => "running".to_owned(),
        Process::Running { attach: Attach::Headless } => "running(headless)".to_owned(),
        Process::Starting { phase: StartPhase::Queued } => "starting(queued)".to_owned(),
        Process::Starting { phase: StartPhase::Booting } => "starting(booting)".to_owned(),
        Process::Starting { phase: StartPhase::Restoring } => "starting(restoring)".to_owned(),
        Process::Exited(exit) => format!("exited({})", exit.kind.word()),
        other => other.word().to_owned(),
    });
    parts.extend((state.turn != Turn::None).then(|| state.turn.phrase()));
    parts.extend(state.outcome.map(|outcome| outcome.word().to_owned()));
    parts.extend((!state.seen).then(|| "unseen".to_owned()));
    parts.extend(state.stage.map(|stage| format!("stage {}", stage.word())));
    parts.extend(state.verdict.map(|verdict| format!("verdict {}", verdict.word())));
    parts.extend((state.incarnation > 1).then(|| "a later incarnation".to_owned()));
    parts.extend(state.stale.then(|| "stale".to_owned()));
    let minutes = state.silent_ms / 60_000;
    parts.extend((minutes > 0).then(|| format!("silent for {minutes} min")));
    parts.join(", ")
}

/// The lines of one scale.
fn add<S: Scale>(table: &mut String) {
    for word in S::ALL {
        let (name, said) = (S::NAME, phrase(&word.read()));
        writeln!(table, "| {name} | `{}` | {said} |", word.word()).unwrap();
    }
}

fn words() -> String {
    let mut table = "| words | word | reads as |\n|---|---|---|\n".to_owned();
    add::<boocode::Status>(&mut table);
    for edge in boocode::Edge::ALL {
        let (word, kind) = (edge.word(), edge.event_type());
        writeln!(table, "| boocode, its helper | `{word}` | the event `{kind}` |").unwrap();
    }
    add::<wardian::Status>(&mut table);
    add::<wardian::Input>(&mut table);
    add::<wardian::Reply>(&mut table);
    add::<bob::Session>(&mut table);
    add::<bob::Stage>(&mut table);
    for word in bob::TASK {
        writeln!(table, "| bob, its tasks | `{word}` | the tracker's word, as it is |").unwrap();
    }
    add::<panopticon::Activity>(&mut table);
    add::<panopticon::Health>(&mut table);
    add::<panopticon::Report>(&mut table);
    add::<jackin::Status>(&mut table);
    add::<jackin::Public>(&mut table);
    add::<jackin::Overlay>(&mut table);
    add::<multicode::Session>(&mut table);
    add::<multicode::Automation>(&mut table);
    add::<overdeck::Activity>(&mut table);
    add::<overdeck::Resolution>(&mut table);
    add::<superset::Status>(&mut table);
    add::<superset::End>(&mut table);
    table
}

/// One state for each that some vocabulary tells from the others.
fn told_apart() -> Vec<State> {
    let exited = |exit| State::process(Process::Exited(exit));
    let crashed = Exit { code: Some(3), ..Exit::of(ExitKind::Crashed) };
    let killed = Exit { signal: Some(9), ..Exit::of(ExitKind::Crashed) };
    let seen = |outcome| State { seen: true, ..State::unseen(outcome) };
    vec![
        State::starting(StartPhase::Queued),
        State::starting(StartPhase::Booting),
        State::starting(StartPhase::Restoring),
        State::working(),
        State::running(Turn::Working(WorkingReason::Tool)),
        State { process: Process::Running { attach: Attach::Headless }, ..State::working() },
        State { stale: true, ..State::working() },
        State::blocked(BlockedReason::Permission),
        State { stage: Some(Stage::AwaitingInput), ..State::working() },
        State::idle(),
        State::unseen(OutcomeKind::Completed),
        seen(OutcomeKind::Completed),
        seen(OutcomeKind::Interrupted),
        State::unseen(OutcomeKind::Failed),
        seen(OutcomeKind::Failed),
        State { stage: Some(Stage::AwaitingReview), ..State::unseen(OutcomeKind::Completed) },
        State::unknown(),
        State::process(Process::Unknown),
        State::process(Process::Stopping),
        State::process(Process::Suspended),
        exited(Exit::of(ExitKind::Clean)),
        State { outcome: Some(OutcomeKind::Failed), ..exited(Exit::of(ExitKind::Clean)) },
        exited(Exit::of(ExitKind::Killed)),
        exited(crashed),
        exited(killed),
        exited(Exit::of(ExitKind::OomKilled)),
        exited(Exit::of(ExitKind::Lost)),
        State::process(Process::Absent),
    ]
}

fn states() -> String {
    let mut table = "| state | headline |".to_owned();
    for vocabulary in Vocabulary::ALL {
        write!(table, " {} |", vocabulary.word()).unwrap();
    }
    table.push_str("\n|---|---|");
    table.push_str(&"---|".repeat(Vocabulary::ALL.len()));
    table.push('\n');
    for state in told_apart() {
        write!(table, "| {} | `{}` |", phrase(&state), state.headline().word()).unwrap();
        for vocabulary in Vocabulary::ALL {
            write!(table, " {} |", vocabulary.say(&state).phrase()).unwrap();
        }
        table.push('\n');
    }
    table
}

fn events() -> String {
    use boocode::event::{EVENTS, NOTIFICATION, NOTIFICATIONS};
    let mut lines: Vec<(boocode::Meaning, Vec<String>)> = Vec::new();
    let named = EVENTS.iter().map(|(name, meaning)| (*meaning, format!("`{name}`")));
    let by_type = NOTIFICATIONS.iter().map(|(kind, meaning)| {
        let name = NOTIFICATION[0];
        (*meaning, format!("`{name}` of the type `{kind}`"))
    });
    for (meaning, name) in named.chain(by_type) {
        match lines.iter_mut().find(|(known, _)| *known == meaning) {
            Some((_, names)) => names.push(name),
            None => lines.push((meaning, vec![name])),
        }
    }
    let mut table = "| events | what they say |\n|---|---|\n".to_owned();
    for (meaning, names) in lines {
        writeln!(table, "| {} | {} |", names.join(" "), said(meaning)).unwrap();
    }
    table
}

fn said(meaning: boocode::Meaning) -> String {
    use boocode::Meaning as M;
    let text = match meaning {
        M::SessionStarted => "idle where no turn runs; else nothing",
        M::Prompted => "a turn begins: working",
        M::GoesOn => "working, in an open turn or a new one; whatever it waited for is settled",
        M::Answered => "whatever it waited for is settled: working",
        M::ToolStarted | M::ToolChecked => "working; a prompt that is open stays open",
        M::ToolEnded => "working; a question is settled, if no call goes on from before it",
        M::Asks(reason) => return format!("blocked({})", reason.word()),
        M::Waits(reason) => {
            return format!("blocked({}), if it is not blocked already", reason.word());
        }
        M::Rests => "it sits at its prompt: idle, and of an open turn nobody knows how it ended",
        M::Ended => "the turn is over: idle, completed",
        M::Failed => "the turn is over: error",
        M::Interrupted => "a person stopped the turn: idle",
        M::Left => "the process has ended",
        M::Nothing => "nothing",
    };
    text.to_owned()
}

#[test]
fn the_types_for_typescript_are_these() {
    let config = Config::new();
    let mut text =
        "// What BooCode's clients say to headsup and hear from it. Written by a test of \
        headsup from\n// its own types: do not edit.\n"
            .to_owned();
    let mut add = |docs: Option<String>, declaration: String| {
        writeln!(text, "\n{}export {declaration}", docs.unwrap_or_default()).unwrap();
    };
    add(boocode::Status::docs(), boocode::Status::decl(&config));
    add(boocode::AgentStatusReport::docs(), boocode::AgentStatusReport::decl(&config));
    add(boocode::ReportAnswer::docs(), boocode::ReportAnswer::decl(&config));
    add(boocode::StatusUpdate::docs(), boocode::StatusUpdate::decl(&config));
    add(boocode::Frame::docs(), boocode::Frame::decl(&config));
    assert_golden("boocode.ts", &text);
}
