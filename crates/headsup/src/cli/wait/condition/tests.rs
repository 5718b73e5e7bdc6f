use super::*;
use crate::output::fixture::{AT, agent, agent_with, changed, event, prompt};
use serde_json::json;

/// A condition over these agents, seeded with their snapshot at cursor 10.
struct Waiting(Condition);

fn rule(set: &str) -> Rule {
    let set = HeadlineSet::parse(set).unwrap();
    Rule { set, any: false, next: false, lasting: false }
}

fn next(set: &str) -> Rule {
    Rule { next: true, ..rule(set) }
}

fn any(set: &str) -> Rule {
    Rule { any: true, ..rule(set) }
}

fn waiting(rule: Rule, agents: &[(&str, &str)]) -> Waiting {
    let agents: Vec<AgentDoc<'static>> = agents.iter().map(|(id, word)| agent(id, word)).collect();
    let mut condition = Condition::new(rule, &agents);
    assert_eq!(condition.verdict(), Verdict::Pending, "only the snapshot decides");
    condition.snapshot("10", &agents);
    Waiting(condition)
}

impl Waiting {
    /// What holds, as `met api:done@10`, `pending`, `ended api crashed`.
    fn says(&self) -> String {
        match self.0.verdict() {
            Verdict::Pending => "pending".to_owned(),
            Verdict::Ended { id, how } => format!("ended {id} {how}"),
            Verdict::Met(hits) => {
                let hit = |hit: &Hit| format!("{}:{}@{}", hit.id, hit.headline.word(), hit.cursor);
                format!("met {}", hits.iter().map(hit).collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn then(&mut self, event: Event) -> String {
        self.0.event(&event);
        self.says()
    }

    fn completed(&mut self, cursor: u32, id: &str, outcome: &str) -> String {
        let outcome = json!({"kind": outcome, "at": AT});
        let body = json!({"type": "turn.completed", "turn_seq": 2, "outcome": outcome});
        self.then(event(cursor, id, body))
    }
}

#[test]
fn what_already_holds_is_met_by_the_snapshot() {
    assert_eq!(waiting(rule("done"), &[("api", "done")]).says(), "met api:done@10");
    assert_eq!(waiting(rule("idle"), &[("api", "done")]).says(), "met api:done@10");
    assert_eq!(waiting(rule("done"), &[("api", "idle")]).says(), "pending");
}

#[test]
fn all_must_hold_at_the_same_time() {
    let mut wait = waiting(rule("idle"), &[("a", "working"), ("b", "idle")]);
    assert_eq!(wait.says(), "pending");
    assert_eq!(wait.then(changed(11, "b", "idle", "working")), "pending");
    assert_eq!(wait.then(changed(12, "a", "working", "done")), "pending");
    assert_eq!(wait.then(changed(13, "b", "working", "done")), "met a:done@12 b:done@13");
}

#[test]
fn any_is_one_of_them() {
    let mut wait = waiting(any("attention"), &[("a", "working"), ("b", "working")]);
    assert_eq!(wait.then(changed(11, "b", "working", "blocked")), "met b:blocked@11");
}

#[test]
fn other_agents_are_nothing_to_us() {
    let mut wait = waiting(rule("done"), &[("a", "working")]);
    assert_eq!(wait.then(changed(11, "b", "working", "done")), "pending");
    assert_eq!(wait.0.changes(), 0);
}

#[test]
fn an_end_that_was_not_waited_for_ends_the_waiting() {
    for how in ["ended", "crashed", "absent"] {
        assert_eq!(waiting(rule("done"), &[("a", how)]).says(), format!("ended a {how}"));
        let mut wait = waiting(next("done"), &[("a", "working"), ("b", "working")]);
        assert_eq!(wait.then(changed(11, "b", "working", how)), format!("ended b {how}"));
    }
    assert_eq!(waiting(rule("crashed"), &[("a", "crashed")]).says(), "met a:crashed@10");
    let mut wait = waiting(rule("done,crashed"), &[("a", "working"), ("b", "working")]);
    assert_eq!(wait.then(changed(11, "b", "working", "crashed")), "pending");
}

#[test]
fn with_any_all_must_have_ended() {
    let mut wait = waiting(any("done"), &[("a", "crashed"), ("b", "working")]);
    assert_eq!(wait.says(), "pending");
    assert_eq!(wait.then(changed(11, "b", "working", "ended")), "ended a crashed");
}

#[test]
fn a_forgotten_agent_never_comes_to_it() {
    let mut wait = waiting(rule("idle"), &[("a", "working")]);
    assert_eq!(wait.then(event(11, "a", json!({"type": "agent.forgotten"}))), "ended a forgotten");

    let mut condition = Condition::new(rule("idle"), &[agent("a", "idle")]);
    condition.snapshot("10", &[]);
    assert_eq!(Waiting(condition).says(), "ended a forgotten", "gone before we subscribed");
}

#[test]
fn an_old_end_that_the_snapshot_leaves_out_is_an_end() {
    let mut condition = Condition::new(rule("ended"), &[agent("a", "ended")]);
    condition.snapshot("10", &[]);
    assert_eq!(Waiting(condition).says(), "met a:ended@");
}

#[test]
fn next_wants_a_newer_transition() {
    let mut wait = waiting(next("done"), &[("a", "done")]);
    assert_eq!(wait.says(), "pending");
    assert_eq!(wait.then(changed(11, "a", "done", "working")), "pending");
    assert_eq!(wait.then(changed(12, "a", "working", "done")), "met a:done@12");
}

#[test]
fn next_counts_each_agent_once_whatever_it_does_afterwards() {
    let mut wait = waiting(next("done"), &[("a", "working"), ("b", "working")]);
    assert_eq!(wait.then(changed(11, "a", "working", "done")), "pending");
    assert_eq!(wait.then(changed(12, "a", "done", "working")), "pending");
    assert_eq!(wait.then(changed(13, "a", "working", "crashed")), "pending");
    assert_eq!(wait.then(changed(14, "b", "working", "done")), "met a:done@11 b:done@14");
}

#[test]
fn a_turn_that_leaves_the_same_word_behind_is_a_transition() {
    let mut wait = waiting(next("done"), &[("a", "done")]);
    assert_eq!(wait.completed(11, "a", "completed"), "met a:done@11");
    // Here the word changes, and its own event follows.
    let mut wait = waiting(next("done"), &[("a", "done")]);
    assert_eq!(wait.completed(11, "a", "failed"), "pending");
    let mut wait = waiting(next("done"), &[("a", "working")]);
    assert_eq!(wait.completed(11, "a", "completed"), "pending");
    assert_eq!(wait.then(changed(12, "a", "working", "done")), "met a:done@12");
}

#[test]
fn another_prompt_is_a_new_block() {
    let opened = |cursor| {
        let body = json!({"type": "prompt.opened", "prompt": prompt("a", "Bash: ls")});
        event(cursor, "a", body)
    };
    let mut wait = waiting(next("blocked"), &[("a", "blocked")]);
    assert_eq!(wait.then(opened(11)), "met a:blocked@11");
    let mut wait = waiting(next("blocked"), &[("a", "working")]);
    assert_eq!(wait.then(opened(11)), "pending");
    assert_eq!(wait.then(changed(12, "a", "working", "blocked")), "met a:blocked@12");
}

#[test]
fn false_positive_what_is_no_transition_of_the_agent() {
    let mut wait = waiting(next("idle"), &[("a", "done")]);
    assert_eq!(wait.then(changed(11, "a", "done", "idle")), "pending", "a person has looked");
    let mut wait = waiting(next("working"), &[("a", "working")]);
    assert_eq!(wait.then(changed(11, "a", "working", "working")), "pending", "another reason");
}

#[test]
fn a_snapshot_after_a_gap_fires_only_for_what_is_newer() {
    let mut wait = waiting(next("done"), &[("a", "done")]);
    wait.0.snapshot("20", &[agent("a", "done")]);
    assert_eq!(wait.says(), "pending");
    let turn = json!({
        "state": "idle", "reason": null, "detail": null, "since": AT, "turn_seq": 2,
    });
    let later = json!({"since": "2026-11-21T21:05:00.000Z", "turn": turn});
    wait.0.snapshot("30", &[agent_with("a", "done", later)]);
    assert_eq!(wait.says(), "met a:done@30");
}

#[test]
fn a_lasting_state_must_still_be_there() {
    let lasting = Rule { lasting: true, ..next("done") };
    let mut wait = waiting(lasting, &[("a", "working"), ("b", "working")]);
    wait.then(changed(11, "a", "working", "done"));
    assert_eq!(wait.then(changed(12, "b", "working", "done")), "met a:done@11 b:done@12");
    let before = wait.0.changes();
    assert_eq!(wait.then(changed(13, "a", "done", "working")), "pending");
    assert_ne!(wait.0.changes(), before);
    assert_eq!(wait.then(changed(14, "a", "working", "crashed")), "ended a crashed");
}

#[test]
fn only_what_could_unsettle_counts_as_a_change() {
    let mut wait = waiting(rule("done"), &[("a", "done")]);
    let entry = json!({"ts": AT, "action": "said hello", "state": "idle"});
    wait.then(event(11, "a", json!({"type": "activity.appended", "entry": entry})));
    assert_eq!(wait.0.changes(), 0);
    wait.then(event(12, "a", json!({"type": "turn.started", "turn_seq": 2})));
    assert_eq!(wait.0.changes(), 1);
}
