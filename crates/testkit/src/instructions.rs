//! Instructions of a hook in user space: a number that holds still, so it can be a gate.

use crate::home::Home;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};

/// More than that is a defect, or a change that has to be talked of: set it anew then. From 2 %
/// below it on it should be lowered. Of what starts in `crates/front`:
/// by way of the C library and the runtime it takes 96 thousand more, and to find its libraries 370 thousand.
pub const MOST: u32 = 44_000;
/// Another linker or libc may take a little more. Percent.
const TOLERANCE: u32 = 5;

/// So many processes above it does a hook look at.
const ABOVE: usize = 8;
/// What a hook runs. A release is counted from its first instruction, which leads there, and has no names. Another build
/// looks for its libraries before; what follows is the same object (`headsup/build.rs`).
const FRONT: &str = "headsup_front::entry::front";

/// What a server answers that does nothing else.
pub const ACCEPTED: &[u8] =
    b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// What a tool's hook is given: about 1 KB with 850 bytes of filler.
pub fn payload(filler: usize) -> Vec<u8> {
    format!(
        "{{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"s\",\"cwd\":\"/src/api\",\
         \"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"ls\"}},\
         \"tool_response\":\"{}\",\"tool_use_id\":\"toolu_1\"}}",
        "x".repeat(filler)
    )
    .into_bytes()
}

/// The hook that is given it.
pub fn hook(home: &Home) -> Command {
    let mut command = home.command(["hook", "claude-code", "PostToolUse"]);
    command.env("HEADSUP_AGENT_ID", "api");
    command
}

/// Instructions of one hook of about 1 KB that a server answers, in a build like ours. `None` without valgrind.
///
/// # Errors
/// If valgrind does not count, or a socket cannot be made.
pub fn of_hook(binary: &Path) -> io::Result<Option<u32>> {
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        return Ok(None);
    }
    let home = Home::new(&binary.to_string_lossy());
    std::fs::create_dir_all(home.state())?;
    answer_all(&home.socket())?;
    // The least of a few: what the kernel interrupts is done again.
    let counts = (0..3).map(|_| count(&home));
    Ok(counts.collect::<io::Result<Vec<u32>>>()?.into_iter().min())
}

/// What is wrong with such a number.
///
/// # Errors
/// If it is more than a hook may take, or so few that no hook was counted. In words.
pub fn judge(count: u32) -> Result<(), String> {
    let said = format!("a hook takes {count} instructions in user space, of {MOST} that it may");
    match count {
        0..1_000 => Err(format!("{said}: {FRONT} was not counted")),
        _ if count > MOST / 100 * (100 + TOLERANCE) => {
            Err(format!("{said}: that is too many; see MOST in testkit/src/instructions.rs"))
        }
        _ => Ok(()),
    }
}

fn count(home: &Home) -> io::Result<u32> {
    let hook = hook(home);
    let mut counted = Command::new("/bin/sh");
    // Then it is the same, whoever starts us.
    for level in 0..ABOVE {
        if level > 0 {
            counted.arg("/bin/sh");
        }
        counted.args(["-c", "\"$@\"; exit $?", "sh"]);
    }
    counted.args(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    if cfg!(debug_assertions) {
        counted.arg(format!("--toggle-collect={FRONT}"));
    }
    counted.arg(hook.get_program()).args(hook.get_args()).env_clear();
    counted.envs(hook.get_envs().filter_map(|(name, value)| Some((name, value?))));
    counted.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = counted.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&payload(850))?;
    }
    let said = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let count = said.lines().find_map(|line| line.split_once("Collected : ")?.1.parse().ok());
    count.ok_or_else(|| io::Error::other(format!("valgrind did not count: {said}")))
}

/// Answers every connection's first bytes, and nothing else, until the program ends.
///
/// # Errors
/// If the socket cannot be made.
pub fn answer_all(socket: &Path) -> io::Result<()> {
    let listener = UnixListener::bind(socket)?;
    std::thread::spawn(move || {
        let mut piece = [0; 8 << 10];
        for mut client in listener.incoming().flatten() {
            if client.read(&mut piece).is_ok() {
                let _gone = client.write_all(ACCEPTED);
            }
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_hook_may_take_is_said_and_so_is_a_count_of_nothing() {
        assert_eq!(judge(MOST), Ok(()));
        assert_eq!(judge(MOST / 100 * (100 + TOLERANCE)), Ok(()));
        assert!(judge(MOST + MOST / 10).unwrap_err().contains("too many"));
        assert!(judge(0).unwrap_err().contains("not counted"));
    }
}
