//! `get_session`: where the agent is.

use super::{only, text};
use crate::mcp::table::{Act, Field, GET, READS, Route, Shape, Tool};
use serde_json::{Map, Value};

pub(crate) static GET_SESSION: Tool = Tool {
    name: "get_session",
    title: "This session",
    about: "Where you are: repository, branch, worktree, working folder, and how you are shown to people.",
    parameters: &[],
    output: FIELDS,
    hints: READS,
    act: Act::Route(Route {
        path: "/api/v1/agents/{agent}",
        shape: |document| only(document, FIELDS),
        say,
        ..GET
    }),
};

static FIELDS: &[Field] = &[
    Field("id", Shape::Text),
    Field("name", Shape::Text),
    Field("kind", Shape::Text),
    Field("role", Shape::MaybeText),
    Field("repo", Shape::MaybeText),
    Field("branch", Shape::MaybeText),
    Field("worktree", Shape::MaybeText),
    Field("cwd", Shape::MaybeText),
    Field("host", Shape::MaybeText),
    Field("headline", Shape::Text),
    Field("started_at", Shape::MaybeText),
];

fn say(of: &Map<String, Value>) -> String {
    let mut said = format!("You are {} ({})", text(of, "id"), text(of, "kind"));
    for (name, word) in [("repo", "in"), ("branch", "on branch"), ("cwd", "working in")] {
        if let Some(value) = of.get(name).and_then(Value::as_str) {
            said += &[", ", word, " ", value].concat();
        }
    }
    said + "."
}
