//! As little of a text as still says the same.

use crate::screen;

/// No screen of a program is longer.
const MOST_LINES: usize = 200;

/// Every word that decides nothing becomes as many `x`. `same`: does it still say what it said?
pub(super) fn essence(text: &str, same: impl Fn(&str) -> bool) -> String {
    let words = words(text);
    let mut keeps = vec![false; words.len()];
    let nothing = masked(text, &words, &keeps);
    if same(&nothing) || !same(text) {
        return nothing;
    }
    keeps.fill(true);
    for index in 0..words.len() {
        keeps[index] = false;
        if !same(&masked(text, &words, &keeps)) {
            keeps[index] = true;
        }
    }
    masked(text, &words, &keeps)
}

/// The lines and words of a screen by which a rule has known it; nothing where none has.
pub fn screen_essence(kind: &str, version: Option<&str>, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut lines = lines[lines.len().saturating_sub(MOST_LINES)..].to_vec();
    let Some(shown) = screen(kind, version, &lines.join("\n")) else { return String::new() };
    let same = |text: &str| screen(kind, version, text) == Some(shown);
    for index in 0..lines.len() {
        let line = std::mem::take(&mut lines[index]);
        if !line.is_empty() && !same(&lines.join("\n")) {
            lines[index] = line;
        }
    }
    // Blanks and breaks do not count.
    lines.retain(|line| !line.is_empty());
    essence(&lines.join("\n"), same)
}

/// Where words begin and end, in bytes.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some((_, last)) if *last == at => *last = end,
            _ => words.push((at, end)),
        }
    }
    words
}

fn masked(text: &str, words: &[(usize, usize)], keeps: &[bool]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for ((from, to), keep) in words.iter().zip(keeps) {
        out.push_str(&text[done..*from]);
        match keep {
            true => out.push_str(&text[*from..*to]),
            false => out.extend(text[*from..*to].chars().map(|_| 'x')),
        }
        done = *to;
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_decide_nothing_are_nobodys() {
        assert_eq!(essence("zwölf Mäuse, 3", |_| true), "xxxxx xxxxx, x");
        assert_eq!(essence("ask ada now", |text| text.contains("now")), "xxx xxx now");
        assert_eq!(essence("", |_| true), "");
        assert_eq!(essence("never so", |_| false), "xxxxx xx");
    }

    #[test]
    fn of_a_screen_only_what_its_rule_has_known_is_left() {
        let text = concat!(
            " /home/ada/merger\n\n secret plans\n❯ 1. No, exit\n   2. Yes, I trust this folder\n\n",
            " Enter to confirm · Esc to cancel\n",
        );
        let shown = screen("claude-code", None, text);
        assert!(shown.is_some());
        let left = screen_essence("claude-code", None, text);
        assert_eq!(screen("claude-code", None, &left), shown);
        assert!(!left.contains("ada") && !left.contains("secret"), "{left}");
        assert_eq!(screen_essence("claude-code", None, "nothing of a dialog"), "");
    }
}
