//! Comments in JSON beside what is taken out: they stay, and get lines of their own.

use super::Unchanged;
use super::entries::parse;
use jsonc_parser::cst::{CstNode, CstObject, CstRootNode};

/// Takes out what `find` finds in the file's object. Second, whether that was anything.
pub(super) fn take_out(
    mut root: CstRootNode,
    find: impl Fn(Option<&CstObject>) -> Vec<CstNode>,
) -> Result<(CstRootNode, bool), Unchanged> {
    let mut going = find(root.object_value().as_ref());
    // One that comes before its node may be behind another one now.
    while let Some(text) = spared(&root, &going) {
        (_, root) = parse(&text)?;
        going = find(root.object_value().as_ref());
    }
    let has_found = !going.is_empty();
    going.into_iter().for_each(CstNode::remove);
    Ok((root, has_found))
}

/// Is one of these nodes a comment?
pub(super) fn is_among(nodes: &[CstNode]) -> bool {
    nodes.iter().any(CstNode::is_comment)
}

/// The text with each comment before its node that would go with it for being on its line. `None`: there are
/// none.
fn spared(root: &CstRootNode, going: &[CstNode]) -> Option<String> {
    let beside = going.iter().map(|node| (node, is_behind_one(node), behind(node)));
    let beside: Vec<_> = beside.filter(|(_, is_behind, c)| *is_behind || !c.is_empty()).collect();
    if beside.is_empty() {
        return None;
    }
    let mut text = root.to_string();
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    // What takes the place of how many bytes, and where.
    let mut edits = Vec::new();
    for (node, is_behind, comments) in beside {
        let line = format!("{end}{}", node.indent_text().unwrap_or_default());
        let mut before = if is_behind { line.clone() } else { String::new() };
        for comment in comments {
            let words = comment.to_string();
            edits.push((place(&comment), words.len(), String::new()));
            before.push_str(&words);
            before.push_str(&line);
        }
        edits.push((place(node), 0, before));
    }
    edits.sort_by_key(|(at, ..)| *at);
    for (at, length, new) in edits.into_iter().rev() {
        text.replace_range(at..at + length, &new);
    }
    Some(text)
}

/// Where a node begins.
pub(super) fn place(node: &CstNode) -> usize {
    let before: usize = node.previous_siblings().map(|one| one.to_string().len()).sum();
    before + node.parent().map_or(0, |parent| place(&parent.into()))
}

/// Is there a comment on its line right before it?
fn is_behind_one(node: &CstNode) -> bool {
    let mut line = node.previous_siblings().take_while(|one| one.is_trivia() && !one.is_newline());
    line.any(|one| one.is_comment())
}

/// The comments behind it that go with it: up to its comma, and up to the end of its line unless something
/// else is on that behind the comma.
fn behind(node: &CstNode) -> Vec<CstNode> {
    let mut found = Vec::new();
    let mut rest = node.next_siblings();
    let has_comma = node.trailing_comma().is_some();
    if has_comma {
        let before: Vec<CstNode> = rest.by_ref().take_while(|one| !one.is_comma()).collect();
        let is_on_one_line = !before.iter().any(CstNode::is_newline);
        found.extend(before.into_iter().filter(CstNode::is_comment));
        if !is_on_one_line {
            return found;
        }
    }
    let mut line = Vec::new();
    for one in rest {
        if one.is_newline() {
            break;
        }
        if !one.is_trivia() {
            if has_comma {
                return found;
            }
            break;
        }
        line.push(one);
    }
    found.extend(line.into_iter().filter(CstNode::is_comment));
    found
}
