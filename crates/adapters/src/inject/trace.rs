//! What a file shows of ours where nobody remembers that it was put there.

use super::{Part, Recipe, quote};
use std::ffi::OsStr;
use std::path::Path;

/// What a file of entries is called that we alone make.
const OURS: &str = "headsup";

/// Whether the text names this launcher, in whichever way ours write it: as it is or as a word of a shell, and
/// either in a string of JSON, which TOML and scripts share.
pub fn names(text: &str, launcher: &str) -> bool {
    let in_string = |word: &str| {
        let string = serde_json::Value::from(word).to_string();
        string[1..string.len() - 1].to_owned()
    };
    let words = [launcher.to_owned(), quote(launcher)];
    words.iter().any(|word| text.contains(word.as_str()) || text.contains(&in_string(word)))
}

impl Recipe {
    /// Whether a file with this text, in which there is nothing but ours, was made for that, as far as it shows:
    /// it has our name, it says its version, as files for hooks alone do, or it is as we make one where there is
    /// none.
    pub fn has_made(&self, text: &str, launcher: &str) -> bool {
        let has_our_name = Path::new(self.settings).file_stem() == Some(OsStr::new(OURS));
        let is_for_hooks = matches!(self.part, Part::Entries(form) if form.version.is_some());
        let is_as_made = || self.append("", launcher).is_ok_and(|made| made == text);
        has_our_name || is_for_hooks || is_as_made() || self.is_of_some_version(text, launcher)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{recipe, recipes, server};
    use super::*;

    #[test]
    fn a_launcher_is_found_whatever_its_path_holds() {
        for home in ["/home/dev", "/home/o'neil", "/home/a \"b\"", "/home/a\\b", "/o'n \"\\\" é"] {
            let launcher = format!("{home}/bin/headsup");
            for recipe in recipes().iter().chain(server::all()) {
                // Some refuse such a path.
                let Ok(text) = recipe.append("", &launcher) else { continue };
                assert!(names(&text, &launcher), "{}: {text}", recipe.kind);
                assert!(!names(&text, "/home/bob/bin/headsup"), "{}: {text}", recipe.kind);
            }
        }
    }

    #[test]
    fn a_file_is_taken_for_made_by_us_where_it_shows_that() {
        const LAUNCHER: &str = "/home/dev/.headsup/bin/headsup";
        let has_made = |kind: &str, before: &str| {
            let recipe = recipe(kind).unwrap();
            recipe.has_made(&recipe.append(before, LAUNCHER).unwrap(), LAUNCHER)
        };
        for recipe in recipes() {
            assert!(has_made(recipe.kind, ""), "{}", recipe.kind);
        }
        for kind in ["gemini-cli", "qwen-code", "claude-code"] {
            assert!(!has_made(kind, "{}"), "{kind}: a person's own emptiness");
            assert!(!has_made(kind, "{ \"model\": 1 }\n"), "{kind}");
        }
        // Our name, and files for hooks alone.
        assert!(has_made("copilot-cli", "{}") && has_made("cursor", "{}"));
    }
}
