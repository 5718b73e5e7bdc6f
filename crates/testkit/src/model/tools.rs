//! Calls of tools, under the names and with the inputs that the asking agent offers.
//!
//! | tool | Claude Code 2.1.330 | Codex 0.169.0 | OpenCode 1.18.33 | Gemini CLI 0.61.0 | Qwen Code 0.24.4 | Copilot CLI 1.0.102 |
//! |---|---|---|---|---|---|---|
//! | a command | `Bash` | `exec_command` | `bash` | `run_shell_command` | `run_shell_command` | `bash` |
//! | a question | `AskUserQuestion` | `request_user_input` | `question` | `ask_user` | `ask_user_question` | `ask_user` |
//! | a helper | `Agent` | `spawn_agent` | `task` | `invoke_agent` | `agent` | `task` |

use super::reply::Tool;
use super::request::Request;
use super::stream::id;
use serde_json::{Value, json};

/// A call as it is to be written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    /// Its own.
    pub(super) id: String,
    /// Of the tool's name, where the agent groups its tools.
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    pub(super) input: Value,
}

/// The call of `tool` as this request offers it; `None` if it cannot be made.
pub(super) fn call(tool: &Tool, request: &Request, index: usize) -> Option<Call> {
    let (name, input) = match tool {
        Tool::Named(name, input) => (name.clone(), input.clone()),
        Tool::Shell { command, background } => shell(request, command, *background),
        Tool::Ask { question, options } => ask(request, question, options),
        Tool::Helper { description, prompt, background } => {
            helper(request, description, prompt, *background)
        }
        Tool::Todo(subject) => todo(request, subject),
        Tool::PlanFile(plan) => {
            ("Write".to_owned(), json!({"file_path": request.plan_file()?, "content": plan}))
        }
    };
    let namespace = request.namespace(&name);
    Some(Call { id: format!("{}_{index}", id("toolu")), namespace, name, input })
}

fn offered(request: &Request, names: &[&str]) -> String {
    let found = request.tool(names);
    found.unwrap_or_else(|| names.first().copied().unwrap_or_default().to_owned())
}

fn shell(request: &Request, command: &str, background: bool) -> (String, Value) {
    let name = offered(request, &["Bash", "bash", "run_shell_command", "exec_command"]);
    let mut input = json!({"command": command, "description": "Run a command"});
    match (name.as_str(), background) {
        ("Bash", true) => input["run_in_background"] = true.into(),
        ("bash", true) => input["mode"] = "async".into(),
        ("run_shell_command", background) => input["is_background"] = background.into(),
        // It answers as soon as this time is over, and the command goes on.
        ("exec_command", background) => {
            input = json!({"cmd": command, "yield_time_ms": if background { 250 } else { 30_000 }});
            // Where a person may be asked, every command asks.
            if !request.system().contains("commands will be rejected") {
                input["sandbox_permissions"] = "require_escalated".into();
                input["justification"] = "May it run?".into();
            }
        }
        _ => {}
    }
    (name, input)
}

fn ask(request: &Request, question: &str, options: &[String]) -> (String, Value) {
    let names =
        ["AskUserQuestion", "question", "ask_user_question", "request_user_input", "ask_user"];
    let name = offered(request, &names);
    let labels = options;
    let option = |label: &String| json!({"label": label, "description": format!("Take {label}")});
    let options: Vec<_> = options.iter().map(option).collect();
    let mut asked = json!({"question": question, "header": "Choice", "options": options});
    match name.as_str() {
        "question" => asked["multiple"] = false.into(),
        "request_user_input" => asked["id"] = "choice".into(),
        // Copilot's is a form, Gemini's has several questions.
        "ask_user" if !request.speaks_gemini() => {
            let field = json!({"type": "string", "title": "Choice", "enum": labels});
            let form = json!({"properties": {"choice": field}, "required": ["choice"]});
            return (name, json!({"message": question, "requestedSchema": form}));
        }
        "ask_user" => asked["type"] = "choice".into(),
        _ => asked["multiSelect"] = false.into(),
    }
    (name, json!({"questions": [asked]}))
}

/// `Agent` was `Task`, `TaskCreate` was `TodoWrite` in earlier versions of Claude Code; 2.1.330 knows
/// the new names.
fn helper(request: &Request, description: &str, prompt: &str, background: bool) -> (String, Value) {
    let names = ["Agent", "Task", "task", "agent", "invoke_agent", "spawn_agent"];
    let name = offered(request, &names);
    let mut input = json!({"description": description, "prompt": prompt});
    match name.as_str() {
        "spawn_agent" => input = json!({"message": prompt}),
        "invoke_agent" => input = json!({"agent_name": "generalist", "prompt": prompt}),
        "agent" => input["subagent_type"] = "general-purpose".into(),
        // Copilot's and OpenCode's have the name in common.
        "task" if request.offers("task", "agent_type") => {
            input["agent_type"] = "general-purpose".into();
            input["name"] = "helper".into();
            if background {
                input["mode"] = "background".into();
            }
        }
        "task" => input["subagent_type"] = "general".into(),
        _ => {
            input["subagent_type"] = "general-purpose".into();
            input["run_in_background"] = background.into();
        }
    }
    (name, input)
}

fn todo(request: &Request, subject: &str) -> (String, Value) {
    let name = offered(request, &["TodoWrite", "todowrite", "TaskCreate"]);
    if name == "TaskCreate" || request.tool(&[name.as_str()]).is_none() {
        return ("TaskCreate".to_owned(), json!({"subject": subject, "description": subject}));
    }
    let todo = json!({
        "content": subject, "status": "pending", "activeForm": subject, "priority": "medium",
    });
    (name, json!({"todos": [todo]}))
}
