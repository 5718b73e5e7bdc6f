//! Of which version a program is: its package says it, its name, or the program itself.

use headsup_adapters::inject::Version;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// A compiled program says its version in some milliseconds. One that takes longer is not waited for.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);
/// More than it says. Bytes.
const MOST: u64 = 256;

/// Whether a program may be given what its versions know since `since`, major and minor. Whatever somebody has written
/// around a program may do anything, so a script that says no version is believed to be a new one.
pub(crate) fn knows(program: &Path, package: &str, since: (u64, u64)) -> bool {
    match of(program, package) {
        // It was built from source.
        Some((0, 0, 0)) => true,
        Some((major, minor, _)) => (major, minor) >= since,
        // A program that is not told more starts in any case.
        None => is_script(program),
    }
}

/// Which version a program is, of a package: that says it, or the program's own name, and else the program is asked,
/// unless it is a script. `None`: nobody knows.
pub(crate) fn of(program: &Path, package: &str) -> Option<Version> {
    let real = program.canonicalize().ok()?;
    let known = in_package(&real, package).or_else(|| parsed(real.file_name()?.to_str()?));
    if known.is_some() || is_script(&real) {
        return known;
    }
    // By the name that it is called by: what many names lead to (mise, volta) is another program by its own.
    asked(Command::new(program).arg("--version"))
}

/// The version of the package that a program is in, or in a folder of. `None` where it is in no such package.
fn in_package(program: &Path, package: &str) -> Option<Version> {
    program.ancestors().skip(1).take(2).find_map(|folder| {
        let file = std::fs::read_to_string(folder.join("package.json")).ok()?;
        let said: Value = serde_json::from_str(&file).ok()?;
        // What of it is for one system alone is a package of its own, named after it.
        let rest = said["name"].as_str()?.strip_prefix(package)?;
        if !rest.is_empty() && !rest.starts_with('-') {
            return None;
        }
        parsed(said["version"].as_str()?)
    })
}

fn is_script(program: &Path) -> bool {
    let mut start = [0; 2];
    File::open(program).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"#!"
}

/// The first word of its answer that is a version.
fn asked(command: &mut Command) -> Option<Version> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let out = child.stdout.take();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        // What it has started may keep the pipe open.
        let mut line = Vec::new();
        if let Some(out) = out {
            BufReader::new(out.take(MOST)).read_until(b'\n', &mut line).ok();
        }
        tell.send(String::from_utf8_lossy(&line).into_owned()).ok();
    });
    let text = told.recv_timeout(ANSWERS_WITHIN).ok();
    child.kill().ok();
    child.wait().ok();
    text?.split_whitespace().find_map(parsed)
}

pub(super) fn parsed(version: &str) -> Option<Version> {
    let mut parts = version.split('.');
    let mut number = || parts.next()?.parse::<u64>().ok();
    let (major, minor) = (number()?, number()?);
    let patch = parts.next().unwrap_or_default();
    let end = patch.find(|c: char| !c.is_ascii_digit()).unwrap_or(patch.len());
    Some((major, minor, patch[..end].parse().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_says_its_version_and_one_that_says_none_in_time_is_let_be() {
        let asked = |script: &str| asked(Command::new("/bin/sh").args(["-c", script]));
        assert_eq!(asked("echo agent-cli 0.149.0"), Some((0, 149, 0)));
        assert_eq!(asked("echo agent-cli 0.162.3-alpha.1"), Some((0, 162, 3)));
        assert_eq!(asked("echo agent-cli 0.149.0; exec tail -f /dev/null"), Some((0, 149, 0)));
        assert_eq!(asked("echo nothing of the kind"), None);
        assert_eq!(asked("echo 0.162.0 >&2; exit 2"), None);
        assert_eq!(asked("exec tail -f /dev/null"), None);
    }

    #[test]
    fn what_cannot_tell_its_version_gets_nothing_that_it_may_not_know() {
        let temp = tempfile::tempdir().unwrap();
        let program = temp.path().join("agent");
        let knows = || knows(&program, "@somebody/agent", (0, 162));
        assert!(!knows(), "there is none");
        std::fs::write(&program, "\x7fELF").unwrap();
        assert!(!knows(), "it cannot be run");
        std::fs::write(&program, "#!/bin/sh\necho agent-cli 0.149.0\n").unwrap();
        assert!(knows(), "a script is not asked");
    }

    #[test]
    fn a_program_in_its_package_or_named_by_its_version_is_not_asked() {
        let temp = tempfile::tempdir().unwrap();
        let place = |path: &str, text: &str| {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        let of = |path: &Path| of(path, "@somebody/agent");
        let says = |name: &str| format!("{{\"name\": \"{name}\", \"version\": \"2.1.100\"}}");
        for (package, program, name, version) in [
            ("a", "cli.js", "@somebody/agent", Some((2, 1, 100))),
            ("b", "bin/agent.exe", "@somebody/agent", Some((2, 1, 100))),
            ("c", "agent", "@somebody/agent-linux-x64", Some((2, 1, 100))),
            ("d", "agent", "@somebody/agents", None),
            ("e", "one/two/agent", "@somebody/agent", None),
        ] {
            place(&format!("{package}/package.json"), &says(name));
            let program = place(&format!("{package}/{program}"), "#!/bin/sh\n");
            assert_eq!(of(&program), version, "{}", program.display());
        }
        let program = place("versions/2.1.330", "\x7fELF");
        let link = temp.path().join("agent");
        std::os::unix::fs::symlink(&program, &link).unwrap();
        assert_eq!(of(&link), Some((2, 1, 330)));
    }
}
