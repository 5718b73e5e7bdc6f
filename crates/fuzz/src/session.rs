//! Sessions of browsers, with a key that everybody knows.

#[path = "../../daemon/src/access/session.rs"]
mod cookie;

pub(crate) use cookie::Cookie;
pub(crate) use token::Token;

use headsup_core::time::UnixMs;

/// The cookie of the hub at this port.
pub(crate) fn of(token: &Token, port: u16) -> Cookie<'_> {
    Cookie::new(token, port, UnixMs(1_795_296_597_200))
}

/// The token of this hub.
pub(crate) const KEY: &str = "0123456789abcdef";

mod token {
    use hmac::{Hmac, KeyInit as _, Mac as _};
    use sha2::Sha256;

    /// Its text.
    pub(crate) struct Token(pub(crate) &'static str);

    impl Token {
        pub(super) fn authenticator(&self, purpose: &str) -> Hmac<Sha256> {
            let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()) else {
                unreachable!("a key of any length will do")
            };
            mac.update(purpose.as_bytes());
            mac
        }
    }
}
