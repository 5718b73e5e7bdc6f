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
const LOWER_CORNERS: [char; 2] = ['╰', '└'];
/// Stands for anything in a choice, and in what ends a dialog.
const ANYTHING: char = '*';
/// Ends a line that the program has cut off, because it does not break that one.
const CUT: char = '…';
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
    #[serde(default)]
    indent: usize,
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
    /// It comes before the program's first prompt alone.
    #[serde(default)]
    opening: bool,
    /// Of its whole file.
    #[serde(skip)]
    marks: String,
    #[serde(skip)]
    framed: bool,
    /// That of its whole file, if it has none of its own.
    indent: Option<usize>,
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
    let Ok(File { marks, framed, indent, rule }) = toml::from_str::<File>(text) else {
        return Vec::new();
    };
    let with_its_files = |rule: Rule| {
        let indent = rule.indent.or(Some(indent));
        Rule { marks: marks.clone(), framed, indent, ..rule }
    };
    rule.into_iter().map(with_its_files).collect()
}

impl Rule {
    pub(super) fn shown(&'static self) -> Shown {
        match self.means {
            Means::Prompt => Shown::Prompt,
            Means::Dialog(reason) => {
                let (name, title) = (&self.name, &self.title);
                Shown::Dialog { name, reason, title, opening: self.opening }
            }
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
        if self.is_quoted(lines) {
            return false;
        }
        if !self.framed {
            return self.fits_plain(lines);
        }
        if !ends_a_box(lines) {
            return false;
        }
        let lines: Vec<String> = lines.iter().map(|line| without_frame(line)).collect();
        let lines = lines.iter().map(String::as_str).filter(|line| !line.is_empty());
        self.fits_plain(&lines.collect::<Vec<_>>())
    }

    /// Do all of its words stand somewhere there, whatever comes before, between and behind them?
    #[cfg(test)]
    pub(super) fn stands_in(&self, lines: &[&str]) -> bool {
        let plain =
            |line: &&str| if self.framed { without_frame(line) } else { (*line).to_owned() };
        let whole: String = lines.iter().map(plain).collect();
        let whole = dense(&[&whole]);
        let says =
            |words: &String| words.split(ANYTHING).all(|part| whole.contains(&dense(&[part])));
        let always = [&self.has, &self.headed, &self.choices];
        always.into_iter().flatten().all(says) && self.ends.iter().any(says)
    }

    /// Does the last line stand further in than the program draws it, as in a file that quotes it?
    fn is_quoted(&self, lines: &[&str]) -> bool {
        let indent = self.indent.unwrap_or_default();
        let is_deep = |line: &&str| line.len() - line.trim_start().len() > indent;
        self.means != Means::Prompt && lines.last().is_some_and(is_deep)
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
            return self.closes(lines, &whole);
        }
        (0..lines.len()).any(|first| self.menu_from(&lines[first..]))
    }

    /// Is all of the screen from one of its lines on the end of the dialog?
    fn closes(&self, lines: &[&str], whole: &str) -> bool {
        let ends: Vec<String> = self.ends.iter().map(|end| dense(&[end])).collect();
        let mut rest = whole;
        lines.iter().any(|line| {
            let is_end = ends.iter().any(|end| is_all_of(rest, end));
            rest = &rest[dense(&[line]).len()..];
            is_end
        })
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
        marks == 1 && self.ends.iter().any(|end| is_all_of(&footer, &dense(&[end])))
    }
}

/// Takes one choice, which a narrow terminal has broken over several lines or cut, off the beginning.
fn take<'a, 'b>(lines: &'a [&'b str], choice: &str, marks: &str) -> Option<(bool, &'a [&'b str])> {
    let first = lines.first()?.trim_start();
    let is_mark = |sign: char| marks.contains(sign);
    let is_marked = first.starts_with(is_mark);
    let mut text = dense(&[without_number(first.trim_start_matches(is_mark).trim_start())]);
    let mut taken = 1;
    while !is_choice(&text, choice) && !is_cut(&text, choice) {
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

/// Is it that choice, as far as there was room for it?
fn is_cut(text: &str, choice: &str) -> bool {
    let shown = text.strip_suffix(CUT).filter(|shown| !shown.is_empty());
    shown.is_some_and(|shown| may_become(shown, choice))
}

/// Is it all of that, whatever stands for anything there?
fn is_all_of(text: &str, pattern: &str) -> bool {
    let Some((before, pattern)) = pattern.split_once(ANYTHING) else { return text == pattern };
    let Some(mut rest) = text.strip_prefix(before) else { return false };
    let (between, after) = pattern.rsplit_once(ANYTHING).unwrap_or(("", pattern));
    for part in between.split(ANYTHING) {
        let Some((_, left)) = rest.split_once(part) else { return false };
        rest = left;
    }
    rest.ends_with(after)
}

/// Is it the beginning of that choice?
fn may_become(text: &str, choice: &str) -> bool {
    let before = choice.split_once(ANYTHING).map(|(before, _)| before);
    choice.starts_with(text) || before.is_some_and(|before| text.starts_with(before))
}

/// Is the end of the screen a box's: its lower edge, and a line with a side above that?
fn ends_a_box(lines: &[&str]) -> bool {
    let [.., above, edge] = lines else { return false };
    above.trim_start().starts_with(SIDES) && edge.trim_start().starts_with(LOWER_CORNERS)
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
