//! How a prompt ended, for whoever comes too late and for whoever looks back.

use crate::prompt::{OnTimeout, Resolution, ResolvedBy, Via};
use crate::wire::PromptDoc;

/// A sentence: who ended it, through what, with which words.
pub fn resolution(prompt: &PromptDoc) -> String {
    prompt.resolution.as_ref().map_or_else(|| "it is open".to_owned(), verdict)
}

/// The same of a resolution alone.
pub fn verdict(resolution: &Resolution) -> String {
    let value = resolution.value.as_deref();
    let who = resolution.actor.as_deref().unwrap_or("somebody");
    let mut through = resolution.via.map(through).unwrap_or_default().to_owned();
    if !resolution.verified {
        through.push_str(", unverified");
    }
    match (resolution.by, value) {
        (ResolvedBy::Human, _) if resolution.declined => {
            format!("{who} did not want to answer{through}")
        }
        (ResolvedBy::Human, Some(value)) if resolution.default_used => {
            format!("{who} took the default{through}: {value}")
        }
        (ResolvedBy::Human | ResolvedBy::Agent, Some(value)) => {
            format!("{who} answered{through}: {value}")
        }
        (ResolvedBy::Human | ResolvedBy::Agent, None) => format!("{who} answered{through}"),
        (ResolvedBy::Timeout, value) => {
            let nobody = match resolution.nobody_saw_it {
                true => "nobody saw it in time",
                false => "nobody answered in time",
            };
            match value {
                Some(value) => format!("{nobody}, so the default was taken: {value}"),
                None => nobody.to_owned(),
            }
        }
        (ResolvedBy::Elsewhere, _) => "it went away in the agent's own terminal".to_owned(),
        (ResolvedBy::Cancelled, _) => match resolution.actor.as_deref() {
            Some(who) => format!("{who} took it back{through}"),
            None => "it was taken back".to_owned(),
        },
    }
}

/// What happens at a prompt's deadline, if nobody has answered.
pub fn fallback(prompt: &PromptDoc, default: &str) -> String {
    match prompt.on_timeout {
        Some(OnTimeout::Block) => "it is blocked".to_owned(),
        Some(OnTimeout::Fail) => "it gets no answer".to_owned(),
        Some(OnTimeout::Default) | None => format!("the default: {default}"),
    }
}

fn through(via: Via) -> &'static str {
    match via {
        Via::Web => " in the browser",
        Via::Cli => " on the command line",
        Via::Tui => " on the terminal screen",
        Via::Comment => " by a comment",
        Via::Terminal => " in the agent's terminal",
        Via::Api => " over the API",
        Via::Notification => " from a notification",
        Via::AgentClient => " in the agent's own program",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::UnixMs;

    #[test]
    fn a_time_out_is_never_told_as_a_refusal_and_a_winner_is_named() {
        let of = |by, value: Option<&str>| Resolution {
            value: value.map(str::to_owned),
            ..Resolution::of(by, UnixMs(0))
        };
        let default = of(ResolvedBy::Timeout, Some("wait"));
        assert_eq!(verdict(&default), "nobody answered in time, so the default was taken: wait");
        let unseen = Resolution { nobody_saw_it: true, ..of(ResolvedBy::Timeout, None) };
        assert_eq!(verdict(&unseen), "nobody saw it in time");
        let won = Resolution {
            actor: Some("ada".to_owned()),
            via: Some(Via::Web),
            ..of(ResolvedBy::Human, Some("pg"))
        };
        assert_eq!(verdict(&won), "ada answered in the browser: pg");
        let own = Resolution {
            via: Some(Via::AgentClient),
            verified: false,
            ..of(ResolvedBy::Human, Some("pg"))
        };
        let words = "somebody answered in the agent's own program, unverified: pg";
        assert_eq!(verdict(&own), words);
        let declined = Resolution { value: None, declined: true, ..own };
        let words = "somebody did not want to answer in the agent's own program, unverified";
        assert_eq!(verdict(&declined), words);
    }
}
