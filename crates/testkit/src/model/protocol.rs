//! The four protocols that agents speak to a model, and what differs between them.
//!
//! | protocol | route | spoken by |
//! |---|---|---|
//! | Anthropic Messages | `/v1/messages` | Claude Code |
//! | `OpenAI` Responses | `/v1/responses` | Codex |
//! | `OpenAI` chat completions | `/v1/chat/completions` | OpenCode, Qwen Code, Copilot CLI |
//! | Gemini | `/v1beta/models/NAME:generateContent`, `:streamGenerateContent` | Gemini CLI |

use super::chat::Chat;
use super::gemini::Gemini;
use super::reply::Reply;
use super::request::Request;
use super::responses::Responses;
use super::stream::{self, Step};
use super::wire;
use serde_json::{Value, json};

/// What a request is written in, and its answer with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Messages,
    Responses,
    Chat,
    Gemini,
}

impl Protocol {
    /// By where the request goes; `None` if it asks no model.
    pub(super) fn of(route: &str) -> Option<Self> {
        match route {
            "/v1/messages" => Some(Self::Messages),
            "/v1/responses" => Some(Self::Responses),
            "/v1/chat/completions" => Some(Self::Chat),
            _ if route.ends_with(":generateContent") => Some(Self::Gemini),
            _ if route.ends_with(":streamGenerateContent") => Some(Self::Gemini),
            _ => None,
        }
    }

    /// The answer, piece by piece.
    pub(super) fn steps(self, reply: &Reply, request: &Request) -> Vec<Step> {
        match self {
            Self::Messages => stream::steps(reply, request),
            Self::Responses => wire::steps(Responses::new(), reply, request),
            Self::Chat => wire::steps(Chat::new(request), reply, request),
            Self::Gemini => wire::steps(Gemini::new(request), reply, request),
        }
    }

    /// The answer to a request that wants it whole.
    pub(super) fn document(self, reply: &Reply, request: &Request) -> Value {
        match self {
            Self::Messages => stream::document(reply, request),
            Self::Responses => wire::document(Responses::new(), reply, request),
            Self::Chat => wire::document(Chat::new(request), reply, request),
            Self::Gemini => wire::document(Gemini::new(request), reply, request),
        }
    }

    /// The document of a failure. `kind` is Anthropic's word for it, where the script gives one.
    pub(super) fn failure(self, status: u16, kind: Option<&str>, message: &str) -> Value {
        match self {
            Self::Messages => {
                stream::failure(kind.unwrap_or_else(|| stream::failure_kind(status)), message)
            }
            Self::Responses | Self::Chat => {
                json!({"error": openai(kind.unwrap_or_else(|| openai_kind(status)), message)})
            }
            Self::Gemini => {
                let word = kind.unwrap_or_else(|| gemini_kind(status));
                json!({"error": {"code": status, "message": message, "status": word}})
            }
        }
    }
}

/// `OpenAI`'s error object.
pub(super) fn openai(kind: &str, message: &str) -> Value {
    json!({"message": message, "type": kind, "param": null, "code": kind})
}

/// `OpenAI` API documentation, "Error codes".
fn openai_kind(status: u16) -> &'static str {
    match status {
        401 => "invalid_api_key",
        403 => "permission_denied",
        404 => "not_found",
        429 => "rate_limit_exceeded",
        400..=499 => "invalid_request_error",
        _ => "server_error",
    }
}

/// Google API design, `google.rpc.Code`.
fn gemini_kind(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        400..=499 => "INVALID_ARGUMENT",
        503 => "UNAVAILABLE",
        _ => "INTERNAL",
    }
}
