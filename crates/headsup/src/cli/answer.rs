//! `headsup answer`

use crate::cli::Context;
use crate::client::{Client, answer, resolve};
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::prompt;
use headsup_core::wire::{OnePromptDoc, PromptDoc, PromptsDoc};
use headsup_core::words;
use serde_json::{Value, json};

/// Answer a question. The first answer wins; whoever comes later is told who was first.
///
/// A number among the options means the option, unless it is the text of one.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("answer").required(true))]
#[command(override_usage = USAGE)]
pub(crate) struct Args {
    /// The prompt, as `inbox` shows it; or an agent that asks one thing.
    prompt: String,
    /// The answer: a text, or an option's value, label or number.
    #[arg(group = "answer")]
    text: Option<String>,
    /// An option by its number, from 1; again where several may be chosen.
    #[arg(long, group = "answer", value_name = "N", value_parser = number)]
    option: Vec<usize>,
    /// Yes.
    #[arg(long, group = "answer")]
    allow: bool,
    /// No.
    #[arg(long, group = "answer")]
    deny: bool,
    /// What the agent would do by itself.
    #[arg(long, group = "answer")]
    default: bool,
}

/// The parser by itself shows the answer before its prompt.
const USAGE: &str =
    "headsup answer [OPTIONS] <PROMPT> <TEXT|--option <N>|--allow|--deny|--default>";

const EXAMPLES: &str = "\
Examples:
  headsup answer api-p3 'use the second one'
  headsup answer api-p3 --option 2
  headsup answer api --default          the one thing that api asks";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let prompt = find(&client, &args.prompt).await?;
    let mut body = args.said(&prompt);
    body["via"] = "cli".into();
    let path = format!("/api/v1/prompts/{}/answer", prompt.id);
    let reply = client.post(&path, Bytes::from(body.to_string())).await?;
    if context.output.is_json() {
        return Output::json_text(answer::text(&path, &reply)?);
    }
    let answered: OnePromptDoc = answer::doc(&path, &reply)?;
    let prompt = &answered.prompt;
    let said = format!("headsup: {}: {}", prompt.id, words::resolution(prompt));
    context.output.say(&Line::plain(said));
    Ok(())
}

/// The prompt of this id; else the one that an agent of this name asks.
async fn find(client: &Client, reference: &str) -> Result<PromptDoc, CommandError> {
    if prompt::agent_of(reference).is_some() {
        match client.get_doc::<OnePromptDoc>(&format!("/api/v1/prompts/{reference}")).await {
            Ok(found) => return Ok(found.prompt),
            Err(error) if error.code == "no_such_prompt" => {}
            Err(error) => return Err(error),
        }
    }
    let none = |message: String| {
        CommandError::new(Kind::NotFound, message)
            .code("no_such_prompt")
            .hint("see what waits: `headsup inbox`")
    };
    let agent = match resolve::agent(client, reference).await {
        Ok(agent) => agent,
        Err(error) if error.kind == Kind::NotFound => {
            return Err(none(format!("no prompt has the id {reference:?}")));
        }
        Err(error) => return Err(error),
    };
    let path = format!("/api/v1/prompts?state=open&agent={}", agent.id);
    let mut open = client.get_doc::<PromptsDoc>(&path).await?.prompts;
    match open.len() {
        0 => Err(none(format!("{} asks nothing", agent.id))),
        1 => Ok(open.remove(0)),
        _ => {
            let ids: Vec<_> = open.iter().map(|open| open.id.as_str()).collect();
            let message = format!("{} asks several things: {}", agent.id, ids.join(", "));
            Err(CommandError::new(Kind::Ambiguous, message).hint("name one of them"))
        }
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| "that is no number; the text of an option goes without --option".to_owned())
}

impl Args {
    fn said(&self, prompt: &PromptDoc) -> Value {
        if let Some(text) = &self.text {
            return match place(prompt, text) {
                Some(place) => json!({ "option": place }),
                None => json!({ "value": text }),
            };
        }
        match (self.allow, self.deny, self.default) {
            (true, ..) => json!({ "allow": true }),
            (_, true, _) => json!({ "deny": true }),
            (.., true) => json!({ "default": true }),
            _ => json!({ "option": self.option }),
        }
    }
}

/// The option that a number means; `None` if it is itself the text of one, or none.
fn place(prompt: &PromptDoc, text: &str) -> Option<usize> {
    let is_text = |text: &str| {
        prompt.options.iter().any(|option| option.value == text || option.label == text)
    };
    let place: usize = text.parse().ok()?;
    // Nothing around the digits: what is not quite a number is not quite an answer.
    let is_place = (1..=prompt.options.len()).contains(&place) && place.to_string() == text;
    (is_place && !is_text(text)).then_some(place)
}
