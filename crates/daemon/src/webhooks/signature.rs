//! Whether a body was sent by whoever knows the secret: HMAC-SHA256 of its bytes as they came, in small
//! hexadecimal digits.

use super::SharedSecret;
use axum::http::HeaderMap;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Why it is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsigned {
    #[error("the signature is missing")]
    Missing,
    #[error("there is more than one signature")]
    Several,
    #[error("the signature is no HMAC-SHA256 in 64 small hexadecimal digits")]
    Malformed,
    #[error("the signature is not that of this body")]
    Wrong,
}

impl Unsigned {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Missing => "signature_missing",
            Self::Several | Self::Malformed | Self::Wrong => "signature_wrong",
        }
    }
}

/// Checks the header `name` against the body. In constant time where it is a signature at all.
pub(crate) fn check(
    secret: &SharedSecret,
    headers: &HeaderMap,
    name: &str,
    body: &[u8],
) -> Result<(), Unsigned> {
    let mut values = headers.get_all(name).iter();
    let said = values.next().filter(|said| !said.is_empty()).ok_or(Unsigned::Missing)?;
    if values.next().is_some() {
        return Err(Unsigned::Several);
    }
    let said = said.as_bytes();
    let said = digest(said.strip_prefix(b"sha256=").unwrap_or(said)).ok_or(Unsigned::Malformed)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.bytes()).map_err(|_| Unsigned::Wrong)?;
    mac.update(body);
    mac.verify_slice(&said).map_err(|_| Unsigned::Wrong)
}

fn digest(text: &[u8]) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    if text.len() != 2 * digest.len() {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(text.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = (digit(*high)? << 4) | digit(*low)?;
    }
    Some(digest)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "x-signature";
    /// Of `what do ya want for nothing?` under `Jefe` (RFC 4231, test case 2).
    const KNOWN: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    const BODY: &[u8] = b"what do ya want for nothing?";

    fn checked(values: &[&str], body: &[u8]) -> Result<(), Unsigned> {
        let secret = SharedSecret::new("Jefe".to_owned()).unwrap();
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(NAME, value.parse().unwrap());
        }
        check(&secret, &headers, NAME, body)
    }

    #[test]
    fn the_signature_of_the_very_bytes_is_believed() {
        assert_eq!(checked(&[KNOWN], BODY), Ok(()));
        assert_eq!(checked(&[&format!("sha256={KNOWN}")], BODY), Ok(()));
        assert_eq!(checked(&[KNOWN], b"what do ya want for nothing? "), Err(Unsigned::Wrong));
    }

    #[test]
    fn nothing_else_is() {
        use Unsigned::{Malformed, Missing, Several, Wrong};
        let upper = KNOWN.to_uppercase();
        let other = KNOWN.replace('5', "6");
        let cases: [(&[&str], Unsigned); 11] = [
            (&[], Missing),
            (&[""], Missing),
            (&[KNOWN, KNOWN], Several),
            (&[&upper], Malformed),
            (&[&other], Wrong),
            (&["sha1=0123456789abcdef0123456789abcdef01234567"], Malformed),
            (&[&format!("sha1={KNOWN}")], Malformed),
            (&[&format!("SHA256={KNOWN}")], Malformed),
            (&[&KNOWN[1..]], Malformed),
            (&[&format!("{KNOWN}0")], Malformed),
            (&["sha256="], Malformed),
        ];
        for (values, why) in cases {
            assert_eq!(checked(values, BODY), Err(why), "{values:?}");
        }
    }
}
