//! What holds for every recipe.

use super::*;

#[test]
fn what_is_quoted_is_read_again() {
    for text in ["", "/a b/c", "it's", "''", "a\\'b\"$c\n"] {
        assert_eq!(unquote(&format!("{} && x 'y'", quote(text))).as_deref(), Some(text));
    }
    for broken in ["", "x", "'x", r"'x'\''"] {
        assert_eq!(unquote(broken), None, "{broken}");
    }
}

#[test]
fn a_line_more_in_a_file_of_ours_is_seen_whichever_hub_has_written_it() {
    for recipe in recipes().iter().filter(|recipe| recipe.place() == "plugin file") {
        for launcher in ["/h/bin/headsup", "/an \"other\"/bin/headsup"] {
            let text = recipe.append("", launcher).unwrap();
            assert!(!recipe.is_altered(&text), "{}", recipe.kind);
            assert!(recipe.is_altered(&format!("{text}// mine\n")), "{}", recipe.kind);
        }
        assert!(!recipe.is_altered("// mine\n"), "{}", recipe.kind);
    }
}

/// A dialog about the folder comes before the first hook.
#[test]
fn of_each_program_that_asks_whether_to_trust_a_folder_it_is_said_and_for_which_version_that_holds()
{
    for kind in ["claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli"] {
        let advice = recipe(kind).unwrap().advice;
        let version = crate::support::of(kind).unwrap().version;
        for word in ["folder", "trust", version] {
            assert!(advice.contains(word), "{kind}: {advice}");
        }
    }
}
