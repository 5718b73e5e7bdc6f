//! How many agents do what, in one line.

use crate::output::text;
use headsup_core::status::Headline;
use headsup_core::wire::AgentDoc;
use std::collections::BTreeMap;

/// What a status bar shows, in this order. Who sits idle is not news.
const SHOWN: [Headline; 9] = [
    Headline::Blocked,
    Headline::Crashed,
    Headline::Failed,
    Headline::Review,
    Headline::Working,
    Headline::Starting,
    Headline::Stopping,
    Headline::Done,
    Headline::Unknown,
];

#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// The hub has answered.
    pub(crate) is_known: bool,
    pub(crate) by_word: BTreeMap<&'static str, usize>,
    total: usize,
    attention: usize,
    /// The name of the first that wants a person, as one harmless line.
    pub(crate) first: Option<String>,
}

impl Counts {
    /// Of a roster in attention order.
    pub(crate) fn of(agents: &[AgentDoc]) -> Self {
        let mut counts = Self { is_known: true, total: agents.len(), ..Self::default() };
        for agent in agents {
            *counts.by_word.entry(agent.headline.word()).or_default() += 1;
            if agent.headline.wants_attention() {
                counts.attention += 1;
                counts.first.get_or_insert_with(|| text::line(&agent.name).into_owned());
            }
        }
        counts
    }

    fn count(&self, headline: Headline) -> usize {
        self.by_word.get(headline.word()).copied().unwrap_or_default()
    }

    /// `2 blocked · 5 working · 1 done`; how many are idle where nothing else is to be said.
    pub(crate) fn summary(&self) -> String {
        let part = |headline: Headline| match self.count(headline) {
            0 => None,
            count => Some(format!("{count} {}", headline.word())),
        };
        let parts: Vec<String> = SHOWN.into_iter().filter_map(part).collect();
        if parts.is_empty() { part(Headline::Idle).unwrap_or_default() } else { parts.join(" · ") }
    }

    /// For style sheets.
    pub(crate) fn class(&self) -> &'static str {
        match SHOWN.into_iter().find(|headline| self.count(*headline) > 0) {
            Some(headline) => headline.word(),
            None if self.total > 0 => Headline::Idle.word(),
            None => "none",
        }
    }
}

/// A template in which every `{word}` is one that can be filled in; `#{word}` is tmux's own.
pub(crate) fn template(text: &str) -> Result<String, String> {
    let none = Counts::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        rest = after;
        let Some((word, _)) = after.split_once('}') else { break };
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        let is_word = !word.is_empty() && word.bytes().all(is_part) && !before.ends_with('#');
        if is_word && value(word, &none).is_none() {
            let headlines = Headline::ALL.iter().map(|headline| headline.word());
            let known: Vec<&str> = FIELDS.into_iter().chain(headlines).collect();
            return Err(format!("there is no {{{word}}}; there are {}", known.join(", ")));
        }
    }
    Ok(text.to_owned())
}

/// What can be filled in beside the counts.
const FIELDS: [&str; 4] = ["total", "attention", "first", "summary"];

/// The template with its words filled in; `safe` makes a name harmless. What is no word of ours
/// stays as it stands.
pub(crate) fn fill(template: &str, counts: &Counts, safe: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((word, tail)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            break;
        };
        let Some(value) = value(word, counts) else {
            out.push('{');
            rest = after;
            continue;
        };
        out.push_str(&safe(&value));
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn value(word: &str, counts: &Counts) -> Option<String> {
    Some(match word {
        "total" => counts.total.to_string(),
        "attention" => counts.attention.to_string(),
        "first" => counts.first.clone().unwrap_or_default(),
        "summary" => counts.summary(),
        _ => counts.count(Headline::parse(word)?).to_string(),
    })
}

/// Text for a tmux format: in it `#` begins a command, a variable or a style.
pub(crate) fn tmux(text: &str) -> String {
    text::line(text).replace('#', "##")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture;

    fn counts(agents: &[(&str, Headline)]) -> Counts {
        let agents: Vec<AgentDoc<'static>> = agents
            .iter()
            .map(|(name, headline)| {
                let mut agent = fixture::agent("a", headline.word());
                agent.name = (*name).to_owned().into();
                agent
            })
            .collect();
        Counts::of(&agents)
    }

    #[test]
    fn what_wants_you_comes_first_and_idle_is_no_news() {
        use Headline::{Blocked, Done, Ended, Idle, Working};
        let some =
            counts(&[("a", Blocked), ("b", Done), ("c", Working), ("d", Working), ("e", Idle)]);
        assert_eq!(some.summary(), "1 blocked · 2 working · 1 done");
        assert_eq!((some.class(), some.attention, some.total), ("blocked", 2, 5));
        assert_eq!(counts(&[("a", Idle), ("b", Ended)]).summary(), "1 idle");
        assert_eq!(counts(&[]).summary(), "");
        assert_eq!(Counts::default().class(), "none");
    }

    #[test]
    fn a_template_is_filled_and_everything_else_stays() {
        let some = counts(&[("api", Headline::Blocked), ("b", Headline::Working)]);
        let filled = |template: &str| fill(template, &some, str::to_owned);
        assert_eq!(filled("{attention}/{total} {first}"), "1/2 api");
        assert_eq!(filled("{blocked}{done}"), "10");
        assert_eq!(filled("{x} {{blocked}} {blocked"), "{x} {1} {blocked");
        assert_eq!(filled("#[fg=red]{summary}"), "#[fg=red]1 blocked · 1 working");
    }

    #[test]
    fn a_word_that_nothing_stands_for_is_no_template() {
        for good in ["", "{total} {blocked}", "#{session_name}", "{", "{}", "{ x }", "{first"] {
            assert_eq!(template(good).as_deref(), Ok(good));
        }
        let why = template("{total} {bogus}").unwrap_err();
        for word in ["{bogus}", "total", "attention", "first", "summary", "blocked"] {
            assert!(why.contains(word), "{word}: {why}");
        }
    }

    #[test]
    fn a_name_cannot_speak_to_tmux() {
        let evil = "#(touch x)#[bg=red]#{session_name}\u{1b}[2J\u{7}\n";
        let some = counts(&[(evil, Headline::Blocked)]);
        let line = fill("{first}", &some, tmux);
        assert_eq!(line.trim_end(), "##(touch x)##[bg=red]##{session_name}[2J");
        assert!(!line.contains(|c: char| c.is_control()));
    }
}
