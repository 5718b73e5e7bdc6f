//! Characters that a reader does not see, or that change what he sees.

/// Control, format, direction, zero-width, tag and variation characters. Only the variation
/// selector that makes an emoji of a letter is none.
pub fn is_hidden(c: char) -> bool {
    // Nearly all are ASCII.
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_and_false_positive_letters() {
        for c in ['\0', '\u{1b}', '\u{9b}', '\u{200b}', '\u{202e}', '\u{2066}', '\u{e0041}'] {
            assert!(is_hidden(c), "{c:?}");
        }
        for c in ['a', 'é', 'ש', '日', '\u{301}', '\u{fe0f}', '🚀', ' ', '\u{2028}'] {
            assert!(!is_hidden(c), "{c:?}");
        }
    }
}
