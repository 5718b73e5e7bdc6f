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

/// Does a model answer, by the end of the log of a conversation? Its first line may be cut.
pub(crate) fn is_model(log: &str) -> bool {
    let told = log.lines().rev().filter(|line| line.contains(MEMBER)).find_map(reviewer);
    told.is_some_and(|reviewer| reviewer == MODELS)
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
            assert_eq!(is_model(&lines.join("\n")), expected, "{lines:?}");
        }
    }
}
