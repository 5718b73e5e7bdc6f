//! Who may come in over TCP: the bearer of the token, or a browser with a session.
//!
//! A browser never sees the token. It brings a code that works once, and gets a session for it.

mod codes;
mod session;
mod token;

pub(crate) use codes::LIFE as CODE_LIFE;
pub(crate) use session::Cookie;
pub(crate) use token::TokenError;

use crate::clock::Clock;
use codes::Codes;
use std::path::Path;
use std::sync::Arc;
use token::Token;

pub(crate) struct Access {
    token: Token,
    codes: Codes,
    clock: Arc<dyn Clock>,
}

impl Access {
    /// Reads the token of this state folder, or makes one.
    pub(crate) fn open(home: &Path, clock: Arc<dyn Clock>) -> Result<Self, TokenError> {
        Ok(Self { token: Token::load(home)?, codes: Codes::default(), clock })
    }

    /// Whether this is the token.
    pub(crate) fn is_token(&self, said: &[u8]) -> bool {
        self.token.is(said)
    }

    /// A fresh one-time code.
    pub(crate) fn new_code(&self) -> Result<String, getrandom::Error> {
        self.codes.make(self.clock.monotonic_ms())
    }

    /// Uses a code up. False: there is no such code, or none any more.
    pub(crate) fn take_code(&self, said: &str) -> bool {
        self.codes.take(said, self.clock.monotonic_ms())
    }

    /// The cookie of the hub's page on this port.
    pub(crate) fn cookie(&self, port: u16) -> Cookie<'_> {
        Cookie::new(&self.token, port, self.clock.wall())
    }
}
