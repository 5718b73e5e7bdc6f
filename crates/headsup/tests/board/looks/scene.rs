//! Agents as people have them, and pictures of the page with them.

use crate::rig::Board;
use headsup_testkit::http;
use serde_json::json;
use std::path::Path;

/// One of everything.
pub(super) fn busy(board: &Board) {
    board.works("api");
    board.asks("api", "rm -rf build && cargo test --workspace -- --nocapture");
    let question = json!({"question": "Which database should the service use?", "header": "DB",
        "multiSelect": false, "options": [
            {"label": "Postgres", "description": "What the other services use"},
            {"label": "SQLite", "description": "One file, no server"},
            {"label": "Neither", "description": "Ask the team first"}]});
    let ask = json!({"tool_name": "AskUserQuestion", "tool_use_id": "q1",
        "tool_input": {"questions": [question]}});
    board.works("web");
    board.hook("web", "PermissionRequest", ask);
    board.works("billing");
    board.hook("billing", "StopFailure", json!({"error": "overloaded", "error_details": "529"}));
    board.works("docs");
    board.hook(
        "docs",
        "Stop",
        json!({"last_assistant_message":
        "All 214 tests pass. The flaky retry is gone: two tests shared one clock."}),
    );
    board.works("infra");
    board.hook("infra", "Stop", json!({"last_assistant_message": "The preview is up on port 3000.",
        "background_tasks": [{"id": "b1", "type": "shell", "status": "running", "command": "npm run dev"}]}));
    for (agent, tool, input) in [
        ("search", "Bash", json!({"command": "cargo nextest run -p core"})),
        ("checkout", "Edit", json!({"file_path": "/home/ada/src/checkout/src/cart.rs"})),
        ("mobile", "Bash", json!({"command": "./gradlew assembleDebug"})),
    ] {
        board.works(agent);
        let call = json!({"tool_name": tool, "tool_use_id": "t2", "tool_input": input});
        board.hook(agent, "PreToolUse", call);
    }
    board.report("nightly", json!({"turn": "working", "detail": "rebuilding the search index"}));
    board.report("audit", json!({"turn": "idle"}));
    board.describe("PUT", "etl", &json!({"cwd": board.home.path().join("src/etl")}));
    board.works("old");
    board.hook("old", "SessionEnd", json!({"reason": "prompt_input_exit"}));
    board.shows("old", "ended");
    board.agrees();
}

/// Forty more that work.
fn crowd(board: &Board) {
    for n in 0..30 {
        let turn = ["working", "idle", "working", "done", "idle"][n % 5];
        let detail =
            ["reading the parser", "", "running the migrations", "the report is ready", ""][n % 5];
        board.report(&format!("worker-{n:02}"), json!({"turn": turn, "detail": detail}));
    }
    board.agrees();
}

/// Agents that ask through the hub, and one that has its answer.
pub(super) fn questions(board: &Board) {
    let ask = |agent: &str, body: &serde_json::Value| {
        let path = format!("/api/v1/agents/{agent}/prompts");
        let body = body.to_string();
        let sent = http::request(&board.home.socket(), "POST", &path, &[], body.as_bytes());
        assert_eq!(sent.unwrap().0, 201);
    };
    let region = json!({"question": "Which region is the new cluster for?",
        "default_action": "eu-central, as the others", "options": [
            {"label": "eu-central", "description": "where the others are"}, "us-east", "both"]});
    let name = json!({"title": "What is the release called?", "default_action": "2026.48",
        "question": "The changelog has three breaking changes.\nWhat is the release called?"});
    let drop = json!({"question": "Which tables may be dropped?", "default_action": "none",
        "multi_select": true, "risk": "high", "options": ["sessions_old", "carts_2024", "tmp_import"]});
    let done =
        json!({"question": "Push to main?", "default_action": "no", "options": ["yes", "no"]});
    for (agent, body) in [("search", &done), ("search", &region), ("etl", &name), ("mobile", &drop)]
    {
        ask(agent, body);
    }
    board.home.run(["answer", "search-p1", "no"]).ok();
}

pub(super) fn pictures(board: &Board, folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    let save = |name: &str| {
        std::fs::write(folder.join(format!("{name}.png")), board.browser.picture()).unwrap();
    };
    let scheme = |scheme: &str| board.browser.prefer(&[("prefers-color-scheme", scheme)]);
    board.browser.size(1200, 800);
    scheme("light");
    save("empty");
    busy(board);
    board.open("/");
    board.live();
    save("light");
    scheme("dark");
    save("dark");
    board.browser.size(390, 844);
    save("narrow-dark");
    scheme("light");
    save("narrow");
    for (agent, name) in [("web", "agent"), ("infra", "agent-done")] {
        board.open(&format!("/agents/{agent}"));
        board.live();
        board.browser.size(390, 1200);
        save(&format!("{name}-narrow"));
        board.browser.size(1200, 900);
        save(name);
        scheme("dark");
        save(&format!("{name}-dark"));
        scheme("light");
    }
    questions(board);
    for (path, name) in [("/inbox", "inbox"), ("/", "asked")] {
        board.open(path);
        board.live();
        board.browser.size(1200, 1300);
        save(name);
        scheme("dark");
        board.browser.size(390, 1500);
        save(&format!("{name}-narrow-dark"));
        scheme("light");
    }
    board.open("/");
    board.live();
    crowd(board);
    board.open("/");
    board.live();
    board.browser.size(1200, 2200);
    save("forty");
    board.browser.size(1200, 800);
    board.stop();
    board.browser.until("the page to know", "document.documentElement.dataset.link === 'stopped'");
    board
        .browser
        .until("the dimming", "getComputedStyle(document.querySelector('main')).opacity === '0.6'");
    save("stopped");
}
