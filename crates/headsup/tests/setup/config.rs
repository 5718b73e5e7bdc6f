//! A person's settings, and places that do not fit.

use crate::install::{home, write};
use headsup_testkit::home::{Done, Home};
use headsup_testkit::http;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn file(home: &Home) -> PathBuf {
    home.path().join(".config/headsup/config.toml")
}

#[test]
fn an_unknown_key_is_refused_with_its_line_and_the_nearest_one() {
    let home = home();
    write(&file(&home), "# mine\n[retention]\ndayz = 7\n", 0o600);
    let at = format!("{}:3: unknown field `dayz`", file(&home).display());
    for args in [&["ls"][..], &["up"], &["up", "--foreground"], &["hooks", "status"]] {
        let done = home.run(args);
        assert_eq!(done.code, 2, "{args:?}: {done:?}");
        assert!(done.stderr.contains(&at) && done.stderr.contains("days"), "{}", done.stderr);
    }
    assert!(!home.state().exists(), "no hub was started");
    // An agent does not suffer from it.
    let done = home.hook("claude-code", "{}", &[]);
    assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""));
}

#[test]
fn settings_that_are_no_file_or_no_text_are_refused_at_once() {
    let home = home();
    write(&file(&home), "", 0o600);
    fs::remove_file(file(&home)).unwrap();
    assert!(Command::new("mkfifo").arg(file(&home)).status().unwrap().success());
    let done = home.run(["ls"]);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.stderr.contains("it is not a regular file, but a pipe\nhint: "), "{done:?}");
    for (file, why) in [("/dev/zero", "a device"), ("/", "a folder"), ("/nowhere", "No such file")]
    {
        let done = home.command(["hooks", "status"]).env("HEADSUP_CONFIG", file).output().unwrap();
        let done = Done::from(done);
        assert_eq!(done.code, 2, "{done:?}");
        assert!(done.stderr.contains(why) && done.stderr.contains("HEADSUP_CONFIG"), "{done:?}");
    }
    let nothing = home.command(["hooks", "status"]).env("HEADSUP_CONFIG", "/dev/null").output();
    Done::from(nothing.unwrap()).ok();
}

#[test]
fn a_hub_listens_where_the_settings_say() {
    let home = home();
    let text = "listen = \"127.0.0.1:0\"\nallowed_hosts = [\"hub.example\"]\n";
    write(&file(&home), text, 0o600);
    let _hub = Hub::start(&home);
    let listener = || {
        let (_, doc) = http::get(&home.socket(), "/api/v1/listener").ok()?;
        let doc: Value = serde_json::from_slice(&doc).ok()?;
        doc["addresses"][0].is_string().then_some(doc)
    };
    let doc = wait::until("the hub to listen on TCP", listener);
    let address = doc["addresses"][0].as_str().unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{doc}");
    assert_eq!(doc["allow_hosts"], json!(["hub.example"]));
    assert_eq!(http::over_tcp(address, "GET", "/healthz", &[], b"").unwrap().status, 401);
}

#[test]
fn settings_that_would_open_the_hub_to_others_are_refused() {
    let home = home();
    for (text, exit, code, why) in [
        ("listen = \"0.0.0.0:0\"", 7, "not_loopback", "0.0.0.0:0 can be reached"),
        ("listen = \"7717\"", 2, "bad_config", "in the settings: "),
        ("listen = \"127.0.0.1:0\"\nallowed_hosts = [\"http://x/\"]", 2, "bad_config", "http://x/"),
    ] {
        write(&file(&home), text, 0o600);
        for args in [&["up", "--foreground", "--json"][..], &["up", "--json"]] {
            let done = home.run(args);
            assert_eq!(done.code, exit, "{text}: {done:?}");
            let error: Value = serde_json::from_str(&done.stderr).unwrap();
            assert_eq!(error["error"]["code"], code, "{text}");
            assert!(error["error"]["message"].as_str().unwrap().contains(why), "{error}");
        }
    }
    assert!(!home.socket().exists(), "no hub was started");
}

/// A command that starts the hub says what the hub said, and does not wait for one that never comes.
#[test]
fn a_command_tells_why_the_settings_keep_the_hub_from_starting() {
    let home = home();
    write(&file(&home), "listen = \"0.0.0.0:0\"\n", 0o600);
    let done = home.run(["ls", "--json"]);
    assert_eq!(done.code, 1, "{done:?}");
    let error: Value = serde_json::from_str(&done.stderr).unwrap();
    assert_eq!(error["error"]["code"], "hub_did_not_start", "{error}");
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("in the settings: 0.0.0.0:0 can be reached"), "{message}");
    let hint = error["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("allowed_hosts") && !hint.contains("--insecure-listen"), "{hint}");
}

#[test]
fn the_doctor_says_which_file_counts_and_what_is_wrong_with_it() {
    let home = home();
    let row = || {
        let doc = home.run(["doctor", "--json", "--no-start"]).json();
        let rows = doc["checks"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["name"] == "config").unwrap()
    };
    assert!(row()["detail"].as_str().unwrap().starts_with("defaults; there is no "));
    write(&file(&home), "colour = \"never\"\n", 0o600);
    assert_eq!(row()["detail"], json!(file(&home)));
    write(&file(&home), "color = \"never\"\n", 0o600);
    assert_eq!((&row()["ok"], &row()["hint"]), (&json!(false), &json!("is it \"colour\"?")));
}

#[test]
fn settings_are_never_read_from_the_folder_one_works_in() {
    let home = home();
    for name in ["config.toml", "headsup.toml", ".config/headsup/config.toml"] {
        write(&home.path().join("repo").join(name), "no key = no value", 0o600);
    }
    let run = |vars: &[(&str, &str)]| {
        let mut command = home.command(["hooks", "status"]);
        command.current_dir(home.path().join("repo")).envs(vars.iter().copied());
        Done::from(command.output().unwrap())
    };
    run(&[]).ok();
    run(&[("XDG_CONFIG_HOME", ".config")]).ok();
    assert_eq!(run(&[("HEADSUP_CONFIG", "config.toml")]).code, 2, "it was named");
    assert_eq!(run(&[("HEADSUP_CONFIG", "/nowhere/c.toml")]).code, 2, "it was named");
}

#[test]
fn colour_is_a_setting() {
    let home = home();
    let _hub = Hub::start(&home);
    home.run(["report", "blocked", "--agent", "api"]).ok();
    assert!(!home.run(["ls"]).ok().stdout.contains('\u{1b}'));
    write(&file(&home), "colour = \"always\"\n", 0o600);
    assert!(home.run(["ls"]).ok().stdout.contains('\u{1b}'));
}

#[test]
fn a_socket_whose_name_is_too_long_is_refused_and_says_so() {
    let home = home();
    let url = format!("unix:{}/{}", home.path().display(), "x".repeat(110));
    for args in [&["up"][..], &["ls"], &["down"], &["wait", "a", "--until", "done"]] {
        let done = Done::from(home.command(args).env("HEADSUP_URL", &url).output().unwrap());
        assert_eq!(done.code, 7, "{args:?}: {done:?}");
        assert!(done.stderr.contains("at most 107"), "{args:?}: {}", done.stderr);
    }
}

#[test]
fn broken_settings_keep_nobody_from_taking_headsup_away() {
    let home = home();
    let _hub = Hub::start(&home);
    home.run(["hooks", "install", "claude-code"]).ok();
    write(&file(&home), "no key = no value", 0o600);
    assert_eq!(home.run(["ls"]).code, 2);
    let shown = home.run(["hooks", "status", "claude-code"]);
    assert_eq!(shown.code, 2, "{shown:?}");
    assert!(shown.stdout.contains("complete"), "what can be said is said: {shown:?}");
    assert!(shown.stderr.contains("config.toml"), "{shown:?}");
    let told = home.run(["hooks", "status", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&told.stdout).unwrap()["schema"], 1, "{told:?}");
    assert_eq!(serde_json::from_str::<Value>(&told.stderr).unwrap()["schema"], 1, "{told:?}");
    for args in [&["hooks", "uninstall", "--dry-run"][..], &["hooks", "uninstall"], &["down"]] {
        let done = home.run(args);
        assert!(done.ok().stderr.contains("the settings are left out: "), "{args:?}: {done:?}");
    }
    assert!(!home.path().join(".claude/skills/headsup").exists());
    assert!(!home.socket().exists(), "the hub is down");
}
