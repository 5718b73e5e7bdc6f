use super::*;
use std::collections::BTreeSet;

/// Screens as `capture-pane` gave them. `RULE.txt` and `RULE__how.txt` are told by that rule,
/// `false_positive_*.txt` by none.
macro_rules! screens {
    ($folder:literal; $($name:ident),* $(,)?) => {
        &[$((stringify!($name), include_str!(concat!(
            "../../fixtures/screens/", $folder, "/", stringify!($name), ".txt"
        )))),*]
    };
}

/// Screens by their names.
type Screens = &'static [(&'static str, &'static str)];

const KIND: &str = "claude-code";
const NONE: &str = "false_positive_";

/// The version and the screens of each kind.
const ALL: [(&str, &str, Screens); 5] = [
    (KIND, "2.1.330", SCREENS),
    ("codex", "0.169.0", CODEX),
    ("gemini-cli", "0.61.0", GEMINI_CLI),
    ("qwen-code", "0.24.4", QWEN_CODE),
    ("copilot-cli", "1.0.102", COPILOT_CLI),
];

const CODEX: Screens = screens![
    "codex/0.169.0";
    false_positive_command_center,
    false_positive_login_browser_quoted_in_a_readme,
    false_positive_login_in_a_pager,
    false_positive_login_key_shell_after_cat,
    false_positive_login_shell_after_cat,
    false_positive_prose_about_the_browser,
    false_positive_prose_about_the_key,
    false_positive_resume_picker_in_a_code_block,
    false_positive_trust_in_a_code_block,
    false_positive_typed_in_the_prompt,
    hook_review,
    hook_review__second_chosen,
    login,
    login__another_provider,
    login_browser,
    login_key,
    resume_picker,
    resume_picker__fork,
    resume_picker__narrow,
    trust,
    trust__narrow,
];

const GEMINI_CLI: Screens = screens![
    "gemini-cli/0.61.0";
    api_key,
    auth,
    auth__key_in_the_environment,
    demand,
    demand_switch,
    false_positive_answered_in_the_scrollback,
    false_positive_api_key_shell_after_cat,
    false_positive_auth_in_a_code_block,
    false_positive_it_begins_anew,
    false_positive_loop_found_halted_in_the_scrollback,
    false_positive_loop_found_shell_after_cat,
    false_positive_models_shell_after_cat,
    false_positive_quota_in_the_scrollback,
    false_positive_quota_shown_by_a_command,
    false_positive_shell_after_cat,
    false_positive_shown_by_a_command,
    loop_found,
    loop_found__narrow,
    loop_found__second_chosen,
    no_access,
    no_model,
    quota,
    quota__second_chosen,
    quota_switch,
    trust,
    trust__narrow,
];

const QWEN_CODE: Screens = screens![
    "qwen-code/0.24.4";
    auth,
    auth_step__access,
    auth_step__custom,
    auth_step__key,
    false_positive_auth_shown_by_a_command,
    false_positive_end_of_a_box,
    false_positive_end_of_a_box_with_a_menu,
    false_positive_loop_found_shell_after_cat,
    false_positive_loop_found_shown_by_a_command,
    false_positive_shell_after_cat,
    false_positive_shown_by_a_command,
    loop_found,
    trust,
    trust__a_folder_cut_off,
    trust__narrow,
];

const COPILOT_CLI: Screens = screens![
    "copilot-cli/1.0.102";
    false_positive_shell_after_cat,
    false_positive_shown_by_a_command,
    trust,
    trust__narrow,
];

const SCREENS: Screens = screens![
    "claude-code/2.1.330";
    api_key,
    bypass,
    false_positive_a_checklist,
    false_positive_agent_shows_the_dialog,
    false_positive_agent_shows_the_dialog_narrow,
    false_positive_api_key_answered_in_the_scrollback,
    false_positive_bypass_shell_after_cat,
    false_positive_declined_in_the_scrollback,
    false_positive_imports_in_a_code_block,
    false_positive_in_a_pager,
    false_positive_in_an_editor,
    false_positive_login_code_shell_after_cat,
    false_positive_login_in_a_code_block,
    false_positive_mcp_server_in_a_pager,
    false_positive_prompt_in_a_pager,
    false_positive_prose_about_the_picker,
    false_positive_prose_about_the_sign_in,
    false_positive_prose_about_the_theme,
    false_positive_prose_with_the_words_of_dialogs,
    false_positive_question_in_another_language,
    false_positive_quoted_in_a_readme,
    false_positive_quoted_sign_in,
    false_positive_security_notes_quoted_in_a_readme,
    false_positive_settings_error_quoted_in_a_readme,
    false_positive_shell_after_cat,
    false_positive_theme_in_a_pager,
    imports,
    login__in_a_session,
    login_code__first_run,
    login_code__in_a_session,
    login_first_run,
    mcp_server,
    prompt__at_rest,
    resume_picker,
    security_notes,
    settings_error,
    theme,
    trust,
    trust__very_narrow,
    trust__yes_chosen_and_narrow,
];

fn dialog(text: &str, version: Option<&str>) -> Option<&'static str> {
    dialog_of(KIND, text, version)
}

fn dialog_of(kind: &str, text: &str, version: Option<&str>) -> Option<&'static str> {
    match screen(kind, version, text)? {
        Shown::Dialog { name, .. } => Some(name),
        Shown::Prompt => Some("prompt"),
    }
}

#[test]
fn each_screen_is_told_by_its_rule_and_by_no_other() {
    for (kind, own, screens) in ALL {
        for (name, text) in screens {
            let expected = (!name.starts_with(NONE)).then(|| name.split("__").next().unwrap());
            for version in [Some(own), None] {
                let told = dialog_of(kind, text, version);
                // An agent at rest is no dialog, whatever it has said.
                let told = told.filter(|told| *told != "prompt" || expected.is_some());
                assert_eq!(told, expected, "{kind}: {name}");
            }
        }
    }
}

#[test]
fn every_rule_has_a_screen() {
    let mut count = 0;
    for (kind, _, screens) in ALL {
        let rules: BTreeSet<&str> = rules::of(kind).iter().map(|rule| rule.name.as_str()).collect();
        let told = screens.iter().filter_map(|(_, text)| dialog_of(kind, text, None));
        assert_eq!(rules, told.collect(), "{kind}");
        count += rules.len();
    }
    assert!(count > 16);
}

/// A screen that shows all the words of a rule, in a file, an answer or what has been, is not told by it.
#[test]
fn every_rule_has_a_screen_with_its_words_that_it_does_not_tell() {
    for (kind, _, screens) in ALL {
        for rule in rules::of(kind) {
            let is_quoted = |(_, text): &&(&str, &str)| {
                rule.stands_in(&lines_of(text)) && dialog_of(kind, text, None) != Some(&rule.name)
            };
            let found = screens.iter().filter(|(name, _)| name.starts_with(NONE)).find(is_quoted);
            assert!(found.is_some(), "{kind}: {}", rule.name);
        }
    }
}

#[test]
fn a_screen_that_is_cut_tells_nothing() {
    // What is asked for signing in may stand there without a footer.
    let is_cut = |name: &str| !name.starts_with(NONE) && !name.starts_with("login");
    for (kind, _, screens) in ALL {
        for (name, text) in screens.iter().filter(|(name, _)| is_cut(name)) {
            let last = text.trim_end().rfind('\n').unwrap();
            let cut = dialog_of(kind, &text[..last], None).filter(|told| *told != "prompt");
            assert_eq!(cut, None, "{kind}: {name}");
            let more = format!("{}\nand more\n", text.trim_end());
            assert_eq!(dialog_of(kind, &more, None), None, "{kind}: {name}");
        }
    }
}

#[test]
fn a_rule_holds_for_its_versions_alone() {
    let trust = SCREENS.iter().find(|(name, _)| *name == "trust").unwrap().1;
    for (version, told) in [("2.0.99", None), ("2.1.0", Some("trust")), ("3.0.1", Some("trust"))] {
        assert_eq!(dialog(trust, Some(version)), told, "{version}");
    }
    let rules: &'static [Rule] = rules::read(
        "marks='>'\n[[rule]]\nname='old'\nsince='1'\nuntil='2.1'\nmeans='other'\nends=['x']\n",
    )
    .leak();
    let of = |version: Option<&str>| rules[0].is_of(version.and_then(numbers).as_deref());
    assert_eq!(
        [Some("2.0.9"), Some("2.1"), Some("0.9"), None].map(of),
        [true, false, false, false]
    );
}

fn text_of(screens: Screens, wanted: &str) -> &'static str {
    screens.iter().find(|(name, _)| *name == wanted).unwrap().1
}

#[test]
fn a_choice_may_be_cut_where_there_is_no_room_for_it() {
    let narrow = text_of(GEMINI_CLI, "trust__narrow");
    let told = |words: &str| {
        assert!(narrow.contains("2. Trust parent folder (dev)"));
        dialog_of("gemini-cli", &narrow.replace("parent folder (dev)", words), None)
    };
    assert_eq!(told("parent folder (a-long-na…"), Some("trust"));
    assert_eq!(told("parent fol…"), Some("trust"));
    assert_eq!(told("parent fol… (dev)"), None);
    assert_eq!(told("another fol…"), None);
}

#[test]
fn what_stands_for_anything_may_stand_several_times() {
    let rules: &'static [Rule] = rules::read(
        "[[rule]]\nname='new'\nsince='1'\nmeans='other'\nends=['Ask * now * or * later']\n",
    )
    .leak();
    let fits = |lines: &[&str]| rules[0].fits(lines);
    assert!(fits(&["Ask me now or", "later"]));
    assert!(fits(&["of old", "Ask", "now, now or in", "no time, or later"]));
    assert!(!fits(&["He says: Ask me now or", "later"]), "from a line's beginning on");
    assert!(!fits(&["Ask me now or", "later", "again"]));
    assert!(!fits(&["Ask me or now", "later"]), "in their order");
    assert!(!fits(&["Ask me now or", " later"]), "further in than the program draws it");
}

/// A person may sign in again later.
#[test]
fn what_only_opens_a_program_says_so() {
    let opening = |wanted: &str| {
        let shown = screen(KIND, None, text_of(SCREENS, wanted));
        matches!(shown, Some(Shown::Dialog { opening: true, .. }))
    };
    assert!(opening("trust") && opening("theme") && opening("security_notes"));
    assert!(opening("login_first_run"));
    assert!(!opening("login__in_a_session") && !opening("resume_picker"));
    let quota = screen("gemini-cli", None, text_of(GEMINI_CLI, "quota"));
    let Some(Shown::Dialog { reason, opening, .. }) = quota else { panic!("no dialog") };
    assert_eq!((reason, opening), (BlockedReason::RateLimit, false));
}

#[test]
fn a_version_is_read_off_a_path() {
    let of = |path: &str| screen_version(Path::new(path));
    assert_eq!(of("/home/dev/.local/share/claude/versions/2.1.330").as_deref(), Some("2.1.330"));
    assert_eq!(of("/opt/claude-code-2.1/claude"), None);
    assert_eq!(of("/usr/bin/claude"), None);
}

#[test]
fn a_kind_without_rules_shows_nothing() {
    assert!(has_screens(KIND) && !has_screens("custom"));
    assert_eq!(screen("custom", None, SCREENS[0].1), None);
}
