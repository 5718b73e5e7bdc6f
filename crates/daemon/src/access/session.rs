//! Sessions of browsers: a cookie that carries its own end, signed under the token.
//!
//! Nothing is stored, so a session outlives the hub that gave it; another token ends them all.

use super::token::Token;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use headsup_core::time::UnixMs;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use std::time::Duration;

/// How long a session is good.
const LIFE: Duration = Duration::from_secs(7 * 24 * 3_600);

/// The cookie of one port. Browsers keep cookies by host name alone, hubs are apart by port.
pub(crate) struct Cookie<'a> {
    token: &'a Token,
    port: u16,
    now: UnixMs,
    /// For browsers that come by a name of a proxy before us, and not by one of our own.
    behind_a_proxy: bool,
}

impl<'a> Cookie<'a> {
    pub(super) fn new(token: &'a Token, port: u16, now: UnixMs) -> Self {
        Self { token, port, now, behind_a_proxy: false }
    }

    /// The same for browsers that come through a proxy, or do not. One is never good for the other: what
    /// another user's server on this machine has been sent by a browser would let that user in by the
    /// proxy's name, where nobody can tell whose browser it is.
    pub(crate) fn behind_a_proxy(self, behind_a_proxy: bool) -> Self {
        Self { behind_a_proxy, ..self }
    }

    fn name(&self) -> String {
        // Both may be reached at one address, by two ports.
        let end = if self.behind_a_proxy { "_proxy" } else { "" };
        format!("headsup_{}{end}", self.port)
    }

    /// The value of a `Set-Cookie` that begins a session.
    pub(crate) fn begin(&self) -> String {
        let seconds = LIFE.as_secs();
        let ends = self.now_s().saturating_add(seconds);
        let tag = URL_SAFE_NO_PAD.encode(self.mac(ends).finalize().into_bytes());
        let name = self.name();
        format!("{name}={ends}.{tag}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict")
    }

    /// Whether the value of a `Cookie` header holds a session that is still good.
    pub(crate) fn is_in(&self, header: &str) -> bool {
        let name = self.name();
        header.split(';').filter_map(|pair| pair.trim().split_once('=')).any(|(of, value)| {
            // Other ports and other programs have theirs beside it.
            of == name && self.is_good(value)
        })
    }

    fn is_good(&self, value: &str) -> bool {
        let Some((ends, tag)) = value.split_once('.') else { return false };
        let canonical = ends.bytes().all(|byte| byte.is_ascii_digit()) && !ends.starts_with('0');
        let (Ok(ends), Ok(tag)) = (ends.parse(), URL_SAFE_NO_PAD.decode(tag)) else {
            return false;
        };
        let now = self.now_s();
        // One that ends later than we give is none of ours, or the clock was wrong.
        let in_time = now < ends && ends <= now.saturating_add(LIFE.as_secs());
        // Compared in constant time.
        canonical && self.mac(ends).verify_slice(&tag).is_ok() && in_time
    }

    fn mac(&self, ends: u64) -> Hmac<Sha256> {
        let mut mac = self.token.authenticator("headsup session 1");
        mac.update(&self.port.to_be_bytes());
        mac.update(&ends.to_be_bytes());
        if self.behind_a_proxy {
            mac.update(b"behind a proxy");
        }
        mac
    }

    fn now_s(&self) -> u64 {
        u64::try_from(self.now.0 / 1_000).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 3_600_000;
    const NOW: UnixMs = UnixMs(1_795_296_597_200);

    fn token() -> Token {
        Token::load(tempfile::tempdir().unwrap().path()).unwrap()
    }

    fn pair(cookie: &Cookie<'_>) -> String {
        cookie.begin().split(';').next().unwrap().to_owned()
    }

    #[test]
    fn a_session_is_good_for_its_port_token_and_time() {
        let (token, other) = (token(), token());
        let at = |port, ms| Cookie::new(&token, port, UnixMs(NOW.0 + ms));
        let given = pair(&at(7717, 0));
        assert!(at(7717, 0).is_in(&given));
        assert!(at(7717, 7 * DAY - 1_000).is_in(&format!("a=b; {given}; headsup_1=x")));
        assert!(!at(7717, 7 * DAY).is_in(&given), "over");
        assert!(!at(7717, -DAY).is_in(&given), "from the future");
        assert!(!at(7718, 0).is_in(&given.replace("7717", "7718")), "another hub's");
        assert!(!Cookie::new(&other, 7717, NOW).is_in(&given), "another token");
    }

    #[test]
    fn a_session_of_our_own_name_is_none_behind_a_proxy_nor_the_other_way_round() {
        let token = token();
        let at = |proxy| Cookie::new(&token, 7717, NOW).behind_a_proxy(proxy);
        for proxy in [false, true] {
            let given = pair(&at(proxy));
            assert!(at(proxy).is_in(&given), "{given}");
            let (_, value) = given.split_once('=').unwrap();
            let renamed = format!("{}={value}", at(!proxy).name());
            assert!(!at(!proxy).is_in(&given) && !at(!proxy).is_in(&renamed), "{given}");
        }
    }

    #[test]
    fn a_session_cannot_be_changed() {
        let token = token();
        let cookie = Cookie::new(&token, 80, NOW);
        let given = pair(&cookie);
        let (name, value) = given.split_once('=').unwrap();
        let (ends, tag) = value.split_once('.').unwrap();
        let later = ends.parse::<u64>().unwrap() - 1;
        let bad = [
            format!("{name}={later}.{tag}"),
            format!("{name}=+{ends}.{tag}"),
            format!("{name}=0{ends}.{tag}"),
            format!("{name}={ends}.{}", &tag[..tag.len() - 4]),
            format!("{name}={ends}."),
            format!("{name}={ends}"),
            format!("{name}="),
            format!("x{given}"),
            String::new(),
        ];
        for bad in bad {
            assert!(!cookie.is_in(&bad), "{bad}");
        }
    }

    #[test]
    fn the_cookie_is_for_this_page_alone() {
        let token = token();
        let cookie = Cookie::new(&token, 7717, NOW).begin();
        for word in ["headsup_7717=", "; Path=/;", "; HttpOnly;", "; SameSite=Strict"] {
            assert!(cookie.contains(word), "{word} in {cookie}");
        }
    }
}
