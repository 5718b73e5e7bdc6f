//! Whatever becomes of the program, its installed hooks say nothing and succeed.

use crate::install::{home, settings};
use headsup_testkit::home::{Done, Home};
use headsup_testkit::{hook, wait};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

/// Every command that is installed.
fn commands(home: &Home) -> Vec<String> {
    let text = fs::read_to_string(settings(home)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let events = value["hooks"].as_object().unwrap().values();
    events.map(|groups| groups[0]["hooks"][0]["command"].as_str().unwrap().to_owned()).collect()
}

/// As an agent does: through a shell, the payload on standard input, and nothing of ours in the
/// environment.
fn fire(home: &Home, shell: &str, command: &str) -> Done {
    let mut shell = Command::new(shell);
    shell.args(["-c", command]).env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin");
    let payload =
        r#"{"hook_event_name":"SessionStart","session_id":"s1","cwd":"/","source":"startup"}"#;
    home.feed(shell, payload.as_bytes())
}

fn shells() -> impl Iterator<Item = &'static str> {
    ["/bin/sh", "/bin/bash", "/bin/dash"].into_iter().filter(|path| Path::new(path).exists())
}

/// An executable for a machine that this is not.
fn of_another_machine() -> Vec<u8> {
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0\x01\0\0\0".to_vec();
    bytes.extend([0; 40]);
    bytes.extend(b"\nexit 2\n");
    bytes
}

#[test]
fn the_installed_command_is_silent_whatever_became_of_the_program() {
    let home = home();
    home.run(["hooks", "install", "claude-code", "--live"]).ok();
    let launcher = home.state().join("bin/headsup");
    let file = |bytes: &[u8], mode: u32| {
        fs::write(&launcher, bytes).unwrap();
        fs::set_permissions(&launcher, fs::Permissions::from_mode(mode)).unwrap();
    };
    let cases: [(&str, &dyn Fn()); 10] = [
        ("it is gone", &|| ()),
        ("its link leads nowhere", &|| symlink("/nowhere/headsup", &launcher).unwrap()),
        ("it may not be run", &|| file(b"x", 0o644)),
        ("it is a folder", &|| fs::create_dir(&launcher).unwrap()),
        ("it is for another machine", &|| file(&of_another_machine(), 0o755)),
        ("it was cut off", &|| file(b"\x7fELF", 0o755)),
        ("it is empty", &|| file(b"", 0o755)),
        ("its interpreter is gone", &|| file(b"#!/no/such/interpreter\n", 0o755)),
        ("it blocks and complains", &|| file(b"#!/bin/sh\necho no >&2\nexit 2\n", 0o755)),
        ("it decides", &|| file(b"#!/bin/sh\necho '{\"decision\":\"block\"}'\n", 0o755)),
    ];
    let commands = commands(&home);
    assert!(commands.len() > 8);
    for (what, put) in cases {
        fs::remove_dir(&launcher).ok();
        fs::remove_file(&launcher).ok();
        put();
        for shell in shells() {
            for command in &commands {
                let done = fire(&home, shell, command);
                let told = (done.code, &*done.stdout, &*done.stderr);
                assert_eq!(told, (0, "", ""), "{what}: {shell} -c {command}");
            }
        }
    }
    fs::remove_dir_all(home.state()).unwrap();
    let done = fire(&home, "/bin/sh", &commands[0]);
    assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""), "all of it is gone");
    assert!(!home.state().exists());
}

#[test]
fn hooks_report_to_the_home_that_they_were_installed_from() {
    let home = home();
    home.run(["hooks", "install", "claude-code", "--live"]).ok();
    let queue = home.state().join("spool/queue");
    let is_kept = || fs::metadata(&queue).is_ok_and(|queue| queue.len() > 0);
    let command = &commands(&home)[0];
    let fire = || {
        // The agent's environment names no state folder, and the default one is another.
        let done = fire(&home, "/bin/sh", command);
        assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""));
    };
    hook::until("it waits for this home's hub", fire, || is_kept().then_some(()));
    assert!(!home.path().join(".local").exists(), "and for no other");
    let _hub = headsup_testkit::hub::Hub::start(&home);
    let agents = home.run(["ls", "--json"]).ok().json();
    assert_eq!(agents["agents"][0]["session_id"], "s1");
}

/// Whoever runs it ends the shell when its time is over, and waits for all that could still write.
#[test]
fn a_program_that_hangs_keeps_nobody_waiting_behind_its_shell() {
    let home = home();
    home.run(["hooks", "install", "claude-code", "--live"]).ok();
    let (launcher, told) = (home.state().join("bin/headsup"), home.path().join("told"));
    fs::remove_file(&launcher).unwrap();
    let script = "#!/bin/sh\necho $$ > '@.new'\nmv '@.new' '@'\nexec sleep 600\n";
    fs::write(&launcher, script.replace('@', told.to_str().unwrap())).unwrap();
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).unwrap();
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &commands(&home)[0]]).env_clear().env("PATH", "/usr/bin:/bin");
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    let hangs = wait::until("the program", || fs::read_to_string(&told).ok());
    shell.kill().unwrap();
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(shell.wait_with_output()));
    let ended = ended.recv_timeout(wait::DEADLINE);
    let hangs = Pid::from_raw(hangs.trim().parse().unwrap()).unwrap();
    kill_process(hangs, Signal::KILL).unwrap();
    let output = ended.unwrap().unwrap();
    assert_eq!((output.stdout, output.stderr), (Vec::new(), Vec::new()));
}
