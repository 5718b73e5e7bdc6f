//! `headsup down`

use crate::cli::Context;
use crate::client::address::NoConnection;
use crate::client::resolve::OF_AN_AGENT;
use crate::client::{Client, resolve, start};
use crate::error::{CommandError, Kind};
use crate::output::Output;
use headsup_core::wire::SCHEMA;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Stop the hub. Agents go on; what they report is kept until it is back.
///
/// It is stopped for everybody: a person does it, and no agent.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  headsup down
  headsup down && headsup up            restart it";

/// A hub has at most a group of writes to finish.
const DOWN_WITHIN: Duration = Duration::from_secs(10);

/// A hub that is stuck has to be stopped, too.
const ANSWER_WITHIN: Duration = Duration::from_secs(1);

/// As whom the hub takes us.
#[derive(Deserialize)]
struct CallerDoc {
    agent_id: Option<String>,
}

#[derive(Serialize)]
struct DownDoc {
    schema: u32,
    pid: Option<u32>,
    stopped: bool,
}

pub(crate) async fn run(_args: Args, context: &Context) -> Result<(), CommandError> {
    let client = start::client(&context.place)?;
    if !start::is_ours(&context.place, client.address()) {
        let message = format!("the hub at {} is not the one of this home", client.address());
        return Err(CommandError::new(Kind::Refused, message)
            .hint("unset HEADSUP_URL, or stop it on its own machine"));
    }
    by_a_person(&client).await?;
    let pid = match client.address().listener().await {
        Ok(pid) => pid,
        Err(NoConnection::Absent) => {
            let Some(pid) = unreached(context)? else {
                context.tell("no hub is running");
                return tell(context, None);
            };
            pid
        }
        Err(error) => return Err(error.at(client.address())),
    };
    stop(pid)?;
    context.tell(&format!("hub is down (pid {pid})"));
    tell(context, Some(pid))
}

/// The hub that has this home and no socket.
fn unreached(context: &Context) -> Result<Option<u32>, CommandError> {
    let Some(home) = context.place.home.as_deref() else { return Ok(None) };
    match headsup_daemon::holder(home) {
        None if headsup_daemon::is_held(home) => {
            let at = home.display();
            let message = format!("a hub has {at}, does not listen, and is not seen from here");
            Err(CommandError::new(Kind::HubUnreachable, message)
                .hint("it is just starting or ending, or in a container: try again, or look there"))
        }
        found => Ok(found),
    }
}

/// It ends the hub for everybody. One that does not say who asks is stopped all the same.
async fn by_a_person(client: &Client) -> Result<(), CommandError> {
    let asked = timeout(ANSWER_WITHIN, client.get_doc::<CallerDoc>("/api/v1/caller"));
    let who = match resolve::own_id() {
        Some(own) => format!("{own} is an agent"),
        // Whose it is only the hub knows, and perhaps not any more.
        None if has_token() => "this runs in an agent".to_owned(),
        None => match asked.await.ok().and_then(Result::ok).and_then(|caller| caller.agent_id) {
            Some(agent) => format!("{agent} is an agent"),
            None => return Ok(()),
        },
    };
    Err(CommandError::new(Kind::Refused, format!("{who}; only a person stops the hub"))
        .code("human_only")
        .hint(person()))
}

/// How a person does it, also in a shell that still has what an agent has left there.
fn person() -> String {
    let is_set = |name: &&&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let set: Vec<String> =
        OF_AN_AGENT.iter().filter(is_set).map(|name| format!("-u {name} ")).collect();
    let own = "a person does it from a shell of their own";
    match set.is_empty() {
        true => own.to_owned(),
        false => format!("{own}; where this is one: `env {}headsup down`", set.concat()),
    }
}

fn has_token() -> bool {
    std::env::var_os("HEADSUP_AGENT_TOKEN").is_some_and(|token| !token.is_empty())
}

fn tell(context: &Context, pid: Option<u32>) -> Result<(), CommandError> {
    if context.output.is_json() {
        Output::json(&DownDoc { schema: SCHEMA, pid, stopped: pid.is_some() })?;
    }
    Ok(())
}

/// Asks the process to end, and sees it gone.
pub(crate) fn stop(pid: u32) -> Result<(), CommandError> {
    let failed = |what: &str, error: Errno| {
        CommandError::internal(format!("cannot {what} the hub (pid {pid}): {error}"))
    };
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let number = number.ok_or_else(|| failed("stop", Errno::SRCH))?;
    let process = match pidfd_open(number, PidfdFlags::empty()) {
        Ok(process) => process,
        Err(Errno::SRCH) => return Ok(()),
        Err(error) => return Err(failed("find", error)),
    };
    match pidfd_send_signal(&process, Signal::TERM) {
        Ok(()) | Err(Errno::SRCH) => {}
        Err(error) => return Err(failed("stop", error)),
    }
    let ended = wait_for_end(&process).map_err(|error| failed("wait for", error))?;
    if ended {
        return Ok(());
    }
    let seconds = DOWN_WITHIN.as_secs();
    let message = format!("the hub (pid {pid}) has not ended within {seconds} s");
    Err(CommandError::new(Kind::TimedOut, message).hint(format!("look why, or `kill -9 {pid}`")))
}

fn wait_for_end(process: &OwnedFd) -> Result<bool, Errno> {
    let deadline = Instant::now() + DOWN_WITHIN;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).unwrap_or_default();
        match poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&left)) {
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}
