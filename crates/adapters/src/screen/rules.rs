//! Reading the rules, and holding one against a screen.

use super::{Shown, Version, numbers};
use crate::claude_code;
use headsup_core::status::BlockedReason;
use serde::Deserialize;
use std::sync::LazyLock;

/// What marks the choice that Enter would take.
const MARK: char = '❯';

static CLAUDE_CODE: LazyLock<Vec<Rule>> = LazyLock::new(|| read(claude_code::SCREENS));

/// The rules of a kind, in the order of trial.
pub(super) fn of(kind: &str) -> &'static [Rule] {
    match kind {
        claude_code::KIND => &CLAUDE_CODE,
        _ => &[],
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Rule>,
}

/// One rule, as it is written down.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) name: String,
    /// The first version that shows this.
    since: String,
    /// The first one that does not any more.
    until: Option<String>,
    means: Means,
    #[serde(default)]
    title: String,
    #[serde(default)]
    has: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    #[serde(default)]
    choices: Vec<String>,
    ends: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Means {
    Prompt,
    #[serde(untagged)]
    Dialog(BlockedReason),
}

/// Rules that cannot be read are none: the tests read them all.
pub(super) fn read(text: &str) -> Vec<Rule> {
    toml::from_str::<File>(text).map(|file| file.rule).unwrap_or_default()
}

impl Rule {
    pub(super) fn shown(&'static self) -> Shown {
        match self.means {
            Means::Prompt => Shown::Prompt,
            Means::Dialog(reason) => Shown::Dialog { name: &self.name, reason, title: &self.title },
        }
    }

    /// Does it hold for this version? `None`: for the newest one.
    pub(super) fn is_of(&self, version: Option<&[u64]>) -> bool {
        let bound = |text: &str| -> Version { numbers(text).unwrap_or_default() };
        match (version, &self.until) {
            (None, until) => until.is_none(),
            (Some(version), until) => {
                version >= bound(&self.since).as_slice()
                    && until.as_ref().is_none_or(|until| version < bound(until).as_slice())
            }
        }
    }

    /// `lines`: the last ones of the screen that are not blank.
    pub(super) fn fits(&self, lines: &[&str]) -> bool {
        let whole = dense(lines);
        let says = |words: &String| whole.contains(&dense(&[words]));
        if !self.has.iter().all(says) || self.lacks.iter().any(says) {
            return false;
        }
        if self.choices.is_empty() {
            return self.ends.iter().any(|end| whole.ends_with(&dense(&[end])));
        }
        (0..lines.len()).any(|first| self.menu_from(&lines[first..]))
    }

    /// Does the menu begin here, and nothing follow but its footer?
    fn menu_from(&self, lines: &[&str]) -> bool {
        let (mut rest, mut marks) = (lines, 0);
        for choice in &self.choices {
            let Some((is_marked, after)) = take(rest, &dense(&[choice])) else { return false };
            marks += usize::from(is_marked);
            rest = after;
        }
        let footer = dense(rest);
        marks == 1 && self.ends.iter().any(|end| footer == dense(&[end]))
    }
}

/// Takes one choice, which a narrow terminal has broken over several lines, off the beginning.
fn take<'a, 'b>(lines: &'a [&'b str], choice: &str) -> Option<(bool, &'a [&'b str])> {
    let first = lines.first()?;
    let is_marked = first.starts_with(MARK);
    let mut text = dense(&[without_number(first.trim_start_matches(MARK).trim_start())]);
    let mut taken = 1;
    while text != choice {
        if !choice.starts_with(&text) || text.is_empty() {
            return None;
        }
        text.push_str(&dense(&[lines.get(taken)?]));
        taken += 1;
    }
    Some((is_marked, &lines[taken..]))
}

/// `2. Red` is the choice `Red`.
fn without_number(line: &str) -> &str {
    match line.split_once(". ") {
        Some((number, rest)) if number.parse::<u8>().is_ok() => rest,
        _ => line,
    }
}

/// Without blanks, wherever lines were broken.
fn dense(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| line.chars()).filter(|c| !c.is_whitespace()).collect()
}
