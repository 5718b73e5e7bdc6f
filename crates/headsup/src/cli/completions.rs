//! `headsup completions`

use crate::error::CommandError;
use crate::output::Output;
use clap::Arg;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use headsup_adapters::inject::recipes;
use headsup_core::compat::Vocabulary;
use headsup_core::status::Headline;

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
        .subcommands(commands.cloned().map(with_words))
}

/// The same with the words that an argument takes where it is read by a function of its own, which tells none.
fn with_words(command: clap::Command) -> clap::Command {
    let statuses = || Headline::ALL.iter().map(|headline| headline.word()).chain(["attention"]);
    let kinds = || recipes().iter().map(|recipe| recipe.kind);
    match command.get_name() {
        "ls" => {
            let vocabularies = Vocabulary::ALL.iter().map(|vocabulary| vocabulary.word());
            command
                .mut_arg("status", one_of(statuses()))
                .mut_arg("vocabulary", one_of(vocabularies))
        }
        "wait" => command.mut_arg("until", one_of(statuses())),
        "hooks" => ["install", "uninstall", "status"].into_iter().fold(command, |hooks, act| {
            hooks.mut_subcommand(act, |act| act.mut_arg("agents", one_of(kinds())))
        }),
        _ => command,
    }
}

fn one_of(words: impl Iterator<Item = &'static str>) -> impl FnOnce(Arg) -> Arg {
    let words: Vec<&'static str> = words.collect();
    move |arg| arg.value_parser(PossibleValuesParser::new(words))
}
