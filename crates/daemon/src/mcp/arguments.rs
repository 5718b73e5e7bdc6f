//! The arguments of a call, held against the table: what is not in it is refused, by name.

use super::failure::Failure;
use super::table::{Kind, Parameter, Tool};
use headsup_core::prompt::input::MOST_OPTIONS;
use serde_json::{Map, Value};

/// Characters in one option.
const LONGEST_OPTION: usize = 200;

/// The arguments as they came, or why they are refused.
pub(crate) fn check(
    tool: &Tool,
    given: Option<Map<String, Value>>,
) -> Result<Map<String, Value>, Failure> {
    let mut given = given.unwrap_or_default();
    let names = || tool.parameters.iter().map(|parameter| parameter.name);
    if let Some(stranger) = given.keys().find(|key| !names().any(|name| name == key.as_str())) {
        let takes = match tool.parameters {
            [] => "it takes none".to_owned(),
            _ => format!("it takes {}", names().collect::<Vec<_>>().join(", ")),
        };
        let message = format!("{} has no argument {stranger:?}; {takes}", tool.name);
        return Err(Failure::of_arguments("unknown_argument", message).allowed(names()));
    }
    for parameter in tool.parameters {
        match given.get(parameter.name) {
            Some(value) => fits(parameter, value)?,
            None if parameter.is_required => {
                let message = format!("{} needs the argument {:?}", tool.name, parameter.name);
                let required = tool.parameters.iter().filter(|of| of.is_required);
                let failure = Failure::of_arguments("missing_argument", message);
                let required: Vec<_> = required.map(|of| of.name).collect();
                return Err(failure.hint(format!("Required: {}", required.join(", "))));
            }
            None => {}
        }
    }
    let wholes = tool.parameters.iter().filter(|of| matches!(of.kind, Kind::Whole { .. }));
    for parameter in wholes {
        if let Some(value) = given.get_mut(parameter.name) {
            *value = whole(value);
        }
    }
    Ok(given)
}

/// A whole number as the hub reads it: some clients write 30.0.
fn whole(value: &Value) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and within small limits")]
    value.as_f64().map_or_else(|| value.clone(), |number| Value::from(number as i64))
}

fn fits(parameter: &Parameter, value: &Value) -> Result<(), Failure> {
    let wrong = |wanted: String| {
        let message = format!("{:?} is {wanted}, and not {}", parameter.name, shown(value));
        Err(Failure::of_arguments("invalid_argument", message))
    };
    match parameter.kind {
        Kind::Text(most) if is_text(value, most) => Ok(()),
        Kind::Text(most) => wrong(format!("a text of 1 to {most} characters")),
        Kind::MaybeEmpty(most) if value == "" || is_text(value, most) => Ok(()),
        Kind::MaybeEmpty(most) => wrong(format!("a text of at most {most} characters")),
        Kind::Uuid if value.as_str().is_some_and(is_uuid) => Ok(()),
        Kind::Uuid => wrong("a UUID, as create_pr and list_session_prs give it".to_owned()),
        Kind::OneOf(words) | Kind::FirstOf(words)
            if value.as_str().is_some_and(|word| words.contains(&word)) =>
        {
            Ok(())
        }
        Kind::OneOf(words) | Kind::FirstOf(words) => {
            let failure = wrong(format!("one of {}", words.join(", ")));
            failure.map_err(|failure: Failure| failure.allowed(words))
        }
        Kind::Whole { least, most, .. } if is_within(value, least, most) => Ok(()),
        Kind::Whole { least, most, .. } => wrong(format!("a whole number from {least} to {most}")),
        Kind::Number { least, most }
            if value.as_f64().is_some_and(|value| (least..=most).contains(&value)) =>
        {
            Ok(())
        }
        Kind::Number { least, most } => wrong(format!("a number from {least} to {most}")),
        Kind::Flag { .. } if value.is_boolean() => Ok(()),
        Kind::Flag { .. } => wrong("true or false".to_owned()),
        Kind::Texts { most, length } => match value.as_array() {
            Some(texts)
                if texts.len() <= most && texts.iter().all(|text| is_text(text, length)) =>
            {
                Ok(())
            }
            _ => wrong(format!("a list of at most {most} texts of 1 to {length} characters")),
        },
        Kind::Options => match value.as_array() {
            Some(options) if options.len() <= MOST_OPTIONS && options.iter().all(is_option) => {
                Ok(())
            }
            _ => wrong(format!(
                "a list of at most {MOST_OPTIONS} options: texts of 1 to {LONGEST_OPTION} characters, \
                 or {{label, value?, description?}}"
            )),
        },
    }
}

fn is_text(value: &Value, most: usize) -> bool {
    let text = value.as_str();
    text.is_some_and(|text| !text.trim().is_empty() && text.chars().count() <= most)
}

/// Also one that is written as 30.0.
fn is_within(value: &Value, least: i64, most: i64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "limits are small")]
    let (least, most) = (least as f64, most as f64);
    value.as_f64().is_some_and(|value| value.fract() == 0.0 && (least..=most).contains(&value))
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths = groups.iter().map(|group| group.len());
    lengths.eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_option(value: &Value) -> bool {
    let Some(members) = value.as_object() else { return is_text(value, LONGEST_OPTION) };
    let is_known = |(name, value): (&String, &Value)| match name.as_str() {
        "label" | "value" => is_text(value, LONGEST_OPTION),
        "description" => value.is_string(),
        _ => false,
    };
    members.contains_key("label") && members.iter().all(is_known)
}

/// What came instead, cut where it is long.
fn shown(value: &Value) -> String {
    const MOST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests;
