//! Words that programs put something else in the place of, wherever they stand in their configuration: also within
//! a path of ours.

use super::{Part, Recipe};
use crate::{gemini_cli, opencode, qwen_code};

/// Those for which a `$` before a name is a variable of their environment (Gemini CLI 0.61.0, Qwen Code 0.24.4:
/// read).
const WITH_VARIABLES: [&str; 2] = [gemini_cli::KIND, qwen_code::KIND];

/// Those that put in a variable, or a whole file, and do not start where that file is not there (OpenCode 1.18.33:
/// measured; Kilo is made of it).
const WITH_FILES: [&str; 2] = [opencode::KIND, opencode::KILO];

impl Recipe {
    /// Whether the program would take this path for another one.
    pub(super) fn replaces_in(&self, path: &str) -> bool {
        match self.part {
            Part::Entries(_) | Part::Server(_) if WITH_VARIABLES.contains(&self.kind) => {
                names_a_variable(path)
            }
            Part::Server(_) if WITH_FILES.contains(&self.kind) => {
                path.contains("{env:") || path.contains("{file:")
            }
            _ => false,
        }
    }
}

/// `$NAME` or `${NAME}`.
fn names_a_variable(path: &str) -> bool {
    let begins = |c: char| c == '{' || c == '_' || c.is_ascii_alphanumeric();
    path.split('$').skip(1).any(|behind| behind.starts_with(begins))
}

#[cfg(test)]
mod tests {
    use crate::inject::{Unchanged, recipe, server};

    #[test]
    fn a_path_that_its_program_would_take_for_another_one_is_refused() {
        let variables = ["/a$HOME", "/${HOME}/b", "/a$b$_"];
        let files = ["/{env:HOME}", "/a{file:b}"];
        for (kind, odd, plain) in [
            ("gemini-cli", &variables[..], &files[..]),
            ("qwen-code", &variables[..], &files[..]),
            ("opencode", &files[..], &variables[..]),
            ("kilo", &files[..], &variables[..]),
        ] {
            let hooks = recipe(kind).unwrap();
            let tools = server::of(kind).unwrap();
            let is_refused = |home: &str| {
                let launcher = format!("{home}/bin/headsup");
                let refused: Result<String, _> = Err(Unchanged::Path(launcher.clone()));
                // What runs in its process is no configuration.
                let hooks = hooks.is_own_file() || hooks.append("", &launcher) == refused;
                hooks && tools.append("", &launcher) == refused
            };
            for home in odd {
                assert!(is_refused(home), "{kind} {home}");
            }
            for home in plain.iter().chain(&["/a$", "/$ b", "/$-", "/{x}"]) {
                assert!(!is_refused(home), "{kind} {home}");
                assert!(hooks.append("", &format!("{home}/bin/headsup")).is_ok(), "{kind} {home}");
            }
        }
    }

    #[test]
    fn what_an_earlier_version_has_put_there_goes() {
        let recipe = recipe("gemini-cli").unwrap();
        let launcher = "/a$HOME/bin/headsup";
        let written = recipe.append("", "/a/bin/headsup").unwrap();
        let written = written.replace("/a/bin/headsup", launcher).replace("='/a'", "='/a$HOME'");
        let left = recipe.remove(&written, launcher, None).unwrap();
        let left: serde_json::Value = serde_json::from_str(&left).unwrap();
        assert_eq!(left, serde_json::json!({}));
    }
}
