//! What tmux lists, a line for each pane.

/// Those lines with so many bytes of each at most.
pub(super) fn shortened(list: &[u8], longest: usize) -> Vec<u8> {
    let lines = list.split(|byte| *byte == b'\n').map(|line| &line[..line.len().min(longest)]);
    lines.collect::<Vec<&[u8]>>().join(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::super::told::living;
    use super::*;

    #[test]
    fn a_long_line_hides_none_behind_it() {
        let list = format!("41 0 %0 {}\n41 0 %1 Working\n", "\u{300}".repeat(9));
        let list = String::from_utf8(shortened(list.as_bytes(), 16)).unwrap();
        let panes: Vec<_> = living(&list).collect();
        let [long, other] = ["\u{300}".repeat(4), "Working".to_owned()];
        assert_eq!(panes, [(("41", "%0"), &*long), (("41", "%1"), &*other)]);
        assert_eq!(shortened(b"a\n\n", 9), b"a\n\n");
    }
}
