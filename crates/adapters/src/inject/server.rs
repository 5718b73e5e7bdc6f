//! The tools that headsup serves, in a program's configuration: one server by its name, beside those of
//! others.

mod json;
mod launched;
mod lines;
pub mod print;

use super::{Found, Launch, Part, Probe, Recipe, Unchanged, halves};
use crate::{claude_code, codex, copilot_cli, gemini_cli, opencode, qwen_code};
use serde_json::{Value, json};

/// The name under which programs know the server.
pub(crate) const NAME: &str = "headsup";

/// How long a program lets a call take, in seconds: longer than any of ours waits.
const PATIENCE_S: u64 = 330;

/// What a program that keeps its environment from servers has to hand on.
pub(crate) const VARIABLES: [&str; 8] = [
    "HEADSUP_AGENT_ID",
    "HEADSUP_AGENT_TOKEN",
    "HEADSUP_URL",
    "HEADSUP_TOKEN",
    "BOB_API_URL",
    "BOB_API_KEY",
    "BOB_SESSION_ID",
    "PANOPTICON_AGENT_ID",
];

/// How a program wants a server.
#[derive(Debug)]
pub(crate) struct Form {
    /// The member or the table that holds all servers.
    pub(crate) within: &'static str,
    pub(crate) style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `{command, args, env}`, as most have it.
    Plain,
    /// The same with `type: "stdio"`.
    Typed,
    /// The same with `type: "local"`, and all tools allowed to be seen.
    Listed,
    /// One list for command and arguments.
    OneList,
    /// A TOML table.
    Table,
}

/// The server as this program wants it.
pub(crate) fn wished(style: Style, launcher: &str) -> Value {
    let home = launcher.strip_suffix("/bin/headsup");
    let env = home.map_or(json!({}), |home| json!({ "HEADSUP_HOME": home }));
    let milliseconds = PATIENCE_S * 1_000;
    match style {
        Style::Plain => {
            json!({ "command": launcher, "args": ["mcp"], "env": env, "timeout": milliseconds })
        }
        Style::Typed => json!({
            "type": "stdio", "command": launcher, "args": ["mcp"], "env": env,
            "timeout": milliseconds,
        }),
        Style::Listed => json!({
            "type": "local", "command": launcher, "args": ["mcp"], "env": env, TOOLS: ["*"],
            "timeout": milliseconds,
        }),
        Style::OneList => json!({
            "type": "local", "command": [launcher, "mcp"], "environment": env, ENABLED: true,
            "timeout": milliseconds,
        }),
        Style::Table => json!({
            "command": launcher, "args": ["mcp"], "env": env, "env_vars": VARIABLES,
            "tool_timeout_sec": PATIENCE_S,
        }),
    }
}

const ENABLED: &str = "enabled";
const TOOLS: &str = "tools";

/// What a person decides once it is there: whether the server is started, and which of its tools are seen.
fn is_a_choice(name: &str) -> bool {
    [ENABLED, TOOLS].contains(&name)
}

/// Is all of ours as it should be? What others have put beside it is theirs.
fn is_current(now: &Value, wished: &Value) -> bool {
    let (Value::Object(now), Value::Object(wished)) = (now, wished) else { return now == wished };
    wished.iter().all(|(name, wanted)| {
        now.get(name).is_some_and(|one| is_a_choice(name) || is_current(one, wanted))
    })
}

/// Makes it so.
fn merge(now: &mut Value, wished: &Value) {
    let Value::Object(wished) = wished else {
        now.clone_from(wished);
        return;
    };
    if !now.is_object() {
        *now = json!({});
    }
    for (name, wanted) in wished {
        if now.get(name).is_none() || !is_a_choice(name) {
            merge(&mut now[name], wanted);
        }
    }
}

pub(crate) fn append(form: &Form, text: &str, launcher: &str) -> Result<String, Unchanged> {
    match form.style {
        Style::Table => lines::append(form, text, launcher),
        _ => halves::kept(text, |text| json::append(form, text, launcher)),
    }
}

pub(crate) fn remove(
    form: &Form,
    text: &str,
    launcher: &str,
    original: Option<&str>,
) -> Result<String, Unchanged> {
    match form.style {
        Style::Table => lines::remove(form, text, launcher, original),
        _ => halves::kept(text, |text| json::remove(form, text, launcher, original)),
    }
}

pub(crate) fn inspect(form: &Form, text: &str, launcher: &str) -> Result<Found, Unchanged> {
    let there = match form.style {
        Style::Table => lines::server(form, text)?,
        _ => json::server(form, text)?,
    };
    let mut found = Found::default();
    match there {
        None => found.missing = vec![NAME],
        Some(server) if is_current(&server, &wished(form.style, launcher)) => {
            found.entries.push((NAME.to_owned(), format!("{launcher} mcp")));
            if server.get(ENABLED) == Some(&Value::Bool(false)) {
                let off = format!("{}.{NAME} is switched off: {ENABLED} is false", form.within);
                found.problems.push(off);
                found.is_off = true;
            }
        }
        Some(server) if is_of(&server, launcher) => {
            found.outdated = 1;
            found.missing = vec![NAME];
        }
        Some(server) => {
            found.others = 1;
            found.missing = vec![NAME];
            found.elsewhere.extend(home_of(&server));
        }
    }
    Ok(found)
}

/// The servers that run this launcher and are not ours, or no longer.
pub(crate) fn strays(form: &Form, text: &str, launcher: &str) -> Vec<String> {
    let servers = match form.style {
        Style::Table => lines::servers(form, text),
        _ => json::servers(form, text),
    };
    let Ok(Some(Value::Object(servers))) = servers else { return Vec::new() };
    let is_of_another = |server: &Value| home_of(server).is_some() && !is_of(server, launcher);
    let is_stray = |server: &Value| mentions(server, launcher) && !is_of_another(server);
    let strays = servers.iter().filter(|(_, server)| is_stray(server));
    strays.map(|(name, _)| format!("{}.{name}", form.within)).collect()
}

fn mentions(value: &Value, word: &str) -> bool {
    match value {
        Value::String(text) => text.contains(word),
        Value::Array(list) => list.iter().any(|one| mentions(one, word)),
        Value::Object(members) => members.values().any(|one| mentions(one, word)),
        _ => false,
    }
}

/// Whether there is nothing in there but a server of ours, of whatever state folder.
pub(crate) fn is_all_ours(form: &Form, text: &str) -> bool {
    match form.style {
        Style::Table => lines::is_all_ours(form, text),
        _ => json::is_all_ours(form, text),
    }
}

/// The text without a server of ours, of whatever state folder; `None` where there is none.
pub(crate) fn without(form: &Form, text: &str) -> Option<String> {
    let there = match form.style {
        Style::Table => lines::server(form, text),
        _ => json::server(form, text),
    };
    let there = there.ok().flatten()?;
    home_of(&there)?;
    let launcher = command(&there)?;
    remove(form, text, launcher, None).ok()
}

/// The servers of the same program, where they stand in the file of these hooks.
pub(crate) fn beside(hooks: &Recipe) -> Option<&'static Form> {
    let server = of(hooks.kind).filter(|server| server.settings == hooks.settings)?;
    match server.part {
        Part::Server(form) => Some(form),
        _ => None,
    }
}

/// What a server runs.
fn command(server: &Value) -> Option<&str> {
    let command = server.get("command")?;
    command.as_str().or_else(|| command.get(0)?.as_str())
}

fn is_of(server: &Value, launcher: &str) -> bool {
    command(server) == Some(launcher)
}

/// The server of a person's own that was there before ours took its place.
fn theirs(form: &Form, original: Option<&str>, launcher: &str) -> Option<Value> {
    let server = match form.style {
        Style::Table => lines::server(form, original?),
        _ => json::server(form, original?),
    };
    let is_theirs = |server: &Value| home_of(server).is_none() && !is_of(server, launcher);
    server.ok().flatten().filter(is_theirs)
}

const BINARY: &str = "/bin/headsup";

/// Does it run headsup, from wherever? A person may have written it.
fn is_program(server: &Value) -> bool {
    command(server).is_some_and(|command| command.ends_with(BINARY))
}

/// The state folder of a server that an installation of headsup has put there, whichever it is: such a server is
/// told of it.
fn home_of(server: &Value) -> Option<String> {
    let home = command(server)?.strip_suffix(BINARY)?;
    let is_told = |member: &str| server[member]["HEADSUP_HOME"] == home;
    (is_told("env") || is_told("environment")).then(|| home.to_owned())
}

const AFTER: &str =
    "it has the tools from its next start on; which agent it is, `headsup run` tells it";

/// What all of them have in common.
const fn server(of: Recipe, form: &'static Form, launch: Launch) -> Recipe {
    Recipe {
        plugin: None,
        managed: &[],
        after_settings: AFTER,
        advice: "",
        trust: None,
        off: &[],
        fetched: None,
        launch,
        part: Part::Server(form),
        probe: Probe::Written(super::probe),
        ..of
    }
}

/// Claude Code keeps servers of its user in `.claude.json`: in the home folder, or in the folder that
/// `CLAUDE_CONFIG_DIR` names (2.1.330, measured).
static CLAUDE_CODE: Recipe = Recipe {
    managed: launched::RULED,
    ..server(
        Recipe { folder: "", settings: ".claude.json", ..claude_code::RECIPE },
        &Form { within: "mcpServers", style: Style::Typed },
        launched::CLAUDE_CODE,
    )
};

/// Codex hands servers a few variables of its own environment and those that `env_vars` names.
static CODEX: Recipe = server(
    Recipe { settings: "config.toml", ..codex::RECIPE },
    &Form { within: "mcp_servers", style: Style::Table },
    launched::CODEX,
);

static COPILOT_CLI: Recipe = server(
    Recipe { settings: "mcp-config.json", ..copilot_cli::RECIPE },
    &Form { within: "mcpServers", style: Style::Listed },
    launched::COPILOT_CLI,
);

static GEMINI_CLI: Recipe = server(
    gemini_cli::RECIPE,
    &Form { within: "mcpServers", style: Style::Plain },
    launched::GEMINI_CLI,
);

static QWEN_CODE: Recipe = server(
    qwen_code::RECIPE,
    &Form { within: "mcpServers", style: Style::Plain },
    qwen_code::RECIPE.launch,
);

/// With a configuration that it cannot read it does not start, and none of its servers does.
static OPENCODE: Recipe = Recipe {
    off: opencode::RECIPE.off,
    ..server(
        Recipe { settings: "opencode.json", ..opencode::RECIPE },
        &Form { within: "mcp", style: Style::OneList },
        launched::OPENCODE,
    )
};

/// As OpenCode, of which it was made (7.7.9, documented).
static KILO: Recipe = server(
    Recipe { settings: "kilo.json", ..opencode::KILO_RECIPE },
    &Form { within: "mcp", style: Style::OneList },
    launched::KILO,
);

static ALL: [&Recipe; 7] =
    [&CLAUDE_CODE, &CODEX, &COPILOT_CLI, &GEMINI_CLI, &KILO, &OPENCODE, &QWEN_CODE];

/// All programs that the tools can be installed into.
pub fn all() -> &'static [&'static Recipe] {
    &ALL
}

/// That of a kind, or of the program that people know it by.
pub fn of(name: &str) -> Option<&'static Recipe> {
    ALL.iter().copied().find(|recipe| recipe.kind == name || recipe.runs(name))
}

#[cfg(test)]
mod tests;
