//! headsup: one binary. What an agent calls comes first, before anything is set up.

mod cli;
mod client;
mod demo;
mod error;
mod hook;
mod output;
mod place;

use std::process::ExitCode;

fn main() -> ExitCode {
    if hook::is_wanted() {
        return hook::run();
    }
    cli::main()
}
