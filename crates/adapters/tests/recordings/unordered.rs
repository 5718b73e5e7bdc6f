//! Hooks that run side by side: what one of them tells is told twice, before what it follows, or not at all.

use crate::common::Recorded;
use crate::played::{Call, Script};
use headsup_core::status::Headline;

const GEMINI_CLI: Recorded = Recorded { kind: "gemini-cli", version: "0.61.0" };
const COPILOT_CLI: Recorded = Recorded { kind: "copilot-cli", version: "1.0.102" };

fn headlines(script: &Script) -> Vec<Headline> {
    script.play().news.iter().map(|(_, headline, _)| *headline).collect()
}

fn is(call: &Call, event: &str) -> bool {
    call.event.as_deref() == Some(event)
}

fn changed(script: &Script, change: impl FnOnce(&mut Vec<Call>)) -> Vec<Headline> {
    let mut script = script.clone();
    change(&mut script.calls);
    headlines(&script)
}

fn double(calls: &mut Vec<Call>, events: &[&str]) {
    let copies = |call: &Call| if events.iter().any(|event| is(call, event)) { 2 } else { 1 };
    *calls = calls.iter().flat_map(|call| vec![call.clone(); copies(call)]).collect();
}

fn swap(calls: &mut [Call], [one, other]: [&str; 2]) {
    let at = |event: &str| calls.iter().position(|call| is(call, event)).unwrap();
    let (one, other) = (at(one), at(other));
    let moments = (calls[one].at, calls[other].at);
    calls.swap(one, other);
    (calls[one].at, calls[other].at) = moments;
}

/// The notice of a dialog does not name its call, and nothing tells of the answer but the end of that call.
#[test]
fn a_dialog_is_over_with_its_call_in_whatever_order_its_hooks_come() {
    for (program, [start, notice, end]) in [
        (GEMINI_CLI, ["BeforeTool", "Notification", "AfterTool"]),
        (COPILOT_CLI, ["preToolUse", "notification", "postToolUse"]),
    ] {
        for case in ["permission_allowed", "question"] {
            let script = Script::of(&program, case);
            let known = headlines(&script);
            let told = [Headline::Working, Headline::Blocked, Headline::Working, Headline::Done];
            assert!(
                known.windows(4).any(|some| some == told),
                "{} {case}: {known:?}",
                program.kind
            );
            let lose = |calls: &mut Vec<Call>| calls.retain(|call| !is(call, start));
            let others = [
                ("doubled notice", changed(&script, |calls| double(calls, &[notice]))),
                ("all doubled", changed(&script, |calls| double(calls, &[start, notice, end]))),
                ("notice first", changed(&script, |calls| swap(calls, [start, notice]))),
                ("start lost", changed(&script, lose)),
            ];
            for (how, headlines) in others {
                assert_eq!(headlines, known, "{} {case}: {how}", program.kind);
            }
        }
    }
}
