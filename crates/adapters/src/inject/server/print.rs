//! What an agent has to be told that headsup does not set up by itself.

use super::super::skill::SKILL;
use super::{NAME, Style, wished};
use serde_json::{Value, json};

/// A form for what has no file that headsup knows: its name, and the text for a launcher.
pub type Form = (&'static str, fn(launcher: &str) -> String);

/// All of them, the usual one first.
pub const FORMS: [Form; 2] = [("generic", generic), ("oh-my-opencode", skill_with_server)];

/// The form of this name.
pub fn form(name: &str) -> Option<Form> {
    FORMS.into_iter().find(|(of, _)| *of == name)
}

/// The configuration that most programs read.
pub fn generic(launcher: &str) -> String {
    let server = json!({ "mcpServers": { NAME: wished(Style::Plain, launcher) } });
    format!("{server:#}\n")
}

/// A skill of oh-my-opencode, which starts the server only for whoever calls the skill: its head says
/// which.
fn skill_with_server(launcher: &str) -> String {
    let server = wished(Style::Plain, launcher);
    let text = |value: &Value| value.to_string();
    let home = server["env"]["HEADSUP_HOME"].clone();
    let (front, body) = SKILL.split_once("---\n\n").unwrap_or(("", SKILL));
    format!(
        "{front}mcp:\n  {NAME}:\n    command: {}\n    args: [\"mcp\"]\n    env:\n      HEADSUP_HOME: {}\n---\n\n{body}",
        text(&server["command"]),
        text(&home),
    )
}
