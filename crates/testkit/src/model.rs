//! A scripted Anthropic Messages API for tests of real agents: no model, no network, no cost.
//!
//! [`Model::start`] serves it on a free port of 127.0.0.1. What it says is scripted by the test
//! ([`Model::script`], [`Model::answer_with`]) or by directives in the prompt ([`directive`]).
//! Every request and every milestone of its answer leaves a [`Mark`], the ground truth of when an
//! agent began and ended.
//!
//! Wire: Anthropic's Messages API (`POST /v1/messages`, streamed and not, errors as documented for
//! `anthropic-version: 2023-06-01`). What was seen of Claude Code 2.1.330 against this server:
//!
//! - A failure with 400 is asked again up to five times, each time with fewer beta features.
//! - After failures in mid-stream it asks once more without `stream`; the script goes on there.
//! - Usage provokes a compaction only with `CLAUDE_CODE_AUTO_COMPACT_WINDOW` (such as 100000) in its
//!   environment; without it, only [`Reply::too_long`] does.
//! - In a terminal every sub-agent works in the background, unless the environment holds
//!   `CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1`; in print mode it may be waited for.
//! - A plan is approved only if its file was written ([`Reply::plan`] does); an empty one asks to leave
//!   plan mode instead.
//! - The to-do tools are there in a terminal with `claude-sonnet-4-5`, not in print mode with the default
//!   model.
//! - A prompt that was queued in mid-turn comes with the next tool's results, wrapped in other words.
//! - Without `CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC` it asks for `HEAD /api/hello` and for a title.

mod asker;
mod chat;
pub mod directive;
mod gemini;
mod holds;
mod marks;
mod protocol;
mod reply;
mod request;
mod responses;
mod script;
mod server;
mod stream;
mod tools;
mod view;
mod wire;

pub use marks::{Mark, Marks, What};
pub use reply::Reply;
pub use request::{Asker, Request};

use crate::wait;
use axum::Router;
use axum::serve::ListenerExt;
use server::State;
use std::io;
use std::net::SocketAddr;
use std::sync::{MutexGuard, PoisonError};
use std::thread::JoinHandle;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A running server; it ends when this is dropped.
pub struct Model {
    address: SocketAddr,
    state: State,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Model {
    /// Serves on a free port.
    pub fn start() -> io::Result<Self> {
        Self::at(0)
    }

    /// Serves on this port.
    pub fn at(port: u16) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", port)))?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let state = State::default();
        let shared = state.clone();
        let service =
            Router::new().fallback(move |request| server::answer(shared.clone(), request));
        // Small events must not wait for each other.
        let listener = listener.tap_io(|stream| {
            let _kept = stream.set_nodelay(true);
        });
        let thread = std::thread::Builder::new().name("model".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ended = async { axum::serve(listener, service).await } => {}
                    _stopped = stopped => {}
                }
            });
        })?;
        Ok(Self { address, state, stop: Some(stop), thread: Some(thread) })
    }

    /// What `ANTHROPIC_BASE_URL` should be.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn scripted(&self) -> MutexGuard<'_, script::Script> {
        self.state.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a reply for the main agent.
    pub fn script(&self, reply: Reply) {
        self.scripted().main.push_back(reply);
    }

    /// Queues a reply for sub-agents.
    pub fn script_helper(&self, reply: Reply) {
        self.scripted().helper.push_back(reply);
    }

    /// Queues a reply for a compaction's summary.
    pub fn script_compaction(&self, reply: Reply) {
        self.scripted().compaction.push_back(reply);
    }

    /// Asks `answer` before the queues and directives.
    pub fn answer_with(&self, answer: impl FnMut(&Request) -> Option<Reply> + Send + 'static) {
        self.scripted().answer = Some(Box::new(answer));
    }

    /// Lets one answer pass the hold of this name, now or when it comes there.
    pub fn release(&self, name: &str) {
        self.state.holds.release(name);
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.state.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many of them so far are such ones. Nothing is copied: an agent that is watched needs the processor.
    pub fn count(&self, fits: impl Fn(&Request) -> bool) -> usize {
        let all = self.state.requests.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|request| fits(request)).count()
    }

    /// The `nth` request (from 0) of this asker, now or as soon as it comes.
    ///
    /// # Panics
    /// After the deadline.
    #[track_caller]
    pub fn request(&self, asker: &Asker, nth: usize) -> Request {
        wait::within(wait::PATIENCE, &format!("request {nth} of {asker:?}"), || {
            // Without a copy of all of them: what is waited for needs the processor.
            let all = self.state.requests.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter().filter(|request| request.asker() == *asker).nth(nth).cloned()
        })
    }

    pub fn marks(&self) -> &Marks {
        &self.state.marks
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _gone = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
