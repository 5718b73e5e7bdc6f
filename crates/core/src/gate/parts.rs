//! What a program's own status says of its parts (G6). A part mostly is a helper, but it may be a shell as
//! well: so what it asks counts, and nothing else. It begins no turn, and once it is answered the program is
//! what it was, however its last turn has ended.

use super::{Effect, Step, prompts};
use crate::observation::Level;
use crate::prompt::{Actor, NewPrompt};
use crate::source::Source;

pub(super) fn said(step: &mut Step<'_>, id: &str, level: Option<&Level>) -> Effect {
    let Some(Level::Blocked { reason, detail }) = level else {
        let gone = goes_on(step, id, level.is_none());
        return if gone { Effect::Decides } else { Effect::Confirms };
    };
    let (actor, key) = (Actor::Sub(id.to_owned()), Some(id.to_owned()));
    let ask = NewPrompt { key, ..NewPrompt::plain(*reason, detail.as_deref()) };
    let is_told = step.seat.own_prompts().any(|open| {
        open.actor == actor && (open.source != Source::ProgramStatus || open.ask == ask)
    });
    if is_told {
        // It is said again, or something else has told more of it.
        return Effect::Confirms;
    }
    // It asks one thing after another: the one before was answered.
    goes_on(step, id, false);
    prompts::open(step, &actor, &ask);
    Effect::Decides
}

/// Whatever it does now: what it had asked has been answered. `is_gone`: so are the parts below it. True if it
/// had asked anything.
fn goes_on(step: &mut Step<'_>, id: &str, is_gone: bool) -> bool {
    let below = format!("{id}/");
    prompts::withdraw(step, |asked| {
        let is_its = match asked.actor {
            Actor::Main => false,
            Actor::Sub(sub) => sub == id || is_gone && sub.starts_with(&below),
        };
        is_its && asks(asked.source, asked.actor)
    })
}

/// Is it asked by a part of a program, by that one's own status? What the program says of itself as a whole is no
/// answer to it, but that it rests now.
pub(super) fn asks(source: Source, actor: &Actor) -> bool {
    source == Source::ProgramStatus && !actor.is_main()
}

/// Does nobody ask but parts?
pub(super) fn ask_alone(step: &Step<'_>) -> bool {
    let mut own = step.seat.own_prompts().peekable();
    own.peek().is_some() && own.all(|open| asks(open.source, &open.actor))
}
