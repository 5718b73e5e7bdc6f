//! A change at each agent that was asked for, and what is told of it.

use crate::cli::Context;
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use crate::setup::{Plan, SetupError, Site, edit, plan};
use headsup_adapters::support::Support;
use headsup_core::wire::SCHEMA;
use serde::Serialize;

#[derive(Serialize)]
struct Changed<'a> {
    schema: u32,
    dry_run: bool,
    agents: &'a [ChangedAgent],
    /// The kinds that were asked for with all others and are not here.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not_found: &'a [&'static str],
}

#[derive(Default, Serialize)]
struct ChangedAgent {
    kind: &'static str,
    /// The hooks, the tools or the skill: what an agent has of each is an entry of its own.
    part: &'static str,
    changed: bool,
    files: Vec<String>,
    diff: String,
    notes: Vec<String>,
    /// Why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<CommandError>,
}

pub(crate) type Make<'a> = &'a dyn Fn(&Site) -> Result<Plan, SetupError>;
/// The refusal, and what a person can do instead.
pub(crate) type Refuse<'a> = &'a dyn Fn(&SetupError, &Site, Output) -> CommandError;

/// What a command was asked for beside what it does.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asked<'a> {
    pub(crate) dry_run: bool,
    /// Kinds that it leaves out.
    pub(crate) not_found: &'a [&'static str],
    /// Those that were named and that it cannot be done to.
    pub(crate) without: &'a [&'static Support],
}

/// Does it at each site, also behind one that is refused. Where all sites are one agent's, each builds on the one
/// before, and the first refusal is the end.
pub(crate) fn apply(
    sites: &[Site],
    Asked { dry_run, not_found, without }: Asked<'_>,
    context: &Context,
    make: Make<'_>,
    refuse: Refuse<'_>,
    problems: &dyn Fn(&Site) -> Vec<String>,
    done: &dyn Fn(&Site) -> String,
) -> Result<(), CommandError> {
    let output = context.output;
    let first = sites.first().map(|site| site.recipe.kind);
    let is_one = without.is_empty() && sites.iter().all(|site| Some(site.recipe.kind) == first);
    let mut agents: Vec<ChangedAgent> = Vec::new();
    for site in sites {
        let (kind, part) = (site.recipe.kind, site.recipe.subject());
        let plan = if dry_run {
            make(site)
        } else {
            plan::carry_out(site, || make(site), &mut edit::no_fault)
        };
        let mut plan = match plan {
            Ok(plan) => plan,
            Err(error) => {
                let error = refuse(&error, site, output);
                // What is returned is told at the edge.
                if !is_one && !output.is_json() {
                    output.error(&error);
                }
                let error = Some(error);
                agents.push(ChangedAgent { kind, part, error, ..ChangedAgent::default() });
                if is_one {
                    break;
                }
                continue;
            }
        };
        plan.notes.extend(problems(site));
        let (changed, diff) = (!plan.is_empty(), plan.diff());
        if !output.is_json() {
            if dry_run {
                Output::diff(&diff)?;
            }
            for note in &plan.notes {
                output.say(&Line::plain(format!("headsup: {note}")));
            }
            let title = site.recipe.title;
            output.say(&Line::plain(match (changed, dry_run) {
                (false, _) => format!("headsup: {title}: nothing to change"),
                (true, true) => format!("headsup: {title}: this is what would change"),
                (true, false) => format!("headsup: {}", done(site)),
            }));
        }
        let files = plan.foreign().map(|step| step.path().display().to_string()).collect();
        let notes = plan.notes;
        agents.push(ChangedAgent { kind, part, changed, files, diff, notes, error: None });
    }
    // Behind the others: a failure at one of those is graver than what nobody can do.
    for row in without {
        let error = no_hooks(row);
        if !output.is_json() {
            output.error(&error);
        }
        let (kind, part, error) = (row.kind, "hooks", Some(error));
        agents.push(ChangedAgent { kind, part, error, ..ChangedAgent::default() });
    }
    if output.is_json() {
        Output::json(&Changed { schema: SCHEMA, dry_run, agents: &agents, not_found })?;
    }
    outcome(&agents, is_one)
}

/// What it comes to: of several refusals the first one counts.
fn outcome(agents: &[ChangedAgent], is_one: bool) -> Result<(), CommandError> {
    let first = agents.iter().find_map(|agent| agent.error.clone());
    let Some(first) = first else { return Ok(()) };
    if is_one {
        return Err(first);
    }
    let left = agents.iter().filter(|agent| agent.error.is_some());
    let kinds: Vec<&str> = left.map(|agent| agent.kind).collect();
    let (left, all) = (kinds.len(), agents.len());
    let message = format!("not done: {} ({left} of {all} agents)", kinds.join(", "));
    Err(CommandError::new(first.kind, message).code(first.code))
}

/// Of an agent that hooks cannot be installed into, and what to do instead.
pub(super) fn no_hooks(row: &Support) -> CommandError {
    let message = format!("hooks are not installed into {}", row.title);
    let why = row.instead.unwrap_or_default();
    CommandError::new(Kind::Refused, message).code("no_hooks").hint(why)
}
