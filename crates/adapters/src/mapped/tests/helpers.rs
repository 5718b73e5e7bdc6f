//! Helpers: whose an event is, and what goes on behind the end of a turn.

use super::{headlines, of, seen};
use headsup_core::observation::Fact;
use serde_json::{Value, json};

#[test]
fn a_helper_says_nothing_of_the_turn_but_of_its_own_start_and_end() {
    let cline = json!({"taskId": "t", "agent_id": "a-2", "parent_agent_id": "a-1"});
    let vibe = json!({"session_id": "s-2", "parent_session_id": "s-1"});
    let ended = |id: &str| Fact::SubagentEnded { id: id.to_owned() };
    for (kind, event, members, fact) in [
        ("cline", "agent_start", &cline, Fact::SubagentStarted { id: "a-2".to_owned() }),
        ("cline", "prompt_submit", &cline, Fact::Nothing),
        ("cline", "session_shutdown", &cline, Fact::Nothing),
        ("cline", "agent_end", &cline, ended("a-2")),
        ("cline", "agent_abort", &cline, ended("a-2")),
        ("cline", "agent_error", &cline, ended("a-2")),
        ("mistral-vibe", "post_agent", &vibe, ended("s-2")),
    ] {
        let map = of(kind).unwrap();
        assert_eq!(seen(map, event, members).fact, fact, "{kind} {event}");
    }
    let map = of("mistral-vibe").unwrap();
    let of_helper = json!({"session_id": "s-2", "parent_session_id": "s-1", "tool_name": "bash"});
    let seen = seen(map, "pre_tool", &of_helper);
    assert_eq!(seen.session.as_deref(), Some("s-1"));
    assert!(matches!(seen.fact, Fact::ToolStarted { actor, .. } if !actor.is_main()));
}

#[test]
fn a_helper_that_is_known_by_its_call_runs_once_in_a_turn() {
    let map = of("mastra").unwrap();
    let helper = json!({"agent_type": "x", "tool_call_id": "c-1", "run_id": "r-1"});
    let begins = |run: Value| {
        let mut payload = helper.clone();
        payload["session_id"] = json!("s-1");
        payload["run_id"] = run;
        seen(map, "SubagentStart", &payload).fact
    };
    let id = || "c-1".to_owned();
    assert_eq!(begins(json!("r-1")), Fact::RunStarted { id: id(), run: "r-1".to_owned() });
    assert_eq!(begins(Value::Null), Fact::SubagentStarted { id: id() });
    let mastra = [
        ("SessionStart", json!({})),
        ("AgentStart", json!({"run_id": "r-1"})),
        ("SubagentStart", helper.clone()),
        ("SubagentEnd", helper.clone()),
        // Once more.
        ("SubagentStart", helper),
        ("AgentEnd", json!({"run_id": "r-1", "stop_reason": "complete"})),
    ];
    let read = headlines("mastra", &mastra);
    assert_eq!(read, ["idle", "working", "working", "working", "working", "done"]);
}

/// All that happens in a helper of Grok Build says of which type it is, and not which one.
#[test]
fn a_helper_that_outlives_a_stop_works_on_behind_the_end_of_the_next_turn() {
    let start = ("SessionStart", json!({"source": "startup"}));
    let begins = |turn: &str| ("UserPromptSubmit", json!({"prompt": "x", "promptId": turn}));
    let helper = ("SubagentStart", json!({"subagentId": "h", "subagentType": "x"}));
    let calls = ("PreToolUse", json!({"subagentType": "x", "toolName": "bash"}));
    let broken = [
        ("StopCancelled", json!({"promptId": "q"}), "idle"),
        ("StopFailure", json!({"promptId": "q", "error": "rate_limit"}), "failed"),
    ];
    for (event, payload, rests) in broken {
        let end = (event, payload);
        let stop = ("Stop", json!({"promptId": "p", "reason": "end_turn"}));
        let notice = json!({"notificationType": "idle_prompt", "promptId": "q"});
        let notice = ("Notification", notice);
        let told = [start.clone(), begins("p"), helper.clone(), stop, begins("q"), end.clone()];
        let told = [&told[..], &[notice, calls.clone()]].concat();
        let read = headlines("grok", &told);
        assert!(read[1..].iter().all(|headline| headline == "working"), "{event}: {read:?}");
        // One of that very turn was stopped with it, unless it begins something behind that.
        let told = [start.clone(), begins("q"), helper.clone(), end, calls.clone()];
        assert_eq!(headlines("grok", &told)[3..], [rests, "working"], "{event}");
    }
    // Nobody has told that its main agent rests, but that it has for long.
    let notice = ("Notification", json!({"notificationType": "idle_prompt", "promptId": "q"}));
    let read = headlines("grok", &[start, begins("q"), helper, notice]);
    assert_eq!(read[3], "working");
}

#[test]
fn a_turn_that_leaves_a_helper_behind_goes_on_until_its_end() {
    let grok = [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "x", "promptId": "p"})),
        ("SubagentStart", json!({"subagentId": "h", "subagentType": "x"})),
        ("Stop", json!({"promptId": "p", "reason": "end_turn"})),
        ("Stop", json!({"subagentId": "h", "subagentType": "x"})),
        ("SubagentStop", json!({"subagentId": "h"})),
    ];
    let read = headlines("grok", &grok);
    assert_eq!(read, ["idle", "working", "working", "working", "working", "done"]);
    let mastra = [
        ("SessionStart", json!({})),
        ("AgentStart", json!({"run_id": "r"})),
        ("SubagentStart", json!({"agent_type": "coder", "tool_call_id": "c-1"})),
        ("SubagentStart", json!({"agent_type": "coder", "tool_call_id": "c-2"})),
        ("AgentEnd", json!({"stop_reason": "complete", "run_id": "r"})),
        ("SubagentEnd", json!({"agent_type": "coder", "tool_call_id": "c-2"})),
        ("SubagentEnd", json!({"agent_type": "coder", "tool_call_id": "c-1"})),
    ];
    let read = headlines("mastra", &mastra);
    assert_eq!(read[0], "idle");
    assert!(read[1..6].iter().all(|headline| headline == "working"), "{read:?}");
    assert_eq!(read[6], "done");
}

/// No stop of its lists it: whatever has named it, it goes on until its own end is told.
#[test]
fn a_turn_is_not_over_while_a_helper_runs_that_was_named() {
    let main = json!({"agent_id": "a-1", "parent_agent_id": null});
    let helper = json!({"agent_id": "a-2", "parent_agent_id": "a-1"});
    for end in ["agent_end", "agent_abort", "agent_error"] {
        let cline = [
            ("agent_start", main.clone()),
            ("agent_start", helper.clone()),
            ("agent_end", main.clone()),
            (end, helper.clone()),
        ];
        assert_eq!(headlines("cline", &cline), ["working", "working", "working", "done"], "{end}");
    }
}

/// Each of Mistral Vibe's runs within a call of its main agent's, and one that fails has no end of its own. What looks
/// like one behind that is a conversation that was forked.
#[test]
fn a_helper_that_cannot_outlive_its_turn_holds_none() {
    let tool = |parent: Value| ("pre_tool", json!({"parent_session_id": parent, "tool_name": "x"}));
    let end = |parent: Value| ("post_agent", json!({"parent_session_id": parent}));
    let (main, helpers) = (|| Value::Null, || json!("s-1"));
    let ended = [tool(main()), tool(helpers()), end(helpers()), end(main())];
    assert_eq!(headlines("mistral-vibe", &ended), ["working", "working", "working", "done"]);
    let lost = [tool(main()), tool(helpers()), end(main())];
    let fork = [tool(helpers()), end(helpers()), tool(main()), end(main())];
    let read = headlines("mistral-vibe", &[&lost[..], &fork].concat());
    assert_eq!(read, ["working", "working", "done", "working", "done", "working", "done"]);
}

#[test]
fn a_stop_that_may_be_a_helpers_is_no_end_while_it_runs() {
    let kimi = [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "x"})),
        ("SubagentStart", json!({"agent_name": "coder"})),
        ("Stop", json!({})),
        ("SubagentStop", json!({"agent_name": "coder"})),
        ("Stop", json!({})),
    ];
    let read = headlines("kimi", &kimi);
    assert_eq!(read, ["idle", "working", "working", "working", "working", "done"]);
}

/// Its stop and its end are told of each, by the name that both have.
#[test]
fn the_end_of_a_helper_is_not_that_of_another_one_of_its_profile() {
    let start = ("SubagentStart", json!({"agent_name": "coder"}));
    let end = ("SubagentStop", json!({"agent_name": "coder"}));
    let stop = ("Stop", json!({}));
    let kimi = [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "x", "is_steer": false})),
        start.clone(),
        start,
        stop.clone(),
        end.clone(),
        stop.clone(),
        end,
        stop,
    ];
    let read = headlines("kimi", &kimi);
    assert!(read[1..8].iter().all(|headline| headline == "working"), "{read:?}");
    assert_eq!(read[8], "done");
}

/// A helper of Kimi Code that fails says so as the main agent does, and so does one that is interrupted with it.
#[test]
fn the_failure_of_a_helper_is_not_that_of_the_turn() {
    let begin = [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "x", "is_steer": false})),
    ];
    let start = ("SubagentStart", json!({"agent_name": "coder"}));
    let failure = ("StopFailure", json!({"error_type": "APIStatusError"}));
    let tool = ("PreToolUse", json!({"tool_name": "Bash", "tool_call_id": "c-1"}));
    let interrupt = ("Interrupt", json!({"reason": "cancelled"}));
    let told = |more: &[(&'static str, Value)]| headlines("kimi", &[&begin[..], more].concat());
    let failed = told(&[start.clone(), failure.clone(), tool]);
    assert_eq!(failed[2..], ["working", "working", "working"]);
    assert_eq!(told(&[failure])[2], "failed");
    // Each of them was stopped, the main agent, too; what comes next is as ever.
    let [_, prompt] = begin.clone();
    let stop = ("Stop", json!({}));
    let stopped = told(&[start, interrupt.clone(), interrupt, prompt, stop]);
    assert_eq!(stopped[2..], ["working", "working", "idle", "working", "done"]);
}

/// What is empty names nobody.
#[test]
fn a_main_agent_with_an_empty_parent_is_no_helper_and_is_counted() {
    let ends = [("agent_end", "turn ended"), ("agent_error", "failed: error")];
    for (event, action) in ends {
        let main = json!({"taskId": "t-1", "agent_id": "m", "parent_agent_id": ""});
        let seen = seen(of("cline").unwrap(), event, &main);
        assert_eq!((seen.session.as_deref(), seen.strange), (Some("t-1"), Some("parent_agent_id")));
        let told = seen.activity.and_then(|activity| activity.action);
        assert_eq!(told.as_deref(), Some(action), "{:?}", seen.fact);
    }
}
