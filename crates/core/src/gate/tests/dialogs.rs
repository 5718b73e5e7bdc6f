//! G4: notices of a dialog, which do not name the call that it is about, and come in any order.

use super::script::{Script, at_rest, busy, permission, prompt, sub, unlisted_stop, waiting};
use crate::gate::Rule;
use crate::observation::{Fact, SessionStart};
use crate::prompt::{Actor, NewPrompt, Resolution, ResolvedBy, ToolRef};
use crate::source::Source;
use crate::status::{Attach, BlockedReason, Headline};
use crate::time::UnixMs;

fn call(input: u64) -> ToolRef {
    ToolRef { name: "Bash".into(), id: None, input: Some(input) }
}

fn begins(actor: &Actor, input: u64) -> Fact {
    Fact::ToolStarted { actor: actor.clone(), tool: call(input), turn_ref: None }
}

fn ends(actor: &Actor, input: u64) -> Fact {
    let tools = vec![call(input)];
    Fact::ToolsEnded { actor: actor.clone(), tools, interrupted: false, turn_ref: None }
}

fn notice(title: &str) -> Fact {
    let prompt = NewPrompt::plain(BlockedReason::Permission, Some(title));
    Fact::DialogShown { actor: Actor::Main, prompt }
}

const MAIN: Actor = Actor::Main;

#[test]
fn an_answer_that_names_nothing_is_one_to_all_that_was_asked() {
    let mut script = Script::blocked();
    script.hook(notice("Bash: make"));
    script.hook(Fact::Answered);
    assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Working, 0));
    assert_eq!(script.phrase(), "working(model)");
    // Nobody has told of what was asked, or of its turn.
    let mut script = Script::new();
    script.hook(Fact::Answered);
    assert_eq!(script.phrase(), "working(model)");
    assert_eq!(script.count("turn.started"), 1);
    // A helper has asked behind the main agent, which rests on.
    let mut script = Script::working();
    script.hook(Fact::SubagentStarted { id: "h".into() });
    script.hook(unlisted_stop("t1"));
    script.hook(permission(&sub("h"), 9));
    script.hook(Fact::Answered);
    assert_eq!(script.phrase(), "working(background)");
    script.said(Source::ProgramStatus, Fact::Level(at_rest()));
    script.refused(Rule::G5);
    script.hook(Fact::SubagentEnded { id: "h".into() });
    assert_eq!(script.headline(), Headline::Done);
}

/// Of several at once they may come in any order.
#[test]
fn g4_what_a_notice_that_names_its_call_has_told_is_over_with_that_call() {
    let named = |title: &str, input: u64| {
        let prompt = NewPrompt::plain(BlockedReason::Permission, Some(title));
        Fact::DialogShown { actor: MAIN, prompt: NewPrompt { tool: Some(call(input)), ..prompt } }
    };
    for asks in [[("seven", 7), ("eight", 8)], [("eight", 8), ("seven", 7)]] {
        let mut script = Script::working();
        script.hook(begins(&MAIN, 7));
        script.hook(begins(&MAIN, 8));
        for (title, input) in asks {
            script.hook(named(title, input));
        }
        assert_eq!(script.count("prompt.opened"), 2);
        script.hook(ends(&MAIN, 7));
        assert_eq!(titles(&script), ["eight"]);
        script.hook(ends(&MAIN, 8));
        assert_eq!((script.phrase().as_str(), titles(&script).len()), ("working(model)", 0));
    }
}

/// The notice of its dialog does not say what is asked.
#[test]
fn g4_a_question_and_its_notice_are_one_prompt_in_the_words_of_its_call() {
    let asks = || {
        let tool = Some(call(7));
        let prompt = NewPrompt::plain(BlockedReason::Question, Some("Which?"));
        let prompt = NewPrompt { tool, ..prompt };
        Fact::PromptOpened { actor: MAIN, prompt, settle_ms: 1_500, turn_ref: None }
    };
    let shown = || {
        let prompt = NewPrompt::plain(BlockedReason::Question, Some("Information requested"));
        Fact::DialogShown { actor: MAIN, prompt }
    };
    for order in [vec![asks(), shown()], vec![shown(), asks()], vec![asks(), shown(), shown()]] {
        let mut script = Script::working();
        for fact in order {
            script.hook(fact);
        }
        script.tick(2_000);
        assert_eq!(titles(&script), ["Which?"]);
        assert_eq!(script.count("prompt.opened"), 1);
        script.hook(ends(&MAIN, 7));
        assert_eq!((script.phrase().as_str(), titles(&script).len()), ("working(model)", 0));
    }
    // No dialog was shown.
    let mut script = Script::working();
    script.hook(asks());
    script.hook(ends(&MAIN, 7));
    script.tick(2_000);
    assert_eq!(script.count("prompt.opened"), 0);
}

/// In a turn, where somebody can type to it or nobody.
fn reached(attach: Attach) -> Script {
    let mut script = Script::new();
    let (how, attach) = (SessionStart::Startup, Some(attach));
    script.hook(Fact::SessionStarted { how, attach });
    script.hook(prompt("t1"));
    script.hook(begins(&MAIN, 7));
    script
}

/// `copilot -p` tells of a dialog, denies by itself what it would have asked, and logs that.
#[test]
fn g4_a_run_that_nobody_can_type_to_shows_no_dialog() {
    let logged = || (Source::Transcript, requested("r1", "Run command: make"));
    let told = || (Source::Hook, notice("Run command: make"));
    for (attach, opened) in [(Attach::Headless, 0), (Attach::Interactive, 1)] {
        for asks in [[logged(), told()], [told(), logged()]] {
            let mut script = reached(attach);
            for (source, fact) in asks {
                script.said(source, fact);
            }
            assert_eq!(script.count("prompt.opened"), opened, "{attach:?}");
            script.tick(800);
            script.said(Source::Transcript, completed("r1"));
            script.tick(2_000);
            assert_eq!(script.count("prompt.opened"), opened, "{attach:?}");
            assert_eq!(script.headline(), Headline::Working);
        }
    }
    // One that nobody answers is asked of whoever has started it, once, and its answer is known.
    for asks in [vec![logged(), told()], vec![told(), logged()], vec![told()]] {
        let mut script = reached(Attach::Headless);
        for (source, fact) in asks {
            script.said(source, fact);
        }
        assert_eq!(script.headline(), Headline::Working);
        script.tick(2_000);
        assert_eq!(script.headline(), Headline::Blocked);
        script.said(Source::Transcript, requested("r1", "Run command: make"));
        script.tick(2_000);
        assert_eq!(script.count("prompt.opened"), 1);
        script.said(Source::Transcript, completed("r1"));
        assert_eq!(script.headline(), Headline::Working);
    }
}

/// Also where no log is read, and where it is told late that nobody can type to it.
#[test]
fn g4_what_a_notice_has_told_is_over_with_its_call_also_while_it_waits() {
    let mut script = reached(Attach::Headless);
    script.hook(begins(&MAIN, 8));
    script.hook(notice("eight"));
    script.hook(notice("seven"));
    script.hook(ends(&MAIN, 8));
    script.tick(2_000);
    assert_eq!((script.count("prompt.opened"), titles(&script)), (1, vec!["seven"]));
    // Its start is told behind its prompt.
    let mut script = Script::new();
    script.hook(prompt("t1"));
    let (how, attach) = (SessionStart::Startup, Some(Attach::Headless));
    script.hook(Fact::SessionStarted { how, attach });
    script.hook(notice("go?"));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g3_a_notice_that_is_told_twice_is_one_prompt() {
    for times in [1, 2] {
        let mut script = Script::working();
        // A helper's call goes on beside it, of which nobody asks.
        script.hook(begins(&sub("h"), 9));
        for _ in 0..times {
            script.hook(begins(&MAIN, 7));
        }
        script.hook(notice("go?"));
        script.hook(notice("go?"));
        script.silent();
        assert_eq!(script.seat.prompts.len(), 1, "{times}");
        script.hook(ends(&MAIN, 7));
        assert_eq!(
            (script.headline(), script.count("agent.status_changed")),
            (Headline::Working, 3)
        );
    }
    // Nor is it another one later, where every call is asked about.
    let mut script = Script::working();
    script.hook(begins(&MAIN, 7));
    script.hook(notice("go?"));
    script.after(1_000).hook(notice("go?"));
    script.silent();
    script.hook(ends(&MAIN, 7));
    assert_eq!(script.headline(), Headline::Working);
}

#[test]
fn g4_a_dialog_is_about_the_call_that_is_told_after_its_notice() {
    let mut script = Script::working();
    script.hook(notice("go?"));
    script.hook(notice("go?"));
    script.silent();
    script.after(1_000).hook(begins(&MAIN, 7));
    script.silent();
    script.hook(notice("go?"));
    script.silent();
    // Neither another call nor a helper's is the answer.
    script.hook(begins(&MAIN, 8));
    script.hook(ends(&MAIN, 8));
    script.hook(ends(&sub("h"), 7));
    assert_eq!((script.headline(), script.seat.prompts.len()), (Headline::Blocked, 1));
    script.hook(ends(&MAIN, 7));
    assert_eq!(script.phrase(), "working(model)");
}

#[test]
fn g4_a_dialog_ends_with_a_call_of_whose_start_nothing_was_told() {
    let mut script = Script::working();
    script.hook(begins(&MAIN, 8));
    script.hook(notice("one?"));
    script.hook(notice("two?"));
    assert_eq!(script.seat.prompts.len(), 2);
    script.hook(ends(&sub("h"), 7));
    script.hook(ends(&MAIN, 8));
    let left: Vec<_> = script.seat.prompts.iter().map(|open| &*open.ask.title).collect();
    assert_eq!((script.headline(), left), (Headline::Blocked, vec!["two?"]));
    script.hook(ends(&MAIN, 7));
    assert_eq!(script.phrase(), "working(model)");
}

#[test]
fn a_notice_without_a_name_is_a_helpers_whose_call_is_told_just_after_it() {
    for (ms, whose) in [(0, sub("h")), (300, MAIN)] {
        let mut script = Script::working();
        script.hook(notice("go?"));
        script.after(ms).hook(begins(&sub("h"), 7));
        assert_eq!(script.seat.prompts[0].actor, whose);
        script.hook(begins(&whose, 8));
        script.hook(ends(&whose, 8));
        let answered = if whose.is_main() { Headline::Working } else { Headline::Blocked };
        assert_eq!(script.headline(), answered);
        script.hook(ends(&sub("h"), 7));
        assert_eq!(script.headline(), Headline::Working);
    }
}

/// A line of a log that names a request.
fn requested(key: &str, title: &str) -> Fact {
    let prompt = NewPrompt::plain(BlockedReason::Permission, Some(title));
    let prompt = NewPrompt { key: Some(key.to_owned()), ..prompt };
    Fact::PromptOpened { actor: MAIN, prompt, settle_ms: 1_500, turn_ref: None }
}

fn completed(key: &str) -> Fact {
    let (reason, key) = (BlockedReason::Permission, Some(key.to_owned()));
    let resolution = Resolution::elsewhere(UnixMs::default());
    Fact::PromptResolved { actor: MAIN, reason, key, resolution }
}

fn titles(script: &Script) -> Vec<&str> {
    script.seat.own_prompts().map(|open| open.ask.title.as_str()).collect()
}

/// Both calls are open, so that nothing but its name tells whose answer one is.
#[test]
fn g4_a_notice_and_the_line_that_names_its_request_are_one_prompt_in_any_order() {
    for order in [
        "n1 n2 l1 l2",
        "l1 l2 n1 n2",
        "l1 l2 n2 n1",
        "n1 l1 l2 n2",
        "l1 n1 n2 l2",
        // The log names them the other way round (measured).
        "l2 n1 l1 n2",
        "l2 n1 l1",
        "l2 n1 n2 l1",
    ] {
        let mut script = Script::working();
        script.hook(begins(&MAIN, 1));
        script.hook(begins(&MAIN, 2));
        for told in order.split(' ') {
            match told {
                "n1" => script.hook(notice("one?")),
                "n2" => script.hook(notice("two?")),
                "l1" => script.log(requested("k1", "one?")),
                _ => script.log(requested("k2", "two?")),
            };
        }
        script.tick(5_000);
        assert_eq!((script.count("prompt.opened"), titles(&script).len()), (2, 2), "{order}");
        script.log(completed("k1"));
        script.hook(ends(&MAIN, 1));
        assert_eq!((script.headline(), titles(&script)), (Headline::Blocked, vec!["two?"]));
        script.log(completed("k2"));
        assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Working, 2));
    }
}

#[test]
fn g12_a_request_that_a_rule_answers_at_once_is_no_prompt_and_no_answer_to_another() {
    let mut script = Script::working();
    script.hook(begins(&MAIN, 1));
    script.log(requested("k1", "one?"));
    script.silent();
    script.log(completed("k1"));
    script.tick(5_000);
    script.silent();
    script.hook(notice("two?"));
    script.log(requested("k2", "two?"));
    script.log(requested("k3", "three?"));
    script.log(completed("k3"));
    assert_eq!((script.headline(), titles(&script)), (Headline::Blocked, vec!["two?"]));
    // One whose notice was lost has settled after a while.
    script.log(requested("k4", "four?"));
    script.tick(1_500);
    assert_eq!(titles(&script), ["two?", "four?"]);
    // Its notice is late, and in other words.
    script.hook(notice("Number four?"));
    assert_eq!(titles(&script), ["two?", "Number four?"]);
}

#[test]
fn g4_an_answer_whose_request_was_not_read_is_one_to_what_has_no_name() {
    let mut script = Script::working();
    script.hook(notice("go?"));
    script.log(completed("k1"));
    assert_eq!(script.headline(), Headline::Working);
    script.hook(notice("go?"));
    script.log(requested("k2", "go?"));
    script.log(completed("k1"));
    assert_eq!(script.headline(), Headline::Blocked);
    // Told again it is the same.
    script.log(requested("k2", "go?"));
    script.tick(1_500);
    assert_eq!(titles(&script).len(), 1);
}

/// Of two that were asked at once the first call runs when both are answered, and nothing names the second any more.
#[test]
fn g4_a_title_that_works_again_ends_all_that_notices_have_told_of() {
    let mut script = Script::working();
    script.said(Source::Title, Fact::Level(busy()));
    for (call, title) in [(1, "one?"), (2, "two?")] {
        script.hook(begins(&MAIN, call));
        script.hook(notice(title));
    }
    script.said(Source::Title, Fact::Level(waiting()));
    assert_eq!((script.headline(), titles(&script).len()), (Headline::Blocked, 2));
    script.after(8_000).said(Source::Title, Fact::Level(busy()));
    script.hook(ends(&MAIN, 1));
    script.tick(1_000);
    assert_eq!((script.headline(), script.count("prompt.resolved")), (Headline::Working, 2));
}

#[test]
fn g4_notices_that_read_otherwise_are_of_two_dialogs() {
    let mut script = Script::working();
    script.hook(notice("one?"));
    script.hook(notice("two?"));
    script.hook(notice("two?"));
    // Calls of whose starts nothing was told.
    script.hook(ends(&MAIN, 1));
    assert_eq!((script.headline(), titles(&script)), (Headline::Blocked, vec!["two?"]));
    script.hook(ends(&MAIN, 2));
    assert_eq!(script.headline(), Headline::Working);
}

/// What a person has granted runs until its end.
#[test]
fn a_call_that_was_granted_is_what_the_main_agent_works_on() {
    let granted = |script: &mut Script| {
        let (reason, key) = (BlockedReason::Permission, None);
        let resolution = Resolution::of(ResolvedBy::Human, script.now);
        script.hook(Fact::PromptResolved { actor: MAIN, reason, key, resolution });
    };
    let mut script = Script::blocked();
    granted(&mut script);
    assert_eq!(script.phrase(), "working(tool)");
    assert_eq!(script.seat.turn.detail.as_deref(), Some("Bash"));
    script.hook(ends(&MAIN, 7));
    assert_eq!(script.phrase(), "working(model)");
    // Of this call no start was told.
    let mut script = Script::working();
    script.hook(permission(&MAIN, 7));
    granted(&mut script);
    assert_eq!(script.phrase(), "working(model)");
}
