//! A word that nobody may see.

use std::fmt;

/// It is shown nowhere: not in a log, not in an error.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Printable ASCII, so that it may stand in a header; `None` for what is none.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// The value of a header that has it in it.
    pub(crate) fn header(value: &str) -> Option<Self> {
        let fits = value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        fits.then(|| Self(value.to_owned()))
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_shown_nowhere_and_stands_in_a_header() {
        let secret = Secret::new(" ghp_abc\n").unwrap();
        assert_eq!(format!("{secret:?}"), "Secret");
        assert_eq!(secret.reveal(), "ghp_abc");
        for bad in ["", " ", "a b", "a\nb", "ä"] {
            assert!(Secret::new(bad).is_none(), "{bad:?}");
        }
    }
}
