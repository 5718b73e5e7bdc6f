//! What goes on waiting for a person who has seen it.

use crate::status::Headline;
use crate::wire::{AgentDoc, PromptDoc};
use crate::workflow::Stage;

/// Being seen answers no question and moves no workflow: this is what would.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Remains<'a> {
    /// The answer to this question, the oldest.
    Answer(&'a PromptDoc),
    /// Another stage of its workflow than this one.
    Stage(Stage),
    /// The agent's own word: it has told of no question, and waits where it runs.
    Word,
}

/// What `agent` goes on waiting for once a person has seen it, if anything.
pub fn remains<'a>(agent: &'a AgentDoc<'_>) -> Option<Remains<'a>> {
    if let Some(prompt) = agent.prompts.first() {
        return Some(Remains::Answer(prompt));
    }
    let stage = agent.stage.as_ref().map(|status| status.stage);
    match agent.headline {
        Headline::Blocked if agent.turn.state == "blocked" => Some(Remains::Word),
        Headline::Blocked => Some(stage.map_or(Remains::Word, Remains::Stage)),
        Headline::Review => stage.map(Remains::Stage),
        Headline::Unknown => {
            stage.filter(|stage| *stage == Stage::AwaitingReview).map(Remains::Stage)
        }
        Headline::Failed => stage.filter(|stage| *stage == Stage::Failed).map(Remains::Stage),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{self, Said};
    use crate::id::AgentId;
    use crate::seat::Seat;
    use crate::source::Source;
    use crate::time::UnixMs;
    use crate::workflow::By;

    fn staged(stage: Stage) -> AgentDoc<'static> {
        let now = UnixMs(1_000);
        let mut seat = Seat::new(AgentId::new("api").unwrap(), "custom", Source::Report, now);
        gate::set_stage(&mut seat, stage, By::Person, &Said::default(), now).unwrap();
        seat.doc()
    }

    #[test]
    fn a_stage_that_waits_is_moved_and_not_seen_away() {
        let mut agent = staged(Stage::Blocked);
        agent.turn.state = "idle".into();
        for (headline, stage, expected) in [
            (Headline::Blocked, Stage::Blocked, Some(Remains::Stage(Stage::Blocked))),
            (Headline::Blocked, Stage::AwaitingInput, Some(Remains::Stage(Stage::AwaitingInput))),
            (Headline::Review, Stage::AwaitingReview, Some(Remains::Stage(Stage::AwaitingReview))),
            (Headline::Failed, Stage::Failed, Some(Remains::Stage(Stage::Failed))),
            (Headline::Failed, Stage::Working, None),
            (Headline::Done, Stage::Completed, None),
            (Headline::Crashed, Stage::Blocked, None),
        ] {
            agent.headline = headline;
            agent.stage.as_mut().unwrap().stage = stage;
            assert_eq!(remains(&agent), expected, "{headline:?} {stage:?}");
        }
        (agent.headline, agent.turn.state) = (Headline::Blocked, "blocked".into());
        assert_eq!(remains(&agent), Some(Remains::Word));
    }
}
