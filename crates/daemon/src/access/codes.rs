//! One-time codes: in memory alone, for one use within two minutes.

use super::token::random;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use subtle::ConstantTimeEq as _;

/// How long a code is good.
pub(crate) const LIFE: Duration = Duration::from_secs(120);
/// More than anybody opens at once; the oldest goes first.
const MOST: usize = 16;

#[derive(Default)]
pub(super) struct Codes(Mutex<Vec<Code>>);

struct Code {
    text: String,
    /// On the clock that never jumps.
    ends_ms: i64,
}

impl Codes {
    pub(super) fn make(&self, now_ms: i64) -> Result<String, getrandom::Error> {
        let text = random()?.map(char::from).iter().collect::<String>();
        let ends_ms = now_ms + i64::try_from(LIFE.as_millis()).unwrap_or_default();
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|code| code.ends_ms > now_ms);
        if codes.len() >= MOST {
            codes.remove(0);
        }
        codes.push(Code { text: text.clone(), ends_ms });
        Ok(text)
    }

    pub(super) fn take(&self, said: &str, now_ms: i64) -> bool {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        codes.retain(|code| code.ends_ms > now_ms);
        // All of them are compared, each in constant time.
        let is = |code: &Code| bool::from(code.text.as_bytes().ct_eq(said.as_bytes()));
        let before = codes.len();
        codes.retain(|code| !is(code));
        codes.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_works_once() {
        let codes = Codes::default();
        let (one, other) = (codes.make(0).unwrap(), codes.make(0).unwrap());
        assert_ne!(one, other);
        assert!(!codes.take("", 0) && !codes.take(&one[1..], 0) && !codes.take("x", 0));
        assert!(codes.take(&one, 0));
        assert!(!codes.take(&one, 0));
        assert!(codes.take(&other, 119_999));
    }

    #[test]
    fn a_code_ends_after_two_minutes_and_the_seventeenth_ends_the_first() {
        let codes = Codes::default();
        let code = codes.make(5).unwrap();
        assert!(!codes.take(&code, 120_005));
        let first = codes.make(0).unwrap();
        let rest: Vec<_> = (0..MOST).map(|_| codes.make(0).unwrap()).collect();
        assert!(!codes.take(&first, 1));
        assert!(rest.iter().all(|code| codes.take(code, 1)));
    }
}
