//! The command line: what people and scripts type.

mod ack;
mod acp;
mod answer;
mod behind;
mod capture;
mod completions;
mod deadline;
mod doctor;
pub(crate) mod down;
mod duration;
mod explain;
mod forget;
mod history;
pub(crate) mod hooks;
pub(crate) mod inbox;
mod later;
pub(crate) mod listen;
mod log;
mod ls;
mod man;
mod mcp;
mod next;
mod open;
mod outbox;
mod pr;
mod prompt;
mod rename;
mod report;
mod resume;
mod run;
mod runtime;
mod show;
mod snooze;
mod stage;
mod statusline;
mod stop;
mod suspend;
mod task;
mod up;
mod verdict;
mod wait;
mod watch;

use crate::client::address::NoConnection;
use crate::client::{CONNECTION_LOST, CallError, Client, start, version};
use crate::config::Config;
use crate::error::{CommandError, Kind};
use crate::output::line::Line;
use crate::output::{Output, text};
use crate::place::{Place, Url};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::timeout;

/// Know which of your coding agents is working, blocked on you, done or dead.
///
/// Agents report through their own hooks; `headsup ls` shows all of them, those that wait for
/// you first. stdout is data, stderr is talk.
#[derive(Debug, Parser)]
#[command(name = "headsup", version, disable_help_subcommand = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, Debug, Args)]
struct Global {
    /// Print JSON on stdout, and errors as JSON on stderr.
    #[arg(long, global = true, help_heading = "Global options")]
    json: bool,
    /// Do not start the hub when it is not running.
    #[arg(long, global = true, help_heading = "Global options")]
    no_start: bool,
}

/// Each is built when it is wanted: to build all of them takes longer than `ls` does.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    Up(up::Args),
    Down(down::Args),
    Ls(ls::Args),
    Show(show::Args),
    Log(log::Args),
    History(history::Args),
    Explain(explain::Args),
    Capture(capture::Args),
    Watch(watch::Args),
    Wait(wait::Args),
    Inbox(inbox::Args),
    Answer(answer::Args),
    Next(next::Args),
    Ack(ack::Args),
    Snooze(snooze::Args),
    Forget(forget::Args),
    Rename(rename::Args),
    Report(report::Args),
    Prompt(prompt::Args),
    Stage(stage::Args),
    Verdict(verdict::Args),
    Task(task::Args),
    Pr(pr::Args),
    Outbox(outbox::Args),
    Run(run::Args),
    Suspend(suspend::Args),
    Resume(resume::Args),
    Stop(stop::Args),
    Acp(acp::Args),
    Launch(run::LaunchArgs),
    Relaunch(resume::RelaunchArgs),
    Hooks(hooks::Args),
    Mcp(mcp::Args),
    Doctor(doctor::Args),
    Open(open::Args),
    Statusline(statusline::Args),
    Completions(completions::Args),
    Man(man::Args),
    Hook(Hook),
}

impl Command {
    /// Whether it only ends, removes or describes what headsup has put there.
    fn takes_away(&self) -> bool {
        match self {
            Self::Down(_) => true,
            Self::Hooks(args) => args.uninstalls(),
            Self::Mcp(args) => args.uninstalls(),
            // Nothing of the settings is in them.
            Self::Completions(_) | Self::Man(_) => true,
            _ => false,
        }
    }
}

/// Take an agent's event from stdin; this is what agents call.
///
/// It always exits with 0, prints nothing but what the agent's own protocol demands, and keeps
/// the event for later when the hub is not running. It reads no options.
#[derive(Debug, clap::Args)]
#[command(after_help = HOOK_HELP)]
struct Hook {
    #[arg(help = kinds())]
    agent: String,
    /// The event's name, where the payload does not carry it.
    event: Option<String>,
}

fn kinds() -> String {
    format!("The kind of the agent: {}, or acp:NAME", headsup_adapters::kinds().join(", "))
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done, or the condition is met      5  the hub cannot be reached
  1  internal error                     6  the name is ambiguous
  2  usage                              7  refused
  3  timed out                          8  the target ended before the
  4  no such agent or prompt               condition could be met

Examples:
  headsup up                            start the hub
  headsup ls                            who waits for me?
  headsup inbox                         what do they want?
  headsup wait api --until done         sleep until the agent api is done
  headsup watch --json                  every change, one JSON object a line";

const HOOK_HELP: &str = "\
Examples:
  headsup hook KIND EVENT < payload.json";

/// What every command gets.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) output: Output,
    pub(crate) place: Place,
    pub(crate) config: Config,
    may_start: bool,
}

impl Context {
    /// A connected client; the hub is started if it is missing and may be started.
    pub(crate) async fn client(&self) -> Result<Client, CommandError> {
        if !self.may_start || !start::is_to_be_started(&self.place)? {
            return start::connected(&self.place).await;
        }
        // An answer, not only a line: a hub that is being killed still takes connections.
        let hub = start::start_telling(&self.place, |words| self.tell(words)).await?;
        self.warn_of(&hub.health.version);
        Ok(hub.client)
    }

    /// A client of a hub that answers within `patience`. A hub that is missing is started as ever.
    pub(crate) async fn client_within(&self, patience: Duration) -> Result<Client, CommandError> {
        let client = start::client(&self.place)?;
        match timeout(patience, start::health(&client)).await {
            Ok(Ok(health)) => {
                if self.may_start && start::is_ours(&self.place, client.address()) {
                    self.warn_of(&health.version);
                }
                Ok(client)
            }
            Ok(Err(_)) => self.client().await,
            Err(_) => Err(client.silent_for(patience)),
        }
    }

    /// Asks a hub that may be missing, or be on its way out, something that changes nothing: its answer shows that
    /// it is there, and nothing else need be asked first.
    pub(crate) async fn ask<T>(
        &self,
        mut question: impl AsyncFnMut(&Client) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let client = start::client(&self.place)?;
        match client.connect().await {
            Ok(()) => match question(&client).await {
                Err(error) if error.code == CONNECTION_LOST => {}
                outcome => return outcome,
            },
            Err(CallError::NoConnection(NoConnection::Absent)) => {}
            Err(error) => return Err(error.at(client.address())),
        }
        question(&self.client().await?).await
    }

    /// May a hub that is missing be started?
    pub(crate) fn may_start(&self) -> bool {
        self.may_start
    }

    /// What is said beside the answer. Scripts that read stderr as JSON are spared.
    fn tell(&self, words: &str) {
        if !self.output.is_json() {
            self.output.say(&Line::plain(format!("headsup: {words}")));
        }
    }

    /// One line where an update has left an older hub running. Scripts that read stderr as JSON
    /// are spared.
    pub(crate) fn warn_of(&self, hub: &str) {
        let ours = env!("CARGO_PKG_VERSION");
        if version::is_older(hub, ours) && !self.output.is_json() {
            self.output.say(&Line::plain(format!(
                "headsup: the hub is still {hub}, this is {ours}: headsup down && headsup up"
            )));
        }
    }
}

/// Reads the command line, does what it says, and returns the exit code.
pub(crate) fn main() -> ExitCode {
    let args = with_help(std::env::args_os().collect());
    let outcome = match parse(&args) {
        Ok(cli) => {
            let output = Output::new(cli.global.json);
            run(cli, output).map_err(|error| (output, error))
        }
        Err(mut error) => {
            // `--json` may stand anywhere, also beside what could not be read.
            let json = args.iter().any(|arg| arg == "--json");
            let output = Output::new(json);
            if let Some(error) = later::refused(&error, &args) {
                output.error(&error);
                return error.exit_code();
            }
            later::suggest_no_hidden(&mut error, whole);
            behind::suggest_dashes(&mut error, &args);
            return not_parsed(output, &error, &args);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err((output, error)) => {
            output.error(&error);
            error.exit_code()
        }
    }
}

/// `help COMMAND`, as people type it elsewhere, is `COMMAND --help`.
fn with_help(mut args: Vec<OsString>) -> Vec<OsString> {
    if args.get(1).is_some_and(|first| first == "help") {
        args.remove(1);
        // What stands behind `--` is another program's.
        let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
        args.insert(end, "--help".into());
    }
    args
}

/// Help, and what is said of a mistake, need the words of other commands too.
fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(args).or_else(|error| match error.kind() {
        ErrorKind::DisplayVersion => Err(error),
        _ => whole().try_get_matches_from(args).and_then(|found| Cli::from_arg_matches(&found)),
    })
}

/// Every command, built.
fn whole() -> clap::Command {
    let mut whole = Cli::command();
    whole.build();
    whole
}

fn run(cli: Cli, output: Output) -> Result<(), CommandError> {
    let place = place()?;
    let mut broken = None;
    let config = match (&cli.command, Config::load()) {
        // The doctor says what is wrong with it, and what was ordered is launched.
        (Command::Doctor(_) | Command::Launch(_) | Command::Acp(_), Err(_)) => Config::default(),
        // Who wants to be rid of it need not put it right first.
        (command, Err(error)) if command.takes_away() => {
            if !output.is_json() {
                let error = &error.message;
                output.say(&Line::plain(format!("headsup: the settings are left out: {error}")));
            }
            Config::default()
        }
        // Nothing that it shows hangs on them; that they are broken is told behind it.
        (Command::Hooks(args), Err(error)) if args.only_looks() => {
            broken = Some(error);
            Config::default()
        }
        (_, config) => config?,
    };
    let output = output.in_colour(config.colour);
    let context = Context { output, place, config, may_start: !cli.global.no_start };
    let context = &context;
    let done = match cli.command {
        Command::Up(args) => up::run(args, context),
        Command::Down(args) => block_on(down::run(args, context)),
        Command::Ls(args) => block_on(ls::run(args, context)),
        Command::Show(args) => block_on(show::run(args, context)),
        Command::Log(args) => block_on(log::run(args, context)),
        Command::History(args) => block_on(history::run(args, context)),
        Command::Explain(args) => block_on(explain::run(args, context)),
        Command::Capture(args) => block_on(capture::run(args, context)),
        Command::Watch(args) => block_on(watch::run(args, context)),
        Command::Wait(args) => block_on(wait::run(args, context)),
        Command::Inbox(args) => block_on(inbox::run(args, context)),
        Command::Answer(args) => block_on(answer::run(args, context)),
        Command::Next(args) => block_on(next::run(args, context)),
        Command::Snooze(args) => block_on(snooze::run(args, context)),
        Command::Prompt(args) => block_on(prompt::run(args, context)),
        Command::Stage(args) => block_on(stage::run(args, context)),
        Command::Ack(args) => block_on(ack::run(args, context)),
        Command::Forget(args) => block_on(forget::run(args, context)),
        Command::Report(args) => block_on(report::run(args, context)),
        Command::Verdict(args) => block_on(verdict::run(args, context)),
        Command::Task(args) => block_on(task::run(args, context)),
        Command::Pr(args) => block_on(pr::run(args, context)),
        Command::Outbox(args) => block_on(outbox::run(args, context)),
        Command::Rename(args) => block_on(rename::run(args, context)),
        Command::Run(args) => block_on(run::run(args, context)),
        Command::Suspend(args) => block_on(suspend::run(args, context)),
        Command::Resume(args) => block_on(resume::run(args, context)),
        Command::Stop(args) => block_on(stop::run(args, context)),
        Command::Relaunch(args) => block_on(resume::relaunch(args, context)),
        Command::Acp(args) => block_on(acp::run(args, context)),
        Command::Launch(args) => block_on(run::launch(&args)),
        Command::Hooks(args) => block_on(async {
            runtime::outlive_file_limits()?;
            hooks::run(args, context)
        }),
        Command::Mcp(args) => block_on(mcp::run(args, context)),
        Command::Doctor(args) => block_on(doctor::run(args, context)),
        Command::Open(args) => block_on(open::run(args, context)),
        Command::Statusline(args) => block_on(statusline::run(args, context)),
        Command::Completions(args) => completions::run(&args, &whole()),
        Command::Man(args) => man::run(&args, whole()),
        Command::Hook(_) => Err(CommandError::usage("`hook` takes no options before it")
            .hint("write `headsup hook KIND EVENT`")),
    };
    done.and(broken.map_or(Ok(()), Err))
}

/// The place that the environment names, with absolute paths: the hub works elsewhere.
fn place() -> Result<Place, CommandError> {
    let named = std::env::var_os("HEADSUP_HOME").map(PathBuf::from);
    match named.filter(|home| home.is_relative() && !home.as_os_str().is_empty()) {
        Some(home) => {
            let at = home.display();
            let message = format!("HEADSUP_HOME is relative, another folder everywhere: {at}");
            Err(CommandError::usage(message).hint("name it by its whole path, from / on"))
        }
        None => Ok(absolute(Place::from_env())),
    }
}

fn absolute(place: Place) -> Place {
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let url = place.url.map(|url| match url {
        Url::Unix(path) if !path.as_os_str().is_empty() => Url::Unix(absolute(path)),
        url => url,
    });
    Place { home: place.home.map(absolute), url }
}

/// Runs a client command: one thread is plenty.
fn block_on<F>(command: F) -> Result<(), CommandError>
where
    F: Future<Output = Result<(), CommandError>>,
{
    let mut builder = tokio::runtime::Builder::new_current_thread();
    runtime::build(builder.enable_all())?.block_on(command)
}

/// Help and version go to stdout; what is wrong goes to stderr, in the form asked for.
fn not_parsed(output: Output, error: &clap::Error, args: &[OsString]) -> ExitCode {
    let text = error.render();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let printed = output.help(&text);
        return printed.map_or_else(|error| error.exit_code(), |()| ExitCode::SUCCESS);
    }
    if output.is_json() {
        output.error(&usage_error(&text.to_string()));
    } else {
        output.usage(&text, args.iter().all(|arg| is_harmless(arg)));
    }
    ExitCode::from(Kind::Usage.exit_code())
}

/// Whether a word can be shown as it was typed. Scripts pass on what agents have said.
fn is_harmless(arg: &OsStr) -> bool {
    arg.to_str().is_some_and(|arg| text::line(arg) == arg)
}

/// The parser's words, as an error of ours: what is wrong up to the first empty line, then tips.
fn usage_error(text: &str) -> CommandError {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let error = CommandError::usage(message);
    let tips = rest.lines().filter_map(|line| line.trim().strip_prefix("tip: "));
    let error = tips.fold(error, CommandError::hint);
    error.hint("try `headsup --help`")
}

/// For the argument parser.
fn a_duration(text: &str) -> Result<Duration, duration::BadDuration> {
    duration::parse(text)
}

#[cfg(test)]
mod tests;
