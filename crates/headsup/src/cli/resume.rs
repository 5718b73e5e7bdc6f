//! `headsup resume`, and how the hub has an agent started again.

use super::run::told;
use crate::cli::Context;
use crate::client::{Client, answer, resolve, start};
use crate::error::{CommandError, Kind};
use crate::launch::Program;
use crate::launch::begin::{Start, Terminal, begin, seat_of};
use crate::launch::order;
use crate::launch::tmux::Tmux;
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::wire::{RelaunchDoc, ResumeBody};
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

/// Take a suspended agent up again: the same conversation, in the same seat.
///
/// It is started as `headsup run` has started it: with the same options, in the same folder, and in a
/// tmux session or in this terminal as then. Nothing else is added to its command line.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Id, name or unambiguous beginning.
    agent: String,
    /// Its first prompt.
    text: Option<String>,
    /// In a tmux session of its own, wherever it was.
    #[arg(long, conflicts_with = "here")]
    tmux: bool,
    /// In this terminal, wherever it was.
    #[arg(long)]
    here: bool,
}

/// Start the agent that standard input describes. The hub calls it.
#[derive(Debug, clap::Args)]
#[command(hide = true, after_help = "Examples:\n  headsup relaunch < ORDER")]
pub(crate) struct RelaunchArgs {}

const EXAMPLES: &str = "\
Examples:
  headsup resume api
  headsup resume api 'now fix the tests'
  headsup resume api --here             in this terminal";

/// The hub sees us, but not as somebody who lives where it lives.
const NOT_HERE: &str = "not_here";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let has_tmux = Tmux::version().is_some();
    let has_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let client = context.client().await?;
    let is_near = client.address().socket().is_some();
    if is_near && !has_tmux && (args.tmux || !(args.here || has_terminal)) {
        return Err(CommandError::new(Kind::Refused, "tmux is not installed")
            .hint("install it, or take the agent up in a terminal: --here"));
    }
    let agent = resolve::agent(&client, &args.agent).await?;
    let path = format!("/api/v1/agents/{}/resume", agent.id);
    let token = order::secret()?;
    let body = |token| {
        let body = ResumeBody { message: args.text.clone(), token };
        serde_json::to_vec(&body).map(Bytes::from)
    };
    let body = |token| body(token).map_err(|error| CommandError::internal(error.to_string()));
    let reply = match is_near {
        true => client.post(&path, body(Some(token.clone()))?).await,
        false => Err(CommandError::new(Kind::Refused, "").code(NOT_HERE)),
    };
    let reply = match reply {
        // The hub starts it where it is.
        Err(error) if error.code == NOT_HERE && !args.here => {
            let reply = client.post(&path, body(None)?).await?;
            if context.output.is_json() {
                return Output::json_text(answer::text(&path, &reply)?);
            }
            let said = format!("headsup: {} is starting in tmux, where the hub is", agent.id);
            context.output.say(&Line::plain(said));
            return Ok(());
        }
        Err(error) if error.code == NOT_HERE => {
            let message = format!("{} lives where the hub is, and not in this terminal", agent.id);
            return Err(CommandError::new(Kind::Refused, message)
                .code(NOT_HERE)
                .hint("leave `--here` out: the hub takes it up in tmux there"));
        }
        other => other?,
    };
    let order: RelaunchDoc = answer::doc(&path, &reply)?;
    let is_here = args.here || !has_tmux || (order.launch.here && has_terminal && !args.tmux);
    launch(&order, &token, is_here, &client, context).await
}

/// As the hub has ordered it.
pub(crate) async fn relaunch(_: RelaunchArgs, context: &Context) -> Result<(), CommandError> {
    let mut text = String::new();
    let unreadable = |why: String| CommandError::internal(format!("cannot read the order: {why}"));
    std::io::stdin().read_to_string(&mut text).map_err(|error| unreadable(error.to_string()))?;
    // The parser's own words may quote what it has read.
    let order: RelaunchDoc = serde_json::from_str(&text)
        .map_err(|_| unreadable("it is not in the form of this version".to_owned()))?;
    let token = order.token.clone().ok_or_else(|| unreadable("it has no token".to_owned()))?;
    if Tmux::version().is_none() {
        return Err(CommandError::new(Kind::Refused, "tmux is not installed"));
    }
    let client = start::client(&context.place)?;
    launch(&order, &token, false, &client, context).await
}

/// Starts it; what fails is told in its seat.
async fn launch(
    order: &RelaunchDoc,
    token: &str,
    is_here: bool,
    client: &Client,
    context: &Context,
) -> Result<(), CommandError> {
    let RelaunchDoc { agent_id: id, launch, .. } = order;
    client.speak_for(id.as_str(), token);
    let home = context.place.home.as_deref().ok_or_else(start::no_home)?;
    let program = Program::at(PathBuf::from(&launch.program), OsStr::new(&launch.name));
    let arguments: Vec<OsString> = launch.arguments.iter().map(OsString::from).collect();
    let tmux = Tmux::on(launch.server.as_deref());
    let start = Start {
        program: &program,
        arguments: &arguments,
        folder: Path::new(&launch.folder),
        id,
        token,
        with_tools: !launch.no_tools,
        streams: None,
        terminal: if is_here { Terminal::Own } else { Terminal::Session(tmux.clone()) },
        is_again: true,
    };
    let seat = seat_of(&start, home, client);
    match begin(start, home, client, context).await {
        Ok(session) => told(id, &order.kind, &tmux, &session, context.output),
        Err(error) if matches!(error.kind, Kind::Agent(_)) => Err(error),
        Err(error) => {
            seat.tell_failure().await;
            Err(error)
        }
    }
}
