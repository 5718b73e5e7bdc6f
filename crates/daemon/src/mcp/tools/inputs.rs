//! Questions to people.

use super::{only, text};
use crate::mcp::table::{
    Act, Field, GET, Hints, Kind, POST, READS, Route, SAYS, Shape, Tool, optional, required,
};
use headsup_adapters::text::BODY;
use serde_json::{Map, Value, json};

/// The longest wait of one call, in seconds: few clients let a call take longer.
const LONGEST_WAIT: i64 = 300;

const WAIT: Kind = Kind::Whole { least: 0, most: LONGEST_WAIT, default: Some(45) };

pub(crate) static REQUEST_INPUT: Tool = Tool {
    name: "request_input",
    title: "Ask a person",
    about: "Ask a person, and wait a while for the answer. Say in default_action what you will do if nobody \
            answers in time; it is what happens then. Asked once the question stays: where the answer is \
            {state:\"pending\"}, call wait_for_input with its prompt_id, and do not ask again.",
    parameters: &[
        required(
            "question",
            Kind::Text(BODY),
            "One question, with what one has to know to answer it",
        ),
        required("default_action", Kind::Text(BODY), "What you will do if nobody answers"),
        optional("options", Kind::Options, "Answers to choose from; without them any text is one"),
        optional("timeout_minutes", Kind::Whole { least: 1, most: 120, default: Some(30) }, ""),
        optional("wait_seconds", WAIT, "How long this call waits"),
        optional(
            "dedupe_key",
            Kind::Text(200),
            "Asked again under this key it is the same question",
        ),
        optional("multi_select", Kind::Flag { default: false }, "Several options may be chosen"),
        optional(
            "on_timeout",
            Kind::OneOf(&["default", "block", "fail"]),
            "Default: take default_action; or be blocked; or be told that there is no answer",
        ),
        optional(
            "risk",
            Kind::OneOf(&["low", "high"]),
            "High: nothing may happen without an answer",
        ),
    ],
    output: INPUT,
    hints: Hints { reads: false, ..READS },
    act: Act::Ask,
};

pub(crate) static WAIT_FOR_INPUT: Tool = Tool {
    name: "wait_for_input",
    title: "Wait for an answer",
    about: "Wait on for the answer to a question that is pending. Call it again while the answer is pending.",
    parameters: &[
        required("prompt_id", Kind::Text(200), "As request_input gave it"),
        optional("wait_seconds", WAIT, ""),
    ],
    output: INPUT,
    hints: READS,
    act: Act::Wait,
};

pub(crate) static CANCEL_INPUT: Tool = Tool {
    name: "cancel_input",
    title: "Take a question back",
    about: "Take back a question that has become needless.",
    parameters: &[required("prompt_id", Kind::Text(200), "")],
    output: INPUT,
    hints: SAYS,
    act: Act::Route(Route { path: "/api/v1/prompts/{prompt_id}/cancel", shape, say, ..POST }),
};

pub(crate) static LIST_INPUTS: Tool = Tool {
    name: "list_inputs",
    title: "Your open questions",
    about: "The questions of yours that wait for an answer.",
    parameters: &[],
    output: &[Field("inputs", Shape::Objects)],
    hints: READS,
    act: Act::Route(Route {
        path: "/api/v1/prompts?state=open&agent={agent}",
        shape: shape_list,
        say: say_list,
        ..GET
    }),
};

static INPUT: &[Field] = &[
    Field("state", Shape::Text),
    Field("prompt_id", Shape::Text),
    Field("question", Shape::Text),
    Field("remaining_seconds", Shape::Number),
    Field("expires_at", Shape::Text),
    Field("default_action", Shape::Text),
    Field("outcome", Shape::Text),
    Field("value", Shape::MaybeText),
    Field("values", Shape::Texts),
    Field("default_used", Shape::Flag),
    Field("nobody_saw_it", Shape::Flag),
    Field("resolution", Shape::Object),
    Field("next", Shape::Text),
];

/// How a question stands: pending, or how it ended.
pub(crate) fn shape(document: Value) -> Map<String, Value> {
    let Value::Object(mut prompt) = document else { return Map::new() };
    let mut told = Map::new();
    let mut put = |name: &str, value: Value| told.insert(name.to_owned(), value);
    let id = prompt.remove("id").unwrap_or_default();
    let resolution = prompt.remove("resolution").filter(Value::is_object);
    if let Some(resolution) = resolution {
        let value = resolution.get("value").cloned().unwrap_or_default();
        let of = |name: &str| resolution.get(name).and_then(Value::as_bool).unwrap_or(false);
        put("state", json!("resolved"));
        put("outcome", json!(outcome(&resolution)));
        put("value", value);
        if let Some(values) = resolution.get("values") {
            put("values", values.clone());
        }
        put("default_used", json!(of("default_used")));
        put("nobody_saw_it", json!(of("nobody_saw_it")));
        put("resolution", resolution);
    } else {
        put("state", json!("pending"));
        put("next", json!(format!("call wait_for_input with prompt_id {id}")));
        for name in ["remaining_seconds", "expires_at", "default_action"] {
            if let Some(value) = prompt.remove(name).filter(|value| !value.is_null()) {
                put(name, value);
            }
        }
    }
    put("prompt_id", id);
    put("question", question(&prompt));
    told
}

/// What was asked: the body, where the title is only its beginning.
pub(crate) fn question(prompt: &Map<String, Value>) -> Value {
    let body = prompt.get("body").filter(|body| body.is_string());
    body.or_else(|| prompt.get("title")).cloned().unwrap_or_default()
}

/// A time-out is no refusal, and neither is a cancellation.
fn outcome(resolution: &Value) -> &'static str {
    if resolution.get("declined").and_then(Value::as_bool) == Some(true) {
        return "refused";
    }
    match resolution.get("by").and_then(Value::as_str) {
        Some("timeout") => "timed_out",
        Some("cancelled") => "cancelled",
        Some("elsewhere") => "answered_elsewhere",
        _ => "answered",
    }
}

pub(crate) fn say(of: &Map<String, Value>) -> String {
    let id = text(of, "prompt_id");
    if text(of, "state") == "pending" {
        let left = of.get("remaining_seconds").and_then(Value::as_f64);
        let left =
            left.map(|left| format!(" It stands for another {left:.0} s.")).unwrap_or_default();
        return format!(
            "Nobody has answered yet.{left} The question is kept: call wait_for_input with prompt_id {id:?} \
             to wait on; do not ask it again."
        );
    }
    let value = text(of, "value");
    let resolution = of.get("resolution").and_then(Value::as_object);
    let via = resolution.map(|resolution| text(resolution, "via")).unwrap_or_default();
    let actor = resolution.map(|resolution| text(resolution, "actor")).unwrap_or_default();
    let who = if actor.is_empty() { "A person" } else { actor };
    let when = resolution.map(|resolution| text(resolution, "at")).unwrap_or_default();
    let said = |word: &str, what: &str| match what {
        "" => String::new(),
        what => format!(" {word} {what}"),
    };
    // A client may show this text alone: it says all of who, through what and when.
    let is_verified = resolution.and_then(|resolution| resolution.get("verified"));
    let unverified = if is_verified == Some(&json!(false)) { " (unverified)" } else { "" };
    let through = said("through", via) + unverified + &said("at", when);
    match text(of, "outcome") {
        "timed_out" => {
            let unseen = of.get("nobody_saw_it") == Some(&json!(true));
            let unseen = if unseen { " Nobody has even seen the question." } else { "" };
            let then = match value {
                "" => "Nothing was chosen for you.".to_owned(),
                value => format!("You said you would then: {value}"),
            };
            format!("Nobody answered in time, and nobody refused.{unseen} {then}")
        }
        "refused" => {
            format!("{who} did not want to answer{through}: decide without it, or ask otherwise.")
        }
        "cancelled" => "The question was taken back; there will be no answer.".to_owned(),
        "answered_elsewhere" => "It was answered elsewhere; what was said is not known.".to_owned(),
        _ if of.get("default_used") == Some(&json!(true)) => {
            format!("{who} answered{through}: do as you said you would: {value}")
        }
        _ => format!("{who} answered{through}: {value}"),
    }
}

fn shape_list(document: Value) -> Map<String, Value> {
    let Value::Object(mut document) = document else { return Map::new() };
    let Some(Value::Array(prompts)) = document.remove("prompts") else { return Map::new() };
    // The agent's own dialogs wait for a person as well, but are no question of a tool.
    let asked = prompts.into_iter().filter(|prompt| prompt.get("kind") == Some(&json!("input")));
    let inputs = asked.map(|prompt| Value::Object(only(Value::Object(shape(prompt)), INPUT)));
    let mut list = Map::new();
    list.insert("inputs".to_owned(), inputs.collect());
    list
}

fn say_list(of: &Map<String, Value>) -> String {
    let inputs = of.get("inputs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if inputs.is_empty() {
        return "No question of yours is open.".to_owned();
    }
    let one = |input: &Value| {
        let input = input.as_object().cloned().unwrap_or_default();
        let left = input.get("remaining_seconds").and_then(Value::as_f64);
        let left = left.map(|left| format!(", {left:.0} s left")).unwrap_or_default();
        format!("{} ({}{left})", text(&input, "prompt_id"), text(&input, "question"))
    };
    format!("Open questions: {}.", inputs.iter().map(one).collect::<Vec<_>>().join("; "))
}
