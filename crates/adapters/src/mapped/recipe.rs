//! Where our entries go, out of a map.

use super::map::{Install, Map, Syntax, Word};
use super::maps;
use crate::inject::entries::Form;
use crate::inject::script::Script;
use crate::inject::settings_file::{arguments, given};
use crate::inject::versions::Versions;
use crate::inject::{Launch, Part, Probe, Recipe};
use serde_json::{Map as Object, Value, json};
use std::ffi::OsString;
use std::sync::LazyLock;

/// Plugins of ours, by kind.
const SCRIPTS: &[Script] = &[
    Script {
        kind: "amp",
        source: concat!(include_str!("../inject/courier.js"), include_str!("amp.js")),
        event: "session.start",
    },
    Script {
        kind: "pi",
        source: concat!(include_str!("../inject/courier.js"), include_str!("pi.js")),
        event: "session_start",
    },
];

/// What one launch can bring, by kind. Droid runs the hooks of `--settings FILE`, which may stand before `exec` as well,
/// and those of all its other settings, the same command twice (0.215.0, read). pi loads what `-e` names beside all
/// other extensions.
const LAUNCHES: &[(&str, Launch)] = &[
    (
        "droid",
        Launch::WithSettings {
            arguments,
            given,
            variable: Some("FACTORY_RUNTIME_SETTINGS_PATH"),
            is_run_once: false,
        },
    ),
    ("pi", Launch::WithFile { ending: "ts", arguments: with_extension }),
];

/// What not every version knows, by kind. Kimi Code: the changelog of its own documentation. Before 0.14.2 it does
/// not start with an event that it does not know.
const VERSIONS: &[(&str, Versions)] = &[(
    "kimi",
    Versions {
        package: "@moonshot-ai/kimi-code",
        since: &[
            ("PermissionRequest", (0, 8, 0)),
            ("PermissionResult", (0, 8, 0)),
            ("Interrupt", (0, 14, 0)),
        ],
        plugin: None,
    },
)];

fn with_extension(given: &[OsString], file: &OsString) -> Vec<OsString> {
    [OsString::from("-e"), file.clone()].into_iter().chain(given.iter().cloned()).collect()
}

/// The lists of a map, as those who know them when they are built have them.
struct Lists {
    map: &'static Map,
    install: &'static Install,
    programs: Vec<&'static str>,
    events: Vec<&'static str>,
    managed: Vec<&'static str>,
}

static LISTS: LazyLock<Vec<Lists>> = LazyLock::new(|| maps().iter().filter_map(lists).collect());
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| LISTS.iter().map(form).collect());
static RECIPES: LazyLock<Vec<Recipe>> = LazyLock::new(|| {
    LISTS.iter().zip(FORMS.iter()).map(|(lists, form)| made(lists, form)).collect()
});

/// One for each program whose map says where entries go.
pub(crate) fn recipes() -> impl Iterator<Item = &'static Recipe> {
    RECIPES.iter()
}

fn lists(map: &'static Map) -> Option<Lists> {
    let strings = |all: &'static [String]| all.iter().map(String::as_str).collect();
    let install = map.install.as_ref()?;
    let (programs, managed) = (strings(&map.programs), strings(&install.managed));
    Some(Lists { map, install, programs, events: map.registered(), managed })
}

fn form(lists: &'static Lists) -> Form {
    let shape = &lists.install.form;
    let versions = VERSIONS.iter().find(|(kind, _)| *kind == lists.map.kind);
    Form {
        kind: &lists.map.kind,
        events: &lists.events,
        optional: &[],
        versions: versions.map(|(_, versions)| versions),
        matchers: &[],
        command: "command",
        timeout: (&shape.timeout.0, shape.timeout.1),
        name: shape.name.as_deref(),
        within: shape.within.as_deref(),
        is_typed: shape.is_typed,
        event: &shape.event,
        is_wrapped: shape.is_wrapped,
        is_grouped: shape.is_grouped,
        version: shape.version,
        unawaited: None,
        switches: &[],
        not_strict: shape.not_strict.as_deref(),
    }
}

fn made(lists: &'static Lists, form: &'static Form) -> Recipe {
    let Lists { map, install, .. } = lists;
    let script = SCRIPTS.iter().find(|script| script.kind == map.kind);
    let launch = LAUNCHES.iter().find(|(kind, _)| *kind == map.kind);
    Recipe {
        kind: &map.kind,
        title: &map.title,
        programs: &lists.programs,
        folder_variable: &install.folder_variable,
        folder: &install.folder,
        moved_folder: &install.moved_folder,
        plugin: None,
        settings: &install.file,
        folder_is_shared: install.is_shared,
        managed: &lists.managed,
        after_settings: &install.after,
        advice: &install.advice,
        trust: None,
        off: &[],
        fetched: None,
        launch: launch.map_or(Launch::AsTyped, |(_, launch)| launch.clone()),
        part: match (install.form.syntax, script) {
            (Syntax::Script, Some(script)) => Part::Script(script),
            (Syntax::Toml, _) => Part::Tables(form),
            (Syntax::Json | Syntax::Script, _) => Part::Entries(form),
        },
        probe: Probe::Mapped(map),
    }
}

/// The start of a session, or else the first event that there is a hook for.
pub(crate) fn probe(map: &'static Map, session: &str, folder: &str) -> (&'static str, String) {
    let mut events = map.events.iter().filter(|event| event.register);
    let start = events.clone().find(|event| event.fact == Word::SessionStarted);
    let event = start.or_else(|| events.next()).map_or("", |event| &event.name);
    let members = &map.members;
    let mut payload = Value::Object(Object::new());
    for must in map.musts(event) {
        let word = must.is.first().map_or("doctor", String::as_str);
        let value = if must.tells_whose { Value::Null } else { Value::from(word) };
        put(&mut payload, &must.member, value);
    }
    // Whoever names a parent first is a helper where it has one: the last one is its own.
    let told = [
        (&members.event, event),
        (&members.session, session),
        (&members.cwd, folder),
        (&members.tool, "doctor"),
    ];
    for (paths, text) in told {
        if let Some(path) = paths.last() {
            put(&mut payload, path, Value::from(text));
        }
    }
    (event, payload.to_string())
}

/// Puts a value where a path leads.
pub(super) fn put(at: &mut Value, path: &str, value: Value) {
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, rest)| (step, Some(rest)));
    let place = if step == "0" {
        if !at.is_array() {
            *at = json!([null]);
        }
        &mut at[0]
    } else {
        if !at.is_object() {
            *at = json!({});
        }
        &mut at[step]
    };
    match rest {
        Some(rest) => put(place, rest, value),
        None => *place = value,
    }
}
