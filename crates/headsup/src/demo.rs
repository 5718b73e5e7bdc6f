//! `headsup up --demo`: recorded agents, played through the hook path that real ones take.

pub(crate) mod guard;
mod once;

use crate::cli::{Context, down};
use crate::client::page;
use crate::client::start::{self, Hub};
use crate::client::stream::{EventStream, Message, Query};
use crate::client::{Client, resolve};
use crate::error::{CommandError, Kind};
use crate::output::line::Line;
use crate::output::roster::{self, View};
use crate::output::screen::Screen;
use crate::output::{Output, event, theme};
use headsup_adapters::demo::{DemoSession, DemoStep, sessions, with_session};
use headsup_core::id::AgentId;
use headsup_core::wire::RosterDoc;
use headsup_core::words;
use headsup_daemon::Listen;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

/// Between the end of a session and its next round.
const BETWEEN_ROUNDS: Duration = Duration::from_secs(4);
/// A hook takes 150 ms at most, and its start on a busy machine much more.
const LAST_HOOKS: Duration = Duration::from_secs(3);
const FOOTER: &str = "Ctrl-C ends the demo · other terminal: headsup ls";

/// What came of the wish for a demonstration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Played {
    ToItsEnd,
    /// One plays already; it was left alone.
    Elsewhere,
}

/// Plays until it is interrupted, then takes everything away that it brought.
pub(crate) async fn run(context: &Context, listen: Option<Listen>) -> Result<Played, CommandError> {
    let Hub { client, health, started } = start::start(&context.place).await?;
    let home = context.place.home.as_deref().ok_or_else(start::no_home)?;
    let Some(_alone) = once::claim(home)? else { return Ok(Played::Elsewhere) };
    let ids = ids();
    if let Err(refused) = refuse_to_replace(&client).await {
        if started {
            down::stop(health.pid)?;
        }
        return Err(refused);
    }
    // One that was killed together with its guard has left its agents: beside them those of this one would be called
    // otherwise.
    take_away(&client, &ids).await;
    // Whatever is begun from here on is taken away in the end, whenever that is wished for.
    let ends = Ends::listen()?;
    // Without one it plays all the same.
    let guard = guard::start(started.then_some(health.pid)).ok();
    let shown = perform(context, &client, &health.cursor, &ids, ends, listen).await;
    // Also where it was refused: whoever starts the hub again then must not have it end behind them.
    take_away(&client, &ids).await;
    if started {
        down::stop(health.pid)?;
    }
    if let Some(guard) = guard {
        guard.dismiss();
    }
    shown?;
    context.output.say(&Line::plain("headsup: the demo is over, and what it brought is gone"));
    Ok(Played::ToItsEnd)
}

/// Listens where that is wished for, and plays until somebody ends it.
async fn perform(
    context: &Context,
    client: &Client,
    cursor: &str,
    ids: &[AgentId],
    ends: Ends,
    listen: Option<Listen>,
) -> Result<(), CommandError> {
    if let Some(listen) = listen {
        page::listen_in_passing(client, &listen).await?;
        let link = page::link(client).await?;
        context.output.say(&Line::plain(format!("headsup: the page: {}", link.url)));
    }
    let stage = Stage::of(context)?;
    let (stop, stopped) = watch::channel(());
    let mut players = JoinSet::new();
    for session in sessions() {
        players.spawn(play(stage.clone(), session, stopped.clone()));
    }
    let shown = show(client, context.output, cursor, ids, ends).await;

    // The hooks under way end first: one that arrived late would bring its agent back.
    drop(stop);
    timeout(LAST_HOOKS, async { while players.join_next().await.is_some() {} }).await.ok();
    shown
}

/// What its agents are called.
fn ids() -> Vec<AgentId> {
    sessions().iter().filter_map(|session| AgentId::new(session.id).ok()).collect()
}

/// Forgets what a demonstration brings, and ends its listening.
async fn take_away(client: &Client, ids: &[AgentId]) {
    for id in ids {
        // It may not have come to its first event.
        client.delete(&format!("/api/v1/agents/{id}?force=true")).await.ok();
    }
    page::leave(client).await.ok();
}

/// A demonstration never touches a seat that is not its own.
async fn refuse_to_replace(client: &Client) -> Result<(), CommandError> {
    for session in sessions() {
        let Ok(agent) = resolve::by_id(client, session.id).await else {
            continue;
        };
        if agent.cwd.as_deref() != Some(session.folder) {
            let message = format!("an agent called {} is there, and is not the demo's", session.id);
            return Err(CommandError::new(Kind::Refused, message).hint(
                "give the demo a hub of its own: HEADSUP_HOME=$(mktemp -d) headsup up --demo",
            ));
        }
    }
    Ok(())
}

/// What every hook call of the demonstration needs.
#[derive(Clone)]
struct Stage {
    program: PathBuf,
    home: PathBuf,
    url: String,
}

impl Stage {
    fn of(context: &Context) -> Result<Self, CommandError> {
        let program = std::env::current_exe()
            .map_err(|error| CommandError::internal(format!("cannot find myself: {error}")))?;
        let place = &context.place;
        let home = place.home.clone().ok_or_else(start::no_home)?;
        let url = place.url.as_ref().ok_or_else(start::no_home)?.to_string();
        Ok(Self { program, home, url })
    }

    /// Calls the hook as the agent would.
    async fn hook(&self, kind: &str, id: &str, step: &DemoStep) -> io::Result<()> {
        let mut child = Command::new(&self.program)
            .args(["hook", kind, &step.event])
            .env_clear()
            .env("HEADSUP_HOME", &self.home)
            .env("HEADSUP_URL", &self.url)
            .env("HEADSUP_AGENT_ID", id)
            .envs(step.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(step.payload.as_bytes()).await?;
        }
        child.wait().await.map(drop)
    }
}

/// Plays a session round by round, each with a conversation of its own.
async fn play(stage: Stage, session: DemoSession, mut stopped: watch::Receiver<()>) {
    let mut begin = Instant::now();
    loop {
        let conversation = uuid::Uuid::now_v7().to_string();
        for step in &session.steps {
            let step = with_session(step, &conversation);
            tokio::select! {
                _ = stopped.changed() => return,
                () = sleep_until(begin + Duration::from_millis(step.at_ms)) => {}
            }
            // A call that fails is one event less to see; the hub says nothing of it either.
            stage.hook(session.kind, session.id, &step).await.ok();
        }
        let first = session.steps.first().map_or(0, |step| step.at_ms);
        begin = Instant::now() + BETWEEN_ROUNDS - Duration::from_millis(first);
    }
}

/// Shows what becomes of it until somebody ends it.
async fn show(
    client: &Client,
    output: Output,
    cursor: &str,
    ids: &[AgentId],
    mut ends: Ends,
) -> Result<(), CommandError> {
    let on_screen = Output::is_terminal() && !output.is_json();
    let agents = if on_screen { Vec::new() } else { ids.to_vec() };
    let since = Some(cursor.to_owned());
    let mut stream = EventStream::open(client, Query { agents, since, ..Query::default() }).await?;
    let mut tick = interval(Duration::from_secs(1));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let screen = if on_screen { Some(Screen::start(output)?) } else { None };
    loop {
        tokio::select! {
            () = ends.wanted() => return Ok(()),
            _ = tick.tick() => {}
            frame = stream.next() => {
                let Some(frame) = frame? else { return Ok(()) };
                if screen.is_none() && output.is_json() {
                    Output::json_text(&frame.data)?;
                } else if screen.is_none() && let Message::Event(event) = frame.read() {
                    output.line(&event::line(&event))?;
                }
            }
        }
        if let Some(screen) = &screen {
            // A hub that restarts is waited for by the stream; the picture stays meanwhile.
            if let Ok(roster) = client.get_doc::<RosterDoc>("/api/v1/agents").await {
                screen.draw(&picture(&roster, &View::here(output), Output::height()))?;
            }
        }
    }
}

/// The table as far as the terminal has room for it, how many there is none for, and what to do.
fn picture(roster: &RosterDoc, view: &View, height: Option<usize>) -> Vec<Line> {
    let mut table = roster::Table::new(view.clone());
    for agent in &roster.agents {
        table.add(&words::row(agent));
    }
    let most = height.map_or(usize::MAX, |height| height.saturating_sub(2));
    let (mut lines, mut left_out) = (Vec::new(), 0_usize);
    table.each_line(|line| {
        if lines.len() < most {
            lines.push(line.clone());
        } else {
            left_out += 1;
        }
    });
    // The line above them may have had no room, either.
    let left_out = left_out.min(roster.agents.len());
    let more = if left_out == 0 { String::new() } else { format!("… and {left_out} more") };
    for below in [more.as_str(), FOOTER] {
        let line = Line::new().styled(theme::DIM, below);
        lines.push(line.cut(view.width.unwrap_or(usize::MAX)));
    }
    lines
}

/// The ways in which a person ends it: Ctrl-C, Ctrl-\, `kill`, closing the terminal.
struct Ends([Signal; 4]);

impl Ends {
    fn listen() -> Result<Self, CommandError> {
        let listen = |kind| {
            signal(kind).map_err(|error| {
                CommandError::internal(format!("cannot listen for signals: {error}"))
            })
        };
        Ok(Self([
            listen(SignalKind::interrupt())?,
            listen(SignalKind::quit())?,
            listen(SignalKind::terminate())?,
            listen(SignalKind::hangup())?,
        ]))
    }

    async fn wanted(&mut self) {
        let [interrupt, quit, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = quit.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::{AT, agent};
    use headsup_core::time::UnixMs;
    use headsup_core::wire::SCHEMA;

    #[test]
    fn a_small_terminal_says_how_many_agents_it_has_no_room_for() {
        let agents = ["a", "b", "c"].map(|id| agent(id, "idle")).to_vec();
        let roster = RosterDoc { schema: SCHEMA, cursor: "1".to_owned(), agents };
        let now = UnixMs::parse(AT).unwrap();
        let view = View { now, home: None, width: Some(80), colour: false };
        let shown = |height| {
            let lines = picture(&roster, &view, Some(height));
            lines.iter().map(|line| line.render(false)).collect::<Vec<_>>()
        };
        for (height, more) in
            [(2, "… and 3 more"), (4, "… and 2 more"), (5, "… and 1 more"), (6, ""), (24, "")]
        {
            let lines = shown(height);
            assert!(lines.len() <= height, "{lines:?}");
            assert_eq!(lines[lines.len() - 2..], [more, FOOTER], "{lines:?}");
        }
    }
}
