//! Everything can be reached without a mouse, and an update does not take the place away.

use crate::rig::Board;
use headsup_testkit::browser::{ENTER, TAB};

const FOCUSED: &str = "return document.activeElement.id || document.activeElement.className";

#[test]
fn the_keyboard_reaches_every_agent_and_updates_leave_it_there() {
    let Some(board) = Board::start() else { return };
    for agent in ["one", "two", "three"] {
        board.works(agent);
    }
    board.shows("three", "working");
    let mut reached = Vec::new();
    for _ in 0..6 {
        board.browser.press(TAB);
        reached.push(board.browser.text(FOCUSED));
    }
    assert_eq!(reached, ["skip", "brand", "to-inbox", "to-one", "to-two", "to-three"]);
    let outline = "return getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(board.browser.text(outline), "solid", "where the focus is can be seen");

    // It moves to another list, and the focus with it.
    board.asks("three", "make");
    board.shows("three", "blocked");
    assert_eq!(board.browser.text(FOCUSED), "to-three");
    board.hook("one", "Stop", serde_json::json!({}));
    board.shows("one", "done");
    assert_eq!(board.browser.text(FOCUSED), "to-three");
    assert_eq!(board.list("needs"), ["three", "one"]);

    board.browser.press(ENTER);
    board.browser.until("its page", "location.pathname === '/agents/three'");
    board.live();
    board.is_clean();
}

#[test]
fn a_fold_that_was_opened_stays_open() {
    let Some(board) = Board::start() else { return };
    board.works("old");
    board.works("api");
    board.hook("old", "SessionEnd", serde_json::json!({"reason": "prompt_input_exit"}));
    board.shows("old", "ended");
    let open = "return document.getElementById('gone-fold').open";
    assert_eq!(board.browser.js(open), false);
    board.browser.js("document.querySelector('#gone-fold summary').click()");
    board.hook("api", "Stop", serde_json::json!({}));
    board.shows("api", "done");
    assert_eq!(board.browser.js(open), true);
}

#[test]
fn what_has_the_focus_is_not_behind_the_top() {
    let Some(board) = Board::start() else { return };
    for n in 0..40 {
        board.report(&format!("agent-{n:02}"), serde_json::json!({"turn": "working"}));
    }
    board.browser.until("all rows", "document.querySelectorAll('.row').length === 40");
    for width in [390, 1280] {
        board.browser.size(width, 400);
        let hidden = board.browser.js("const name = document.getElementById('to-agent-20');
             name.blur();
             scrollBy(0, name.getBoundingClientRect().top - 10);
             name.focus();
             const top = document.querySelector('.top').getBoundingClientRect();
             return top.bottom - name.getBoundingClientRect().top");
        assert!(hidden.as_f64().unwrap() <= 0.0, "{hidden} pixels at {width}");
    }
}
