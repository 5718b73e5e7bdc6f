//! `headsup task`

mod comment;
mod complete;
mod link;
mod list;
mod new;
mod show;
mod status;

use crate::cli::Context;
use crate::client::{Client, answer::encode, resolve};
use crate::error::{CommandError, Kind};
use crate::output::line::Line;
use bytes::Bytes;
use headsup_core::id::AgentId;
use headsup_core::wire::EffectDoc;
use headsup_core::work::effect::{EffectKind, EffectState};
use headsup_core::work::remote::Typed;
use headsup_core::work::task::{Keeper, TaskId};
use serde::Serialize;

/// Tasks: what agents work on, in the hub's own tracker. No account is needed.
///
/// An identifier is like APP-12; its first part is the name of the repository or folder, unless the
/// settings say another. Where they say that GitHub keeps them, it is like owner/name#12, #12 or its URL. Where a task is wanted, an agent or `.` stands for the task that it works on.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    New(new::Args),
    Ls(list::Args),
    Show(show::Args),
    Status(status::Args),
    Comment(comment::Args),
    Link(link::Args),
    Complete(complete::Args),
}

const EXAMPLES: &str = "\
Examples:
  headsup task new 'Log in with a passkey'
  headsup task link api APP-12          the agent api works on it
  headsup task ls --status in_progress
  headsup task comment . 'half of it'   inside an agent: its own task";

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    match args.act {
        Act::New(args) => new::run(args, context).await,
        Act::Ls(args) => list::run(args, context).await,
        Act::Show(args) => show::run(args, context).await,
        Act::Status(args) => status::run(args, context).await,
        Act::Comment(args) => comment::run(args, context).await,
        Act::Link(args) => link::run(args, context).await,
        Act::Complete(args) => complete::run(args, context).await,
    }
}

/// The route of what a person typed: a task's own, or that of the task of an agent.
enum Target {
    Task(String),
    Agent(AgentId),
}

impl Target {
    /// What looks like an identifier is one; `.` and everything else is an agent.
    async fn find(client: &Client, word: &str) -> Result<Self, CommandError> {
        match TaskId::parse(word) {
            Some(id) => Ok(Self::Task(id.to_string())),
            // The hub knows which host and which repository is meant.
            None if Typed::parse(word).is_some() => Ok(Self::Task(word.to_owned())),
            None => match resolve::agent(client, word).await {
                Ok(agent) => Ok(Self::Agent(agent.id)),
                // `provider:ID`, as another system's tasks are listed; an agent may have such a name.
                Err(error) if error.kind == Kind::NotFound && Keeper::of(word).is_some() => {
                    Ok(Self::Task(word.to_owned()))
                }
                Err(error) if error.kind == Kind::NotFound && word != "." => Err(nothing(word)),
                Err(error) => Err(error),
            },
        }
    }

    fn path(&self) -> String {
        match self {
            Self::Task(id) => format!("/api/v1/tasks/{}", encode(id)),
            Self::Agent(id) => format!("/api/v1/agents/{id}/task"),
        }
    }
}

/// Neither a task nor an agent is called this.
fn nothing(word: &str) -> CommandError {
    let message = format!("no task and no agent is called {word:?}");
    CommandError::new(Kind::NotFound, message)
        .code("no_such_task")
        .hint("a task is APP-12, #12, ada/shop#12 or its URL; `headsup task ls` lists them")
}

/// What is not done yet at another system, told once more by whoever has asked for it.
fn undone(context: &Context, effects: &[EffectDoc], kind: EffectKind) {
    let Some(effect) = effects.iter().rev().find(|effect| effect.kind == kind) else { return };
    let why = effect.reason.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
    let (kind, target) = (kind.word(), &effect.target);
    let said = match effect.state {
        EffectState::Done => return,
        EffectState::Queued => {
            format!("the {kind} for {target} waits, and goes out by itself{why}")
        }
        EffectState::Skipped => format!("the {kind} for {target} was skipped{why}"),
        EffectState::Failed => format!("the {kind} for {target} failed{why}"),
    };
    context.output.say(&Line::plain(format!("headsup: {said}")));
}

fn json(body: &impl Serialize) -> Result<Bytes, CommandError> {
    let body = serde_json::to_vec(body);
    let body =
        body.map_err(|error| CommandError::internal(format!("cannot write the request: {error}")))?;
    Ok(Bytes::from(body))
}
