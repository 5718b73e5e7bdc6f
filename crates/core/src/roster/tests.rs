use super::*;
use crate::seat::{Launched, Session};
use crate::source::Source;
use crate::status::{Attach, Exit, ExitKind, StartPhase};
use crate::time::UnixMs;

const NOW: UnixMs = UnixMs(1_000);

fn process(pid: u32) -> ProcessId {
    ProcessId::new(pid, u64::from(pid) * 10)
}

fn seat(id: &str, session: Option<&str>, pid: Option<u32>) -> Seat {
    let mut seat = Seat::new(AgentId::new(id).unwrap(), "agent", Source::Hook, NOW);
    let running = Process::Running { attach: Attach::Interactive };
    seat.process.state = running;
    seat.process.id = pid.map(process);
    seat.about.cwd = Some("/home/dev/api".into());
    seat.session = session.map(|id| Session::new(id.into(), NOW, true));
    seat
}

fn caller<'a>(session: Option<&'a str>, process: Option<&'a ProcessId>) -> Caller<'a> {
    Caller {
        kind: "agent",
        claimed: None,
        session,
        process,
        shares_process: false,
        ancestors: &[],
        namespace: None,
        asked_by: None,
        cwd: Some("/home/dev/api"),
        starts_session: false,
        starts_up: false,
        is_left: false,
    }
}

fn roster(seats: &[Seat]) -> Roster {
    let mut roster = Roster::default();
    for seat in seats {
        roster.upsert(seat);
    }
    roster
}

fn new(id: &str, parent: Option<&str>) -> Place {
    let parent = parent.map(|parent| AgentId::new(parent).unwrap());
    Place::New { id: AgentId::new(id).unwrap(), parent }
}

fn sits(id: &str) -> Place {
    Place::Seat(AgentId::new(id).unwrap())
}

#[test]
fn a_stranger_gets_a_seat_named_after_kind_and_folder() {
    let first = roster(&[]).place(&caller(Some("s1"), None), |_| true);
    assert_eq!(first, new("agent-api", None));
    let taken = roster(&[seat("agent-api", Some("s1"), None)]);
    assert_eq!(taken.place(&caller(Some("s2"), None), |_| true), new("agent-api-2", None));
}

#[test]
fn two_agents_in_one_folder_are_told_apart_by_session_and_process() {
    let (one, two) = (process(1), process(2));
    let roster = roster(&[seat("a", Some("s1"), Some(1)), seat("b", Some("s2"), Some(2))]);
    assert_eq!(roster.place(&caller(Some("s1"), Some(&one)), |_| true), sits("a"));
    assert_eq!(roster.place(&caller(Some("s2"), Some(&two)), |_| true), sits("b"));
    assert_eq!(roster.place(&caller(Some("s3"), Some(&two)), |_| true), sits("b"));
}

#[test]
fn a_resumed_session_takes_its_old_seat_once_the_old_process_is_gone() {
    let three = process(3);
    let roster = roster(&[seat("a", Some("s1"), Some(1))]);
    let caller = caller(Some("s1"), Some(&three));
    assert_eq!(roster.place(&caller, |_| false), sits("a"));
    assert_eq!(roster.place(&caller, |_| true), new("agent-api", None));
}

#[test]
fn a_session_that_another_process_took_up_and_left_is_still_its_own_process_s() {
    let (one, two) = (process(1), process(2));
    let mut gone = seat("b", Some("s1"), Some(2));
    let first = seat("a", Some("s1"), Some(1));
    let mut roster = roster(&[first, gone.clone()]);
    assert_eq!(roster.place(&caller(Some("s1"), Some(&one)), |_| true), sits("a"));
    gone.process.state = Process::Exited(Exit::of(ExitKind::Crashed));
    roster.upsert(&gone);
    let lives = |process: &ProcessId| *process == one;
    assert_eq!(roster.place(&caller(Some("s1"), Some(&one)), lives), sits("a"));
    assert_eq!(roster.place(&caller(Some("s1"), Some(&two)), lives), sits("b"));
}

#[test]
fn who_goes_on_with_a_conversation_is_its_child_wherever_it_runs() {
    let (one, two) = (process(1), process(2));
    let roster = roster(&[seat("a", Some("s1"), Some(1)), seat("b", Some("s2"), Some(2))]);
    let (a, ancestors) = (AgentId::new("a").unwrap(), [(two.pid, two.start_ticks)]);
    let own = process(3);
    let job = caller(Some("s3"), Some(&own));
    let job = Caller { asked_by: Some(&a), ancestors: &ancestors, ..job };
    assert_eq!(roster.place(&job, |_| true), new("a.1", Some("a")));
    // One that has a seat keeps it.
    let known = Caller { asked_by: Some(&a), ..caller(Some("s1"), Some(&one)) };
    assert_eq!(roster.place(&known, |_| true), sits("a"));
    let gone = AgentId::new("c").unwrap();
    let lonely = Caller { asked_by: Some(&gone), ancestors: &[], ..job };
    assert_eq!(roster.place(&lonely, |_| true), new("agent-api", None));
}

#[test]
fn hooks_of_the_same_conversation_under_another_kind_are_no_child_of_it() {
    let (inner, claimed) = (process(7), AgentId::new("a").unwrap());
    let roster = roster(&[seat("a", Some("s1"), Some(1))]);
    let caller = Caller { claimed: Some(&claimed), ..caller(Some("s1"), Some(&inner)) };
    let hooks = Caller { kind: "program", ..caller };
    assert_eq!(roster.place(&hooks, |_| true), sits("a"));
    let other = Caller { session: Some("s2"), ..hooks };
    assert_eq!(roster.place(&other, |_| true), new("a.1", Some("a")));
    assert_eq!(roster.place(&caller, |_| true), new("a.1", Some("a")));
}

#[test]
fn what_an_agent_has_left_running_sits_below_its_seat() {
    let (inner, claimed) = (process(7), AgentId::new("a").unwrap());
    let mut over = seat("a", Some("s1"), Some(1));
    over.process.state = Process::Exited(Exit::of(ExitKind::Clean));
    let mut roster = roster(&[over]);
    let started = Caller { claimed: Some(&claimed), ..caller(Some("s9"), Some(&inner)) };
    assert_eq!(roster.place(&started, |_| false), sits("a"), "who is started by that name");
    let left = Caller { is_left: true, ..started };
    assert_eq!(roster.place(&left, |_| false), new("a.1", Some("a")));
    let mut child = seat("a.1", Some("s9"), Some(7));
    child.about.parent = Some(claimed.clone());
    roster.upsert(&child);
    assert_eq!(roster.place(&left, |_| false), sits("a.1"));
}

#[test]
fn a_nested_agent_that_inherits_the_id_gets_a_child_seat() {
    let (inner, claimed) = (process(7), AgentId::new("a").unwrap());
    let mut roster = roster(&[seat("a", Some("s1"), Some(1))]);
    let nested = Caller { claimed: Some(&claimed), ..caller(Some("s9"), Some(&inner)) };
    assert_eq!(roster.place(&nested, |_| true), new("a.1", Some("a")));
    let mut child = seat("a.1", Some("s9"), Some(7));
    child.about.parent = Some(claimed.clone());
    roster.upsert(&child);
    assert_eq!(roster.place(&nested, |_| true), sits("a.1"));
    let outer = process(1);
    let outer = Caller { claimed: Some(&claimed), ..caller(Some("s1"), Some(&outer)) };
    assert_eq!(roster.place(&outer, |_| true), sits("a"));
}

#[test]
fn a_dead_agents_seat_is_not_taken_by_what_it_has_started_and_that_outlives_it() {
    let (inner, claimed) = (process(7), AgentId::new("a").unwrap());
    let mut outer = seat("a", Some("s1"), Some(1));
    outer.process.state = Process::Exited(Exit::of(ExitKind::Crashed));
    let mut child = seat("a.1", Some("s9"), Some(7));
    child.about.parent = Some(claimed.clone());
    let roster = roster(&[outer, child]);
    let says = |session, shares_process| Caller {
        claimed: Some(&claimed),
        shares_process,
        ..caller(Some(session), Some(&inner))
    };
    for shares_process in [false, true] {
        assert_eq!(roster.place(&says("s9", shares_process), |_| true), sits("a.1"));
    }
    assert_eq!(roster.place(&says("s2", false), |_| true), sits("a.1"));
    assert_eq!(roster.place(&says("s2", true), |_| true), new("a.2", Some("a")));
}

#[test]
fn a_nested_agent_without_an_id_is_known_by_its_ancestors() {
    let inner = process(7);
    let roster = roster(&[seat("a", Some("s1"), Some(1))]);
    let ancestors = [(7, 70), (5, 50), (1, 10)];
    let nested = Caller { ancestors: &ancestors, ..caller(Some("s9"), Some(&inner)) };
    assert_eq!(roster.place(&nested, |_| true), new("a.1", Some("a")));
}

#[test]
fn stragglers_of_a_left_session_go_to_the_seat_that_left_it() {
    let mut cleared = seat("a", Some("s1"), None);
    cleared.leave_session(NOW);
    let roster = roster(&[cleared]);
    assert_eq!(roster.place(&caller(Some("s1"), None), |_| true), sits("a"));
    let next = Caller { starts_session: true, ..caller(Some("s2"), None) };
    assert_eq!(roster.place(&next, |_| true), sits("a"));
    assert_eq!(roster.place(&caller(Some("s2"), None), |_| true), new("agent-api", None));
}

#[test]
fn an_unknown_claimed_id_is_registered_as_it_is() {
    let claimed = AgentId::new("mine").unwrap();
    let caller = Caller { claimed: Some(&claimed), ..caller(None, None) };
    assert_eq!(roster(&[]).place(&caller, |_| true), new("mine", None));
}

#[test]
fn without_processes_a_start_up_in_mid_turn_is_a_nested_agents() {
    let claimed = AgentId::new("a").unwrap();
    let mut outer = seat("a", Some("s1"), None);
    let says = |session| Caller { claimed: Some(&claimed), ..caller(Some(session), None) };
    let starts = Caller { starts_session: true, starts_up: true, ..says("s2") };
    // At its prompt, a start in the seat is the seat's own next life.
    assert_eq!(roster(&[outer.clone()]).place(&starts, |_| true), sits("a"));
    outer.turn.open = true;
    let mut roster = roster(&[outer]);
    assert_eq!(roster.place(&starts, |_| true), new("a.1", Some("a")));
    let mut child = seat("a.1", Some("s2"), None);
    child.about.parent = Some(claimed.clone());
    roster.upsert(&child);
    assert_eq!(roster.place(&says("s2"), |_| true), sits("a.1"));
    assert_eq!(roster.place(&says("s1"), |_| true), sits("a"));
}

#[test]
fn whoever_names_no_process_takes_no_seat_of_a_living_one() {
    let claimed = AgentId::new("a").unwrap();
    let outer = seat("a", Some("s1"), Some(1));
    let says = |session| Caller { claimed: Some(&claimed), ..caller(session, None) };
    let (child, own) = (new("a.1", Some("a")), sits("a"));
    let starts = Caller { starts_session: true, starts_up: true, ..says(Some("s2")) };
    // As `/clear` and a resume say it.
    let goes_on = Caller { starts_up: false, ..starts };
    let mut roster = roster(&[outer]);
    for (caller, lives, place) in [
        (says(Some("s2")), true, &child),
        (starts, true, &child),
        (goes_on, true, &own),
        (says(Some("s1")), true, &own),
        (says(None), true, &own),
        (says(Some("s2")), false, &own),
        (starts, false, &own),
        // What is above it may be the seat's process, which then has told of another session.
        (Caller { ancestors: &[(7, 70)], ..says(Some("s2")) }, true, &own),
    ] {
        assert_eq!(roster.place(&caller, |_| lives), *place, "{caller:?}, {lives}");
    }
    let mut inner = seat("a.1", Some("s2"), None);
    inner.about.parent = Some(claimed.clone());
    roster.upsert(&inner);
    for caller in [says(Some("s2")), starts, goes_on] {
        assert_eq!(roster.place(&caller, |_| true), sits("a.1"), "{caller:?}");
    }
    // It has told of none yet: this is its first.
    let silent = self::roster(&[seat("a", None, Some(1))]);
    assert_eq!(silent.place(&starts, |_| true), own);
}

#[test]
fn two_ids_under_one_process_are_two_seats() {
    // Whoever started both, say a test or a demo run by an agent, is not the agent.
    let (one, claimed) = (process(1), AgentId::new("b").unwrap());
    let roster = roster(&[seat("a", Some("s1"), Some(1)), seat("b", None, None)]);
    let other = Caller { claimed: Some(&claimed), ..caller(Some("s2"), Some(&one)) };
    assert_eq!(roster.place(&other, |_| true), sits("b"));
}

#[test]
fn what_starts_up_in_a_process_takes_its_seat_as_a_clear_does() {
    let one = process(1);
    let mut outer = seat("a", Some("s1"), Some(1));
    for in_turn in [false, true] {
        outer.turn.open = in_turn;
        let roster = roster(&[outer.clone()]);
        let starts = |session| Caller { starts_session: true, ..caller(session, Some(&one)) };
        let starts_up = Caller { starts_up: true, ..starts(Some("s2")) };
        for caller in [starts(Some("s2")), starts_up] {
            assert_eq!(roster.place(&caller, |_| true), sits("a"), "{caller:?}");
        }
        // Whoever serves several agents starts each of them up, and a process below this one is another agent.
        let shared = Caller { shares_process: true, ..starts_up };
        assert_eq!(roster.place(&shared, |_| true), new("agent-api", None));
        let (inner, ancestors) = (process(7), [(1, 10)]);
        let nested = Caller { process: Some(&inner), ancestors: &ancestors, ..starts_up };
        assert_eq!(roster.place(&nested, |_| true), new("a.1", Some("a")));
        // So is a program of another kind whose process nobody can tell from this one.
        let other = Caller { kind: "other", ..starts_up };
        assert_eq!(roster.place(&other, |_| true), new("other-api", None));
    }
}

#[test]
fn what_a_launcher_starts_takes_the_seat_also_where_another_one_sat_before() {
    let (inner, claimed) = (process(7), AgentId::new("a").unwrap());
    let ancestors = [(7, 70), (1, 10)];
    let caller = Caller {
        claimed: Some(&claimed),
        ancestors: &ancestors,
        ..caller(Some("s2"), Some(&inner))
    };
    let mut before = seat("a", Some("s1"), Some(1));
    assert_eq!(roster(&[before.clone()]).place(&caller, |_| true), new("a.1", Some("a")));
    before.process.state = Process::Starting { phase: StartPhase::Booting };
    assert_eq!(roster(&[before]).place(&caller, |_| true), sits("a"));
}

#[test]
fn a_program_that_starts_itself_anew_is_in_one_seat_whoever_tells_of_it_first() {
    let (outer, inner, claimed) = (process(1), process(7), AgentId::new("a").unwrap());
    let launched = |pid, session| {
        let mut seat = seat("a", session, Some(pid));
        seat.process.launched = Some(Box::new(Launched::new(process(1))));
        seat
    };
    let ancestors = [(7, 70), (1, 10)];
    let hook = |session| Caller {
        claimed: Some(&claimed),
        ancestors: &ancestors,
        ..caller(Some(session), Some(&inner))
    };
    let stream = Caller { claimed: Some(&claimed), ..caller(Some("s1"), Some(&outer)) };
    let (own, child) = (sits("a"), new("a.1", Some("a")));
    // Only its launcher has told of the conversation; or a hook has, and it reads along.
    for (seat, caller, place) in [
        (launched(1, Some("s1")), hook("s1"), &own),
        (launched(7, Some("s1")), stream, &own),
        (launched(7, Some("s1")), Caller { session: Some("s2"), ..stream }, &own),
        // What the program has started has a conversation of its own.
        (launched(1, Some("s1")), hook("s2"), &child),
        // It has spoken for itself: whoever goes on in its conversation is another one.
        (seat("a", Some("s1"), Some(1)), hook("s1"), &child),
    ] {
        assert_eq!(roster(&[seat]).place(&caller, |_| true), *place, "{caller:?}");
    }
    // One that is started below the inner one.
    let (nested, below) = (process(9), [(9, 90), (7, 70), (1, 10)]);
    let nested = Caller { process: Some(&nested), ancestors: &below, ..hook("s9") };
    assert_eq!(roster(&[launched(7, Some("s1"))]).place(&nested, |_| true), child);
}

#[test]
fn a_conversation_that_goes_on_below_the_process_that_has_left_it_is_the_same_agents() {
    let inner = process(7);
    let inside = seat("a", Some("s1"), Some(1));
    let mut left = inside.clone();
    left.leave_session(NOW);
    let ancestors = [(7, 70), (5, 50), (1, 10)];
    let says = |session| Caller { ancestors: &ancestors, ..caller(Some(session), Some(&inner)) };
    let child = new("a.1", Some("a"));
    for (seat, caller, place) in [
        (&left, says("s1"), &sits("a")),
        // Another conversation is another agent's, and so is one that its own process is still in.
        (&left, says("s2"), &child),
        (&inside, says("s1"), &child),
        // Who goes on with it elsewhere is nothing that the process has started.
        (&left, Caller { ancestors: &[(7, 70)], ..says("s1") }, &new("agent-api", None)),
    ] {
        assert_eq!(
            roster(std::slice::from_ref(seat)).place(&caller, |_| true),
            *place,
            "{caller:?}"
        );
    }
}

#[test]
fn one_process_that_serves_several_agents_is_nobodys_key() {
    let one = process(1);
    let roster = roster(&[seat("a", Some("s1"), Some(1))]);
    let shared = Caller { shares_process: true, ..caller(Some("s2"), Some(&one)) };
    assert_eq!(roster.place(&shared, |_| true), new("agent-api", None));
    let known = Caller { session: Some("s1"), ..shared };
    assert_eq!(roster.place(&known, |_| true), sits("a"));
}

#[test]
fn a_forgotten_seat_leaves_no_key_behind() {
    let mut roster = roster(&[seat("a", Some("s1"), Some(1))]);
    roster.remove(&AgentId::new("a").unwrap());
    let one = process(1);
    assert_eq!(roster.place(&caller(Some("s1"), Some(&one)), |_| true), new("agent-api", None));
}

#[test]
fn two_containers_with_equal_pids_are_two_agents_and_neither_is_ours() {
    // Started in the same tick: only the namespace tells them apart.
    let inside = |namespace| ProcessId { pid_namespace: Some(namespace), ..process(1) };
    let (one, two, ours) = (inside(11), inside(22), process(1));
    let mut first = seat("a", Some("s1"), None);
    first.process.id = Some(one.clone());
    let mut known = roster(&[first.clone()]);
    let ancestors = [(1, 10)];
    let says = |session, process, namespace| Caller {
        ancestors: &ancestors,
        namespace,
        ..caller(Some(session), process)
    };
    assert_eq!(known.place(&says("s1", Some(&one), Some(11)), |_| true), sits("a"));
    let other = says("s2", Some(&two), Some(22));
    assert_eq!(known.place(&other, |_| true), new("agent-api", None));
    assert_eq!(known.place(&says("s2", Some(&ours), None), |_| true), new("agent-api", None));
    // Nor where the program itself is not named, or has only been launched.
    assert_eq!(known.place(&says("s2", None, Some(22)), |_| true), new("agent-api", None));
    assert_eq!(known.place(&says("s2", None, Some(11)), |_| true), new("a.1", Some("a")));
    first.session = None;
    known.upsert(&first);
    let claimed = AgentId::new("a").unwrap();
    let claims = |process, namespace| Caller {
        claimed: Some(&claimed),
        ..says("s2", Some(process), namespace)
    };
    let (inner, stranger) = (process(7), ProcessId { pid_namespace: Some(22), ..process(7) });
    let inner = ProcessId { pid_namespace: Some(11), ..inner };
    assert_eq!(known.place(&claims(&inner, Some(11)), |_| true), sits("a"));
    assert_eq!(known.place(&claims(&stranger, Some(22)), |_| true), new("a.1", Some("a")));
}

#[test]
fn a_session_takes_over_no_seat_of_which_nothing_is_known() {
    let mut nobody = seat("agent", None, None);
    nobody.about.cwd = None;
    let roster = roster(&[nobody]);
    let start = Caller { cwd: None, starts_session: true, ..caller(Some("s1"), None) };
    assert_eq!(roster.place(&start, |_| true), new("agent-2", None));
    // Whoever is as nameless goes on there.
    let nameless = Caller { cwd: None, ..caller(None, None) };
    assert_eq!(roster.place(&nameless, |_| true), sits("agent"));
}
