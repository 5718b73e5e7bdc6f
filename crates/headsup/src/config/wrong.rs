//! What is wrong with the settings: on which line, with which key, and what that takes.

use crate::error::CommandError;

/// The refusal of `text`, which is in the file `path`.
pub(super) fn wrong(text: &str, path: &str, error: &toml::de::Error) -> CommandError {
    let at = error.span().map_or(0, |span| span.start);
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let why = error.message();
    let why = why.lines().next().unwrap_or(why);
    let said = in_our_words(&key(text, at), why).unwrap_or_else(|| why.to_owned());
    let refused = CommandError::usage(format!("{path}:{line}: {said}")).code("bad_config");
    match nearest(why) {
        Some(key) => refused.hint(format!("is it {key:?}?")),
        None => refused,
    }
}

/// The key whose value, or the table whose head, is at this place.
fn key(text: &str, at: usize) -> String {
    let begins = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text.get(begins..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let plain = |word: &str| word.trim_matches([' ', '\t', '[', ']', '"', '\'']).to_owned();
    // In a table that stands in one line the last key before it is meant.
    let upto = text.get(begins..at).unwrap_or_default();
    let inner = upto.rsplit(['{', ',']).next().and_then(|part| part.split_once('='));
    match inner.or_else(|| line.split_once('=')) {
        Some((key, _)) => plain(key),
        None if line.trim_start().starts_with('[') => plain(line),
        None => "a value".to_owned(),
    }
}

/// Of a value that is not of the kind that the key takes.
fn in_our_words(key: &str, why: &str) -> Option<String> {
    let said =
        why.strip_prefix("invalid type: ").or_else(|| why.strip_prefix("invalid value: "))?;
    let (has, wants) = said.rsplit_once(", expected ")?;
    let takes = match wants {
        "u64" => "a whole number from 1 on",
        "u32" => "a whole number from 1 to 4294967295",
        "a boolean" => "true or false",
        "a string" | "path string" => "text in quotes",
        "a sequence" => "a list, as [\"one\", \"two\"]",
        "a map" => "a table",
        _ if wants.starts_with("struct ") => "a table",
        wants => wants,
    };
    Some(format!("{key} is {has}, and takes {takes}"))
}

/// The key that may have been meant by one that is unknown, of those that there are in its table.
fn nearest(why: &str) -> Option<&str> {
    let (unknown, rest) = why.strip_prefix("unknown field `")?.split_once('`')?;
    // Every second piece stands in quotes.
    let keys = rest.split('`').skip(1).step_by(2);
    let scored = keys.map(|key| (strsim::osa_distance(unknown, key), key));
    let (distance, key) = scored.min_by_key(|(distance, _)| *distance)?;
    // One letter, or in longer words one of three.
    (distance <= (key.len() / 3).max(1)).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn refused(text: &str) -> CommandError {
        Config::parse(text, "/c.toml").unwrap_err()
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_named_with_its_key_and_what_that_takes() {
        for (text, says) in [
            ("[retention]\nevents = -5\n", "/c.toml:2: events is integer `-5`, and takes a whole"),
            ("[retention]\ndays = \"x\"\n", "/c.toml:2: days is string \"x\", and takes a whole"),
            ("[retention]\ndays = 0\n", "/c.toml:2: days is integer `0`, and takes a whole number"),
            ("[retention]\n\nevents = 0\n", "/c.toml:3: events is integer `0`, and takes a whole"),
            ("github = { api = 1 }\n", "/c.toml:1: api is integer `1`, and takes text in quotes"),
            (
                "screen_rules = 1\n",
                "/c.toml:1: screen_rules is integer `1`, and takes true or false",
            ),
            ("\nlisten = 7717\n", "/c.toml:2: listen is integer `7717`, and takes text in quotes"),
        ] {
            let message = refused(text).message;
            assert!(message.starts_with(says), "{text}: {message}");
        }
    }

    #[test]
    fn only_a_key_that_is_near_and_in_the_same_table_may_have_been_meant() {
        for (text, hint) in [
            ("wat = 1\n", None),
            ("retenton = 1\n", Some("is it \"retention\"?")),
            ("[retention]\neventz = 1\n", Some("is it \"events\"?")),
            ("eventz = 1\n", None),
            ("[retention]\ncolor = 1\n", None),
        ] {
            assert_eq!(refused(text).hints.first().map(String::as_str), hint, "{text}");
        }
    }
}
