//! What our own terminal is told of the agent, where it has said that it understands: the headline
//! that the hub believes, at each change. A program that reports itself is not talked over; what it has said, and
//! leaves standing at its end, is taken back.

use super::shared::Shared;
use crate::client::Client;
use crate::client::stream::{EventStream, Message, Query};
use crate::launch::seat::Seat;
use headsup_core::id::AgentId;
use headsup_core::status::{BlockedReason, Headline};
use headsup_core::wire::AgentDoc;
use std::time::Duration;
use termstate::limits::MAX_MSG_DECODED;
use termstate::{App, Kind, Report, State, Terminator, sanitize, write_clear};
use tokio::time::sleep;

/// A hub that is away is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// Tells until nobody asks for it any more.
pub(super) async fn tell(shared: &Shared, seat: &Seat<'_>) {
    let (Some(hub), Ok(id)) = (seat.hub, AgentId::new(seat.id)) else {
        return std::future::pending().await;
    };
    shared.understood().await;
    let mut said = None;
    loop {
        follow(hub, &id, shared, &mut said).await;
        sleep(RETRY_AFTER).await;
    }
}

/// Until the hub goes away.
async fn follow(hub: &Client, id: &AgentId, shared: &Shared, said: &mut Option<String>) {
    let query = Query { agents: vec![id.clone()], ..Query::default() };
    let Ok(mut stream) = EventStream::open(hub, query).await else { return };
    loop {
        let agent = match stream.next().await {
            Ok(Some(frame)) => match frame.read() {
                Message::Snapshot(snapshot) => {
                    snapshot.agents.into_iter().find(|agent| agent.id == *id)
                }
                Message::Event(_) => hub.get_doc(&format!("/api/v1/agents/{id}")).await.ok(),
                _ => None,
            },
            Ok(None) => None,
            Err(_) => return,
        };
        if shared.speaks() {
            continue;
        }
        let text = agent.as_ref().and_then(report);
        if text.is_some() && text != *said {
            // What was never said need not be taken back.
            let is_first = said.is_none() && text == clear();
            if let (Some(text), false) = (&text, is_first) {
                shared.say(text);
            }
            *said = text;
        }
    }
}

/// The end of what was said, if anything was.
pub(super) fn clear() -> Option<String> {
    let mut text = String::new();
    write_clear(&mut text, None, Terminator::St).ok()?;
    Some(text)
}

/// The sequence that tells of an agent.
fn report(agent: &AgentDoc) -> Option<String> {
    let state = match agent.headline {
        Headline::Blocked => State::Blocked,
        Headline::Crashed | Headline::Failed => State::Error,
        Headline::Review | Headline::Done => State::Done,
        Headline::Working => State::Working,
        Headline::Idle => State::Idle,
        Headline::Starting
        | Headline::Stopping
        | Headline::Unknown
        | Headline::Suspended
        | Headline::Ended
        | Headline::Absent => return clear(),
    };
    let detail = sanitize(agent.turn.detail.as_deref().unwrap_or_default(), MAX_MSG_DECODED);
    let mut report = Report::builder(state);
    if App::new(&agent.kind).is_ok() {
        report = report.app(&agent.kind);
    }
    if state == State::Blocked {
        report = match agent.turn.reason.as_deref() {
            Some(reason) if reason == BlockedReason::Permission.word() => {
                report.kind(Kind::Permission)
            }
            Some(reason) if reason == BlockedReason::Auth.word() => report.kind(Kind::Auth),
            _ => report.kind(Kind::Question),
        };
    }
    if !detail.is_empty() {
        report = report.msg(&detail);
    }
    let mut text = String::new();
    report.build().ok()?.write(&mut text, Terminator::St).ok()?;
    Some(text)
}
