//! Pull requests of the host.

use super::line::Answer;
use super::routes::page;
use super::state::{Pull, State, moment};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn answer(
    state: &mut State,
    method: &str,
    rest: &[&str],
    body: &Value,
    query: &BTreeMap<&str, String>,
) -> Answer {
    match (method, rest) {
        ("GET", []) => list(state, query),
        ("POST", []) => create(state, body),
        (_, [number, rest @ ..]) => {
            let Some(number) = number.parse().ok().filter(|n| state.pulls.contains_key(n)) else {
                return Answer::refused(404, "Not Found");
            };
            one(state, method, number, rest, body, query)
        }
        _ => Answer::refused(404, "Not Found"),
    }
}

fn list(state: &State, query: &BTreeMap<&str, String>) -> Answer {
    let fits = |pull: &Pull| {
        let is_open = !pull.is_closed && pull.merges.is_empty();
        let head = query.get("head").is_none_or(|head| *head == format!("ada:{}", pull.head));
        let base = query.get("base").is_none_or(|base| *base == pull.base);
        (is_open || query.get("state").is_some_and(|state| state == "all")) && head && base
    };
    let found = state.pulls.iter().rev().filter(|(_, pull)| fits(pull));
    page(found.map(|(number, pull)| told(state, *number, pull)).collect(), query)
}

fn create(state: &mut State, body: &Value) -> Answer {
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let (head, base) = (text("head"), text("base"));
    let invalid =
        |errors: Value| Answer::new(422, json!({"message": "Validation Failed", "errors": errors}));
    for (field, branch) in [("head", &head), ("base", &base)] {
        if !state.branches.contains_key(branch) {
            let error = json!({"resource": "PullRequest", "field": field, "code": "invalid"});
            return invalid(json!([error]));
        }
    }
    if state.branches[&head] == state.branches[&base] {
        let says = format!("No commits between {base} and {head}");
        return invalid(json!([{"resource": "PullRequest", "code": "custom", "message": says}]));
    }
    let is_same = |pull: &Pull| {
        !pull.is_closed && pull.merges.is_empty() && pull.head == head && pull.base == base
    };
    if state.pulls.values().any(is_same) {
        let says = format!("A pull request already exists for ada:{head}.");
        return invalid(json!([{"resource": "PullRequest", "code": "custom", "message": says}]));
    }
    let (number, now) = (state.next_number(), state.now());
    let pull = Pull {
        title: text("title"),
        body: text("body"),
        draft: body["draft"] == true,
        head,
        base,
        created: now,
        updated: now,
        ..Pull::default()
    };
    let answer = told(state, number, &pull);
    state.pulls.insert(number, pull);
    Answer::new(201, answer)
}

fn one(
    state: &mut State,
    method: &str,
    number: u64,
    rest: &[&str],
    body: &Value,
    query: &BTreeMap<&str, String>,
) -> Answer {
    let now = state.now();
    let pull = state.pulls[&number].clone();
    match (method, rest) {
        ("GET", []) => Answer::new(200, told(state, number, &pull)),
        ("GET", ["files"]) => {
            page(vec![json!({"filename": "new", "additions": 2, "deletions": 1})], query)
        }
        ("GET", ["reviews"]) => page(pull.reviews, query),
        ("POST", ["reviews"]) => {
            let state_word = match body["event"].as_str() {
                Some("APPROVE") => "APPROVED",
                Some("REQUEST_CHANGES") => "CHANGES_REQUESTED",
                Some("COMMENT") => "COMMENTED",
                _ => "PENDING",
            };
            let review = json!({
                "id": state.next_id(), "user": {"login": "robot"}, "state": state_word,
                "body": body["body"], "commit_id": body["commit_id"],
            });
            let mut pull = Pull { updated: now, ..pull };
            pull.reviews.push(review.clone());
            state.pulls.insert(number, pull);
            Answer::new(200, review)
        }
        ("PATCH", []) => {
            let mut pull = Pull { updated: now, ..pull };
            if let Some(title) = body["title"].as_str() {
                title.clone_into(&mut pull.title);
            }
            if let Some(text) = body["body"].as_str() {
                text.clone_into(&mut pull.body);
            }
            if let Some(word) = body["state"].as_str() {
                if !pull.merges.is_empty() {
                    return Answer::refused(422, "A merged pull request cannot be changed");
                }
                pull.is_closed = word == "closed";
            }
            let answer = told(state, number, &pull);
            state.pulls.insert(number, pull);
            Answer::new(200, answer)
        }
        ("PUT", ["merge"]) => merge(state, number, pull, body),
        _ => Answer::refused(404, "Not Found"),
    }
}

fn merge(state: &mut State, number: u64, mut pull: Pull, body: &Value) -> Answer {
    let head = state.branches.get(&pull.head).cloned().unwrap_or_default();
    let is_open = !pull.is_closed && pull.merges.is_empty();
    if !is_open || pull.draft || pull.conflicts {
        return Answer::refused(405, "Pull Request is not mergeable");
    }
    if body["sha"].as_str().is_some_and(|sha| sha != head) {
        let says = "Head branch was modified. Review and try the merge again.";
        return Answer::refused(409, says);
    }
    let sha = format!("{number:040x}");
    pull.merges.push(sha.clone());
    pull.methods.push(body["merge_method"].as_str().unwrap_or("merge").to_owned());
    pull.merged_head = Some(head);
    state.push(&pull.base.clone(), &sha);
    state.pulls.insert(number, pull);
    Answer::new(200, json!({"sha": sha, "merged": true, "message": "merged"}))
}

fn told(state: &State, number: u64, pull: &Pull) -> Value {
    let is_merged = !pull.merges.is_empty();
    let sha = |branch: &String| state.branches.get(branch).cloned().unwrap_or("0".repeat(40));
    let head = pull.merged_head.clone().unwrap_or_else(|| sha(&pull.head));
    let state_word = match (is_merged || pull.is_closed, pull.conflicts) {
        (true, _) => "unknown",
        (false, true) => "dirty",
        (false, false) => pull.mergeable_state.as_deref().unwrap_or("clean"),
    };
    json!({
        "number": number, "title": pull.title, "body": pull.body, "draft": pull.draft,
        "state": if is_merged || pull.is_closed { "closed" } else { "open" },
        "merged": is_merged, "merged_at": is_merged.then(|| moment(pull.updated)),
        "merge_commit_sha": pull.merges.first(), "mergeable": !pull.conflicts,
        "mergeable_state": state_word, "additions": 2, "deletions": 1, "changed_files": 1,
        "head": {"ref": pull.head, "sha": head}, "base": {"ref": pull.base, "sha": sha(&pull.base)},
        "html_url": format!("{}/ada/app/pull/{number}", state.web),
        "created_at": moment(pull.created), "updated_at": moment(pull.updated),
    })
}
