//! Questions are answered on the page, once, and the page says how they ended.

use crate::rig::Board;
use headsup_testkit::browser::ENTER;
use headsup_testkit::http;
use serde_json::{Value, json};

/// Asks in the name of `api`; the id.
fn ask(board: &Board, body: &Value) -> String {
    ask_as(board, "api", body)
}

fn ask_as(board: &Board, agent: &str, body: &Value) -> String {
    let path = format!("/api/v1/agents/{agent}/prompts");
    let headers = [("X-Headsup-Agent", agent)];
    let body = body.to_string();
    let sent = http::request(&board.home.socket(), "POST", &path, &headers, body.as_bytes());
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
    board.browser.until("the time that is left", &format!("{left}.match(/^(9:\\d\\d|10:00)/)"));
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

#[test]
fn the_second_click_of_a_double_one_does_not_answer_the_card_that_comes_up() {
    let Some(board) = Board::start() else { return };
    let first = ask(&board, &database());
    let second = ask_as(&board, "web", &database());
    board.shows("api", "blocked");
    board.shows("web", "blocked");
    // It comes in the moment in which the next card has taken the place of the one that was answered.
    board.browser.js(&format!(
        "const {{ left, top }} = document.getElementById('b-{first}-1').getBoundingClientRect();
         const at = {{ clientX: left + 5, clientY: top + 5, bubbles: true, detail: 1 }};
         const under = () => document.elementFromPoint(at.clientX, at.clientY);
         const click = () => {{
           for (const kind of ['pointerdown', 'click']) under().dispatchEvent(new PointerEvent(kind, at));
         }};
         new MutationObserver((_, me) => {{
           if (under().closest('button')?.id !== 'b-{second}-1') return;
           me.disconnect();
           click();
         }}).observe(document.getElementById('main'), {{ childList: true, subtree: true }});
         click()"
    ));
    let told = format!("document.getElementById('told-{second}').textContent");
    board.browser.until("it to be told", &format!("{told}.includes('moved under the pointer')"));
    assert_eq!(prompt(&board, &first)["resolution"]["value"], "pg");
    assert_eq!(prompt(&board, &second)["state"], "open");
    // Whoever uses the keyboard points at nothing.
    board.browser.js(&format!("document.getElementById('b-{second}-2').click()"));
    board.browser.until("the card to go", "!document.querySelector('[data-prompt]')");
    assert_eq!(prompt(&board, &second)["resolution"]["value"], "SQLite");
    board.is_clean();
}

#[test]
fn a_click_counts_where_the_window_has_got_another_size() {
    let Some(board) = Board::start() else { return };
    let id = ask(&board, &database());
    board.shows("api", "blocked");
    // The button comes to lie under the pointer, and then something is drawn, but not its card.
    board.browser.js(&format!(
        "const [main, button] = ['main', 'b-{id}-1'].map((id) => document.getElementById(id));
         const {{ left, top }} = button.getBoundingClientRect();
         const at = {{ clientX: left + 5, clientY: top + 5, bubbles: true, detail: 1 }};
         main.style.paddingTop = '400px';
         document.body.dispatchEvent(new PointerEvent('pointermove', at));
         main.style.paddingTop = '';
         dispatchEvent(new Event('resize'));
         main.append(document.createElement('p'));
         return Promise.resolve().then(() => {{
           button.dispatchEvent(new PointerEvent('click', at));
         }})"
    ));
    board.browser.until("the card to go", "!document.querySelector('[data-prompt]')");
    assert_eq!(prompt(&board, &id)["resolution"]["value"], "pg");
}

#[test]
fn what_became_of_an_answer_is_told_where_the_card_was_drawn_again() {
    let Some(board) = Board::start() else { return };
    let id = ask(&board, &database());
    board.shows("api", "blocked");
    // The disk is full, and the hub takes its time to say so.
    board.browser.js(&format!(
        "const real = window.fetch;
         const full = () => Response.json({{ code: 'storage_full', detail: 'the disk is full' }}, {{ status: 507 }});
         window.fetch = (path, ...more) => String(path).endsWith('/answer')
           ? new Promise((done) => {{ window.refuse = () => done(full()); }})
           : real(path, ...more);
         document.getElementById('b-{id}-1').click()"
    ));
    rename(&board);
    let disabled = format!("return document.getElementById('b-{id}-1').disabled");
    assert_eq!(board.browser.js(&disabled), true, "it is still on its way");
    board.browser.js("window.refuse()");
    let told = format!("document.getElementById('told-{id}').textContent");
    board.browser.until("the refusal to be told", &format!("{told} === 'the disk is full'"));
    assert_eq!(board.browser.js(&disabled), false);
    assert_eq!(prompt(&board, &id)["state"], "open");
}

#[test]
fn whoever_writes_goes_on_in_the_same_place_where_the_card_was_drawn_again() {
    let Some(board) = Board::start() else { return };
    let id = ask(&board, &json!({"question": "What is it called?", "default_action": "x"}));
    board.shows("api", "blocked");
    board.browser.js(&format!(
        "const field = document.getElementById('t-{id}');
         field.focus(); field.value = 'Ada Lovelace'; field.setSelectionRange(3, 5)"
    ));
    rename(&board);
    let place = "const at = document.activeElement;
         return [at.id, at.value, at.selectionStart, at.selectionEnd]";
    assert_eq!(board.browser.js(place), json!([format!("t-{id}"), "Ada Lovelace", 3, 5]));
}

/// They read something elsewhere in the middle of their answer.
#[test]
fn the_place_is_kept_while_the_page_has_not_the_focus() {
    let Some(board) = Board::start() else { return };
    let id = ask(&board, &json!({"question": "What is it called?", "default_action": "x"}));
    board.shows("api", "blocked");
    // Where nobody is, a field can be focused and is told nothing of it.
    board.browser.js(&format!(
        "const field = document.getElementById('t-{id}');
         field.focus(); field.value = 'Ada Lovelace'; field.setSelectionRange(3, 5);
         addEventListener('focusin', (event) => event.stopImmediatePropagation(), true)"
    ));
    rename(&board);
    let place = "const at = document.activeElement;
         return [at.id, at.selectionStart, at.selectionEnd]";
    assert_eq!(board.browser.js(place), json!([format!("t-{id}"), 3, 5]));
}

#[test]
fn whoever_is_refused_is_where_they_were() {
    let Some(board) = Board::start() else { return };
    let id = ask(&board, &json!({"question": "What is it called?", "default_action": "x"}));
    board.shows("api", "blocked");
    board.browser.js(&format!(
        "const real = window.fetch;
         window.fetch = (path, ...more) => String(path).endsWith('/answer')
           ? new Promise((_, fail) => {{ window.fail = fail; }})
           : real(path, ...more);
         const field = document.getElementById('t-{id}');
         field.value = 'Ada';
         field.focus();
         field.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter', bubbles: true }}))"
    ));
    // What is disabled loses the focus when the page is drawn.
    board.browser.until("the focus to go", "document.activeElement === document.body");
    rename(&board);
    board.browser.js("window.fail(new Error('gone'))");
    board.browser.until("the field to be back", &format!("document.activeElement.id === 't-{id}'"));
    assert_eq!(board.browser.js("return document.activeElement.value"), "Ada");
}

#[test]
fn whoever_reads_goes_on_in_the_same_place_where_the_card_was_drawn_again() {
    let Some(board) = Board::start() else { return };
    let question = "which branch shall it be? ".repeat(150);
    board.report("api", json!({"turn": "blocked", "reason": "question", "detail": question}));
    board.shows("api", "blocked");
    board.browser.js("document.querySelector('#a-api .asked').scrollTop = 120");
    rename(&board);
    let at = "return document.querySelector('#a-api .asked').scrollTop";
    assert_eq!(board.browser.js(at), 120);
}

/// Has the card of `api` drawn again.
fn rename(board: &Board) {
    board.home.run(["rename", "api", "front"]).ok();
    let name = "document.getElementById('a-api').innerText.includes('front')";
    board.browser.until("the new name", name);
}
