//! The gates of the unix socket.
//!
//! No browser can connect to a unix socket, but a proxy in front of one can be talked into it.

use super::content;
use crate::api::Refused;
use axum::http::header::{HOST, ORIGIN, REFERER};
use axum::http::{HeaderMap, Request};

/// Checks the head of a request.
pub(super) fn check<B>(request: &Request<B>) -> Result<(), Refused> {
    check_host(request)?;
    let headers = request.headers();
    if is_from_a_browser(headers) {
        let detail = "requests that a web page can cause are not served here";
        return Err(Refused::new(403, "browser_refused", detail));
    }
    if content::has_body(headers) {
        content::check(headers)?;
    }
    Ok(())
}

fn check_host<B>(request: &Request<B>) -> Result<(), Refused> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(Refused::new(400, "bad_host", "a request has one Host header"));
    };
    let other =
        request.uri().authority().is_some_and(|authority| authority.as_str() != "localhost");
    if other || host.as_bytes() != b"localhost" {
        let detail = "on this socket the Host is localhost";
        return Err(Refused::new(421, "wrong_host", detail));
    }
    Ok(())
}

fn is_from_a_browser(headers: &HeaderMap) -> bool {
    headers.contains_key(ORIGIN)
        || headers.contains_key(REFERER)
        || headers.keys().any(|name| name.as_str().starts_with("sec-fetch-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(method: &str, headers: &[(&str, &str)]) -> Option<&'static str> {
        let mut request = Request::builder().method(method).uri("/api/v1/agents");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        check(&request.body(()).unwrap()).err().map(|refused| refused.code())
    }

    const LOCAL: (&str, &str) = ("host", "localhost");
    const JSON: (&str, &str) = ("content-type", "application/json");

    #[test]
    fn an_honest_client_passes() {
        assert_eq!(code("GET", &[LOCAL]), None);
        assert_eq!(code("POST", &[LOCAL, JSON]), None);
        assert_eq!(
            code("POST", &[LOCAL, ("content-type", "Application/JSON; charset=utf-8")]),
            None
        );
    }

    #[test]
    fn what_has_no_body_needs_no_type() {
        assert_eq!(code("POST", &[LOCAL]), None);
        assert_eq!(code("POST", &[LOCAL, ("content-length", "0")]), None);
        let form = ("content-type", "application/x-www-form-urlencoded");
        let empty = [LOCAL, form, ("content-length", "0")];
        assert_eq!(code("POST", &empty), Some("unsupported_media_type"));
    }

    #[test]
    fn only_one_host_is_ours() {
        assert_eq!(code("GET", &[]), Some("bad_host"));
        assert_eq!(code("GET", &[LOCAL, LOCAL]), Some("bad_host"));
        for host in [
            "evil.example",
            "localhost.evil",
            "localhost.",
            "localhost:80",
            "127.0.0.1",
            "[::1]",
            "",
        ] {
            assert_eq!(code("GET", &[("host", host)]), Some("wrong_host"), "{host}");
        }
    }

    #[test]
    fn whatever_a_browser_adds_gives_it_away() {
        for (name, value) in [
            ("origin", "null"),
            ("origin", "http://localhost"),
            ("referer", "http://evil.example/"),
            ("sec-fetch-site", "same-origin"),
            ("Sec-Fetch-Mode", "no-cors"),
        ] {
            assert_eq!(code("GET", &[LOCAL, (name, value)]), Some("browser_refused"), "{name}");
            assert_eq!(code("POST", &[LOCAL, JSON, (name, value)]), Some("browser_refused"));
        }
    }

    #[test]
    fn a_form_cannot_send_what_we_take() {
        for value in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
            let found = code("POST", &[LOCAL, ("content-type", value)]);
            assert_eq!(found, Some("unsupported_media_type"), "{value}");
        }
        for unsaid in [("content-length", "9"), ("transfer-encoding", "chunked")] {
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                let found = code(method, &[LOCAL, unsaid]);
                assert_eq!(found, Some("unsupported_media_type"), "{method}");
            }
        }
        let in_chunks = [LOCAL, JSON, ("transfer-encoding", "Chunked")];
        assert_eq!(code("POST", &in_chunks), None);
        for by in [("content-encoding", "gzip"), ("transfer-encoding", "gzip, chunked")] {
            assert_eq!(code("POST", &[LOCAL, JSON, by]), Some("unsupported_encoding"), "{by:?}");
        }
    }
}
