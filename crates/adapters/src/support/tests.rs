use super::*;
use crate::inject::recipe;
use crate::kinds;

#[test]
fn every_kind_is_in_it_once() {
    let mut listed: Vec<&str> = all().iter().map(|row| row.kind).collect();
    let mut known = kinds().to_vec();
    known.push("acp:NAME");
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
    assert_eq!(of("acp:some-agent").unwrap().kind, "acp:NAME");
    assert_eq!(of("vibe").unwrap().kind, "mistral-vibe");
    assert!(of("nobody").is_none());
}

#[test]
fn hooks_can_be_installed_or_it_is_said_what_to_do_instead() {
    for row in all() {
        assert_eq!(row.instead.is_some(), recipe(row.kind).is_none(), "{}", row.kind);
        assert!(!row.cannot.is_empty() && !row.witnesses.is_empty(), "{}", row.kind);
    }
}

#[test]
fn every_way_in_which_something_was_shown_is_explained_and_what_is_recorded_is_played() {
    let page = page();
    let (head, _) = page.split_once("| agent |").unwrap();
    for row in all() {
        let word = row.shown.word();
        assert!(head.contains(&format!("- **{word}**: ")), "{}: {word}", row.kind);
    }
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/acp/1");
    assert_eq!(of("acp:NAME").unwrap().shown == Shown::Replay, fixtures.is_dir());
}

/// `HEADSUP_UPDATE=1` writes it.
#[test]
fn the_page_is_as_the_table_says() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md");
    if std::env::var_os("HEADSUP_UPDATE").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), page());
}
