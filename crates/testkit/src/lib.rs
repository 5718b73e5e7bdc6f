//! For tests alone.
//!
//! - [`browser::Browser`]: a real Chromium without a window
//! - [`emulator::Emulator`]: somebody else's stand-in for GitHub
//! - [`engine::Engine`]: a container engine that speaks Docker's API and runs nothing
//! - [`faults::Faults`]: a disk that fails and a clock that jumps, for the real program
//! - [`memory::MemoryGroup`]: a control group with little memory
//! - [`kanbanger::Kanbanger`]: a task tracker that fails where a test wants it to
//! - [`flood`]: more than anybody sends
//! - [`github::GitHub`]: a host that speaks as GitHub does, and fails as it is told
//! - [`home::Home`]: a hermetic environment, with a home of its own
//! - [`hook`]: what a hook may leave undone on a busy machine, and what not
//! - [`hub::Hub`]: a real hub in it, as a child process
//! - [`program`]: the `headsup` to be tested, built where it is not there
//! - [`small_disk::SmallDisk`]: a disk that is really full
//! - [`subscribers`]: listeners that read, and listeners that do not
//! - [`tls`]: TLS before a plain port, under an authority of a test's own
//! - [`wait`]: waiting on conditions with a deadline
//! - [`webhook`]: what trackers tell by themselves, signed
//! - [`http`]: the smallest client that speaks to the hub's socket
//! - [`reporter`]: reporters that keep a ledger of what they were promised
//! - [`crowd`]: many agents with long logs
//! - [`pty`]: a terminal with a program in it
//! - [`traffic`]: what real programs and their terminals say to each other
//! - [`replay`]: recordings, played against a hub of their own
//! - [`settings`]: an agent's settings as people have them
//! - [`model`]: a scripted model server for real agents
//! - [`live`]: real agents in situations, against that model and a real hub
//! - [`races`]: many who answer one question in the same moment
//! - [`picture`]: terminal text as an SVG
//! - [`instructions`]: what a hook costs, counted

pub mod browser;
pub mod crowd;
pub mod emulator;
pub mod engine;
pub mod faults;
pub mod flood;
pub mod github;
pub mod home;
pub mod hook;
pub mod http;
pub mod hub;
pub mod instructions;
pub mod kanbanger;
pub mod live;
pub mod memory;
pub mod model;
pub mod picture;
pub mod program;
pub mod pty;
pub mod races;
pub mod replay;
pub mod reporter;
pub mod settings;
pub mod small_disk;
pub mod subscribers;
pub mod tls;
pub mod traffic;
pub mod wait;
pub mod webhook;
