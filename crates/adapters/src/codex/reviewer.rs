//! Who answers what it asks: a person, or a model that it asks by itself.
//!
//! Codex 0.169.0. With `approvals_reviewer` set to `auto_review` a model grants or refuses what is asked. The hook of the
//! request is called all the same and does not say so; no dialog is shown, and what the terminal shows goes on (measured).
//! The log tells it with each turn, and when a person changes it (read).

use crate::json::{self, skim};
use std::borrow::Cow;

/// Of lines that do not have it nothing is read.
const MEMBER: &str = "\"approvals_reviewer\"";
const MODELS: &str = "auto_review";

skim! {
    Line { kind: "type", payload: "payload" }
}

skim! {
    Payload { kind: "type", reviewer: "approvals_reviewer", settings: "thread_settings" }
}

skim! {
    Settings { reviewer: "approvals_reviewer" }
}

/// So much of its end, in bytes; more only where that says nothing, as in a turn that has gone on for long.
const ENDS: [u64; 2] = [1 << 20, 1 << 23];

/// Does a model answer, by the log of a conversation? `read` gives so many bytes of its end, whose first line may be cut.
pub(crate) fn is_model(read: impl Fn(u64) -> Option<String>) -> bool {
    let told = ENDS.into_iter().find_map(|length| last(&read(length)?));
    told.is_some_and(|reviewer| reviewer == MODELS)
}

fn last(log: &str) -> Option<String> {
    log.lines().rev().filter(|line| line.contains(MEMBER)).find_map(reviewer)
}

fn reviewer(line: &str) -> Option<String> {
    let line = json::trim(line);
    let read: Line<'_> = Some(line).filter(|line| json::is_whole(line)).and_then(json::walked)?;
    let payload: Payload<'_> = read.payload.walked();
    let said = match &*read.kind.text()? {
        "turn_context" => payload.reviewer,
        "event_msg" if payload.kind.text()? == "thread_settings_applied" => {
            payload.settings.walked::<Settings<'_>>().reviewer
        }
        _ => return None,
    };
    said.text().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(reviewer: &str) -> String {
        format!(
            r#"{{"type":"turn_context","payload":{{"turn_id":"t-1","approvals_reviewer":"{reviewer}"}}}}"#
        )
    }

    fn changed(reviewer: &str) -> String {
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"thread_settings_applied",
                "thread_settings":{{"approvals_reviewer":"{reviewer}"}}}}}}"#
        )
        .replace('\n', "")
    }

    #[test]
    fn the_last_word_of_the_log_tells_who_answers() {
        let call =
            r#"{"type":"response_item","payload":{"text":"\"approvals_reviewer\":\"user\""}}"#;
        for (lines, expected) in [
            (vec![], false),
            (vec![turn("user")], false),
            (vec![turn("auto_review")], true),
            (vec![turn("auto_review"), call.to_owned()], true),
            (vec![turn("auto_review"), turn("user")], false),
            (vec![turn("user"), changed("auto_review")], true),
            (vec![turn("auto_review"), changed("user")], false),
            (vec![turn("something_new")], false),
            // A line that is being written.
            (vec![turn("user"), turn("auto_review")[..80].to_owned()], false),
        ] {
            let log = lines.join("\n");
            assert_eq!(is_model(|_| Some(log.clone())), expected, "{lines:?}");
        }
        assert!(!is_model(|_| None), "there is no log");
    }

    #[test]
    fn of_a_turn_that_has_written_much_more_of_its_log_is_looked_at() {
        let end_of = |length| match length > ENDS[0] {
            true => turn("auto_review"),
            false => "{}".to_owned(),
        };
        assert!(is_model(|length| Some(end_of(length))));
        // Nothing is, where the end tells.
        assert!(!is_model(|length| (length == ENDS[0]).then(|| turn("user"))));
    }
}
