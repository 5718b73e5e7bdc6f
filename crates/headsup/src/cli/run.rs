//! `headsup run`

use crate::cli::Context;
use crate::client::{ANSWER_WITHIN, Client, start};
use crate::error::{CommandError, Kind};
use crate::launch::begin::{Start, Terminal, begin, seat_of};
use crate::launch::order::{self, Order, Streaming};
use crate::launch::seat::{self, Seat};
use crate::launch::tend;
use crate::launch::tmux::{Session, Tmux};
use crate::launch::{CUSTOM, Program};
use crate::output::Output;
use crate::output::line::Line;
use crate::place::Place;
use bytes::Bytes;
use headsup_adapters::stream;
use headsup_core::id::AgentId;
use headsup_core::wire::{LaunchDoc, SCHEMA};
use serde::Serialize;
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What an agent says that fails within this time nobody has read: its session stays.
const TOO_SOON_TO_BE_SEEN: Duration = Duration::from_secs(10);
/// What a shell returns for a program that TERM has ended.
const TOLD_TO_GO: u8 = 128 + 15;
/// Bytes of a command line that is kept.
const LONGEST_LAUNCH: usize = 60_000;

/// Start an agent that reports, without touching its configuration.
///
/// It gets an id, a place in the roster at once, and hooks and tools for this launch alone. In a tmux
/// session of its own, or with --here in this terminal, where its exit code is the agent's.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Its id; otherwise one is made of the program and this folder.
    #[arg(long, value_parser = an_id)]
    id: Option<AgentId>,
    /// What it is there for, as `reviewer`.
    #[arg(long)]
    role: Option<String>,
    /// A label; may be given again.
    #[arg(long, value_name = "K=V", value_parser = super::ls::a_label)]
    label: Vec<String>,
    /// In a tmux session of its own; the default where there is tmux.
    #[arg(long, conflicts_with = "here")]
    tmux: bool,
    /// In this terminal; this command ends with the agent's own exit code.
    #[arg(long)]
    here: bool,
    /// Allow headsup to look at its tmux pane for as long as it lives, where nothing better tells
    /// its status. It is kept as the label `observable=true`, up to a launch without it.
    #[arg(long)]
    observable: bool,
    /// Without the tools by which it could say how it is and ask you.
    #[arg(long)]
    no_tools: bool,
    /// Read what it does from there, line by line, in the form of its own headless runs. Without it
    /// a headless run that is asked for such lines is read from its output.
    #[arg(long, value_name = "FILE|FIFO")]
    stream: Option<PathBuf>,
    /// The kind of agent that writes these lines, where the program only starts one, as a shell or
    /// a script of yours does.
    #[arg(long, value_name = "KIND", requires = "stream", value_parser = a_kind_with_a_stream)]
    stream_kind: Option<String>,
    /// The program and its arguments, as they are.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Start the agent that an order describes, and stay with it.
#[derive(Debug, clap::Args)]
#[command(hide = true, after_help = "Examples:\n  headsup launch ORDER")]
pub(crate) struct LaunchArgs {
    order: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  headsup run -- AGENT
  headsup run --id api --role reviewer --label team=a -- AGENT --continue
  headsup run --here -- AGENT -p 'fix the tests'
  headsup run --id nightly -- ./my-agent.sh            it calls `headsup report` itself
  headsup run --stream lines --stream-kind KIND -- sh -c 'AGENT >lines'";

pub(super) fn an_id(text: &str) -> Result<AgentId, headsup_core::id::BadAgentId> {
    AgentId::new(text)
}

fn a_kind_with_a_stream(text: &str) -> Result<String, String> {
    if stream::is_known(text) {
        return Ok(text.to_owned());
    }
    Err(format!("nothing is known of a stream of it; these have one: {}", stream::KINDS.join(", ")))
}

/// Which kind of agent it is: where its program does not tell, that of its stream.
fn kind_of<'a>(args: &'a Args, program: &Program) -> &'a str {
    let said = args.stream_kind.as_deref().filter(|_| program.kind() == CUSTOM);
    said.unwrap_or(program.kind())
}

#[derive(Serialize)]
struct RunDoc<'a> {
    schema: u32,
    agent_id: &'a AgentId,
    kind: &'a str,
    tmux: TmuxDoc<'a>,
    attach: String,
}

#[derive(Serialize)]
struct TmuxDoc<'a> {
    session: &'a str,
    pane: &'a str,
    socket: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let here = std::env::current_dir().map_err(|error| {
        CommandError::internal(format!("there is no working folder: {error}"))
            .hint("it was removed or moved: go to one that is there")
    })?;
    let [name, arguments @ ..] = &args.command[..] else {
        return Err(CommandError::usage("there is no program to run"));
    };
    let program = Program::find(name, &here)?;
    let is_unknown = args.stream_kind.is_none() && !stream::is_known(program.kind());
    if args.stream.is_some() && is_unknown {
        let name = program.name.to_string_lossy();
        return Err(CommandError::usage(format!("nothing is known of a stream of {name:?}")).hint(
            "if an agent behind it writes the lines, say which: --stream-kind KIND; otherwise it \
             can call `headsup report` itself",
        ));
    }
    if let Some(path) = args.stream.as_ref().map(|path| here.join(path))
        && !crate::launch::stream::is_readable(&path)?
        && !context.output.is_json()
    {
        let words = format!("headsup: {} cannot be read: nothing of it is told", path.display());
        context.output.say(&Line::plain(words));
    }
    let in_tmux = !args.here && Tmux::version().is_some();
    if args.tmux && !in_tmux {
        return Err(CommandError::new(Kind::Refused, "tmux is not installed")
            .hint("install it, or run the agent in this terminal: --here"));
    }
    let home = context.place.home.as_deref().ok_or_else(start::no_home).map_err(not_started)?;
    let streams = streaming(&args, &program, arguments, &here);
    let client = context.client().await.map_err(not_started)?;
    let token = order::secret()?;
    let taken = register(&args, &program, &here, &token, in_tmux, &client).await;
    let (id, was_there) = taken.map_err(not_started)?;
    client.speak_for(id.as_str(), &token);
    let start = Start {
        program: &program,
        arguments,
        folder: &here,
        id: &id,
        token: &token,
        with_tools: !args.no_tools,
        streams,
        terminal: if in_tmux { Terminal::Session(Tmux::here()) } else { Terminal::Own },
        is_again: false,
    };
    let seat = seat_of(&start, home, &client);
    let launched = begin(start, home, &client, context);
    match launched.await {
        Ok(session) => told(&id, kind_of(&args, &program), &Tmux::here(), &session, context.output),
        Err(error) if matches!(error.kind, Kind::Agent(_)) => Err(error),
        Err(error) => {
            let path = format!("/api/v1/agents/{id}?force=true");
            // What a seat that was there had done before stays.
            if was_there || client.delete(&path).await.is_err() {
                seat.tell_failure().await;
            }
            Err(error)
        }
    }
}

/// What is wrong with the hub does not say what became of the program.
fn not_started(mut error: CommandError) -> CommandError {
    error.message.push_str("; the program was not started");
    error
}

/// Where it writes what it does, if it does that.
fn streaming(
    args: &Args,
    program: &Program,
    arguments: &[OsString],
    here: &Path,
) -> Option<Streaming> {
    let kind = args.stream_kind.as_deref().unwrap_or(program.kind());
    let file = args.stream.as_ref().map(|path| here.join(path));
    let is_wanted = file.is_some() || stream::is_asked_for(kind, arguments);
    let is_answered = file.is_none() && stream::is_answered(kind, arguments);
    is_wanted.then(|| Streaming::new(kind, file.as_deref()).answered(is_answered))
}

pub(super) fn told(
    id: &AgentId,
    kind: &str,
    tmux: &Tmux,
    session: &Session,
    output: Output,
) -> Result<(), CommandError> {
    let attach = session.attach.clone();
    if output.is_json() {
        let socket = tmux.socket_name();
        let tmux = TmuxDoc { session: &session.name, pane: &session.pane, socket };
        return Output::json(&RunDoc { schema: SCHEMA, agent_id: id, kind, tmux, attach });
    }
    output.say(&Line::plain(format!("headsup: {id} is starting in tmux; see it: {attach}")));
    Ok(())
}

/// How it is started, so that it can be taken up again. Nothing where it is no text, or reads a file.
fn launch_of(args: &Args, program: &Program, here: &Path, in_tmux: bool) -> Option<LaunchDoc> {
    let [_, arguments @ ..] = &args.command[..] else { return None };
    let arguments = arguments.iter().map(|word| word.to_str().map(str::to_owned));
    let arguments: Vec<String> = arguments.collect::<Option<_>>()?;
    let path = std::path::absolute(&program.path).ok()?;
    let bytes: usize = arguments.iter().map(String::len).sum();
    (args.stream.is_none() && bytes <= LONGEST_LAUNCH).then_some(())?;
    Some(LaunchDoc {
        program: path.to_str()?.to_owned(),
        name: program.name.to_str()?.to_owned(),
        arguments,
        folder: here.to_str()?.to_owned(),
        here: !in_tmux,
        server: Tmux::here().socket_name().filter(|_| in_tmux),
        no_tools: args.no_tools,
    })
}

/// Takes a seat, and says whether it was there before. A made-up id that is taken gets a number.
async fn register(
    args: &Args,
    program: &Program,
    here: &Path,
    token: &str,
    in_tmux: bool,
    client: &Client,
) -> Result<(AgentId, bool), CommandError> {
    let pairs = args.label.iter().filter_map(|label| label.split_once('='));
    let observable = args.observable.then_some(("observable", "true"));
    let labels: std::collections::BTreeMap<&str, &str> = pairs.chain(observable).collect();
    // Of a session of its own the pane is known once it is there.
    let pane = Tmux::own_pane().filter(|_| !in_tmux);
    let mut body = json!({
        "kind": kind_of(args, program), "role": args.role, "labels": labels, "cwd": here.to_str(),
        "tmux": pane, "token": token, "launch": launch_of(args, program, here, in_tmux),
    });
    let server = Tmux::own_server();
    if pane.is_some() && !server.is_empty() {
        body["tmux_server"] = server.into();
    }
    let body = Bytes::from(body.to_string());
    let take = async |id: AgentId| {
        let until = tokio::time::Instant::now() + ANSWER_WITHIN;
        let was_there = seat::is_there(client, &id, until).await?;
        seat::take(client, &id, body.clone(), until).await.map(|()| (id, was_there))
    };
    if let Some(id) = &args.id {
        return take(id.clone()).await;
    }
    let program = program.path.file_name().unwrap_or_default().to_string_lossy();
    let folder = here.file_name().unwrap_or_default().to_string_lossy();
    let base = AgentId::slug(&format!("{program}-{folder}"));
    let mut number = 1_u32;
    loop {
        let text = if number == 1 { base.to_string() } else { format!("{base}-{number}") };
        match take(AgentId::slug(&text)).await {
            Err(error) if is_taken(&error) && number < 1_000 => number += 1,
            outcome => return outcome,
        }
    }
}

/// Somebody else is called this, was put away there, or has a seat that an agent may not take.
pub(super) fn is_taken(error: &CommandError) -> bool {
    let codes = ["agent_exists", "agent_suspended", "name_taken", "not_your_agent", "human_only"];
    codes.contains(&error.code.as_str())
}

/// In the session that tmux has made.
pub(crate) async fn launch(args: &LaunchArgs) -> Result<(), CommandError> {
    let order = Order::take(&args.order)?;
    // The hub of whoever gave the order: this environment is tmux's own.
    let place = Place::resolve(|name| order.variable(name));
    // Without a hub the agent runs all the same, and one that comes later is told of it.
    let client = start::client(&place).ok();
    let token = order.variable("HEADSUP_AGENT_TOKEN");
    if let (Some(client), Some(token)) = (&client, token.as_ref().and_then(|t| t.to_str())) {
        client.speak_for(order.id(), token);
    }
    let token = token.as_ref().and_then(|token| token.to_str());
    let home = place.home.as_deref();
    let seat = Seat { id: order.id(), hub: client.as_ref(), home, token };
    let start = Instant::now();
    let error = tend::run(&order, &seat, &place).await;
    let has_failed = if let Kind::Agent(code) = error.kind {
        // Whoever was told to go has been seen.
        code != 0 && code != TOLD_TO_GO
    } else {
        seat.tell_failure().await;
        true
    };
    if has_failed && start.elapsed() < TOO_SOON_TO_BE_SEEN {
        Tmux::keep_own_pane();
    }
    Err(error)
}
