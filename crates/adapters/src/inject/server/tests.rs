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
fn one_that_a_person_has_written_is_no_other_hubs() {
    for recipe in all() {
        let Part::Server(form) = recipe.part else { panic!("a server") };
        let program = "/usr/local/bin/headsup";
        let command = match form.style {
            Style::OneList => json!([program, "mcp"]),
            _ => json!(program),
        };
        let text = match form.style {
            Style::Table => format!("[mcp_servers.headsup]\ncommand = {command}\n"),
            _ => json!({ form.within: { NAME: { "command": command } } }).to_string(),
        };
        let found = recipe.inspect(&text, LAUNCHER).unwrap();
        assert!(found.others == 1 && found.elsewhere.is_empty(), "{}: {found:?}", recipe.kind);
        assert!(!recipe.is_all_ours(&text), "{}", recipe.kind);
        let ours = recipe.append(&text, LAUNCHER).unwrap();
        assert!(recipe.inspect(&ours, LAUNCHER).unwrap().is_complete(), "{ours}");
    }
}

#[test]
fn one_that_a_person_had_is_there_again_without_ours_also_in_a_file_that_was_edited_since() {
    for recipe in all() {
        let Part::Server(form) = recipe.part else { panic!("a server") };
        let program = "/usr/local/bin/headsup";
        let (command, env) = match form.style {
            Style::OneList => (json!([program, "mcp"]), "environment"),
            _ => (json!(program), "env"),
        };
        let mine = json!({ "command": command, env: { "MINE": "1" }, "trust": true });
        let text = match is_toml(recipe) {
            true => format!(
                "[mcp_servers.headsup]\ncommand = {command}\ntrust = true\n\n\
                 [mcp_servers.headsup.env]\nMINE = \"1\"\n"
            ),
            false => json!({ form.within: { NAME: mine } }).to_string(),
        };
        let ours = recipe.append(&text, LAUNCHER).unwrap();
        assert!(recipe.inspect(&ours, LAUNCHER).unwrap().is_complete(), "{ours}");
        let edited = match is_toml(recipe) {
            true => format!("{ours}\n[more]\nweb = true\n"),
            false => ours.replacen('{', "{\"more\": {}, ", 1),
        };
        let removed = recipe.remove(&edited, LAUNCHER, Some(&text)).unwrap();
        assert_eq!(there(recipe, &removed), mine, "{}: {removed}", recipe.kind);
        assert!(read(recipe, &removed)["more"].is_object(), "{}: {removed}", recipe.kind);
        // One of a hub was no person's.
        for original in [None, Some(recipe.append("", OTHER).unwrap()), Some(ours)] {
            let removed = recipe.remove(&edited, LAUNCHER, original.as_deref()).unwrap();
            assert!(!removed.contains("headsup"), "{}: {removed}", recipe.kind);
        }
    }
    // All in one line.
    let text = "[mcp_servers]\nheadsup = { command = \"/usr/local/bin/headsup\" } # mine\n";
    let ours = CODEX.append(text, LAUNCHER).unwrap();
    let removed = CODEX.remove(&format!("{ours}[more]\n"), LAUNCHER, Some(text)).unwrap();
    assert_eq!(there(&CODEX, &removed), json!({ "command": "/usr/local/bin/headsup" }));
}

#[test]
fn very_many_members_on_one_line_stay_on_it() {
    let members: Vec<String> = (0..2_000).map(|number| format!("\"m{number}\":{number}")).collect();
    let line = members.join(",");
    for recipe in all().iter().filter(|recipe| !is_toml(recipe)) {
        let installed = recipe.append(&format!("{{{line}}}"), LAUNCHER).unwrap();
        assert!(installed.contains(&line), "{}", recipe.kind);
        assert!(recipe.inspect(&installed, LAUNCHER).unwrap().is_complete(), "{}", recipe.kind);
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

/// The server of our name in there.
fn there(recipe: &Recipe, text: &str) -> Value {
    let Part::Server(form) = recipe.part else { panic!("a server") };
    let server = match form.style {
        Style::Table => lines::server(form, text),
        _ => json::server(form, text),
    };
    server.unwrap().unwrap()
}

/// JSON as a formatter writes it that likes commas.
fn with_commas(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_last = |number: usize| {
        lines.get(number + 1).is_some_and(|next| next.trim_start().starts_with(['}', ']']))
    };
    let comma = |(number, line): (usize, &&str)| {
        let wants = is_last(number) && !line.ends_with(['{', '[', ',']);
        format!("{line}{}\n", if wants { "," } else { "" })
    };
    lines.iter().enumerate().map(comma).collect()
}

#[test]
fn ours_is_known_with_commas_and_comments_in_it() {
    for recipe in all().iter().filter(|recipe| !is_toml(recipe)) {
        for before in ["", theirs(recipe)] {
            let installed = recipe.append(before, LAUNCHER).unwrap();
            let commented = "\"headsup\": { // mine\n/* mine */";
            for edited in [
                with_commas(&installed),
                installed.replacen("\"headsup\": {", commented, 1),
                with_commas(&installed).replacen("\"headsup\": {", commented, 1),
            ] {
                assert_ne!(edited, installed, "{}", recipe.kind);
                assert!(recipe.inspect(&edited, LAUNCHER).unwrap().is_complete(), "{edited}");
                assert_eq!(recipe.append(&edited, LAUNCHER).unwrap(), edited);
                assert_eq!(recipe.is_all_ours(&edited), before.is_empty(), "{edited}");
                let removed = recipe.remove(&edited, LAUNCHER, Some(before)).unwrap();
                assert!(!removed.contains("headsup") && !removed.contains("mine"), "{removed}");
                assert_eq!(removed.contains("docs"), !before.is_empty(), "{removed}");
                assert!(super::super::entries::parse(&removed).is_ok(), "{removed}");
                if before.is_empty() {
                    assert_eq!(read(recipe, &removed), serde_json::json!({}), "{removed}");
                }
            }
        }
    }
}

#[test]
fn what_a_person_has_put_into_ours_stays_when_it_is_brought_up_to_date() {
    for recipe in all() {
        let others = recipe.append(theirs(recipe), OTHER).unwrap();
        let edited = match is_toml(recipe) {
            true => others
                .replacen("[mcp_servers.headsup]", "[mcp_servers.headsup] # mine\ntrust = true", 1)
                .replacen("{ HEADSUP_HOME", "{ MINE = \"1\", HEADSUP_HOME", 1)
                .replacen("tool_timeout_sec = 330", "# mine, too", 1),
            false => others
                .replacen("\"headsup\": {", "\"headsup\": {\n\"trust\": true, // mine", 1)
                .replacen("\"timeout\": 330000", "\"then\": 1", 1)
                .replacen(
                    "\"HEADSUP_HOME\"",
                    "\"MINE\": \"1\", /* mine, too */\"HEADSUP_HOME\"",
                    1,
                ),
        };
        let ours = recipe.append(&edited, LAUNCHER).unwrap();
        let Part::Server(form) = recipe.part else { panic!("a server") };
        let mut expected = wished(form.style, LAUNCHER);
        expected["trust"] = Value::Bool(true);
        if !is_toml(recipe) {
            expected["then"] = Value::from(1);
        }
        let env = if form.style == Style::OneList { "environment" } else { "env" };
        expected[env]["MINE"] = Value::from("1");
        assert_eq!(there(recipe, &ours), expected, "{}: {ours}", recipe.kind);
        for comment in [" mine\n", " mine, too"] {
            assert!(ours.contains(comment), "{}: {ours}", recipe.kind);
        }
        assert_eq!(recipe.append(&ours, LAUNCHER).unwrap(), ours);
        assert!(recipe.inspect(&ours, LAUNCHER).unwrap().is_complete(), "{ours}");
        let removed = recipe.remove(&ours, LAUNCHER, None).unwrap();
        assert!(!removed.contains("headsup") && !removed.contains("trust"), "{removed}");
    }
}

#[test]
fn one_that_a_person_has_switched_off_stays_off_and_that_is_said() {
    for (kind, on, off) in [
        ("opencode", "\"enabled\": true", "\"enabled\": false"),
        ("gemini-cli", "\"trust\": true", "\"enabled\": false"),
        ("codex", "[mcp_servers.headsup]", "[mcp_servers.headsup]\nenabled = false"),
    ] {
        let recipe = of(kind).unwrap();
        let others =
            recipe.append("", OTHER).unwrap().replacen("\"args\"", "\"trust\": true, \"args\"", 1);
        let edited = others.replacen(on, off, 1);
        assert_ne!(edited, others, "{kind}");
        let ours = recipe.append(&edited, LAUNCHER).unwrap();
        assert_eq!(there(recipe, &ours)["enabled"], false, "{kind}: {ours}");
        let found = recipe.inspect(&ours, LAUNCHER).unwrap();
        assert!(found.is_complete() && found.problems[0].contains("switched off"), "{found:?}");
    }
    let recipe = of("copilot-cli").unwrap();
    let few = recipe.append("", OTHER).unwrap().replacen("\"*\"", "\"get_task\"", 1);
    let ours = recipe.append(&few, LAUNCHER).unwrap();
    assert_eq!(there(recipe, &ours)["tools"], serde_json::json!(["get_task"]));
}

#[test]
fn a_table_goes_and_every_comment_beside_it_stays() {
    let mine = "# mine\nmodel = \"x\"\nlimit = nan\n";
    let installed = CODEX.append(mine, LAUNCHER).unwrap();
    for behind in [
        "# work profile, do not touch\n[profiles.work]\nmodel = \"y\"\n",
        "\n# todo",
        "# one\n\n[[more]]\n# two\n\n[mcp_servers.docs]\ncommand = \"docs\"\n",
    ] {
        let (text, rest) = (format!("{installed}{behind}"), format!("{mine}{behind}"));
        assert_eq!(CODEX.remove(&text, LAUNCHER, None).unwrap(), rest);
        let [text, rest] = [text, rest].map(|text| text.replace('\n', "\r\n"));
        assert_eq!(CODEX.remove(&text, LAUNCHER, None).unwrap(), rest);
        let older = text.replacen("tool_timeout_sec = 330", "tool_timeout_sec = 60", 1);
        assert_eq!(CODEX.append(&older, LAUNCHER).unwrap(), text, "where it stands");
    }
}

#[test]
fn a_table_is_known_however_it_is_written() {
    let inline = lines::inline(&wished(Style::Table, LAUNCHER));
    let installed = CODEX.append("", LAUNCHER).unwrap();
    let headed = |header: &str| installed.replacen("[mcp_servers.headsup]", header, 1);
    let lines = || installed.lines().skip(1);
    let dotted = lines().map(|line| format!("headsup.{line}\n")).collect::<Vec<_>>().concat();
    let own = lines().filter(|line| !line.starts_with("env = ")).collect::<Vec<_>>().join("\n");
    let below = format!(
        "[mcp_servers.headsup]\n{own}\n\n[other]\n\n[mcp_servers.headsup.env] # ours\n\
         HEADSUP_HOME = {}\n",
        wished(Style::Table, LAUNCHER)["env"]["HEADSUP_HOME"]
    );
    for (text, rest) in [
        (headed("[mcp_servers.\"headsup\"]"), ""),
        (headed("[ mcp_servers . headsup ] # x"), ""),
        (
            format!("[mcp_servers]\nheadsup = {inline} # x\n# mine\ndocs = {{}}\n"),
            "[mcp_servers]\n# mine\ndocs = {}\n",
        ),
        (format!("# mine\nmcp_servers.headsup = {inline}\na = 1\n"), "# mine\na = 1\n"),
        (format!("[mcp_servers]\n{dotted}docs = {{}}\n"), "[mcp_servers]\ndocs = {}\n"),
        (below, "\n[other]\n"),
    ] {
        assert!(CODEX.inspect(&text, LAUNCHER).unwrap().is_complete(), "{text}");
        assert_eq!(CODEX.append(&text, LAUNCHER).unwrap(), text);
        assert_eq!(CODEX.remove(&text, LAUNCHER, None).unwrap(), rest, "{text}");
        let older =
            text.replacen("= 330", "= 60", 1).replacen("\"PANOPTICON_AGENT_ID\"", "\"X\"", 1);
        assert_eq!(CODEX.append(&older, LAUNCHER).unwrap(), text, "where it stands");
    }
    // What cannot be taken out without its neighbours is not taken for gone.
    let within = format!("mcp_servers = {{ docs = {{}}, headsup = {inline} }}\n");
    assert!(CODEX.inspect(&within, LAUNCHER).unwrap().is_complete());
    assert!(CODEX.remove(&within, LAUNCHER, None).is_err());
}

#[test]
fn one_that_runs_the_launcher_under_another_name_or_in_another_way_is_named() {
    for recipe in all() {
        let Part::Server(form) = recipe.part else { panic!("a server") };
        let installed = recipe.append(theirs(recipe), LAUNCHER).unwrap();
        let strays = |text: &str| recipe.strays(text, LAUNCHER);
        let none = recipe.remove(&installed, LAUNCHER, None).unwrap();
        assert_eq!(strays(&none), [""; 0], "{}", recipe.kind);
        assert_eq!(strays(&recipe.append("", OTHER).unwrap()), [""; 0], "another hub's");
        let renamed = installed.replacen("headsup", "mine", 1);
        assert_eq!(recipe.remove(&renamed, LAUNCHER, None).unwrap(), renamed);
        assert_eq!(strays(&renamed), [format!("{}.mine", form.within)], "{renamed}");
        let quoted = Value::from(LAUNCHER).to_string();
        let instead = match form.style {
            Style::Table => format!("\"nice\"\nthen = {quoted}"),
            Style::OneList => format!("\"nice\", {quoted}"),
            _ => format!("\"nice\", \"then\": {quoted}"),
        };
        let wrapped = installed.replacen(&quoted, &instead, 1);
        assert_eq!(recipe.remove(&wrapped, LAUNCHER, None).unwrap(), wrapped);
        assert_eq!(strays(&wrapped), [format!("{}.headsup", form.within)], "{wrapped}");
    }
}
