//! The state folder is gone, and what was installed from it is still there: nothing remembers what was before.

use crate::install::{home, write};
use headsup_adapters::inject::{Recipe, recipe, recipes};
use headsup_testkit::home::{Done, Home};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Two of them have what shells, JSON and TOML write in another way.
const STATES: [&str; 3] = ["plain", "it's ours", "an \"odd\" \\ one"];

/// One hub of a home, and one program.
struct Case<'a> {
    home: &'a Home,
    state: PathBuf,
    recipe: &'static Recipe,
}

impl<'a> Case<'a> {
    /// `None`: the program's entries cannot name such a path, which is refused.
    fn new(home: &'a Home, state: &str, recipe: &'static Recipe) -> Option<Self> {
        let state = home.state().join(state);
        let launcher = state.join("bin/headsup");
        recipe.append("", launcher.to_str().unwrap()).ok()?;
        Some(Self { home, state, recipe })
    }

    fn hooks(&self, act: &str, way: &[&str]) -> Done {
        let args = [&["hooks", act, self.recipe.kind][..], way].concat();
        let mut command = self.home.command(args);
        Done::from(command.env("HEADSUP_HOME", &self.state).output().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.home.path().join(self.recipe.folder).join(self.recipe.settings)
    }

    /// What is there was installed, and nobody knows that any more.
    fn install_and_forget(&self) {
        self.hooks("install", &["--live"]).ok();
        fs::remove_dir_all(&self.state).unwrap();
    }

    /// Installs it a second time: that is said, and known from then on.
    fn install_again(&self) {
        let done = self.hooks("install", &["--live"]);
        for word in ["remembered from now on", "nothing to change"] {
            assert!(done.ok().stderr.contains(word), "{}: {done:?}", self.recipe.kind);
        }
        let again = self.hooks("install", &["--live"]);
        assert!(!again.ok().stderr.contains("remembered"), "{}: {again:?}", self.recipe.kind);
    }

    fn uninstall(&self) {
        let done = self.hooks("uninstall", &[]);
        let is_nothing = done.ok().stderr.contains("nothing to change");
        assert!(!is_nothing, "{}, {}: {done:?}", self.recipe.kind, self.state.display());
    }
}

#[test]
fn what_was_made_goes_whatever_the_path_of_the_state_folder_holds() {
    for &recipe in recipes() {
        for state in STATES {
            for is_installed_again in [false, true] {
                let home = home();
                let Some(case) = Case::new(&home, state, recipe) else { continue };
                case.install_and_forget();
                assert!(case.path().is_file(), "{}", recipe.kind);
                if is_installed_again {
                    case.install_again();
                }
                case.uninstall();
                assert!(!case.path().exists(), "{}, {state}: it was ours alone", recipe.kind);
                let again = case.hooks("uninstall", &[]);
                assert!(again.ok().stderr.contains("nothing to change"), "{again:?}");
            }
        }
    }
}

#[test]
fn a_plugin_folder_is_remembered_again() {
    for state in STATES {
        let home = home();
        let case = Case::new(&home, state, recipe("claude-code").unwrap()).unwrap();
        let folder = home.path().join(".claude/skills/headsup");
        case.hooks("install", &[]).ok();
        fs::remove_dir_all(&case.state).unwrap();
        let done = case.hooks("install", &[]);
        assert!(done.ok().stderr.contains("remembered from now on"), "{done:?}");
        assert!(case.state.join("setup/claude-code.json").is_file(), "{state}");
        case.uninstall();
        assert!(!folder.exists(), "{state}");
    }
}

/// What a person has in such a file, as far as it can be told from what an install makes of it.
fn theirs(recipe: &Recipe) -> &'static [&'static str] {
    match (recipe.place(), Path::new(recipe.settings).extension()) {
        ("plugin file", _) => &[],
        (_, Some(ending)) if ending == "toml" => {
            &["a = 1", "a = 1\n", "# mine\r\n[b]\r\nc = 2\r\n", "a = 1 # no line end"]
        }
        _ => &["{\n  // mine\n  \"a\" : [1,2]\n}\n", "{\r\n\t\"a\": {\"b\":1},\r\n}"],
    }
}

#[test]
fn what_a_person_has_beside_ours_stays_to_the_byte() {
    for &recipe in recipes() {
        for text in theirs(recipe) {
            for is_installed_again in [false, true] {
                let home = home();
                let Some(case) = Case::new(&home, STATES[1], recipe) else { continue };
                write(&case.path(), text, 0o600);
                case.install_and_forget();
                if is_installed_again {
                    case.install_again();
                }
                case.uninstall();
                let left = fs::read_to_string(case.path()).unwrap();
                // Nobody knows who has written its version.
                let left = left.replacen("  \"version\": 1,\n", "", 1);
                let left = left.replacen("\t\"version\": 1,\r\n", "", 1);
                assert_eq!(left, *text, "{}", recipe.kind);
            }
        }
    }
}

#[test]
fn a_file_that_holds_nothing_goes_only_where_it_shows_that_it_was_ours() {
    for (kind, text, is_ours) in [
        // The end of a line is missing, which ours have.
        ("gemini-cli", "{}", false),
        ("qwen-code", "{}", false),
        // A file of our name, and one that is for hooks alone.
        ("copilot-cli", "{}", true),
        ("cursor", "{ \"hooks\": {} }", true),
    ] {
        let home = home();
        let case = Case::new(&home, STATES[0], recipe(kind).unwrap()).unwrap();
        write(&case.path(), text, 0o600);
        case.install_and_forget();
        case.uninstall();
        let left = fs::read_to_string(case.path()).ok();
        assert_eq!(left.as_deref(), (!is_ours).then_some(text), "{kind}");
    }
    // A link is a person's, whatever it leads to.
    let home = home();
    let case = Case::new(&home, STATES[0], recipe("gemini-cli").unwrap()).unwrap();
    let real = home.path().join("dotfiles/gemini.json");
    write(&real, "{}\n", 0o600);
    fs::create_dir_all(case.path().parent().unwrap()).unwrap();
    symlink(&real, case.path()).unwrap();
    case.install_and_forget();
    case.uninstall();
    assert!(case.path().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}\n");
}
