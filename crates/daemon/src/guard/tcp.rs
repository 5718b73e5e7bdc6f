//! The five gates of TCP. Each stops an attack that the others let pass:
//!
//! 1. `Host`: a page whose name was rebound to our address reads us as its own origin, and its
//!    browser says nothing else about it.
//! 2. `Origin`: web sockets, event streams and posts of other pages tell theirs.
//! 3. `Sec-Fetch-Site`: images and links of other pages tell no origin.
//! 4. Method and content type: a form can post without asking first, but no JSON.
//! 5. Token or session: whatever is left, another user of this machine for one.

use super::content;
use crate::access::{Access, Cookie};
use crate::api::Refused;
use crate::serve::Connected;
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, COOKIE, HOST, HeaderName, ORIGIN, REFERRER_POLICY, UPGRADE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, Request};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, PoisonError, RwLock};

const SEC_FETCH_SITE: &str = "sec-fetch-site";
/// What is looked at at all. Which of them a path takes is told by whoever knows paths, to whoever was let in.
const METHODS: &str = "GET,HEAD,POST,PUT,PATCH,DELETE";
/// Where a browser brings its one-time code, and cannot have anything else yet.
pub(crate) const OPEN: &str = "/open";
/// What has a secret of its own, which its handler looks at: other systems call these, and have no token.
const OWN_SECRET: [(Method, &str); 2] =
    [(Method::POST, "/api/webhooks/kanbanger"), (Method::GET, "/api/cron/awaiting-input-expiry")];

pub(crate) struct Gates {
    access: Arc<Access>,
    port: u16,
    /// Our own names, with the port.
    own: Vec<String>,
    /// Names that a proxy before us has, as the settings allow them.
    further: RwLock<Vec<String>>,
}

impl Gates {
    /// For a listener on these addresses, all of one port.
    pub(crate) fn new(access: Arc<Access>, addresses: &[SocketAddr], further: Vec<String>) -> Self {
        let port = addresses.first().map_or(0, SocketAddr::port);
        let mut own = Vec::new();
        let named = addresses.iter().map(SocketAddr::ip).filter(|ip| !ip.is_unspecified());
        let literals = named.map(|ip| match ip {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        });
        let local = ["127.0.0.1", "localhost", "[::1]"].map(str::to_owned);
        for name in literals.chain(local) {
            own.push(format!("{name}:{port}"));
            // The port of the scheme is left out.
            own.extend((port == 80).then_some(name));
        }
        Self { access, port, own, further: RwLock::new(further) }
    }

    pub(crate) fn allow(&self, further: Vec<String>) {
        *self.further.write().unwrap_or_else(PoisonError::into_inner) = further;
    }

    pub(crate) fn allowed(&self) -> Vec<String> {
        self.further.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Every name by which this listener may be called.
    pub(crate) fn names(&self) -> Vec<String> {
        self.own.iter().cloned().chain(self.allowed()).collect()
    }

    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<(), Refused> {
        let headers = request.headers();
        let host = self.check_host(request)?;
        check_origin(headers, &host)?;
        check_site(headers)?;
        check_content(request.method(), headers)?;
        self.check_caller(request, &host)
    }

    fn check_host<B>(&self, request: &Request<B>) -> Result<Host, Refused> {
        let Some(host) = only(request.headers(), HOST)? else {
            return Err(Refused::new(400, "bad_host", "a request has one Host header"));
        };
        // Names of hosts are the same in capitals.
        let host = host.to_ascii_lowercase();
        let is = |name: &str| name.eq_ignore_ascii_case(&host);
        let differs = request.uri().authority().is_some_and(|other| !is(other.as_str()));
        let is_own = self.is_own(&host);
        let further = self.further.read().unwrap_or_else(PoisonError::into_inner);
        if differs || !(is_own || further.iter().any(|name| is(name))) {
            return Err(Refused::new(421, "wrong_host", "this hub does not go by that name").hint(
                "use the address it printed, or allow a name: `headsup up --allow-host NAME`",
            ));
        }
        Ok(Host { name: host, is_own })
    }

    /// The token, or a session.
    fn check_caller<B>(&self, request: &Request<B>, host: &Host) -> Result<(), Refused> {
        let headers = request.headers();
        if request.method() == Method::GET && request.uri().path() == OPEN {
            return check_user(request, host);
        }
        let (method, path) = (request.method(), request.uri().path());
        if OWN_SECRET.iter().any(|own| own.0 == method && own.1 == path) {
            return Ok(());
        }
        if headers.contains_key(AUTHORIZATION) {
            let said = only(headers, AUTHORIZATION)?.and_then(bearer);
            let good = said.is_some_and(|said| self.access.is_token(said.as_bytes()));
            return match said {
                _ if good => Ok(()),
                Some(said) if self.access.is_an_agents(said) => Err(agents_token()),
                _ => Err(wrong_token()),
            };
        }
        if !self.has_session(headers) {
            return Err(Refused::new(401, "token_missing", "over TCP a caller shows who it is").hint(
                "send `Authorization: Bearer TOKEN` (HEADSUP_TOKEN), which is in the file `token` of \
                 HEADSUP_HOME; a browser comes in by `headsup open`",
            ));
        }
        check_user(request, host)?;
        // A cookie comes by itself: what does something must also come from our own page.
        let acts = !matches!(*request.method(), Method::GET | Method::HEAD)
            || headers.contains_key(UPGRADE);
        let from_us = headers.contains_key(ORIGIN)
            || headers.get(SEC_FETCH_SITE).is_some_and(|site| site == "same-origin");
        if acts && !from_us {
            let detail = "with a session only the hub's own page can do this";
            return Err(Refused::new(403, "origin_missing", detail));
        }
        Ok(())
    }

    /// The `Set-Cookie` of a new session, for whoever calls us by this Host.
    pub(crate) fn begin_session(&self, headers: &HeaderMap) -> String {
        // There is a token wherever the hub is on TCP.
        self.cookie(headers).map(|cookie| cookie.begin()).unwrap_or_default()
    }

    pub(crate) fn has_session(&self, headers: &HeaderMap) -> bool {
        let Some(cookie) = self.cookie(headers) else { return false };
        let mut values = headers.get_all(COOKIE).iter();
        values.any(|value| value.to_str().is_ok_and(|value| cookie.is_in(value)))
    }

    /// The cookie of those who call us by this Host, which has been checked.
    fn cookie(&self, headers: &HeaderMap) -> Option<Cookie<'_>> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_own = self.is_own(host);
        Some(self.access.cookie(self.port)?.behind_a_proxy(!is_own))
    }

    fn is_own(&self, host: &str) -> bool {
        self.own.iter().any(|own| own.eq_ignore_ascii_case(host))
    }
}

/// A Host that is ours.
struct Host {
    /// In small letters, as browsers write it in an origin.
    name: String,
    is_own: bool,
}

/// A link stands on the command line of the browser that opens it, and a session goes to every port
/// of this machine that the browser visits: neither is worth anything to another user here. A proxy
/// before us may be one, so a session that began without it is worth nothing there ([`Gates::cookie`]).
fn check_user<B>(request: &Request<B>, host: &Host) -> Result<(), Refused> {
    let origin = request.extensions().get::<Connected>().and_then(|of| of.origin.as_ref());
    if host.is_own && origin.is_some_and(|origin| origin.is_another_users()) {
        return Err(Refused::new(403, "foreign_user", "another user's browser is not let in"));
    }
    Ok(())
}

fn check_origin(headers: &HeaderMap, host: &Host) -> Result<(), Refused> {
    let Some(origin) = only(headers, ORIGIN)? else { return Ok(()) };
    let (scheme, name) = origin.split_once("://").unwrap_or_default();
    // Only what stands before us can speak TLS.
    let is_scheme = scheme == "http" || (scheme == "https" && !host.is_own);
    if is_scheme && name == host.name {
        return Ok(());
    }
    Err(Refused::new(403, "foreign_origin", "another page's requests are not served"))
}

fn check_site(headers: &HeaderMap) -> Result<(), Refused> {
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    if sites.all(|site| site == "same-origin" || site == "none") {
        return Ok(());
    }
    Err(Refused::new(403, "foreign_site", "what another page causes or links to is not served")
        .hint("type the address, or run `headsup open`"))
}

fn check_content(method: &Method, headers: &HeaderMap) -> Result<(), Refused> {
    match *method {
        Method::PUT | Method::PATCH => content::check(headers),
        Method::GET | Method::HEAD | Method::POST | Method::DELETE => {
            if content::has_body(headers) { content::check(headers) } else { Ok(()) }
        }
        // No other page is ever allowed anything, so there is nothing to ask before.
        _ => Err(Refused::wrong_method(METHODS, "this method is not served")),
    }
}

/// The one value of a header. One that stands twice is read differently by others.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Refused> {
    let mut values = headers.get_all(&name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let bad = |what: &str| Refused::new(400, "bad_header", format!("{name} {what}"));
    if values.next().is_some() {
        return Err(bad("stands more than once"));
    }
    value.to_str().map(Some).map_err(|_| bad("is not printable ASCII"))
}

/// The token of a bearer; the scheme is in any case (RFC 9110 section 11.1).
pub(crate) fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

fn wrong_token() -> Refused {
    Refused::new(401, "token_wrong", "that is not the token of this hub")
        .hint("it is in the file `token` of HEADSUP_HOME; clients take it from HEADSUP_TOKEN")
}

fn agents_token() -> Refused {
    let detail = "that is an agent's own token, which says who calls and lets nobody in";
    Refused::new(401, "token_wrong", detail).hint(
        "send it as `X-Headsup-Agent-Token: TOKEN`, beside the hub's token in `Authorization`; on the hub's own machine \
         the unix socket needs none",
    )
}

/// No answer of ours is kept, guessed at, framed, embedded or told to anybody else. A page may say
/// more for itself.
pub(super) fn protect(headers: &mut HeaderMap) {
    const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
    let always = [
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (RESOURCE_POLICY, "same-origin"),
        (X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in always {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

#[cfg(test)]
#[path = "tcp/tests.rs"]
mod tests;
