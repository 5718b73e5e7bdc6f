//! What is asked, and what the host answers.

use super::line::{Answer, Request};
use super::state::{Issue, Said, State};
use super::{REPO, pulls};
use serde_json::{Value, json};
use std::collections::BTreeMap;

type Query<'a> = BTreeMap<&'a str, String>;

pub(super) fn answer(request: &Request, state: &mut State) -> Answer {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let query: Query<'_> = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(k, v)| (k, decode(v)))
        .collect();
    let none = || Answer::refused(404, "Not Found");
    let Some(path) = path.strip_prefix("/repos/").and_then(|path| path.strip_prefix(REPO)) else {
        return none();
    };
    let parts: Vec<String> = path.split('/').skip(1).map(decode).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let body = &request.body;
    match (request.method.as_str(), parts.as_slice()) {
        ("GET", []) => Answer::new(200, json!({ "default_branch": "main" })),
        ("GET", ["branches"]) => {
            let names: Vec<Value> =
                state.branches.keys().map(|name| json!({ "name": name })).collect();
            Answer::new(200, json!(names))
        }
        ("GET", ["branches", name]) => match state.branches.contains_key(*name) {
            true => Answer::new(200, json!({ "name": name })),
            false => Answer::refused(404, "Branch not found"),
        },
        ("GET", ["commits", _, "check-runs"]) => {
            Answer::new(200, json!({ "check_runs": state.checks }))
        }
        ("GET", ["commits", _, "status"]) => Answer::new(200, json!({ "statuses": [] })),
        ("GET", ["issues"]) => list(state, &query),
        ("POST", ["issues"]) => create(state, body),
        ("GET", ["issues", "comments", id]) => {
            let said = state.issues.values().flat_map(|issue| &issue.comments);
            let found = said.into_iter().find(|said| said.id.to_string() == *id);
            found.map_or_else(none, |said| Answer::new(200, said.told()))
        }
        (method, ["issues", number, rest @ ..]) => {
            let Some(number) = number.parse().ok().filter(|n| state.issues.contains_key(n)) else {
                return none();
            };
            issue(state, method, number, rest, body, &query)
        }
        (method, ["pulls", rest @ ..]) => pulls::answer(state, method, rest, body, &query),
        _ => none(),
    }
}

fn list(state: &State, query: &Query<'_>) -> Answer {
    let wanted = query.get("state").map_or("open", String::as_str);
    let label = query.get("labels");
    let fits = |issue: &Issue| {
        let state = if issue.is_closed { "closed" } else { "open" };
        let has = |label: &String| issue.labels.contains(label);
        (wanted == "all" || wanted == state) && label.is_none_or(has)
    };
    let mut issues: Vec<(&u64, &Issue)> = state.issues.iter().filter(|(_, of)| fits(of)).collect();
    issues.sort_by_key(|(_, issue)| match query.get("sort").map(String::as_str) {
        Some("updated") => std::cmp::Reverse(issue.updated),
        _ => std::cmp::Reverse(issue.created),
    });
    page(issues.into_iter().map(|(number, issue)| issue.told(&state.web, *number)).collect(), query)
}

/// One page of a list.
pub(super) fn page(all: Vec<Value>, query: &Query<'_>) -> Answer {
    let number = |name: &str, usual| {
        query.get(name).and_then(|text| text.parse::<usize>().ok()).unwrap_or(usual)
    };
    let (size, page) = (number("per_page", 30), number("page", 1));
    let some: Vec<Value> = all.into_iter().skip(size * (page - 1)).take(size).collect();
    Answer::new(200, json!(some))
}

fn create(state: &mut State, body: &Value) -> Answer {
    let Some(title) = body["title"].as_str().filter(|title| !title.is_empty()) else {
        let errors = json!([{"resource": "Issue", "field": "title", "code": "missing_field"}]);
        return Answer::new(422, json!({"message": "Validation Failed", "errors": errors}));
    };
    let (number, now) = (state.next_number(), state.now());
    let issue = Issue {
        title: title.to_owned(),
        body: body["body"].as_str().unwrap_or_default().to_owned(),
        labels: words(&body["labels"]),
        created: now,
        updated: now,
        ..Issue::default()
    };
    let told = issue.told(&state.web, number);
    state.issues.insert(number, issue);
    Answer::new(201, told)
}

fn words(list: &Value) -> Vec<String> {
    let words = list.as_array().into_iter().flatten();
    words.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn issue(
    state: &mut State,
    method: &str,
    number: u64,
    rest: &[&str],
    body: &Value,
    query: &Query<'_>,
) -> Answer {
    let (now, id, web) = (state.now(), state.next_id(), state.web.clone());
    let Some(issue) = state.issues.get_mut(&number) else {
        return Answer::refused(404, "Not Found");
    };
    if method != "GET" {
        issue.updated = now;
    }
    match (method, rest) {
        ("GET", []) => Answer::new(200, issue.told(&web, number)),
        ("PATCH", []) => {
            if let Some(title) = body["title"].as_str() {
                title.clone_into(&mut issue.title);
            }
            if let Some(text) = body["body"].as_str() {
                text.clone_into(&mut issue.body);
            }
            if let Some(word) = body["state"].as_str() {
                issue.is_closed = word == "closed";
                issue.state_reason = body["state_reason"].as_str().map(str::to_owned);
            }
            Answer::new(200, issue.told(&web, number))
        }
        ("GET", ["comments"]) => page(issue.comments.iter().map(Said::told).collect(), query),
        ("POST", ["comments"]) => {
            let body = body["body"].as_str().unwrap_or_default().to_owned();
            let said = Said { id, who: "robot".to_owned(), body, at: now };
            let told = said.told();
            issue.comments.push(said);
            Answer::new(201, told)
        }
        ("POST", ["labels"]) => {
            for label in words(&body["labels"]) {
                if !issue.labels.contains(&label) {
                    issue.labels.push(label);
                }
            }
            Answer::new(200, issue.told(&web, number)["labels"].clone())
        }
        ("DELETE", ["labels", label]) => {
            let before = issue.labels.len();
            issue.labels.retain(|of| of != label);
            match issue.labels.len() == before {
                true => Answer::refused(404, "Label does not exist"),
                false => Answer::new(200, issue.told(&web, number)["labels"].clone()),
            }
        }
        _ => Answer::refused(404, "Not Found"),
    }
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits: Vec<u8> = rest.by_ref().take(2).collect();
        let digits = String::from_utf8_lossy(&digits).into_owned();
        bytes.push(u8::from_str_radix(&digits, 16).unwrap_or(b'?'));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
