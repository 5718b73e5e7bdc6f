//! `headsup mcp install` and `headsup mcp uninstall`

use crate::cli::hooks::Asked;
use crate::cli::{Context, hooks};
use crate::client::start;
use crate::error::CommandError;
use crate::output::Output;
use crate::output::line::Line;
use crate::setup::status::status;
use crate::setup::{self, Site, Way, ruled};
use headsup_adapters::inject::server::{self, print};
use headsup_adapters::inject::{Recipe, skill};

#[derive(Debug, clap::Args)]
pub(super) struct Install {
    /// The kind of agent, or the name of its program; with --print also the name of another form.
    #[arg(value_name = "AGENT", value_parser = target, required_unless_present = "print")]
    agent: Option<Target>,
    /// Print the configuration and change nothing.
    #[arg(long, conflicts_with = "dry_run")]
    print: bool,
    /// With --print: the skill alone, a text that tells a model when to report and when to ask.
    #[arg(long, requires = "print")]
    skill: bool,
    /// Show the changes and make none.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct Uninstall {
    /// The kind of agent, or the name of its program.
    #[arg(value_name = "AGENT", value_parser = agent)]
    agent: &'static str,
    /// Show the changes and make none.
    #[arg(long)]
    dry_run: bool,
}

/// For whom.
#[derive(Clone, Copy, Debug)]
enum Target {
    Agent(&'static str),
    Form(print::Form),
}

fn target(text: &str) -> Result<Target, String> {
    match print::form(text) {
        Some(form) => Ok(Target::Form(form)),
        None => agent(text).map(Target::Agent),
    }
}

fn agent(text: &str) -> Result<&'static str, String> {
    server::of(text).map(|recipe| recipe.kind).ok_or_else(|| {
        let known: Vec<&str> = server::all().iter().map(|recipe| recipe.kind).collect();
        let forms: Vec<&str> = print::FORMS.iter().map(|(name, _)| *name).collect();
        format!(
            "the tools cannot be installed into that; there are {}; to print, also {}",
            known.join(", "),
            forms.join(", ")
        )
    })
}

pub(super) fn install(args: &Install, context: &Context) -> Result<(), CommandError> {
    let target = args.agent.unwrap_or(Target::Form(print::FORMS[0]));
    if args.print {
        return printed(target, args.skill, context);
    }
    let Target::Agent(kind) = target else {
        return Err(CommandError::usage("there is no file of its own to put it into")
            .hint("print it, and put it where it belongs: add --print"));
    };
    let binary = hooks::binary()?;
    let make = |site: &Site| setup::install(site, Way::Settings, &binary);
    let done = |site: &Site| {
        let recipe = site.recipe;
        let title = recipe.title;
        let then = match ruled::by(recipe) {
            Some(file) => format!(
                "but {title} starts with the servers of {file} alone: whoever keeps this machine adds it there \
                 (`headsup mcp install {} --print`)",
                recipe.kind
            ),
            None if !status(site).fires => {
                "until that is put right, nothing comes of it".to_owned()
            }
            None => recipe.after_settings.to_owned(),
        };
        format!("{title}: the {} is installed; {then}", what(recipe))
    };
    let sites = sites(kind, context)?;
    let problems = |site: &Site| status(site).problems;
    let asked = Asked { dry_run: args.dry_run, ..Asked::default() };
    hooks::apply(&sites, asked, context, &make, &hooks::with_snippet, &problems, &done)
}

pub(super) fn uninstall(args: &Uninstall, context: &Context) -> Result<(), CommandError> {
    let make = |site: &Site| setup::uninstall(site);
    let done = |site: &Site| format!("{}: the {} is gone", site.recipe.title, what(site.recipe));
    let sites = sites(args.agent, context)?;
    let asked = Asked { dry_run: args.dry_run, ..Asked::default() };
    hooks::apply(&sites, asked, context, &make, &hooks::by_hand, &|_| Vec::new(), &done)
}

/// The tools first: without them the skill speaks of what is not there.
fn sites(kind: &str, context: &Context) -> Result<Vec<Site>, CommandError> {
    let both = [server::of(kind), skill::of(kind)];
    both.into_iter().flatten().map(|recipe| hooks::site(recipe, context)).collect()
}

fn what(recipe: &Recipe) -> &'static str {
    match recipe.place() {
        "skill" => "skill",
        _ => "server of the tools",
    }
}

fn printed(target: Target, skill_alone: bool, context: &Context) -> Result<(), CommandError> {
    let state = context.place.home.as_deref().ok_or_else(start::no_home)?;
    let launcher = state.join("bin/headsup");
    let launcher = launcher
        .to_str()
        .ok_or_else(|| CommandError::usage(format!("{} is to be UTF-8", launcher.display())))?;
    let text = match target {
        _ if skill_alone => skill::SKILL.to_owned(),
        Target::Form((_, form)) => form(launcher),
        Target::Agent(kind) => {
            let recipe = server::of(kind).ok_or_else(|| CommandError::usage(kind))?;
            let text = recipe.append("", launcher);
            text.map_err(|why| CommandError::usage(why.to_string()))?
        }
    };
    // The path that is named is there from now on.
    if !std::path::Path::new(launcher).exists() {
        link(context)?;
    }
    if context.output.is_json() {
        return Output::json(&serde_json::json!({
            "schema": headsup_core::wire::SCHEMA, "text": text,
        }));
    }
    let lines: Vec<Line> = text.trim_end_matches('\n').lines().map(Line::plain).collect();
    context.output.lines(&lines)
}

/// The link that every configuration names.
fn link(context: &Context) -> Result<(), CommandError> {
    let any = server::all().first().ok_or_else(|| CommandError::internal("no agent is known"))?;
    let site = hooks::site(any, context)?;
    let steps = setup::launcher(&site, &hooks::binary()?);
    setup::edit::perform(&steps, &mut setup::edit::no_fault)
        .map_err(|error| CommandError::internal(error.to_string()))
}
