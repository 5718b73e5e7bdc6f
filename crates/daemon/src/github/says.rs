//! What a host says where it refuses.

use headsup_adapters::text;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Vec<Value>,
}

/// What a refusal says: its message, and what is wrong in particular.
pub(super) fn says(body: &[u8]) -> String {
    let Ok(Said { message, errors }) = serde_json::from_slice(body) else {
        return "it does not say why".to_owned();
    };
    let one = |error: &Value| {
        let said = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        match (error.as_str(), said("message"), said("field"), said("code")) {
            (Some(text), ..) => text.to_owned(),
            (_, "", field, code) => format!("{field} {code}").trim().to_owned(),
            (_, message, ..) => message.to_owned(),
        }
    };
    let more: Vec<String> =
        errors.iter().take(5).map(one).filter(|said| !said.is_empty()).collect();
    let said = match more.as_slice() {
        [] => message,
        more => format!("{message} ({})", more.join("; ")),
    };
    text::line(&said, text::DETAIL)
}

pub(super) fn speaks_of_a_limit(says: &str) -> bool {
    let says = says.to_lowercase();
    says.contains("rate limit") || says.contains("abuse detection")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_in_its_own_words_without_what_could_harm_a_terminal() {
        let said = |body: &str| says(body.as_bytes());
        assert_eq!(said(r#"{"message":"Not Found"}"#), "Not Found");
        let body = r#"{"message":"Validation Failed","errors":[{"resource":"PullRequest","field":"head","code":"invalid"},{"message":"No commits between main and work"},"x"]}"#;
        assert_eq!(
            said(body),
            "Validation Failed (head invalid; No commits between main and work; x)"
        );
        assert_eq!(said("<html>"), "it does not say why");
        assert!(!said(r#"{"message":"a\u001b[31mb"}"#).contains('\u{1b}'));
    }
}
