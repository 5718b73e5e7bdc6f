//! Lists of files, as git writes them.

use headsup_core::wire::FileDoc;
use std::borrow::Cow;

/// Names that end with a zero byte each.
pub(super) fn names(bytes: &[u8]) -> impl Iterator<Item = String> {
    let names = bytes.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned())
}

/// `ADDED TAB DELETED TAB PATH NUL`; of a renamed file `ADDED TAB DELETED TAB NUL OLD NUL NEW NUL`
/// (git 2.47). Of a binary file both are `-`.
pub(super) fn numstat(bytes: &[u8]) -> Vec<FileDoc> {
    let mut parts = bytes.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let mut files = Vec::new();
    while let Some(part) = parts.next() {
        let mut columns = part.splitn(3, '\t');
        let mut lines = || columns.next().map(|column| column.parse().unwrap_or(0));
        let (Some(additions), Some(deletions)) = (lines(), lines()) else { break };
        let path = match columns.next() {
            Some("") => parts.nth(1).map(Cow::into_owned),
            path => path.map(str::to_owned),
        };
        let Some(path) = path else { break };
        files.push(FileDoc { path, additions, deletions });
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_of_plain_renamed_and_binary_files() {
        let told = b"3\t1\ta b\0-\t-\tx.png\x001\t0\t\0old\0new\0";
        let files = numstat(told);
        let told: Vec<_> =
            files.iter().map(|f| (f.path.as_str(), f.additions, f.deletions)).collect();
        assert_eq!(told, [("a b", 3, 1), ("x.png", 0, 0), ("new", 1, 0)]);
        assert!(numstat(b"").is_empty());
    }
}
