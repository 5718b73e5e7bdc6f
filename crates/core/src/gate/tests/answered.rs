//! What tells that a dialog is over, or still open, where hooks are silent.

use super::script::{
    Script, at_rest, busy, fail, permission, prompt, stop, stop_with, sub, tool, tool_end,
    unlisted_stop, waiting,
};
use crate::event::EventBody;
use crate::gate::{Rule, SETTLE_MS};
use crate::observation::{Delivery, Fact, Level};
use crate::prompt::{Actor, NewPrompt, Resolution, ResolvedBy};
use crate::source::Source;
use crate::status::{BlockedReason, Headline};

fn own(script: &mut Script, level: Level) {
    script.said(Source::ProgramStatus, Fact::Level(level));
}

/// A helper asks behind its main agent that has stopped.
fn asked_behind(source: Source) -> Script {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(unlisted_stop("t1"));
    script.hook(tool(&sub("h"), "c1", 7));
    script.hook(permission(&sub("h"), 7));
    script.said(source, Fact::Level(waiting()));
    assert_eq!(script.headline(), Headline::Blocked);
    script.published.clear();
    script
}

#[test]
fn a_status_that_shows_no_dialog_any_more_tells_the_answer_to_a_helper() {
    let mut script = asked_behind(Source::ProgramStatus);
    script.after(2_000);
    own(&mut script, Level::Done);
    assert_eq!(script.headline(), Headline::Blocked);
    script.tick(SETTLE_MS);
    assert_eq!(script.phrase(), "working(background)");
    assert_eq!((script.count("prompt.resolved"), script.count("turn.completed")), (1, 0));
    own(&mut script, at_rest());
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!(script.headline(), Headline::Done);
}

#[test]
fn a_helper_whose_dialog_follows_at_once_asks_still() {
    // It is shown anew.
    let mut script = asked_behind(Source::ProgramStatus);
    own(&mut script, Level::Done);
    own(&mut script, waiting());
    script.tick(SETTLE_MS);
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Blocked, 0));
    // It is still to be shown.
    let mut script = asked_behind(Source::ProgramStatus);
    own(&mut script, Level::Done);
    script.hook(permission(&sub("h2"), 8));
    script.tick(SETTLE_MS);
    let asking: Vec<_> = script.seat.own_prompts().map(|open| open.actor.clone()).collect();
    assert_eq!(asking, [sub("h2")]);
    // A rest that is no end of a dialog says nothing of one that comes.
    let mut script = Script::working();
    own(&mut script, busy());
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(permission(&sub("h"), 7));
    own(&mut script, Level::Done);
    script.hook(unlisted_stop("t1"));
    script.tick(SETTLE_MS);
    assert_eq!(script.headline(), Headline::Blocked);
}

/// Claude Code 2.1.330: of two calls in one answer the second asks as soon as the first, which was granted, has run.
#[test]
fn work_that_is_shown_behind_one_dialog_does_not_answer_the_next_one() {
    let mut script = Script::blocked();
    own(&mut script, waiting());
    script.registry(waiting());
    own(&mut script, busy());
    // The status file tells the same, and is believed at once.
    script.registry(busy());
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Working, 1));
    script.hook(tool_end(&Actor::Main, "c1", 7));
    script.hook(tool(&Actor::Main, "c2", 8));
    script.hook(permission(&Actor::Main, 8));
    script.tick(SETTLE_MS);
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Blocked, 1));
    // The program shows it on its terminal, and then its answer.
    own(&mut script, waiting());
    script.tick(SETTLE_MS);
    assert_eq!((script.headline(), script.count("prompt.opened")), (Headline::Blocked, 1));
    own(&mut script, busy());
    script.tick(SETTLE_MS);
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Working, 2));
}

/// Claude Code 2.1.330: a helper asks twice in a row, and its main agent stops meanwhile.
#[test]
fn what_a_helper_asks_next_is_open_also_behind_its_main_agents_stop() {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(permission(&sub("h"), 7));
    own(&mut script, waiting());
    script.registry(waiting());
    own(&mut script, busy());
    script.registry(busy());
    assert_eq!(script.headline(), Headline::Working);
    script.hook(permission(&sub("h"), 8));
    script.registry(waiting());
    script.tick(SETTLE_MS);
    script.hook(unlisted_stop("t1"));
    let asking: Vec<_> = script.seat.own_prompts().map(|open| open.actor.clone()).collect();
    assert_eq!((script.headline(), asking), (Headline::Blocked, vec![sub("h")]));
    script.registry(busy());
    assert_eq!(script.phrase(), "working(background)");
    assert_eq!((script.count("prompt.opened"), script.count("prompt.resolved")), (2, 2));
}

/// Claude Code 2.1.330: what a person has sent is told behind the dialog of a helper that came up meanwhile.
#[test]
fn a_prompt_that_is_told_behind_a_helpers_dialog_does_not_answer_it() {
    for end in [stop_with("t2", &["h"], 0), fail("t2", "unknown")] {
        let mut script = Script::working();
        script.hook(Fact::SubagentStarted { id: "h".into() });
        script.hook(stop_with("t1", &["h"], 0));
        script.hook(permission(&sub("h"), 7));
        script.registry(waiting());
        // One that was queued comes behind it.
        for turn in ["t2", "t3"] {
            script.hook(prompt(turn));
            assert_eq!(script.headline(), Headline::Blocked, "{turn}");
        }
        script.hook(end);
        assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Blocked, 0));
        script.registry(busy());
        script.tick(SETTLE_MS);
        assert_eq!((script.seat.prompts.len(), script.count("prompt.resolved")), (0, 1));
    }
}

/// Nobody has told whose it is.
#[test]
fn a_dialog_that_the_own_status_alone_shows_is_open_while_helpers_outlive_a_stop() {
    for helper in [true, false] {
        let mut script = Script::working();
        if helper {
            script.hook(Fact::SubagentStarted { id: "h".into() });
        }
        script.registry(waiting());
        script.tick(SETTLE_MS);
        assert_eq!((script.headline(), script.count("prompt.opened")), (Headline::Blocked, 1));
        script.hook(unlisted_stop("t1"));
        assert_eq!(script.headline() == Headline::Blocked, helper);
        if helper {
            script.registry(busy());
            assert_eq!(script.phrase(), "working(background)");
        }
    }
}

#[test]
fn a_title_without_its_dialog_tells_the_answer_to_a_helper() {
    let mut script = asked_behind(Source::Title);
    script.after(SETTLE_MS).said(Source::Title, Fact::ScreenCleared);
    assert_eq!(script.phrase(), "working(background)");
    // What was asked just now is still to be drawn.
    let mut script = asked_behind(Source::Title);
    script.after(SETTLE_MS).hook(permission(&sub("h2"), 8));
    script.said(Source::Title, Fact::ScreenCleared);
    let asking: Vec<_> = script.seat.own_prompts().map(|open| open.actor.clone()).collect();
    assert_eq!(asking, [sub("h2")]);
}

/// A form that no hook tells of.
#[test]
fn a_dialog_that_a_title_shows_behind_the_last_hook_is_open() {
    // It was there at the first look.
    let mut script = Script::working();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.said(Source::Title, Fact::Level(waiting()));
    assert_eq!(script.headline(), Headline::Working);
    script.tick(SETTLE_MS);
    assert_eq!(script.headline(), Headline::Blocked);
    // A hook came meanwhile, and it is shown still.
    let mut script = Script::working();
    script.said(Source::Title, Fact::Level(busy()));
    script.said(Source::Title, Fact::Level(waiting()));
    script.hook(tool(&Actor::Main, "c2", 8));
    script.tick(SETTLE_MS);
    assert_eq!(script.headline(), Headline::Working);
    script.said(Source::Title, Fact::Level(waiting()));
    script.tick(SETTLE_MS);
    assert_eq!(script.headline(), Headline::Blocked);
    // It was drawn anew after the hook.
    let mut script = Script::working();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.said(Source::Title, Fact::Level(waiting()));
    script.hook(tool_end(&Actor::Main, "c1", 7));
    script.said(Source::Title, Fact::Level(busy()));
    script.tick(SETTLE_MS);
    assert_eq!(script.headline(), Headline::Working);
    script.hook(stop("t1"));
    script.hook(prompt("t2"));
    assert_eq!((script.headline(), script.count("prompt.opened")), (Headline::Working, 0));
}

/// A person has refused this call, and has said what to do instead.
fn refused(script: &mut Script, call: &str) {
    let by_person = Resolution::of(ResolvedBy::Human, script.now);
    let resolution = Resolution { value: Some("deny".into()), ..by_person };
    script.log(Fact::CallRefused { call: call.to_owned(), resolution });
}

fn asked(script: &Script) -> Vec<&str> {
    script.seat.own_prompts().map(|open| open.ask.title.as_str()).collect()
}

#[test]
fn g4_a_call_that_is_told_behind_what_was_asked_about_it_is_refused_as_well() {
    let mut script = Script::working();
    script.hook(permission(&Actor::Main, 7));
    script.hook(permission(&Actor::Main, 8));
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(tool(&Actor::Main, "c2", 8));
    refused(&mut script, "c1");
    assert_eq!((asked(&script), script.headline()), (vec!["Bash: input 8"], Headline::Blocked));
    refused(&mut script, "c2");
    assert_eq!((asked(&script), script.phrase().as_str()), (vec![], "working(model)"));
}

#[test]
fn g4_a_call_that_is_refused_with_words_asks_no_more_and_the_next_one_does() {
    for (log_first, begins_first) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut script = Script::blocked();
        let next = tool(&Actor::Main, "c2", 8);
        if begins_first {
            script.hook(next.clone());
        }
        if log_first {
            refused(&mut script, "c1");
            assert_eq!(asked(&script), [""; 0]);
            assert_eq!(script.headline(), Headline::Working);
        }
        if !begins_first {
            script.hook(next);
        }
        script.hook(permission(&Actor::Main, 8));
        if !log_first {
            assert_eq!(asked(&script), ["Bash: input 7", "Bash: input 8"]);
            refused(&mut script, "c1");
            let [EventBody::PromptResolved { prompt }, ..] = &script.last.events[..] else {
                panic!("{:?}", script.last.events)
            };
            let resolution = prompt.resolution.as_ref().unwrap();
            assert_eq!((resolution.by, resolution.at), (ResolvedBy::Human, script.now));
            assert_eq!(resolution.value.as_deref(), Some("deny"));
        }
        assert_eq!((script.headline(), asked(&script)), (Headline::Blocked, vec!["Bash: input 8"]));
        assert_eq!(script.count("prompt.resolved"), 1);
        script.hook(tool_end(&Actor::Main, "c2", 8));
        script.hook(stop("t1"));
        assert_eq!((script.headline(), script.outcome()), (Headline::Done, Some("completed")));
    }
}

#[test]
fn g4_a_refusal_with_words_is_of_its_own_call_alone() {
    let mut script = Script::blocked();
    refused(&mut script, "c9");
    script.silent();
    script.delivery = Delivery::Replayed;
    refused(&mut script, "c1");
    script.refused(Rule::G2);
    script.delivery = Delivery::Live;
    assert_eq!(script.headline(), Headline::Blocked);
    refused(&mut script, "c1");
    assert_eq!(script.phrase(), "working(model)");
    refused(&mut script, "c1");
    script.silent();
    // Of a turn that is over it says nothing.
    let mut script = Script::blocked();
    script.hook(stop("t1"));
    refused(&mut script, "c1");
    script.silent();
    assert_eq!(script.headline(), Headline::Done);
}

/// Claude Code 2.1.330: two tool servers ask at once, and no form has an id.
#[test]
fn g4_two_forms_are_two_prompts_and_one_that_is_told_again_is_one() {
    let form = |title: &str| {
        let prompt = NewPrompt::plain(BlockedReason::Elicitation, Some(title));
        Fact::PromptOpened { actor: Actor::Main, prompt, settle_ms: 0, turn_ref: None }
    };
    let answer = |script: &mut Script| {
        let (reason, resolution) = (BlockedReason::Elicitation, Resolution::elsewhere(script.now));
        script.hook(Fact::PromptResolved { actor: Actor::Main, reason, key: None, resolution });
    };
    let mut script = Script::working();
    for title in ["a name", "a name", "a place", "a name"] {
        script.hook(form(title));
    }
    assert_eq!(script.count("prompt.opened"), 2);
    answer(&mut script);
    assert_eq!(script.headline(), Headline::Blocked);
    answer(&mut script);
    assert_eq!(script.headline(), Headline::Working);
}

/// Of neither call the start was told.
#[test]
fn g4_the_end_of_a_call_that_is_asked_about_answers_nothing_that_is_asked_about_another_one() {
    let mut script = Script::working();
    script.hook(permission(&Actor::Main, 7));
    script.hook(permission(&Actor::Main, 8));
    script.hook(tool_end(&Actor::Main, "c2", 8));
    assert_eq!((script.headline(), asked(&script)), (Headline::Blocked, vec!["Bash: input 7"]));
    script.hook(tool_end(&Actor::Main, "c3", 9));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn of_two_that_are_asked_about_at_once_the_log_tells_the_end_of_the_first() {
    let mut script = Script::blocked();
    script.hook(tool(&Actor::Main, "c2", 8));
    script.hook(permission(&Actor::Main, 8));
    script.log(tool_end(&Actor::Main, "c1", 7));
    let asked: Vec<_> = script.seat.own_prompts().map(|open| open.ask.title.clone()).collect();
    assert_eq!((script.headline(), asked), (Headline::Blocked, vec!["Bash: input 8".to_owned()]));
}

/// Copilot CLI 1.0.102, Esc at the main agent's dialog (measured): its log tells of that before it tells that the agent was
/// stopped, and of each helper that was stopped with it.
#[test]
fn g5_helpers_beside_a_dialog_that_was_escaped_keep_the_turn_open() {
    let escaped = || {
        let mut script = Script::blocked();
        script.hook(Fact::SubagentStarted { id: "h".into() });
        let (reason, key, turn_ref) = (BlockedReason::Permission, None, None);
        let resolution = Resolution::elsewhere(script.now);
        script.log(Fact::PromptRefused { reason, key, resolution, turn_ref });
        assert_eq!((script.phrase().as_str(), script.outcome()), ("working(background)", None));
        assert!(script.seat.prompts.is_empty());
        script
    };
    let mut script = escaped();
    script.log(Fact::MainInterrupted);
    assert_eq!((script.phrase().as_str(), script.outcome()), ("working(background)", None));
    script.hook(Fact::SubagentEnded { id: "h".into() });
    script.tick(1_000);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
    assert_eq!(script.count("turn.completed"), 1);
    // The helper was stopped as well.
    let mut script = escaped();
    script.log(Fact::SubagentEnded { id: "h".into() });
    script.log(Fact::MainInterrupted);
    assert_eq!((script.headline(), script.outcome()), (Headline::Idle, Some("interrupted")));
}

/// It draws what is asked later than its hook tells it, and showed another dialog before.
#[test]
fn a_title_that_has_not_shown_what_is_asked_yet_tells_no_answer() {
    let asked_anew = |is_next_turn: bool| {
        let mut script = Script::working();
        script.said(Source::Title, Fact::Level(busy()));
        script.hook(tool(&Actor::Main, "c1", 7));
        script.hook(permission(&Actor::Main, 7));
        script.after(1_000).said(Source::Title, Fact::Level(waiting()));
        if is_next_turn {
            script.after(1_000).hook(Fact::TurnInterrupted { turn_ref: Some("t1".to_owned()) });
            script.after(1_000).hook(prompt("t2"));
        } else {
            script.after(1_000).hook(tool_end(&Actor::Main, "c1", 7));
        }
        script.hook(permission(&Actor::Main, 8));
        script.after(200).said(Source::Title, Fact::Level(busy()));
        script.tick(1_000);
        assert_eq!(script.headline(), Headline::Blocked, "{is_next_turn}");
        script
    };
    for is_next_turn in [true, false] {
        let mut script = asked_anew(is_next_turn);
        script.said(Source::Title, Fact::Level(waiting()));
        script.tick(1_000);
        let asked = script.seat.own_prompts().map(|open| open.ask.title.as_str());
        assert_eq!(asked.collect::<Vec<_>>(), ["Bash: input 8"], "{is_next_turn}");
        script.said(Source::Title, Fact::Level(busy()));
        script.tick(SETTLE_MS);
        assert_eq!(script.headline(), Headline::Working, "{is_next_turn}");
        // Nobody has looked while it stood, and it works for long.
        let mut script = asked_anew(is_next_turn);
        script.tick(1_000);
        assert_eq!(script.headline(), Headline::Working, "{is_next_turn}");
    }
}

/// The hub was away while it was asked and answered: nobody has seen that its title showed the dialog.
#[test]
fn a_title_that_shows_work_behind_a_request_from_the_spool_tells_its_answer() {
    let spooled = |title_before: bool| {
        let mut script = Script::working();
        if title_before {
            script.said(Source::Title, Fact::Level(busy()));
        }
        let reported_at = script.now.plus(1_000);
        script.after(5_000);
        script.delivery = Delivery::Spooled { reported_at };
        script.hook(tool(&Actor::Main, "c1", 7));
        script.hook(permission(&Actor::Main, 7));
        script.delivery = Delivery::Live;
        assert_eq!(script.headline(), Headline::Blocked);
        script
    };
    for title_before in [true, false] {
        let mut script = spooled(title_before);
        script.said(Source::Title, Fact::Level(busy()));
        script.tick(SETTLE_MS);
        assert_eq!(script.phrase(), "working(tool)", "{title_before}");
        assert_eq!(script.count("prompt.resolved"), 1, "{title_before}");
        // It is open, and its title shows it.
        let mut script = spooled(title_before);
        script.said(Source::Title, Fact::Level(waiting()));
        script.tick(5_000);
        assert_eq!(script.headline(), Headline::Blocked, "{title_before}");
        // Another one that is told in time is still to be drawn.
        let mut script = spooled(title_before);
        script.hook(permission(&Actor::Main, 8));
        script.said(Source::Title, Fact::Level(busy()));
        script.tick(5_000);
        assert_eq!(script.headline(), Headline::Blocked, "{title_before}");
    }
}

/// Its main agent works on meanwhile, which is what a title may be about.
#[test]
fn a_title_that_shows_work_tells_no_answer_to_what_a_helper_has_asked_while_the_hub_was_away() {
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    let reported_at = script.now.plus(1_000);
    script.after(5_000);
    script.delivery = Delivery::Spooled { reported_at };
    script.hook(tool(&sub("h"), "c1", 7));
    script.hook(permission(&sub("h"), 7));
    script.delivery = Delivery::Live;
    script.said(Source::Title, Fact::Level(busy()));
    script.tick(5_000);
    assert_eq!(script.headline(), Headline::Blocked);
}

/// One that was asked only just before the hub was there may still be to be drawn.
#[test]
fn a_title_has_a_moment_to_show_a_request_from_the_spool() {
    let mut script = Script::working();
    script.said(Source::Title, Fact::Level(busy()));
    let reported_at = script.now.plus(1_000);
    script.after(1_100);
    script.delivery = Delivery::Spooled { reported_at };
    script.hook(permission(&Actor::Main, 7));
    script.delivery = Delivery::Live;
    script.said(Source::Title, Fact::Level(busy()));
    script.tick(1_000);
    assert_eq!(script.headline(), Headline::Blocked);
    script.said(Source::Title, Fact::Level(waiting()));
    script.tick(5_000);
    assert_eq!(script.headline(), Headline::Blocked);
}

/// Codex 0.169.0: its server says of a helper's conversation that it waits as long as anything is asked there.
#[test]
fn a_helper_that_its_server_shows_at_work_has_been_answered_all_that_it_asked() {
    let answered = |script: &mut Script| {
        let (reason, resolution) = (BlockedReason::Permission, Resolution::elsewhere(script.now));
        let fact = Fact::PromptResolved { actor: sub("h"), reason, key: None, resolution };
        script.said(Source::AppServer, fact);
    };
    let asked_twice = || {
        let mut script = Script::working();
        script.hook(Fact::SubagentStarted { id: "h".into() });
        for (call, input) in [("c1", 7), ("c2", 8)] {
            script.hook(tool(&sub("h"), call, input));
            script.hook(permission(&sub("h"), input));
        }
        assert_eq!(asked(&script), ["Bash: input 7", "Bash: input 8"]);
        script
    };
    let mut script = asked_twice();
    script.after(2_000);
    answered(&mut script);
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Working, 2));
    // What another one asks, and what it has asked just now, is open.
    let mut script = asked_twice();
    script.hook(permission(&sub("h2"), 9));
    script.after(2_000).hook(permission(&sub("h"), 10));
    answered(&mut script);
    assert_eq!(asked(&script), ["Bash: input 9", "Bash: input 10"]);
    // A person was quick.
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(permission(&sub("h"), 7));
    answered(&mut script);
    assert_eq!(script.headline(), Headline::Working);
}
