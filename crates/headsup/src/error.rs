//! What a command ends with when it does not end well: one error at the edge.

use serde::{Serialize, Serializer};
use std::process::ExitCode;

/// Why a command ended; each kind has its own exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whoever read our output has left. Nothing is wrong and nobody is there to be told.
    OutputClosed,
    /// An agent that was run here has ended like this. It has said itself what there was to say.
    Agent(u8),
    Internal,
    Usage,
    TimedOut,
    NotFound,
    HubUnreachable,
    Ambiguous,
    Refused,
    /// The target ended before the condition could be met.
    TargetEnded,
}

impl Kind {
    /// The documented exit code.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::OutputClosed => 0,
            Self::Agent(code) => code,
            Self::Internal => 1,
            Self::Usage => 2,
            Self::TimedOut => 3,
            Self::NotFound => 4,
            Self::HubUnreachable => 5,
            Self::Ambiguous => 6,
            Self::Refused => 7,
            Self::TargetEnded => 8,
        }
    }

    /// The stable word of an error that has no more special one.
    fn code(self) -> &'static str {
        match self {
            Self::OutputClosed => "output_closed",
            Self::Agent(_) => "agent_ended",
            Self::Internal => "internal",
            Self::Usage => "usage",
            Self::TimedOut => "timed_out",
            Self::NotFound => "not_found",
            Self::HubUnreachable => "hub_unreachable",
            Self::Ambiguous => "ambiguous",
            Self::Refused => "refused",
            Self::TargetEnded => "target_ended",
        }
    }
}

/// An error as a person or a script gets it: what was being done, what went wrong, what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct CommandError {
    pub(crate) kind: Kind,
    /// Stable; the hub's own where the hub refused.
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) hints: Vec<String>,
    /// The same command may succeed when it is simply run again.
    pub(crate) retryable: bool,
}

impl CommandError {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        let retryable = matches!(kind, Kind::HubUnreachable | Kind::TimedOut);
        let code = kind.code().to_owned();
        Self { kind, code, message: message.into(), hints: Vec::new(), retryable }
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(Kind::Internal, message)
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    #[must_use]
    pub(crate) fn code(mut self, code: impl Into<String>) -> Self {
        self.code = code.into();
        self
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.kind.exit_code())
    }

    /// The error as `--json` prints it.
    pub(crate) fn to_doc(&self) -> ErrorDoc<'_> {
        ErrorDoc { schema: headsup_core::wire::SCHEMA, error: self }
    }
}

/// As it stands in a document, also in one that tells of several things.
impl Serialize for CommandError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let hint = (!self.hints.is_empty()).then(|| self.hints.join("; "));
        let (code, message, retryable) = (&self.code, &self.message, self.retryable);
        ErrorBody { code, message, hint, retryable }.serialize(serializer)
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct ErrorDoc<'a> {
    schema: u32,
    error: &'a CommandError,
}

#[derive(Debug, Serialize)]
struct ErrorBody<'a> {
    code: &'a str,
    message: &'a str,
    hint: Option<String>,
    retryable: bool,
}

/// What is amiss although a command has done what it should.
#[derive(Debug, Serialize)]
pub(crate) struct Warning {
    /// Stable.
    pub(crate) code: &'static str,
    pub(crate) message: &'static str,
    pub(crate) hint: &'static str,
}

/// A warning as `--json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct WarningDoc<'a> {
    schema: u32,
    warning: &'a Warning,
}

impl Warning {
    pub(crate) fn to_doc(&self) -> WarningDoc<'_> {
        WarningDoc { schema: headsup_core::wire::SCHEMA, warning: self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_the_exit_code_of_the_contract() {
        let table = [
            (Kind::OutputClosed, 0),
            (Kind::Agent(9), 9),
            (Kind::Internal, 1),
            (Kind::Usage, 2),
            (Kind::TimedOut, 3),
            (Kind::NotFound, 4),
            (Kind::HubUnreachable, 5),
            (Kind::Ambiguous, 6),
            (Kind::Refused, 7),
            (Kind::TargetEnded, 8),
        ];
        for (kind, code) in table {
            assert_eq!(kind.exit_code(), code, "{kind:?}");
        }
    }

    #[test]
    fn the_json_form_carries_code_message_hint_and_retryable() {
        let error = CommandError::new(Kind::NotFound, "no agent is called \"x\"").hint("look");
        insta::assert_json_snapshot!(error.to_doc(), @r#"
        {
          "schema": 1,
          "error": {
            "code": "not_found",
            "message": "no agent is called \"x\"",
            "hint": "look",
            "retryable": false
          }
        }
        "#);
    }
}
