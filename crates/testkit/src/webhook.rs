//! Web hooks as a tracker sends them: signed under the secret of both sides.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt::Write as _;

/// HMAC-SHA256 of the body, in small hexadecimal digits.
///
/// # Panics
/// Never: any secret is a key.
#[expect(clippy::expect_used, reason = "a secret of any length is a key")]
pub fn sign(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(body);
    mac.finalize().into_bytes().iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

#[cfg(test)]
mod tests {
    use super::sign;

    #[test]
    fn a_body_has_the_signature_that_others_give_it() {
        // RFC 4231, test case 2.
        let known = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(sign("Jefe", b"what do ya want for nothing?"), known);
    }
}
