//! How far hooks alone get, through the real gate, on moments whose truth is known. What stays
//! wrong is what hooks do not tell; other witnesses must, as the process, which nobody watches here, of a goodbye that
//! may be none. The golden file names each miss.

use crate::common::{CLAUDE_CODE, CODEX, Recorded};
use crate::played::{Script, Span};
use headsup_core::status::{Headline, OutcomeKind};
use std::fmt::Write;

#[test]
fn hooks_alone_are_right_wherever_they_speak() {
    let without_a_terminal = ["trust_dialog", "print_mode", "sdk_stream_json"];
    insta::assert_snapshot!("hooks_alone", misses(&CLAUDE_CODE, &without_a_terminal));
    let without_hooks = ["app_server"];
    insta::assert_snapshot!("codex_hooks_alone", misses(&CODEX, &without_hooks));
}

/// No hook tells of an API error: the turns that have ended with one do not begin again behind the last one.
#[test]
fn turns_whose_ends_no_hook_tells_are_over_with_the_last_one() {
    let script = Script::of(&CODEX, "api_errors");
    let last = script.spans.last().unwrap();
    assert_eq!(last.status, "idle");
    let track = script.play();
    assert!(last.is_told(&track), "{:?}", last.near(&track));
    let news = track.news.last().unwrap();
    assert_eq!((news.1, news.2), (Headline::Done, Some(OutcomeKind::Completed)));
}

fn misses(agent: &Recorded, but: &[&str]) -> String {
    let mut golden = String::new();
    let (mut right, mut all) = (0, 0);
    for case in agent.cases() {
        if but.contains(&&*case) {
            continue;
        }
        let script = Script::of(agent, &case);
        let track = script.play();
        for span in &script.spans {
            all += 1;
            if span.is_told(&track) {
                right += 1;
                continue;
            }
            let said = span.near(&track).last().unwrap().1.word();
            let Span { status, why, .. } = span;
            writeln!(golden, "{case}: {status} ({why}), hooks say {said}").unwrap();
        }
    }
    format!("right {right} of {all}\n\n{golden}")
}
