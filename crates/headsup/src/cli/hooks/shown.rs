//! `headsup hooks status`

use super::{Which, site_to_look_at, sites, summary};
use crate::cli::Context;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use crate::setup::status::{Status, status};
use headsup_adapters::support::{self, Shown, Support};
use headsup_core::wire::SCHEMA;
use serde::Serialize;

#[derive(Serialize)]
struct StatusDoc {
    schema: u32,
    agents: Vec<StatusOf>,
    /// Those that hooks cannot be installed into.
    others: Vec<Known>,
}

#[derive(Serialize)]
struct StatusOf {
    #[serde(flatten)]
    status: Status,
    support: Option<Known>,
}

/// What is known of a kind, and how.
#[derive(Serialize)]
struct Known {
    kind: &'static str,
    shown: &'static str,
    version: &'static str,
    witnesses: &'static str,
    cannot: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instead: Option<&'static str>,
}

impl Known {
    fn of(row: &Support) -> Self {
        let Support { kind, version, witnesses, cannot, instead, shown, .. } = *row;
        Self { kind, shown: shown.word(), version, witnesses, cannot, instead }
    }
}

pub(super) fn status_of(which: &Which, context: &Context) -> Result<(), CommandError> {
    let named_none = !which.agents.is_empty() && which.recipes().is_empty();
    let sites = if named_none { Vec::new() } else { sites(which, context, site_to_look_at)? };
    let agents: Vec<Status> = sites.iter().map(status).collect();
    let others = which.without();
    if context.output.is_json() {
        let with = |status: Status| {
            let support = support::of(status.kind).map(Known::of);
            StatusOf { status, support }
        };
        let agents = agents.into_iter().map(with).collect();
        let others = others.into_iter().map(Known::of).collect();
        return Output::json(&StatusDoc { schema: SCHEMA, agents, others });
    }
    let mut lines = Vec::new();
    for agent in &agents {
        lines.push(Line::plain(format!("{}: {}", agent.title, summary(agent))));
        let notes = agent.problems.iter().chain(&agent.untrusted);
        let others = agent.other_folders.iter().map(|other| &other.told);
        lines.extend(notes.chain(others).map(|note| Line::plain(format!("  {note}"))));
        lines.extend(support::of(agent.kind).and_then(|row| limits(row, which.all)));
    }
    for row in others {
        let why = row.instead.unwrap_or_default();
        lines.push(Line::plain(format!("{}: {why}", row.title)));
        lines.extend(limits(row, which.all));
    }
    if lines.is_empty() {
        for line in NOBODY {
            context.output.say(&Line::plain(line));
        }
    }
    context.output.lines(&lines)
}

const NOBODY: [&str; 2] = [
    "No agent program was found here, and no hooks of this hub.",
    "`headsup hooks status --all` shows every program that is known.",
];

/// How it was shown, and what nothing tells: always of what nobody has run.
fn limits(row: &Support, all: bool) -> Option<Line> {
    let is_wanted = all || row.shown == Shown::Documented;
    let (shown, version) = (row.shown.word(), row.version);
    is_wanted.then(|| Line::plain(format!("  {shown} ({version}); not told: {}", row.cannot)))
}
