//! A TOML text as the lines of its statements: some go, and the rest stays as it is, to the byte. (A document
//! that is written anew by a library loses the ends of its lines and the order of scattered tables.)

use super::Unchanged;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const BOM: char = '\u{feff}';

/// A header, or a key with its value.
struct Statement {
    /// The keys on the way to it; a table of a list counts by its number.
    path: Vec<String>,
    is_header: bool,
    lines: Range<usize>,
}

pub(super) fn read(text: &str) -> Result<toml::Table, Unchanged> {
    toml::from_str(text).map_err(|error| broken(&error))
}

/// The same, and where in the text everything stands.
pub(super) fn parse(text: &str) -> Result<DeTable<'_>, Unchanged> {
    DeTable::parse(text).map(Spanned::into_inner).map_err(|error| broken(&error))
}

/// Do both say the same? A number that is none is not even equal to itself.
pub(super) fn is_same(one: &toml::Table, other: &toml::Table) -> bool {
    let plain = |table: &toml::Table| serde_json::to_value(table).ok();
    plain(one) == plain(other)
}

fn broken(error: &toml::de::Error) -> Unchanged {
    Unchanged::NotToml(error.message().replace('\n', " "))
}

/// The text without the statements whose path is wanted, and without the empty line before a header of
/// them. What stands between two of them below one header goes, too; comments before and behind stay.
pub(super) fn without(
    text: &str,
    is_wanted: impl Fn(&[String]) -> bool,
) -> Result<String, Unchanged> {
    let mut all = Vec::new();
    collect(text, &parse(text)?, &[], &mut all);
    all.sort_by_key(|statement| statement.lines.start);
    let goes = |statement: &Statement| is_wanted(&statement.path);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for group in all.chunk_by(|one, next| goes(one) == goes(next) && !next.is_header) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        if !goes(first) {
            continue;
        }
        out.push_str(&text[done..first.lines.start]);
        if first.is_header {
            out.truncate(before_empty_line(&out));
        }
        done = last.lines.end;
    }
    out.push_str(&text[done..]);
    Ok(out)
}

/// The text without this list, if there is nothing in it: written as a value, it cannot be continued as tables.
/// A comment behind it stays where it was; one in it has no other place, so that the list stays.
pub(super) fn without_empty_list(text: &str, name: &str) -> Result<String, Unchanged> {
    let top = parse(text)?;
    let value = top.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value);
    let bare = value.filter(|value| {
        let is_empty = matches!(value.get_ref(), DeValue::Array(list) if list.is_empty());
        is_empty && !text[value.span()].contains('#')
    });
    let Some(value) = bare else { return Ok(text.to_owned()) };
    let span = value.span();
    let whole = lines(text, &span);
    let behind = text[span.end..whole.end].trim_start();
    Ok([&text[..whole.start], behind, &text[whole.end..]].concat())
}

/// How long the text is without the empty line at its end, if there is one.
fn before_empty_line(text: &str) -> usize {
    let Some(body) = text.strip_suffix('\n') else { return text.len() };
    let start = line_start(text, body.len());
    if body[start..].trim().is_empty() { start } else { text.len() }
}

fn collect(text: &str, table: &DeTable<'_>, path: &[String], all: &mut Vec<Statement>) {
    for (key, value) in table {
        let path = [path, &[key.get_ref().to_string()]].concat();
        match value.get_ref() {
            DeValue::Table(_) if !begins_with(text, value, '{') => {
                collect_table(text, value, path, all);
            }
            DeValue::Array(list) if list.iter().any(|table| has_header(text, table)) => {
                for (number, table) in list.iter().enumerate() {
                    let path = [&path[..], &[number.to_string()]].concat();
                    collect_table(text, table, path, all);
                }
            }
            _ => {
                let lines = lines(text, &(key.span().start..value.span().end));
                all.push(Statement { path, is_header: false, lines });
            }
        }
    }
}

fn collect_table(
    text: &str,
    value: &Spanned<DeValue<'_>>,
    path: Vec<String>,
    all: &mut Vec<Statement>,
) {
    let Some(table) = value.get_ref().as_table() else { return };
    collect(text, table, &path, all);
    if has_header(text, value) {
        all.push(Statement { path, is_header: true, lines: lines(text, &value.span()) });
    }
}

/// A table that a header begins. One in braces is a value, and of one that is only on the way to another a
/// name is all there is.
pub(super) fn has_header(text: &str, value: &Spanned<DeValue<'_>>) -> bool {
    value.get_ref().is_table() && begins_with(text, value, '[')
}

pub(super) fn begins_with(text: &str, value: &Spanned<DeValue<'_>>, sign: char) -> bool {
    text[value.span().start..].starts_with(sign)
}

/// The whole lines that this is on, with their ends.
pub(super) fn lines(text: &str, of: &Range<usize>) -> Range<usize> {
    let end = text[of.end..].find('\n').map_or(text.len(), |at| of.end + at + 1);
    line_start(text, of.start)..end
}

fn line_start(text: &str, at: usize) -> usize {
    let first = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    text[..at].rfind('\n').map_or(first, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_a_b(text: &str) -> String {
        without(text, |path| matches!(path, [a, b, ..] if a == "a" && b == "b")).unwrap()
    }

    #[test]
    fn a_table_goes_however_it_is_written() {
        for (ours, rest) in [
            ("[a.b]\nx = 1\n", ""),
            ("[ 'a' . \"b\" ] # c\nx = 1 # c\n\n# c\n\ny = [\n  1, # c\n]\n# mine\n", "# mine\n"),
            ("[a.b]\nx = '''\n[c]\n\n# c\n'''\n", ""),
            ("[a.b.d]\nx = 1\n\n[a.b]\nx = 1\n", ""),
            ("[a]\nb = { x = 1 }\nc = 2\n", "[a]\nc = 2\n"),
            ("[a]\nb.x = 1\n# c\nb.y = 2\n# mine\nc = 2\n", "[a]\n# mine\nc = 2\n"),
            ("a.b.x = 1 # c\na.c = 2\n", "a.c = 2\n"),
            ("[a.b]\nx = 1\n[d]\n[a.b.c]\n", "[d]\n"),
        ] {
            for before in ["", "\u{feff}", "# mine\n"] {
                let text = format!("{before}{ours}");
                assert_eq!(without_a_b(&text), format!("{before}{rest}"), "{text}");
                let text = text.replace('\n', "\r\n");
                assert_eq!(without_a_b(&text), format!("{before}{rest}").replace('\n', "\r\n"));
            }
        }
    }

    #[test]
    fn a_list_with_nothing_in_it_goes_and_what_is_around_it_stays() {
        for (text, rest) in [
            ("a = []\n", ""),
            ("a = []", ""),
            ("x = 1\n\"a\" = [ ]  # mine", "x = 1\n# mine"),
            ("# mine\n  a=[\n]\t# yes\n\n[c]\na = []\n", "# mine\n# yes\n\n[c]\na = []\n"),
            ("a = [\n  # mine\n]\n", "a = [\n  # mine\n]\n"),
            ("a = [1]\n", "a = [1]\n"),
            ("a = '[]'\n", "a = '[]'\n"),
            ("[[a]]\nb = []\n", "[[a]]\nb = []\n"),
            ("[c]\na = []\n", "[c]\na = []\n"),
        ] {
            for before in ["", "\u{feff}"] {
                let [text, rest] = [text, rest].map(|text| format!("{before}{text}"));
                assert_eq!(without_empty_list(&text, "a").unwrap(), rest, "{text}");
                let [text, rest] = [text, rest].map(|text| text.replace('\n', "\r\n"));
                assert_eq!(without_empty_list(&text, "a").unwrap(), rest, "{text}");
            }
        }
        assert!(without_empty_list("a = [", "a").is_err());
    }

    #[test]
    fn an_empty_line_before_it_goes_and_all_else_stays() {
        for (text, rest) in [
            ("x = 1\n\n[a.b]\n\n[c]\n", "x = 1\n\n[c]\n"),
            ("x = 1\n\n\n[a.b]\n", "x = 1\n\n"),
            ("x = 1\n\n# mine\n[a.b]\n# mine, too", "x = 1\n\n# mine\n# mine, too"),
            ("x = 1\n\n[a.b]\ny = 1", "x = 1\n"),
            ("[[a]]\nb = 1\n", "[[a]]\nb = 1\n"),
            ("a = { b = { x = 1 } }\n", "a = { b = { x = 1 } }\n"),
        ] {
            assert_eq!(without_a_b(text), rest, "{text}");
        }
        assert!(without("[", |_| true).is_err());
    }
}
