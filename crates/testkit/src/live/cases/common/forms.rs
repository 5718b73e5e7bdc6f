//! A tool server asks the person to fill in a form (MCP elicitation).

use crate::live::stage::{Agent, Stage};
use crate::live::truth::Class;
use crate::model::Asker;
use std::fs;

/// The least that a tool server has to say (MCP 2025-06-18). Its one tool asks before it answers.
pub(in crate::live::cases) const SERVER: &str = r#"say() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$1" "$2"; }
number() { printf '%s' "$1" | sed -n 's/.*"id":\([0-9]*\).*/\1/p'; }
while read -r line; do
    case $line in
    *'"method":"initialize"'*)
        say "$(number "$line")" '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"demo","version":"1"}}' ;;
    *'"method":"tools/list"'*)
        say "$(number "$line")" '"result":{"tools":[{"name":"ask","description":"Asks","inputSchema":{"type":"object","properties":{}}}]}' ;;
    *'"method":"tools/call"'*)
        call=$(number "$line")
        : >asked
        say '"form"' '"method":"elicitation/create","params":{"message":"Which colour?","requestedSchema":{"type":"object","properties":{"colour":{"type":"boolean"}}}}' ;;
    *'"id":"form"'*)
        say "$call" '"result":{"content":[{"type":"text","text":"Asked."}]}' ;;
    esac
done
"#;

/// The same, and its tool answers without asking.
pub(in crate::live::cases) fn quiet() -> String {
    let answer = r#"say "$call" '"result":{"content":[{"type":"text","text":"Done."}]}' ;;"#;
    let line = |line: &str| match line.contains("elicitation/create") {
        true => format!("{answer}\n"),
        false => format!("{line}\n"),
    };
    SERVER.lines().map(line).collect()
}

/// The file with such a server. Wherever that is started, it notes in the agents' folder that it asks.
pub(in crate::live::cases) fn written(stage: &Stage, text: &str) -> String {
    let server = stage.home.path().join("server.sh");
    let note = format!(": >'{}'", stage.folder().join("asked").display());
    fs::write(&server, text.replace(": >asked", &note)).expect("a server");
    server.display().to_string()
}

/// The model has called the tool, and the server asks.
pub(in crate::live::cases) fn asks(agent: &Agent<'_>) {
    let stage = agent.stage();
    stage.answered(&Asker::Main);
    agent.shows("Which colour?");
    // The program takes its time between the model's answer and the server.
    agent.mark(stage.written("asked"), "blocked", Class::Unhooked, "the server asks");
    agent.settle();
    agent.rest();
}

/// The form is closed by these keys, and the turn goes on.
pub(in crate::live::cases) fn closed(agent: &Agent<'_>, keys: &[&str], why: &str) {
    let stage = agent.stage();
    agent.keys(keys, "working", why);
    agent.rest();
    stage.model.release("go");
    agent.answered();
    agent.rest();
}
