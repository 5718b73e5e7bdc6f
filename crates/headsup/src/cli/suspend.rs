//! `headsup suspend`

use crate::cli::Context;
use crate::client::{Client, answer, resolve};
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::id::AgentId;
use hyper::StatusCode;

/// End the process of an agent that rests, so that `headsup resume` takes it up again.
///
/// It is refused in a turn, with work in the background, with a prompt of its own open, before anything was said
/// in its session, and where nobody knows how it could be taken up again. A question that waits for you is no
/// hindrance.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Id, name or unambiguous beginning.
    agent: String,
}

const EXAMPLES: &str = "\
Examples:
  headsup suspend api
  headsup resume api 'go on'";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let id = resolve::agent(&client, &args.agent).await?.id;
    leave(&client, &id, "suspend", "suspended", context).await
}

/// Has the hub end the agent's process by this route; then it is `done`.
pub(super) async fn leave(
    client: &Client,
    id: &AgentId,
    route: &str,
    done: &str,
    context: &Context,
) -> Result<(), CommandError> {
    let path = format!("/api/v1/agents/{id}/{route}");
    let (status, reply) = client.post_told(&path, Bytes::new()).await?;
    if status == StatusCode::ACCEPTED {
        let message = format!("{id} was told to end, and its process is still there");
        return Err(CommandError::new(Kind::TimedOut, message)
            .code("still_there")
            .hint(format!("`headsup wait {id} --until ended,suspended` waits for its end")));
    }
    if context.output.is_json() {
        return Output::json_text(answer::text(&path, &reply)?);
    }
    context.output.say(&Line::plain(format!("headsup: {id} is {done}")));
    Ok(())
}
