//! In which pane an agent is whose process has no terminal, because it serves the conversations of several: a title may
//! name the conversation that is shown there. Looked for a few times once a conversation is known; most titles name
//! none.

use super::pane::{self, Place};
use crate::board::Board;
use crate::inbox::Inbox;
use crate::job::Work;
use crate::process;
use headsup_adapters::terminal;
use headsup_core::gate::Description;
use headsup_core::id::AgentId;
use headsup_core::seat::Seat;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

/// How long before each look: a title may name the conversation of before for a moment.
const LOOKS: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(10)];

/// Looks for the panes of `seats`, for ever.
pub(super) async fn watch(
    board: Arc<Board>,
    mut seats: UnboundedReceiver<Arc<Seat>>,
    inbox: Inbox,
) {
    let mut threads = Threads { board, inbox, sought: HashMap::new() };
    loop {
        let next = threads.sought.values().filter_map(|sought| sought.next).min();
        let seat = match next {
            None => seats.recv().await,
            Some(next) => {
                let Ok(seat) = tokio::time::timeout_at(next, seats.recv()).await else {
                    threads.look().await;
                    continue;
                };
                seat
            }
        };
        let Some(seat) = seat else { return };
        threads.look_at(&seat);
    }
}

struct Threads {
    board: Arc<Board>,
    inbox: Inbox,
    sought: HashMap<AgentId, Sought>,
}

/// One agent, and its conversation.
struct Sought {
    session: String,
    /// Beside which its pane is looked for.
    place: Place,
    looks: usize,
    /// `None`: it was found, or will not be.
    next: Option<Instant>,
}

impl Threads {
    fn look_at(&mut self, seat: &Seat) {
        if seat.process.state.is_over() {
            self.sought.remove(&seat.id);
            return;
        }
        let session = seat.session.as_ref().map(|session| session.id.as_str());
        let known = self.sought.get(&seat.id).map(|known| known.session.as_str());
        if session.is_none() || session == known || !terminal::may_name_conversations(&seat.kind) {
            return;
        }
        self.sought.remove(&seat.id);
        let own = seat.process.id.as_ref().filter(|process| process.pid_namespace.is_none());
        // Whoever has a terminal is there.
        let shared = own.filter(|process| process::terminal(process).is_none());
        let (Some(session), Some(place)) = (session, shared.and_then(Place::of)) else { return };
        let next = Some(Instant::now() + LOOKS[0]);
        let sought = Sought { session: session.to_owned(), place, looks: 0, next };
        self.sought.insert(seat.id.clone(), sought);
    }

    async fn look(&mut self) {
        let now = Instant::now();
        for (id, sought) in &mut self.sought {
            if sought.next.is_none_or(|next| now < next) {
                continue;
            }
            sought.looks += 1;
            sought.next = LOOKS.get(sought.looks).map(|pause| now + *pause);
            let Some(seat) = self.board.seat(id) else { continue };
            let panes = pane::titles_beside(&sought.place).await.unwrap_or_default();
            let is_it = |(_, title): &&(String, String)| {
                terminal::names_conversation(&seat.kind, title, &sought.session)
            };
            let named: Vec<&String> = panes.iter().filter(is_it).map(|(pane, _)| pane).collect();
            // It may be shown in two of them.
            let [pane] = named[..] else { continue };
            sought.next = None;
            if seat.about.location.tmux.as_deref() == Some(pane) {
                continue;
            }
            let about = Description { tmux: Some(pane.clone()), ..Description::default() };
            let work = Work::Describe { agent: id.clone(), about: Box::new(about) };
            // A hub that stops has no use for it.
            self.inbox.submit(work, None).await.ok();
        }
    }
}
