//! One test per decision of the table in `normalize`.

use super::{KILO, KIND, hook};
use crate::hook_table::events_to_register;
use crate::{Ancestor, HookContext, Sighting};
use headsup_core::observation::{Background, Fact, SessionEnd, SessionStart};
use headsup_core::prompt::{Actor, PromptKind};
use headsup_core::status::{Attach, BlockedReason};

fn seen(event: &str, members: &str) -> Sighting {
    let comma = if members.is_empty() { "" } else { "," };
    let body = format!(
        r#"{{"hook_event_name":"{event}","session_id":"ses_1","turn_id":"t-1","cwd":"/home/dev/api"{comma}{members}}}"#
    );
    hook(None, body.as_bytes(), &HookContext::default())
}

fn fact(event: &str, members: &str) -> Fact {
    seen(event, members).fact
}

/// The turn of every report here.
const TURN: &str = "t-1";

const CHILD: &str = r#""agent_id":"ses_2""#;

fn child() -> Actor {
    Actor::Sub("ses_2".to_owned())
}

#[test]
fn all_that_the_plugin_tells_is_understood_for_both_programs() {
    assert_eq!(events_to_register(KIND), events_to_register(KILO));
    for event in events_to_register(KIND) {
        for members in ["", CHILD] {
            let fact = fact(event, members);
            assert!(!matches!(fact, Fact::NotUnderstood { .. }), "{event}");
        }
    }
    assert!(matches!(fact("coffee.break", ""), Fact::NotUnderstood { .. }));
}

#[test]
fn what_the_plugin_can_tell_is_in_the_table_and_nothing_else() {
    let source = include_str!("plugin.js");
    for event in events_to_register(KIND) {
        assert!(source.contains(&format!("\"{event}\"")), "{event}");
    }
}

#[test]
fn a_program_that_comes_up_has_no_session_yet() {
    let body = br#"{"hook_event_name":"plugin.init","cwd":"/home/dev/api","mode":"headless"}"#;
    let seen = hook(None, body, &HookContext::default());
    let (how, attach) = (SessionStart::Startup, Some(Attach::Headless));
    assert_eq!((seen.session, seen.fact), (None, Fact::SessionStarted { how, attach }));
    for (source, how) in [
        ("startup", SessionStart::Startup),
        ("resume", SessionStart::Resume),
        ("clear", SessionStart::Clear),
    ] {
        let fact = fact("session.started", &format!(r#""source":"{source}""#));
        assert_eq!(fact, Fact::SessionStarted { how, attach: None });
    }
}

#[test]
fn a_turn_ends_as_its_last_word_says() {
    let ended = fact("session.idle", r#""status":"ended""#);
    assert!(matches!(ended, Fact::TurnEnded { turn_ref, .. } if turn_ref.as_deref() == Some(TURN)));
    let stopped = fact("session.idle", r#""status":"stopped","error":"MessageAbortedError""#);
    assert_eq!(stopped, Fact::TurnInterrupted { turn_ref: Some(TURN.to_owned()) });
    let failed =
        fact("session.idle", r#""status":"failed","error":"APIError","message":"bad key""#);
    let Fact::TurnFailed { code, detail, .. } = failed else { panic!("{failed:?}") };
    assert_eq!((code.as_str(), detail.as_deref()), ("APIError", Some("bad key")));
    assert_eq!(fact("session.idle", r#""status":"unclear""#), Fact::TurnUnanswered);
    let rests = Fact::IdleNotice { turn_ref: None };
    // What was asked in no turn is over.
    for more in ["", r#","status":"ended""#] {
        let body = format!(r#"{{"hook_event_name":"session.idle","session_id":"ses_1"{more}}}"#);
        let seen = hook(None, body.as_bytes(), &HookContext::default());
        assert_eq!((&seen.fact, seen.strange), (&rests, None), "{more}");
    }
}

/// The plugin may be of another version.
#[test]
fn a_status_that_nobody_knows_is_neither_work_nor_rest_and_is_counted() {
    let news =
        [r#""status":"hibernating""#, r#""status":7"#, r#""status":{}"#, r#""state":"busy""#];
    for event in ["session.status", "session.idle", "message.part.updated"] {
        for members in news {
            let seen = seen(event, &format!(r#"{members},"prompt":"fix it""#));
            assert_eq!(
                (seen.fact, seen.strange),
                (Fact::Nothing, Some("status")),
                "{event} {members}"
            );
            assert!(seen.activity.is_none(), "{event} {members}");
        }
    }
    let helpers = seen("session.status", &format!(r#"{CHILD},"status":"hibernating""#));
    assert_eq!((helpers.fact, helpers.strange), (Fact::Nothing, Some("status")));
    for (event, words) in [
        ("session.status", &["busy", "retry", "compacting"][..]),
        ("session.idle", &["ended", "background", "stopped", "unclear", "failed"]),
        ("message.part.updated", &["running", "completed", "error"]),
    ] {
        for word in words {
            let seen = seen(event, &format!(r#""status":"{word}","background_tasks":[]"#));
            assert_eq!(seen.strange, None, "{event} {word}");
            assert_ne!(seen.fact, Fact::Nothing, "{event} {word}");
        }
    }
}

#[test]
fn what_else_the_plugin_has_always_told_is_counted_where_it_is_missing() {
    for (event, members, member) in [
        ("plugin.init", "", "mode"),
        ("session.started", r#""source":"startup""#, "mode"),
        ("session.started", r#""source":"thawed","mode":"interactive""#, "source"),
        ("permission.asked", r#""request_id":"per_1""#, "prompt_id"),
        ("question.replied", "", "prompt_id"),
        ("permission.replied", r#""prompt_id":"per_1","status":"put off""#, "status"),
        ("session.updated", r#""session_id":null"#, "session_id"),
    ] {
        assert_eq!(seen(event, members).strange, Some(member), "{event} {members}");
    }
    for (event, members) in [
        ("plugin.init", r#""mode":"interactive","session_id":null"#),
        // Of a run without a terminal it is told behind the first prompt.
        ("session.started", r#""mode":"headless""#),
        ("session.started", r#""source":"resume","mode":"interactive""#),
        ("session.idle", CHILD),
        ("permission.replied", r#""prompt_id":"per_1""#),
        ("dispose", r#""session_id":null"#),
        ("session.deleted", ""),
    ] {
        assert_eq!(seen(event, members).strange, None, "{event} {members}");
    }
}

#[test]
fn a_turn_that_goes_on_in_its_helpers_is_not_over() {
    let rests = r#""status":"background","background_tasks":[{"id":"ses_2"}]"#;
    let seen = seen("session.idle", rests);
    let background = Background { subagents: vec!["ses_2".to_owned()], ..Background::default() };
    assert_eq!(seen.fact, Fact::TurnEnded { background, turn_ref: Some(TURN.to_owned()) });
    assert!(seen.activity.is_none());
}

/// The turn goes on with it, also with one that a person has asked for: its own end comes behind.
#[test]
fn a_conversation_that_is_summed_up_is_compacted_within_its_turn() {
    let started = fact("session.status", r#""status":"compacting""#);
    assert_eq!(started, Fact::CompactionStarted);
    let ended = Fact::CompactionEnded { manual: Some(false) };
    assert_eq!(fact("session.compacted", ""), ended);
    let helpers = fact("session.status", &format!(r#""status":"compacting",{CHILD}"#));
    assert_eq!(helpers, Fact::SubagentStarted { id: "ses_2".to_owned() });
    // Another conversation may be in front by then.
    assert_eq!(fact("session.compacted", CHILD), ended);
}

#[test]
fn an_end_that_cannot_be_read_is_none() {
    for members in [r#""session_id":7"#, r#""turn_id":[]"#, r#""background_tasks":7"#] {
        for event in ["session.idle", "session.deleted", "dispose"] {
            let fact = fact(event, members);
            assert!(matches!(fact, Fact::NotUnderstood { .. }), "{event} {members}");
        }
    }
}

#[test]
fn another_session_is_a_helper() {
    let id = "ses_2".to_owned();
    assert_eq!(fact("session.created", CHILD), Fact::SubagentStarted { id: id.clone() });
    let works = fact("session.status", &format!(r#"{CHILD},"status":"busy""#));
    assert_eq!(works, Fact::SubagentStarted { id: id.clone() });
    assert_eq!(fact("session.idle", CHILD), Fact::SubagentEnded { id });
    let asked = fact("permission.asked", CHILD);
    assert!(matches!(asked, Fact::PromptOpened { actor, .. } if actor == child()));
    assert!(seen("session.idle", CHILD).activity.is_none());
}

#[test]
fn a_request_is_known_by_its_id_and_its_call() {
    let asked = fact(
        "permission.asked",
        r#""prompt_id":"per_1","tool_name":"bash","tool_use_id":"call_1","tool_input":{"command":"ls"}"#,
    );
    let Fact::PromptOpened { actor: Actor::Main, prompt, .. } = asked else { panic!("{asked:?}") };
    assert_eq!((prompt.kind, prompt.title.as_str()), (PromptKind::Permission, "bash: ls"));
    assert_eq!(prompt.key.as_deref(), Some("per_1"));
    assert_eq!(prompt.tool.and_then(|tool| tool.id).as_deref(), Some("call_1"));
    let replied = fact("permission.replied", r#""prompt_id":"per_1","reply":"always""#);
    let Fact::PromptResolved { reason, key, resolution, .. } = replied else {
        panic!("{replied:?}")
    };
    assert_eq!((reason, key.as_deref()), (BlockedReason::Permission, Some("per_1")));
    assert_eq!(resolution.value.as_deref(), Some("always"));
}

#[test]
fn what_a_run_without_a_terminal_asks_may_be_rejected_by_itself() {
    let settles = |members: &str| match fact("permission.asked", members) {
        Fact::PromptOpened { settle_ms, .. } => settle_ms > 0,
        other => panic!("{other:?}"),
    };
    assert!(settles(r#""prompt_id":"per_1","mode":"headless""#));
    assert!(!settles(r#""prompt_id":"per_1""#));
}

#[test]
fn a_refusal_that_ends_the_turn_is_no_work() {
    let refused = r#""prompt_id":"per_1","reply":"reject","turn_id":"t","status":"stopped""#;
    let told = fact("permission.replied", refused);
    assert!(matches!(told, Fact::PromptRefused { .. }), "{told:?}");
    // One with advice does not end it, and a helper's is not the agent's.
    let advised = refused.replace("stopped", "ended");
    let helpers = format!("{refused},\"agent_id\":\"ses_9\"");
    for other in [advised, helpers] {
        let told = fact("permission.replied", &other);
        assert!(matches!(told, Fact::PromptResolved { .. }), "{told:?}");
    }
}

#[test]
fn a_question_brings_its_options() {
    let asked = fact(
        "question.asked",
        r#""prompt_id":"que_1","tool_input":{"questions":[{"question":"Which?","multiSelect":true,
            "options":[{"label":"Red"},{"label":"Blue"}]}]}"#,
    );
    let Fact::PromptOpened { prompt, .. } = asked else { panic!("{asked:?}") };
    assert_eq!((prompt.kind, prompt.title.as_str()), (PromptKind::Question, "Which?"));
    assert_eq!((prompt.options.len(), prompt.multi_select), (2, true));
    let rejected = fact("question.rejected", r#""prompt_id":"que_1""#);
    let Fact::PromptResolved { reason, .. } = rejected else { panic!("{rejected:?}") };
    assert_eq!(reason, BlockedReason::Question);
}

#[test]
fn the_end_of_the_plugin_need_not_be_that_of_the_program() {
    assert_eq!(fact("dispose", ""), Fact::SessionEnded { how: SessionEnd::Either });
}

#[test]
fn a_conversation_without_a_title_has_none() {
    let title = |title: &str| seen("session.updated", &format!(r#""title":"{title}""#)).title;
    assert_eq!(title("New session - 2026-11-21T20:49:30.681Z"), None);
    assert_eq!(title("Fix the tests").as_deref(), Some("Fix the tests"));
}

#[test]
fn its_process_may_be_called_by_the_hard_link_from_npm() {
    for comm in ["opencode", ".opencode", "kilo", ".kilo"] {
        let above = Ancestor { pid: 42, start: 8, comm: comm.to_owned() };
        let context = HookContext { parents: vec![above], ..HookContext::default() };
        let process = hook(None, b"{}", &context).process;
        assert_eq!(process.map(|found| found.pid), Some(42), "{comm}");
    }
}

#[test]
fn one_process_that_serves_many_is_nobodys() {
    assert!(!seen("session.status", "").shares_process);
    assert!(seen("session.status", r#""is_shared":true"#).shares_process);
}

#[test]
fn what_the_plugin_has_not_understood_is_not_understood_here() {
    for event in ["session.idle", "permission.asked", "consent.asked"] {
        let said = fact(event, r#""not_understood":"no sessionID""#);
        assert_eq!(said, Fact::NotUnderstood { why: "no sessionID".into() }, "{event}");
    }
}
