//! Questions are answered on the page, once, and the page says how they ended.

use crate::rig::Board;
use headsup_testkit::browser::ENTER;
use headsup_testkit::http;
use serde_json::{Value, json};

/// Asks in the name of `api`; the id.
fn ask(board: &Board, body: &Value) -> String {
    let path = "/api/v1/agents/api/prompts";
    let headers = [("X-Headsup-Agent", "api")];
    let body = body.to_string();
    let sent = http::request(&board.home.socket(), "POST", path, &headers, body.as_bytes());
    let (status, text) = sent.unwrap();
    assert_eq!(status, 201, "{}", String::from_utf8_lossy(&text));
    serde_json::from_slice::<Value>(&text).unwrap()["id"].as_str().unwrap().to_owned()
}

fn database() -> Value {
    json!({
        "question": "Which database?", "default_action": "use SQLite", "timeout_minutes": 10,
        "options": [{"label": "Postgres", "value": "pg", "description": "as in production"}, "SQLite"],
    })
}

fn prompt(board: &Board, id: &str) -> Value {
    let (_, text) = http::get(&board.home.socket(), &format!("/api/v1/prompts/{id}")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn a_question_is_answered_where_it_stands() {
    let Some(board) = Board::start() else { return };
    let id = ask(&board, &database());
    board.shows("api", "blocked");
    let row = board.browser.text("return document.getElementById('a-api').innerText");
    for words in ["Which database?", "Postgres", "as in production", "use SQLite", "left, then"] {
        assert!(row.contains(words), "{words} in {row}");
    }
    let left = "document.querySelector('.left').textContent";
    board.browser.until("the time that is left", &format!("{left}.match(/^(9:5|10:00)/)"));
    board.browser.js(&format!("document.getElementById('b-{id}-1').click()"));
    board.browser.until("the card to go", "!document.querySelector('[data-prompt]')");
    let resolution = prompt(&board, &id)["resolution"].clone();
    assert_eq!((&resolution["value"], &resolution["via"]), (&json!("pg"), &json!("web")));
    board.is_clean();
}

#[test]
fn the_inbox_has_every_question_and_how_it_ended() {
    let Some(board) = Board::start() else { return };
    let first = ask(&board, &database());
    let second = ask(&board, &json!({"question": "What is it called?", "default_action": "x"}));
    let third = ask(
        &board,
        &json!({"question": "Which?", "default_action": "none",
        "options": ["red", "green", "blue"], "multi_select": true}),
    );
    board.browser.js("document.getElementById('to-inbox').click()");
    board.browser.until("the inbox", "location.pathname === '/inbox'");
    board.live();
    assert_eq!(board.browser.text("return document.title"), "(3) inbox · headsup");
    board.browser.until(
        "it to be known that they were seen",
        "document.querySelectorAll('#asked [data-prompt]').length === 3",
    );
    headsup_testkit::wait::until("the mark", || {
        (prompt(&board, &first)["seen"][0]["via"] == "web").then_some(())
    });
    // What is typed stays where its card is drawn again, and Enter sends it.
    let field = format!("t-{second}");
    board
        .browser
        .js(&format!("const f = document.getElementById('{field}'); f.focus(); f.value = 'Ada'"));
    board.browser.press(ENTER);
    let over = |id: &str| format!("document.querySelector('#answered #p-{id}')");
    board.browser.until("it to be over", &over(&second));
    board.browser.js(&format!(
        "for (const n of [1, 3]) document.getElementById('c-{third}-' + n).checked = true;
         document.getElementById('b-{third}').click()"
    ));
    board.browser.until("the third to be over", &over(&third));
    assert_eq!(prompt(&board, &third)["resolution"]["values"], json!(["red", "blue"]));
    // Somebody else was faster.
    board.home.run(["answer", &first, "--option", "2"]).ok();
    board.browser.until("the first to be over", &over(&first));
    let told = board.browser.text("return document.getElementById('answered').innerText");
    for words in ["answered in the browser: Ada", "on the command line: SQLite"] {
        assert!(told.contains(words), "{words} in {told}");
    }
    board.browser.until("its title", "document.title === 'inbox · headsup'");
    board.is_clean();
}

#[test]
fn whoever_clicks_too_late_is_told_who_was_first() {
    let Some(board) = Board::start() else { return };
    let id = ask(&board, &database());
    board.shows("api", "blocked");
    // The card is held where it was, as on a page that hears the hub late.
    board.browser.js(&format!(
        "window.held = document.querySelector('[data-prompt]').cloneNode(true);
         held.dataset.prompt = '{id}'; document.getElementById('main').append(held)"
    ));
    board.home.run(["answer", &id, "--option", "2"]).ok();
    board.browser.js("held.querySelector('button').click()");
    board.browser.until(
        "the winner to be told",
        "held.querySelector('.told').textContent.includes('on the command line: SQLite')",
    );
}
