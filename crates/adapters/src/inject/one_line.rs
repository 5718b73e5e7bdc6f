//! An object of very many members on one line, to which ours are added.

use super::Unchanged;
use super::comments::place;
use super::entries::parse;
use jsonc_parser::cst::{CstNode, CstObject, CstRootNode};
use std::borrow::Cow;

/// So many members stay on their line. To give each one of its own, as fewer get it, takes a time that grows with
/// the square of their number.
const MANY: usize = 1_000;

/// From so many bytes on it counts how deep in a text its first end of line is: it is looked for at each addition,
/// from the outside in.
const LARGE: usize = 64 << 10;

/// The end of line behind a text that had none there, as long as it is added to.
#[derive(Clone, Copy)]
pub(super) struct Lent(&'static str);

impl Lent {
    /// The text without it.
    pub(super) fn whole(self, bom: &str, root: &CstRootNode) -> String {
        let mut text = format!("{bom}{root}");
        let length = text.strip_suffix(self.0).map_or(text.len(), str::len);
        text.truncate(length);
        text
    }
}

/// The text, to be added to.
pub(super) fn parse_to_add(text: &str) -> Result<(&str, CstRootNode, Lent), Unchanged> {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let is_open = text.len() >= LARGE && !text.ends_with(['\n', '\r']);
    let lent = if is_open && text.trim_end().ends_with('}') { end } else { "" };
    let lengthened = match lent {
        "" => Cow::Borrowed(text),
        lent => Cow::Owned(format!("{text}{lent}")),
    };
    let (bom, root) = parse(&lengthened)?;
    let bom = &text[..bom.len()];
    let Some(top) = root.object_value().filter(is_long) else { return Ok((bom, root, Lent(lent))) };
    let mut broken = root.to_string();
    let closing = place(&CstNode::from(top.clone())) + top.to_string().len() - 1;
    broken.insert_str(closing, end);
    let (_, root) = parse(&broken)?;
    Ok((bom, root, Lent(lent)))
}

fn is_long(top: &CstObject) -> bool {
    top.properties().len() >= MANY && !top.children().iter().any(CstNode::is_newline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inject::{recipe, server};

    const LAUNCHER: &str = "/home/dev/.headsup/bin/headsup";

    #[test]
    fn a_large_text_gets_no_end_of_line_that_it_did_not_have() {
        let list = format!("{{\"list\":[{}0]}}", "0,".repeat(LARGE));
        for recipe in [recipe("gemini-cli").unwrap(), server::of("gemini-cli").unwrap()] {
            for (before, behind) in
                [("", ""), ("\u{feff}", ""), ("", "\n"), ("", "  "), ("", " // }")]
            {
                let text = format!("{before}{list}{behind}");
                let installed = recipe.append(&text, LAUNCHER).unwrap();
                assert!(installed.starts_with(&format!("{before}{{")), "{behind:?}");
                assert!(installed.ends_with(&format!("}}{behind}")), "{behind:?}");
                assert!(recipe.inspect(&installed, LAUNCHER).unwrap().is_complete());
                assert_eq!(recipe.append(&installed, LAUNCHER).unwrap(), installed, "{behind:?}");
            }
        }
    }
}
