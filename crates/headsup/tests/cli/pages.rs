//! What other programs read of the command line: completions, manual pages.

use headsup_testkit::home::Home;
use std::process::Command;

const BINARY: &str = env!("CARGO_BIN_EXE_headsup");

#[test]
fn a_shell_completes_the_commands_and_a_pager_shows_each() {
    let home = Home::new(BINARY);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.run(["completions", shell]).ok().stdout.clone();
        for word in ["answer", "statusline", "no-start"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        // What nobody is to type is offered to nobody.
        assert!(!script.contains("relaunch"), "{shell}");
        if shell == "bash" {
            let file = home.path().join("completions");
            std::fs::write(&file, script).unwrap();
            for (line, word, before, offered) in [
                ("sta", "sta", "headsup", "stage\nstatusline\n"),
                ("ls --vocabulary wa", "wa", "--vocabulary", "wardian\n"),
                ("ls --status un", "un", "--status", "unknown\n"),
                ("wait api --until at", "at", "--until", "attention\n"),
                ("hooks install qw", "qw", "install", "qwen-code\n"),
            ] {
                let at = line.split(' ').count();
                let asked = format!(
                    "source \"$0\"; COMP_WORDS=(headsup {line}); COMP_CWORD={at}; \
                     _headsup headsup {word} {before}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
                );
                let done = Command::new("bash").args(["-c", &asked]).arg(&file).output().unwrap();
                assert_eq!(String::from_utf8_lossy(&done.stdout), offered, "{line}: {done:?}");
            }
        }
    }
    let help = home.run(["--help"]).ok().stdout.clone();
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let words = listed.take_while(|line| !line.is_empty());
    // A description may go on in the next line.
    let commands =
        words.filter_map(|line| line.strip_prefix("  ").filter(|it| !it.starts_with(' ')));
    let commands: Vec<&str> = commands.filter_map(|line| line.split(' ').next()).collect();
    assert!(commands.len() > 30, "{commands:?}");
    for command in commands {
        let page = home.run(["man", command]).ok().stdout.clone();
        assert!(page.contains(&format!(".TH headsup-{command} 1")), "{command}: {page}");
    }
    let whole = home.run(["man"]).ok().stdout.clone();
    assert!(whole.contains(".TH headsup 1") && whole.contains("headsup\\-wait"), "{whole}");
    assert!(home.run(["man", "task", "new"]).ok().stdout.contains(".TH headsup-task-new 1"));
    let wait = home.run(["man", "wait"]).ok().stdout.clone();
    let usage = "\\fBheadsup wait\\fR [OPTIONS] \\-\\-until <SET> <AGENT>...\n";
    assert!(wait.contains(usage), "{wait}");
    assert!(wait.contains(".SH EXAMPLES\n.nf\n  headsup wait api "), "{wait}");
    let version = format!("\"headsup {}\"", env!("CARGO_PKG_VERSION"));
    assert!(wait.lines().any(|line| line.starts_with(".TH") && line.contains(&version)), "{wait}");
    let none = home.run(["man", "nope"]);
    assert_eq!((none.code, none.stderr.contains("no command")), (2, true), "{}", none.stderr);
}

#[test]
fn a_bar_that_takes_nothing_is_no_failure() {
    let home = Home::new(BINARY);
    for format in ["plain", "json", "waybar"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = home.command(["statusline", "--format", format]);
        let done = command.stdout(full).output().unwrap();
        assert_eq!((done.status.code(), done.stderr.len()), (Some(0), 0), "{format}: {done:?}");
    }
}
