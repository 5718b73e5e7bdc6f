//! A skill: a text that programs show to their model, which says when to report and when to ask.

use super::entries::BOM;
use super::script::{HEAD, is_same_text};
use super::{Found, Launch, Part, Probe, Recipe, Unchanged};
use crate::{claude_code, codex, copilot_cli, gemini_cli, opencode, qwen_code};

/// When to call which of our tools.
pub const SKILL: &str = include_str!("skill.md");

/// The line before what a skill says of itself.
const FENCE: &str = "---";
/// How it calls itself, and what it is called.
const NAME: &str = "name:";
const OURS: &str = "headsup-tools";

pub(crate) fn append(text: &str) -> Result<String, Unchanged> {
    if is_same_text(text, SKILL) {
        return Ok(text.to_owned());
    }
    if !text.is_empty() && !is_ours(text) {
        return Err(Unchanged::Foreign);
    }
    Ok(SKILL.to_owned())
}

/// Nothing stays of a file that is ours.
pub(crate) fn remove(text: &str) -> String {
    if is_ours(text) { String::new() } else { text.to_owned() }
}

pub(crate) fn inspect(text: &str) -> Found {
    let mut found = Found::default();
    match is_ours(text) {
        true if is_same_text(text, SKILL) => {
            found.entries.push(("skill".to_owned(), "headsup".to_owned()));
        }
        true => found.outdated = 1,
        false => found.missing = vec!["skill"],
    }
    found
}

/// One of ours is called so near its beginning, in whatever version, and whatever else is said there.
pub(crate) fn is_ours(text: &str) -> bool {
    let mut lines = text.trim_start_matches(BOM).lines().take(HEAD).map(str::trim_end);
    let is_ours = |line: &str| {
        let name = line.strip_prefix(NAME).map(str::trim);
        name.is_some_and(|name| name.trim_matches(['"', '\'']) == OURS)
    };
    lines.any(|line| line == FENCE) && lines.take_while(|line| *line != FENCE).any(is_ours)
}

/// Whether one of ours is not as this version writes it.
pub(crate) fn is_altered(text: &str) -> bool {
    is_ours(text) && !is_same_text(text, SKILL)
}

/// Each of them looks for folders with a `SKILL.md` in them, below its own. `skills/headsup` is where the
/// hooks of one of them are.
const fn skill(of: Recipe, path: &'static str) -> Recipe {
    Recipe {
        plugin: None,
        settings: path,
        managed: &[],
        after_settings: "it knows the skill from its next start on",
        advice: "",
        trust: None,
        off: &[],
        fetched: None,
        launch: Launch::AsTyped,
        part: Part::Skill,
        probe: Probe::Written(super::probe),
        ..of
    }
}

const PATH: &str = "skills/headsup-tools/SKILL.md";

static ALL: [Recipe; 6] = [
    skill(claude_code::RECIPE, PATH),
    skill(codex::RECIPE, PATH),
    skill(copilot_cli::RECIPE, PATH),
    skill(gemini_cli::RECIPE, PATH),
    skill(opencode::RECIPE, PATH),
    skill(qwen_code::RECIPE, PATH),
];

/// That of a kind.
pub fn of(kind: &str) -> Option<&'static Recipe> {
    ALL.iter().find(|recipe| recipe.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_ours_alone_and_goes_whole() {
        assert!(is_ours(SKILL), "it begins as ours do");
        for recipe in &ALL {
            let installed = recipe.append("", "/h/bin/headsup").unwrap();
            assert_eq!(recipe.append(&installed, "/h/bin/headsup").unwrap(), installed);
            assert_eq!(recipe.remove(&installed, "/h/bin/headsup", None).unwrap(), "");
            assert!(recipe.inspect(&installed, "/h/bin/headsup").unwrap().is_complete());
        }
        let older = SKILL.replace("board", "wall");
        assert_eq!(append(&older).unwrap(), SKILL);
        assert_eq!(inspect(&older).outdated, 1);
        assert!(is_altered(&older) && !is_altered(SKILL) && !is_altered("# mine\n"));
        assert_eq!(append("# mine\n"), Err(Unchanged::Foreign));
        assert_eq!(remove("# mine\n"), "# mine\n");
    }

    #[test]
    fn one_that_an_editor_or_a_person_has_touched_is_ours_and_only_the_latter_has_altered_it() {
        let name = "name: headsup-tools\n";
        for same in [
            SKILL.replace('\n', "\r\n"),
            format!("\u{feff}{SKILL}"),
            format!("{SKILL}\n"),
            SKILL.trim_end().to_owned(),
        ] {
            assert!(inspect(&same).is_complete() && !is_altered(&same), "{same}");
            assert_eq!(append(&same).unwrap(), same);
            assert_eq!(remove(&same), "", "{same}");
        }
        for touched in [
            SKILL.replace(name, "name: \"headsup-tools\"\n"),
            SKILL.replace(name, "license: MIT\nname: 'headsup-tools'\n"),
            format!("# mine\n\n{SKILL}"),
            format!("\n{}", SKILL.replace('\n', "\r\n")),
        ] {
            assert!(is_altered(&touched) && inspect(&touched).outdated == 1, "{touched}");
            assert_eq!(append(&touched).unwrap(), SKILL, "{touched}");
            assert_eq!(remove(&touched), "", "{touched}");
        }
        for theirs in [
            SKILL.replace(name, "name: my-headsup-tools\n"),
            SKILL.replace(name, "") + name,
            SKILL.replace("---\n", ""),
        ] {
            assert_eq!(append(&theirs), Err(Unchanged::Foreign), "{theirs}");
            assert_eq!(remove(&theirs), theirs);
        }
    }
}
