//! `headsup down`

use crate::cli::Context;
use crate::client::address::NoConnection;
use crate::client::start;
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::SCHEMA;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::Serialize;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// Stop the hub. Agents go on; what they report is kept until it is back.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  headsup down
  headsup down && headsup up            restart it";

/// A hub has at most a group of writes to finish.
const DOWN_WITHIN: Duration = Duration::from_secs(10);

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
    let pid = match client.address().listener().await {
        Ok(pid) => pid,
        Err(NoConnection::Absent) => {
            context.output.say(&Line::plain("headsup: no hub is running"));
            return tell(context, None);
        }
        Err(error) => return Err(error.at(client.address())),
    };
    stop(pid)?;
    context.output.say(&Line::plain(format!("headsup: hub is down (pid {pid})")));
    tell(context, Some(pid))
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
