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

/// What the doctor sends is counted like any other event.
#[test]
fn a_probe_is_understood_and_names_its_session() {
    for recipe in recipes() {
        let (event, payload) = recipe.probe("doctor-1", "/tmp");
        let context = crate::HookContext::default();
        let seen = crate::hook(recipe.kind, Some(event), payload.as_bytes(), &context).unwrap();
        let is_read = !matches!(seen.fact, headsup_core::observation::Fact::NotUnderstood { .. });
        assert!(is_read, "{}: {seen:?}", recipe.kind);
        let told = (seen.session.as_deref(), seen.strange);
        assert_eq!(told, (Some("doctor-1"), None), "{}", recipe.kind);
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
