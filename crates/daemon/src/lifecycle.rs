//! What people do with the processes of agents: put away, taken up again, ended. Whether it may be
//! done the gate says; here it is done.

mod answered;
mod ending;
mod starter;
mod way_back;

pub(crate) use answered::follow;
pub(crate) use ending::go_on;
pub(crate) use starter::Starter;

use crate::api::{App, Refused};
use crate::bus::Listener;
use crate::job::{Key, Launched, LifecycleAct, Refusal, Reply, Work};
use crate::{caller, process};
use ending::Grip;
use headsup_core::gate::{self, CANNOT_RUN, Container, Unfit};
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::ProcessFact;
use headsup_core::seat::{Launch, Leaving, Seat};
use headsup_core::status::{Exit, Process};
use headsup_core::wire::{LaunchDoc, RelaunchDoc, SCHEMA};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use way_back::WayBack;

/// Longer than a process takes to go that is ended in the end.
const GONE_WITHIN: Duration = Duration::from_secs(8);

/// What came of a wish.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) reply: Reply,
    /// The process is gone, or there; else it is on its way.
    pub(crate) is_over: bool,
}

/// Puts an agent away: its process ends, and it can be taken up again.
pub(crate) async fn suspend(
    app: &Arc<App>,
    agent: AgentId,
    key: Option<Key>,
) -> Result<Done, Refused> {
    let ready = match app.board.seat(&agent) {
        Some(seat) => Some(ready(app, &seat).await),
        None => None,
    };
    let (grip, launch, why) = match ready {
        Some(Ok((grip, launch))) => (Some(grip), launch, None),
        Some(Err(why)) => (None, None, Some(why)),
        None => (None, None, None),
    };
    leave(app, agent, Leaving::Suspend, grip, launch, why, key).await
}

/// What an agent is put away with: a hold on its process, and how it was started, where nothing else tells.
async fn ready(app: &App, seat: &Seat) -> Result<(Grip, Option<Box<Launch>>), Refused> {
    // Nothing is kept of one that goes on.
    gate::may_suspend(seat).map_err(Refusal::Unfit)?;
    way_back::is_written(seat).await?;
    let WayBack { launch, is_kept } = way_back::of(app, seat).await?;
    way_back::arguments(seat, &launch, None)?;
    let grip = grip_alone(app, seat)?;
    if is_kept {
        return Ok((grip, None));
    }
    let launch = way_back::kept(app, seat, launch).await?;
    Ok((grip, Some(Box::new(launch))))
}

/// Ends an agent, whatever it does.
pub(crate) async fn stop(
    app: &Arc<App>,
    agent: AgentId,
    key: Option<Key>,
) -> Result<Done, Refused> {
    let seat = app.board.seat(&agent);
    let (grip, why) = match seat.as_deref().map(|seat| grip_alone(app, seat)) {
        Some(Ok(grip)) => (Some(grip), None),
        Some(Err(why)) => (None, Some(why)),
        None => (None, None),
    };
    leave(app, agent, Leaving::Stop, grip, None, why, key).await
}

async fn leave(
    app: &Arc<App>,
    agent: AgentId,
    leaving: Leaving,
    grip: Option<Grip>,
    launch: Option<Box<Launch>>,
    why: Option<Refused>,
    key: Option<Key>,
) -> Result<Done, Refused> {
    let frames = app.bus.subscribe();
    let ready = grip.as_ref().map(|grip| grip.process().clone());
    let act = LifecycleAct::Leave { agent: agent.clone(), leaving, ready, launch };
    let reply = act_of(app, act, why, key).await?;
    if let (Some(grip), Reply::Done { .. }) = (grip, &reply) {
        tokio::spawn(grip.end());
    }
    let is_gone = || app.board.seat(&agent).is_none_or(|seat| seat.process.state.is_over());
    tokio::time::timeout(GONE_WITHIN, until(is_gone, frames)).await.ok();
    Ok(Done { reply, is_over: is_gone() })
}

/// Comes back once it is so, of which an event tells. At the hub's end nobody hears of it any more.
async fn until(is_so: impl Fn() -> bool, frames: Option<Listener>) {
    let Some(mut frames) = frames else { return };
    while !is_so() {
        // Whoever lags looks at the board all the same.
        if let Err(RecvError::Closed) = frames.recv().await {
            return;
        }
    }
}

/// Who starts it again.
#[derive(Debug)]
pub(crate) enum By {
    Hub,
    /// Whoever asks, with this token for the agent.
    Caller(String),
}

/// Takes a suspended agent up again, with `said` as its first prompt. Where the caller starts it, how
/// is told.
pub(crate) async fn resume(
    app: &Arc<App>,
    agent: AgentId,
    said: Option<&str>,
    by: By,
    key: Option<Key>,
) -> Result<(Done, Option<RelaunchDoc>), Refused> {
    let is_hubs = matches!(by, By::Hub);
    let plan = match app.board.seat(&agent) {
        Some(seat) => Some(plan(app, &seat, said, is_hubs).await),
        None => None,
    };
    let (plan, why) = match plan {
        Some(Ok(plan)) => (Some(plan), None),
        Some(Err(why)) => (None, Some(why)),
        None => (None, None),
    };
    let token = match by {
        By::Caller(token) => token,
        By::Hub => starter::token()?,
    };
    let is_ready = plan.is_some();
    let digest = caller::digest(&token);
    let with_words = said.is_some();
    let act = LifecycleAct::Resume { agent: agent.clone(), token: digest, is_ready, with_words };
    let reply = act_of(app, act, why, key).await?;
    if reply == Reply::Duplicate && was_not_started(app, &agent) {
        let detail = "what this request asked for before has failed: nothing was started";
        let hint = "its conversation is kept: under another X-Headsup-Id it can be taken up again";
        return Err(Refused::new(409, "not_started", detail).hint(hint));
    }
    let (Some((kind, launch)), Reply::Done { .. }) = (plan, &reply) else {
        return Ok((Done { reply, is_over: true }, None));
    };
    let token = is_hubs.then_some(token);
    let order = RelaunchDoc { schema: SCHEMA, agent_id: agent, kind, token, launch };
    if !is_hubs {
        return Ok((Done { reply, is_over: false }, Some(order)));
    }
    if let Err(why) = app.starter.start(&order).await {
        tracing::warn!(agent = %order.agent_id, why, "an agent could not be taken up again");
        failed(app, &order.agent_id).await;
        return Err(Refused::new(409, "not_started", why).hint(
            "its conversation is kept: once that is mended, `headsup resume` takes it up again",
        ));
    }
    Ok((Done { reply, is_over: true }, None))
}

/// Was it to be taken up, and has nothing come of that? One that ran has had a process.
fn was_not_started(app: &App, agent: &AgentId) -> bool {
    app.board.seat(agent).is_some_and(|seat| {
        let is_lost = gate::may_resume(&seat, app.time()).is_ok();
        is_lost && seat.process.id.is_none() && seat.process.state != Process::Suspended
    })
}

/// How it would be started, and of which kind it is.
async fn plan(
    app: &App,
    seat: &Seat,
    said: Option<&str>,
    is_hubs: bool,
) -> Result<(String, LaunchDoc), Refused> {
    let mut launch = way_back::of(app, seat).await?.launch;
    launch.arguments = way_back::arguments(seat, &launch, said)?;
    app.starter.may_start(&launch, is_hubs)?;
    Ok((seat.kind.to_string(), launch))
}

/// The act; where it is refused for what was looked at before, `why` says more.
async fn act_of(
    app: &App,
    act: LifecycleAct,
    why: Option<Refused>,
    key: Option<Key>,
) -> Result<Reply, Refused> {
    match app.inbox.submit(Work::Lifecycle(Box::new(act)), key).await {
        Err(Refusal::NotReady) => Err(why.unwrap_or_else(|| Refusal::NotReady.into())),
        other => other.map_err(Refused::from),
    }
}

/// Nobody has started it: its end is told in its stead.
async fn failed(app: &App, agent: &AgentId) {
    let is_waiting = |seat: Arc<Seat>| {
        seat.process.id.is_none() && matches!(seat.process.state, Process::Starting { .. })
    };
    if !app.board.seat(agent).is_some_and(is_waiting) {
        return;
    }
    let Some((pid, ticks)) = process::identity(std::process::id()) else { return };
    let launched = Launched {
        agent: agent.clone(),
        process: ProcessId::new(pid, ticks),
        container: Container::Unsaid,
        fact: ProcessFact::Exited(Exit::from_wait(Some(CANNOT_RUN), None, false)),
        headless: false,
        spooled: None,
    };
    app.inbox.submit(Work::Launched(Box::new(launched)), None).await.ok();
}

/// A hold on the process of a seat that no other seat shares.
fn grip_alone(app: &App, seat: &Seat) -> Result<Grip, Refused> {
    let Some(process) = &seat.process.id else {
        return Err(Refused::new(409, "no_process", "nobody knows its process")
            .hint(Unfit::NoProcess.hint()));
    };
    if let Some(place) = process.pid_here().map(|pid| (pid, process.start_ticks)) {
        let snapshot = app.board.read();
        let lives = |id: &&AgentId| {
            let other = snapshot.seats.get(*id);
            **id != seat.id && other.is_some_and(|other| !other.process.state.is_over())
        };
        if let Some(other) = snapshot.places.of_process(place).iter().find(lives) {
            let detail = format!("its process serves {other} as well, which would end with it");
            return Err(Refused::new(409, "shared_process", detail)
                .hint("end it where it runs, when nobody needs it any more"));
        }
    }
    Grip::on(process)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Bus;
    use futures_util::FutureExt as _;
    use std::cell::Cell;

    #[test]
    fn whoever_waits_for_an_end_does_not_keep_the_hub_from_its_own() {
        let bus = Bus::new(8);
        let frames = bus.subscribe();
        bus.close();
        let looks = Cell::new(0);
        let never = || {
            looks.set(looks.get() + 1);
            assert!(looks.get() < 9, "it looks for ever");
            false
        };
        assert_eq!(until(never, frames).now_or_never(), Some(()));
    }
}
