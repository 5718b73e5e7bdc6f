//! Any traffic: the status is what the protocol says, by a reference that knows nothing else.

use super::Rig;
use proptest::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
enum Step {
    Prompt {
        session: u8,
    },
    /// The answer to one of the prompts in flight, and whether it is an error.
    Answer {
        which: usize,
        fails: bool,
    },
    Ask {
        session: u8,
    },
    Decide {
        which: usize,
    },
    Withdraw {
        which: usize,
    },
    Chunk {
        session: u8,
    },
    Tool {
        session: u8,
        call: u8,
        status: usize,
    },
    Cancel {
        session: u8,
    },
    Junk,
    Stands,
}

/// What the protocol says: sessions by their prompts in flight, and open requests by their session.
#[derive(Default)]
struct Reference {
    next: u32,
    prompts: BTreeMap<u32, u8>,
    asked: BTreeMap<u32, u8>,
    /// Answered by nobody, because their turn was over.
    dead: BTreeSet<u32>,
    /// A prompt has come since all rested: what is asked alone is no turn.
    is_turn: bool,
    /// Sessions that have failed while others went on.
    failed: BTreeSet<u8>,
    /// How the last session at work has ended, where something is asked beside it.
    rests: &'static str,
    last: &'static str,
}

impl Reference {
    fn headline(&self) -> &'static str {
        match (self.asked.is_empty(), self.prompts.is_empty()) {
            (false, _) => "blocked",
            (true, false) => "working",
            (true, true) => self.last,
        }
    }

    fn is_active(&self) -> bool {
        !self.asked.is_empty() || !self.prompts.is_empty()
    }

    /// Something has ended, and perhaps all.
    fn ends(&mut self) {
        let word = self.rests;
        if !self.is_active() && std::mem::take(&mut self.is_turn) {
            let has_failed = !std::mem::take(&mut self.failed).is_empty();
            self.last = if has_failed { "failed" } else { word };
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let session = 0_u8..3;
    prop_oneof![
        3 => session.clone().prop_map(|session| Step::Prompt { session }),
        3 => (0_usize..4, any::<bool>()).prop_map(|(which, fails)| Step::Answer { which, fails }),
        3 => session.clone().prop_map(|session| Step::Ask { session }),
        3 => (0_usize..4).prop_map(|which| Step::Decide { which }),
        1 => (0_usize..4).prop_map(|which| Step::Withdraw { which }),
        1 => session.clone().prop_map(|session| Step::Chunk { session }),
        2 => (session.clone(), 0_u8..3, 0_usize..4)
            .prop_map(|(session, call, status)| Step::Tool { session, call, status }),
        1 => session.prop_map(|session| Step::Cancel { session }),
        1 => Just(Step::Junk),
        1 => Just(Step::Stands),
    ]
}

fn name(session: u8) -> String {
    format!("s{session}")
}

fn nth<T: Copy>(of: &BTreeMap<u32, T>, which: usize) -> Option<(u32, T)> {
    of.iter().nth(which).map(|(id, value)| (*id, *value))
}

fn play(rig: &mut Rig, known: &mut Reference, step: &Step) {
    known.next += 1;
    let id = known.next;
    match *step {
        Step::Prompt { session } => {
            known.prompts.insert(id, session);
            (known.is_turn, known.rests) = (true, "idle");
            rig.prompt(id, &name(session));
        }
        Step::Answer { which, fails } => {
            let Some((id, session)) = nth(&known.prompts, which) else { return };
            known.prompts.remove(&id);
            if !known.prompts.values().any(|other| *other == session) {
                let over = known.asked.extract_if(.., |_, of| *of == session);
                known.dead.extend(over.map(|(id, _)| id));
                match fails {
                    true => known.failed.insert(session),
                    false => known.failed.remove(&session),
                };
            }
            if known.prompts.is_empty() {
                known.rests = if fails { "failed" } else { "done" };
            }
            known.ends();
            if fails {
                rig.agent(&json!({"id": id, "error": {"code": -32_603, "message": "x"}}));
            } else {
                rig.stop(id, "end_turn");
            }
        }
        Step::Ask { session } => {
            known.asked.insert(id, session);
            rig.ask(id, &name(session));
        }
        Step::Decide { which } => {
            let all: Vec<u32> = known.asked.keys().chain(&known.dead).copied().collect();
            let Some(&id) = all.get(which) else { return };
            known.dead.remove(&id);
            if known.asked.remove(&id).is_some() {
                known.ends();
            }
            rig.answer(id);
        }
        Step::Withdraw { which } => {
            let Some((id, _)) = nth(&known.asked, which) else { return };
            known.asked.remove(&id);
            known.ends();
            rig.agent(&json!({"method": "$/cancel_request", "params": {"requestId": id}}));
        }
        Step::Chunk { session } => {
            rig.update(&name(session), &json!({"sessionUpdate": "agent_message_chunk"}));
        }
        Step::Tool { session, call, status } => {
            let status = ["pending", "in_progress", "completed", "failed"][status];
            let update = json!({"sessionUpdate": "tool_call_update", "title": "t",
                "toolCallId": format!("c{session}{call}"), "status": status});
            rig.update(&name(session), &update);
        }
        Step::Cancel { session } => {
            let was_active = known.is_active();
            let over = known.asked.extract_if(.., |_, of| *of == session);
            known.dead.extend(over.map(|(id, _)| id));
            if was_active {
                known.ends();
            }
            let params = json!({"sessionId": name(session)});
            rig.client(&json!({"method": "session/cancel", "params": params}));
        }
        Step::Junk => {
            rig.line(super::Side::Agent, "warning: {");
        }
        Step::Stands => {
            let said = rig.traffic.stands().unwrap();
            rig.tell(said);
        }
    }
}

proptest! {
    #[test]
    fn the_status_is_that_of_the_protocol(steps in prop::collection::vec(step(), 1..80)) {
        let mut rig = Rig::with_session();
        let (next, rests, last) = (100, "idle", "idle");
        let mut known = Reference { next, rests, last, ..Reference::default() };
        for (number, step) in steps.iter().enumerate() {
            play(&mut rig, &mut known, step);
            let headline = rig.headline();
            prop_assert_eq!(&headline, known.headline(), "after step {} {:?}", number, step);
            // The same again and the whole standing change nothing.
            if let Some(said) = rig.traffic.stands() {
                let events = rig.events.len();
                rig.tell(said);
                prop_assert_eq!(rig.headline(), headline);
                prop_assert_eq!(rig.events.len(), events);
            }
        }
    }
}
