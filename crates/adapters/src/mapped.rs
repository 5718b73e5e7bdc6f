//! Programs that are known by their documentation alone: a map of each, as data.
//!
//! A map (`mapped/kinds/KIND.toml`) names the program's version and where its facts stand, where in a
//! payload things are, what each event means and must have, and where our entries go. One adapter reads
//! them all. An event, or a word, that no map has is not understood, and so is one that lacks its session,
//! its tool or what tells whose it is: it changes nothing, and is counted.

pub(crate) mod map;
mod members;
mod normalize;
mod recipe;

use crate::{FactExt, HookContext, Sighting, json, text};
use headsup_core::observation::Fact;
use map::Map;
use members::Members;
use normalize::Reading;
pub(crate) use recipe::{probe, recipes};
use std::sync::LazyLock;

const TEXTS: &[&str] = &[
    include_str!("mapped/kinds/aider.toml"),
    include_str!("mapped/kinds/amp.toml"),
    include_str!("mapped/kinds/auggie.toml"),
    include_str!("mapped/kinds/cline.toml"),
    include_str!("mapped/kinds/crush.toml"),
    include_str!("mapped/kinds/cursor.toml"),
    include_str!("mapped/kinds/droid.toml"),
    include_str!("mapped/kinds/goose.toml"),
    include_str!("mapped/kinds/grok.toml"),
    include_str!("mapped/kinds/kimi.toml"),
    include_str!("mapped/kinds/mastra.toml"),
    include_str!("mapped/kinds/mistral-vibe.toml"),
    include_str!("mapped/kinds/pi.toml"),
];

/// Maps that cannot be read are none: the tests read them all.
static MAPS: LazyLock<Vec<Map>> =
    LazyLock::new(|| TEXTS.iter().filter_map(|text| toml::from_str(text).ok()).collect());

pub(crate) fn maps() -> &'static [Map] {
    &MAPS
}

/// The map of a kind, if it is known by one.
pub(crate) fn of(kind: &str) -> Option<&'static Map> {
    MAPS.iter().find(|map| map.kind == kind)
}

pub(crate) fn hook(
    map: &'static Map,
    event: Option<&str>,
    body: &[u8],
    context: &HookContext,
) -> Sighting {
    let body = json::decode(body);
    let read = json::payload::<Members<'_>>(json::trim(&body));
    let refused = read.as_ref().err().copied();
    let reading = Reading { map, members: read.unwrap_or_default() };
    let paths = &map.members;
    let named = reading.raw(&paths.event).text();
    let mut seen = Sighting::new(event, named.as_deref(), Fact::Nothing);
    seen.fact = match refused {
        Some(why) => Fact::not_understood(why),
        None => reading.fact(&seen.event),
    };
    if refused.is_none() {
        seen.strange = reading.strange(&seen.event);
    }
    let line = |paths: &[String], cap| {
        let line = text::line(&reading.raw(paths).text()?, cap);
        (!line.is_empty()).then_some(line)
    };
    seen.session = reading.session();
    seen.cwd = reading.raw(&paths.cwd).text().and_then(|path| text::folder(&path));
    seen.log_path = reading.raw(&paths.log).text().and_then(|path| text::path(&path));
    seen.model = line(&paths.model, text::NAME);
    seen.title = line(&paths.title, text::TITLE);
    seen.shares_process = reading.raw(&paths.shared).is_true();
    seen.tmux_pane = context.tmux_pane();
    let processes: Vec<&str> = map.processes.iter().map(String::as_str).collect();
    seen.process = context.process(None, &processes);
    seen.activity = reading.activity(&seen.fact);
    seen
}

#[cfg(test)]
mod tests;
