use super::ending::{LEAVE, LOOK};
use super::*;
use crate::clock::Manual;
use crate::inbox;
use crate::job::{Refusal, Witnessed, Work};
use crate::limits::Limits;
use crate::process::identity;
use crate::sources::AGAIN;
use headsup_core::status::{Attach, WorkingReason};
use headsup_core::time::UnixMs;
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn child() -> (Child, ProcessId) {
    let child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let ticks = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
    (child, ProcessId::new(pid, ticks.parse().unwrap()))
}

fn board() -> Arc<Board> {
    Arc::new(Board::new(Vec::new(), 0, 0))
}

fn samples() -> Arc<Samples> {
    let clock = Arc::new(Manual::new(UnixMs(0)));
    Arc::new(Samples::new(board(), clock, Path::new("/nowhere"), &Limits::default()))
}

fn processes(inbox: Inbox) -> Processes {
    let (goodbyes, ooms, last_words) = Default::default();
    Processes::new(inbox, board(), goodbyes, ooms, samples(), last_words)
}

/// Nothing but that it is looked at.
fn watching(process: ProcessId) -> One {
    let (goodbyes, ooms, last_words) = Default::default();
    One {
        agent: AgentId::new("api").unwrap(),
        process,
        outer: None,
        is_within: false,
        shell: None,
        leader: Leader::default(),
        pause: None,
        terminal: None,
        pane: OwnPane::default(),
        end: None,
        awaited: None,
        waits: false,
        left_in_order: false,
        board: board(),
        goodbyes,
        ooms,
        samples: samples(),
        last_words,
    }
}

/// The time that it is given passes at once.
#[tokio::test(start_paused = true)]
async fn whoever_says_goodbye_stays_or_leaves() {
    let (mut child, process) = child();
    assert!(stays(&process).await);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!stays(&process).await);
}

/// The time that it is given passes at once.
#[tokio::test(start_paused = true)]
async fn whoever_said_goodbye_to_the_hub_before_is_seen_off_by_this_one() {
    let (mut child, process) = child();
    let mut seat = Seat::new(AgentId::new("api").unwrap(), "custom", Source::Hook, UnixMs(0));
    seat.process.state = Process::Exited(Exit::of(ExitKind::Clean));
    let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
    let told = async |seat: &Seat| {
        let mut processes = processes(inbox.clone());
        processes.look_at(seat, true);
        tokio::time::sleep(LEAVE * 2).await;
        outbox.take(Duration::ZERO, 9).unwrap()
    };
    // It serves other conversations, too, and is this one's no more.
    assert!(told(&seat).await.is_empty());
    seat.process.id = Some(process);
    let jobs = told(&seat).await;
    let Work::Witnessed(Witnessed::Seat(sight)) = &jobs[0].work else { panic!() };
    assert_eq!((&*sight.name, &sight.process), ("stays", &seat.process.id));
    assert_eq!(sight.fact, Fact::Process(ProcessFact::Alive));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(told(&seat).await.is_empty());
}

/// The time that it is given passes at once.
#[tokio::test(start_paused = true)]
async fn whoever_has_left_behind_its_goodbye_takes_no_descriptor_from_those_that_live() {
    let (inbox, _outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
    let mut processes = processes(inbox);
    processes.most_waited_for = 1;
    let seat = |id: &str, process: ProcessId| {
        let mut seat = Seat::new(AgentId::new(id).unwrap(), "custom", Source::Hook, UnixMs(0));
        seat.process.id = Some(process);
        seat.process.state = Process::Running { attach: Attach::Interactive };
        seat
    };
    let (mut gone, left) = child();
    let mut over = seat("over", left);
    over.process.state = Process::Exited(Exit::of(ExitKind::Clean));
    processes.look_at(&over, false);
    assert!(processes.watched[&over.id].leaves);
    gone.kill().unwrap();
    gone.wait().unwrap();
    tokio::time::sleep(LEAVE * 2).await;
    let ((mut one, first), (mut other, second)) = (child(), child());
    let (first, second) = (seat("first", first), seat("second", second));
    processes.look_at(&first, false);
    assert!(processes.watched[&first.id].waits, "nobody else is waited for");
    processes.look_at(&second, false);
    assert!(!processes.watched[&second.id].waits, "there is one already");
    let mut next = second.clone();
    next.id = AgentId::new("next").unwrap();
    next.process.state = over.process.state;
    processes.look_at(&next, false);
    assert!(!processes.watched.contains_key(&over.id), "it is gone");
    for child in [&mut one, &mut other] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// The time that its goodbye is given passes at once.
#[tokio::test(start_paused = true)]
async fn a_process_that_is_gone_with_its_shell_was_hung_up_and_has_not_crashed() {
    for (name, kind) in [("hangup", ExitKind::Killed), ("exit", ExitKind::Crashed)] {
        let ((mut program, process), (mut shell, above)) = (child(), child());
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let one = One { shell: Some(above), ..watching(process) };
        program.kill().unwrap();
        program.wait().unwrap();
        if kind == ExitKind::Killed {
            shell.kill().unwrap();
            shell.wait().unwrap();
        }
        let seen = tokio::spawn(one.watch(inbox));
        tokio::time::sleep(GRACE * 2).await;
        let jobs = outbox.take(Duration::ZERO, 9).unwrap();
        let Work::Witnessed(Witnessed::Seat(sight)) = &jobs[0].work else { panic!() };
        let exited = Fact::Process(ProcessFact::Exited(Exit::of(kind)));
        assert_eq!((&*sight.name, &sight.fact), (name, &exited));
        seen.abort();
        shell.kill().ok();
        shell.wait().unwrap();
    }
}

/// The time that its goodbye is given passes at once.
#[tokio::test(start_paused = true)]
async fn why_a_process_has_crashed_is_seen_as_long_as_nobody_has_collected_it() {
    for is_collected in [false, true] {
        let (mut program, process) = child();
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        program.kill().unwrap();
        while is_alive(&process) {
            std::thread::yield_now();
        }
        if is_collected {
            program.wait().unwrap();
        }
        let seen = tokio::spawn(watching(process).watch(inbox));
        tokio::time::sleep(GRACE * 2).await;
        let jobs = outbox.take(Duration::ZERO, 9).unwrap();
        let Work::Witnessed(Witnessed::Seat(sight)) = &jobs[0].work else { panic!() };
        let exit = match is_collected {
            true => Exit::of(ExitKind::Crashed),
            false => Exit::from_wait(None, Some(9), false),
        };
        assert_eq!(sight.fact, Fact::Process(ProcessFact::Exited(exit)));
        seen.abort();
        program.wait().unwrap();
    }
}

/// The terminal that it was alone in was closed. The time that its goodbye is given passes at once.
#[tokio::test(start_paused = true)]
async fn the_signal_that_has_ended_a_process_is_read_before_anybody_collects_it() {
    for (signal, kind) in [(Signal::HUP, ExitKind::Killed), (Signal::KILL, ExitKind::Crashed)] {
        let (mut program, process) = child();
        let pid = Pid::from_raw(program.id().cast_signed()).unwrap();
        kill_process(pid, signal).unwrap();
        while is_alive(&process) {
            std::thread::yield_now();
        }
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let seen = tokio::spawn(watching(process).watch(inbox));
        tokio::task::yield_now().await;
        program.wait().unwrap();
        tokio::time::sleep(GRACE * 2).await;
        let jobs = outbox.take(Duration::ZERO, 9).unwrap();
        let Work::Witnessed(Witnessed::Seat(sight)) = &jobs[0].work else { panic!() };
        let Fact::Process(ProcessFact::Exited(exit)) = &sight.fact else { panic!() };
        assert_eq!((exit.kind, exit.signal), (kind, Some(signal.as_raw())));
        seen.abort();
    }
}

/// Most of who starts a program waits for it, and is the first to collect it. The time that its goodbye is given passes at
/// once.
#[tokio::test(start_paused = true)]
async fn how_a_process_has_ended_that_was_waited_for_is_known_whoever_has_collected_it() {
    for (signal, kind) in [(Signal::HUP, ExitKind::Killed), (Signal::KILL, ExitKind::Crashed)] {
        let (mut program, process) = child();
        let beside = headsup_kernel::ProcessFd::open(program.id()).unwrap();
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let seen = tokio::spawn(One { waits: true, ..watching(process) }.watch(inbox));
        // It is looked at once.
        tokio::task::yield_now().await;
        let pid = Pid::from_raw(program.id().cast_signed()).unwrap();
        kill_process(pid, signal).unwrap();
        program.wait().unwrap();
        tokio::time::sleep(LOOK + GRACE * 2).await;
        let jobs = outbox.take(Duration::ZERO, 9).unwrap();
        let Work::Witnessed(Witnessed::Seat(sight)) = &jobs[0].work else { panic!() };
        let exit = match beside.collected_end() {
            Some(_) => Exit { kind, code: None, signal: Some(signal.as_raw()) },
            // An older kernel does not tell.
            None => Exit::of(ExitKind::Crashed),
        };
        assert_eq!(sight.fact, Fact::Process(ProcessFact::Exited(exit)));
        seen.abort();
    }
}

/// As of a pane's own command, a launcher that waits for its program and has collected it. The time that its goodbye is
/// given passes at once.
#[tokio::test(start_paused = true)]
async fn a_process_below_a_launcher_was_hung_up_where_their_terminal_went_before_that() {
    let here = Some(Path::new("/dev/null").to_owned());
    let gone = Some(Path::new("/dev/null/gone").to_owned());
    let crashed = Exit::of(ExitKind::Crashed);
    for (terminal, signal, exit) in [
        (gone.clone(), None, Exit::of(ExitKind::Killed)),
        // It has ended by itself, and its launcher is about to.
        (here, None, crashed),
        (None, None, crashed),
        // Both may have gone behind it; its launcher has ended as it did.
        (gone.clone(), Some(Signal::KILL), crashed),
        (gone, Some(Signal::HUP), Exit::from_wait(None, Some(1), false)),
    ] {
        let ((mut program, process), (mut launcher, above)) = (child(), child());
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let name = format!("{terminal:?} {signal:?}");
        program.kill().unwrap();
        program.wait().unwrap();
        if let Some(signal) = signal {
            let pid = Pid::from_raw(launcher.id().cast_signed()).unwrap();
            kill_process(pid, signal).unwrap();
            while is_alive(&above) {
                std::thread::yield_now();
            }
        }
        let one = One { leader: Leader::at(Some(above), terminal), ..watching(process) };
        let seen = tokio::spawn(one.watch(inbox));
        tokio::time::sleep(LOOK + GRACE * 2).await;
        let jobs = outbox.take(Duration::ZERO, 9).unwrap();
        let Work::Witnessed(Witnessed::Seat(sight)) = &jobs[0].work else { panic!() };
        assert_eq!(sight.fact, Fact::Process(ProcessFact::Exited(exit)), "{name}");
        seen.abort();
        launcher.kill().ok();
        launcher.wait().unwrap();
    }
}

/// The time that the disk is given passes at once.
#[tokio::test(start_paused = true)]
async fn a_death_that_a_disk_has_refused_is_told_again_until_it_is_stored() {
    let (mut program, process) = child();
    program.kill().unwrap();
    program.wait().unwrap();
    let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
    let seen = tokio::spawn(watching(process).watch(inbox));
    for refusal in [Refusal::StorageFull, Refusal::StorageLocked, Refusal::Stopping] {
        tokio::time::sleep(AGAIN + GRACE * 2).await;
        let job = outbox.take(Duration::ZERO, 9).unwrap().pop().expect("it is told again");
        let Work::Witnessed(Witnessed::Seat(sight)) = &job.work else { panic!() };
        let exited = Fact::Process(ProcessFact::Exited(Exit::of(ExitKind::Crashed)));
        assert_eq!(sight.fact, exited, "{refusal:?}");
        job.answer.send(Err(refusal)).ok();
    }
    seen.await.unwrap();
}

/// The time that passes in between passes at once.
#[tokio::test(start_paused = true)]
async fn a_process_that_has_outlived_its_shell_or_launcher_was_not_hung_up_with_it() {
    let just = [(Duration::ZERO, ExitKind::Killed), (HUNG_UP * 2, ExitKind::Crashed)];
    for ((later, kind), is_shell) in just.into_iter().flat_map(|it| [(it, true), (it, false)]) {
        let ((mut program, process), (mut first, above)) = (child(), child());
        first.kill().unwrap();
        first.wait().unwrap();
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let one = match is_shell {
            true => One { shell: Some(above), ..watching(process) },
            false => One { leader: Leader::at(Some(above), None), ..watching(process) },
        };
        let seen = tokio::spawn(one.watch(inbox));
        // It is looked at once.
        tokio::time::sleep(later + Duration::from_millis(1)).await;
        program.kill().unwrap();
        program.wait().unwrap();
        tokio::time::sleep(LOOK + GRACE * 2).await;
        let jobs = outbox.take(Duration::ZERO, 9).unwrap();
        let Work::Witnessed(Witnessed::Seat(sight)) = &jobs[0].work else { panic!() };
        let exited = Fact::Process(ProcessFact::Exited(Exit::of(kind)));
        assert_eq!(sight.fact, exited, "{later:?} {is_shell}");
        seen.abort();
    }
}

/// The time that both are given passes at once.
#[tokio::test(start_paused = true)]
async fn a_death_waits_for_what_has_started_the_process_and_not_for_ever() {
    for goes_on in [true, false] {
        let ((mut program, process), (mut outer, above)) = (child(), child());
        program.kill().unwrap();
        program.wait().unwrap();
        if !goes_on {
            outer.kill().unwrap();
            outer.wait().unwrap();
        }
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let one = One { outer: Some(above), ..watching(process) };
        let seen = tokio::spawn(one.watch(inbox));
        tokio::time::sleep(GRACE * 2).await;
        let told = outbox.take(Duration::ZERO, 9).unwrap();
        assert_eq!(told.is_empty(), goes_on);
        tokio::time::sleep(OUTLIVES).await;
        let later = outbox.take(Duration::ZERO, 9).unwrap();
        assert_eq!(told.len() + later.len(), 1);
        seen.abort();
        outer.kill().ok();
        outer.wait().unwrap();
    }
}

/// As `run -- sh -c 'agent; exit 0'`: the launcher tells what the script returns as soon as that ends. The time that is
/// given passes at once.
#[tokio::test(start_paused = true)]
async fn a_signal_waits_for_no_script_around_the_process_but_for_its_launcher_and_behind_a_goodbye()
{
    for (signal, is_within, parts, waits) in [
        (Signal::KILL, true, false, false),
        (Signal::SEGV, true, false, false),
        (Signal::TERM, true, false, false),
        (Signal::KILL, false, false, true),
        (Signal::KILL, true, true, true),
    ] {
        let ((mut program, process), (mut outer, above)) = (child(), child());
        let pid = Pid::from_raw(program.id().cast_signed()).unwrap();
        kill_process(pid, signal).unwrap();
        while is_alive(&process) {
            std::thread::yield_now();
        }
        let name = format!("{signal:?} {is_within} {parts}");
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let one = One { outer: Some(above), is_within, ..watching(process.clone()) };
        if parts {
            one.goodbyes.file_is_gone(process.pid, Path::new("/nowhere/file"), Some(process));
        }
        let seen = tokio::spawn(one.watch(inbox));
        tokio::time::sleep(GRACE).await;
        let mut jobs = outbox.take(Duration::ZERO, 9).unwrap();
        assert_eq!(jobs.is_empty(), waits, "{name}");
        tokio::time::sleep(OUTLIVES + GRACE).await;
        jobs.extend(outbox.take(Duration::ZERO, 9).unwrap());
        let [job] = jobs.as_slice() else { panic!("{name}: told {} times", jobs.len()) };
        let Work::Witnessed(Witnessed::Seat(sight)) = &job.work else { panic!() };
        let exit = match parts {
            true => Exit::of(ExitKind::Clean),
            false => Exit::from_wait(None, Some(signal.as_raw()), false),
        };
        assert_eq!(sight.fact, Fact::Process(ProcessFact::Exited(exit)), "{name}");
        seen.abort();
        for child in [&mut program, &mut outer] {
            child.kill().ok();
            child.wait().unwrap();
        }
    }
}

/// All of them were ended together. The time that its goodbye is given passes at once.
#[tokio::test(start_paused = true)]
async fn a_signal_below_a_script_is_no_crash_of_a_process_whose_shell_has_gone_with_it() {
    for is_gone in [true, false] {
        let ((mut program, process), (mut shell, above)) = (child(), child());
        program.kill().unwrap();
        while is_alive(&process) {
            std::thread::yield_now();
        }
        if is_gone {
            shell.kill().unwrap();
            shell.wait().unwrap();
        }
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let one = One { is_within: true, shell: Some(above), ..watching(process) };
        let seen = tokio::spawn(one.watch(inbox));
        tokio::time::sleep(GRACE * 2).await;
        let jobs = outbox.take(Duration::ZERO, 9).unwrap();
        let Work::Witnessed(Witnessed::Seat(sight)) = &jobs[0].work else { panic!() };
        let (name, exit) = match is_gone {
            true => ("hangup", Exit::of(ExitKind::Killed)),
            false => ("exit", Exit::from_wait(None, Some(9), false)),
        };
        let exited = Fact::Process(ProcessFact::Exited(exit));
        assert_eq!((&*sight.name, &sight.fact), (name, &exited));
        seen.abort();
        shell.kill().ok();
        for child in [&mut program, &mut shell] {
            child.wait().unwrap();
        }
    }
}

/// The time between two looks passes at once.
#[tokio::test(start_paused = true)]
async fn one_that_was_told_to_stand_still_at_rest_is_told_again_where_it_is_shown_at_work() {
    for (base, told) in [(Turn::Working(WorkingReason::Prompt), true), (Turn::Unknown, false)] {
        let (mut program, process) = child();
        let pid = Pid::from_raw(program.id().cast_signed()).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        while !living(&process).unwrap().is_stopped {
            std::thread::yield_now();
        }
        let one = watching(process);
        let mut seat = Seat::new(one.agent.clone(), "acp:some", Source::Acp, UnixMs(0));
        seat.process.state = Process::Running { attach: Attach::Headless };
        seat.turn.base = base;
        let board = Arc::new(Board::new(vec![Arc::new(seat)], 0, 0));
        let (inbox, outbox) = inbox::pair(crate::writer::Pen::default(), Arc::default());
        let one = One { pause: Some(Pause::new(true)), board, ..one };
        let seen = tokio::spawn(one.watch(inbox));
        tokio::time::sleep(LOOK * 3).await;
        let jobs = outbox.take(Duration::ZERO, 9).unwrap();
        assert_eq!(!jobs.is_empty(), told, "{base:?}");
        for job in &jobs {
            let Work::Witnessed(Witnessed::Seat(sight)) = &job.work else { panic!() };
            assert_eq!(sight.fact, Fact::Process(ProcessFact::Unprobeable));
        }
        seen.abort();
        program.kill().unwrap();
        program.wait().unwrap();
    }
}

/// What it has heard last may still be on its way.
#[test]
fn a_death_waits_for_who_speaks_for_the_process() {
    let (mut program, process) = child();
    let (pid, start_ticks) = identity(std::process::id()).unwrap();
    let own = Some(ProcessId::new(pid, start_ticks));
    for (kind, waits_for) in [("custom", None), ("acp:some", own)] {
        let seat = Seat::new(AgentId::new("api").unwrap(), kind, Source::Acp, UnixMs(0));
        assert_eq!(launcher_of(&seat, &process), waits_for, "{kind}");
    }
    program.kill().unwrap();
    program.wait().unwrap();
}

/// The time between two looks passes at once.
#[tokio::test(start_paused = true)]
async fn a_process_is_seen_to_be_gone_with_and_without_a_descriptor() {
    for waits in [true, false] {
        let (mut child, process) = child();
        let seen = tokio::spawn(async move { gone(&process, waits).await });
        tokio::task::yield_now().await;
        assert!(!seen.is_finished());
        child.kill().unwrap();
        child.wait().unwrap();
        seen.await.unwrap();
    }
}
