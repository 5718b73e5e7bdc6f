//! The page never looks live when it is not, and comes back by itself.

use crate::rig::Board;
use rustix::process::Signal;
use serde_json::json;

const DIMMED: &str = "Number(getComputedStyle(document.querySelector('main')).opacity) < 0.7";

#[test]
fn a_restart_is_survived_without_loading_the_page_again() {
    let Some(board) = Board::start() else { return };
    for agent in ["api", "web", "docs"] {
        board.works(agent);
    }
    board.asks("api", "make");
    board.shows("api", "blocked");
    board.browser.js("window.survived = true; window.said = []; new MutationObserver(() => window.said.push(1)).observe(document.getElementById('said'), {childList: true, characterData: true, subtree: true});");

    board.stop();
    board.browser.until("the page to know", "document.documentElement.dataset.link === 'stopped'");
    let text = "document.body.innerText";
    board.browser.until(
        "words for it",
        &format!("{text}.includes('Hub stopped') && {text}.includes('as of')"),
    );
    board.browser.until("the rows to be dimmed", DIMMED);

    board.restart();
    board.live();
    // The first message of a new stream is how things are, and no news.
    assert_eq!(board.browser.js("return window.said"), json!([]));
    board.hook("web", "Stop", json!({}));
    board.shows("web", "done");
    board.agrees();
    board.browser.until(
        "it to be told aloud",
        "document.getElementById('said').textContent === 'web is done'",
    );
    assert_eq!(board.browser.js("return window.survived"), true);
    board.browser.until("the rows to be clear", &format!("!({DIMMED})"));
}

#[test]
fn what_changed_while_the_hub_was_killed_is_there_afterwards() {
    let Some(board) = Board::start() else { return };
    board.works("api");
    board.works("gone");
    board.shows("gone", "working");
    board.browser.js("window.survived = true");
    board.kill();
    board.browser.until("the page to know", "document.documentElement.dataset.link === 'lost'");
    let says = board.browser.text("return document.getElementById('link').innerText");
    assert!(says.starts_with("Reconnecting"), "{says}");
    // Into the spool.
    board.hook("api", "Stop", json!({}));
    board.restart();
    board.live();
    board.shows("api", "done");
    board.agrees();
    assert_eq!(board.browser.js("return window.survived"), true);
}

#[test]
fn a_hub_that_falls_silent_is_not_taken_for_a_calm_one() {
    let Some(board) = Board::start() else { return };
    board.works("api");
    board.shows("api", "working");
    board.signal(Signal::STOP);
    board
        .browser
        .until("the silence to be noticed", "document.documentElement.dataset.link === 'lost'");
    let age = "document.querySelector('.row .age').textContent";
    let before = board.browser.text(&format!("return {age}"));
    // For how long is to be seen, and is not read aloud every second.
    board.browser.js("window.aloud = [];
         new MutationObserver((changes) => changes.forEach(({ target }) => {
           if (!target.closest('[aria-hidden]')) window.aloud.push(target.id);
         })).observe(document.getElementById('link'), { childList: true, subtree: true })");
    let passed = "/for (\\d\\ds|[2-9]s|\\dm)/.test(document.getElementById('link').innerText)";
    board.browser.until("time to pass", passed);
    assert_eq!(board.browser.js("return window.aloud"), json!([]));
    assert_eq!(board.browser.text(&format!("return {age}")), before, "the age stands still");
    board.signal(Signal::CONT);
    board.live();
    board.agrees();
}

#[test]
fn who_is_signed_out_is_told_so() {
    let Some(board) = Board::start() else { return };
    board.report("api", json!({"turn": "working"}));
    board.shows("api", "working");
    // Another token ends every session.
    board.stop();
    std::fs::remove_file(board.home.state().join("token")).unwrap();
    board.restart();
    board.browser.until("it to be told", "document.documentElement.dataset.link === 'out'");
    let text = board.browser.text("return document.body.innerText");
    assert!(text.contains("Signed out") && text.contains("headsup open"), "{text}");
    board.open("/");
    let text = board.browser.text("return document.body.innerText");
    assert!(text.contains("You are signed out") && !text.contains("api"), "{text}");
    board.sign_in();
    board.shows("api", "working");
}

/// A browser has six connections to a host, and a page that waits for events holds one.
#[test]
fn many_tabs_do_not_starve_the_one_that_is_looked_at() {
    let Some(board) = Board::start() else { return };
    board.works("api");
    board.shows("api", "working");
    let first = board.browser.open_tab(&board.url);
    for _ in 0..8 {
        board.browser.open_tab(&board.url);
        board.live();
    }
    board.asks("api", "make");
    board.shows("api", "blocked");
    board.browser.look_at(first);
    board.shows("api", "blocked");
    board.live();
}
