//! `headsup acp`

use super::Context;
use crate::client::{Client, start};
use crate::error::{CommandError, Kind};
use crate::hook::deliver::{self, Delivery};
use crate::launch::acp::{Agent, end, observer::Observer};
use crate::launch::order::{self, Order};
use crate::launch::seat::{self, Seat};
use crate::launch::{Program, name};
use bytes::Bytes;
use headsup_adapters::acp::Traffic;
use headsup_core::id::AgentId;
use headsup_core::wire::AgentDoc;
use serde_json::json;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Pass on, unchanged, what an agent and its client say in the Agent Client Protocol.
///
/// Written before the agent's own command in the settings of an editor or another client, so that
/// the hub knows from the protocol itself whether the agent works, waits for you or is done. Not
/// a byte is changed, and none waits for the hub.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Its id; otherwise one is made of its name and this folder.
    #[arg(long, value_parser = super::run::an_id)]
    id: Option<AgentId>,
    /// Its name, as in its kind `acp:NAME`; otherwise that of the program.
    #[arg(long, value_parser = a_name)]
    name: Option<String>,
    /// What it is there for, as `reviewer`.
    #[arg(long)]
    role: Option<String>,
    /// A label; may be given again.
    #[arg(long, value_name = "K=V", value_parser = super::ls::a_label)]
    label: Vec<String>,
    /// The agent and its arguments, as they are.
    #[arg(last = true, required = true, value_name = "AGENT")]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  headsup acp -- AGENT --acp
  headsup acp --id editor --label team=a -- AGENT acp
  headsup acp --name helper -- npx -y some-agent-acp";

/// A hub that does not answer at once does not hold up an agent that starts.
const ANSWER_WITHIN: Duration = Duration::from_millis(100);
/// One that does takes a seat as fast as its disk.
const SEAT_WITHIN: Duration = Duration::from_secs(1);
/// A hub that is away is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(2);

fn a_name(text: &str) -> Result<String, String> {
    match headsup_adapters::is_kind(&format!("acp:{text}")) {
        true => Ok(text.to_owned()),
        false => Err("a name has 1 to 64 of A-Z a-z 0-9 . _ -".to_owned()),
    }
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let here = std::env::current_dir().map_err(|error| {
        CommandError::internal(format!("there is no working folder: {error}"))
            .hint("it was removed or moved: go to one that is there")
    })?;
    let [typed, arguments @ ..] = &args.command[..] else {
        return Err(CommandError::usage("there is no program to run"));
    };
    let program = Program::find(typed, &here)?;
    let name = args.name.clone().unwrap_or_else(|| name::of(&args.command));
    let kind = format!("acp:{name}");
    let hub = start::client(&context.place).ok();
    let token = order::secret()?;
    let seats = Seats { args: &args, kind: &kind, here: &here, token: &token };
    let found = match &hub {
        Some(hub) => seats.take_at_once(hub, &name).await,
        None => None,
    };
    let is_seated = found.is_some();
    let id = found.unwrap_or_else(|| seats.made_up(&name));
    if let Some(hub) = hub.as_ref().filter(|_| is_seated) {
        hub.speak_for(id.as_str(), &token);
    }
    let order = Order::new(&program, arguments, &here, id.as_str())
        .speaking()
        .with("HEADSUP_AGENT_ID", id.as_str())
        .with("HEADSUP_AGENT_TOKEN", &*token);
    let order = match &context.place.home {
        Some(home) => order.with("HEADSUP_HOME", home),
        None => order,
    };
    let observe = |pid: u32| {
        let url = context.place.url.clone();
        let delivery = url.map(|url| Delivery {
            url,
            home: context.place.home.clone(),
            kind: kind.clone(),
            agent: id.to_string(),
            token: is_seated.then(|| token.clone()),
            context: deliver::surroundings(&kind, pid),
            is_behind: false,
            patience: deliver::EXCHANGE,
        });
        Observer::start(delivery, Box::new(Traffic::new(&pid.to_string())))
    };
    let home = context.place.home.as_deref();
    let seat = Seat { id: id.as_str(), hub: hub.as_ref(), home, token: Some(&token) };
    let (agent, observer) = match Agent::start(&order, observe) {
        Ok(started) => started,
        Err(error) => {
            // Nobody else knows of it.
            if is_seated {
                seat.tell_failure().await;
            }
            return Err(error);
        }
    };
    let own = agent.pid();
    let placed = async {
        match &hub {
            Some(hub) if !is_seated => {
                seats.take_in_time(hub, &id, own, context, || observer.begin()).await
            }
            _ => true,
        }
    };
    let ended = Box::pin(agent.stay(&order, &seat, &observer, placed)).await?;
    end::like(ended);
    Err(CommandError::new(Kind::Agent(ended.as_a_shell()), "the agent has ended"))
}

/// The seat that is wanted.
struct Seats<'a> {
    args: &'a Args,
    kind: &'a str,
    here: &'a Path,
    token: &'a str,
}

impl Seats<'_> {
    /// Of a hub that is there and answers; a taken id gets a number. Nothing else is waited for.
    async fn take_at_once(&self, hub: &Client, name: &str) -> Option<AgentId> {
        timeout(ANSWER_WITHIN, start::health(hub)).await.ok()?.ok()?;
        let base = self.base(name);
        let take = async {
            for number in 1..1_000_u32 {
                let text = if number == 1 { base.to_string() } else { format!("{base}-{number}") };
                let id = AgentId::slug(&text);
                match self.put(hub, &id).await {
                    Ok(()) => return Some(id),
                    Err(error) if super::run::is_taken(&error) => {}
                    Err(_) => return None,
                }
            }
            None
        };
        timeout(SEAT_WITHIN, take).await.ok().flatten()
    }

    /// Starts the hub where that is wanted, and goes on until it has the seat. False where somebody
    /// else has it. `away` is called where that may take long.
    async fn take_in_time(
        &self,
        hub: &Client,
        id: &AgentId,
        own: Option<u32>,
        context: &Context,
        away: impl Fn(),
    ) -> bool {
        loop {
            if context.may_start() && start::is_to_be_started(&context.place).unwrap_or(false) {
                start::start(&context.place).await.ok();
            }
            match timeout(SEAT_WITHIN, self.put(hub, id)).await {
                Ok(Ok(())) => return true,
                // Its own messages have made it known before, or somebody else has its id.
                Ok(Err(error)) if error.kind != Kind::HubUnreachable && !error.retryable => {
                    let path = format!("/api/v1/agents/{id}");
                    let there = hub.get_doc::<AgentDoc<'static>>(&path).await.ok();
                    let holds = there.and_then(|agent| agent.process.pid);
                    let is_ours = holds.is_some() && holds == own;
                    if is_ours {
                        hub.patch(&path, Bytes::from(self.about().to_string())).await.ok();
                    }
                    return is_ours;
                }
                Ok(Err(_)) | Err(_) => {
                    away();
                    tokio::time::sleep(RETRY_AFTER).await;
                }
            }
        }
    }

    async fn put(&self, hub: &Client, id: &AgentId) -> Result<(), CommandError> {
        let mut body = self.about();
        body["kind"] = self.kind.into();
        body["token"] = self.token.into();
        let body = Bytes::from(body.to_string());
        seat::take(hub, id, body, Instant::now() + SEAT_WITHIN).await
    }

    fn about(&self) -> serde_json::Value {
        let pairs = self.args.label.iter().filter_map(|label| label.split_once('='));
        let labels: std::collections::BTreeMap<&str, &str> = pairs.collect();
        json!({ "role": self.args.role, "labels": labels, "cwd": self.here.to_str() })
    }

    fn base(&self, name: &str) -> AgentId {
        let folder = self.here.file_name().unwrap_or_default().to_string_lossy();
        self.args.id.clone().unwrap_or_else(|| AgentId::slug(&format!("{name}-{folder}")))
    }

    /// Without the hub nobody knows which ids are taken.
    fn made_up(&self, name: &str) -> AgentId {
        match &self.args.id {
            Some(id) => id.clone(),
            None => AgentId::slug(&format!("{}-{}", self.base(name), std::process::id())),
        }
    }
}
