use super::*;

const LAUNCHER: &str = "/home/ada/it's \"here\"/bin/headsup";
const OTHER: &str = "/home/ada/other/bin/headsup";

fn is_toml(recipe: &Recipe) -> bool {
    matches!(recipe.part, Part::Server(Form { style: Style::Table, .. }))
}

fn read(recipe: &Recipe, text: &str) -> Value {
    match is_toml(recipe) {
        true => serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap(),
        false => serde_json::from_str(text).unwrap(),
    }
}

/// A file that others have written.
fn theirs(recipe: &Recipe) -> &'static str {
    match is_toml(recipe) {
        true => {
            "# mine\nmodel = \"x\"\n\n[mcp_servers.docs]\ncommand = \"docs\"\n\n[tools]\nweb = true\n"
        }
        false => {
            "{\n  \"model\": \"x\",\n  \"mcpServers\": {\n    \"docs\": { \"command\": \"docs\" }\n  },\n  \"mcp\": {\n    \"docs\": { \"type\": \"remote\" }\n  }\n}\n"
        }
    }
}

#[test]
fn ours_comes_beside_what_is_there_and_goes_again_to_the_byte() {
    for recipe in all() {
        for before in ["", theirs(recipe)] {
            let installed = recipe.append(before, LAUNCHER).unwrap();
            let Part::Server(form) = recipe.part else { panic!("a server") };
            let file = read(recipe, &installed);
            assert_eq!(file[form.within][NAME], wished(form.style, LAUNCHER), "{}", recipe.kind);
            if !before.is_empty() {
                assert_eq!(file["model"], "x");
                assert!(file[form.within]["docs"].is_object());
            }
            assert_eq!(recipe.append(&installed, LAUNCHER).unwrap(), installed);
            assert!(recipe.inspect(&installed, LAUNCHER).unwrap().is_complete());
            let removed = recipe.remove(&installed, LAUNCHER, Some(before)).unwrap();
            if !before.is_empty() {
                assert_eq!(removed, before, "{}", recipe.kind);
            }
            assert!(!removed.contains("headsup"), "{removed}");
        }
    }
}

#[test]
fn one_of_another_hub_is_replaced_and_one_of_somebody_else_is_not() {
    for recipe in all() {
        let others = recipe.append("", OTHER).unwrap();
        assert!(recipe.is_all_ours(&others));
        let found = recipe.inspect(&others, LAUNCHER).unwrap();
        assert_eq!(found.elsewhere, ["/home/ada/other"], "{}", recipe.kind);
        assert_eq!(recipe.remove(&others, LAUNCHER, None).unwrap(), others, "not ours to take");
        let ours = recipe.append(&others, LAUNCHER).unwrap();
        assert_eq!(read(recipe, &ours), read(recipe, &recipe.append("", LAUNCHER).unwrap()));
        let strange = others.replace(OTHER, "/usr/bin/true");
        assert_eq!(recipe.append(&strange, LAUNCHER), Err(Unchanged::Foreign), "{}", recipe.kind);
    }
}

#[test]
fn what_is_not_clear_is_left_alone() {
    for recipe in all() {
        assert!(recipe.append("[", LAUNCHER).is_err());
        assert!(recipe.remove("[", LAUNCHER, None).is_err());
    }
    let inline = "mcp_servers = { docs = { command = \"docs\" } }\n";
    assert!(CODEX.append(inline, LAUNCHER).is_err(), "it cannot be continued");
}

#[test]
fn a_server_is_known_by_the_name_of_its_program() {
    assert_eq!(of("claude").unwrap().settings, ".claude.json");
    assert_eq!(of("codex").unwrap().settings, "config.toml");
    assert!(of("nano").is_none());
}

#[test]
fn the_forms_for_others_name_the_same_server() {
    let generic: Value = serde_json::from_str(&print::generic(LAUNCHER)).unwrap();
    assert_eq!(generic["mcpServers"]["headsup"]["command"], LAUNCHER);
    let (_, skill) = print::form("oh-my-opencode").unwrap();
    let skill = skill("/h/bin/headsup");
    assert!(skill.starts_with("---\nname: headsup-tools\n"), "{skill}");
    assert!(skill.contains("mcp:\n  headsup:\n    command: \"/h/bin/headsup\"\n"), "{skill}");
    assert!(skill.contains("request_input"));
}
