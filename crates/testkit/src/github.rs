//! A host that speaks as GitHub does (API version 2022-11-28), as far as issues and pull requests go: it
//! keeps what it is told, and fails in whatever way a test has it fail.

mod line;
mod pulls;
mod routes;
mod state;

pub use line::Fault;
pub use state::{Issue, Pull, Said};

use line::Faults;
use serde_json::Value;
use state::State;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// The token that it takes.
pub const TOKEN: &str = "good-token";
/// The repository that it has.
pub const REPO: &str = "ada/app";

/// A running host; it ends when this is dropped.
#[derive(Debug)]
pub struct GitHub {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    faults: Mutex<Faults>,
    /// `METHOD PATH`, in order.
    asked: Mutex<Vec<String>>,
    /// Answers that were whole, and those that said that nothing has changed.
    spent: AtomicU64,
    unchanged: AtomicU64,
    is_over: AtomicBool,
}

impl GitHub {
    /// Serves on a free port of this machine, with the branch `main` and nothing else.
    ///
    /// # Panics
    /// If it cannot.
    #[expect(clippy::expect_used, reason = "a test without its host cannot go on")]
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::<Shared>::default();
        let ours = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if ours.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&ours);
                thread::spawn(move || line::serve(stream, &shared));
            }
        });
        let host = Self { address, shared, thread: Some(thread) };
        host.state().web = host.api();
        host.push("main", 'a');
        host
    }

    /// The address of its API.
    pub fn api(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A branch is at a commit that is called by this letter.
    pub fn push(&self, branch: &str, commit: char) -> String {
        let sha = String::from(commit).repeat(40);
        self.state().push(branch, &sha);
        sha
    }

    /// The next request of this method whose path has this in it goes wrong.
    pub fn fails(&self, method: &str, path: &str, fault: Fault) {
        lock(&self.shared.faults).add(method, path, fault);
    }

    /// Lets go of all that hang.
    pub fn release(&self) {
        lock(&self.shared.faults).release();
    }

    /// All requests so far: `METHOD PATH`.
    pub fn asked(&self) -> Vec<String> {
        lock(&self.shared.asked).clone()
    }

    /// Answers so far: those that count against what it allows, and those that say that nothing has
    /// changed (304), which do not.
    pub fn spent(&self) -> (u64, u64) {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (of(&self.shared.spent), of(&self.shared.unchanged))
    }

    /// Somebody opens a pull request of a branch there; its address.
    pub fn opens(&self, head: &str) -> String {
        let mut state = self.state();
        let (number, now) = (state.next_number(), state.now());
        state.pulls.insert(number, Pull::of(head, now));
        format!("{}/ada/app/pull/{number}", state.web)
    }

    pub fn issue(&self, number: u64) -> Issue {
        self.state().issues[&number].clone()
    }

    pub fn pull(&self, number: u64) -> Pull {
        self.state().pulls[&number].clone()
    }

    pub fn issues(&self) -> usize {
        self.state().issues.len()
    }

    pub fn pulls(&self) -> usize {
        self.state().pulls.len()
    }

    /// Changes a pull request as people or programs there do.
    pub fn change_pull(&self, number: u64, change: impl FnOnce(&mut Pull)) {
        if let Some(pull) = self.state().pulls.get_mut(&number) {
            change(pull);
        }
    }

    /// Changes an issue as people there do.
    pub fn change_issue(&self, number: u64, change: impl FnOnce(&mut Issue)) {
        if let Some(issue) = self.state().issues.get_mut(&number) {
            change(issue);
        }
    }

    /// What programs have found of a commit: `check-runs`, as it tells it.
    pub fn checks(&self, runs: Value) {
        self.state().checks = runs;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.shared.state)
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for GitHub {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.release();
        // Wakes whoever waits for a caller.
        std::net::TcpStream::connect(self.address).ok();
        // From then on nobody listens there.
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}
