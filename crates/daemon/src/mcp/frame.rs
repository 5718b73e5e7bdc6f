//! Messages that are none: each gets an answer, so that nobody waits for one.

use rmcp::model::{ClientJsonRpcMessage, InitializeRequestParams};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The longest message, in bytes.
pub(crate) const LONGEST: usize = 1 << 20;

/// Why a message is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    TooLong,
    NotJson,
    /// Taken out of the protocol in 2025-06-18.
    Batch,
    NoObject,
    /// An id is a text or a whole number. Without one nobody hears of an error.
    Id,
    /// Another request with this id has no answer yet.
    IdInUse,
    /// `jsonrpc` is not there, or says another version.
    Version,
    /// Whoever wants to begin does not say who it is.
    Initialize,
    NoMessage,
}

/// What must be right before the library reads a message: it takes one with a bad id for a notification,
/// and says nothing to one that is no JSON.
pub(crate) fn check(message: &[u8]) -> Result<(), Bad> {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow, default)]
        id: Option<&'a RawValue>,
        #[serde(borrow, default)]
        jsonrpc: Option<&'a RawValue>,
        #[serde(borrow, default)]
        method: Option<&'a RawValue>,
        #[serde(borrow, default)]
        params: Option<&'a RawValue>,
    }
    if message.len() > LONGEST {
        return Err(Bad::TooLong);
    }
    let whole: &RawValue = serde_json::from_slice(message).map_err(|_| Bad::NotJson)?;
    match whole.get().as_bytes().first() {
        Some(b'[') => return Err(Bad::Batch),
        Some(b'{') => {}
        _ => return Err(Bad::NoObject),
    }
    crate::body::check_depth(message).map_err(|_| Bad::NoMessage)?;
    let raw: Envelope<'_> = serde_json::from_str(whole.get()).map_err(|_| Bad::NoMessage)?;
    // `null` reads as no id, so it is looked for by name.
    let has_good_id = match raw.id {
        Some(id) => is_id(&serde_json::from_str(id.get()).unwrap_or_default()),
        None => !has_null_id(whole),
    };
    let says = |member: Option<&RawValue>, word: &str| {
        member.is_some_and(|member| {
            serde_json::from_str::<String>(member.get()).is_ok_and(|said| said == word)
        })
    };
    if !has_good_id {
        return Err(Bad::Id);
    }
    if !says(raw.jsonrpc, "2.0") {
        return Err(Bad::Version);
    }
    // The library would take it for a method that it does not know.
    if raw.id.is_some() && says(raw.method, "initialize") && !introduces(raw.params) {
        return Err(Bad::Initialize);
    }
    Ok(())
}

fn introduces(params: Option<&RawValue>) -> bool {
    params
        .is_some_and(|params| serde_json::from_str::<InitializeRequestParams>(params.get()).is_ok())
}

/// The same, and that the library will find something in it.
pub(crate) fn check_whole(message: &[u8]) -> Result<(), Bad> {
    check(message)?;
    let read = serde_json::from_slice::<ClientJsonRpcMessage>(message);
    read.map(drop).map_err(|_| Bad::NoMessage)
}

fn has_null_id(whole: &RawValue) -> bool {
    let members: Option<serde_json::Map<String, Value>> = serde_json::from_str(whole.get()).ok();
    members.is_some_and(|members| members.contains_key("id"))
}

fn is_id(id: &Value) -> bool {
    let whole = |number: f64| number.fract() == 0.0;
    id.is_string() || id.is_i64() || id.is_u64() || id.as_f64().is_some_and(whole)
}

/// The id of a message that was not understood, where it has a good one.
pub(crate) fn id(message: &[u8]) -> Value {
    let whole: Option<Value> = serde_json::from_slice(message).ok();
    let id = whole.and_then(|mut whole| whole.get_mut("id").map(Value::take));
    id.filter(is_id).unwrap_or_default()
}

const INITIALIZE: &str = "initialize: params has `protocolVersion`, a text, `capabilities`, an object, and \
                          `clientInfo` with `name` and `version`";

impl Bad {
    /// The answer: a JSON-RPC error.
    pub(crate) fn answer(self, id: &Value) -> Vec<u8> {
        let (code, message) = match self {
            Self::TooLong => (-32_600, format!("the message is longer than {LONGEST} bytes")),
            Self::NotJson => (-32_700, "the message is no JSON".to_owned()),
            Self::Batch => (-32_600, "batches are no part of the protocol".to_owned()),
            Self::NoObject => (-32_600, "a message is a JSON object".to_owned()),
            Self::Id => (-32_600, "an id is a text or a whole number".to_owned()),
            Self::IdInUse => {
                let detail =
                    "has no answer yet, or was cancelled: each request has an id of its own";
                (-32_600, format!("the request with id {id} {detail}"))
            }
            Self::Version => (-32_600, "a message says \"jsonrpc\": \"2.0\"".to_owned()),
            Self::Initialize => (-32_602, INITIALIZE.to_owned()),
            Self::NoMessage => (-32_600, "that is no message of the protocol".to_owned()),
        };
        error(id, code, &message)
    }
}

/// A JSON-RPC error.
pub(crate) fn error(id: &Value, code: i32, message: &str) -> Vec<u8> {
    let error =
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    error.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_known_before_it_is_read() {
        for (message, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Ok(())),
            (r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#, Ok(())),
            (r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, Ok(())),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, Ok(())),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Err(Bad::Id)),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Err(Bad::Id)),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Err(Bad::Id)),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Err(Bad::Batch)),
            (r#"{"id":1,"method":"ping"}"#, Err(Bad::Version)),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, Err(Bad::Version)),
            (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, Err(Bad::Version)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, Err(Bad::Initialize)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#, Err(Bad::Initialize)),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
                Ok(()),
            ),
            ("7", Err(Bad::NoObject)),
            ("{", Err(Bad::NotJson)),
            ("hello", Err(Bad::NotJson)),
            ("", Err(Bad::NotJson)),
        ] {
            assert_eq!(check(message.as_bytes()), expected, "{message}");
        }
        let long = format!(r#"{{"id":1,"a":"{}"}}"#, "x".repeat(LONGEST));
        assert_eq!(check(long.as_bytes()), Err(Bad::TooLong));
        let deep = format!(r#"{{"id":1,"a":{}{}}}"#, "[".repeat(100), "]".repeat(100));
        assert_eq!(check(deep.as_bytes()), Err(Bad::NoMessage));
    }

    #[test]
    fn an_answer_names_the_message_where_it_can() {
        assert_eq!(id(br#"{"id":"a","method":7}"#), json!("a"));
        assert_eq!(id(br#"{"id":{},"method":7}"#), Value::Null);
        assert_eq!(id(b"{"), Value::Null);
        let answer: Value = serde_json::from_slice(&Bad::Batch.answer(&json!(3))).unwrap();
        assert_eq!(answer["error"]["code"], json!(-32_600));
        assert_eq!(answer["id"], json!(3));
    }
}
