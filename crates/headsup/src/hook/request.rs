//! The request's head, and the small values in it.

use crate::place::{HTTP, HTTPS, Url};
use headsup_core::id::AgentId;
use headsup_core::spool::Report;
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

/// An id that no other report of any process has: time, pid, and what the system's random source
/// gave this process.
pub(super) fn unique_id() -> String {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (time, pid) = (since_epoch.as_nanos(), std::process::id());
    format!("{time:016x}{pid:08x}{:016x}", RandomState::new().hash_one(time))
}

/// The seat the hook runs in, if the environment names one legally.
pub(super) fn agent_id() -> Option<String> {
    let name = ["HEADSUP_AGENT_ID", "PANOPTICON_AGENT_ID"].into_iter().find_map(set)?;
    AgentId::new(name).ok().map(String::from)
}

/// The variable's value where it can stand in a header.
pub(super) fn header_value(name: &str) -> Option<String> {
    set(name).filter(|value| value.len() <= 4096 && value.bytes().all(|b| b.is_ascii_graphic()))
}

fn set(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Everything up to the body. `token` is the bearer for TCP; a unix socket checks the peer.
pub(super) fn head(url: &Url, report: &Report, token: Option<&str>) -> String {
    let mut head = String::with_capacity(1536);
    head.push_str("POST /api/v1/hooks/");
    push_encoded(&mut head, &report.kind);
    if let Some(event) = &report.event {
        head.push_str("?event=");
        push_encoded(&mut head, event);
    }
    head.push_str(" HTTP/1.1\r\nHost: ");
    match url {
        Url::Http(authority) => head.push_str(&authority.as_host(HTTP)),
        Url::Https(authority) => head.push_str(&authority.as_host(HTTPS)),
        Url::Unix(_) | Url::Other(_) => head.push_str("localhost"),
    }
    head.push_str("\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ");
    write!(head, "{}", report.body.len()).ok();
    let bearer = token.map(|token| format!("Bearer {token}"));
    let headers = [
        ("X-Headsup-Id", Some(&report.id)),
        ("X-Headsup-Agent", report.agent.as_ref()),
        ("X-Headsup-Agent-Token", report.agent_token.as_ref()),
        ("X-Headsup-Context", report.context.as_ref()),
        ("Authorization", bearer.as_ref()),
    ];
    for (name, value) in headers {
        if let Some(value) = value {
            for part in ["\r\n", name, ": ", value] {
                head.push_str(part);
            }
        }
    }
    head.push_str("\r\n\r\n");
    head
}

fn push_encoded(out: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(byte.into());
            }
            _ => {
                write!(out, "%{byte:02X}").ok();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Authority;

    #[test]
    fn odd_words_cannot_leave_the_request_line() {
        let report = Report {
            kind: "acp:x y/\r\nHost: evil".into(),
            event: Some("é&a=b#".into()),
            id: "1".into(),
            body: b"{}".to_vec(),
            ..Report::default()
        };
        let head = head(&Url::Unix("/s".into()), &report, None);
        assert_eq!(
            head,
            "POST /api/v1/hooks/acp%3Ax%20y%2F%0D%0AHost%3A%20evil?event=%C3%A9%26a%3Db%23 HTTP/1.1\r\n\
             Host: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n\
             Content-Length: 2\r\nX-Headsup-Id: 1\r\n\r\n"
        );
    }

    #[test]
    fn over_tcp_the_host_is_named_and_the_token_sent() {
        let report = Report { kind: "amp".into(), id: "1".into(), ..Report::default() };
        let url = Url::Http(Authority { host: "::1".into(), port: 7717 });
        let head = head(&url, &report, Some("t0ken"));
        assert!(head.starts_with("POST /api/v1/hooks/amp HTTP/1.1\r\nHost: [::1]:7717\r\n"));
        assert!(head.contains("\r\nAuthorization: Bearer t0ken\r\n"));
    }

    #[test]
    fn ids_differ_and_fit_a_header() {
        let (one, other) = (unique_id(), unique_id());
        assert_ne!(one, other);
        assert!((1..=128).contains(&one.len()) && one.bytes().all(|b| b.is_ascii_graphic()));
    }
}
