//! `headsup completions`

use crate::error::CommandError;
use crate::output::Output;
use clap_complete::Shell;

/// Print what makes a shell complete commands and options.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell that it is for.
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  headsup completions bash > ~/.local/share/bash-completion/completions/headsup
  headsup completions zsh > ~/.zfunc/_headsup
  headsup completions fish > ~/.config/fish/completions/headsup.fish";

pub(crate) fn run(args: &Args, whole: &clap::Command) -> Result<(), CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut typed(whole), "headsup", &mut script);
    Output::text(&String::from_utf8_lossy(&script))
}

/// The same without the commands that nobody types: a script for a shell names hidden ones as well.
fn typed(whole: &clap::Command) -> clap::Command {
    let everywhere = whole.get_arguments().filter(|arg| arg.is_global_set());
    let commands = whole.get_subcommands().filter(|command| !command.is_hide_set());
    clap::Command::new("headsup")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(everywhere.cloned())
        .subcommands(commands.cloned())
}
