//! A turn fired hook by hook gives the right headline, and a reason for it, at each step.

use crate::agent::{Agent, count, events, home};
use headsup_testkit::hub::Hub;
use serde_json::{Value, json};

#[track_caller]
fn turn(agent: &Agent<'_>) -> Value {
    agent.explained()["dimensions"]["turn"].clone()
}

#[test]
fn a_turn_hook_by_hook_is_right_at_each_step_and_explained() {
    let home = home();
    let _hub = Hub::start(&home);
    let agent = Agent::new(&home, "api");
    let input = json!({"command": "touch asked.txt", "description": "Create a file"});
    let call = json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": "call-1"});
    let helper = json!({
        "agent_id": "helper-1", "agent_type": "general-purpose", "tool_name": "Read",
        "tool_input": {"file_path": "/x"}, "tool_use_id": "call-2"
    });
    let running = json!([{"id": "helper-1", "type": "subagent", "status": "running"}]);

    let steps: Vec<(&str, Value, &str, &str)> = vec![
        ("SessionStart", json!({"source": "startup"}), "idle", "idle(ready)"),
        ("UserPromptSubmit", json!({"prompt": "go"}), "working", "working(prompt)"),
        ("PreToolUse", call.clone(), "working", "working(tool)"),
        ("PermissionRequest", call.clone(), "blocked", "blocked(permission)"),
        ("SubagentStart", helper.clone(), "blocked", "blocked(permission)"),
        ("PreToolUse", helper.clone(), "blocked", "blocked(permission)"),
        ("PostToolUse", helper.clone(), "blocked", "blocked(permission)"),
        ("PostToolUse", call, "working", "working(model)"),
        ("Stop", json!({"background_tasks": running}), "working", "working(background)"),
        ("SubagentStop", helper, "working", "working(background)"),
        (
            "UserPromptSubmit",
            json!({"prompt": "<task-notification>done", "prompt_id": "prompt-2"}),
            "working",
            "working(prompt)",
        ),
        (
            "Stop",
            json!({"background_tasks": [], "prompt_id": "prompt-2"}),
            "done",
            "idle(turn_ended)",
        ),
    ];
    for (index, (event, payload, headline, value)) in steps.iter().enumerate() {
        agent.fires(event, payload);
        assert_eq!(agent.headline(), *headline, "step {index}: {event}");
        let told = turn(&agent);
        assert_eq!(told["value"], *value, "step {index}: {event}");
        let winner = &told["winner"];
        assert_eq!(winner["source"], "hook", "step {index}: {event}");
        assert_eq!(winner["confidence"], "strong", "step {index}: {event}");
        assert!(winner["age_ms"].as_i64().unwrap() >= 0);
        let losers = told["losers"].as_array().unwrap();
        assert_eq!(losers.is_empty(), index == 0, "step {index}: {event}: {told}");
        assert!(losers.iter().all(|loser| !loser["why"].as_str().unwrap().is_empty()));
    }

    let events = events(&home);
    assert_eq!(count(&events, "api", "agent.registered"), 1);
    assert_eq!(count(&events, "api", "turn.started"), 1);
    assert_eq!(count(&events, "api", "turn.completed"), 1);
    assert_eq!(count(&events, "api", "prompt.opened"), 1);
    assert_eq!(count(&events, "api", "prompt.resolved"), 1);
    let shown = agent.shown();
    assert_eq!(shown["cwd"], "/home/dev/api");
    assert_eq!(shown["kind"], "claude-code");
    assert_eq!(shown["counters"]["tools"], 2);

    home.run(["ack", "api"]).ok();
    assert_eq!(agent.headline(), "idle");
}

#[test]
fn an_escaped_turn_is_never_done() {
    let home = home();
    let _hub = Hub::start(&home);
    for (id, tells) in [("notice", 0), ("next-prompt", 1), ("leaves", 2), ("tool", 3)] {
        let agent = Agent::new(&home, id);
        agent.starts();
        agent.is_prompted("prompt-1");
        // Esc is told by nobody. Then one of these:
        match tells {
            0 => {
                let more = json!({"notification_type": "idle_prompt", "message": "waiting"});
                agent.fires("Notification", &more);
                assert_eq!(agent.headline(), "idle");
                assert_eq!(agent.shown()["outcome"]["kind"], "interrupted");
            }
            1 => {
                agent.is_prompted("prompt-2");
                assert_eq!(agent.headline(), "working");
                let call = json!({
                    "tool_name": "Bash", "tool_input": {}, "tool_use_id": "c",
                    "prompt_id": "prompt-2"
                });
                agent.fires("PreToolUse", &call);
                assert_eq!(agent.headline(), "working");
            }
            2 => {
                agent.fires("SessionEnd", &json!({"reason": "prompt_input_exit"}));
                assert_eq!(agent.headline(), "ended");
            }
            _ => {
                let call = json!({
                    "tool_name": "Bash", "tool_input": {}, "tool_use_id": "c",
                    "is_interrupt": true, "error": "interrupted"
                });
                agent.fires("PostToolUseFailure", &call);
                assert_eq!(agent.headline(), "idle");
            }
        }
    }
    for event in events(&home) {
        assert_ne!(event["to"], "done", "{event}");
        assert_ne!(event["outcome"]["kind"], "completed", "{event}");
    }
}

#[test]
fn questions_plans_forms_and_errors_have_their_own_words() {
    let home = home();
    let _hub = Hub::start(&home);
    let agent = Agent::new(&home, "api");
    agent.starts();
    agent.is_prompted("prompt-1");
    let question = json!({"questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "the red one"}, {"label": "Blue"}]
    }]});
    let call = json!({
        "tool_name": "AskUserQuestion", "tool_input": question, "tool_use_id": "q1"
    });
    agent.fires("PreToolUse", &call);
    agent.fires("PermissionRequest", &call);
    let shown = agent.shown();
    assert_eq!(
        (&shown["headline"], &shown["turn"]["reason"]),
        (&json!("blocked"), &json!("question"))
    );
    assert_eq!(shown["prompts"][0]["title"], "Which colour?");
    assert_eq!(shown["prompts"][0]["options"][1]["label"], "Blue");
    agent.fires("PostToolUse", &call);
    assert_eq!(agent.headline(), "working");

    let plan = json!({"tool_name": "ExitPlanMode", "tool_input": {"plan": "1. do it"}});
    agent.fires("PermissionRequest", &plan);
    assert_eq!(agent.shown()["turn"]["reason"], "plan_approval");
    agent.fires("PostToolUse", &plan);

    let form = json!({"mcp_server_name": "demo", "message": "Pick a name", "mode": "form"});
    agent.fires("Elicitation", &form);
    assert_eq!(agent.shown()["turn"]["reason"], "elicitation");
    agent.fires("ElicitationResult", &json!({"mcp_server_name": "demo", "action": "cancel"}));
    assert_eq!(agent.headline(), "working");

    agent.fires("StopFailure", &json!({"error": "rate_limit"}));
    let shown = agent.shown();
    assert_eq!(
        (&shown["headline"], &shown["outcome"]["code"]),
        (&json!("failed"), &json!("rate_limit"))
    );
}

#[test]
fn a_report_and_bad_input_are_answered_as_they_should_be() {
    let home = home();
    let _hub = Hub::start(&home);
    home.run(["report", "blocked", "--reason", "question", "--detail", "which?", "--agent", "job"])
        .ok();
    let job = Agent::new(&home, "job");
    let shown = job.shown();
    assert_eq!((&shown["headline"], &shown["kind"]), (&json!("blocked"), &json!("custom")));
    home.run(["report", "done", "--agent", "job"]).ok();
    assert_eq!(job.headline(), "done");
    assert_eq!(home.run(["report", "finished", "--agent", "job"]).code, 2);
    assert_eq!(home.run(["show", "nobody"]).code, 4);
    home.run(["report", "working", "--agent", "job-2"]).ok();
    assert_eq!(home.run(["show", "jo"]).code, 6);
    // A payload that cannot be understood changes nothing.
    for payload in ["", "{", "[]", "null", "{\"hook_event_name\":7}", "\u{0}\u{1}"] {
        let done = home.hook("claude-code", payload, &[("HEADSUP_AGENT_ID", "job")]);
        assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""), "{payload:?}");
    }
    assert_eq!(job.headline(), "done");
}
