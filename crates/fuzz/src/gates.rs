//! Requests before anything of them is done: where they end, who asks, and from where.

use crate::access::Access;
use crate::serve::{Connected, Origin};
use crate::session::{KEY, Token};
use crate::strict::{self, Framing};
use crate::{address, guard, headers as ours};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, Uri};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead as _, ReadBuf};

const PORT: u16 = 7_717;

/// Where requests end does not depend on the pieces in which they come; behind one whose end is
/// not clear, none is.
pub(crate) fn framing(bytes: &[u8]) {
    let read = |size: usize| {
        let (mut stream, frames) = strict::watch(bytes);
        let mut buffer = vec![0; size];
        let mut context = Context::from_waker(Waker::noop());
        loop {
            let mut read = ReadBuf::new(&mut buffer);
            let ready = Pin::new(&mut stream).poll_read(&mut context, &mut read);
            assert!(matches!(ready, Poll::Ready(Ok(()))), "bytes are always there");
            if read.filled().is_empty() {
                break;
            }
        }
        (0..8).map(|_| frames.next()).collect::<Vec<Framing>>()
    };
    let whole = read(bytes.len().max(1));
    assert_eq!(read(1), whole);
    assert_eq!(read(5), whole);
    let first = whole.iter().position(|framing| *framing == Framing::Unclear);
    let rest = first.map_or(&[][..], |first| &whole[first..]);
    assert!(rest.iter().all(|framing| *framing == Framing::Unclear), "{whole:?}");
}

/// A request line and headers, as a client writes them. `None`: no server would get as far.
fn request(bytes: &[u8]) -> Option<Request<()>> {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let first = str::from_utf8(lines.next()?).ok()?;
    let (method, target) = first.split_once(' ')?;
    let mut request = Request::builder().method(method).uri(target.parse::<Uri>().ok()?);
    for line in lines.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_at(line.iter().position(|byte| *byte == b':')?);
        let value = HeaderValue::from_bytes(value[1..].trim_ascii()).ok()?;
        request = request.header(HeaderName::from_bytes(name).ok()?, value);
    }
    request.body(()).ok()
}

fn all<'a>(headers: &'a HeaderMap, name: &str) -> Vec<&'a [u8]> {
    headers.get_all(name).iter().map(HeaderValue::as_bytes).collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Whoever gets through calls us by our name, comes from no other page, and shows the token or a
/// session; a link alone brings nothing.
pub(crate) fn tcp(bytes: &[u8]) {
    let Some(mut request) = request(bytes) else { return };
    let Ok(at) = format!("127.0.0.1:{PORT}").parse() else { unreachable!("an address") };
    let access = Arc::new(Access(Token(KEY)));
    let Some(cookie) = access.cookie(PORT) else { unreachable!("there is a token") };
    let session = cookie.begin();
    let session = session.split(';').next().unwrap_or_default();
    // A browser of our own user's.
    request.extensions_mut().insert(Connected { origin: Some(Arc::new(Origin(false))) });
    let gates = guard::Gates::new(Arc::clone(&access), &[at], vec!["hub.example.net".into()]);
    if guard::over_tcp(&gates, &request).is_err() {
        return;
    }
    let headers = request.headers();
    let [host] = all(headers, "host")[..] else { panic!("not one Host") };
    let host = host.to_ascii_lowercase();
    let own = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{PORT}"));
    let is_own = own.iter().any(|own| own.as_bytes() == host);
    assert!(is_own || host == b"hub.example.net");
    let origins = all(headers, "origin");
    assert!(origins.len() <= 1 && origins.iter().all(|origin| origin.ends_with(&host)));
    let is_open = request.method() == "GET" && request.uri().path() == guard::OPEN;
    let has_token = all(headers, "authorization").iter().any(|said| holds(said, KEY));
    let has_session = all(headers, "cookie").iter().any(|said| holds(said, session));
    assert!(is_open || has_token || has_session, "nobody knows who this is");
    if request.method() == "POST" {
        assert!(all(headers, "content-encoding").is_empty());
    }
}

/// On the socket nothing gets through that a web page can cause.
pub(crate) fn socket(bytes: &[u8]) {
    let Some(request) = request(bytes) else { return };
    if guard::on_socket(&request).is_ok() {
        let headers = request.headers();
        assert_eq!(all(headers, "host"), [b"localhost"]);
        assert!(all(headers, "origin").is_empty() && all(headers, "referer").is_empty());
        assert!(!headers.keys().any(|name| name.as_str().starts_with("sec-fetch-")));
    }
}

/// The headers of reports: what is taken is what it has to be.
pub(crate) fn headers(bytes: &[u8]) {
    let Some(request) = request(bytes) else { return };
    let headers = request.headers();
    if let Ok(Some(key)) = ours::key(headers, "a", b"{}") {
        assert!((1..=128).contains(&key.id.len()) && key.id.is_ascii());
        assert!(ours::key(headers, "b", b"{}").is_ok_and(|other| other != Some(key)));
    }
    if let Ok(Some(agent)) = ours::claimed(headers) {
        assert_eq!(all(headers, "x-headsup-agent"), [agent.as_str().as_bytes()]);
    }
    if let Ok(Some(at)) = ours::spooled_at(headers) {
        assert_eq!(headsup_core::time::UnixMs::parse(&at.to_string()), Some(at));
    }
    if let Ok(Some(until)) = ours::until(headers) {
        assert_eq!(headsup_core::time::UnixMs::parse(&until.to_string()), Some(until));
    }
    ours::context(headers).ok();
}

/// Addresses to listen on and names to go by are written as they are read.
pub(crate) fn listen(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(at) = address::parse(&text) {
        assert_eq!(address::parse(&at.to_string()), Ok(at));
        assert!(!address::is_local(at) || at.ip().to_canonical().is_loopback());
    }
    if let Ok(name) = address::host_name(&text) {
        assert_eq!(address::host_name(&name).as_ref(), Ok(&name));
        let legal = |b: u8| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b);
        assert!(name.bytes().all(legal) && HeaderValue::from_str(&name).is_ok());
    }
}

/// What a client of the tools takes as an answer.
pub(crate) fn accept(bytes: &[u8]) {
    let Some(request) = request(bytes) else { return };
    crate::mcp::accepted(request.headers());
}
