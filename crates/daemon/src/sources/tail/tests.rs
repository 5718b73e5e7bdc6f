use super::*;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use tempfile::TempDir;

fn log(text: &[u8]) -> (TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("log.jsonl");
    fs::write(&path, text).unwrap();
    (temp, path)
}

fn append(path: &Path, text: &[u8]) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text).unwrap();
}

fn text(lines: Vec<Vec<u8>>) -> Vec<String> {
    lines.into_iter().map(|line| String::from_utf8(line).unwrap()).collect()
}

fn new_lines(tail: &mut Tail) -> Vec<String> {
    text(tail.look().unwrap().lines)
}

#[test]
fn what_was_there_is_the_past_and_what_is_added_is_new() {
    let (_temp, path) = log(b"one\ntwo\n");
    let (mut tail, _) = Tail::new(&path);
    append(&path, b"three\nfo");
    let grown = tail.look().unwrap();
    assert_eq!(
        (text(grown.past), text(grown.lines)),
        (vec!["one".into(), "two".into()], vec!["three".into()])
    );
    append(&path, b"ur\n\nfive\n");
    let grown = tail.look().unwrap();
    assert_eq!(
        (text(grown.past).len(), text(grown.lines)),
        (0, vec!["four".into(), "five".into()])
    );
    assert!(new_lines(&mut tail).is_empty());
}

#[test]
fn a_line_that_was_half_there_is_whole_when_it_ends() {
    let (_temp, path) = log(b"one\ntw");
    let (mut tail, _) = Tail::new(&path);
    append(&path, b"o\n");
    assert_eq!(new_lines(&mut tail), ["two"]);
}

#[test]
fn the_look_back_doubles_until_it_holds_a_line() {
    let long = vec![b'x'; 300_000];
    let (_temp, path) = log(&[b"old\n", &long[..], b"\n"].concat());
    let (mut tail, _) = Tail::new(&path);
    append(&path, b"new\n");
    let grown = tail.look().unwrap();
    assert_eq!(grown.past.len(), 2);
    assert_eq!(text(grown.lines), ["new"]);
}

#[test]
fn all_of_a_file_that_was_waited_for_is_read() {
    let (_temp, path) = log(b"");
    fs::remove_file(&path).unwrap();
    let (mut tail, _) = Tail::new(&path);
    assert_eq!(tail.look().unwrap().past.len(), 0);
    let long = vec![b'x'; 300_000];
    fs::write(&path, [b"one\ntwo\n", &long[..], b"\n"].concat()).unwrap();
    assert_eq!(tail.look().unwrap().past.len(), 3);
}

#[test]
fn a_cut_or_replaced_file_is_the_past_again() {
    let (_temp, path) = log(b"one\ntwo\n");
    let (mut tail, _) = Tail::new(&path);
    fs::write(&path, b"cut\n").unwrap();
    let grown = tail.look().unwrap();
    assert_eq!((text(grown.past), text(grown.lines)), (vec!["cut".into()], vec![]));
    let other = path.with_extension("new");
    fs::write(&other, b"replaced and longer than before\n").unwrap();
    fs::rename(&other, &path).unwrap();
    let grown = tail.look().unwrap();
    assert_eq!((grown.past.len(), grown.lines.len()), (1, 0));
    append(&path, b"new\n");
    assert_eq!(new_lines(&mut tail), ["new"]);
}

#[test]
fn a_file_that_is_written_anew_in_its_place_is_the_past_again() {
    // Its beginning is another one, or what was read last.
    let long = "x".repeat(FIRST);
    for (before, anew) in [
        ("one\ntwo\n".to_owned(), "another one\nthat is longer\n".to_owned()),
        (format!("{long}\none\n"), format!("{long}\ntwo\nthree\n")),
    ] {
        let (_temp, path) = log(before.as_bytes());
        let (mut tail, _) = Tail::new(&path);
        for piece in ["t", "hree\n", "four\n"] {
            append(&path, piece.as_bytes());
            assert!(!tail.look().unwrap().begun_anew, "{piece}");
        }
        let anew = [anew, "y\n".repeat(100)].concat();
        OpenOptions::new().write(true).open(&path).unwrap().write_all(anew.as_bytes()).unwrap();
        let grown = tail.look().unwrap();
        assert!(grown.begun_anew && grown.lines.is_empty() && grown.past.len() > 100);
        append(&path, b"new\n");
        assert_eq!(new_lines(&mut tail), ["new"]);
    }
}

#[test]
fn a_file_that_is_written_anew_with_the_same_length_is_another_one() {
    let (_temp, path) = log(b"one\n");
    let (mut tail, _) = Tail::new(&path);
    append(&path, b"two\n");
    assert_eq!(new_lines(&mut tail), ["two"]);
    fs::write(&path, b"one\ntwo\n").unwrap();
    assert!(!tail.look().unwrap().begun_anew, "it is the same");
    fs::write(&path, b"six\nten\n").unwrap();
    let grown = tail.look().unwrap();
    assert!(grown.begun_anew && grown.lines.is_empty());
    assert_eq!(text(grown.past), ["six", "ten"]);
    append(&path, b"new\n");
    assert_eq!(new_lines(&mut tail), ["new"]);
}

#[test]
fn a_file_may_go_away_and_come_back() {
    let (_temp, path) = log(b"one\n");
    let (mut tail, _) = Tail::new(&path);
    fs::remove_file(&path).unwrap();
    assert!(new_lines(&mut tail).is_empty());
    assert!(!tail.is_there());
    fs::write(&path, b"back\n").unwrap();
    assert_eq!(tail.look().unwrap().past.len(), 1);
    append(&path, b"new\n");
    assert_eq!(new_lines(&mut tail), ["new"]);
}

#[test]
fn an_endless_line_is_skipped_and_the_next_one_read() {
    let (_temp, path) = log(b"one\n");
    let (mut tail, _) = Tail::new(&path);
    append(&path, &vec![b'x'; usize::try_from(MOST_BYTES).unwrap() + 9]);
    let mut lines = Vec::new();
    append(&path, b"\nnew\n");
    loop {
        let grown = tail.look().unwrap();
        lines.extend(text(grown.lines));
        if !grown.more {
            break;
        }
    }
    assert!(lines == ["new"], "{} lines", lines.len());
}

#[test]
fn links_folders_and_pipes_are_refused() {
    let (temp, path) = log(b"secret\n");
    let link = temp.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let pipe = temp.path().join("pipe");
    let mode = Mode::RUSR | Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, mode, 0).unwrap();
    for bad in [&link, &pipe, &temp.path().to_owned()] {
        let (mut tail, _) = Tail::new(bad);
        assert!(!tail.is_there());
        assert!(tail.look().is_err(), "{}", bad.display());
    }
}
