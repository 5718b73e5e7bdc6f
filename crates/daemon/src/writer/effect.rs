//! What is to be done at other systems: written down in the transaction of the act that wants it.

use super::staging::Staging;
use crate::effects::{Effect, Standing};
use crate::job::{Answer, EffectAct, Refusal, Reply};
use crate::store::effects::{self, EffectRow};
use headsup_core::gate;
use headsup_core::prompt::{Via, agent_of};
use headsup_core::seat::Seat;
use headsup_core::work::posted::prompt_of;

pub(super) fn perform(staging: &mut Staging<'_>, act: &EffectAct) -> Answer {
    match act {
        EffectAct::Send(effect) => {
            staging.send(effect.clone())?;
            return Ok(Reply::Made { id: effect.key.clone() });
        }
        EffectAct::Tried { key, standing } => {
            change(staging, key, |row| {
                row.tries = row.tries.saturating_add(1);
                row.standing = standing.clone();
                Ok(())
            })?;
            match standing {
                Standing::Done { .. } => told(staging, key),
                _ => Ok(()),
            }
        }
        EffectAct::Waits { key, why } => change(staging, key, |row| {
            if matches!(row.standing, Standing::Queued { .. }) {
                row.standing = Standing::Queued { why: Some((*why).to_owned()) };
            }
            Ok(())
        }),
        EffectAct::Again { key } => change(staging, key, |row| match row.standing {
            Standing::Skipped { .. } | Standing::Failed { .. } => {
                row.standing = Standing::Queued { why: None };
                // It may have been done all the same: one that was tried is looked for.
                row.tries = row.tries.min(1);
                Ok(())
            }
            Standing::Queued { .. } | Standing::Done { .. } => Err(Refusal::EffectNotOver),
        }),
    }?;
    Ok(Reply::Done { agent: None, cursor: staging.head })
}

/// A question stands on the task now: it was brought to whoever reads there.
fn told(staging: &mut Staging<'_>, key: &str) -> Result<(), Refusal> {
    let Some((prompt, agent)) = prompt_of(key).and_then(|id| Some((id, agent_of(id)?))) else {
        return Ok(());
    };
    let now = staging.now;
    let mark = |seat: &mut Seat| gate::mark_input(seat, prompt, Via::Comment, false, now);
    staging.change(&agent, None, mark).map(drop)
}

impl Staging<'_> {
    /// Has something done at another system once this act is stored. One whose key is there already
    /// is that one.
    pub(super) fn send(&mut self, effect: Effect) -> Result<(), Refusal> {
        if known(self, &effect.key)?.is_none() {
            let standing = Standing::Queued { why: None };
            let row = EffectRow { number: 0, effect, made_at: self.now, tries: 0, standing };
            self.effects.push(row);
            self.writes += 1;
        }
        Ok(())
    }
}

fn change(
    staging: &mut Staging<'_>,
    key: &str,
    change: impl FnOnce(&mut EffectRow) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let mut row = known(staging, key)?.ok_or(Refusal::NoSuchEffect)?;
    change(&mut row)?;
    match staging.effects.iter_mut().find(|staged| staged.effect.key == key) {
        Some(staged) => *staged = row,
        None => staging.effects.push(row),
    }
    staging.writes += 1;
    Ok(())
}

/// The effect as the jobs before have left it.
fn known(staging: &Staging<'_>, key: &str) -> Result<Option<EffectRow>, Refusal> {
    match staging.effects.iter().find(|row| row.effect.key == key) {
        Some(row) => Ok(Some(row.clone())),
        None => effects::effect(staging.store.connection(), key).map_err(|error| {
            tracing::error!(%error, "what is to be done elsewhere cannot be read");
            Refusal::from(&error)
        }),
    }
}
