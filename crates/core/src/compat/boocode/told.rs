//! What an event says of a seat of which other witnesses may tell as well.

use super::Meaning;
use super::call::of_a_call;
use crate::observation::{Background, Fact};
use crate::seat::Seat;
use crate::status::Turn;

impl Meaning {
    /// The fact for the gate about a seat as it is. `None`: it says nothing of any status.
    #[must_use]
    pub fn of_seat(self, seat: &Seat) -> Option<Fact> {
        let is_blocked = matches!(seat.turn(), Turn::Blocked(_));
        let fact = self.fact(is_blocked)?;
        let fact = match is_hooked(seat) {
            true if is_blocked && fact == Fact::Answered => fact,
            true => Fact::Nothing,
            false if seat.session.is_some() => {
                once_more(fact, is_blocked, seat.turn.reference.is_some())
            }
            false => fact,
        };
        Some(of_a_call(self, fact, seat))
    }
}

/// Have hooks of the program itself told of the start of its conversation? They tell of all that follows, sooner or later
/// than the chat does, but not of an answer.
fn is_hooked(seat: &Seat) -> bool {
    let session = seat.session.as_ref().filter(|session| session.start_seen);
    let is_of_this_life = session
        .is_some_and(|session| seat.about.resumed_at.is_none_or(|began| session.since >= began));
    is_of_this_life && !seat.process.state.is_over()
}

/// Another witness tells of its conversation, and a chat's word says the same once more. It begins no second
/// turn, answers nothing that they have told of, knows nothing of what goes on behind an end, and ends no turn that has
/// its name from them: they tell of its end.
fn once_more(fact: Fact, is_blocked: bool, is_named: bool) -> Fact {
    match fact {
        Fact::PromptSubmitted { .. } => Fact::PromptTold,
        Fact::PromptOpened { .. } | Fact::Reported(_) if is_blocked => Fact::PromptConfirmed,
        Fact::TurnEnded { .. }
        | Fact::TurnFailed { .. }
        | Fact::TurnInterrupted { .. }
        | Fact::IdleNotice { .. }
            if is_named =>
        {
            Fact::Nothing
        }
        Fact::TurnEnded { turn_ref, .. } => {
            Fact::TurnEnded { background: Background::unclear(), turn_ref }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate;
    use crate::id::AgentId;
    use crate::observation::{Delivery, Observation, SessionStart, Submitter};
    use crate::source::Source;
    use crate::time::UnixMs;

    /// A seat of which hooks have told these facts.
    fn hooked(facts: Vec<Fact>) -> Seat {
        let mut at = UnixMs(0);
        let mut seat = Seat::new(AgentId::slug("a"), "custom", Source::Hook, at);
        for fact in facts {
            at = at.plus(1_000);
            let observation = Observation {
                at,
                delivery: Delivery::Live,
                source: Source::Hook,
                session: Some("s".to_owned()),
                process: None,
                made_at: None,
                name: "hook".to_owned(),
                fact,
            };
            gate::admit(&mut seat, &observation);
        }
        seat
    }

    fn prompted() -> Fact {
        Fact::PromptSubmitted { by: Submitter::Person, turn_ref: Some("t1".to_owned()) }
    }

    #[test]
    fn an_event_says_the_less_the_more_hooks_tell() {
        let unheard = hooked(Vec::new());
        assert!(matches!(Meaning::Prompted.of_seat(&unheard), Some(Fact::PromptSubmitted { .. })));
        assert!(matches!(Meaning::Ended.of_seat(&unheard), Some(Fact::TurnEnded { .. })));
        let adopted = hooked(vec![prompted()]);
        assert_eq!(Meaning::Prompted.of_seat(&adopted), Some(Fact::PromptTold));
        assert_eq!(Meaning::Ended.of_seat(&adopted), Some(Fact::Nothing), "the turn has a name");
        let started = Fact::SessionStarted { how: SessionStart::Startup, attach: None };
        let from_its_start = hooked(vec![started, prompted()]);
        for meaning in [Meaning::Prompted, Meaning::Ended, Meaning::ToolStarted] {
            assert_eq!(meaning.of_seat(&from_its_start), Some(Fact::Nothing), "{meaning:?}");
        }
        assert_eq!(Meaning::Nothing.of_seat(&unheard), None);
    }
}
