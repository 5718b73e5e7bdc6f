//! What trackers send by themselves, with the same places inside.

#[path = "../../daemon/src/webhooks/kanbanger.rs"]
pub(crate) mod kanbanger;
#[path = "../../daemon/src/webhooks/signature.rs"]
mod signature;

use axum::http::{HeaderMap, HeaderValue};
use headsup_adapters::text;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;

/// One that everybody knows.
pub(crate) struct SharedSecret(&'static str);

impl SharedSecret {
    fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

const SECRET: SharedSecret = SharedSecret(crate::session::KEY);

const HEADER: &str = "x-signature";

/// A signature in front of a zero byte, and behind it a body. Nothing is believed but the signature of the very bytes,
/// and that is.
pub(crate) fn signed(bytes: &[u8]) {
    let (said, body) = match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, bytes),
    };
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(SECRET.bytes()) else {
        unreachable!("a key of any length will do")
    };
    mac.update(body);
    let digits = mac.finalize().into_bytes();
    let digits: Vec<String> = digits.iter().map(|byte| format!("{byte:02x}")).collect();
    let real = digits.concat();
    let is_believed = |said: &[u8], body: &[u8]| {
        let Ok(value) = HeaderValue::from_bytes(said) else { return false };
        let checked =
            signature::check(&SECRET, &HeaderMap::from_iter([(name(), value)]), HEADER, body);
        assert!(checked.is_ok() || checked.is_err_and(|why| !why.word().is_empty()));
        checked.is_ok()
    };
    let plain = said.strip_prefix(b"sha256=").unwrap_or(said);
    assert_eq!(is_believed(said, body), plain == real.as_bytes());
    assert!(is_believed(real.as_bytes(), body));
    assert!(is_believed(format!("sha256={real}").as_bytes(), body));
    assert!(!is_believed(real.as_bytes(), &[body, b"x"].concat()));
    assert!(
        !is_believed(real.to_ascii_uppercase().as_bytes(), body)
            || !real.contains(char::is_alphabetic)
    );
}

fn name() -> axum::http::HeaderName {
    axum::http::HeaderName::from_static(HEADER)
}

/// A delivery: what names something can be seen and is short; written by another hand it says the same.
pub(crate) fn delivery(bytes: &[u8]) {
    let Ok(read) = kanbanger::read(bytes) else { return };
    let kanbanger::Delivery { action, sent_at, task, comment } = read;
    let is_name = |text: &str| text.chars().count() <= 200 && !text.chars().any(char::is_control);
    assert!(is_name(&action) && is_name(&task.id) && is_name(&task.identifier), "{task:?}");
    assert!(is_name(&task.title) && task.title.chars().count() <= text::TITLE);
    assert!(task.provider == kanbanger::NAME && !task.digest.is_empty());
    if let Some(kanbanger::Comment { id, author, thread, .. }) = &comment {
        assert!([id, author].into_iter().chain(thread).all(|text| is_name(text)), "{comment:?}");
    }
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let again = kanbanger::read(value.to_string().as_bytes());
    let Ok(again) = again else { panic!("{value} is no delivery any more") };
    assert_eq!((again.action, again.sent_at), (action, sent_at));
    let said =
        |of: kanbanger::Comment| (of.id, of.author, of.body, of.is_bot, of.created_at, of.thread);
    assert_eq!(again.comment.map(said), comment.map(said));
    assert_eq!((again.task.id, again.task.status), (task.id, task.status));
    assert_eq!(again.task.version, task.version);
}
