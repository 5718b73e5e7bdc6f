//! One test per decision of the tables in `normalize` and `transcript`.

use super::{KIND, hook};
use crate::hook_table::events_to_register;
use crate::{HookContext, Sighting, log_line};
use headsup_core::observation::{Background, Fact, SessionEnd, SessionStart, Submitter};
use headsup_core::prompt::{Actor, PromptKind, ResolvedBy, Via};
use headsup_core::status::BlockedReason;
use headsup_core::time::UnixMs;

fn seen(event: &str, members: &str) -> Sighting {
    let comma = if members.is_empty() { "" } else { "," };
    let body = format!(r#"{{"sessionId":"s-1","cwd":"/home/dev/api"{comma}{members}}}"#);
    hook(Some(event), body.as_bytes(), &HookContext::default())
}

fn fact(event: &str, members: &str) -> Fact {
    seen(event, members).fact
}

#[test]
fn the_command_line_names_the_event() {
    for event in events_to_register(KIND) {
        let seen = seen(event, r#""hook_event_name":"Other","agentId":"a-1""#);
        assert_eq!(&seen.event, event);
        assert!(!matches!(seen.fact, Fact::NotUnderstood { .. }), "{event}");
    }
    assert!(matches!(fact("coffeeBreak", ""), Fact::NotUnderstood { .. }));
    let named = hook(None, br#"{"hookName":"permissionRequest"}"#, &HookContext::default());
    assert_eq!((named.event.as_str(), named.fact), ("permissionRequest", Fact::Nothing));
}

#[test]
fn a_helpers_prompt_and_stop_are_not_the_main_agents() {
    let helpers = r#""agentId":"a-1""#;
    for event in ["userPromptSubmitted", "agentStop", "sessionEnd", "errorOccurred"] {
        assert_eq!(fact(event, helpers), Fact::Nothing, "{event}");
    }
    let background = Background { wakes: true, ..Background::unlisted() };
    let completed = fact("agentStop", r#""stopReason":"end_turn""#);
    assert_eq!(completed, Fact::TurnEnded { background, turn_ref: None });
    let own =
        hook(Some("agentStop"), br#"{"sessionId":"a-1","agentId":"a-1"}"#, &HookContext::default());
    assert_eq!(own.session, None);
    assert_eq!(fact("subagentStart", helpers), Fact::SubagentStarted { id: "a-1".into() });
    assert_eq!(seen("subagentStart", helpers).session.as_deref(), Some("s-1"));
    let Fact::ToolStarted { actor, .. } = fact("preToolUse", helpers) else { panic!("no call") };
    assert_eq!(actor, Actor::Sub("a-1".into()));
}

/// A later version may call the id otherwise.
#[test]
fn a_helpers_event_without_its_id_is_not_the_main_agents_and_is_counted() {
    let helpers = r#""agent_id":"b-1","agentType":"task","parentAgentId":"s-1""#;
    for event in events_to_register(KIND) {
        let seen = seen(event, helpers);
        match &seen.fact {
            Fact::ToolStarted { actor, .. } | Fact::ToolsEnded { actor, .. } => {
                assert!(!actor.is_main(), "{event}");
            }
            Fact::NamesakeStarted { .. } | Fact::NamesakeEnded { .. } | Fact::Nothing => {}
            other => assert!(matches!(other, Fact::NotUnderstood { .. }), "{event}: {other:?}"),
        }
        let is_refused = matches!(seen.fact, Fact::NotUnderstood { .. });
        assert!(is_refused || seen.strange == Some("agentId"), "{event}");
    }
    let session = |members: &str| {
        let body = format!(r#"{{"parentAgentId":"s-1",{members}}}"#);
        hook(Some("userPromptSubmitted"), body.as_bytes(), &HookContext::default()).session
    };
    assert_eq!(session(r#""sessionId":"b-1","agent_id":"b-1""#), None);
    assert_eq!(session(r#""sessionId":"s-1""#).as_deref(), Some("s-1"));
    assert_eq!(seen("agentStop", helpers).activity, None);
    // A main agent may be of a type of its own, and has no parent.
    for main in [r#""agentType":"task""#, r#""parentAgentId":null"#, r#""parentAgentId":"""#] {
        let submitted = Fact::PromptSubmitted { by: Submitter::Person, turn_ref: None };
        assert_eq!(fact("userPromptSubmitted", main), submitted, "{main}");
    }
}

/// The prompt that a shell's end in the background makes (measured).
#[test]
fn a_shell_that_has_ended_wakes_it_and_no_person_has_typed_that() {
    let notice = r#"<system_notification>\nShell command \"short\" (shellId: one) has completed successfully.\n</system_notification>"#;
    let woken = "woken: Shell command \"short\" (shellId: one) has completed successfully.";
    for (prompt, by, action) in [
        (notice, Submitter::Program, woken),
        ("fix it", Submitter::Person, "prompt: fix it"),
        // A person who speaks of one.
        ("a <system_notification>", Submitter::Person, "prompt: a <system_notification>"),
    ] {
        let seen = seen("userPromptSubmitted", &format!(r#""prompt":"{prompt}""#));
        assert_eq!(seen.fact, Fact::PromptSubmitted { by, turn_ref: None }, "{prompt}");
        let told = seen.activity.and_then(|activity| activity.action);
        assert_eq!(told.as_deref(), Some(action), "{prompt}");
    }
}

#[test]
fn a_stop_for_a_reason_that_nobody_knows_or_for_none_completes_no_turn_and_is_counted() {
    let background = Background { wakes: true, ..Background::unlisted() };
    let completed = Fact::TurnEnded { background, turn_ref: None };
    // Nor has anybody said that a person has stopped it.
    let unanswered = Fact::TurnUnanswered;
    for (members, fact, strange) in [
        (r#""stopReason":"end_turn""#, &completed, None),
        ("", &unanswered, Some("stopReason")),
        (r#""stopReason":"out_of_credit""#, &unanswered, Some("stopReason")),
        (r#""stopReason":"awaiting_agents""#, &unanswered, Some("stopReason")),
        (r#""stopReason":7"#, &unanswered, Some("stopReason")),
    ] {
        let seen = seen("agentStop", members);
        assert_eq!((&seen.fact, seen.strange), (fact, strange), "{members}");
    }
}

#[test]
fn a_report_says_when_it_was_made() {
    let made = |timestamp: &str| seen("agentStop", &format!(r#""timestamp":{timestamp}"#)).made_at;
    assert_eq!(made("1795295444350"), Some(UnixMs(1_795_295_444_350)));
    for none in ["null", "\"2026-11-20\"", "1e400", "{}"] {
        assert_eq!(made(none), None, "{none}");
    }
}

#[test]
fn a_run_that_was_started_with_its_prompt_does_not_wait_for_one() {
    let body = br#"{"sessionId":"s-1","cwd":"/home/dev/api"}"#;
    for (context, how) in [
        (r#"{"attach":"headless","prompted":true}"#, SessionStart::Prompted),
        (r#"{"attach":"headless"}"#, SessionStart::Startup),
        ("{}", SessionStart::Startup),
    ] {
        let context = HookContext::parse(context);
        let attach = context.attach;
        let seen = crate::hook(KIND, Some("sessionStart"), body, &context).unwrap();
        assert_eq!(seen.fact, Fact::SessionStarted { how, attach });
    }
}

#[test]
fn an_exit_of_the_user_may_be_a_new_conversation() {
    let ended = |reason: &str| fact("sessionEnd", &format!(r#""reason":"{reason}""#));
    assert_eq!(ended("user_exit"), Fact::SessionEnded { how: SessionEnd::Closed });
    assert_eq!(fact("sessionEnd", ""), Fact::SessionEnded { how: SessionEnd::Either });
    assert_eq!(ended("complete"), Fact::SessionEnded { how: SessionEnd::Exit });
    assert_eq!(ended("moved"), Fact::SessionEnded { how: SessionEnd::Unclear });
    // The log tells of the failure, too, but behind this.
    assert_eq!(ended("error"), Fact::SessionEnded { how: SessionEnd::Failed });
    assert_eq!(seen("sessionEnd", r#""reason":"error""#).strange, None);
    assert_eq!(fact("sessionEnd", r#""reason":"error","agentId":"a-1""#), Fact::Nothing);
}

#[test]
fn a_plan_waits_from_the_start_of_its_call_to_its_answer() {
    let call = r#""toolName":"exit_plan_mode","toolArgs":{"summary":"1. do it"}"#;
    let Fact::PromptOpened { actor, prompt, settle_ms: 1_500, turn_ref: None } =
        fact("preToolUse", call)
    else {
        panic!("not asked")
    };
    assert_eq!((actor, prompt.kind), (Actor::Main, PromptKind::PlanApproval));
    assert_eq!(prompt.reason, BlockedReason::PlanApproval);
    assert_eq!(prompt.body.as_deref(), Some("1. do it"));
    // Its end names the same call.
    let Fact::ToolsEnded { tools, .. } = fact("postToolUse", call) else { panic!("not ended") };
    assert_eq!(tools, prompt.tool.into_iter().collect::<Vec<_>>());
    let helpers = fact("preToolUse", &format!(r#"{call},"agentId":"a-1""#));
    assert!(matches!(helpers, Fact::PromptOpened { actor: Actor::Sub(_), .. }), "{helpers:?}");
    // Of a plan that is refused no hook tells; Esc refuses without a word.
    let answered = |kind: &str, more: &str| {
        let response = format!(r#""response":{{"responseKind":"{kind}"{more}}}"#);
        let line = format!(r#"{{"type":"human_response.recorded","data":{{{response}}}}}"#);
        match log_line(KIND, line.as_bytes()).and_then(|line| line.fact) {
            Some(Fact::PromptResolved { actor: Actor::Main, reason, key: None, .. }) => {
                (reason, false)
            }
            Some(Fact::PromptRefused { reason, key: None, turn_ref: None, .. }) => (reason, true),
            other => panic!("{other:?}"),
        }
    };
    let plan = |more| answered("exit_plan_mode", more);
    for (more, is_refused) in [
        (r#","approved":false,"planContent":"""#, true),
        (r#","approved":false,"feedback":"""#, true),
        (r#","approved":false,"feedback":"Smaller""#, false),
        (r#","approved":true"#, false),
        ("", false),
    ] {
        assert_eq!(plan(more), (BlockedReason::PlanApproval, is_refused), "{more}");
    }
    let declined = answered("ask_user", r#","approved":false"#);
    assert_eq!(declined, (BlockedReason::Question, false));
}

/// Its notice says `Information requested`, whatever is asked (measured).
#[test]
fn a_question_has_the_words_of_its_call() {
    let asked = |input: &str| {
        let call = format!(r#""toolName":"ask_user","toolArgs":{input}"#);
        let Fact::PromptOpened { prompt, settle_ms: 1_500, .. } = fact("preToolUse", &call) else {
            panic!("not asked")
        };
        let Fact::ToolsEnded { tools, .. } = fact("postToolUse", &call) else {
            panic!("not ended")
        };
        assert_eq!(tools, prompt.tool.into_iter().collect::<Vec<_>>());
        assert_eq!(prompt.kind, PromptKind::Question);
        prompt.title
    };
    assert_eq!(asked(r#"{"message":"Which?","requestedSchema":{}}"#), "Which?");
    assert_eq!(asked(r#"{"question":"Which?"}"#), "Which?");
    assert_eq!(asked(r#"{"message":7}"#), "Information requested");
}

#[test]
fn a_request_before_the_policy_is_none_and_a_notice_is_one() {
    assert_eq!(fact("permissionRequest", r#""toolName":"bash""#), Fact::Nothing);
    let shown = |kind: &str| match fact("notification", &format!(r#""notification_type":"{kind}""#))
    {
        Fact::DialogShown { prompt, .. } => Some(prompt.kind),
        _ => None,
    };
    assert_eq!(shown("permission_prompt"), Some(PromptKind::Permission));
    assert_eq!(shown("elicitation_dialog"), Some(PromptKind::Question));
    assert_eq!(shown("shell_completed"), None);
}

#[test]
fn only_a_failed_call_of_the_model_fails_the_turn() {
    let members = r#""errorContext":"model_call","error":{"name":"Error","message":"400"}"#;
    let last = format!(r#"{members},"recoverable":false"#);
    let Fact::TurnFailed { code, detail, .. } = fact("errorOccurred", &last) else {
        panic!("not failed")
    };
    // Whether it is tried again must be said.
    for bad in ["", r#","can_recover":true"#, r#","recoverable":"no""#, r#","recoverable":null"#] {
        let said = fact("errorOccurred", &format!("{members}{bad}"));
        assert!(matches!(said, Fact::NotUnderstood { .. }), "{bad}: {said:?}");
    }
    assert_eq!((code.as_str(), detail.as_deref()), ("Error", Some("400")));
    assert_eq!(fact("errorOccurred", r#""errorContext":"tool_execution""#), Fact::Nothing);
    // One that may be tried again: the log tells whether it was the last.
    assert_eq!(fact("errorOccurred", &format!(r#"{members},"recoverable":true"#)), Fact::Nothing);
    let line = br#"{"type":"session.error","data":{"errorType":"query","message":"400 no"}}"#;
    let (code, detail) = ("query".to_owned(), Some("400 no".to_owned()));
    let failed = Some(Fact::TurnFailed { code, detail, turn_ref: None });
    assert_eq!(log_line(KIND, line).and_then(|line| line.fact), failed);
    let helpers = br#"{"type":"session.error","agentId":"a-1","data":{}}"#;
    assert_eq!(log_line(KIND, helpers).and_then(|line| line.fact), None);
}

#[test]
fn the_log_is_found_beside_the_hooks() {
    let found = |folder: &str, body: &str| {
        let env = [("COPILOT_HOOK_DIR".to_owned(), folder.to_owned())].into();
        let context = HookContext { env, ..HookContext::default() };
        hook(Some("sessionStart"), body.as_bytes(), &context).log_path
    };
    let log = "/home/dev/.copilot/session-state/s-1/events.jsonl";
    assert_eq!(found("/home/dev/.copilot/hooks", r#"{"sessionId":"s-1"}"#).as_deref(), Some(log));
    assert_eq!(found("/home/dev/api/.github/hooks", r#"{"sessionId":"s-1"}"#), None);
    assert_eq!(found("/home/dev/.copilot/hooks", r#"{"sessionId":"../x"}"#), None);
}

#[test]
fn a_launch_has_its_hooks_elsewhere_and_its_log_where_it_always_is() {
    let found = |name: &str, folder: &str| {
        let hooks = "/home/dev/.local/state/headsup/launch/api.plugin/hooks";
        let env = [("COPILOT_HOOK_DIR", hooks), (name, folder)];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let context = HookContext { env, ..HookContext::default() };
        hook(Some("sessionStart"), br#"{"sessionId":"s-1"}"#, &context).log_path
    };
    let log = |config: &str| Some(format!("{config}/session-state/s-1/events.jsonl"));
    assert_eq!(found("HOME", "/home/dev"), log("/home/dev/.copilot"));
    assert_eq!(found("COPILOT_HOME", "/srv/copilot"), log("/srv/copilot"));
    assert_eq!(found("TMUX", "x"), None);
}

/// What is typed into its box again was no turn: the log that has `abort` may be gone before it is read.
#[test]
fn a_log_that_was_rewound_tells_that_the_turn_was_stopped() {
    let read = |conversation: &str, sources: &str| {
        let cache = format!(
            r#"{{"conversation":"{conversation}","models":{{}},"pendingRewriteSources":[{sources}]}}"#
        );
        let data = format!(r#"{{"totalNanoAiu":0,"promptCacheBreakState":[{cache}]}}"#);
        let line = format!(r#"{{"type":"session.usage_checkpoint","data":{data}}}"#);
        log_line(KIND, line.as_bytes()).unwrap().fact
    };
    let interrupted = Some(Fact::MainInterrupted);
    assert_eq!(read("main", r#""rewind""#), interrupted);
    assert_eq!(read("main", r#""compaction","rewind""#), interrupted);
    for (conversation, sources) in
        [("main", ""), ("main", r#""compaction""#), ("task", r#""rewind""#)]
    {
        assert_eq!(read(conversation, sources), None, "{conversation} {sources}");
    }
    let bare = br#"{"type":"session.usage_checkpoint","data":{"totalNanoAiu":0}}"#;
    assert_eq!(log_line(KIND, bare).unwrap().fact, None);
}

#[test]
fn the_log_tells_how_a_dialog_was_left() {
    let read = |line: &str| log_line(KIND, line.as_bytes()).unwrap().fact;
    let interrupted = Some(Fact::MainInterrupted);
    assert_eq!(read(r#"{"type":"abort","data":{"reason":"user_initiated"}}"#), interrupted);
    assert_eq!(read(r#"{"type":"abort","agentId":"a-1","data":{}}"#), None);
    let completed = |kind: &str, more: &str| {
        let data = format!(r#"{{"requestId":"r-1","result":{{"kind":"{kind}"}}}}"#);
        read(&format!(r#"{{"type":"permission.completed","data":{data}{more}}}"#))
    };
    let Some(Fact::PromptResolved { actor: Actor::Main, key, .. }) = completed("approved", "")
    else {
        panic!("not answered")
    };
    assert_eq!(key.as_deref(), Some("r-1"));
    // Esc, upon which the turn is over: `abort` says the same a moment before or behind it.
    let Some(Fact::PromptRefused { key, turn_ref: None, .. }) = completed("cancelled", "") else {
        panic!("not refused")
    };
    assert_eq!(key.as_deref(), Some("r-1"));
    let helpers = completed("cancelled", r#","agentId":"a-1""#);
    assert!(matches!(helpers, Some(Fact::PromptResolved { actor: Actor::Sub(_), .. })));
    // As `-p` denies what nobody could be asked about.
    for (decided_by, by, via) in [
        ("human_response", ResolvedBy::Human, Some(Via::Terminal)),
        ("unattended_fallback", ResolvedBy::Agent, None),
    ] {
        let data = format!(r#""requestId":"r-1","result":{{}},"decisionSource":"{decided_by}""#);
        let line = format!(r#"{{"type":"permission.completed","data":{{{data}}}}}"#);
        let Some(Fact::PromptResolved { resolution, .. }) = read(&line) else {
            panic!("not answered")
        };
        assert_eq!((resolution.by, resolution.via), (by, via));
    }
    assert!(log_line(KIND, br#"{"type":"abort","data":{"#).is_none());
    assert!(log_line(KIND, br#"{"type":"user.message"}"#).unwrap().is_prompt);
}

/// No hook tells of it (measured: Esc at a helper's dialog, and a refusal of its model).
#[test]
fn the_log_tells_that_a_helper_was_stopped_or_has_failed() {
    let read = |kind: &str, data: &str, more: &str| {
        let data = format!(r#"{{"toolCallId":"call-1","agentName":"general-purpose"{data}}}"#);
        let line = format!(r#"{{"type":"subagent.{kind}","data":{data}{more}}}"#);
        log_line(KIND, line.as_bytes()).unwrap().fact
    };
    let (helper, cancelled) = (r#","agentId":"a-1""#, r#","cancelled":true"#);
    let ended = Some(Fact::SubagentEnded { id: "a-1".into() });
    assert_eq!(read("completed", cancelled, helper), ended);
    assert_eq!(read("failed", r#","error":"400 no""#, helper), ended);
    // One that has come to its own end has told so by its hook.
    for own in ["", r#","cancelled":false"#] {
        assert_eq!(read("completed", own, helper), None, "{own}");
    }
    // Nobody knows which one.
    assert_eq!((read("completed", cancelled, ""), read("failed", "", "")), (None, None));
}

#[test]
fn the_log_names_each_request_in_the_words_of_its_notice() {
    let read = |members: &str, more: &str| {
        let line = format!(r#"{{"type":"permission.requested","data":{{{members}}}{more}}}"#);
        log_line(KIND, line.as_bytes()).unwrap().fact
    };
    let opened = |members: &str, more: &str| match read(members, more) {
        Some(Fact::PromptOpened { actor, prompt, settle_ms: 1_500, turn_ref: None }) => {
            (actor, prompt.key, prompt.kind, prompt.title, prompt.tool)
        }
        other => panic!("{other:?}"),
    };
    let command = r#""requestId":"r-1","promptRequest":{"kind":"commands","fullCommandText":"touch a","intention":"Run"}"#;
    let title = "Run command: touch a".to_owned();
    let key = Some("r-1".to_owned());
    let asked = (Actor::Main, key, PromptKind::Permission, title.clone(), None);
    assert_eq!(opened(command, ""), asked);
    let notice = format!(r#""notification_type":"permission_prompt","message":"{title}""#);
    let Fact::DialogShown { prompt, .. } = fact("notification", &notice) else { panic!("none") };
    assert_eq!(prompt.title, title);
    assert_eq!(opened(command, r#","agentId":"a-1""#).0, Actor::Sub("a-1".into()));
    for (asked, title) in [
        (r#"{"kind":"write","intention":"Create a file","fileName":"a"}"#, "Create a file"),
        (r#"{"kind":"mcp","toolTitle":"Find","toolName":"find"}"#, "Find"),
        ("7", "Permission needed"),
    ] {
        let members = format!(r#""requestId":"r-1","promptRequest":{asked}"#);
        assert_eq!(opened(&members, "").3, title, "{asked}");
    }
    // Nobody is asked, or nothing would end it.
    assert_eq!(read(&format!(r#"{command},"resolvedByHook":true"#), ""), None);
    assert_eq!(read(r#""promptRequest":{"fullCommandText":"touch a"}"#, ""), None);
    assert!(log_line(KIND, br#"{"type":"permission.requested","data":{"requestId":"r"#).is_none());
}

/// Of two calls at once each is asked about, and each answer names its request (measured).
#[test]
fn two_requests_at_once_are_two() {
    let log = include_str!(
        "../../fixtures/copilot-cli/1.0.102/parallel_denied_second/transcript-1.jsonl"
    );
    let lines = log.lines().filter_map(|line| log_line(KIND, line.as_bytes()));
    let said = lines.filter_map(|line| match line.fact? {
        Fact::PromptOpened { prompt, .. } => Some((prompt.title, prompt.key)),
        Fact::PromptResolved { key, .. } => Some(("resolved".to_owned(), key)),
        Fact::PromptRefused { key, .. } => Some(("refused".to_owned(), key)),
        _ => None,
    });
    let said: Vec<_> = said.collect();
    let words: Vec<&str> = said.iter().map(|(words, _)| words.as_str()).collect();
    let (first, second) = ("Run command: touch p1", "Run command: touch q2");
    assert_eq!(words[..4], [first, second, "resolved", "refused"]);
    assert_eq!((&said[0].1, &said[1].1), (&said[2].1, &said[3].1));
    assert!(said[0].1.is_some() && said[0].1 != said[1].1);
}

#[test]
fn the_log_tells_that_a_person_has_the_conversation_summed_up() {
    let read = |line: &str| log_line(KIND, line.as_bytes()).unwrap().fact;
    let start = |more: &str| {
        read(&format!(r#"{{"type":"session.compaction_start","data":{{"tokenLimit":1{more}}}}}"#))
    };
    assert_eq!(start(r#","trigger":"manual""#), Some(Fact::CompactionStarted));
    assert_eq!((start(r#","trigger":"auto""#), start("")), (None, None));
    let complete = |more: &str| {
        let line = format!(r#"{{"type":"session.compaction_complete","data":{{}}{more}}}"#);
        read(&line)
    };
    assert_eq!(complete(""), Some(Fact::CompactionEnded { manual: Some(true) }));
    assert_eq!(complete(r#","agentId":"a-1""#), None);
}

/// Hooks tell that better, where they are called.
#[test]
fn the_log_tells_of_the_answer_that_ends_a_turn_and_of_what_goes_on_behind_it() {
    let read = |kind: &str, data: &str, more: &str| {
        let line = format!(r#"{{"type":"{kind}","data":{{{data}}}{more}}}"#);
        log_line(KIND, line.as_bytes()).unwrap().fact
    };
    let (calls, stop) = (r#""toolRequests":[{"name":"bash"}]"#, r#""hookType":"agentStop""#);
    for (kind, data, expected) in [
        ("assistant.message", r#""toolRequests":[]"#, Some(Fact::AnswerLogged)),
        ("assistant.message", calls, None),
        ("assistant.message", r#""toolRequests":{}"#, None),
        ("assistant.message", "", None),
        ("hook.start", stop, Some(Fact::AnswerBegun)),
        ("hook.end", stop, Some(Fact::AnswerLogged)),
        ("hook.end", r#""hookType":"subagentStop""#, None),
        ("assistant.turn_start", r#""turnId":"1""#, Some(Fact::AnswerBegun)),
        ("tool.execution_start", "", Some(Fact::AnswerBegun)),
        ("assistant.turn_end", r#""turnId":"0""#, None),
    ] {
        assert_eq!(read(kind, data, ""), expected, "{kind} {data}");
        assert_eq!(read(kind, data, r#","agentId":"a-1""#), None, "a helper's");
    }
}

#[test]
fn what_a_line_of_the_log_says_anew_is_named_by_its_member() {
    let news = |line: &str| crate::strange_line(KIND, line.as_bytes());
    assert_eq!(news(r#"{"type":"session.dreamt","data":{}}"#), Some("type"));
    let known = [r#"{"type":"session.info"}"#, r#"{"type":7}"#, "", "[]", r#"{"type":"dreamt","#];
    for known in known {
        assert_eq!(news(known), None, "{known}");
    }
}

/// Nothing else in it says that it is a helper's.
#[test]
fn the_start_of_a_helper_without_any_name_holds_the_turn_and_is_counted() {
    let name = || "unnamed".to_owned();
    for (event, fact) in [
        ("subagentStart", Fact::NamesakeStarted { name: name() }),
        ("subagentStop", Fact::NamesakeEnded { name: name() }),
    ] {
        let seen = seen(event, r#""helperId":"a-1","parentId":"s-1""#);
        assert_eq!((seen.fact, seen.strange), (fact, Some("agentId")), "{event}");
    }
    assert_eq!(seen("userPromptSubmitted", r#""text":"go""#).strange, Some("prompt"));
}

#[test]
fn a_helper_that_has_lost_its_id_is_there_all_the_same() {
    let (name, lost) = ("unnamed".to_owned(), r#""helperId":"a-1","parentAgentId":"s-1""#);
    for (event, known) in [
        ("subagentStart", Fact::NamesakeStarted { name: name.clone() }),
        ("subagentStop", Fact::NamesakeEnded { name: name.clone() }),
    ] {
        let seen = seen(event, lost);
        assert_eq!((seen.fact, seen.strange), (known, Some("agentId")), "{event}");
    }
    let call = fact("preToolUse", &format!(r#""toolName":"bash","toolArgs":{{}},{lost}"#));
    assert!(matches!(call, Fact::ToolStarted { actor: Actor::Sub(id), .. } if id == name));
    assert!(matches!(fact("agentStop", lost), Fact::NotUnderstood { .. }));
}
