//! What holds for every kind that hooks can be installed into, whatever its configuration looks like.

use crate::install::{home, write};
use headsup_adapters::inject::{Recipe, recipe, recipes};
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hook;
use headsup_testkit::http;
use headsup_testkit::hub::Hub;
use headsup_testkit::settings::snapshot;
use headsup_testkit::wait;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

fn settings(home: &Home, recipe: &Recipe) -> PathBuf {
    home.path().join(recipe.folder).join(recipe.settings)
}

fn launcher(home: &Home) -> String {
    home.state().join("bin/headsup").to_str().unwrap().to_owned()
}

fn is_toml(recipe: &Recipe) -> bool {
    Path::new(recipe.settings).extension().is_some_and(|ending| ending == "toml")
}

fn is_script(recipe: &Recipe) -> bool {
    recipe.place() == "plugin file"
}

/// Into the settings, also where there is a plugin folder.
fn install(home: &Home, recipe: &Recipe) -> Done {
    home.run(["hooks", "install", recipe.kind, "--live"])
}

/// What other people have there: settings with comments, and entries of exactly the right form.
fn theirs(recipe: &Recipe) -> Vec<String> {
    let entries = recipe.append("", "/opt/other tool/bin/it").unwrap_or_default();
    match (is_script(recipe), is_toml(recipe)) {
        (true, _) => Vec::new(),
        (false, true) => vec![
            "# mine\nmodel = 'x' # yes\n\n[ui]\ndark=true\n".to_owned(),
            "model = 'no line end'".to_owned(),
            "a = 1\r\n\r\n[b]\r\nc = 2\r\n".to_owned(),
            "model = 'x'\nhooks = [] # none\n\n[ui]\ndark = true\n".to_owned(),
            entries.replace("/opt/other tool", "/opt/other"),
        ],
        (false, false) => vec![
            "{\n  // mine\n  \"model\": {\"name\": \"x\"}, /* yes */\n}\n".to_owned(),
            "{}".to_owned(),
            "\u{feff}{\r\n\t\"model\" : \"x\"\r\n}".to_owned(),
            entries,
        ],
    }
}

/// The ways in which a file lies there.
const LAYOUTS: [&str; 5] = ["plain", "mode 0640", "mode 0755", "a linked file", "a linked folder"];

fn lay(home: &Home, recipe: &Recipe, text: &str, layout: &str) {
    let path = settings(home, recipe);
    match layout {
        "mode 0640" => write(&path, text, 0o640),
        "mode 0755" => write(&path, text, 0o755),
        "a linked file" => {
            let real = home.path().join("dotfiles/agent.conf");
            write(&real, text, 0o600);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(real, &path).unwrap();
        }
        "a linked folder" => {
            let real = home.path().join("dotfiles/agent");
            write(&real.join(recipe.settings), text, 0o600);
            let folder = home.path().join(recipe.folder);
            fs::create_dir_all(folder.parent().unwrap()).unwrap();
            symlink(real, folder).unwrap();
        }
        _ => write(&path, text, 0o600),
    }
}

#[test]
fn what_was_installed_goes_to_the_byte_whatever_was_there() {
    for recipe in recipes() {
        let kind = recipe.kind;
        let home = home();
        let nothing = snapshot(home.path(), &home.state());
        install(&home, recipe).ok();
        assert!(settings(&home, recipe).is_file(), "{kind}");
        home.run(["hooks", "uninstall", kind]).ok();
        assert_eq!(snapshot(home.path(), &home.state()), nothing, "{kind}: nothing was there");
    }
}

#[test]
fn what_others_have_there_stays_to_the_byte() {
    for recipe in recipes() {
        let kind = recipe.kind;
        for (text, layout) in
            theirs(recipe).iter().flat_map(|text| LAYOUTS.iter().map(move |layout| (text, *layout)))
        {
            let home = home();
            lay(&home, recipe, text, layout);
            let before = snapshot(home.path(), &home.state());
            let at = format!("{kind}, {layout}: {text}");
            install(&home, recipe).ok();
            let installed = fs::read_to_string(settings(&home, recipe)).unwrap();
            // Of no program that is not there anybody knows the version.
            let found = recipe.of_version(None).inspect(&installed, &launcher(&home)).unwrap();
            assert!(found.is_complete() && found.others == 0, "{at}: {found:?}");
            let now = home.run(["hooks", "status", kind, "--json"]).ok().json();
            assert_eq!(now["agents"][0]["settings"], "complete", "{at}: {now}");
            let again = home.run(["hooks", "install", kind, "--live", "--json"]).ok().json();
            assert_eq!(again["agents"][0]["changed"], false, "{at}");
            home.run(["hooks", "uninstall", kind]).ok();
            assert_eq!(snapshot(home.path(), &home.state()), before, "{at}");
        }
    }
}

/// An edit that somebody makes meanwhile stays, and ours go all the same.
#[test]
fn what_is_written_beside_ours_meanwhile_stays() {
    for recipe in recipes().iter().filter(|recipe| !is_script(recipe)) {
        let home = home();
        let path = settings(&home, recipe);
        let (first, added) = match is_toml(recipe) {
            true => ("a = 1\n", "\n[mine]\nb = 2\n"),
            false => ("{\n  \"a\": 1\n}\n", "\n// mine\n"),
        };
        write(&path, first, 0o600);
        install(&home, recipe).ok();
        let installed = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{installed}{added}")).unwrap();
        home.run(["hooks", "uninstall", recipe.kind]).ok();
        let left = fs::read_to_string(&path).unwrap();
        assert_eq!(left, format!("{first}{added}"), "{}", recipe.kind);
    }
}

fn shells() -> impl Iterator<Item = &'static str> {
    ["/bin/sh", "/bin/bash", "/bin/dash"].into_iter().filter(|path| Path::new(path).exists())
}

/// As a program runs it: the payload on standard input, and nothing of ours in the environment.
fn fire(home: &Home, shell: &str, command: &str, payload: &str) -> Done {
    let mut shell = Command::new(shell);
    shell.args(["-c", command]).env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin");
    home.feed(shell, payload.as_bytes())
}

/// Success and silence is what every program takes for a hook that has nothing to say: a failure
/// costs Gemini CLI's user the answer, and Copilot CLI's agent its tools.
#[test]
fn every_installed_command_reports_and_is_silent_with_and_without_the_program() {
    let home = home();
    let hub = Hub::start(&home);
    let mut all = Vec::new();
    for recipe in recipes() {
        install(&home, recipe).ok();
        let text = fs::read_to_string(settings(&home, recipe)).unwrap();
        let found = recipe.of_version(None).inspect(&text, &launcher(&home)).unwrap();
        assert!(found.is_complete() && !found.entries.is_empty(), "{}: {found:?}", recipe.kind);
        let (event, payload) = recipe.probe(recipe.kind, "/");
        let (_, command) = found.entries.iter().find(|(of, _)| of == event).unwrap();
        let done = fire(&home, "/bin/sh", command, &payload);
        assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""), "{command}");
        let seat = wait::until(recipe.kind, || {
            let agents = home.run(["ls", "--json"]).ok().json();
            let mut agents = agents["agents"].as_array().unwrap().clone().into_iter();
            agents.find(|agent| agent["session_id"] == recipe.kind)
        });
        assert_eq!(seat["kind"], recipe.kind);
        all.extend(found.entries.into_iter().map(|(_, command)| (recipe.kind, command)));
    }
    let doctor = home.run(["doctor", "--json"]).json();
    for recipe in recipes() {
        let name = format!("{} fires", recipe.kind);
        let checks = doctor["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == name.as_str()).unwrap();
        assert_eq!(check["ok"], true, "{check}");
        assert_eq!(check["hint"].as_str().unwrap_or_default(), recipe.advice, "{check}");
    }
    drop(hub);
    let binary = home.state().join("bin/headsup");
    fs::remove_file(&binary).unwrap();
    let silent = |what: &str| {
        for (kind, command) in &all {
            for shell in shells() {
                let done = fire(&home, shell, command, "{}");
                let told = (done.code, &*done.stdout, &*done.stderr);
                assert_eq!(told, (0, "", ""), "{kind}, {what}: {shell} -c {command}");
            }
        }
    };
    silent("it is gone");
    write(&binary, "#!/bin/sh\necho no\necho no >&2\nexit 2\n", 0o644);
    silent("it may not be run");
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(&binary, "\x7fELF").unwrap();
    silent("it is broken");
}

#[test]
fn all_of_them_are_those_that_are_here_and_each_other_one_is_named() {
    let home = home();
    let none = home.run(["hooks", "install", "--all"]);
    assert_eq!(none.code, 4, "{none:?}");
    assert!(none.stderr.contains("no agent was found here to install hooks into"), "{none:?}");
    for kind in ["claude-code", "codex"] {
        assert!(!home.path().join(recipe(kind).unwrap().folder).exists(), "{kind}");
    }
    // One by its folder, one by its program.
    fs::create_dir(home.path().join(".factory")).unwrap();
    write(&home.path().join("bin/qwen"), "#!/bin/sh\n", 0o755);
    let is_here = |kind: &str| ["droid", "qwen-code"].contains(&kind);
    let would = home.run(["hooks", "install", "--all", "--dry-run", "--json"]).ok().json();
    let absent = would["not_found"].as_array().unwrap();
    assert_eq!(absent.len(), recipes().len() - 2, "{would}");
    let done = home.run(["hooks", "install", "--all"]);
    for recipe in recipes() {
        let says = format!("`headsup hooks install {}`", recipe.kind);
        assert_eq!(done.stderr.contains(&says), !is_here(recipe.kind), "{done:?}");
        assert_eq!(absent.contains(&recipe.kind.into()), !is_here(recipe.kind), "{absent:?}");
    }
    done.ok();
    let status = home.run(["hooks", "status", "--all", "--json"]).ok().json();
    for agent in status["agents"].as_array().unwrap() {
        let is_installed = agent["plugin"] == "complete" || agent["settings"] == "complete";
        assert_eq!(is_installed, is_here(agent["kind"].as_str().unwrap()), "{agent}");
    }
    let others: Vec<_> = status["others"].as_array().unwrap().iter().map(|o| &o["kind"]).collect();
    assert_eq!(others, ["aider", "cline", "acp:NAME", "custom"]);
    let text = home.run(["hooks", "status", "--all"]).ok().stdout.clone();
    assert!(text.contains("Cline: ") && text.contains("documented (3.0.65); not told:"), "{text}");
    home.run(["hooks", "uninstall", "--all"]).ok();
    assert!(!home.path().join(".qwen").exists());
}

#[test]
fn an_agent_that_is_refused_stops_none_of_the_others() {
    let home = home();
    for recipe in recipes() {
        write(&home.path().join("bin").join(recipe.programs[0]), "#!/bin/sh\n", 0o755);
    }
    let broken = ["codex", "gemini-cli"].map(|kind| settings(&home, recipe(kind).unwrap()));
    for path in &broken {
        write(path, "[]", 0o600);
    }
    let done = home.run(["hooks", "install", "--all", "--dry-run", "--json"]);
    assert_eq!(done.code, 7, "{done:?}");
    for agent in done.json()["agents"].as_array().unwrap() {
        let is_refused = agent["kind"] == "codex" || agent["kind"] == "gemini-cli";
        assert_eq!(agent["changed"], !is_refused, "{agent}");
        assert_eq!(agent["error"]["code"] == "refused", is_refused, "{agent}");
    }
    let done = home.run(["hooks", "install", "--all"]);
    assert_eq!(done.code, 7, "{done:?}");
    for path in &broken {
        assert!(done.stderr.contains(&format!("error: {}", path.display())), "{done:?}");
    }
    assert!(done.stderr.contains("error: not done: codex, gemini-cli (2 of"), "{done:?}");
    assert!(settings(&home, recipe("qwen-code").unwrap()).is_file(), "{done:?}");

    let path = settings(&home, recipe("copilot-cli").unwrap());
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}}}")).unwrap();
    let done = home.run(["hooks", "uninstall", "--all"]);
    assert_eq!(done.code, 7, "{done:?}");
    assert!(done.stderr.contains("error: not done: copilot-cli (1 of"), "{done:?}");
    assert!(!home.path().join(".qwen").exists(), "{done:?}");
}

/// A version of tomorrow: it says what nobody knows, and what is known by another name.
#[test]
fn what_nobody_knows_changes_nothing_and_the_doctor_names_it() {
    let home = home();
    let _hub = Hub::start(&home);
    let fire = |kind: &str, event: &str, payload: &str| {
        let mut command = home.command(["hook", kind, event]);
        command.env("HEADSUP_AGENT_ID", kind);
        let done = home.feed(command, payload.as_bytes());
        assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""), "{kind}");
    };
    let count = |kind: &str, what: &str| {
        let (_, counts) = http::get(&home.socket(), "/metrics").unwrap();
        let counts = String::from_utf8(counts).unwrap();
        let name = format!("headsup_not_understood_total{{kind=\"{kind}\",event=\"{what}\"}} ");
        let count = counts.lines().find_map(|line| line.strip_prefix(&name));
        count.map_or(0, |count| count.parse::<u64>().unwrap())
    };
    // Each as often as it was said; one that was refused too late for its hook comes once more from the spool.
    let unknown = |kind: &str, event: &str, payload: &str, what: &str| {
        let before = count(kind, what);
        let mut most = 0;
        let fire = || most += hook::times(|| fire(kind, event, payload));
        let grown = hook::until(what, fire, || {
            home.is_told();
            let grown = count(kind, what) - before;
            (grown > 0).then_some(grown)
        });
        assert!(grown <= most, "{kind} {what}: {grown} of {most}");
    };
    let headline = |kind: &str| {
        let seat = home.run(["show", kind, "--json"]).ok().json();
        (seat["headline"].clone(), seat["turn"].clone())
    };
    let cases = [
        (
            "droid",
            "UserPromptSubmit",
            "Stop",
            r#""hook_event_name":"Stop","sessionIdentifier":"s""#,
        ),
        ("auggie", "PromptSubmit", "Stop", r#""hook_event_name":"Stop","conversation_id":"s""#),
        ("kimi", "UserPromptSubmit", "StopV2", r#""hook_event_name":"StopV2","session_id":"s""#),
        ("gemini-cli", "BeforeAgent", "AfterAgentV2", r#""session_id":"s""#),
    ];
    for (kind, begins, event, payload) in cases {
        let session = r#""session_id":"s","conversation_id":"s","cwd":"/""#;
        let begin = format!("{{\"hook_event_name\":\"{begins}\",{session}}}");
        let fire = || fire(kind, begins, &begin);
        hook::until(begins, fire, || {
            home.is_told();
            (home.run(["show", kind]).code == 0).then_some(())
        });
        let before = headline(kind);
        assert_eq!(before.0, "working", "{kind}");
        for _ in 0..2 {
            unknown(kind, event, &format!("{{{payload}}}"), event);
        }
        assert_eq!(headline(kind), before, "{kind}");
    }
    let member = r#"{"hook_event_name":"PreCompact","session_id":"s","why":"manual"}"#;
    unknown("kimi", "PreCompact", member, "PreCompact.trigger");
    let seen = cases.map(|(kind, _, event, _)| (kind, event)).into_iter();
    let seen = seen.chain([("kimi", "PreCompact.trigger")]);
    let named = |(kind, what)| format!("{kind} {what}: {}", count(kind, what));
    let named: Vec<String> = seen.map(named).collect();
    let doctor = home.run(["doctor", "--json"]).ok().json();
    let checks = doctor["checks"].as_array().unwrap();
    let events = checks.iter().find(|check| check["name"] == "events").unwrap();
    for named in named {
        assert!(events["detail"].as_str().unwrap().contains(&named), "{named}: {events}");
    }
}
