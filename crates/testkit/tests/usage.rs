//! The programs of this crate say how they are called.

#![expect(clippy::expect_used, reason = "a test may fail")]

use std::process::{Command, Output, Stdio};

const PROGRAMS: [(&str, &str); 5] = [
    ("live", env!("CARGO_BIN_EXE_live")),
    ("measure", env!("CARGO_BIN_EXE_measure")),
    ("model", env!("CARGO_BIN_EXE_model")),
    ("picture", env!("CARGO_BIN_EXE_picture")),
    ("replay", env!("CARGO_BIN_EXE_replay")),
];

fn run(program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).env_clear().stdin(Stdio::null()).output().expect("it runs")
}

#[test]
fn whoever_asks_for_help_gets_it() {
    for (name, program) in PROGRAMS {
        for option in ["--help", "-h"] {
            let said = run(program, &[option]);
            let text = String::from_utf8_lossy(&said.stdout).into_owned();
            assert_eq!((said.status.code(), said.stderr.len()), (Some(0), 0), "{name} {said:?}");
            assert!(text.contains(&format!("Usage: {name}")), "{name}: {text}");
        }
    }
}

#[test]
fn what_is_no_option_is_refused_with_the_usage() {
    for (name, program) in PROGRAMS {
        let said = run(program, &["--nonsense"]);
        let text = String::from_utf8_lossy(&said.stderr).into_owned();
        assert_eq!((said.status.code(), said.stdout.len()), (Some(2), 0), "{name} {said:?}");
        assert!(text.contains(&format!("Usage: {name}")), "{name}: {text}");
    }
    for (at, args) in [
        (0, &["no_such_case"][..]),
        (0, &["--jobs", "0"]),
        (1, &[]),
        (1, &["kill", "--rounds", "many"]),
        (2, &["--port", "70000"]),
        (4, &[]),
        (4, &[".", "--truth", "0 idle"]),
        (4, &[".", "--truth", "0 foo"]),
        (4, &[".", "--without", "eyes"]),
    ] {
        let (name, program) = PROGRAMS[at];
        assert_eq!(run(program, args).status.code(), Some(2), "{name} {args:?}");
    }
}

/// `.ci/long` takes hours: what can be held here is that it knows its steps, and begins no other.
#[test]
fn the_long_forms_are_named_and_nothing_else_is_begun() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.ci/long");
    let run = |word: &str| Command::new(script).arg(word).output().expect("it runs");
    let listed = run("--list");
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    for (step, bar) in [
        ("hook", "1,000 hooks"),
        ("kill", "500 kill -9"),
        ("restart", "no event"),
        ("speed", "judged"),
    ] {
        let line = text.lines().find(|line| line.starts_with(step));
        assert!(line.is_some_and(|line| line.contains(bar)), "{step}: {text}");
    }
    let other = run("nonsense");
    assert_eq!((other.status.code(), other.stdout.len()), (Some(2), 0), "{other:?}");
}

#[test]
fn a_status_that_there_is_none_of_is_no_truth() {
    let said = run(PROGRAMS[4].1, &[".", "--truth", "0 foo"]);
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(text.contains("'0 foo'") && text.contains("working, blocked"), "{text}");
}

#[test]
fn a_capture_of_nothing_is_not_said_to_be_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.capture");
    let head = "{\"headsup_capture\":1,\"kind\":\"custom\",\"since\":null}\n";
    std::fs::write(&file, head).expect("a file");
    let said = run(PROGRAMS[4].1, &[file.to_str().expect("a path")]);
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert_eq!(said.status.code(), Some(3), "{said:?}");
    assert!(text.contains("the capture is empty"), "{text}");
}

/// The hub was not wrong there, and the way it is said is for people.
#[test]
fn what_cannot_be_read_is_told_in_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().canonicalize().expect("a folder");
    let (nowhere, broken) = (here.join("nowhere"), here.join("a.capture"));
    let rows = "{\"headsup_capture\":1,\"kind\":\"custom\"}\n{\n{}\n";
    std::fs::write(&broken, rows).expect("a file");
    for (path, why) in [
        (nowhere.as_path(), "cannot be read: "),
        (here.as_path(), "holds no timeline.jsonl"),
        (broken.as_path(), "has a line that is no JSON"),
    ] {
        let path = path.to_str().expect("a path");
        let said = run(PROGRAMS[4].1, &[path]);
        let text = String::from_utf8_lossy(&said.stderr).into_owned();
        assert_eq!(said.status.code(), Some(2), "{said:?}");
        let is_plain = text.starts_with("replay: ") && !text.contains('"');
        assert!(is_plain && text.contains(path) && text.contains(why), "{text}");
    }
}

#[test]
fn how_long_it_takes_is_said_before_it_is_played() {
    let folder = tempfile::tempdir().expect("a folder");
    for (last, takes) in [(4_999, None), (5_000, Some("5 s")), (170_000, Some("3 min"))] {
        let row = format!("{{\"t_ms\":{last},\"src\":\"truth\",\"status\":\"idle\"}}\n");
        std::fs::write(folder.path().join("timeline.jsonl"), row).expect("a file");
        let mut command = Command::new(PROGRAMS[4].1);
        // Without a program to play against it goes no further.
        command.arg(folder.path()).env_clear().env("CARGO", "/bin/false").stdin(Stdio::null());
        let said = command.output().expect("it runs");
        let text = String::from_utf8_lossy(&said.stderr).into_owned();
        assert_eq!(said.status.code(), Some(2), "{text}");
        let told = takes.map(|takes| text.starts_with(&format!("this takes {takes}: ")));
        assert!(told.unwrap_or(!text.contains("this takes")), "{text}");
    }
}

#[test]
fn without_a_case_the_cases_are_listed() {
    let said = run(PROGRAMS[0].1, &[]);
    assert_eq!(said.status.code(), Some(0));
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(text.contains("Usage: live") && text.contains("\n  esc_in_tool\n"), "{text}");
}
