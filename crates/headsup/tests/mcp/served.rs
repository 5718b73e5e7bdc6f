use crate::line::{BINARY, Line};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::{Value, json};

const AGENT: (&str, &str) = ("HEADSUP_AGENT_ID", "api");

#[test]
fn an_agent_that_nobody_launched_appears_as_what_it_is_with_its_process() {
    let home = Home::new(BINARY);
    let _hub = Hub::start(&home);
    let mut line = Line::start(&home, &[AGENT]);
    let told = line.tool("get_session", json!({}));
    let session = &told["structuredContent"];
    assert_eq!((&session["id"], &session["kind"]), (&json!("api"), &json!("codex")), "{told}");
    let seat: Value = home.run(["show", "api", "--json"]).ok().json();
    assert_eq!(seat["process"]["state"], "running");
    assert_eq!(seat["location"]["pid"], std::process::id(), "whoever has started the server");
    assert_eq!(seat["cwd"], home.path().to_str().unwrap());
    assert_eq!(line.close(), Some(0), "the end of the input is the end");
}

#[test]
fn the_hub_is_started_by_the_first_call_and_found_again_after_it_was_killed() {
    let home = Home::new(BINARY);
    // Else whoever runs this would be the agent, and no agent stops the hub.
    let mut line = Line::under_a_shell(&home, &[AGENT]);
    assert!(!home.socket().exists(), "nobody has asked for anything");
    let told = line.tool("get_session", json!({}));
    assert_eq!(told["isError"], false, "{told}");
    home.run(["down"]).ok();
    let hub = Hub::start(&home);
    assert_eq!(line.tool("get_session", json!({}))["isError"], false, "another one is there");
    hub.kill();
    let told = std::thread::scope(|scope| {
        let calling = scope.spawn(|| line.tool("get_session", json!({})));
        // Whoever runs it starts it again, with what it had; the call has started none meanwhile.
        let _again = Hub::start(&home);
        calling.join().unwrap()
    });
    assert_eq!(told["structuredContent"]["id"], "api", "{told}");
}

#[test]
fn a_seat_whose_process_is_over_is_taken_by_the_process_that_calls_next() {
    let home = Home::new(BINARY);
    let _hub = Hub::start(&home);
    let show = || home.run(["show", "api", "--json"]).ok().json();
    let said = json!({"status": "working", "message": "on it"});
    let mut first = Line::under_a_shell(&home, &[AGENT]);
    assert_eq!(first.tool("update_status", said.clone())["isError"], false);
    let before = show();
    assert_eq!(before["process"]["state"], "running", "{before}");
    drop(first);
    wait::until("the end of the first", || (show()["process"]["state"] == "exited").then_some(()));
    let mut second = Line::under_a_shell(&home, &[AGENT]);
    assert_eq!(second.tool("update_status", said)["isError"], false);
    let after = show();
    assert_eq!(after["process"]["state"], "running", "{after}");
    assert_ne!(after["location"]["pid"], before["location"]["pid"], "{after}");
    assert_eq!(after["headline"], before["headline"], "{after}");
}

#[test]
fn an_address_that_is_none_is_told_to_the_client_by_the_name_of_its_variable() {
    let home = Home::new(BINARY);
    let mut line = Line::bare(&home, &[AGENT, ("BOB_API_URL", "https://bob.example/api")]);
    let refused = line.call("initialize", json!({}));
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.contains("BOB_API_URL") && !why.contains("HEADSUP_URL"), "{why}");
    assert_eq!(line.close(), Some(2));
}

#[test]
fn bobs_names_of_the_variables_are_read_too() {
    let home = Home::new(BINARY);
    let _hub = Hub::start_with(&home, &["--listen", "127.0.0.1:0"]);
    let link = home.run(["mcp", "--http", "--json"]).ok().json();
    let url = link["url"].as_str().unwrap().strip_suffix("/mcp").unwrap().to_owned();
    let token = std::fs::read_to_string(home.state().join("token")).unwrap();
    let env = [
        ("BOB_SESSION_ID", "bob-1"),
        ("BOB_API_URL", url.as_str()),
        ("BOB_API_KEY", token.trim()),
        // Else the socket would do.
        ("HEADSUP_HOME", "/nowhere"),
    ];
    let mut line = Line::start(&home, &env);
    let told = line.tool("get_session", json!({}));
    assert_eq!(told["structuredContent"]["id"], "bob-1", "{told}");
}

#[test]
fn without_an_agent_the_tools_are_listed_and_each_says_what_is_missing() {
    let home = Home::new(BINARY);
    let mut line = Line::start(&home, &[("HEADSUP_AGENT_ID", "")]);
    let list = line.call("tools/list", json!({}));
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 20);
    let told = line.tool("update_status", json!({"status": "working", "message": "m"}));
    assert_eq!(told["isError"], true);
    let text = told["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("HEADSUP_AGENT_ID is not set"), "{text}");
    assert!(!home.socket().exists(), "the hub was not needed");
}

#[test]
fn the_list_is_the_same_bytes_each_time() {
    let home = Home::new(BINARY);
    let list = || Line::start(&home, &[AGENT]).call("tools/list", json!({})).to_string();
    let first = list();
    assert_eq!(first, list());
    assert!(first.len() < 20_000, "{} bytes", first.len());
}

#[test]
fn a_person_answers_from_a_shell_what_an_agent_asks_over_a_hub_that_was_killed() {
    let home = Home::new(BINARY);
    let hub = Hub::start(&home);
    // Known before, so that this process is not taken for the agent, which could not answer itself.
    home.run(["report", "working", "--agent", "api"]).ok();
    let mut line = Line::start(&home, &[AGENT]);
    let ask = json!({
        "question": "Which colour?", "default_action": "red", "options": ["Red", "Blue"],
        "wait_seconds": 0,
    });
    let told = line.tool("request_input", ask);
    let prompt = told["structuredContent"]["prompt_id"].as_str().unwrap().to_owned();
    let answered = std::thread::scope(|scope| {
        let wait = json!({ "prompt_id": prompt, "wait_seconds": 50 });
        let waiting = scope.spawn(|| line.tool("wait_for_input", wait));
        hub.kill();
        // The answer has a hub started again.
        home.run(["answer", &prompt, "--option", "2"]).ok();
        waiting.join().unwrap()
    });
    home.run(["down"]).ok();
    let outcome = &answered["structuredContent"];
    assert_eq!((&outcome["outcome"], &outcome["value"]), (&json!("answered"), &json!("Blue")));
    assert_eq!(outcome["resolution"]["via"], "cli", "{answered}");
}
