//! What recorded sessions are understood as.

use crate::common::{ALL, CLAUDE_CODE, CODEX, Recorded, context};
use headsup_adapters::{HookContext, LogLine, hook, log_line, strange_line};
use headsup_core::observation::Fact;
use headsup_core::prompt::{Actor, ToolRef};
use headsup_core::status::Attach;
use std::fmt::Write;

#[test]
fn every_recorded_hook_is_understood() {
    for agent in ALL {
        let mut rows = 0;
        for row in agent.all_hooks() {
            let seen = agent.read(&row);
            let event = row["payload"]["hook_event_name"].as_str().unwrap();
            assert_eq!(seen.event, event);
            let understood = !matches!(seen.fact, Fact::NotUnderstood { .. });
            assert!(understood, "{} {event}: {:?}", agent.kind, seen.fact);
            rows += 1;
        }
        assert!(rows > 200, "{}: {rows}", agent.kind);
    }
}

#[test]
fn every_sample_is_understood() {
    for agent in ALL {
        for payload in agent.samples() {
            let seen = agent.read_payload(&payload, &HookContext::default());
            assert!(!matches!(seen.fact, Fact::NotUnderstood { .. }), "{payload}");
        }
    }
}

#[test]
fn every_recorded_hook_names_its_session_folder_log_and_process() {
    for row in CLAUDE_CODE.all_hooks() {
        let seen = CLAUDE_CODE.read(&row);
        let text = |member: &str| row["payload"][member].as_str();
        assert_eq!(seen.session.as_deref(), text("session_id"));
        assert_eq!(seen.cwd.as_deref(), text("cwd"));
        assert_eq!(seen.log_path.as_deref(), text("transcript_path"));
        let env = |name: &str| row["env"][name].as_str();
        let pid = seen.process.map(|process| process.pid.to_string());
        assert_eq!(pid.as_deref(), env("CLAUDE_PID"));
        assert_eq!(seen.tmux_pane.as_deref(), env("TMUX_PANE"));
        let attach = match env("CLAUDE_CODE_SESSION_ATTENDED") {
            Some("1") => Attach::Interactive,
            _ => Attach::Headless,
        };
        assert_eq!(seen.attach, Some(attach));
    }
}

/// A helper's events are of the main agent's session and tell a log of its own. A daemon's are known
/// by what is above it, as far as that was recorded.
#[test]
fn every_recorded_hook_of_codex_names_its_session_folder_log_and_process() {
    for case in CODEX.cases() {
        for row in CODEX.hooks(&case) {
            let above = &row["parents"][1]["comm"];
            let is_daemons = case == "daemon_two_panes" && above.is_string();
            let seen = CODEX.read(&row);
            let text = |member: &str| row["payload"][member].as_str();
            assert_eq!(seen.session.as_deref(), text("session_id"));
            assert_eq!(seen.cwd.as_deref(), text("cwd"));
            let own_log = text("transcript_path").filter(|_| text("agent_id").is_none());
            assert_eq!(seen.log_path.as_deref(), own_log);
            let pid = seen.process.map(|process| u64::from(process.pid));
            assert_eq!(pid, row["parents"][0]["pid"].as_u64());
            assert_eq!(seen.shares_process, is_daemons, "{case}");
            let pane = row["env"]["TMUX_PANE"].as_str().filter(|_| !is_daemons);
            assert_eq!(seen.tmux_pane.as_deref(), pane);
        }
    }
}

#[test]
fn the_command_name_finds_the_process_that_the_pid_variable_names() {
    for row in CLAUDE_CODE.all_hooks() {
        let mut context = context(&row);
        let told = CLAUDE_CODE.read_payload(&row["payload"], &context).process;
        context.env.remove("CLAUDE_PID");
        assert_eq!(CLAUDE_CODE.read_payload(&row["payload"], &context).process, told);
    }
}

#[test]
fn the_events_name_may_come_from_the_command_line() {
    for agent in ALL {
        for row in agent.all_hooks() {
            let mut payload = row["payload"].clone();
            let name = payload.as_object_mut().unwrap().remove("hook_event_name").unwrap();
            let body = payload.to_string();
            let seen = hook(agent.kind, name.as_str(), body.as_bytes(), &context(&row)).unwrap();
            assert_eq!(seen, agent.read(&row));
        }
    }
}

/// A prompt is cleared by the end of its call, which is found by name and input.
#[test]
fn every_recorded_request_matches_the_start_of_its_call() {
    let all = ALL.iter().flat_map(|agent| agent.cases().into_iter().map(move |case| (agent, case)));
    for (agent, case) in all {
        let mut starts: Vec<(Actor, ToolRef)> = Vec::new();
        for row in agent.hooks(&case) {
            match agent.read(&row).fact {
                // The call itself asks.
                Fact::PromptOpened { actor, prompt, .. }
                    if row["payload"]["tool_use_id"].is_string() =>
                {
                    starts.extend(prompt.tool.map(|tool| (actor, tool)));
                }
                Fact::ToolStarted { actor, tool, .. } => starts.push((actor, tool)),
                Fact::PromptOpened { actor, prompt, .. } => {
                    let Some(asked) = prompt.tool else { continue };
                    let same = |(by, tool): &(Actor, ToolRef)| {
                        *by == actor && tool.name == asked.name && tool.input == asked.input
                    };
                    assert!(starts.iter().any(same), "{case}: {asked:?}");
                }
                Fact::ToolsEnded { actor, tools, .. } => {
                    for ended in tools {
                        let by_id =
                            |(by, tool): &&(Actor, ToolRef)| *by == actor && tool.id == ended.id;
                        let (_, start) = starts.iter().find(by_id).unwrap();
                        assert_eq!(start.name, ended.name, "{case}");
                    }
                }
                _ => {}
            }
        }
    }
}

/// The mapping, for a reader: one line an event.
#[test]
fn recorded_events_as_facts() {
    let claude_code = [
        "api_errors",
        "background_shell",
        "clear",
        "compact_auto",
        "elicitation",
        "permission_approved",
        "print_mode",
        "question",
        "subagent_permission",
    ];
    for case in claude_code {
        insta::assert_snapshot!(case, as_facts(&CLAUDE_CODE, case));
    }
    let codex = [
        "api_errors",
        "background_terminal",
        "compact",
        "interrupt",
        "permission_approved",
        "permission_denied",
        "question",
        "subagent",
    ];
    for case in codex {
        insta::assert_snapshot!(format!("codex_{case}"), as_facts(&CODEX, case));
    }
}

fn as_facts(agent: &Recorded, case: &str) -> String {
    let mut text = String::new();
    for row in agent.hooks(case) {
        let seen = agent.read(&row);
        if !matches!(&*seen.event, "MessageDisplay" | "PreModelRequest") {
            writeln!(text, "{} -> {}", seen.event, told(&seen.fact)).unwrap();
        }
    }
    text
}

/// The lines of logs that say something.
#[test]
fn recorded_lines_as_facts() {
    let mut text = String::new();
    for case in CODEX.cases() {
        for line in CODEX.logs(&case) {
            let read = log_line(CODEX.kind, line.to_string().as_bytes());
            if let Some(LogLine { name, fact: Some(fact), .. }) = read {
                writeln!(text, "{case}: {name} -> {}", told(&fact)).unwrap();
            }
        }
    }
    insta::assert_snapshot!("codex_lines", text);
}

#[test]
fn no_recorded_line_is_news() {
    let copilot = Recorded { kind: "copilot-cli", version: "1.0.102" };
    let gemini = Recorded { kind: "gemini-cli", version: "0.61.0" };
    for (program, least) in [(CLAUDE_CODE, 300), (CODEX, 700), (copilot, 200), (gemini, 3)] {
        let mut lines = 0;
        for case in program.cases() {
            // Their first line is of the recording.
            let logs = program.logs(&case).into_iter();
            for line in logs.filter(|line| line["recorded_from"].is_null()) {
                let news = strange_line(program.kind, line.to_string().as_bytes());
                assert_eq!(news, None, "{} {case}: {line}", program.kind);
                lines += 1;
            }
        }
        assert!(lines > least, "{} {lines}", program.kind);
    }
}

pub(crate) fn told(fact: &Fact) -> String {
    match fact {
        Fact::SessionStarted { how, attach } => format!("SessionStarted {how:?} {attach:?}"),
        Fact::SessionEnded { how } => format!("SessionEnded {how:?}"),
        Fact::PromptSubmitted { by, turn_ref } => {
            format!("PromptSubmitted by {by:?}, turn {}", head(turn_ref.as_deref()))
        }
        Fact::ToolStarted { actor, tool, .. } => {
            format!("ToolStarted {}{}", call(tool), whose(actor))
        }
        Fact::ToolGranted { actor, tool, .. } => {
            format!("ToolGranted {}{}", call(tool), whose(actor))
        }
        Fact::DialogShown { actor, prompt } => {
            format!("DialogShown {} {:?}{}", prompt.reason.word(), prompt.title, whose(actor))
        }
        Fact::ToolsEnded { actor, tools, interrupted, .. } => {
            let calls: Vec<String> = tools.iter().map(call).collect();
            let stopped = if *interrupted { ", interrupted" } else { "" };
            format!("ToolsEnded {}{}{stopped}", calls.join(", "), whose(actor))
        }
        Fact::PromptOpened { actor, prompt, settle_ms, .. } => {
            let labels: Vec<&str> = prompt.options.iter().map(|o| o.label.as_str()).collect();
            format!(
                "PromptOpened {} {:?}, body {:?}, options {labels:?}, about {}{}, settles {settle_ms} ms",
                prompt.reason.word(),
                prompt.title,
                prompt.body.as_deref().unwrap_or_default(),
                prompt.tool.as_ref().map_or("no tool".to_owned(), call),
                whose(actor)
            )
        }
        Fact::PromptResolved { actor, reason, resolution, .. } => format!(
            "PromptResolved {} {:?} by {:?}{}",
            reason.word(),
            resolution.value.as_deref().unwrap_or_default(),
            resolution.by,
            whose(actor)
        ),
        Fact::PromptRefused { reason, resolution, turn_ref, .. } => format!(
            "PromptRefused {} {:?} by {:?}, turn {}",
            reason.word(),
            resolution.value.as_deref().unwrap_or_default(),
            resolution.by,
            head(turn_ref.as_deref())
        ),
        Fact::CallRefused { call, resolution } => {
            format!("CallRefused {call} by {:?}", resolution.by)
        }
        Fact::TurnEnded { background, turn_ref } => format!(
            "TurnEnded turn {}, helpers {:?}, shells {}",
            head(turn_ref.as_deref()),
            background.subagents,
            background.shells
        ),
        Fact::TurnFailed { code, detail, .. } => format!("TurnFailed {code}: {detail:?}"),
        other => format!("{other:?}"),
    }
}

fn head(id: Option<&str>) -> &str {
    id.map_or("none", |id| &id[..8])
}

fn call(tool: &ToolRef) -> String {
    let input = tool.input.map_or("none".to_owned(), |input| format!("{:04x}", input >> 48));
    let id = tool.id.as_deref().map_or("no id", |id| &id[id.len() - 6..]);
    format!("{}[{id}, input {input}]", tool.name)
}

fn whose(actor: &Actor) -> String {
    match actor {
        Actor::Main => String::new(),
        Actor::Sub(id) => format!(" of helper {}", &id[..6]),
    }
}
