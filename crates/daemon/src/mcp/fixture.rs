//! The tools that the official scenarios call, on the server's own machinery: what they ask is a question to a
//! person, and what they are long at is one that nobody has answered yet. They are served to the agent
//! [`AGENT`] alone, and in tests alone.

use super::elicit::{self, ANSWER, Names};
use super::failure::Failure;
use super::hub::Hub;
use super::scope::Scope;
use super::server::Server;
use super::table::{Hints, Kind, Parameter, READS, Tool, optional, required};
use super::tools::inputs;
use super::{operation, schema, table};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
    ResourceContents, Tool as Listed,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::time::Duration;

pub(crate) const AGENT: &str = "fixture";

/// What a tool does.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// It answers with this.
    Says(fn(&JsonObject) -> Result<CallToolResult, Failure>),
    /// It tells how far it is.
    Progresses,
    /// It asks these, one after the other.
    Asks(&'static [Round]),
    /// It takes until a question's deadline: a minute of the hub's clock, or half an hour of it.
    Works,
}

impl Act {
    pub(crate) fn asks(self) -> bool {
        matches!(self, Self::Asks(_))
    }
}

/// One question, and what the scenario calls its form.
pub(crate) struct Round {
    question: &'static str,
    names: Names,
}

const fn round(question: &'static str, form: &'static str, field: &'static str) -> Round {
    Round { question, names: Names { form, field } }
}

static NAME: [Round; 1] = [round("What is your name?", "user_name", "name")];
static CONFIRM: [Round; 1] = [round("Please confirm", "confirm", "ok")];
static TWO: [Round; 2] = [
    round("Step 1: What is your name?", "step1", "name"),
    round("Step 2: What is your favorite color?", "step2", "color"),
];

const fn tool(name: &'static str, parameters: &'static [Parameter], act: Act) -> Tool {
    let (title, about, output) = (name, name, &[]);
    let hints = Hints { reads: false, ..READS };
    Tool { name, title, about, parameters, output, hints, act: table::Act::Fixture(act) }
}

const SECONDS: Kind = Kind::Whole { least: 0, most: 600, default: None };

static TOOLS: [Tool; 15] = [
    tool(
        "test_simple_text",
        &[],
        Act::Says(|_| Ok(said([words("This is a simple text response for testing.")]))),
    ),
    tool("test_image_content", &[], Act::Says(|_| Ok(said([image()])))),
    tool(
        "test_audio_content",
        &[],
        Act::Says(|_| Ok(said([ContentBlock::audio(WAV, "audio/wav")]))),
    ),
    tool(
        "test_embedded_resource",
        &[],
        Act::Says(|_| Ok(said([embedded("test://embedded-resource")]))),
    ),
    tool(
        "test_multiple_content_types",
        &[],
        Act::Says(|_| {
            let first = words("Multiple content types test:");
            Ok(said([first, image(), embedded("test://mixed-content-resource")]))
        }),
    ),
    tool(
        "test_error_handling",
        &[],
        Act::Says(|_| {
            Err(Failure::new("wanted", "This tool intentionally returns an error for testing"))
        }),
    ),
    tool("test_tool_with_progress", &[], Act::Progresses),
    tool("test_input_required_result_elicitation", &[], Act::Asks(&NAME)),
    tool("test_input_required_result_request_state", &[], Act::Asks(&CONFIRM)),
    tool("test_input_required_result_tampered_state", &[], Act::Asks(&CONFIRM)),
    tool("test_input_required_result_multi_round", &[], Act::Asks(&TWO)),
    tool(
        "greet",
        &[required("name", Kind::Text(100), "")],
        Act::Says(|of| {
            Ok(said([words(&format!("Hello, {}!", of["name"].as_str().unwrap_or_default()))]))
        }),
    ),
    tool(
        "slow_compute",
        &[required("seconds", SECONDS, ""), optional("label", Kind::Text(100), "")],
        Act::Works,
    ),
    tool("failing_job", &[], Act::Works),
    tool("confirm_delete", &[required("filename", Kind::Text(100), "")], Act::Works),
];

static LIST: LazyLock<Vec<Listed>> = LazyLock::new(|| {
    // Their answers have the form that the scenarios want, which is none of ours.
    let listed = TOOLS.iter().map(schema::described);
    let bare = |mut tool: Listed| {
        tool.output_schema = None;
        tool
    };
    listed.map(bare).collect()
});

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

fn said<const N: usize>(content: [ContentBlock; N]) -> CallToolResult {
    CallToolResult::success(content.to_vec())
}

fn words(text: &str) -> ContentBlock {
    ContentBlock::text(text)
}

fn image() -> ContentBlock {
    ContentBlock::image(PNG, "image/png")
}

fn embedded(uri: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text("This is an embedded resource content.", uri))
}

pub(crate) fn is_meant(scope: &Scope) -> bool {
    matches!(scope, Scope::Agent(agent) if agent.as_str() == AGENT)
}

pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

pub(crate) fn list() -> &'static [Listed] {
    &LIST
}

fn question(text: &str, minutes: u32) -> JsonObject {
    let asked = json!({
        "question": text, "default_action": "nothing", "wait_seconds": 30, "timeout_minutes": minutes,
    });
    asked.as_object().cloned().unwrap_or_default()
}

pub(crate) async fn run<H: Hub>(
    server: &Server<H>,
    act: Act,
    came: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Failure> {
    let arguments = came.arguments.clone().unwrap_or_default();
    match act {
        Act::Says(says) => says(&arguments).map(Into::into),
        Act::Progresses => {
            let (pulse, whole) = (server.pulse(context), Duration::from_secs(100));
            for waited in [0, 50, 100] {
                pulse.beat(Duration::from_secs(waited), whole).await;
            }
            Ok(said([words("done")]).into())
        }
        Act::Works => {
            let is_long = arguments.get("seconds").and_then(Value::as_u64) >= Some(60);
            let text = format!("{} {}", came.name, Value::Object(arguments));
            let seconds = if is_long { 30 } else { 1 };
            server.ask(question(&text, seconds), ANSWER, None, context).await
        }
        Act::Asks(rounds) => {
            if let Some(state) = &came.request_state {
                return again(server, rounds, state, came, context).await;
            }
            let asked = question(rounds[0].question, 30);
            server.ask(asked, rounds[0].names, None, context).await
        }
    }
}

/// The call has come again: the state says which of the questions was asked.
async fn again<H: Hub>(
    server: &Server<H>,
    rounds: &'static [Round],
    state: &str,
    came: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Failure> {
    let prompt = operation::prompt(server.hub(), state).await?;
    let asked = prompt.as_object().map(inputs::question).unwrap_or_default();
    let mut rest = rounds.iter().skip_while(|round| asked != round.question);
    let Some(now) = rest.next() else {
        return Err(Failure::new("no_such_round", "it was another question"));
    };
    let Some(mut said) = elicit::said(came, now.names) else {
        return server.wait(state, 30, now.names, context).await;
    };
    // A question of ours is answered with words.
    if let Some(Value::Bool(yes)) = said.get("value") {
        said["value"] = json!(yes.to_string());
    }
    let resolved = operation::elicited(server.hub(), state, said).await?;
    match rest.next() {
        Some(next) => server.ask(question(next.question, 30), next.names, None, context).await,
        None => Ok(operation::resolution(resolved).into()),
    }
}
