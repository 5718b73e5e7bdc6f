//! Reading the rules, and holding one against a screen.

use super::{Shown, Version, numbers};
use crate::{claude_code, codex, copilot_cli, gemini_cli, qwen_code};
use headsup_core::status::BlockedReason;
use serde::Deserialize;
use std::sync::LazyLock;

/// What marks the choice that Enter would take, where a file does not say.
const MARKS: &str = "❯";
/// The sides of a box, and its edges.
const SIDES: [char; 3] = ['│', '┃', '|'];
const EDGE: char = '─';
/// Stands for anything in a choice, and in what ends a menu.
const ANYTHING: char = '*';
/// A choice is not longer. In lines.
const LONGEST_CHOICE: usize = 8;

static CLAUDE_CODE: LazyLock<Vec<Rule>> = LazyLock::new(|| read(claude_code::SCREENS));
static CODEX: LazyLock<Vec<Rule>> = LazyLock::new(|| read(codex::SCREENS));
static COPILOT_CLI: LazyLock<Vec<Rule>> = LazyLock::new(|| read(copilot_cli::SCREENS));
static GEMINI_CLI: LazyLock<Vec<Rule>> = LazyLock::new(|| read(gemini_cli::SCREENS));
static QWEN_CODE: LazyLock<Vec<Rule>> = LazyLock::new(|| read(qwen_code::SCREENS));

/// The rules of a kind, in the order of trial.
pub(super) fn of(kind: &str) -> &'static [Rule] {
    match kind {
        claude_code::KIND => &CLAUDE_CODE,
        codex::KIND => &CODEX,
        copilot_cli::KIND => &COPILOT_CLI,
        gemini_cli::KIND => &GEMINI_CLI,
        qwen_code::KIND => &QWEN_CODE,
        _ => &[],
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default = "usual_marks")]
    marks: String,
    #[serde(default)]
    framed: bool,
    rule: Vec<Rule>,
}

fn usual_marks() -> String {
    MARKS.to_owned()
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
    /// Headings: each is all that stands on a line.
    #[serde(default)]
    headed: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    #[serde(default)]
    choices: Vec<String>,
    ends: Vec<String>,
    /// Of its whole file.
    #[serde(skip)]
    marks: String,
    #[serde(skip)]
    framed: bool,
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
    let Ok(File { marks, framed, rule }) = toml::from_str::<File>(text) else { return Vec::new() };
    rule.into_iter().map(|rule| Rule { marks: marks.clone(), framed, ..rule }).collect()
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
        if !self.framed {
            return self.fits_plain(lines);
        }
        let lines: Vec<String> = lines.iter().map(|line| without_frame(line)).collect();
        let lines = lines.iter().map(String::as_str).filter(|line| !line.is_empty());
        self.fits_plain(&lines.collect::<Vec<_>>())
    }

    fn fits_plain(&self, lines: &[&str]) -> bool {
        let whole = dense(lines);
        let says = |words: &String| whole.contains(&dense(&[words]));
        let heads = |words: &String| {
            let heading = dense(&[words]);
            lines.iter().any(|line| dense(&[line]) == heading)
        };
        if !self.has.iter().all(says)
            || !self.headed.iter().all(heads)
            || self.lacks.iter().any(says)
        {
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
            let Some((is_marked, after)) = take(rest, &dense(&[choice]), &self.marks) else {
                return false;
            };
            marks += usize::from(is_marked);
            rest = after;
        }
        let footer = dense(rest);
        marks == 1 && self.ends.iter().any(|end| is_end(&footer, &dense(&[end])))
    }
}

/// Takes one choice, which a narrow terminal has broken over several lines, off the beginning.
fn take<'a, 'b>(lines: &'a [&'b str], choice: &str, marks: &str) -> Option<(bool, &'a [&'b str])> {
    let first = lines.first()?;
    let is_mark = |sign: char| marks.contains(sign);
    let is_marked = first.starts_with(is_mark);
    let mut text = dense(&[without_number(first.trim_start_matches(is_mark).trim_start())]);
    let mut taken = 1;
    while !is_choice(&text, choice) {
        if !may_become(&text, choice) || text.is_empty() || taken == LONGEST_CHOICE {
            return None;
        }
        text.push_str(&dense(&[lines.get(taken)?]));
        taken += 1;
    }
    Some((is_marked, &lines[taken..]))
}

fn is_choice(text: &str, choice: &str) -> bool {
    match choice.split_once(ANYTHING) {
        None => text == choice,
        Some((before, after)) => text
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .is_some_and(|between| !between.is_empty()),
    }
}

fn is_end(footer: &str, end: &str) -> bool {
    let rest = |(before, after)| footer.strip_prefix(before)?.strip_suffix::<&str>(after);
    footer == end || end.split_once(ANYTHING).and_then(rest).is_some()
}

/// Is it the beginning of that choice?
fn may_become(text: &str, choice: &str) -> bool {
    let before = choice.split_once(ANYTHING).map(|(before, _)| before);
    choice.starts_with(text) || before.is_some_and(|before| text.starts_with(before))
}

/// A line of a box without its sides; of its edges the corners are left.
fn without_frame(line: &str) -> String {
    let is_side = |c: char| c.is_whitespace() || SIDES.contains(&c);
    line.trim_matches(is_side).replace(EDGE, "")
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
