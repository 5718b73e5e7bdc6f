//! `headsup up`

use crate::cli::{Context, block_on};
use crate::client::address;
use crate::client::start::{self, Hub};
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::SCHEMA;
use headsup_daemon::{Config, Retention, RunError};
use serde::Serialize;
use std::io;
use std::path::Path;
use tracing_subscriber::EnvFilter;

/// Start the hub; a second call says that it runs.
///
/// The hub is the process that agents report to. It listens on a socket in `HEADSUP_HOME`
/// that only you can open, and keeps everything in one database file beside it. Commands that
/// need the hub start it by themselves.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Stay in this terminal and log to stderr (`HEADSUP_LOG` sets how much, as `debug`).
    #[arg(long)]
    foreground: bool,
    /// Play recorded agents through the real hook path, and show what becomes of them.
    #[arg(long, conflicts_with = "foreground")]
    demo: bool,
    /// Leave the terminal's session: how a started hub runs.
    #[arg(long, hide = true, requires = "foreground")]
    detach: bool,
}

const EXAMPLES: &str = "\
Examples:
  headsup up                            start it and return
  headsup up --foreground               for a service manager
  headsup up --demo                     see it at work without an agent";

#[derive(Serialize)]
struct UpDoc<'a> {
    schema: u32,
    pid: u32,
    home: Option<&'a Path>,
    socket: Option<&'a Path>,
    started: bool,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    if args.foreground {
        return foreground(&args, context);
    }
    if args.demo {
        return block_on(crate::demo::run(context));
    }
    block_on(background(context))
}

async fn background(context: &Context) -> Result<(), CommandError> {
    let Hub { client, health, started } = start::start(&context.place).await?;
    let (pid, address) = (health.pid, client.address());
    let word = if started { "is up" } else { "is already up" };
    context.output.say(&Line::plain(format!("headsup: hub {word} (pid {pid}, {address})")));
    if !context.output.is_json() {
        return Ok(());
    }
    let (home, socket) = (context.place.home.as_deref(), address.socket());
    Output::json(&UpDoc { schema: SCHEMA, pid, home, socket, started })
}

fn foreground(args: &Args, context: &Context) -> Result<(), CommandError> {
    let home = context.place.home.clone().ok_or_else(start::no_home)?;
    address::fits(&home.join("headsup.sock"))?;
    if args.detach {
        // Fails only for one who leads a session already, which is what we want to be.
        rustix::process::setsid().ok();
    }
    let filter = EnvFilter::try_from_env("HEADSUP_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    // A log that cannot be written, on a full disk for one, must not end the hub.
    let log = tracing_subscriber::fmt().log_internal_errors(false);
    log.with_env_filter(filter).with_writer(io::stderr).init();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime
        .map_err(|error| CommandError::internal(format!("cannot start the runtime: {error}")))?;
    let folders = headsup_adapters::registries(|name| std::env::var_os(name));
    let retention = context.config.retention;
    let retention = Retention { events: retention.events, days: retention.days };
    let config = Config { home, folders, retention };
    runtime.block_on(headsup_daemon::run(config)).map_err(|error| not_run(&error))
}

fn not_run(error: &RunError) -> CommandError {
    match error {
        RunError::AlreadyRunning { .. } => CommandError::new(Kind::Refused, error.to_string())
            .code("already_running")
            .hint("stop that one with `headsup down`"),
        _ => CommandError::internal(format!("the hub stopped: {error}")),
    }
}
