use super::*;

fn again(kind: &str, first: &[&str], said: Option<&str>) -> Result<Vec<String>, NoWayBack> {
    let first: Vec<String> = first.iter().map(|word| (*word).to_owned()).collect();
    arguments(kind, &first, "0b-1", said)
}

#[track_caller]
fn goes_on(kind: &str, first: &[&str], said: Option<&str>, expected: &[&str]) {
    assert_eq!(again(kind, first, said).unwrap(), expected, "{kind} {first:?}");
}

#[test]
fn each_program_is_told_the_conversation_and_the_words_in_its_own_way() {
    for (kind, bare, with) in [
        ("claude-code", &["--resume", "0b-1"][..], &["--", "-go on"][..]),
        ("codex", &["resume", "0b-1"], &["--", "-go on"]),
        ("gemini-cli", &["--resume", "0b-1"], &["--prompt-interactive=-go on"]),
        ("qwen-code", &["--resume", "0b-1"], &["--prompt-interactive=-go on"]),
        ("copilot-cli", &["--resume", "0b-1"], &["--interactive=-go on"]),
    ] {
        goes_on(kind, &[], None, bare);
        goes_on(kind, &[], Some("-go on"), &[bare, with].concat());
    }
}

#[test]
fn options_hold_again_and_what_was_said_is_not_said_twice() {
    let first = ["--model", "opus", "--permission-mode=plan", "fix the tests"];
    let again = ["--model", "opus", "--permission-mode=plan", "--resume", "0b-1"];
    goes_on("claude-code", &first, None, &again);
    goes_on(
        "claude-code",
        &["--add-dir", "a", "b", "--verbose", "hello"],
        None,
        &["--add-dir", "a", "b", "--verbose", "--resume", "0b-1"],
    );
    goes_on(
        "claude-code",
        &["--verbose", "--", "--model"],
        None,
        &["--verbose", "--resume", "0b-1"],
    );
    let first = ["-m", "o4", "-c", "a=1", "resume", "0a-0", "go on"];
    goes_on("codex", &first, None, &["-m", "o4", "-c", "a=1", "resume", "0b-1"]);
    goes_on("gemini-cli", &["-m", "pro", "-i", "hello"], None, &["-m", "pro", "--resume", "0b-1"]);
    // A folder of a project is no word.
    let first = ["/srv/app", "--prompt", "hello", "--agent", "build"];
    goes_on("opencode", &first, None, &["/srv/app", "--agent", "build", "--session", "0b-1"]);
}

#[test]
fn what_chose_a_conversation_gives_way_to_the_one_that_is_meant() {
    for first in [
        &["--resume", "0a-0"][..],
        &["--resume"],
        &["-r", "0a-0", "--fork-session"],
        &["--continue"],
        &["-c"],
        &["--session-id", "0a-0", "hello"],
        &["--session-id=0a-0"],
    ] {
        goes_on("claude-code", first, None, &["--resume", "0b-1"]);
    }
    goes_on("opencode", &["-s", "0a-0", "-c"], None, &["--session", "0b-1"]);
    goes_on("codex", &["resume", "--last", "--all"], None, &["resume", "0b-1"]);
}

#[test]
fn a_command_line_that_goes_on_with_a_conversation_is_known() {
    let takes_up = |kind, words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        takes_up(kind, &words, "0b-1")
    };
    for (kind, words) in [
        ("claude-code", &["--model", "opus", "--resume", "0b-1", "go on"][..]),
        ("claude-code", &["--resume=0b-1"]),
        ("claude-code", &["-r", "0b-1"]),
        ("codex", &["-m", "o4", "resume", "0b-1"]),
        ("opencode", &["-s", "0b-1"]),
    ] {
        assert!(takes_up(kind, words), "{kind} {words:?}");
    }
    for (kind, words) in [
        ("claude-code", &["fix it"][..]),
        ("claude-code", &["--continue"]),
        ("claude-code", &["-c", "0b-1"]),
        ("claude-code", &["--resume"]),
        ("claude-code", &["--resume", "0a-0", "0b-1"]),
        ("claude-code", &["--resume", "0b-1", "--fork-session"]),
        ("claude-code", &["--session-id", "0b-1"]),
        ("claude-code", &["--", "--resume", "0b-1"]),
        ("codex", &["fork", "0b-1"]),
        ("custom", &["--resume", "0b-1"]),
    ] {
        assert!(!takes_up(kind, words), "{kind} {words:?}");
    }
}

#[test]
fn a_program_is_found_in_its_command_line_behind_its_runtime() {
    let place = |kind, words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        place_of(kind, &words)
    };
    assert_eq!(place("claude-code", &["claude", "-c"]), Some(0));
    assert_eq!(place("gemini-cli", &["node", "--no-warnings", "/usr/bin/gemini", "-y"]), Some(2));
    assert_eq!(place("claude-code", &["node", "/usr/bin/gemini"]), None);
    assert_eq!(place("custom", &["claude"]), None);
}

#[test]
fn no_permission_is_added_and_none_is_taken_away() {
    for said in [None, Some("go")] {
        let plain = again("claude-code", &[], said).unwrap().join(" ");
        assert!(!plain.contains("dangerously"), "{plain}");
    }
    let bold = ["--dangerously-skip-permissions"];
    goes_on("claude-code", &bold, None, &["--dangerously-skip-permissions", "--resume", "0b-1"]);
}

#[test]
fn what_is_kept_of_a_launch_answers_as_all_of_it() {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for (kind, first, expected) in [
        ("claude-code", &["--model", "opus", "hello"][..], &["--model", "opus"][..]),
        ("claude-code", &["--add-dir", "a", "b", "--", "--key=1"], &["--add-dir", "a", "b"]),
        ("claude-code", &["--resume", "0a-0", "hello"], &[]),
        ("claude-code", &["--verbose", "--print", "hello"], &["--print"]),
        ("codex", &["exec", "hello"], &["exec"]),
        ("gemini-cli", &["--prompt=hello", "-y"], &["--prompt"]),
        ("opencode", &["/srv/app", "--prompt", "hello"], &["/srv/app"]),
        // What cannot be told is kept as it is.
        ("claude-code", &["--brand-new", "hello"], &["--brand-new", "hello"]),
        ("opencode", &["--new", "-s", "0a-0", "/srv"], &["--new", "-s", "0a-0", "/srv"]),
    ] {
        let kept = kept(kind, &owned(first)).unwrap();
        assert_eq!(kept, expected, "{kind} {first:?}");
        for said in [None, Some("go on")] {
            let all = arguments(kind, &owned(first), "0b-1", said);
            assert_eq!(arguments(kind, &kept, "0b-1", said), all, "{kind} {first:?}");
        }
    }
    assert_eq!(kept("custom", &owned(&["--key=1"])), None);
    assert!(is_known("codex") && !is_known("custom"));
}

#[test]
fn a_refusal_says_no_word_that_may_be_a_secret() {
    for (first, shown) in [
        (&["--brand-new", "hunter2"][..], "\"--brand-new\""),
        (&["--key_hunter2", "x"], "\"--key…\""),
        (&["-khunter2", "x"], "\"-k…\""),
        (&["-k", "hunter2"], "\"-k\""),
        (&["-é€hunter2", "x"], "\"-é…\""),
    ] {
        let said = again("claude-code", first, None).unwrap_err().to_string();
        assert!(said.contains(shown) && !said.contains("hunter2"), "{said}");
    }
    let long = format!("--{}", "hunter".repeat(30));
    let said = again("claude-code", &[long.as_str(), "x"], None).unwrap_err().to_string();
    assert!(said.len() < long.len(), "{said}");
}

#[test]
fn nothing_is_guessed() {
    let unclear = again("claude-code", &["--brand-new", "hello"], None).unwrap_err();
    assert!(matches!(unclear, NoWayBack::Unclear { .. }), "{unclear}");
    assert!(unclear.to_string().contains("--brand-new"));
    goes_on("opencode", &[], None, &["--session", "0b-1"]);
    assert_eq!(again("opencode", &[], Some("go on")), Err(NoWayBack::Words));
    let unclear = again("gemini-cli", &["--extensions", "a", "hello"], None).unwrap_err();
    assert!(matches!(unclear, NoWayBack::Unclear { .. }), "{unclear}");
    goes_on("gemini-cli", &["-e", "a"], None, &["-e", "a", "--resume", "0b-1"]);
    // Nothing stands behind it that could be its value.
    goes_on("claude-code", &["--brand-new"], None, &["--brand-new", "--resume", "0b-1"]);
    goes_on(
        "claude-code",
        &["--brand-new=1", "hello"],
        None,
        &["--brand-new=1", "--resume", "0b-1"],
    );
    for (kind, first) in [
        ("claude-code", &["-p", "hello"][..]),
        ("claude-code", &["--print"]),
        ("codex", &["exec", "hello"]),
        ("opencode", &["run", "hello"]),
        ("gemini-cli", &["--prompt=hello"]),
    ] {
        assert!(matches!(again(kind, first, None), Err(NoWayBack::Once(_))), "{kind} {first:?}");
    }
    for kind in ["custom", "amp", "acp:gemini"] {
        assert_eq!(again(kind, &[], None), Err(NoWayBack::Program), "{kind}");
    }
    for session in ["", "--help", "a b", "a\u{7f}"] {
        let why = arguments("claude-code", &[], session, None).unwrap_err();
        assert!(matches!(why, NoWayBack::Session(_)), "{session:?}");
    }
}

#[test]
fn what_a_launch_of_ours_has_brought_was_not_typed() {
    let place = "/h/launch/api.";
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let told = |shown: &[&str]| typed(&words(shown), place);
    let brought: [&[&str]; 5] = [
        &[],
        &["--mcp-config=/h/launch/api.mcp.json"],
        &["--additional-mcp-config", "@/h/launch/api.mcp.json"],
        &["--plugin-dir", "/h/launch/api.plugin"],
        &["-c", "mcp_servers.headsup={command=\"/h/bin/headsup\"}"],
    ];
    let own = ["--verbose", "-c", "a=1", "--mcp-config", "b.json", "--", "hello"];
    for ours in brought {
        assert_eq!(told(&[ours, &own[..]].concat()), Some(words(&own)), "{ours:?}");
    }
    // What was given before may be in it.
    assert_eq!(told(&["--settings", "/h/launch/api.json", "--verbose"]), None);
    assert_eq!(told(&["--settings", "own.json"]), Some(words(&["--settings", "own.json"])));
    // The same folder by another name.
    assert_eq!(told(&["--mcp-config=/link/launch/api.mcp.json"]), None);
    assert_eq!(told(&["--add-dir", "/h/launch"]), Some(words(&["--add-dir", "/h/launch"])));
}
