//! What an answer means to the prompt that it is for.

use super::{Choice, OpenPrompt};

/// What somebody says to a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Text(String),
    /// Several values or labels of options.
    Texts(Vec<String>),
    /// Options by their place, from 1.
    Options(Vec<usize>),
    Allow,
    Deny,
    /// What the asker would do by itself.
    Default,
    /// No answer: the person does not want to give one.
    Declined,
}

/// What an answer has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub value: String,
    /// Where several could be chosen.
    pub values: Vec<String>,
    pub default_used: bool,
}

/// Why an answer is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    #[error("an answer has at least one visible character")]
    Empty,
    #[error("at least one of its options is chosen")]
    NoneChosen,
    #[error("that is none of its options")]
    NoSuchOption,
    #[error("it has no options to choose from")]
    NoOptions,
    #[error("only one of its options can be chosen")]
    OnlyOne,
    #[error("it has no default")]
    NoDefault,
}

impl From<String> for Chosen {
    fn from(value: String) -> Self {
        Self { value, values: Vec::new(), default_used: false }
    }
}

/// What `said` chooses of an open prompt. A prompt without options takes any text; one with
/// options takes their values and labels, and nothing else.
pub fn choose(prompt: &OpenPrompt, said: &Said) -> Result<Chosen, BadAnswer> {
    let options = &prompt.ask.options;
    match said {
        Said::Text(text) if text.trim().is_empty() => Err(BadAnswer::Empty),
        Said::Text(text) if options.is_empty() => Ok(text.clone().into()),
        Said::Text(text) => several(prompt, &[named(options, text)?]),
        Said::Texts(_) if options.is_empty() => Err(BadAnswer::NoOptions),
        Said::Texts(texts) => {
            let chosen: Result<Vec<_>, _> = texts.iter().map(|text| named(options, text)).collect();
            several(prompt, &chosen?)
        }
        Said::Options(_) if options.is_empty() => Err(BadAnswer::NoOptions),
        Said::Options(places) => {
            let at = |place: &usize| options.get(place.checked_sub(1)?);
            let chosen: Option<Vec<_>> = places.iter().map(at).collect();
            several(prompt, &chosen.ok_or(BadAnswer::NoSuchOption)?)
        }
        Said::Allow if options.is_empty() => Ok("allow".to_owned().into()),
        Said::Deny if options.is_empty() => Ok("deny".to_owned().into()),
        Said::Allow => several(prompt, &[meant(options, &["allow", "yes", "approve", "ok"])?]),
        Said::Deny => several(prompt, &[meant(options, &["deny", "no", "reject", "refuse"])?]),
        Said::Default => {
            let input = prompt.input.as_ref().ok_or(BadAnswer::NoDefault)?;
            Ok(Chosen { default_used: true, ..input.default_action.clone().into() })
        }
        Said::Declined => Err(BadAnswer::Empty),
    }
}

/// The option of this value; else of this label.
fn named<'a>(options: &'a [Choice], text: &str) -> Result<&'a Choice, BadAnswer> {
    let text = text.trim();
    let by_value = options.iter().find(|option| option.value == text);
    let by_label = || options.iter().find(|option| option.label == text);
    by_value.or_else(by_label).ok_or(BadAnswer::NoSuchOption)
}

/// The one option that is called by one of these words.
fn meant<'a>(options: &'a [Choice], words: &[&str]) -> Result<&'a Choice, BadAnswer> {
    let is = |text: &str| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    let mut fitting = options.iter().filter(|option| is(&option.value) || is(&option.label));
    match (fitting.next(), fitting.next()) {
        (Some(option), None) => Ok(option),
        _ => Err(BadAnswer::NoSuchOption),
    }
}

fn several(prompt: &OpenPrompt, chosen: &[&Choice]) -> Result<Chosen, BadAnswer> {
    let mut values: Vec<String> = Vec::with_capacity(chosen.len());
    for option in chosen {
        if !values.contains(&option.value) {
            values.push(option.value.clone());
        }
    }
    match (prompt.ask.multi_select, values.len()) {
        (true, 0) => Err(BadAnswer::NoneChosen),
        (false, 0) => Err(BadAnswer::Empty),
        (true, _) => Ok(Chosen { value: values.join(", "), values, default_used: false }),
        (false, 1) => Ok(values.remove(0).into()),
        (false, _) => Err(BadAnswer::OnlyOne),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::{Actor, Input, NewPrompt, OnTimeout, Risk};
    use crate::source::Source;
    use crate::status::BlockedReason;
    use crate::time::UnixMs;

    fn prompt(options: &[(&str, &str)], multi_select: bool) -> OpenPrompt {
        let choice = |(label, value): &(&str, &str)| Choice {
            label: (*label).to_owned(),
            value: (*value).to_owned(),
            description: None,
        };
        let options = options.iter().map(choice).collect();
        let plain = NewPrompt::plain(BlockedReason::Question, Some("Which?"));
        let input = Input {
            dedupe_key: None,
            default_action: "wait".to_owned(),
            expires_at: UnixMs(9),
            on_timeout: OnTimeout::Default,
            risk: Risk::Low,
            moved_stage: true,
            delivered: Vec::new(),
            seen: Vec::new(),
        };
        OpenPrompt {
            id: "a-p1".to_owned(),
            actor: Actor::Main,
            opened_at: UnixMs(1),
            source: Source::Report,
            ask: NewPrompt { options, multi_select, ..plain },
            input: Some(Box::new(input)),
            by_notice: false,
            logged: None,
        }
    }

    fn said(prompt: &OpenPrompt, said: &Said) -> Result<String, BadAnswer> {
        choose(prompt, said).map(|chosen| chosen.value)
    }

    #[test]
    fn without_options_any_text_is_an_answer() {
        let open = prompt(&[], false);
        let text = |text: &str| Said::Text(text.to_owned());
        assert_eq!(said(&open, &text("the second")), Ok("the second".to_owned()));
        assert_eq!(said(&open, &text(" \n")), Err(BadAnswer::Empty));
        assert_eq!(said(&open, &Said::Options(vec![1])), Err(BadAnswer::NoOptions));
        assert_eq!(said(&open, &Said::Deny), Ok("deny".to_owned()));
        let chosen = choose(&open, &Said::Default).unwrap();
        assert_eq!((chosen.value.as_str(), chosen.default_used), ("wait", true));
    }

    #[test]
    fn with_options_one_of_them_is_chosen_by_place_value_or_label() {
        let open = prompt(&[("Postgres", "pg"), ("SQLite", "lite"), ("pg", "x")], false);
        let text = |text: &str| Said::Text(text.to_owned());
        for (said_of, value) in [
            (Said::Options(vec![1]), Ok("pg")),
            (Said::Options(vec![2, 2]), Ok("lite")),
            (text("pg"), Ok("pg")),
            (text("SQLite"), Ok("lite")),
            (text("purple"), Err(BadAnswer::NoSuchOption)),
            (Said::Options(vec![0]), Err(BadAnswer::NoSuchOption)),
            (Said::Options(vec![4]), Err(BadAnswer::NoSuchOption)),
            (Said::Options(vec![1, 2]), Err(BadAnswer::OnlyOne)),
            (Said::Options(vec![]), Err(BadAnswer::Empty)),
            (Said::Allow, Err(BadAnswer::NoSuchOption)),
        ] {
            assert_eq!(said(&open, &said_of), value.map(str::to_owned), "{said_of:?}");
        }
    }

    #[test]
    fn several_are_chosen_where_that_is_asked_for_and_yes_is_a_word_for_allow() {
        let open = prompt(&[("One", "1"), ("Two", "2"), ("Yes", "y")], true);
        let chosen = choose(&open, &Said::Options(vec![2, 1])).unwrap();
        assert_eq!((chosen.value.as_str(), chosen.values.len()), ("2, 1", 2));
        let texts = Said::Texts(vec!["One".to_owned(), "2".to_owned()]);
        assert_eq!(said(&open, &texts), Ok("1, 2".to_owned()));
        assert_eq!(said(&open, &Said::Options(Vec::new())), Err(BadAnswer::NoneChosen));
        assert_eq!(said(&open, &Said::Allow), Ok("y".to_owned()));
    }
}
