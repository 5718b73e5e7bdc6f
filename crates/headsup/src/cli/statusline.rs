//! `headsup statusline`

use crate::cli::Context;
use crate::client::start;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use crate::output::statusline::{Counts, fill, template, tmux};
use headsup_core::wire::{RosterDoc, SCHEMA};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// One line for a status bar: `2 blocked · 5 working · 1 done`.
///
/// It never starts the hub and never fails: without a hub the line is empty.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// `tmux` for status-left and status-right, `waybar` for its custom modules.
    #[arg(long, value_enum, default_value_t = Format::Plain)]
    format: Format,
    /// Words of your own: `{blocked}`, `{working}`, `{done}` and so on are counts, `{total}` all
    /// of them, `{attention}` those that want you, `{first}` the name of the first of them,
    /// `{summary}` the usual line.
    #[arg(long, value_name = "T", value_parser = template)]
    template: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Tmux,
    Plain,
    Json,
    Waybar,
}

const EXAMPLES: &str = "\
Examples:
  headsup statusline
  set -g status-right '#(headsup statusline --format tmux)'       in ~/.tmux.conf
  headsup statusline --template '{attention}/{total} {first}'";

/// A bar waits for nobody.
const WITHIN: Duration = Duration::from_secs(1);

#[derive(Serialize)]
struct Doc<'a> {
    schema: u32,
    text: &'a str,
    counts: &'a BTreeMap<&'static str, usize>,
    first: Option<&'a str>,
}

#[derive(Serialize)]
struct Waybar<'a> {
    schema: u32,
    text: &'a str,
    tooltip: &'a str,
    class: &'static str,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let counts = match tokio::time::timeout(WITHIN, roster(context)).await {
        Ok(Some(roster)) => Counts::of(&roster.agents),
        _ => Counts::default(),
    };
    let safe = |name: &str| match args.format {
        Format::Tmux => tmux(name),
        Format::Waybar => markup(name),
        _ => name.to_owned(),
    };
    let text = match &args.template {
        Some(template) if counts.is_known => fill(template, &counts, safe),
        Some(_) => String::new(),
        None => counts.summary(),
    };
    let written = match args.format {
        Format::Json => json(&text, &counts),
        _ if context.output.is_json() => json(&text, &counts),
        Format::Waybar => {
            let (tooltip, class) = (counts.summary(), counts.class());
            Output::json(&Waybar { schema: SCHEMA, text: &text, tooltip: &tooltip, class })
        }
        Format::Tmux | Format::Plain => context.output.line(&Line::plain(text)),
    };
    // A bar that takes nothing has nobody to tell.
    written.or(Ok(()))
}

/// A bar reads what it shows as markup, as Pango has it.
fn markup(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn json(text: &str, counts: &Counts) -> Result<(), CommandError> {
    let first = counts.first.as_deref();
    Output::json(&Doc { schema: SCHEMA, text, counts: &counts.by_word, first })
}

async fn roster(context: &Context) -> Option<RosterDoc> {
    let client = start::connected(&context.place).await.ok()?;
    client.get_doc("/api/v1/agents").await.ok()
}
