//! Another page in the same browser, which is signed in here, tries what it can.

mod page;

use crate::rig::Board;
use page::Evil;
use serde_json::{Value, json};

const REBIND: &str = "--host-resolver-rules=MAP evil.example 127.0.0.1";

#[test]
fn a_page_of_another_origin_reads_and_changes_nothing() {
    let Some(board) = Board::start_with(&[REBIND]) else { return };
    board.describe("PUT", "secret-agent", &json!({"cwd": "/home/ada/secret"}));
    let before = board.cursor();
    let evil = Evil::serve(&board.url);
    // Another port of our own host is the same site: its requests carry our cookie.
    for host in ["127.0.0.1", "localhost", "evil.example"] {
        let refused = || board.refused("foreign_origin") + board.refused("foreign_site");
        let earlier = refused();
        board.browser.open(&format!("http://{host}:{}/", evil.port));
        board.browser.until("all attempts to be over", "window.results");
        let results = board.browser.js("return window.results");
        for (attempt, result) in results.as_object().unwrap() {
            assert_eq!(result, "nothing", "{attempt} from {host}");
        }
        assert_eq!(results.as_object().unwrap().len(), 14);
        // They did arrive.
        assert!(refused() >= earlier + 8, "{} refused from {host}", refused() - earlier);
    }
    assert_eq!(board.cursor(), before, "nothing has changed");
    // The page itself is allowed what the others tried.
    board.open("/");
    board.live();
    board
        .browser
        .js("fetch('/api/v1/agents').then((a) => a.text()).then((text) => { window.own = text; })");
    board.browser.until("an answer", "window.own");
    assert!(board.browser.text("return window.own").contains("secret-agent"));
}

#[test]
fn a_name_that_was_rebound_to_us_gets_nothing() {
    let Some(board) = Board::start_with(&[REBIND]) else { return };
    board.describe("PUT", "secret-agent", &json!({"cwd": "/home/ada/secret"}));
    let before = board.cursor();
    let rebound = board.url.replace("127.0.0.1", "evil.example");
    for path in
        ["/", "/agents/secret-agent", "/api/v1/agents", "/metrics", "/ui/events", "/healthz"]
    {
        board.browser.open(&format!("{rebound}{path}"));
        let text = board.browser.text("return document.documentElement.outerHTML");
        assert!(!text.contains("secret"), "{path}: {text}");
    }
    // As its own origin it may use every header; only the name gives it away.
    board.browser.js(
        "const reports = fetch('/api/v1/agents/secret-agent/reports', {method: 'POST',
             headers: {'content-type': 'application/json'}, body: '{\"turn\":\"done\"}'});
         const roster = fetch('/api/v1/agents');
         Promise.all([reports, roster].map((sent) => sent.then((a) => a.status)))
             .then((all) => { window.results = all; }, (error) => { window.results = String(error); });",
    );
    board.browser.until("the attempts to be over", "window.results");
    // The refusal's own policy forbids its page any request; without it the name would.
    let results: Value = board.browser.js("return window.results");
    assert!(
        results == json!([421, 421]) || results.as_str().is_some_and(|r| r.contains("TypeError")),
        "{results}"
    );
    assert!(board.refused("wrong_host") >= 6);
    assert_eq!(board.cursor(), before, "nothing has changed");
}
