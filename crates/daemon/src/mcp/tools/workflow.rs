//! How the agent's work is going, in its own words: what people read beside what is observed.

use super::{effects, only, text};
use crate::mcp::table::{
    ACTS, Act, Field, GET, Hints, Kind, POST, READS, Route, SAYS, Shape, Tool, optional, required,
};
use headsup_adapters::text::{BODY, TITLE};
use serde_json::{Map, Value};

/// The longest message, as the hub takes it.
const MESSAGE: Kind = Kind::Text(BODY);

/// The same of what goes to a tracker.
const WORDS: Kind = Kind::Text(20_000);

pub(crate) static UPDATE_STATUS: Tool = Tool {
    name: "update_status",
    title: "Tell how it is going",
    about: "Tell people what you are working on, or that you are done. Call it when you begin, when \
            something visible changes, and with `completed` when all of it is done.",
    parameters: &[
        required("status", Kind::OneOf(&["working", "completed"]), ""),
        required("message", MESSAGE, "One sentence for people"),
        optional("phase", Kind::Text(TITLE), "Such as planning, coding, testing"),
        optional("progress", Kind::Number { least: 0.0, most: 1.0 }, "A share: 0 to 1"),
    ],
    output: STATE,
    hints: SAYS,
    act: Act::Route(Route {
        path: "/api/v1/agents/{agent}/stage",
        renamed: &[("status", "stage")],
        shape: state,
        say: say_stage,
        ..POST
    }),
};

pub(crate) static MARK_BLOCKED: Tool = Tool {
    name: "mark_blocked",
    title: "Say that you are blocked",
    about: "Say that you cannot go on and nobody's answer alone would help: missing access, a broken \
            service, a decision elsewhere. For a question use request_input. It ends with \
            update_status(working).",
    parameters: &[
        required("reason", MESSAGE, "What stops you, for people"),
        optional("blockers", Kind::Texts { most: 32, length: BODY }, "What would have to be done"),
    ],
    output: STATE,
    hints: SAYS,
    act: Act::Route(Route {
        path: "/api/v1/agents/{agent}/stage",
        fixed: &[("stage", "blocked")],
        renamed: &[("reason", "message")],
        shape: state,
        say: say_stage,
        ..POST
    }),
};

pub(crate) static SUBMIT_FOR_REVIEW: Tool = Tool {
    name: "submit_for_review",
    title: "Hand in for review",
    about: "Hand a pull request to people for review; your work then waits for them.",
    parameters: &[
        required("pr_url", Kind::Text(2_000), "The pull request's address"),
        required("summary", WORDS, "What was done, for the reviewer"),
        optional("notes_for_reviewer", WORDS, "What to look at first"),
    ],
    output: HANDED_IN,
    hints: Hints { repeats: true, ..ACTS },
    act: Act::Route(Route {
        path: "/api/v1/agents/{agent}/review",
        then: Some("/api/v1/agents/{agent}/workflow"),
        shape: handed_in,
        say: say_handed_in,
        ..POST
    }),
};

pub(crate) static GET_WORKFLOW_STATE: Tool = Tool {
    name: "get_workflow_state",
    title: "Where the workflow stands",
    about: "Your reported status, the question that is open, and which statuses can come next.",
    parameters: &[],
    output: STATE,
    hints: READS,
    act: Act::Route(Route {
        path: "/api/v1/agents/{agent}/workflow",
        shape: state,
        say: say_state,
        ..GET
    }),
};

static STATE: &[Field] = &[
    Field("status", Shape::Text),
    Field("message", Shape::MaybeText),
    Field("phase", Shape::MaybeText),
    Field("progress", Shape::MaybeNumber),
    Field("blockers", Shape::Texts),
    Field("run", Shape::Number),
    Field("prompt", Shape::MaybeObject),
    Field("prompts", Shape::Objects),
    Field("allowed", Shape::Texts),
];

/// The same, with what has come of each effect on the task.
static HANDED_IN: &[Field] = &[
    Field("status", Shape::Text),
    Field("message", Shape::MaybeText),
    Field("phase", Shape::MaybeText),
    Field("progress", Shape::MaybeNumber),
    Field("blockers", Shape::Texts),
    Field("run", Shape::Number),
    Field("prompt", Shape::MaybeObject),
    Field("prompts", Shape::Objects),
    Field("allowed", Shape::Texts),
    Field("effects", Shape::Objects),
];

fn handed_in(document: Value) -> Map<String, Value> {
    only(document, HANDED_IN)
}

fn say_handed_in(of: &Map<String, Value>) -> String {
    let effects = effects(of);
    if effects.is_empty() { say_stage(of) } else { format!("{}.{effects}", say_stage(of)) }
}

fn state(document: Value) -> Map<String, Value> {
    only(document, STATE)
}

fn say_stage(of: &Map<String, Value>) -> String {
    let message = match text(of, "message") {
        "" => String::new(),
        message => format!(": {message}"),
    };
    // Which word stands before it on the board is decided by what is observed.
    format!("Your reported status is now {}{message}", text(of, "status").replace('_', " "))
}

fn say_state(of: &Map<String, Value>) -> String {
    let status = match text(of, "status") {
        "" | "none" => "You have reported no status yet".to_owned(),
        status => format!("Your reported status is {}", status.replace('_', " ")),
    };
    let question = of.get("prompt").and_then(|prompt| prompt.get("title")?.as_str());
    let question = question.map(|title| format!("; open question: {title}")).unwrap_or_default();
    let next = of.get("allowed").and_then(Value::as_array).into_iter().flatten();
    let next: Vec<&str> = next.filter_map(Value::as_str).collect();
    match next[..] {
        [] if text(of, "status") == "completed" => format!(
            "{status}{question}. That is its end: your next prompt begins a new workflow, and so does link_task with \
             your next task."
        ),
        [] if ["failed", "cancelled"].contains(&text(of, "status")) => {
            format!("{status}{question}. That is its end: your next prompt begins a new workflow.")
        }
        [] => format!("{status}{question}."),
        _ => format!("{status}{question}. It can become {}.", next.join(", ")),
    }
}
