//! `headsup man`

use crate::error::CommandError;
use crate::output::Output;
use clap_mangen::Man;

/// Print a manual page, of headsup or of one of its commands.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The command; those of a group are named with it: `task new`.
    command: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  headsup man | man -l -
  headsup man wait > ~/.local/share/man/man1/headsup-wait.1";

pub(crate) fn run(args: &Args, whole: clap::Command) -> Result<(), CommandError> {
    let mut page = whole;
    for word in &args.command {
        let Some(found) = page.find_subcommand(word).cloned() else {
            return Err(CommandError::usage(format!(
                "{} has no command {word:?}",
                page.get_name()
            ))
            .hint("`headsup --help` lists the commands"));
        };
        page = found;
    }
    // As the help has it: the page's own leaves out values, and what may be repeated.
    let usage = page.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_owned();
    let mut text = Vec::new();
    let version = concat!("headsup ", env!("CARGO_PKG_VERSION"));
    let page = Man::new(page.override_usage(usage)).source(version);
    page.render(&mut text).map_err(|error| {
        CommandError::internal(format!("cannot write the manual page: {error}"))
    })?;
    Output::text(&with_lines(&String::from_utf8_lossy(&text)))
}

/// Examples and exit codes are lines, which a pager would run together, under a heading that says so.
fn with_lines(page: &str) -> String {
    page.replacen(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n.nf\n", 1)
        .replacen(".SH EXTRA\n", ".SH NOTES\n.nf\n", 1)
        .replacen(".SH VERSION\n", ".fi\n.SH VERSION\n", 1)
}
