//! A real agent asks a person by its tools, and its model is told who answered, through what, and when.

use crate::{installed, prompted_until, with};
use headsup_testkit::browser::Browser;
use headsup_testkit::live::{self, Hooks, Stage};
use headsup_testkit::model::{Asker, Reply, Request};
use headsup_testkit::{http, wait};
use serde_json::{Value, json};

/// What each program is started with so that it asks nobody whether it may ask.
const FREE: [(&str, &[&str]); 2] =
    [("claude-code", &["--allowedTools=mcp__headsup"]), ("opencode", &[])];

/// Where each keeps servers of its person, and below which member.
const KEPT: [(&str, &str, &str); 2] = [
    ("claude-code", ".claude.json", "mcpServers"),
    ("opencode", ".config/opencode/opencode.json", "mcp"),
];

fn of<T: Copy>(table: &[(&str, T)], kind: &str) -> T {
    table.iter().find(|(of, _)| *of == kind).unwrap().1
}

/// The name of a tool of ours, as the program calls it. Claude Code (2.1.330) only names tools of servers
/// until its model has searched for them.
fn name_of(request: &Request, tool: &str) -> Option<String> {
    let [named, offered] = [format!("mcp__headsup__{tool}"), format!("headsup_{tool}")];
    let is_named = || request.body.to_string().contains(&named).then(|| named.clone());
    request.tool(&[&*named, &*offered]).or_else(is_named)
}

fn can_ask(request: &Request) -> bool {
    name_of(request, "request_input").is_some()
}

/// What the model does once it can ask: it finds the tools, makes these calls, one after the other, and is
/// done. The last one waits for the hold `last`.
fn script(stage: &Stage, calls: Vec<(&'static str, Value)>) {
    let mut calls = calls.into_iter().peekable();
    stage.model.answer_with(move |request| {
        if !can_ask(request) {
            return Some(Reply::text("Not yet."));
        }
        let text = request.body.to_string();
        if request.tool(&["ToolSearch"]).is_some() && !text.contains("tool_reference") {
            let query = "select:mcp__headsup__request_input,mcp__headsup__wait_for_input";
            let search = json!({ "query": query, "max_results": 5 });
            return Some(Reply::new().tool("ToolSearch", search));
        }
        let Some((tool, input)) = calls.next() else { return Some(Reply::text("Thank you.")) };
        let reply = Reply::new().tool(&name_of(request, tool)?, input);
        Some(if calls.peek().is_none() { reply.stall("last") } else { reply })
    });
}

/// The first request from this one on in which the model is told this; its place, and what it is told.
fn told(stage: &Stage, from: usize, words: &str) -> (usize, String) {
    let results = |nth| stage.model.request(&Asker::Main, nth).results().join("\n");
    let mut later = (from..from + 10).map(|nth| (nth, results(nth)));
    later.find(|(_, results)| results.contains(words)).unwrap()
}

fn get(stage: &Stage, path: &str) -> Value {
    let (_, text) = http::get(&stage.home.socket(), path).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// The one open question.
fn question(stage: &Stage) -> Value {
    wait::within(wait::PATIENCE, "the question", || {
        let open = get(stage, "/api/v1/prompts?state=open&agent=api");
        let [one] = &open["prompts"].as_array()?[..] else { return None };
        Some(one.clone())
    })
}

/// One of the model's next requests has the answer with all of its provenance.
fn is_told(stage: &Stage, from: usize, prompt: &Value, value: &str, via: &str) {
    let path = format!("/api/v1/prompts/{}", prompt["id"].as_str().unwrap());
    let resolution = wait::until("the answer", || {
        let now = http::get(&stage.home.socket(), &path).ok()?;
        let now: Value = serde_json::from_slice(&now.1).ok()?;
        Some(now["resolution"].clone()).filter(Value::is_object)
    });
    let word = |name: &str| resolution[name].as_str().unwrap().to_owned();
    assert_eq!((&*word("value"), &*word("via"), &*word("by")), (value, via, "human"));
    // A client with tasks tells of the end of one in a message of its own.
    let text = |nth| stage.model.request(&Asker::Main, nth).body.to_string().replace('\\', "");
    let told = (from..from + 10).map(text).find(|text| text.contains(&word("at"))).unwrap();
    let who = word("actor");
    let said = format!("{who} answered through {via} at {}: {value}", word("at"));
    let member = |name: &str| told.contains(&format!("\"{name}\":\"{}\"", word(name)));
    let is_whole = ["actor", "via", "at", "value"].into_iter().all(member);
    assert!(told.contains(&said) || is_whole, "{said}: {}", told.rsplit("api-p1").next().unwrap());
}

/// Nothing is installed: the launch brings hooks and tools. The call waits for the person.
fn is_answered_in_the_browser(kind: &str) {
    let Some(installed) = installed(kind) else { return };
    let Some(browser) = Browser::start(&[]) else { return };
    let stage = Stage::new(live::of_kind(kind).unwrap(), with(&installed), Hooks::None);
    stage.hub_with(&["--listen", "127.0.0.1:0"]);
    let ask = json!({
        "question": "Which colour?", "default_action": "take Red", "options": ["Red", "Blue"],
    });
    script(&stage, vec![("request_input", ask)]);
    stage.model.release("last");
    // The page is open, so nobody is asked in the agent's own terminal.
    let link = stage.home.run(["open", "--no-browser", "--json"]).ok().json();
    browser.open(link["url"].as_str().unwrap());
    browser.until("the page to be live", "document.documentElement.dataset.link === 'live'");
    let agent = stage.run_here_with("api", of(&FREE, kind));
    let asked = prompted_until(&agent, can_ask);
    let prompt = question(&stage);
    assert_eq!(get(&stage, "/api/v1/agents/api")["headline"], "blocked", "while it asks");
    let button = format!("document.getElementById('b-{}-2')", prompt["id"].as_str().unwrap());
    browser.until("the card", &button);
    browser.js(&format!("{button}.click()"));
    is_told(&stage, asked + 1, &prompt, "Blue", "web");
    stage.home.run(["wait", "api", "--until", "done", "--timeout", "30s"]).ok();
}

/// The person has set the server up with a limit of a minute for a call; the question stands for half an
/// hour. The hub is killed while the agent waits, and whoever needs it first brings it back.
fn waits_in_segments_over_a_hub_that_is_killed(kind: &str) {
    let Some(installed) = installed(kind) else { return };
    let stage = Stage::new(live::of_kind(kind).unwrap(), with(&installed), Hooks::Installed);
    stage.home.run(["mcp", "install", kind]).ok();
    let (_, file, within) = KEPT.into_iter().find(|(of, ..)| *of == kind).unwrap();
    stage.set(file, &json!({ within: { "headsup": { "timeout": 60_000 } } }));
    stage.hub();
    let ask = json!({
        "question": "Which colour?", "default_action": "take Red", "options": ["Red", "Blue"],
        "timeout_minutes": 30, "wait_seconds": 0,
    });
    let on = |seconds: u64| json!({ "prompt_id": "api-p1", "wait_seconds": seconds });
    let wait = "wait_for_input";
    script(&stage, vec![("request_input", ask), (wait, on(0)), (wait, on(50))]);
    let agent = stage.run_here_with("api", of(&FREE, kind));
    let mut at = prompted_until(&agent, can_ask);
    for _segment in 0..2 {
        let (nth, told) = told(&stage, at + 1, "api-p1");
        // Claude Code (2.1.330) has tasks: a question is one, beside which its model goes on.
        let words = ["pending", "Nobody has answered yet", "started server-side task"];
        assert!(words.into_iter().any(|words| told.contains(words)), "{told}");
        at = nth;
    }
    let prompt = question(&stage);
    let one = get(&stage, &format!("/api/v1/prompts/{}", prompt["id"].as_str().unwrap()));
    let left = one["remaining_seconds"].as_f64().unwrap();
    assert!((1_500.0..=1_800.0).contains(&left), "{one}");
    // Somebody has looked at it, so nobody is asked in the agent's own terminal.
    stage.home.run(["inbox"]).ok();
    stage.model.release("last");
    stage.over(stage.model.request(&Asker::Main, at).number);
    stage.kill_hub();
    let answer = ["answer", prompt["id"].as_str().unwrap(), "--option", "2"];
    stage.home.run(answer).ok();
    is_told(&stage, at + 1, &prompt, "Blue", "cli");
    stage.home.run(["wait", "api", "--until", "done", "--timeout", "30s"]).ok();
    stage.home.run(["down"]).ok();
}

#[test]
fn claude_code_asks_and_is_answered_in_the_browser() {
    is_answered_in_the_browser("claude-code");
}

#[test]
fn opencode_asks_and_is_answered_in_the_browser() {
    is_answered_in_the_browser("opencode");
}

#[test]
fn claude_code_waits_in_segments_over_a_hub_that_is_killed() {
    waits_in_segments_over_a_hub_that_is_killed("claude-code");
}

#[test]
fn opencode_waits_in_segments_over_a_hub_that_is_killed() {
    waits_in_segments_over_a_hub_that_is_killed("opencode");
}
