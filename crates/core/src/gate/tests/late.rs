//! G10: what is told late behind the end of a turn, where nothing says when it was made.

use super::script::{
    Script, at_rest, fail, permission, prompt, start, stop, sub, tool, tool_of, wake,
};
use crate::gate::{Rule, SETTLE_MS};
use crate::observation::{Background, Delivery, Fact, SessionStart};
use crate::prompt::{Actor, NewPrompt, Resolution};
use crate::source::Source;
use crate::status::{BlockedReason, Headline};
use crate::time::UnixMs;

const MAIN: Actor = Actor::Main;

fn interrupted(turn: &str) -> Fact {
    Fact::TurnInterrupted { turn_ref: Some(turn.to_owned()) }
}

/// Its plugin has told of rest, and of nothing else.
fn at_rest_without_a_word() -> Script {
    let mut script = Script::working();
    script.said(Source::Plugin, Fact::Level(at_rest()));
    script.tick(SETTLE_MS);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    script.published.clear();
    script
}

/// Amp tells of a thread's rest 0.3 to 2 s before it tells how its turn has ended.
#[test]
fn how_a_turn_has_ended_may_be_told_behind_its_rest() {
    let mut script = at_rest_without_a_word();
    script.after(1_900).said(Source::Plugin, stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    assert_eq!(script.published, ["agent.status_changed"]);
    // Whoever has seen it at rest has not seen that it is done.
    let mut script = at_rest_without_a_word();
    crate::gate::mark_seen(&mut script.seat, script.now);
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    // Told again it is no news, and the next turn is one as ever.
    script.said(Source::Plugin, stop("t1"));
    script.silent();
    script.hook(prompt("t2"));
    script.hook(stop("t2"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    // That it has failed is told in that time, too.
    for is_seen in [false, true] {
        let mut script = at_rest_without_a_word();
        if is_seen {
            crate::gate::mark_seen(&mut script.seat, script.now);
        }
        script.after(1_900).said(Source::Plugin, fail("t1", "overloaded"));
        assert_eq!(script.headline(), Headline::Failed, "{is_seen}");
    }
    // A notice tells no more than rest.
    let mut script = Script::working();
    script.hook(Fact::IdleNotice { turn_ref: None });
    assert_eq!(script.outcome(), Some("interrupted"));
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

#[test]
fn what_is_known_to_be_interrupted_is_never_done() {
    // It was told, before its rest was shown, or behind it.
    let mut script = Script::working();
    script.hook(interrupted("t1"));
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    let mut script = at_rest_without_a_word();
    script.hook(interrupted("t1"));
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    // Its helper went on behind that.
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(Fact::MainInterrupted);
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.tick(1_000);
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    // Long after nothing is known of it any more, and another turn's end is none of it.
    let mut script = at_rest_without_a_word();
    script.after(2_000).hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    let mut script = at_rest_without_a_word();
    script.hook(prompt("t2"));
    script.hook(stop("t1"));
    script.refused(Rule::G10);
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn a_hub_that_has_been_started_since_knows_what_was_only_shown() {
    let mut script = at_rest_without_a_word();
    let kept = serde_json::to_string(&script.seat).unwrap();
    script.seat = serde_json::from_str(&kept).unwrap();
    script.hook(stop("t1"));
    assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
}

fn notice(reason: BlockedReason) -> Fact {
    Fact::DialogShown { actor: MAIN, prompt: NewPrompt::plain(reason, Some("go?")) }
}

/// Its turn has ended.
fn done() -> Script {
    let mut script = Script::working();
    script.hook(stop("t1"));
    assert_eq!(script.headline(), Headline::Done);
    script.published.clear();
    script
}

#[test]
fn a_notice_just_behind_the_end_of_a_turn_asks_nothing() {
    for reason in [BlockedReason::Permission, BlockedReason::Question] {
        let mut script = done();
        script.after(130).hook(notice(reason));
        script.refused(Rule::G10);
        script.after(60_000).hook(Fact::IdleForLong { turn_ref: None });
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        assert!(script.published.is_empty(), "{:?}", script.published);
    }
}

#[test]
fn false_positive_what_is_asked_behind_a_turn_blocks_where_somebody_may_ask() {
    // In a turn of its own.
    let mut script = done();
    script.hook(prompt("t2"));
    script.hook(notice(BlockedReason::Permission));
    assert_eq!(script.headline(), Headline::Blocked);
    // Later.
    let mut script = done();
    script.after(SETTLE_MS).hook(notice(BlockedReason::Permission));
    assert_eq!(script.headline(), Headline::Blocked);
    // A helper runs, of which a notice does not say that it is its own.
    let mut script = Script::working();
    script.hook(tool(&sub("h"), "c9", 9));
    script.hook(stop("t1"));
    script.hook(notice(BlockedReason::Permission));
    assert_eq!(script.headline(), Headline::Blocked);
    // What had to wait for the hub comes all at once.
    let mut script = Script::working();
    script.delivery = Delivery::Spooled { reported_at: script.now.plus(5) };
    script.hook(stop("t1"));
    script.delivery = Delivery::Spooled { reported_at: script.now.plus(90_000) };
    script.hook(notice(BlockedReason::Permission));
    assert_eq!(script.headline(), Headline::Blocked);
    // That the turn is over was only shown.
    let mut script = at_rest_without_a_word();
    script.hook(notice(BlockedReason::Permission));
    assert_eq!(script.headline(), Headline::Blocked);
}

/// It came later than is believed of any.
#[test]
fn rest_behind_nothing_but_a_notice_leaves_the_last_turn_as_it_has_ended() {
    for is_seen in [false, true] {
        let mut script = done();
        if is_seen {
            crate::gate::mark_seen(&mut script.seat, script.now);
        }
        let before = script.headline();
        script.after(500).hook(notice(BlockedReason::Permission));
        assert_eq!(script.headline(), Headline::Blocked);
        script.after(60_000).hook(Fact::IdleForLong { turn_ref: None });
        assert_eq!((script.headline(), script.outcome()), (before, Some("completed")));
        assert!(script.seat.prompts.is_empty());
    }
    // There was none before.
    let mut script = Script::new();
    script.hook(start(SessionStart::Startup));
    script.hook(notice(BlockedReason::Permission));
    script.after(60_000).hook(Fact::IdleForLong { turn_ref: None });
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, None));
}

/// It names the turn that it rests behind.
#[test]
fn rest_that_names_the_last_turn_is_behind_nothing_but_a_notice_as_well() {
    let turn_ref = || Some("t1".to_owned());
    for rest in
        [Fact::IdleForLong { turn_ref: turn_ref() }, Fact::IdleNotice { turn_ref: turn_ref() }]
    {
        let mut script = done();
        script.after(500).hook(notice(BlockedReason::Permission));
        assert_eq!(script.headline(), Headline::Blocked);
        script.after(60_000).hook(rest.clone());
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
        assert!(script.seat.prompts.is_empty());
        // Of what has begun since it says nothing.
        let mut script = done();
        script.after(500).hook(tool(&MAIN, "c1", 7));
        script.hook(notice(BlockedReason::Permission));
        script.after(60_000).hook(rest);
        script.refused(Rule::G10);
        assert_eq!(script.headline(), Headline::Blocked);
    }
}

/// Whoever goes on behind a dialog, and rests without a word, was stopped.
#[test]
fn rest_behind_a_dialog_in_a_turn_of_which_more_was_heard_is_an_interruption() {
    let more: [fn(&mut Script); 3] = [
        |script| {
            script.hook(tool(&MAIN, "c1", 7));
        },
        |script| {
            script.hook(permission(&MAIN, 7));
        },
        |script| {
            script.hook(wake("w1"));
            script.hook(notice(BlockedReason::Permission));
        },
    ];
    for (number, heard) in more.into_iter().enumerate() {
        let mut script = done();
        script.after(500);
        if number == 0 {
            script.hook(notice(BlockedReason::Permission));
        }
        heard(&mut script);
        assert_eq!(script.headline(), Headline::Blocked, "{number}");
        script.after(60_000).hook(Fact::IdleForLong { turn_ref: None });
        let told = (script.headline(), script.outcome());
        assert_eq!(told, (Headline::Idle, Some("interrupted")), "{number}");
    }
}

/// A request by the name of its call.
fn asks(actor: &Actor, key: &str) -> Fact {
    let Fact::PromptOpened { actor, prompt, settle_ms, turn_ref } = permission(actor, 7) else {
        unreachable!()
    };
    let prompt = NewPrompt { key: Some(key.to_owned()), ..prompt };
    Fact::PromptOpened { actor, prompt, settle_ms, turn_ref }
}

fn answered(actor: &Actor, key: &str) -> Fact {
    let (reason, key) = (BlockedReason::Permission, Some(key.to_owned()));
    let resolution = Resolution::elsewhere(UnixMs::default());
    Fact::PromptResolved { actor: actor.clone(), reason, key, resolution }
}

/// The hook of its request was slower.
#[test]
fn a_request_that_is_told_behind_its_own_answer_asks_nothing() {
    for actor in [MAIN, sub("h")] {
        let mut script = Script::working();
        script.hook(tool(&actor, "c1", 7));
        script.hook(answered(&actor, "c1"));
        for _ in 0..2 {
            script.after(1_000).hook(asks(&actor, "c1"));
            script.refused(Rule::G10);
            assert_eq!(script.headline(), Headline::Working);
        }
        // Another one's, another one, or one that comes long after waits.
        for (asked, after) in [
            (asks(&sub("i"), "c1"), 0),
            (asks(&actor, "c2"), 0),
            (asks(&actor, "c1"), 3_000),
            (permission(&actor, 7), 0),
        ] {
            let mut script = Script::working();
            script.hook(tool(&actor, "c1", 7));
            script.hook(answered(&actor, "c1"));
            script.after(after).hook(asked.clone());
            assert_eq!(script.headline(), Headline::Blocked, "{asked:?} {after}");
        }
        // In its order an answer is one to what was asked, also told twice, and the same call may ask for more.
        let mut script = Script::working();
        script.hook(tool(&actor, "c1", 7));
        for _ in 0..2 {
            script.hook(asks(&actor, "c1"));
            assert_eq!(script.headline(), Headline::Blocked);
            script.hook(answered(&actor, "c1"));
            script.hook(answered(&actor, "c1"));
            assert_eq!(script.headline(), Headline::Working);
        }
    }
}

fn logged_stop(turn: &str) -> Fact {
    let background = Background { logged: true, ..Background::unlisted() };
    Fact::TurnEnded { background, turn_ref: Some(turn.to_owned()) }
}

#[test]
fn a_stop_of_a_turn_of_which_nothing_was_heard_ends_none_that_has_a_name() {
    let mut script = Script::blocked();
    script.hook(logged_stop("x1"));
    script.refused(Rule::G10);
    assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Blocked, 1));
    script.hook(logged_stop("t1"));
    assert_eq!((script.headline(), script.count("turn.completed")), (Headline::Done, 1));
    // Nothing was heard of its own name, or something was of the other one.
    let untold = Fact::PromptTold;
    for heard in
        [vec![untold], vec![prompt("t1"), prompt("x1")], vec![prompt("t1"), tool_of("x1", "c")]]
    {
        let mut script = Script::idle();
        for fact in &heard {
            script.hook(fact.clone());
        }
        script.hook(logged_stop("x1"));
        assert_eq!(script.headline(), Headline::Done, "{heard:?}");
    }
    // One that has stopped may have been woken by that name.
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    let background = Background { wakes: true, ..Background::unlisted() };
    script.hook(Fact::TurnEnded { background, turn_ref: Some("t1".into()) });
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!(script.phrase(), "working(background)");
    script.hook(logged_stop("x1"));
    assert_eq!(script.headline(), Headline::Done);
}
