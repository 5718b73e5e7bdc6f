//! An agent is started: with its settings for this launch alone, in a session of tmux or here.

use super::Program;
use super::order::{self, Order, Streaming};
use super::seat::Seat;
use super::settings::{self, Launched, What};
use super::tend;
use super::tmux::{Session, Tmux};
use crate::cli::Context;
use crate::cli::hooks::{binary, launch_folder};
use crate::client::Client;
use crate::error::CommandError;
use bytes::Bytes;
use headsup_adapters::stream;
use headsup_core::id::AgentId;
use serde_json::json;
use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::Duration;

/// Where it gets a terminal.
#[derive(Clone, Debug)]
pub(crate) enum Terminal {
    /// In a session of its own.
    Session(Tmux),
    /// The one that we have, if we have one.
    Own,
}

/// Who is started, and how. Its seat is taken already.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    pub(crate) program: &'a Program,
    pub(crate) arguments: &'a [OsString],
    pub(crate) folder: &'a Path,
    pub(crate) id: &'a AgentId,
    pub(crate) token: &'a str,
    pub(crate) with_tools: bool,
    pub(crate) streams: Option<Streaming>,
    pub(crate) terminal: Terminal,
    /// It was in a session before, which may not be gone yet.
    pub(crate) is_again: bool,
}

/// Starts it. In our own terminal its end is told as an error that carries its exit code.
pub(crate) async fn begin(
    start: Start<'_>,
    home: &Path,
    client: &Client,
    context: &Context,
) -> Result<Session, CommandError> {
    let launch = launch_folder(home);
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&launch).map_err(|error| {
        CommandError::internal(format!("cannot make {}: {error}", launch.display()))
    })?;
    let Start { program, arguments, id, .. } = start;
    let launched = match program.recipe {
        Some(recipe) => {
            let (path, folder, id) = (&program.path, start.folder, id.as_str());
            let (launch, is_read) = (launch.as_path(), start.streams.is_some());
            let what = What { recipe, program: path, launch, folder, id, is_read, context };
            settings::inject(&what, arguments, start.with_tools)?
        }
        None => Launched::with(arguments.to_vec()),
    };
    let order = order_of(&start, &launched, home);
    let order = order.with("HEADSUP_AGENT_TOKEN", start.token).streaming(start.streams.clone());
    match &start.terminal {
        Terminal::Session(tmux) => in_session(tmux, order, &start, (home, &launch), client).await,
        Terminal::Own => {
            if let Some(pane) = Tmux::own_pane().filter(|_| start.is_again) {
                tell_place(client, id, &pane, &Tmux::own_server()).await;
            }
            let seat = seat_of(&start, home, client);
            Err(tend::run_in_its_place(&order, &seat, &context.place).await)
        }
    }
}

/// Where is told of it.
pub(crate) fn seat_of<'a>(start: &Start<'a>, home: &'a Path, client: &'a Client) -> Seat<'a> {
    let (home, token) = (Some(home), Some(start.token));
    Seat { id: start.id.as_str(), hub: Some(client), home, token }
}

fn order_of(start: &Start<'_>, launched: &Launched, home: &Path) -> Order {
    let id = start.id.as_str();
    let is_one_run = stream::is_one_run(start.program.kind(), start.arguments);
    let order = Order::new(start.program, &launched.arguments, start.folder, id);
    let order = order.of_one_run(is_one_run);
    let is_elsewhere = matches!(start.terminal, Terminal::Session(_));
    let order = if is_elsewhere { order.with_whole_environment() } else { order };
    let own = launched.variables.iter();
    let order = own.fold(order, |order, (name, value)| order.with(name, value));
    order.with("HEADSUP_AGENT_ID", id).with("HEADSUP_HOME", home)
}

/// So long a session may take to go whose agent has ended.
const ENDS_WITHIN: Duration = Duration::from_millis(500);

async fn in_session(
    tmux: &Tmux,
    order: Order,
    start: &Start<'_>,
    (home, launch): (&Path, &Path),
    client: &Client,
) -> Result<Session, CommandError> {
    let id = start.id.as_str();
    let path = order::path(launch, id);
    order.write(&path)?;
    let binary = binary()?;
    let words = [binary.as_os_str(), "launch".as_ref(), path.as_os_str()];
    let session = if start.is_again {
        tmux.start_again(id, home, start.folder, &words).await
    } else {
        // If it stays, tmux says that it is there.
        tmux.leaves(id, ENDS_WITHIN).await;
        tmux.start(id, home, start.folder, &words)
    };
    let session = session.inspect_err(|_| {
        std::fs::remove_file(&path).ok();
    })?;
    tell_place(client, start.id, &session.pane, &session.server).await;
    Ok(session)
}

/// Where it is, which its hooks will tell as well.
async fn tell_place(client: &Client, id: &AgentId, pane: &str, server: &str) {
    let mut about = json!({ "tmux": pane });
    if !server.is_empty() {
        about["tmux_server"] = server.into();
    }
    let about = Bytes::from(about.to_string());
    client.patch(&format!("/api/v1/agents/{id}"), about).await.ok();
}
