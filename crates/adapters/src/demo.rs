//! Recorded sessions for a demonstration: real payloads, told anew for folders that do not exist.

mod script;

use crate::json::{self, skim};
use script::{Act, SCRIPTS, Script};

/// The longest pause between two steps.
const LONGEST_PAUSE_MS: u64 = 8_000;

/// The pause between two recordings that make one session.
const BETWEEN_ACTS_MS: u64 = 2_500;

/// One agent's session, from its start to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoSession {
    pub kind: &'static str,
    /// The agent's id.
    pub id: &'static str,
    pub folder: &'static str,
    /// What there is to see, in a few words.
    pub about: &'static str,
    /// In the order of time.
    pub steps: Vec<DemoStep>,
}

/// One hook call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoStep {
    /// Milliseconds after the demonstration began.
    pub at_ms: u64,
    pub event: String,
    /// The payload's JSON.
    pub payload: String,
    /// What the hook's environment holds. No process id: there is no such process.
    pub env: Vec<(String, String)>,
}

/// All sessions. They begin one after the other and go on side by side.
pub fn sessions() -> Vec<DemoSession> {
    SCRIPTS.iter().enumerate().map(|(at, script)| session(at, script)).collect()
}

/// The same step for another round: with that session id, and with turn ids of its own.
#[must_use]
pub fn with_session(step: &DemoStep, session_id: &str) -> DemoStep {
    let told: Told = serde_json::from_str(&step.payload).unwrap_or_default();
    let mut payload = step.payload.clone();
    if let Some(old) = told.session_id.text() {
        payload = payload.replace(old.as_ref(), session_id);
    }
    if let (Some(old), Some(head)) = (told.prompt_id.text(), session_id.get(..8)) {
        let tail = old.get(8..).unwrap_or_default();
        payload = payload.replace(old.as_ref(), &format!("{head}{tail}"));
    }
    DemoStep { payload, ..step.clone() }
}

skim! {
    /// One row of a recording.
    Row { t_ms: "t_ms", src: "src", env: "env", payload: "payload" }
}

skim! {
    /// What stays of a hook's environment.
    Env { entry_point: "CLAUDE_CODE_ENTRYPOINT", attended: "CLAUDE_CODE_SESSION_ATTENDED" }
}

skim! {
    Told { event: "hook_event_name", session_id: "session_id", prompt_id: "prompt_id" }
}

fn session(at: usize, script: &Script) -> DemoSession {
    let session_id = format!("de300000-0000-4000-8000-{at:012x}");
    let mut steps = Vec::new();
    let mut clock = script.starts_at_ms;
    for (nth, act) in script.acts.iter().enumerate() {
        let (first, last) = (nth == 0, nth + 1 == script.acts.len());
        let mut before = None;
        for (t_ms, step) in steps_of(act, script.folder, &session_id) {
            match step.event.as_str() {
                "SessionStart" if !first => continue,
                "SessionEnd" if !last => continue,
                // It is a call for every few words of an answer, and says nothing.
                "MessageDisplay" => continue,
                _ => {}
            }
            let pause = before.map_or(if first { 0 } else { BETWEEN_ACTS_MS }, |before| {
                t_ms.saturating_sub(before).min(LONGEST_PAUSE_MS)
            });
            before = Some(t_ms);
            clock += pause;
            steps.push(DemoStep { at_ms: clock, ..step });
        }
    }
    let Script { id, folder, about, .. } = *script;
    DemoSession { kind: crate::claude_code::KIND, id, folder, about, steps }
}

/// The hook calls of a recording, with the times of their rows, in their order.
fn steps_of(act: &Act, folder: &str, session_id: &str) -> Vec<(u64, DemoStep)> {
    let step = |line: &str| {
        let row: Row = serde_json::from_str(line).ok()?;
        (row.src.text().as_deref() == Some("hook")).then_some(())?;
        let json = row.payload.json()?;
        let told: Told = serde_json::from_str(json).ok()?;
        let mut payload = json
            .replace(told.session_id.text()?.as_ref(), session_id)
            .replace("/home/dev/proj", folder)
            .replace("-home-dev-proj", &folder.replace('/', "-"))
            .replace("toolu_mock_", "toolu_demo_");
        for (recorded, told) in act.words {
            payload = payload.replace(recorded, told);
        }
        let env: Env = row.env.object();
        let kept = [
            ("CLAUDE_CODE_ENTRYPOINT", env.entry_point),
            ("CLAUDE_CODE_SESSION_ATTENDED", env.attended),
        ];
        let kept = kept.into_iter().filter_map(|(name, raw)| {
            raw.text().map(|value| (name.to_owned(), value.into_owned()))
        });
        let event = told.event.text()?.into_owned();
        let t_ms = row.t_ms.json()?.parse().ok()?;
        Some((t_ms, DemoStep { at_ms: 0, event, payload, env: kept.collect() }))
    };
    let mut steps: Vec<_> = act.timeline.lines().map(json::trim).filter_map(step).collect();
    steps.sort_by_key(|(t_ms, _)| *t_ms);
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HookContext, hook};
    use headsup_core::observation::Fact;

    fn facts(session: &DemoSession) -> Vec<Fact> {
        let seen = |step: &DemoStep| {
            let env = step.env.iter().cloned().collect();
            let context = HookContext { env, ..HookContext::default() };
            let body = step.payload.as_bytes();
            let seen = hook(session.kind, Some(&step.event), body, &context).unwrap();
            assert_eq!(seen.event, step.event);
            assert_eq!(seen.cwd.as_deref(), Some(session.folder));
            assert!(seen.process.is_none() && seen.tmux_pane.is_none());
            seen.fact
        };
        session.steps.iter().map(seen).collect()
    }

    #[test]
    fn every_session_is_understood_from_its_start_to_its_end() {
        for session in sessions() {
            let facts = facts(&session);
            let id = session.id;
            assert!(matches!(facts.first(), Some(Fact::SessionStarted { .. })), "{id}");
            assert!(matches!(facts.last(), Some(Fact::SessionEnded { .. })), "{id}");
            assert!(!facts.iter().any(|fact| matches!(fact, Fact::NotUnderstood { .. })), "{id}");
            assert!(facts.len() > 8, "{id}");
        }
    }

    #[test]
    fn together_they_show_what_can_happen() {
        let all: Vec<Fact> = sessions().iter().flat_map(facts).collect();
        let has = |which: fn(&Fact) -> bool| all.iter().any(which);
        assert!(has(|fact| matches!(fact, Fact::PromptOpened { .. })));
        assert!(has(|fact| matches!(fact, Fact::TurnFailed { .. })));
        assert!(has(|fact| matches!(fact, Fact::SubagentStarted { .. })));
        assert!(has(|fact| {
            matches!(fact, Fact::TurnEnded { background, .. } if background.shells > 0)
        }));
        assert!(has(|fact| {
            matches!(fact, Fact::TurnEnded { background, .. } if !background.subagents.is_empty())
        }));
    }

    #[test]
    fn steps_are_in_the_order_of_time_without_long_pauses() {
        for session in sessions() {
            for pair in session.steps.windows(2) {
                let pause = pair[1].at_ms.checked_sub(pair[0].at_ms).unwrap();
                assert!(pause <= LONGEST_PAUSE_MS, "{}", session.id);
            }
        }
    }

    #[test]
    fn nothing_of_the_recording_shows() {
        for step in sessions().iter().flat_map(|session| &session.steps) {
            for word in ["mock", "/home/dev/proj\"", "-home-dev-proj", "MessageDisplay"] {
                assert!(!step.payload.contains(word), "{word}: {}", step.payload);
            }
            assert!(step.env.iter().all(|(name, _)| !name.contains("PID")));
        }
    }

    #[test]
    fn another_round_has_ids_of_its_own() {
        for step in sessions().iter().flat_map(|session| &session.steps) {
            let again = with_session(step, "11111111-2222-4333-8444-555555555555");
            assert!(again.payload.contains("11111111-2222"));
            assert!(!again.payload.contains("de300000-"));
            assert_eq!(
                step.payload.contains("prompt_id"),
                again.payload != step.payload
                    && again.payload.contains("\"prompt_id\": \"11111111-")
            );
        }
    }
}
