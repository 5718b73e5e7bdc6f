//! The headers of reports and acts.

use super::Refused;
use crate::job::Key;
use axum::http::HeaderMap;
use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Refused> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(bad(format!("{name} stands more than once")));
    }
    value.to_str().map(Some).map_err(|_| bad(format!("{name} is not printable ASCII")))
}

fn bad(detail: String) -> Refused {
    Refused::new(400, "bad_header", detail)
}

/// `X-Headsup-Id`: which request this is, however often it is sent.
/// `target` is what it is for.
pub(super) fn key(headers: &HeaderMap, target: &str, body: &[u8]) -> Result<Option<Key>, Refused> {
    let Some(id) = text(headers, "x-headsup-id")? else { return Ok(None) };
    let key = Key::new(id, target, body);
    key.map(Some).ok_or_else(|| bad("X-Headsup-Id is 1 to 128 printable ASCII characters".into()))
}

/// `X-Headsup-Agent`: the seat that the caller says it sits in.
pub(super) fn claimed(headers: &HeaderMap) -> Result<Option<AgentId>, Refused> {
    let Some(id) = text(headers, "x-headsup-agent")? else { return Ok(None) };
    AgentId::new(id).map(Some).map_err(|error| Refused::new(400, "bad_agent_id", error.to_string()))
}

/// `X-Headsup-Context`: where the hook runs.
pub(super) fn context(headers: &HeaderMap) -> Result<Option<&str>, Refused> {
    text(headers, "x-headsup-context")
}

/// `X-Headsup-Spooled-At`: when a report that had to wait was made.
pub(super) fn spooled_at(headers: &HeaderMap) -> Result<Option<UnixMs>, Refused> {
    moment(headers, "X-Headsup-Spooled-At")
}

/// `X-Headsup-Until`: how long the caller waits.
pub(super) fn until(headers: &HeaderMap) -> Result<Option<UnixMs>, Refused> {
    moment(headers, "X-Headsup-Until")
}

fn moment(headers: &HeaderMap, name: &str) -> Result<Option<UnixMs>, Refused> {
    let Some(at) = text(headers, name)? else { return Ok(None) };
    let at = UnixMs::parse(at);
    at.map(Some).ok_or_else(|| bad(format!("{name} is an RFC 3339 time")))
}
