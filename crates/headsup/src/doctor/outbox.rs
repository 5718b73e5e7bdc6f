//! What is to be done at other systems: does it get there?

use super::Check;
use crate::client::Client;
use headsup_core::wire::{EffectDoc, EffectsDoc};
use headsup_core::work::effect::{EffectState, WAITS_FOR_KEY, WAITS_FOR_SETTINGS};

const NAME: &str = "outbox";

pub(super) async fn check(client: &Client) -> Check {
    match client.get_doc::<EffectsDoc>("/api/v1/effects").await {
        Ok(doc) => row(&doc.effects),
        Err(error) => Check::bad(NAME, error.message, "see hub.log in the state folder"),
    }
}

/// What a person has to do something about is told first.
fn row(effects: &[EffectDoc]) -> Check {
    let of = |state: EffectState| effects.iter().filter(move |effect| effect.state == state);
    let count = |state| of(state).count();
    let words = |state, one: &str, many: &str| match count(state) {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let said = [
        words(EffectState::Queued, "waits", "wait"),
        words(EffectState::Skipped, "was skipped", "were skipped"),
        words(EffectState::Failed, "failed", "failed"),
    ];
    let said = said.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let last = |state| of(state).next_back().map(|effect: &EffectDoc| (effect, why(effect)));
    if let Some((effect, why)) = last(EffectState::Failed) {
        let detail = format!(
            "{said}; the last that failed: {} on {}: {why}",
            effect.kind.word(),
            effect.target
        );
        let hint = format!("put it right, then `headsup outbox --again {}`", effect.key);
        return Check::bad(NAME, detail, hint);
    }
    if let Some((effect, why)) = last(EffectState::Skipped) {
        let detail = format!(
            "{said}; the last that was skipped: {} on {}: {why}",
            effect.kind.word(),
            effect.target
        );
        return Check::bad(NAME, detail, missing(effect));
    }
    let waits = of(EffectState::Queued).find(|effect| effect.reason.is_some());
    match waits {
        Some(effect) => {
            let detail = format!(
                "{said}; the {} on {} waits: {}",
                effect.kind.word(),
                effect.target,
                why(effect)
            );
            Check::bad(NAME, detail, waits_for(effect))
        }
        None if effects.iter().any(|effect| effect.state == EffectState::Queued) => {
            Check::good(NAME, said)
        }
        None => Check::good(NAME, "all that was to be done elsewhere is done"),
    }
}

fn why(effect: &EffectDoc) -> String {
    effect.reason.clone().unwrap_or_else(|| "nobody says why".to_owned())
}

/// What it takes until it is done.
fn waits_for(effect: &EffectDoc) -> String {
    match effect.reason.as_deref() {
        Some(WAITS_FOR_KEY) => format!("{}, then restart the hub: it is done then", key(effect)),
        Some(WAITS_FOR_SETTINGS) => {
            format!("name {} in the settings, then restart the hub", effect.provider)
        }
        _ => "it is tried again by itself; `headsup outbox` shows it".to_owned(),
    }
}

/// Where a key is set.
fn key(effect: &EffectDoc) -> String {
    match effect.provider.as_str() {
        "kanbanger" => "set KANBANGER_API_KEY in the hub's environment".to_owned(),
        provider => format!("set a token for {provider} in the settings"),
    }
}

/// What the settings lack.
fn missing(effect: &EffectDoc) -> String {
    let again = format!("then restart the hub and `headsup outbox --again {}`", effect.key);
    match effect.reason.as_deref() {
        Some("no_key") => format!("{}, {again}", key(effect)),
        _ => format!("name {} in the settings, {again}", effect.provider),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_core::time::UnixMs;
    use headsup_core::work::effect::EffectKind;

    fn effect(state: EffectState, reason: Option<&str>) -> EffectDoc {
        EffectDoc {
            key: "k1".to_owned(),
            provider: "github".to_owned(),
            target: "ada/app#1".to_owned(),
            kind: EffectKind::Comment,
            state,
            reason: reason.map(str::to_owned),
            retryable: false,
            remote_id: None,
            url: None,
            tries: 1,
            created_at: UnixMs(0),
        }
    }

    #[test]
    fn what_is_not_done_is_told_with_what_to_do() {
        let two = [effect(EffectState::Queued, None), effect(EffectState::Queued, None)];
        assert_eq!(row(&two).detail, "2 wait");
        let nothing = row(&[effect(EffectState::Done, None)]);
        assert!(nothing.ok && nothing.hint.is_none());
        assert!(row(&[effect(EffectState::Queued, None)]).ok);
        let cases = [
            (effect(EffectState::Queued, Some("it is down")), "waits: it is down", "by itself"),
            (
                effect(EffectState::Skipped, Some("no_key")),
                "skipped: comment",
                "set a token for github",
            ),
            (effect(EffectState::Skipped, Some("not_configured")), "skipped", "name github"),
            (
                EffectDoc {
                    provider: "kanbanger".to_owned(),
                    ..effect(EffectState::Queued, Some(WAITS_FOR_KEY))
                },
                "it waits for a key",
                "set KANBANGER_API_KEY in the hub's environment",
            ),
            (effect(EffectState::Queued, Some(WAITS_FOR_SETTINGS)), "waits", "name github"),
            (
                effect(EffectState::Failed, Some("gone")),
                "failed: comment on ada/app#1: gone",
                "--again k1",
            ),
        ];
        for (effect, detail, hint) in cases {
            let check = row(&[effect]);
            assert!(!check.ok && check.detail.contains(detail), "{}", check.detail);
            assert!(check.hint.as_deref().unwrap().contains(hint), "{:?}", check.hint);
        }
    }
}
