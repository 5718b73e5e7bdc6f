//! A log that was replaced by one without a turn that a person has taken back.
//!
//! Copilot CLI 1.0.102 (measured). After Esc before the first word the prompt goes back into its box, and
//! another file takes the log's place, which ends where that one did before the prompt. `abort` may never have
//! stood in the log, and a `session.usage_checkpoint` tells of the first such turn in a row alone.

use super::transcript::{NONE, STOP, is_stop_of};
use crate::json::{self, skim};

/// The event of a prompt that was just sent.
const PROMPT: &str = "userPromptSubmitted";

skim! {
    Line {
        kind: "type",
        data: "data",
        agent_id: "agentId",
    }
}

skim! {
    Data {
        calls: "toolRequests",
        hook: "hookType",
    }
}

/// Does its main agent rest behind the last of these lines that tells?
pub(crate) fn rests(lines: &[Vec<u8>]) -> bool {
    lines.iter().rev().find_map(|line| rests_behind(line)).unwrap_or(false)
}

fn rests_behind(line: &[u8]) -> Option<bool> {
    let text = json::decode(line);
    let text = json::trim(&text);
    let line: Line<'_> = json::walked(text).filter(|_| json::is_whole(text))?;
    if line.agent_id.text().is_some() {
        return None;
    }
    let data: Data<'_> = line.data.walked();
    Some(match &*line.kind.text()? {
        "session.start" | "session.resume" | "session.error" | "abort" => true,
        "hook.end" if is_stop_of(data.hook) => true,
        "hook.start" | "hook.end" => {
            let hook = data.hook.text()?;
            // No other one says whose turn it is.
            return matches!(&*hook, STOP | PROMPT).then_some(false);
        }
        "assistant.message" => data.calls.json() == Some(NONE),
        "assistant.turn_start"
        | "assistant.turn_retry"
        | "tool.execution_start"
        | "user.message" => false,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::replaced_log;
    use headsup_core::observation::Fact;

    const START: &str = r#"{"type":"session.start","data":{"sessionId":"s-1"}}"#;
    const ASKED: &str = r#"{"type":"user.message","data":{"content":"x"}}"#;
    const STOPPED: &str = r#"{"type":"hook.end","data":{"hookType":"agentStop"}}"#;
    const CHECKPOINT: &str = r#"{"type":"session.usage_checkpoint","data":{}}"#;

    fn said(kind: &str, lines: &[&str]) -> Option<Fact> {
        let lines: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        replaced_log(kind, &lines).and_then(|line| line.fact)
    }

    #[test]
    fn a_log_that_was_replaced_tells_that_a_turn_was_taken_back() {
        let stopped = Some(Fact::MainInterrupted);
        let of_helper = r#"{"type":"tool.execution_start","agentId":"a-1","data":{}}"#;
        for lines in [
            &[START][..],
            &[START, CHECKPOINT],
            &[START, r#"{"type":"hook.end","data":{"hookType":"sessionStart"}}"#],
            &[ASKED, STOPPED, r#"{"type":"hook.end","data":{"hookType":"notification"}}"#],
            &[ASKED, STOPPED],
            &[ASKED, STOPPED, of_helper],
            &[ASKED, r#"{"type":"session.error","data":{}}"#],
            &[ASKED, r#"{"type":"assistant.message","data":{"toolRequests":[]}}"#, CHECKPOINT],
        ] {
            assert_eq!(said("copilot-cli", lines), stopped, "{lines:?}");
        }
        // Its next turn stands there already, or nothing is told.
        for lines in [
            &[CHECKPOINT][..],
            &[],
            &[START, ASKED],
            &[ASKED, STOPPED, r#"{"type":"hook.start","data":{"hookType":"agentStop"}}"#],
            &[
                ASKED,
                r#"{"type":"tool.execution_start","data":{}}"#,
                r#"{"type":"hook.end","data":{"hookType":"postToolUse"}}"#,
            ],
            &[START, r#"{"type":"hook.start","data":{"hookType":"userPromptSubmitted"}}"#],
            &[START, r#"{"type":"hook.end","data":{"hookType":"userPromptSubmitted"}}"#],
            &[ASKED, STOPPED, ASKED, r#"{"type":"assistant.turn_start","data":{}}"#],
            &[ASKED, r#"{"type":"assistant.message","data":{"toolRequests":[{}]}}"#],
        ] {
            assert_eq!(said("copilot-cli", lines), None, "{lines:?}");
        }
        assert_eq!(said("codex", &[START]), None, "it replaces none");
    }
}
