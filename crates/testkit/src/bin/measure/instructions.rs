//! Instructions of a hook in user space: a number that holds still, so it can be a gate.

use crate::{Outcome, hooks, say};
use headsup_testkit::home::Home;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// More than that is a defect, or a change that has to be talked of: set it anew then. From 2 %
/// below it on it should be lowered. Of what starts in `crates/front`:
/// by way of the C library and the runtime it takes 96 thousand more, and to find its libraries 370 thousand.
const MOST: f64 = 44_000.0;
/// Another linker or libc may take a little more.
const TOLERANCE: f64 = 1.05;

/// Where a hook starts. A release is counted from its first instruction, which is there. Another build's libraries
/// are found before; what follows is the same object (`headsup/build.rs`), and has its name.
const ENTRY: &str = "headsup_start";

/// So many processes above it does a hook look at.
const ABOVE: u32 = 8;

/// Instructions of one hook that a server answers. `None` without valgrind.
pub(crate) fn of_hook(binary: &Path) -> Outcome<Option<f64>> {
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        return Ok(None);
    }
    let home = Home::new(&binary.to_string_lossy());
    std::fs::create_dir_all(home.state())?;
    crate::spawn::answer_all(&home.socket())?;
    // The least of a few: what the kernel interrupts is done again.
    let counts = (0..3).map(|_| count(&home)).collect::<Outcome<Vec<f64>>>()?;
    Ok(counts.into_iter().reduce(f64::min))
}

fn count(home: &Home) -> Outcome<f64> {
    let hook = hooks::command(home);
    let mut nested = Command::new(std::env::current_exe()?);
    nested.arg("nested").arg(ABOVE.to_string());
    nested.args(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    if cfg!(debug_assertions) {
        nested.arg(format!("--toggle-collect={ENTRY}"));
    }
    nested.arg(hook.get_program()).args(hook.get_args()).env_clear();
    nested.envs(hook.get_envs().filter_map(|(name, value)| Some((name, value?))));
    nested.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = nested.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&hooks::payload(850))?;
    }
    let said = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let count = said.lines().find_map(|line| line.split_once("Collected : ")?.1.parse().ok());
    count.ok_or_else(|| format!("valgrind did not count: {said}").into())
}

/// Runs a command `levels` processes below this one: then it is the same, whoever starts us.
pub(crate) fn run_nested(levels: u32, command: &[String]) -> Outcome<()> {
    let mut next = if levels == 0 {
        let mut last = Command::new(command.first().ok_or("no command")?);
        last.args(&command[1..]);
        last
    } else {
        let mut next = Command::new(std::env::current_exe()?);
        next.arg("nested").arg((levels - 1).to_string()).args(command);
        next
    };
    let next = next.status()?;
    if next.success() { Ok(()) } else { Err(format!("it ended with {next}").into()) }
}

/// Fails if a hook takes more instructions than it may.
pub(crate) fn gate(binary: &Path) -> Outcome<()> {
    let Some(count) = of_hook(binary)? else {
        if std::env::var("CI").is_ok_and(|ci| ci == "true") {
            return Err("valgrind is not installed".into());
        }
        return say("valgrind is not installed: the instructions of a hook are not counted");
    };
    say(&format!("a hook takes {count:.0} instructions in user space, of {MOST:.0} that it may"))?;
    if count > MOST * TOLERANCE {
        return Err("that is too many; see MOST in measure/instructions.rs".into());
    }
    if count < MOST / 10.0 {
        return Err(format!("{ENTRY} was not counted").into());
    }
    if count < MOST * 0.98 {
        say("that is fewer than it may: lower MOST in measure/instructions.rs")?;
    }
    Ok(())
}
