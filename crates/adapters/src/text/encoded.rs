//! Credentials in base64: `echo … | base64 -d`, the `client-key-data` of a cluster's settings, a value
//! of a secret's manifest.

/// Fewer characters hold no credential of a known shape.
const LEAST: usize = 24;

/// How much of a word is looked at, in characters; four of them are three bytes.
const LOOK: usize = 1_024;

/// So many characters show whether a word holds text at all.
const FIRST: usize = 16;

/// The length of the base64 that begins at `at`, if `is_secret` says so of what it holds. Each word is
/// looked at once, from its beginning.
pub(super) fn held(text: &[u8], at: usize, is_secret: impl Fn(&[u8]) -> bool) -> Option<usize> {
    if at.checked_sub(1).is_some_and(|before| matches!(text[before], b'+' | b'/' | b'-')) {
        return None;
    }
    let rest = &text[at..];
    let len = rest.iter().take_while(|b| six_bits(**b).is_some()).count();
    let is_text = |b: &u8| matches!(b, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    if len < LEAST || !decoded(&rest[..FIRST]).iter().all(is_text) {
        return None;
    }
    let padding = rest[len..].iter().take(2).take_while(|b| **b == b'=').count();
    is_secret(&decoded(&rest[..len.min(LOOK)])).then_some(len + padding)
}

/// What a character of base64 stands for, in either of its alphabets.
fn six_bits(b: u8) -> Option<u32> {
    let bits = match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(bits))
}

fn decoded(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for four in text.chunks(4) {
        let six = four.iter().filter_map(|b| six_bits(*b));
        let bits = six.fold(0_u32, |bits, six| (bits << 6) | six);
        let whole = bits << (6 * (4 - four.len()));
        // One byte less than there are characters.
        bytes.extend_from_slice(&whole.to_be_bytes()[1..four.len()]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::{REDACTED, redact};
    use super::decoded;

    /// Keys are put together at run time: no file here holds one, in base64 neither.
    fn encoded(text: &str) -> String {
        const LETTERS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let letter = |bits: u32| char::from(LETTERS[usize::try_from(bits & 63).unwrap()]);
        let mut out = String::new();
        for three in text.as_bytes().chunks(3) {
            let byte = |n: usize| three.get(n).copied().map_or(0, u32::from);
            let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
            let four = [18, 12, 6, 0].map(|shift| letter(bits >> shift));
            out.extend(&four[..=three.len()]);
            out.extend(std::iter::repeat_n('=', 3 - three.len()));
        }
        out
    }

    fn key() -> String {
        format!("{}{}", "ghp_", "a1B2".repeat(9))
    }

    #[test]
    fn base64_is_read_with_and_without_its_end() {
        for text in ["a", "ab", "abc", "abcd", "~?>~?>~?>"] {
            let word = encoded(text);
            for word in [word.trim_end_matches('='), &word.replace('/', "_").replace('+', "-")] {
                assert_eq!(decoded(word.trim_end_matches('=').as_bytes()), text.as_bytes());
            }
        }
    }

    #[test]
    fn a_credential_in_base64_is_one() {
        let block = format!("-----BEGIN {} KEY-----\n{}", "PRIVATE", "a1B2c3D4\n".repeat(300));
        for held in [key(), format!("{}\n", key()), "password=Kq83hdkWm29s".into(), block] {
            let word = encoded(&held);
            for place in [
                "echo @ | base64 -d > key",
                "    client-key-data: @\n    b",
                "{\"a\":\"b\\n@\\nc\"}",
                "X=@",
                "'@'",
            ] {
                let clean = redact(&place.replace('@', &word)).into_owned();
                assert_eq!(clean, place.replace('@', REDACTED), "{held}");
            }
            // As it is also written.
            let bare = word.trim_end_matches('=').replace('/', "_").replace('+', "-");
            assert_eq!(redact(&format!("echo {bare} x")), format!("echo {REDACTED} x"));
        }
    }

    #[test]
    fn what_holds_nothing_of_anybody_stays() {
        let said = encoded("the quick brown fox jumps over the lazy dog");
        for text in [
            &*said,
            "the_name_of_a_test_that_goes_on_and_on",
            "crates/adapters/src/text/encoded/and/so/on",
            "0123456789abcdef0123456789abcdef01234567",
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn the_work_grows_with_the_text_and_no_faster() {
        let word = encoded("the quick brown fox jumps ");
        for end in ["", "/", "-", "\\n", "YWFh"] {
            let piece = format!("{word}{end}");
            let text = piece.repeat(100_000 / piece.len());
            assert_eq!(redact(&text), text, "{piece}");
        }
    }
}
