//! `headsup up`

mod ahead;
mod hub_log;
mod lines;

use crate::cli::listen::{self, ListenArgs};
use crate::cli::runtime::{build, let_signals_through};
use crate::cli::{Context, block_on};
use crate::client::address;
use crate::client::page::{self, Link};
use crate::client::resolve::OF_AN_AGENT;
use crate::client::start::{self, Hub};
use crate::demo::Played;
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::time::UnixMs;
use headsup_core::wire::SCHEMA;
use headsup_daemon::{Beside, Config, Listen, ListenError, ProviderSettings, Retention, RunError};
use hub_log::HubLog;
use lines::Lines;
use serde::Serialize;
use std::borrow::Cow;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::EnvFilter;

/// Start the hub; a second call says that it runs.
///
/// The hub is the process that agents report to. It listens on a socket in `HEADSUP_HOME`
/// that only you can open, and keeps everything in one database file beside it. Commands that
/// need the hub start it by themselves. With `--listen` it also serves a page for browsers, and
/// this interface to whoever has the token, on TCP; it does so again after a restart.
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
    #[command(flatten)]
    listen: ListenArgs,
}

const EXAMPLES: &str = "\
Examples:
  headsup up                            start it and return
  headsup up --foreground               for a service manager
  headsup up --demo                     see it at work without an agent
  headsup up --listen                   and the page on http://127.0.0.1:7717
  headsup up --no-listen                on the unix socket alone again";

/// Of the tools' library only what is wrong: it tells three lines of each call over HTTP, and the log would grow with
/// every question that an agent asks.
const LOGGED: &str = "info,rmcp=warn";

const ALREADY_RUNNING: &str = "already_running";

#[derive(Serialize)]
struct UpDoc<'a> {
    schema: u32,
    pid: u32,
    home: Option<Cow<'a, str>>,
    socket: Option<Cow<'a, str>>,
    started: bool,
    #[serde(flatten)]
    page: Option<Page>,
}

#[derive(Serialize)]
struct Page {
    url: String,
    expires_at: UnixMs,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let listen = args.listen.read()?;
    if args.foreground {
        leave_agent()?;
        return match foreground(&args, listen.clone(), context) {
            // The hub that runs is told what this one was told, as by a call without --foreground.
            Err(error) if error.code == ALREADY_RUNNING && !args.detach => {
                block_on(background(&args, listen, context))
            }
            // Whoever starts it takes a refusal for a hub that is there already, and tries again in vain.
            Err(error)
                if args.detach && error.kind == Kind::Refused && error.code != ALREADY_RUNNING =>
            {
                Err(CommandError { kind: Kind::Internal, ..error })
            }
            outcome => outcome,
        };
    }
    if args.demo && args.listen.is_names_alone() {
        return Err(listen::not_on_tcp());
    }
    if args.demo {
        return block_on(demo(&args, listen, context));
    }
    block_on(background(&args, listen, context))
}

/// The hub belongs to no agent, even where it is started in an agent's shell: without what says so it is this
/// same process once more.
fn leave_agent() -> Result<(), CommandError> {
    if OF_AN_AGENT.iter().all(|name| std::env::var_os(name).is_none()) {
        return Ok(());
    }
    let cannot =
        |error: io::Error| CommandError::internal(format!("cannot start the hub: {error}"));
    let mut again = Command::new(std::env::current_exe().map_err(cannot)?);
    again.args(std::env::args_os().skip(1));
    for name in OF_AN_AGENT {
        again.env_remove(name);
    }
    Err(cannot(again.exec()))
}

/// Beside a demonstration that plays it is a call that changes nothing.
async fn demo(args: &Args, listen: Option<Listen>, context: &Context) -> Result<(), CommandError> {
    match crate::demo::run(context, listen.clone()).await? {
        Played::ToItsEnd => Ok(()),
        Played::Elsewhere => {
            let said = "headsup: the demo plays already; Ctrl-C where it was started ends it";
            context.output.say(&Line::plain(said));
            background(args, listen, context).await
        }
    }
}

async fn background(
    args: &Args,
    listen: Option<Listen>,
    context: &Context,
) -> Result<(), CommandError> {
    let hub = start::start_telling(&context.place, |words| context.tell(words)).await;
    let Hub { client, health, started } = hub.map_err(|error| typed(error, context))?;
    context.warn_of(&health.version);
    let link = match listen {
        Some(listen) => {
            if args.listen.is_names_alone() && page::listening(&client).await?.addresses.is_empty()
            {
                return Err(listen::not_on_tcp());
            }
            // Beside a demonstration it goes with that.
            if args.demo {
                page::listen_in_passing(&client, &listen).await?;
            } else {
                page::listen(&client, &listen).await?;
            }
            Some(page::link(&client).await?)
        }
        None if args.listen.is_off() => {
            page::unlisten(&client).await?;
            say_off(context);
            None
        }
        None => None,
    };
    let (pid, address) = (health.pid, client.address());
    let word = if started { "is up" } else { "is already up" };
    context.tell(&format!("hub {word} (pid {pid}, {address})"));
    if context.output.is_json() {
        let (home, socket) = (context.place.home.as_deref(), address.socket());
        // A path need not be text.
        let (home, socket) = (home.map(Path::to_string_lossy), socket.map(Path::to_string_lossy));
        let page = link.map(|Link { url, expires_at, .. }| Page { url, expires_at });
        return Output::json(&UpDoc { schema: SCHEMA, pid, home, socket, started, page });
    }
    link.map_or(Ok(()), |link| listen::show(&link.url, context.output))
}

/// Where the settings keep the hub from starting, what is wrong with them, as `--foreground` says it.
fn typed(error: CommandError, context: &Context) -> CommandError {
    match listen::settled(&context.config) {
        Err(wrong) if error.message.contains(&wrong.message) => wrong,
        _ => error,
    }
}

/// Whether leaving TCP lasts.
fn say_off(context: &Context) {
    let lasts = match context.config.listen {
        None => "also after a restart",
        Some(_) => "until its next start: `listen` in the settings brings it back then",
    };
    context.tell(&format!("the hub is not on TCP, {lasts}"));
}

/// One thread each for whoever serves, for the sources, and for a crowd. With two that share their work, a report's way
/// from the one that takes it to the watcher wakes the other one, and costs more than it saves.
fn runtime(name: &str) -> Result<Runtime, CommandError> {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).thread_name(name).enable_all();
    // What comes next may be a report.
    build(builder.on_thread_park(ahead::have_room))
}

/// Said at once, and by nobody who fails for want of them half-way.
fn has_files() -> Result<(), CommandError> {
    let Some(files) = headsup_daemon::too_few_files() else { return Ok(()) };
    let least = headsup_daemon::LEAST_FILES;
    let said = format!("the hub may open {files} files and needs {least}");
    Err(CommandError::internal(said)
        .code("too_few_files")
        .hint("allow more, as by `ulimit -n 1024` or `LimitNOFILE=1024` of its service"))
}

/// The same of memory: a hub that gets no more of it ends in the middle of a request.
fn has_space() -> Result<(), CommandError> {
    let Some(space) = headsup_daemon::too_little_space() else { return Ok(()) };
    let (has, least) = (space >> 10, headsup_daemon::LEAST_SPACE >> 10);
    let said = format!("the hub may take {has} KiB of address space and needs {least}");
    let hint = format!("allow more, as by `ulimit -v {least}`, or by `LimitAS` of its service");
    Err(CommandError::internal(said).code("too_little_memory").hint(hint))
}

/// In how many places the threads of a process allocate (glibc).
const PLACES: &str = "MALLOC_ARENA_MAX";
/// That a hub has begun anew. The C library may take the other word away before anybody can read it: it does so from a
/// program that has more rights than its user, as for a low port.
const HAS_BEGUN_ANEW: &str = "HEADSUP_BEGUN_ANEW";

/// Where address space is limited, begins anew as a process whose threads all allocate in one place. Each would reserve
/// some for itself, far more than it uses (64 MiB, glibc), and between them use up any limit. What the hub starts is
/// under the same limit, and does as it does.
fn share_space() {
    let is_set = |name| std::env::var_os(name).is_some();
    if !headsup_daemon::is_space_limited() || is_set(PLACES) || is_set(HAS_BEGUN_ANEW) {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut words = std::env::args_os();
    let mut again = Command::new(program);
    if let Some(name) = words.next() {
        again.arg0(name);
    }
    // It comes back only where that fails, and then it goes on as it is.
    drop(again.args(words).env(PLACES, "1").env(HAS_BEGUN_ANEW, "1").exec());
}

fn foreground(args: &Args, listen: Option<Listen>, context: &Context) -> Result<(), CommandError> {
    let home = context.place.home.clone().ok_or_else(start::no_home)?;
    address::fits(&home.join("headsup.sock"))?;
    has_files()?;
    has_space()?;
    share_space();
    let_signals_through();
    if args.detach {
        // Fails only for one who leads a session already, which is what we want to be.
        rustix::process::setsid().ok();
    }
    let filter = log_filter(std::env::var("HEADSUP_LOG").ok().as_deref());
    // A log that cannot be written, on a full disk for one, must not end the hub.
    let log = tracing_subscriber::fmt().log_internal_errors(false);
    let (file, lines) = (args.detach.then(|| HubLog::of(&home)), Lines::of_stderr());
    let writer = move || {
        if let Some(file) = &file {
            file.keep_short();
        }
        lines.clone()
    };
    log.with_env_filter(filter).with_writer(writer).init();
    let (server, lookout) = (runtime("headsup-server")?, runtime("headsup-lookout")?);
    let crowd = runtime("headsup-crowd")?;
    let folders = headsup_adapters::registries(|name| std::env::var_os(name));
    let retention = context.config.retention;
    let retention = Retention { events: retention.events, days: retention.days };
    if args.listen.is_off() {
        headsup_daemon::listener::forget(&home);
        say_off(context);
    }
    // What stands in the settings is wished for at every start, and one that fails stops nobody.
    let is_asked = listen.is_some();
    let listen = match listen {
        None if !args.listen.is_off() => listen::settled(&context.config)?,
        Some(names) if args.listen.is_names_alone() => {
            let settled = listen::settled(&context.config)?;
            if settled.is_none() && !headsup_daemon::listener::is_kept(&home) {
                return Err(listen::not_on_tcp());
            }
            Some(Listen { address: settled.and_then(|settled| settled.address), ..names })
        }
        listen => listen,
    };
    let background_shells = context.config.background_shells;
    let (screen_rules, pane_reports) =
        (context.config.screen_rules(), context.config.pane_reports());
    let var = |name: &str| std::env::var(name).ok();
    let kanbanger = Some(context.config.kanbanger(var)?);
    let providers = ProviderSettings { kanbanger, ..context.config.providers(var) };
    let config = Config {
        home,
        folders,
        engines: headsup_daemon::engine::sockets(|name| std::env::var_os(name)),
        retention,
        background_shells,
        screen_rules,
        pane_reports,
        listen,
        must_listen: is_asked,
        tracker: context.config.tracker(),
        forge: context.config.forge(),
        webhooks: context.config.webhooks(|name| std::env::var_os(name)),
        providers,
        launcher: super::hooks::binary().ok(),
        beside: Beside {
            lookout: Some(lookout.handle().clone()),
            crowd: Some(crowd.handle().clone()),
        },
    };
    let ready = async |hub: &headsup_daemon::Hub| {
        if is_asked && let Some(url) = hub.link().await {
            // A hub whose terminal is gone goes on.
            listen::show(&url, context.output).ok();
        }
    };
    server.block_on(headsup_daemon::run(config, ready)).map_err(|error| not_run(&error))
}

/// How much is logged: `wanted`, or the usual where that is empty or cannot be read.
fn log_filter(wanted: Option<&str>) -> EnvFilter {
    let wanted = wanted.filter(|wanted| !wanted.is_empty());
    let filter = wanted.and_then(|wanted| EnvFilter::try_new(wanted).ok());
    filter.unwrap_or_else(|| EnvFilter::new(LOGGED))
}

fn not_run(error: &RunError) -> CommandError {
    match error {
        RunError::AlreadyRunning { .. } => CommandError::new(Kind::Refused, error.to_string())
            .code(ALREADY_RUNNING)
            .hint("stop that one with `headsup down`"),
        RunError::Listen(ListenError::InUse(_)) => {
            CommandError::new(Kind::Refused, error.to_string())
                .code("address_in_use")
                .hint("let the system choose a free one: `headsup up --listen 127.0.0.1:0`")
        }
        _ => CommandError::internal(format!("the hub stopped: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_says_little_unless_more_is_wanted() {
        let usual = log_filter(None).to_string();
        assert!(usual.contains("info") && usual.contains("rmcp=warn"), "{usual}");
        assert_eq!(log_filter(Some("")).to_string(), usual, "empty is as good as unset");
        assert_eq!(log_filter(Some("debug")).to_string(), "debug");
    }
}
