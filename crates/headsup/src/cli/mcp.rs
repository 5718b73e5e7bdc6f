//! `headsup mcp`

mod setup;

use crate::cli::{Context, runtime};
use crate::client::calls::Calls;
use crate::client::{page, start};
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use crate::place::Place;
use headsup_core::wire::SCHEMA;
use headsup_daemon::Listen;
use headsup_daemon::mcp::{self, Scope};
use serde::Serialize;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _};

/// Serve the tools of agents by the Model Context Protocol, on stdin and stdout.
///
/// An agent starts this by itself once it is told to (`headsup mcp install AGENT`). Which agent it is,
/// `HEADSUP_AGENT_ID` says; `headsup run` sets it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    act: Option<Act>,
    /// Print the address of the same tools over HTTP instead; the hub listens on TCP from then on.
    #[arg(long)]
    http: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Put the tools, and a skill that says when to call them, into an agent's configuration.
    Install(setup::Install),
    /// Take exactly these out again.
    Uninstall(setup::Uninstall),
}

const EXAMPLES: &str = "\
Examples:
  headsup mcp                           what an agent starts
  headsup mcp install KIND --dry-run    show what would change
  headsup mcp install KIND
  headsup mcp install --print           the configuration, for any other agent
  headsup mcp --http                    where the hub serves the same over HTTP";

/// Where the tools are served over HTTP.
#[derive(Serialize)]
struct AddressDoc {
    schema: u32,
    url: String,
}

impl Args {
    /// Whether it only takes away.
    pub(crate) fn uninstalls(&self) -> bool {
        matches!(self.act, Some(Act::Uninstall(_)))
    }
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    if args.act.is_some() {
        runtime::outlive_file_limits()?;
    }
    match args.act {
        Some(Act::Install(args)) => return setup::install(&args, context),
        Some(Act::Uninstall(args)) => return setup::uninstall(&args, context),
        None if args.http => return address(context).await,
        None => {}
    }
    if io::stdin().is_terminal() {
        return Err(CommandError::usage("agents speak to this, and a terminal does not")
            .hint("have an agent start it: `headsup mcp install AGENT`"));
    }
    let context = &Context { place: crate::cli::absolute(place(variable)), ..context.clone() };
    let token = variable("HEADSUP_TOKEN").or_else(|| variable("BOB_API_KEY"));
    let token = token.and_then(|token| token.into_string().ok());
    let client = match start::client_with(&context.place, token) {
        Ok(client) => client,
        Err(error) => return Err(refused(named(error, variable)).await),
    };
    let scope = Scope::from_env(|name| variable(name)?.into_string().ok());
    let served = Box::pin(mcp::serve(Calls::new(client, context, &scope), scope)).await;
    served.map_err(|error| {
        CommandError::new(Kind::Internal, format!("the line to the agent broke: {error}"))
    })
}

/// An agent shows what its server answers, and rarely what it prints.
async fn refused(error: CommandError) -> CommandError {
    let hints = error.hints.iter().map(|hint| format!("; {hint}"));
    let why = hints.fold(format!("headsup: {}", error.message), |why, hint| why + &hint);
    // Nobody is there: then the exit code is all that is told.
    mcp::refuse(&why).await.ok();
    error
}

/// The address that is none, by the variable that it came from.
fn named(mut error: CommandError, var: impl Fn(&str) -> Option<OsString>) -> CommandError {
    if var("HEADSUP_URL").is_none() && var("BOB_API_URL").is_some() {
        error.message = error.message.replacen("HEADSUP_URL", "BOB_API_URL", 1);
    }
    error
}

/// An empty variable counts as unset.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The place of the hub; Bob's name of its address is read by this command alone.
fn place(var: impl Fn(&str) -> Option<OsString>) -> Place {
    Place::resolve(|name| match name {
        "HEADSUP_URL" => var(name).or_else(|| var("BOB_API_URL")),
        name => var(name),
    })
}

/// The hub listens on TCP from then on, as it does for its page.
async fn address(context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    page::listen(&client, &Listen::default()).await?;
    let listening = page::listening(&client).await?;
    let address = listening.addresses.first().ok_or_else(|| {
        let why = listening.problem.unwrap_or_else(|| "it is not on TCP".to_owned());
        CommandError::new(Kind::Refused, format!("the hub serves nothing over HTTP: {why}"))
    })?;
    let url = format!("http://{address}/mcp");
    if context.output.is_json() {
        return Output::json(&AddressDoc { schema: SCHEMA, url });
    }
    context.output.say(&Line::plain(
        "headsup: send `Authorization: Bearer TOKEN` (the file `token` of HEADSUP_HOME) and \
         `X-Headsup-Agent: ID` with each request",
    ));
    context.output.line(&Line::plain(url))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Url;

    #[test]
    fn bobs_address_is_taken_where_there_is_no_other() {
        let at = |vars: &[(&str, &str)]| {
            let find = |name: &str| vars.iter().find(|(of, _)| *of == name);
            place(|name| find(name).map(|(_, value)| OsString::from(value))).url
        };
        let (home, bob) = (("HEADSUP_HOME", "/h"), ("BOB_API_URL", "http://127.0.0.1:7717"));
        assert_eq!(at(&[home]), Some(Url::Unix("/h/headsup.sock".into())));
        assert!(matches!(at(&[home, bob]), Some(Url::Http(_))));
        let own = ("HEADSUP_URL", "unix:/s");
        assert_eq!(at(&[home, bob, own]), Some(Url::Unix("/s".into())));
    }
}
