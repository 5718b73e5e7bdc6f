//! Pull requests, wherever the code is kept.

use super::{begin, only, rows, text};
use crate::mcp::table::{
    ACTS, Act, Field, GET, Hints, Kind, PATCH, POST, READS, Route, Shape, Tool, optional, required,
};
use serde_json::{Map, Value};
use std::fmt::Write as _;

const TITLE: Kind = Kind::Text(300);
/// Characters of what a pull request says of itself.
const LONGEST: usize = 60_000;
const BODY: Kind = Kind::Text(LONGEST);
/// How much of each list is told as text.
const ROWS: usize = 50;
const ONE_ROW: usize = 500;
const BRANCH: Kind = Kind::Text(250);

pub(crate) static CREATE_PR: Tool = Tool {
    name: "create_pr",
    title: "Open a pull request",
    about: "Open a pull request for a branch that is pushed, linked to you and your task.",
    parameters: &[
        required("title", TITLE, ""),
        required("head_branch", BRANCH, "The branch with the work"),
        optional("body", BODY, "Markdown"),
        optional(
            "base_branch",
            BRANCH,
            "Into which branch; default: the repository's, else main, then master",
        ),
        optional("draft", Kind::Flag { default: false }, ""),
    ],
    output: PR,
    hints: Hints { repeats: true, ..ACTS },
    act: Act::Route(Route { path: "/api/v1/agents/{agent}/prs", shape: pr, say: say_pr, ..POST }),
};

pub(crate) static LIST_SESSION_PRS: Tool = Tool {
    name: "list_session_prs",
    title: "Your pull requests",
    about: "The pull requests that are linked to you.",
    parameters: &[],
    output: &[Field("prs", Shape::Objects)],
    hints: Hints { open: true, ..READS },
    act: Act::Route(Route {
        path: "/api/v1/agents/{agent}/prs",
        shape: |document| only(document, &[Field("prs", Shape::Objects)]),
        say: say_prs,
        ..GET
    }),
};

pub(crate) static GET_PR_STATUS: Tool = Tool {
    name: "get_pr_status",
    title: "How a pull request is",
    about: "State, branches, size, checks and reviews of a pull request, as last seen.",
    parameters: &[required("pr_id", Kind::Uuid, "")],
    output: PR,
    hints: Hints { open: true, ..READS },
    act: Act::Route(Route { path: "/api/v1/prs/{pr_id}", shape: pr, say: say_whole, ..GET }),
};

pub(crate) static UPDATE_PR: Tool = Tool {
    name: "update_pr",
    title: "Change a pull request",
    about: "Change its title, text or state.",
    parameters: &[
        required("pr_id", Kind::Uuid, ""),
        optional("title", TITLE, ""),
        optional("body", Kind::MaybeEmpty(LONGEST), "Markdown; empty clears it"),
        optional("state", Kind::OneOf(&["open", "closed"]), ""),
    ],
    output: PR,
    hints: Hints { repeats: true, destroys: true, ..ACTS },
    act: Act::Route(Route { path: "/api/v1/prs/{pr_id}", shape: pr, say: say_pr, ..PATCH }),
};

pub(crate) static REFRESH_PR: Tool = Tool {
    name: "refresh_pr",
    title: "Look at a pull request anew",
    about: "Ask the forge how a pull request is now.",
    parameters: &[required("pr_id", Kind::Uuid, "")],
    output: PR,
    hints: Hints { repeats: true, ..ACTS },
    act: Act::Route(Route {
        path: "/api/v1/prs/{pr_id}/refresh",
        shape: pr,
        say: say_whole,
        ..POST
    }),
};

pub(crate) static MERGE_PR: Tool = Tool {
    name: "merge_pr",
    title: "Merge a pull request",
    about: "Merge a pull request. Where people decide, it asks them and answers \
            {state:\"pending\", prompt_id}: then call wait_for_input.",
    parameters: &[
        required("pr_id", Kind::Uuid, ""),
        optional("merge_method", Kind::FirstOf(&["merge", "squash", "rebase"]), ""),
    ],
    output: MERGED,
    hints: Hints { destroys: true, ..ACTS },
    act: Act::Route(Route { path: "/api/v1/prs/{pr_id}/merge", shape: pr, say: say_pr, ..POST }),
};

/// A pull request, and in front of it what a merge alone has.
const MERGED: &[Field] = &[
    Field("prompt_id", Shape::Text),
    Field("already_merged", Shape::Flag),
    Field("id", Shape::Text),
    Field("title", Shape::Text),
    Field("state", Shape::Text),
    Field("draft", Shape::Flag),
    Field("url", Shape::Text),
    Field("head_branch", Shape::Text),
    Field("base_branch", Shape::Text),
    Field("head_sha", Shape::Text),
    Field("additions", Shape::Number),
    Field("deletions", Shape::Number),
    Field("changed_files", Shape::Number),
    Field("files", Shape::Objects),
    Field("mergeable", Shape::Flag),
    Field("mergeable_reason", Shape::Text),
    Field("created_at", Shape::Text),
    Field("updated_at", Shape::Text),
    Field("merged_at", Shape::Text),
    Field("checks", Shape::Texts),
    Field("reviews", Shape::Texts),
];

const PR: &[Field] = MERGED.split_at(2).1;

/// What only one of the tools adds to that.
static MORE: &[Field] = &[
    Field("existing", Shape::Flag),
    Field("already_merged", Shape::Flag),
    Field("prompt_id", Shape::Text),
];

/// The pull request; or the prompt in which people are asked.
fn pr(document: Value) -> Map<String, Value> {
    let mut more = only(document.clone(), MORE);
    more.extend(only(document, PR));
    more
}

fn say_pr(of: &Map<String, Value>) -> String {
    if let Some(prompt) = of.get("prompt_id").and_then(Value::as_str) {
        return format!(
            "People decide about the merge, and are asked now. Call wait_for_input with prompt_id \
             {prompt:?}; after a yes, get_pr_status says what came of it."
        );
    }
    let (title, state) = (text(of, "title"), text(of, "state"));
    let place = match text(of, "url") {
        "" => String::new(),
        url => format!(" ({url})"),
    };
    let branches = format!("{} into {}", text(of, "head_branch"), text(of, "base_branch"));
    let id = text(of, "id");
    let mut said =
        format!("Pull request {title:?}{place} is {state}: {branches}. Its pr_id is {id}.");
    let why = text(of, "mergeable_reason");
    if state == "open" && !why.is_empty() {
        // Writing to a string cannot fail.
        write!(said, " It cannot be merged: {why}.").ok();
    }
    // Some agents show their model nothing but this text.
    for (field, name) in [("checks", "Check"), ("reviews", "Review by")] {
        let lines = of.get(field).and_then(Value::as_array).into_iter().flatten();
        for line in lines.filter_map(Value::as_str) {
            // No line of it is taken for another's.
            write!(said, "\n{name} {}", line.replace('\n', "\n  ")).ok();
        }
    }
    said
}

/// With all that is known of it: a client may show a model this text alone.
fn say_whole(of: &Map<String, Value>) -> String {
    let number = |of: &Map<String, Value>, name: &str| {
        of.get(name).and_then(Value::as_u64).unwrap_or_default()
    };
    let flag = |name: &str| of.get(name).and_then(Value::as_bool) == Some(true);
    let list = |name: &str| of.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts = |name: &str| -> Vec<String> {
        let words = list(name).iter().filter_map(Value::as_str);
        words.map(|word| begin(word, ONE_ROW)).collect()
    };
    let file = |file: &Value| {
        let file = file.as_object().cloned().unwrap_or_default();
        format!(
            "{} +{} -{}",
            text(&file, "path"),
            number(&file, "additions"),
            number(&file, "deletions")
        )
    };
    let draft = if flag("draft") { " It is a draft." } else { "" };
    let mergeable = match (text(of, "state"), flag("mergeable"), text(of, "mergeable_reason")) {
        ("open", true, _) => " It can be merged.".to_owned(),
        ("open", false, "") => " It cannot be merged now.".to_owned(),
        ("open", false, why) => format!(" It cannot be merged: {why}."),
        _ => String::new(),
    };
    let size = format!(
        " It changes {} files, +{} -{}, at commit {}.",
        number(of, "changed_files"),
        number(of, "additions"),
        number(of, "deletions"),
        text(of, "head_sha"),
    );
    let times = [("created_at", "Created"), ("updated_at", "updated"), ("merged_at", "merged")];
    let times = times.iter().filter(|(name, _)| !text(of, name).is_empty());
    let times: Vec<_> = times.map(|(name, word)| format!("{word} {}", text(of, name))).collect();
    let files: Vec<_> = list("files").iter().map(file).collect();
    [
        say_pr(of) + draft + &mergeable + &size,
        format!(" {}.", times.join(", ")),
        rows("Checks", &texts("checks"), ROWS),
        rows("Reviews", &texts("reviews"), ROWS),
        rows("Files", &files, ROWS),
    ]
    .concat()
}

fn say_prs(of: &Map<String, Value>) -> String {
    let prs = of.get("prs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if prs.is_empty() {
        return "No pull request is linked to you.".to_owned();
    }
    let one = |pr: &Value| {
        let pr = pr.as_object().cloned().unwrap_or_default();
        format!("{} ({}, pr_id {})", text(&pr, "title"), text(&pr, "state"), text(&pr, "id"))
    };
    format!("Your pull requests: {}.", prs.iter().map(one).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_reviewers_and_checks_have_found_is_said_in_the_text_as_well() {
        let pr = json!({
            "id": "1", "title": "t", "state": "open", "url": "u", "head_branch": "work",
            "base_branch": "main", "mergeable_reason": "ada wants changes",
            "checks": ["build: success"], "reviews": ["ada: changes requested: name it\nbetter"],
        });
        let said = say_pr(pr.as_object().unwrap());
        assert_eq!(
            said,
            "Pull request \"t\" (u) is open: work into main. Its pr_id is 1. It cannot be merged: ada \
             wants changes.\nCheck build: success\nReview by ada: changes requested: name it\n  better"
        );
    }
}
