//! A skill: a text that programs show to their model, which says when to report and when to ask.

use super::{Found, Launch, Part, Probe, Recipe, Unchanged};
use crate::{claude_code, codex, copilot_cli, gemini_cli, opencode, qwen_code};

/// When to call which of our tools.
pub const SKILL: &str = include_str!("skill.md");

/// How one of ours begins, in whatever version.
const BEGINNING: &str = "---\nname: headsup-tools\n";

pub(crate) fn append(text: &str) -> Result<String, Unchanged> {
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
        true if text == SKILL => found.entries.push(("skill".to_owned(), "headsup".to_owned())),
        true => found.outdated = 1,
        false => found.missing = vec!["skill"],
    }
    found
}

pub(crate) fn is_ours(text: &str) -> bool {
    text.starts_with(BEGINNING)
}

/// Whether one of ours is not as this version writes it.
pub(crate) fn is_altered(text: &str) -> bool {
    is_ours(text) && text != SKILL
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
}
