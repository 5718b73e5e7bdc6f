//! What a body may be: JSON as it is. A web form cannot send that.

use crate::api::Refused;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::{HeaderMap, HeaderValue};

/// Where there is none it needs no type either. A web form always says one.
pub(super) fn has_body(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0")
        || headers.contains_key(TRANSFER_ENCODING)
        || headers.contains_key(CONTENT_TYPE)
}

pub(super) fn check(headers: &HeaderMap) -> Result<(), Refused> {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let only = types.next().filter(|_| types.next().is_none());
    let media_type = only.and_then(|value| value.to_str().ok()?.split(';').next());
    if !media_type.is_some_and(|is| is.trim().eq_ignore_ascii_case("application/json")) {
        let detail = "the body is sent as application/json";
        return Err(Refused::new(415, "unsupported_media_type", detail));
    }
    // `gzip, chunked` packs it as well.
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter().map(HeaderValue::as_bytes);
    let is_packed = codings.any(|coding| !coding.trim_ascii().eq_ignore_ascii_case(b"chunked"));
    if is_packed || headers.contains_key(CONTENT_ENCODING) {
        return Err(Refused::new(415, "unsupported_encoding", "the body is sent as it is"));
    }
    Ok(())
}
