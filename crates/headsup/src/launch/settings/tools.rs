//! The tools of a launch: nobody has to install them for an agent that headsup starts.

use super::{Launched, What, bring, link, revive};
use crate::cli::hooks;
use crate::output::line::Line;
use crate::setup::{guard, ruled};
use headsup_adapters::inject::Recipe;
use headsup_adapters::inject::server;
use std::path::Path;

/// The launch with our server in it, where its program takes one for a launch alone and has none of that
/// name. An agent is not kept from starting by tools that cannot be added: it is said why.
pub(super) fn add(what: &What<'_>, launched: Launched) -> Launched {
    let Some(recipe) = server::of(what.recipe.kind) else { return launched };
    with_server(recipe, what, launched.clone()).unwrap_or_else(|why| {
        let title = recipe.title;
        let told = format!("headsup: {title} starts without the tools: {why}");
        what.context.output.say(&Line::plain(told));
        launched
    })
}

/// The reason why not, in words.
fn with_server(
    recipe: &'static Recipe,
    what: &What<'_>,
    launched: Launched,
) -> Result<Launched, String> {
    let site = hooks::site(recipe, what.context).map_err(|error| error.message)?;
    let is_there = || has_one(recipe, &site.settings(), &site.launcher);
    if !recipe.takes_settings() || ruled::by(recipe).is_some() || is_there() {
        revive(&site).map_err(|error| error.message)?;
        return Ok(launched);
    }
    link(&site).map_err(|error| error.message)?;
    bring::add(recipe, launched, what, &site.launcher).map_err(|why| match why {
        bring::Refused::Unchanged(at, why) => format!("they cannot be added to {at}: {why}"),
        bring::Refused::Other(error) => error.message,
    })
}

/// Whether its configuration has a server of our name, whoever has put it there: the program would know
/// only one of the two. What cannot be read may have one.
fn has_one(recipe: &Recipe, settings: &Path, launcher: &str) -> bool {
    let Some(bytes) = guard::read(settings) else { return false };
    let found = String::from_utf8(bytes).ok().map(|text| recipe.inspect(&text, launcher));
    match found {
        Some(Ok(found)) => !found.is_empty() || found.others > 0,
        _ => true,
    }
}
