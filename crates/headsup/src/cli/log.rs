//! `headsup log`

use crate::cli::{Context, wait};
use crate::client::resolve;
use crate::client::start::Health;
use crate::client::stream::{EventStream, Message, Query};
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use crate::output::theme;
use headsup_core::event::EventBody;
use headsup_core::id::AgentId;
use headsup_core::timeline::{Entry, KEPT};
use headsup_core::wire::SCHEMA;
use serde::{Deserialize, Serialize};

/// Show what an agent did lately: tools, prompts, turns. The last 100 entries are kept.
///
/// With --follow it ends with exit code 8 once the agent is forgotten.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Its id, its name, an unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
    /// How many entries, the newest ones: 1 to 100.
    #[arg(short = 'n', value_name = "N", default_value_t = KEPT, value_parser = a_number)]
    number: usize,
    /// Go on with what it does next.
    #[arg(long, short)]
    follow: bool,
    /// Text for people, or one JSON object a line.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Jsonl,
}

const EXAMPLES: &str = "\
Examples:
  headsup log api -n 20
  headsup log api --follow
  headsup log api --format jsonl > activity.jsonl";

fn a_number(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=KEPT).contains(number));
    number.ok_or_else(|| format!("it is 1 to {KEPT}"))
}

#[derive(Deserialize)]
struct Activity {
    entries: Vec<Entry>,
}

/// An entry as a document of its own; with `--json` it says whose it is.
#[derive(Serialize)]
struct EntryDoc<'a> {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'a AgentId>,
    #[serde(flatten)]
    entry: &'a Entry,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let id = resolve::agent(&client, &args.agent).await?.id;
    let path = format!("/api/v1/agents/{id}/activity?limit={}", args.number);
    let is_json = context.output.is_json() && args.format == Format::Text;
    if is_json && !args.follow {
        return Output::json_text(&client.get_text(&path).await?);
    }
    let print = |entry: &Entry| match args.format {
        Format::Jsonl => doc(entry, None),
        Format::Text if is_json => doc(entry, Some(&id)),
        Format::Text => text(context.output, entry),
    };
    if !args.follow {
        let activity = client.get_doc::<Activity>(&path).await?;
        if activity.entries.is_empty() {
            context.output.say(&Line::plain(format!("headsup: {id} has done nothing yet")));
        }
        return activity.entries.iter().try_for_each(print);
    }

    // The stream begins before the entries are read, so that none falls between; what comes
    // twice for it is shown once.
    let health = client.get_doc::<Health>("/healthz").await?;
    let (agents, types) = (vec![id.clone()], vec!["activity.appended", "agent.forgotten"]);
    let query = Query { agents, types, since: Some(health.cursor), ends: false };
    let mut stream = EventStream::open(&client, query).await?;
    let activity = client.get_doc::<Activity>(&path).await?;
    activity.entries.iter().try_for_each(print)?;
    let mut shown = activity.entries;
    while let Some(frame) = stream.next().await? {
        match frame.read() {
            Message::Lagged(_) => stream.rewind(),
            Message::Event(event) => match event.body {
                EventBody::ActivityAppended { entry } => {
                    match shown.iter().position(|known| *known == entry) {
                        Some(at) => drop(shown.drain(..=at)),
                        None => print(&entry)?,
                    }
                }
                EventBody::Forgotten => return Err(forgotten(&id)),
                _ => {}
            },
            // Behind a gap that the log does not cover.
            Message::Snapshot(now) if now.agents.iter().all(|agent| agent.id != id) => {
                return Err(forgotten(&id));
            }
            _ => {}
        }
    }
    Ok(())
}

fn doc(entry: &Entry, agent_id: Option<&AgentId>) -> Result<(), CommandError> {
    Output::json(&EntryDoc { schema: SCHEMA, agent_id, entry })
}

fn forgotten(id: &AgentId) -> CommandError {
    wait::ended(id, "forgotten", "nothing more comes of it")
}

fn text(output: Output, entry: &Entry) -> Result<(), CommandError> {
    let parts = [entry.tool.as_deref(), entry.action.as_deref()];
    let what = parts.into_iter().flatten().collect::<Vec<_>>().join(": ");
    let line = Line::new().styled(theme::DIM, entry.ts.to_string()).then("  ");
    output.line(&line.and(&Line::plain(&*entry.state).pad(9)).then(what))
}
