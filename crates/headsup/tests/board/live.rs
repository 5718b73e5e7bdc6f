//! What agents do is on the page, and only what they did.

use crate::rig::Board;
use serde_json::json;

/// Puts a mark on every row: a row that is replaced loses it.
const MARK: &str = "document.querySelectorAll('.row').forEach((row) => { row.marked = true; })";
const UNMARKED: &str =
    "return [...document.querySelectorAll('.row')].filter((r) => !r.marked).map((r) => r.id)";

#[test]
fn forty_agents_are_live_and_only_the_one_that_changed_is_touched() {
    let Some(board) = Board::start() else { return };
    for n in 0..40 {
        let states = ["working", "idle", "done", "working"];
        board.report(&format!("agent-{n:02}"), json!({"turn": states[n % 4]}));
    }
    board.browser.until("all rows", "document.querySelectorAll('.row').length === 40");
    board.agrees();
    board.browser.js(MARK);
    board.works("api");
    board.shows("api", "working");
    board.asks("api", "rm -rf build");
    board.shows("api", "blocked");
    assert_eq!(board.browser.js(UNMARKED), json!(["a-api"]));
    assert_eq!(board.list("needs").first().unwrap(), "api");
    board.agrees();
    let row = board.browser.text("return document.getElementById('a-api').innerText");
    for words in ["blocked", "api", "claude-code", "permission", "Bash: rm -rf build", "Allow"] {
        assert!(row.contains(words), "{words} in {row}");
    }
    assert_eq!(board.browser.text("return document.title"), "(11) headsup");
    assert!(board.browser.text("return document.getElementById('icon').href").contains("wanted"));
    let summary = board.browser.text("return document.getElementById('summary').innerText");
    assert!(summary.contains("1 blocked") && summary.contains("10 done"), "{summary}");
    board.hook("api", "Stop", json!({}));
    board.shows("api", "done");
    board.agrees();
    board.is_clean();
}

#[test]
fn a_burst_is_one_redraw_and_ends_right() {
    let Some(board) = Board::start() else { return };
    board.browser.js("window.redraws = 0;
         const seen = new MutationObserver(() => { window.redraws += 1; });
         seen.observe(document.getElementById('main'), {subtree: true, childList: true});");
    // As fast as one client can: far more than twenty a second.
    for n in 0..200 {
        let turn = if n % 2 == 0 { "working" } else { "blocked" };
        board.report("api", json!({"turn": turn, "detail": format!("step {n}")}));
    }
    board.browser.until("the last step", "document.body.innerText.includes('step 199')");
    board.agrees();
    let redraws = board.browser.js("return window.redraws").as_u64().unwrap();
    assert!((1..200).contains(&redraws), "{redraws} redraws of 200 changes");
    board.is_clean();
}

#[test]
fn a_row_that_goes_further_down_leaves_the_others_where_they_are() {
    let Some(board) = Board::start() else { return };
    for n in 0..5 {
        board.report(&format!("agent-{n}"), json!({"turn": "working"}));
    }
    board.browser.until("all rows", "document.querySelectorAll('.row').length === 5");
    board.browser.js("const link = document.getElementById('to-agent-2');
         window.left = 0;
         link.focus();
         link.addEventListener('blur', () => { window.left += 1; })");
    // The last two come within the pause behind the first, and so in one message.
    board.report("agent-4", json!({"turn": "working", "detail": "the last part"}));
    for turn in ["idle", "working"] {
        board.report("agent-0", json!({"turn": turn}));
    }
    let last = "document.getElementById('active').lastElementChild?.id === 'a-agent-0'";
    board.browser.until("its new place", last);
    assert_eq!(board.browser.js("return window.left"), 0, "what has the focus was moved");
    board.agrees();
    board.is_clean();
}

#[test]
fn an_agents_page_follows_it() {
    let Some(board) = Board::start() else { return };
    board.works("api");
    board.open("/agents/api");
    board.live();
    let says = |what: &str| {
        let quoted = serde_json::to_string(what).unwrap();
        board.browser.until(what, &format!("document.body.innerText.includes({quoted})"));
    };
    says("working");
    says("~/src/api");
    says("session-api");
    says("Why headsup believes so");
    board.asks("api", "make deploy");
    says("Bash: make deploy");
    says("answer it in the agent's terminal");
    says("hook says so (PermissionRequest)");
    assert_eq!(board.browser.text("return document.title"), "▲ api is blocked");
    let call = json!({"tool_name": "Bash", "tool_use_id": "t1",
        "tool_input": {"command": "make deploy"}, "tool_response": {}});
    board.hook("api", "PostToolUse", call.clone());
    board.browser.until("the prompt to go", "!document.querySelector('#prompts .ask')");
    board.hook("api", "PreToolUse", call);
    let activity = "document.getElementById('activity').innerText";
    board.browser.until("its activity", &format!("{activity}.includes('make deploy')"));
    board.home.run(["forget", "api", "--force"]).ok();
    says("This agent has been forgotten.");
    board.is_clean();
    board.open("/agents/api");
    says("There is no agent api");
    // It is followed from there, should it appear after all.
    board.live();
    board.works("api");
    says("session-api");
    board.browser.until("its title", "document.title === 'api is working'");
}

#[test]
fn an_empty_roster_says_what_to_do_and_ends_with_the_first_agent() {
    let Some(board) = Board::start() else { return };
    let text = board.browser.text("return document.querySelector('main').innerText");
    assert!(text.contains("No agents yet") && text.contains("headsup run -- "), "{text}");
    assert_eq!(board.browser.text("return document.title"), "headsup");
    board.report("api", json!({"turn": "working"}));
    board.shows("api", "working");
    board.browser.until("the advice to go", "!document.body.innerText.includes('No agents yet')");
    board.browser.until(
        "the first agent to be told aloud",
        "document.getElementById('said').textContent === 'api is working'",
    );
    board.is_clean();
}

#[test]
fn an_age_runs_on_by_itself() {
    let Some(board) = Board::start() else { return };
    board.report("api", json!({"turn": "working"}));
    board.shows("api", "working");
    board.browser.js("window.fetched = 0; const fetch_ = window.fetch;
         window.fetch = (...all) => { window.fetched += 1; return fetch_(...all); };");
    // A machine that stalls skips some of them.
    board.browser.until(
        "an age of seconds",
        "parseInt(document.querySelector('.row .age').textContent) >= 2",
    );
    assert_eq!(board.browser.js("return window.fetched"), 0);
    board.is_clean();
}
