//! The doctor, the status line, and names.

use crate::install::{BINARY, home, settings, write};
use crate::run::Rig;
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn examine(home: &Home) -> (i32, Value) {
    let done = home.run(["doctor", "--json"]);
    (done.code, done.json())
}

fn row<'a>(doc: &'a Value, name: &str) -> &'a Value {
    let rows = doc["checks"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no row {name}: {doc}"))
}

/// The rows that failed; each says what to do.
fn failing(doc: &Value) -> Vec<&str> {
    let rows = doc["checks"].as_array().unwrap().iter().filter(|row| row["ok"] == false);
    rows.map(|row| {
        assert!(row["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{row}");
        row["name"].as_str().unwrap()
    })
    .collect()
}

#[test]
fn a_healthy_home_is_told_so_and_nothing_is_left_of_the_probes() {
    let home = home();
    let _hub = Hub::start(&home);
    for way in [&["hooks", "install", "claude-code"][..], &["hooks", "install", "claude", "--live"]]
    {
        home.run(way).ok();
        let (code, doc) = examine(&home);
        assert_eq!((code, &doc["ok"], failing(&doc)), (0, &json!(true), vec![]), "{doc}");
        assert_eq!(doc["schema"], 1);
        for name in ["home", "hub", "version", "tcp", "store", "clock", "spool", "tmux"] {
            row(&doc, name);
        }
        let fired = row(&doc, "claude-code fires");
        assert!(fired["detail"].as_str().unwrap().contains("SessionStart went through"), "{doc}");
        assert!(fired["hint"].as_str().unwrap().contains("trust"));
        home.run(["hooks", "uninstall", "claude-code"]).ok();
    }
    let left = home.run(["ls", "--all", "--json"]).ok().json();
    assert_eq!(left["agents"], json!([]));
    let text = home.run(["doctor"]);
    assert!(text.stdout.contains("ok    store: "), "{text:?}");
}

#[test]
fn hooks_that_were_pasted_by_hand_are_not_said_to_be_missing() {
    let home = home();
    let _hub = Hub::start(&home);
    let pasted = r#"{ "hooks": { "Stop": [ { "hooks": [ { "type": "command",
        "command": "exec headsup hook claude-code Stop" } ] } ] } }"#;
    write(&settings(&home), pasted, 0o600);
    let (code, doc) = examine(&home);
    assert_eq!((code, failing(&doc)), (0, vec![]), "{doc}");
    let hooks = row(&doc, "claude-code hooks");
    assert_eq!(hooks["detail"], "none installed, but pasted by hand");
    assert!(hooks["hint"].as_str().unwrap().contains("remove the pasted ones"), "{doc}");
    let shown = home.run(["hooks", "status", "claude-code"]).ok().stdout.clone();
    assert!(shown.contains("no hooks installed, but pasted by hand"), "{shown}");
    assert!(shown.contains("1 other entry reports to headsup (pasted by hand)"), "{shown}");
    assert!(!shown.contains("as well (pasted"), "{shown}");
}

/// An agent forgets no other one: what it would try would stay in the roster, and crash there.
#[test]
fn called_by_an_agent_it_tries_nothing_that_would_stay() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    rig.run(&["hooks", "install", "gemini-cli"]).ok();
    let out = rig.home.path().join("out");
    let script = format!("'{BINARY}' doctor --json > \"$OUT\"; exit 0");
    let mut command = rig.command(&["run", "--here", "--id", "api", "--", "sh", "-c", &script]);
    Done::from(command.env("OUT", &out).output().unwrap()).ok();
    let doc: Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(failing(&doc), ["store", "gemini-cli fires"], "{doc}");
    let hint = row(&doc, "store")["hint"].as_str().unwrap();
    assert!(hint.contains("a terminal of your own"), "{hint}");
    let left = rig.run(&["ls", "--all", "--json"]).ok().json();
    let ids: Vec<&Value> =
        left["agents"].as_array().unwrap().iter().map(|agent| &agent["id"]).collect();
    assert_eq!(ids, ["api"], "{left}");
}

#[test]
fn it_says_whether_the_hub_is_on_tcp() {
    let home = home();
    let _hub = Hub::start(&home);
    let detail = |doc: &Value| row(doc, "tcp")["detail"].as_str().unwrap().to_owned();
    assert!(detail(&examine(&home).1).starts_with("not listening"));
    let up = home.run(["up", "--listen", "127.0.0.1:0", "--json"]).ok().json();
    let (_, rest) = up["url"].as_str().unwrap().split_once("//").unwrap();
    let authority = rest.split('/').next().unwrap();
    let listening = detail(&examine(&home).1);
    assert!(listening.starts_with(&format!("listening on {authority}")), "{listening}");
    home.run(["up", "--no-listen"]).ok();
    let config = home.path().join(".config/headsup/config.toml");
    write(&config, "listen = \"127.0.0.1:0\"\n", 0o600);
    let (code, doc) = examine(&home);
    assert_eq!((code, failing(&doc)), (1, vec!["tcp"]), "{doc}");
}

#[test]
fn whatever_is_broken_is_named_with_what_to_do() {
    let home = home();
    let _hub = Hub::start(&home);
    home.run(["hooks", "install", "claude-code", "--live"]).ok();
    let launcher = home.state().join("bin/headsup");
    fs::remove_file(&launcher).unwrap();
    let (_, doc) = examine(&home);
    assert_eq!(failing(&doc), ["claude-code hooks", "claude-code fires"], "the binary is gone");

    fs::write(&launcher, "#!/bin/sh\nexit 3\n").unwrap();
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).unwrap();
    let (_, doc) = examine(&home);
    assert_eq!(failing(&doc), ["claude-code fires"]);
    let detail = row(&doc, "claude-code fires")["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("nothing arrived"), "{detail}");
    fs::remove_file(&launcher).unwrap();

    home.run(["hooks", "install", "--live"]).ok();
    let text = fs::read_to_string(settings(&home)).unwrap();
    fs::write(settings(&home), text.replacen('{', "{ \"disableAllHooks\": true,", 1)).unwrap();
    let (_, doc) = examine(&home);
    assert_eq!(failing(&doc), ["claude-code hooks"]);
    assert!(doc.to_string().contains("disableAllHooks is true"));

    fs::set_permissions(home.state(), fs::Permissions::from_mode(0o755)).unwrap();
    let (_, doc) = examine(&home);
    assert!(failing(&doc).contains(&"home"), "{doc}");
}

#[test]
fn whoever_only_launches_agents_needs_no_hooks() {
    let home = home();
    let _hub = Hub::start(&home);
    write(&settings(&home), "{}", 0o600);
    let (code, doc) = examine(&home);
    assert_eq!((code, failing(&doc)), (0, vec![]), "{doc}");
    let hooks = row(&doc, "claude-code hooks");
    assert!(hooks["detail"].as_str().unwrap().contains("`headsup run`"), "{hooks}");
    assert!(hooks["hint"].as_str().unwrap().contains("headsup hooks install"), "{hooks}");
    assert!(!doc.to_string().contains("claude-code fires"), "{doc}");
}

#[test]
fn a_hub_that_is_not_on_tcp_as_it_should_be_is_told_with_what_to_do() {
    let home = home();
    let hub = Hub::start(&home);
    let up = home.run(["up", "--listen", "127.0.0.1:0", "--json"]).ok().json();
    let authority = up["url"].as_str().unwrap().split('/').nth(2).unwrap().to_owned();
    drop(hub);
    let squatter = std::net::TcpListener::bind(&authority).unwrap();
    let hub = Hub::start(&home);
    let (code, doc) = examine(&home);
    assert_eq!((code, failing(&doc)), (1, vec!["tcp"]), "{doc}");
    let detail = row(&doc, "tcp")["detail"].as_str().unwrap();
    assert!(detail.contains("in use by another program"), "{detail}");
    drop((hub, squatter));
    fs::write(home.state().join("token"), "damaged").unwrap();
    let _hub = Hub::start(&home);
    let (code, doc) = examine(&home);
    assert_eq!((code, failing(&doc)), (1, vec!["tcp"]), "{doc}");
    let detail = row(&doc, "tcp")["detail"].as_str().unwrap();
    assert!(detail.contains("holds no token; move it away"), "{detail}");
    fs::remove_file(home.state().join("token")).unwrap();
    home.run(["up", "--listen"]).ok();
    assert_eq!(examine(&home).0, 0);
}

#[test]
fn settings_that_the_next_hub_would_refuse_are_told_while_this_one_runs() {
    let home = home();
    let _hub = Hub::start(&home);
    let config = home.path().join(".config/headsup/config.toml");
    for text in ["listen = \"7717\"", "allowed_hosts = [\"hub.example\"]", "listen = \"0.0.0.0:1\""]
    {
        write(&config, text, 0o600);
        let (code, doc) = examine(&home);
        assert!(code == 1 && failing(&doc).contains(&"config"), "{text}: {doc}");
    }
}

#[test]
fn with_a_wrong_token_the_doctor_says_where_the_right_one_is() {
    let home = home();
    let _hub = Hub::start(&home);
    let up = home.run(["up", "--listen", "127.0.0.1:0", "--json"]).ok().json();
    let authority = up["url"].as_str().unwrap().split('/').nth(2).unwrap().to_owned();
    let mut command = home.command(["doctor", "--json"]);
    command.env("HEADSUP_URL", format!("http://{authority}")).env("HEADSUP_TOKEN", "wrong");
    let done = Done::from(command.output().unwrap());
    let doc = done.json();
    let hint = row(&doc, "hub")["hint"].as_str().unwrap();
    assert!(hint.contains("HEADSUP_TOKEN") && !hint.contains("headsup down"), "{hint}");
}

#[test]
fn without_a_hub_the_doctor_says_so() {
    let home = home();
    let done = home.run(["doctor", "--json", "--no-start"]);
    assert_eq!(done.code, 1);
    assert!(failing(&done.json()).contains(&"hub"));
}

#[test]
fn a_status_line_is_empty_without_a_hub_and_starts_none() {
    let home = home();
    for format in ["plain", "tmux"] {
        let done = home.run(["statusline", "--format", format]);
        assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "\n", ""));
    }
    assert_eq!(home.run(["statusline", "--format", "waybar"]).ok().json()["class"], "none");
    assert!(!home.state().exists());
}

#[test]
fn a_status_line_counts_in_every_format() {
    let home = home();
    let _hub = Hub::start(&home);
    for (id, state) in [("a", "blocked"), ("b", "working"), ("c", "working"), ("d", "done")] {
        home.run(["report", state, "--agent", id]).ok();
    }
    let line = |args: &[&str]| {
        let mut all = vec!["statusline"];
        all.extend(args);
        home.run(all).ok().stdout.clone()
    };
    assert_eq!(line(&[]), "1 blocked · 2 working · 1 done\n");
    assert_eq!(line(&["--template", "{attention} of {total}: {first}"]), "2 of 4: a\n");
    let json: Value = serde_json::from_str(&line(&["--json"])).unwrap();
    assert_eq!(json["counts"], json!({"blocked": 1, "done": 1, "working": 2}));
    let waybar: Value = serde_json::from_str(&line(&["--format", "waybar"])).unwrap();
    assert_eq!((&waybar["class"], &waybar["schema"]), (&json!("blocked"), &json!(1)));
    home.run(["rename", "a", "<b>&"]).ok();
    let named: Value =
        serde_json::from_str(&line(&["--format", "waybar", "--template", "{first}"])).unwrap();
    assert_eq!(named["text"], "&lt;b&gt;&amp;", "bars read markup");
}

#[test]
fn an_agents_name_says_nothing_to_tmux() {
    if !crate::run::has_tmux() {
        eprintln!(
            "SKIPPED: tmux is not installed on this machine, so its formats cannot be tested"
        );
        return;
    }
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    rig.run(&["report", "blocked", "--agent", "api"]).ok();
    let marker = rig.home.path().join("marker");
    let evil = format!("#(touch {})#{{session_name}}#[bg=red]%H", marker.display());
    let renamed = rig.run(&["rename", "api", &evil]);
    assert!(renamed.ok().stderr.contains("is called"), "{renamed:?}");
    let done = rig.run(&["statusline", "--format", "tmux", "--template", "{first}"]);
    let line = done.ok().stdout.trim_end().to_owned();
    let expected = evil.replace('#', "##");
    assert_eq!(line, expected);
    // tmux itself shows it as the text it is.
    rig.tmux(&["new-session", "-d", "-s", "show"]);
    let shown = rig.tmux(&["display-message", "-p", "-t", "=show:", &line]);
    // `##[` becomes `#[` only where it is drawn, and no style either.
    let text = evil.replace("#[", "##[").replace("%H", "");
    assert!(shown.starts_with(&text), "{shown}");
    assert!(!marker.exists());
}

#[test]
fn a_name_is_found_like_an_id() {
    let home = home();
    let _hub = Hub::start(&home);
    home.run(["report", "working", "--agent", "claude-code-api-2"]).ok();
    home.run(["rename", "claude-code-api-2", "front end"]).ok();
    let doc = home.run(["show", "front", "--json"]).ok().json();
    assert_eq!((&doc["id"], &doc["name"]), (&json!("claude-code-api-2"), &json!("front end")));
    let cleaned = home.run(["rename", "front end", "  red\u{1b}[31m \n pill "]);
    let kept = home.run(["show", "claude-code-api-2", "--json"]).ok().json()["name"].clone();
    let kept = kept.as_str().unwrap();
    assert!(cleaned.ok().stderr.ends_with(&format!("is called {kept} now\n")), "{cleaned:?}");
    home.run(["rename", "claude-code-api-2", "front end"]).ok();
    assert_eq!(home.run(["rename", "nobody", "x"]).code, 4);
    assert_eq!(home.run(["rename", "front end", " "]).code, 2);
}
