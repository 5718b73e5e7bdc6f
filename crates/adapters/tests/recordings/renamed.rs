//! A version that nobody knows: each event, each member of a payload and each word in one under
//! another name, one after the other, in every recording that has it. What is then not understood
//! changes nothing.

use crate::common::{CLAUDE_CODE, CODEX, Recorded};
use crate::played::{Script, Span, Told, Track, around};
use headsup_core::status::Headline;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Those whose hooks come as the program writes them; a plugin's are our own.
const PROGRAMS: [Recorded; 5] = [
    CLAUDE_CODE,
    CODEX,
    Recorded { kind: "qwen-code", version: "0.24.4" },
    Recorded { kind: "gemini-cli", version: "0.61.0" },
    Recorded { kind: "copilot-cli", version: "1.0.102" },
];

/// What has another name now.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Renamed {
    Event(String),
    Member(String),
    Word { member: String, word: String },
}

impl Renamed {
    /// A tool that nobody knows is no news: there are new ones every day.
    fn is_a_tool(&self) -> bool {
        matches!(self, Self::Word { member, .. } if ["tool_name", "toolName"].contains(&&**member))
    }
}

impl fmt::Display for Renamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(name) => write!(f, "event {name}"),
            Self::Member(name) => write!(f, "member {name}"),
            Self::Word { member, word } => write!(f, "{member} {word}"),
        }
    }
}

const EVENT: &str = "hook_event_name";

/// Words are few and short, and say the same in every recording; ids and texts do not.
fn is_word(text: &str) -> bool {
    (3..=40).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_')
}

fn renamings(script: &Script) -> BTreeSet<Renamed> {
    let mut all = BTreeSet::new();
    for call in &script.calls {
        all.extend(call.event.clone().map(Renamed::Event));
        for (member, value) in call.payload.as_object().unwrap() {
            let text = value.as_str().unwrap_or_default().to_owned();
            if member == EVENT {
                all.insert(Renamed::Event(text));
                continue;
            }
            all.insert(Renamed::Member(member.clone()));
            if is_word(&text) {
                all.insert(Renamed::Word { member: member.clone(), word: text });
            }
        }
    }
    all
}

fn rename(script: &Script, renamed: &Renamed) -> Script {
    let mut script = script.clone();
    let other = |text: &str| format!("{text}V2");
    for call in &mut script.calls {
        let Value::Object(members) = &mut call.payload else { continue };
        match renamed {
            Renamed::Event(name) => {
                if call.event.as_ref() == Some(name) {
                    call.event = Some(other(name));
                }
                if members.get(EVENT).is_some_and(|event| event == name) {
                    members.insert(EVENT.to_owned(), other(name).into());
                }
            }
            Renamed::Member(name) => {
                if let Some(value) = members.remove(name) {
                    members.insert(other(name), value);
                }
            }
            Renamed::Word { member, word } => {
                if let Some(value) = members.get_mut(member).filter(|value| *value == word) {
                    *value = other(word).into();
                }
            }
        }
    }
    script
}

/// The span in which a moment is.
fn span_at(script: &Script, at: i64) -> Option<&Span> {
    script.spans.iter().rfind(|span| span.from <= at)
}

/// Its own notice says that it sits at its prompt, and nothing that is known says how it came there.
fn is_rest_after_all(kind: &str, renamed: &Renamed, said: Headline) -> bool {
    let is_end = *renamed == Renamed::Event("StopFailure".to_owned());
    kind == "qwen-code" && is_end && said == Headline::Idle
}

/// Whoever is done is idle as well.
fn rests(headline: Headline) -> Headline {
    if headline == Headline::Done { Headline::Idle } else { headline }
}

/// What was told anew and is true by nobody's word: neither the truth around it, nor what is told
/// where nothing has another name.
fn lies<'a>(script: &Script, track: &'a Track, known: &Track) -> Vec<&'a Told> {
    let is_lie = |told: &&Told| {
        let (at, headline, _) = **told;
        let spans = [at - 700, at, at + 700].map(|at| span_at(script, at));
        let is_true = spans.into_iter().flatten().any(|span| span.holds(told));
        let is_known = around(known, at).into_iter().any(|told| rests(told.1) == rests(headline));
        !is_true && !is_known && headline != Headline::Unknown
    };
    track.news.iter().filter(is_lie).collect()
}

/// What is told in the place of a truth that is told where nothing has another name.
fn instead<'a>(
    script: &'a Script,
    track: &'a Track,
    known: &'a Track,
) -> impl Iterator<Item = (&'a str, &'static str)> {
    let is_open =
        |span: &&Span| span.near(track).iter().any(|(_, said, _)| *said == Headline::Unknown);
    let spans = script.spans.iter().filter(|span| span.is_told(known) && !span.is_told(track));
    spans
        .filter(move |span| !is_open(span))
        .map(|span| (span.status.as_str(), span.near(track).last().unwrap().1.word()))
}

/// Every event says of which conversation it is, and where: an event that says so by another name is told as before, and
/// counted.
#[test]
fn a_conversation_and_a_folder_of_another_name_are_counted() {
    for program in PROGRAMS {
        let kind = program.kind;
        let session = if kind == "copilot-cli" { "sessionId" } else { "session_id" };
        for case in program.cases() {
            let script = Script::of(&program, &case);
            for member in [session, "cwd"] {
                let changed = rename(&script, &Renamed::Member(member.to_owned()));
                assert_eq!(changed.counted(), script.calls.len(), "{kind} {case} {member}");
            }
        }
    }
}

/// So is the name of a turn, where it begins and where it ends.
#[test]
fn a_turn_whose_name_has_another_name_is_counted() {
    for (program, member) in [(CLAUDE_CODE, "prompt_id"), (CODEX, "turn_id")] {
        let kind = program.kind;
        for case in program.cases() {
            let script = Script::of(&program, &case);
            let changed = rename(&script, &Renamed::Member(member.to_owned()));
            let is_bound = |event: &Value| event == "UserPromptSubmit" || event == "Stop";
            let bounds = script.calls.iter().filter(|call| is_bound(&call.payload[EVENT])).count();
            assert!(changed.counted() >= bounds, "{kind} {case}");
        }
    }
}

/// A request alone may call its tool by another name: what it asks is over with its call all the same.
#[test]
fn a_request_that_does_not_name_its_tool_is_over_with_its_call() {
    let [claude_code, codex, qwen_code, ..] = PROGRAMS;
    for (program, case) in [
        (claude_code, "permission_approved"),
        (codex, "permission_approved"),
        (qwen_code, "permission_allowed"),
    ] {
        let script = Script::of(&program, case);
        let mut changed = script.clone();
        for call in &mut changed.calls {
            if call.payload[EVENT] == "PermissionRequest"
                && let Some(members) = call.payload.as_object_mut()
                && let Some(name) = members.remove("tool_name")
            {
                members.insert("toolName".to_owned(), name);
            }
        }
        assert!(changed.counted() > 0, "{} {case}", program.kind);
        let (known, track) = (script.play(), changed.play());
        for span in script.spans.iter().filter(|span| span.is_told(&known)) {
            assert!(span.is_told(&track), "{} {case}: {}", program.kind, span.status);
        }
    }
}

/// What stays as it was is in the golden file: nothing else is ever told, and it is counted.
#[test]
fn what_has_another_name_makes_no_wrong_state() {
    let mut stays: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for program in PROGRAMS {
        let kind = program.kind;
        for case in program.cases() {
            let script = Script::of(&program, &case);
            let (known, usual) = (script.play(), script.counted());
            assert_eq!(usual, 0, "{kind} {case}");
            if script.spans.is_empty() {
                continue;
            }
            for renamed in renamings(&script) {
                let changed = rename(&script, &renamed);
                let (track, counted) = (changed.play(), changed.counted() > 0);
                for (at, headline, _) in lies(&script, &track, &known) {
                    if is_rest_after_all(kind, &renamed, *headline) {
                        continue;
                    }
                    wrong.push(format!("{kind} {case} {at}: {renamed}: {}", headline.word()));
                }
                for (truth, said) in instead(&script, &track, &known) {
                    let line = format!("{kind} {renamed}: {said} instead of {truth}");
                    if !counted && !renamed.is_a_tool() {
                        wrong.push(format!("not counted: {case} {line}"));
                    }
                    *stays.entry(line).or_default() += 1;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let lines: Vec<String> =
        stays.iter().map(|(line, count)| format!("{line} ({count})")).collect();
    insta::assert_snapshot!("renamed", lines.join("\n"));
}
