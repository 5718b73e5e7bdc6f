//! What the hub's answers mean to a command.

use crate::error::{CommandError, Kind};
use bytes::Bytes;
use headsup_core::wire::Problem;
use hyper::StatusCode;
use serde::Deserialize;

/// The body of a good answer, or the error that a bad one is.
pub(crate) fn check(status: StatusCode, path: &str, body: Bytes) -> Result<Bytes, CommandError> {
    if status.is_success() {
        return Ok(body);
    }
    let kind = kind(status);
    let Ok(problem) = serde_json::from_slice::<Problem>(&body) else {
        let retryable = status.is_server_error();
        let error = CommandError::new(kind, format!("the hub answered {status} to {path}"));
        return Err(CommandError { retryable, ..error });
    };
    let retryable = problem.retryable;
    let hint = of_stage(&problem).or_else(|| ours(&problem.code).map(str::to_owned));
    let hint = hint.or(problem.hint);
    let hints = hint.into_iter().collect();
    let (code, message) = (problem.code, problem.detail);
    // What was typed was none of what there is.
    let kind = if code == "invalid_option" { Kind::Usage } else { kind };
    Err(CommandError { kind, code, message, hints, retryable })
}

/// What to type next, where the hub would name a path of its own.
fn ours(code: &str) -> Option<&'static str> {
    Some(match code {
        "no_such_agent" => "see them all: `headsup ls --all`",
        "no_such_prompt" => "see what waits: `headsup inbox`",
        "no_such_task" => "see them: `headsup task ls`",
        "no_such_pr" => "see them: `headsup pr ls`",
        "no_such_effect" => "see them: `headsup outbox`",
        "no_task" => "link one first: `headsup task link`",
        "storage_full" => {
            "make room on the disk that HEADSUP_HOME is on, and run the command again"
        }
        _ => return None,
    })
}

/// The hub names what an agent's tools are called.
fn of_stage(problem: &Problem) -> Option<String> {
    match (problem.code.as_str(), &problem.prompt_id, problem.from.as_deref()) {
        ("open_question" | "illegal_stage", Some(id), _) => Some(format!(
            "wait for the answer: `headsup prompt wait {id}`; or take the question back: `headsup prompt cancel {id}`"
        )),
        ("illegal_stage", None, Some("completed")) => Some(
            "this work is over: the agent's next prompt, start or task (`headsup task link`) begins a new workflow by itself"
                .to_owned(),
        ),
        ("illegal_stage", None, Some("failed" | "cancelled")) => Some(
            "this work is over: the agent's next prompt or start begins a new workflow by itself"
                .to_owned(),
        ),
        _ => None,
    }
}

fn kind(status: StatusCode) -> Kind {
    match status.as_u16() {
        400 => Kind::Usage,
        401 => Kind::HubUnreachable,
        403 | 409 | 413 | 422 => Kind::Refused,
        404 => Kind::NotFound,
        _ => Kind::Internal,
    }
}

/// Reads the document at `path`.
pub(crate) fn doc<'a, T: Deserialize<'a>>(path: &str, body: &'a [u8]) -> Result<T, CommandError> {
    // Looked at as text once, and not string by string.
    serde_json::from_str(text(path, body)?).map_err(|error| unreadable(path, &error.to_string()))
}

/// The document at `path` as text.
pub(crate) fn text<'a>(path: &str, body: &'a [u8]) -> Result<&'a str, CommandError> {
    std::str::from_utf8(body).map_err(|error| unreadable(path, &error.to_string()))
}

fn unreadable(path: &str, why: &str) -> CommandError {
    CommandError::internal(format!("cannot read the hub's answer to {path}: {why}"))
        .hint("the hub may be of another version: `headsup down`, then `headsup up`")
}

/// `text` as it may stand in a query.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            for digit in [byte >> 4, byte & 15] {
                out.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
            }
            let at = out.len() - 2;
            out.insert(at, '%');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_that_cannot_be_is_told_in_commands() {
        let told = |from: &str, prompt: Option<&str>| {
            let mut problem = Problem::new(409, "illegal_stage", "no").hint("call wait_for_input");
            problem.from = Some(from.to_owned());
            problem.prompt_id = prompt.map(str::to_owned);
            let body = Bytes::from(serde_json::to_vec(&problem).unwrap());
            check(StatusCode::CONFLICT, "/x", body).unwrap_err().hints.concat()
        };
        assert!(told("awaiting_input", Some("api-p1")).contains("`headsup prompt cancel api-p1`"));
        assert!(told("completed", None).contains("`headsup task link`"));
        for hint in [told("completed", None), told("failed", None), told("blocked", Some("p"))] {
            assert!(!hint.contains("wait_for_input") && !hint.contains("link_task"), "{hint}");
        }
    }

    #[test]
    fn a_status_has_its_exit_code_and_the_hubs_code_is_kept() {
        let table =
            [(400, 2), (401, 5), (404, 4), (403, 7), (409, 7), (422, 7), (503, 1), (507, 1)];
        for (status, exit) in table {
            let problem = Problem::new(status, "some_code", "what was wrong").hint("do this");
            let body = Bytes::from(serde_json::to_vec(&problem).unwrap());
            let status = StatusCode::from_u16(status).unwrap();
            let error = check(status, "/x", body).unwrap_err();
            assert_eq!(error.kind.exit_code(), exit, "{status}");
            assert_eq!(
                (error.code.as_str(), error.message.as_str()),
                ("some_code", "what was wrong")
            );
            assert_eq!(error.hints, ["do this"]);
            assert_eq!(error.retryable, exit == 1);
        }
    }

    #[test]
    fn a_command_is_told_of_commands_and_not_of_paths() {
        for code in ["no_such_prompt", "no_such_effect", "no_such_task", "no_such_pr", "no_task"] {
            let problem = Problem::new(404, code, "none").hint("GET /api/v1/all lists them");
            let body = Bytes::from(serde_json::to_vec(&problem).unwrap());
            let error = check(StatusCode::NOT_FOUND, "/x", body).unwrap_err();
            assert!(error.hints[0].contains("`headsup "), "{code}: {:?}", error.hints);
        }
    }

    #[test]
    fn an_answer_without_a_problem_is_still_an_error() {
        let error = check(StatusCode::BAD_GATEWAY, "/x", Bytes::from("<html>")).unwrap_err();
        assert_eq!((error.kind, error.retryable), (Kind::Internal, true));
    }

    #[test]
    fn a_query_value_is_encoded() {
        assert_eq!(encode("api-2"), "api-2");
        assert_eq!(encode("a b&c=ü%"), "a%20b%26c%3D%C3%BC%25");
    }
}
