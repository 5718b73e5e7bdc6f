//! An object of very many members on one line, to which ours are added.

use super::Unchanged;
use super::comments::place;
use super::entries::parse;
use jsonc_parser::cst::{CstNode, CstObject, CstRootNode};

/// So many members stay on their line. To give each one of its own, as fewer get it, takes a time that grows with
/// the square of their number.
const MANY: usize = 1_000;

/// The text, to be added to.
pub(super) fn parse_to_add(text: &str) -> Result<(&str, CstRootNode), Unchanged> {
    let (bom, root) = parse(text)?;
    let Some(top) = root.object_value().filter(is_long) else { return Ok((bom, root)) };
    let mut broken = root.to_string();
    let closing = place(&CstNode::from(top.clone())) + top.to_string().len() - 1;
    let end = if broken.contains("\r\n") { "\r\n" } else { "\n" };
    broken.insert_str(closing, end);
    let (_, root) = parse(&broken)?;
    Ok((bom, root))
}

fn is_long(top: &CstObject) -> bool {
    top.properties().len() >= MANY && !top.children().iter().any(CstNode::is_newline)
}
