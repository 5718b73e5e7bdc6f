//! No word of the parser's reaches whoever has sent a body.

use super::read;
use crate::api::prompts::answer::AnswerBody;
use crate::api::prompts::open::QuestionBody;
use crate::api::seats::SeatBody;
use headsup_core::compat::panopticon::HeartbeatBody;
use headsup_core::wire::{NewPullBody, ReportBody};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is read, and that is all")]
struct Nested {
    list: Vec<ReportBody>,
}

/// Reads one kind of body.
type Read = fn(&str) -> (String, Vec<String>);

fn refused<T: DeserializeOwned>(text: &str) -> (String, Vec<String>) {
    let Err(refused) = read::<T>(text.as_bytes()) else { panic!("{text} is taken") };
    assert_eq!(refused.code(), "bad_json");
    let problem = refused.problem();
    (problem.detail.clone(), problem.allowed.clone())
}

#[test]
fn a_byte_order_mark_before_it_is_passed_over_once() {
    let question = "\u{feff}{\"question\":\"?\",\"default_action\":\"no\"}";
    assert!(read::<QuestionBody>(question.as_bytes()).is_ok());
    assert!(read::<HeartbeatBody>("\u{feff} {\"state\":\"active\"}".as_bytes()).is_ok());
    let (said, _) = refused::<QuestionBody>(&format!("\u{feff}{question}"));
    assert_eq!(said, "the body is a JSON object");
}

#[test]
fn what_is_wrong_is_said_in_words_and_named() {
    let question = |more: &str| format!(r#"{{"question":"?","default_action":"no"{more}}}"#);
    let cases: &[(Read, String, &str)] = &[
        (refused::<QuestionBody>, "{}".into(), r#""question" is missing"#),
        (refused::<QuestionBody>, r#"{"question":"?"}"#.into(), r#""default_action" is missing"#),
        (
            refused::<QuestionBody>,
            r#"{"question":7}"#.into(),
            r#""question" is a string, and not 7"#,
        ),
        (
            refused::<QuestionBody>,
            question(r#","timeout_minutes":-5"#),
            r#""timeout_minutes" is a whole number from 1 to 120, and not -5"#,
        ),
        (
            refused::<QuestionBody>,
            question(r#","timeout_minutes":"30""#),
            r#""timeout_minutes" is a whole number from 1 to 120, and not "30""#,
        ),
        (
            refused::<QuestionBody>,
            question(r#","multi_select":[]"#),
            r#""multi_select" is true or false, and not a list"#,
        ),
        (
            refused::<QuestionBody>,
            question(r#","options":{}"#),
            r#""options" is a list, and not an object"#,
        ),
        (
            refused::<QuestionBody>,
            question(r#","options":[7]"#),
            r#""options[0]": an option is a string, or {label, value?, description?}"#,
        ),
        (
            refused::<QuestionBody>,
            question(r#","question":"again""#),
            r#""question" stands there twice"#,
        ),
        (
            refused::<QuestionBody>,
            question(r#","risk":"huge""#),
            r#""risk" is one of low, high, and not "huge""#,
        ),
        (refused::<QuestionBody>, question(r#","risk":7"#), r#""risk" is a string"#),
        (
            refused::<SeatBody>,
            r#"{"labels":{"a":"1","b":"1","a":"2"}}"#.into(),
            r#""a" stands there twice"#,
        ),
        (
            refused::<SeatBody>,
            r#"{"labels":["a"]}"#.into(),
            r#""labels" is an object, and not a list"#,
        ),
        (
            refused::<SeatBody>,
            r#"{"launch":[]}"#.into(),
            r#""launch" is an object, and not a list"#,
        ),
        (
            refused::<SeatBody>,
            r#"{"launch":["/bin/sh","sh",[],"/"]}"#.into(),
            r#""launch" is an object, and not a list"#,
        ),
        (refused::<SeatBody>, r#"{"launch":{}}"#.into(), r#""program" of "launch" is missing"#),
        (
            refused::<HeartbeatBody>,
            r#"{"state":"active","ts":5}"#.into(),
            r#""ts" is an RFC 3339 time"#,
        ),
        (
            refused::<HeartbeatBody>,
            r#"{"state":"active","action":{}}"#.into(),
            r#""action" is a string"#,
        ),
        (
            refused::<AnswerBody>,
            r#"{"option":-1}"#.into(),
            r#""option": it is a whole number from 1 on, or a list of those"#,
        ),
        (
            refused::<AnswerBody>,
            r#"{"option":"2"}"#.into(),
            r#""option": it is a whole number from 1 on, or a list of those"#,
        ),
        (
            refused::<AnswerBody>,
            r#"{"value":2}"#.into(),
            r#""value": it is a string, or a list of strings"#,
        ),
        (
            refused::<QuestionBody>,
            question(r#","timeout_ms":1e999"#),
            r#""timeout_ms" is a number out of range"#,
        ),
        (
            refused::<QuestionBody>,
            question(r#","timeout_minutes":1e999"#),
            r#""timeout_minutes" is a number out of range"#,
        ),
        (
            refused::<QuestionBody>,
            r#"{"question":"\ud800"}"#.into(),
            r#""question" is not valid Unicode"#,
        ),
        (
            refused::<NewPullBody>,
            r#"{"title":"t","head_branch":"h","reviewers":[]}"#.into(),
            r#"there is no "reviewers"; there are title, "#,
        ),
        (
            refused::<Nested>,
            r#"{"list":[{},{"turn":7}]}"#.into(),
            r#""list[1].turn" is a string, and not 7"#,
        ),
        (
            refused::<Nested>,
            r#"{"list":[{"turns":7}]}"#.into(),
            r#"there is no "turns" of "list[0]"; there are "#,
        ),
        (
            refused::<QuestionBody>,
            r#"{"question":"#.into(),
            "the body is no JSON: it ends too early",
        ),
        (
            refused::<QuestionBody>,
            "{\"question\":\n NaN}".into(),
            "the body is no JSON: see line 2, column 2",
        ),
    ];
    for (read, text, expected) in cases {
        let (detail, _) = read(text);
        assert!(detail.starts_with(expected), "{text}\n {detail}\n {expected}");
        for word in ["struct", "expected", "variant", "field", "u32", "usize", "line 1", "untagged"]
        {
            assert!(!detail.contains(word), "{text}: {detail}");
        }
    }
}

#[test]
fn a_closed_set_is_told_as_what_is_allowed() {
    let (_, allowed) =
        refused::<QuestionBody>(r#"{"question":"?","default_action":"no","risk":"huge"}"#);
    assert_eq!(allowed, ["low", "high"]);
    let (_, allowed) = refused::<AnswerBody>(r#"{"allow":true,"via":"pigeon"}"#);
    assert_eq!(allowed, ["web", "cli", "tui", "api", "notification"]);
    let (_, allowed) = refused::<NewPullBody>(r#"{"titel":"t"}"#);
    assert!(allowed.contains(&"title".to_owned()), "{allowed:?}");
}

#[test]
fn bytes_that_are_no_text_are_told_as_such() {
    let Err(refused) = read::<QuestionBody>(b"{\"question\":\"\xff\"}") else { panic!() };
    assert_eq!(refused.problem().detail, r#""question" is not valid Unicode"#);
}

#[test]
fn what_is_long_is_cut() {
    let (detail, _) = refused::<QuestionBody>(&format!(r#"{{"{}":1}}"#, "x".repeat(5_000)));
    assert!(detail.len() < 500, "{detail}");
}
