use super::*;
use std::collections::BTreeSet;

/// Screens as `capture-pane` gave them. `RULE.txt` and `RULE__how.txt` are told by that rule,
/// `false_positive_*.txt` by none.
macro_rules! screens {
    ($($name:ident),* $(,)?) => {
        &[$((stringify!($name), include_str!(concat!(
            "../../fixtures/screens/claude-code/2.1.330/", stringify!($name), ".txt"
        )))),*]
    };
}

const KIND: &str = "claude-code";
const NONE: &str = "false_positive_";

const SCREENS: &[(&str, &str)] = screens![
    api_key,
    bypass,
    false_positive_agent_shows_the_dialog,
    false_positive_agent_shows_the_dialog_narrow,
    false_positive_declined_in_the_scrollback,
    false_positive_in_a_pager,
    false_positive_in_an_editor,
    false_positive_question_in_another_language,
    false_positive_shell_after_cat,
    imports,
    login__in_a_session,
    login_code__in_a_session,
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
    match screen(KIND, version, text)? {
        Shown::Dialog { name, .. } => Some(name),
        Shown::Prompt => Some("prompt"),
    }
}

#[test]
fn each_screen_is_told_by_its_rule_and_by_no_other() {
    for (name, text) in SCREENS {
        let expected = (!name.starts_with(NONE)).then(|| name.split("__").next().unwrap());
        for version in [Some("2.1.330"), None] {
            let told = dialog(text, version);
            // An agent at rest is no dialog, whatever it has said.
            let told = told.filter(|told| *told != "prompt" || expected.is_some());
            assert_eq!(told, expected, "{name}");
        }
    }
}

#[test]
fn every_rule_has_a_screen() {
    let rules: BTreeSet<&str> = rules::of(KIND).iter().map(|rule| rule.name.as_str()).collect();
    let told: BTreeSet<&str> = SCREENS.iter().filter_map(|(_, text)| dialog(text, None)).collect();
    assert_eq!(rules, told);
    assert!(rules.len() > 10);
}

#[test]
fn a_screen_that_is_cut_tells_nothing() {
    // What is asked for signing in may stand there without a footer.
    let is_cut = |name: &str| !name.starts_with(NONE) && !name.starts_with("login");
    for (name, text) in SCREENS.iter().filter(|(name, _)| is_cut(name)) {
        let last = text.trim_end().rfind('\n').unwrap();
        assert_eq!(dialog(&text[..last], None).filter(|told| *told != "prompt"), None, "{name}");
        let more = format!("{}\nand more\n", text.trim_end());
        assert_eq!(dialog(&more, None), None, "{name}");
    }
}

#[test]
fn a_rule_holds_for_its_versions_alone() {
    let trust = SCREENS.iter().find(|(name, _)| *name == "trust").unwrap().1;
    for (version, told) in [("2.0.99", None), ("2.1.0", Some("trust")), ("3.0.1", Some("trust"))] {
        assert_eq!(dialog(trust, Some(version)), told, "{version}");
    }
    let rules: &'static [Rule] =
        rules::read("[[rule]]\nname='old'\nsince='1'\nuntil='2.1'\nmeans='other'\nends=['x']\n")
            .leak();
    let of = |version: Option<&str>| rules[0].is_of(version.and_then(numbers).as_deref());
    assert_eq!(
        [Some("2.0.9"), Some("2.1"), Some("0.9"), None].map(of),
        [true, false, false, false]
    );
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
