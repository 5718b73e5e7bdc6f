//! Who may come in over TCP: the bearer of the token, or a browser with a session.
//!
//! A browser never sees the token. It brings a code that works once, and gets a session for it.

mod codes;
mod session;
mod token;

pub(crate) use codes::LIFE as CODE_LIFE;
pub(crate) use session::Cookie;
pub(crate) use token::TokenError;

use crate::board::Board;
use crate::caller::digest;
use crate::clock::Clock;
use codes::Codes;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use token::Token;

pub(crate) struct Access {
    home: PathBuf,
    /// Missing while its file is damaged.
    token: OnceLock<Token>,
    /// Held while it is read or made.
    making: Mutex<()>,
    codes: Codes,
    clock: Arc<dyn Clock>,
    /// Whose agents have tokens of their own.
    board: Arc<Board>,
}

impl Access {
    /// For this state folder. Nobody gets in before [`Self::ready`] has succeeded.
    pub(crate) fn new(home: &Path, clock: Arc<dyn Clock>, board: Arc<Board>) -> Self {
        let token = OnceLock::new();
        let (making, codes) = (Mutex::default(), Codes::default());
        Self { home: home.to_owned(), token, making, codes, clock, board }
    }

    /// Reads the token, or makes one. One that is damaged is left for a person to look at; as
    /// soon as it is repaired or gone, this succeeds.
    pub(crate) fn ready(&self) -> Result<(), TokenError> {
        let _one = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if self.token.get().is_none() {
            // Nobody else has, meanwhile.
            self.token.set(Token::load(&self.home)?).ok();
        }
        Ok(())
    }

    /// Whether this is the token.
    pub(crate) fn is_token(&self, said: &[u8]) -> bool {
        self.token.get().is_some_and(|token| token.is(said))
    }

    /// Whether this is the token of an agent's launch, which lets nobody in.
    pub(crate) fn is_an_agents(&self, said: &str) -> bool {
        self.board.read().places.of_token(&digest(said)).is_some()
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
    pub(crate) fn cookie(&self, port: u16) -> Option<Cookie<'_>> {
        Some(Cookie::new(self.token.get()?, port, self.clock.wall()))
    }
}
