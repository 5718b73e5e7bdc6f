//! headsup: one binary. What an agent calls comes first, before anything is set up.

mod browser;
mod cli;
mod client;
mod config;
mod demo;
mod doctor;
mod error;
mod hook;
mod launch;
mod output;
mod place;
mod regular;
mod setup;
mod short;

use std::process::ExitCode;

fn main() -> ExitCode {
    if hook::is_wanted() {
        return hook::run();
    }
    if launch::shim::keeper::is_wanted() {
        return launch::shim::keeper::run();
    }
    if launch::shim::pane::is_wanted() {
        return launch::shim::pane::run();
    }
    if launch::acp::guard::is_wanted() {
        return launch::acp::guard::run();
    }
    if demo::guard::is_wanted() {
        return demo::guard::run();
    }
    cli::main()
}
