//! What the kernel tells of a process, from `/proc`.

use rustix::fs::{Mode, OFlags};

/// One line of `/proc/PID/stat`, as far as it identifies the process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(super) parent: u32,
    /// Clock ticks from boot to its start: with the pid, its identity.
    pub(crate) start: u64,
    pub(super) comm: String,
}

impl Process {
    /// `None` if there is no such process, or no `/proc`.
    pub(crate) fn read(pid: u32) -> Option<Self> {
        let path = format!("/proc/{pid}/stat");
        let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let mut line = [0; 1024];
        let len = rustix::io::read(&file, &mut line).ok()?;
        Self::parse(pid, &line[..len])
    }

    /// Whether it is still there, perhaps as one that has ended and that nobody has collected.
    pub(crate) fn is_there(&self) -> bool {
        Self::read(self.pid).is_some_and(|now| now.start == self.start)
    }

    /// The words of its command line, each with a NUL behind it and cut after 4 KiB, and whether its
    /// input is a terminal.
    pub(super) fn start_of(&self) -> Option<(Vec<u8>, bool)> {
        let path = |what: &str| format!("/proc/{}/{what}", self.pid);
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = rustix::fs::open(path("cmdline"), flags, Mode::empty()).ok()?;
        let mut line = vec![0; 4096];
        let len = rustix::io::read(&file, &mut line).ok()?;
        line.truncate(len);
        let input = std::fs::read_link(path("fd/0")).ok()?;
        let terminals = ["/dev/pts/", "/dev/tty", "/dev/console"];
        let name = input.to_string_lossy();
        Some((line, terminals.iter().any(|terminal| name.starts_with(terminal))))
    }

    /// Whether it is a shell that somebody types into: it was given neither a script nor a command.
    pub(crate) fn is_typed_into(&self) -> bool {
        self.start_of().is_some_and(|(line, _)| is_interactive(&self.comm, &line))
    }

    /// The name stands in parentheses and may itself hold spaces and parentheses.
    pub(super) fn parse(pid: u32, line: &[u8]) -> Option<Self> {
        let open = line.iter().position(|&byte| byte == b'(')?;
        let close = line.iter().rposition(|&byte| byte == b')')?;
        let comm = String::from_utf8_lossy(line.get(open + 1..close)?).into_owned();
        let mut fields = str::from_utf8(&line[close + 1..]).ok()?.split_ascii_whitespace();
        // Behind the name stand state, parent (field 4) and, as field 22, the start.
        let parent = fields.nth(1)?.parse().ok()?;
        let start = fields.nth(17)?.parse().ok()?;
        Some(Self { pid, parent, start, comm })
    }
}

const SHELLS: [&str; 11] =
    ["sh", "bash", "dash", "zsh", "fish", "ksh", "tcsh", "csh", "nu", "elvish", "pwsh"];

fn is_interactive(name: &str, line: &[u8]) -> bool {
    let mut options = line.split(|&byte| byte == 0).skip(1).filter(|word| !word.is_empty());
    SHELLS.contains(&name)
        && options.all(|option| {
            // `-c`, also among others (`-lc`), has a command behind it.
            option.starts_with(b"-") && (option.starts_with(b"--") || !option.contains(&b'c'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_that_runs_something_is_told_from_one_that_is_typed_into() {
        let of = |name: &str, line: &str| is_interactive(name, line.replace(' ', "\0").as_bytes());
        for typed in ["bash ", "-zsh ", "bash -i ", "fish --login ", "zsh -il "] {
            let name = typed.trim_start_matches('-').split(' ').next().unwrap();
            assert!(of(name, typed), "{typed}");
        }
        for runs in ["bash agent.sh ", "sh -c headsup ", "bash -lc x ", "bash -x agent.sh "] {
            assert!(!of(runs.split(' ').next().unwrap(), runs), "{runs}");
        }
        assert!(!of("claude", "claude "));
    }

    #[test]
    fn a_name_may_look_like_the_line_around_it() {
        let line = b"7 (a) S 1 (b) S 42 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 987654 3 4";
        let process = Process::parse(7, line).unwrap();
        assert_eq!((process.parent, process.start), (42, 987_654));
        assert_eq!(process.comm, "a) S 1 (b");
    }

    #[test]
    fn a_line_that_is_cut_is_no_process() {
        let line = b"7 (init) S 1 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 987654";
        for end in 0..line.len() - 6 {
            assert_eq!(Process::parse(7, &line[..end]), None, "cut at {end}");
        }
    }

    #[test]
    fn this_process_is_found() {
        let process = Process::read(std::process::id()).unwrap();
        assert_eq!(process.parent, std::os::unix::process::parent_id());
        assert!(process.start > 0);
        assert!(process.is_there());
        let before = Process { start: process.start - 1, ..process };
        assert!(!before.is_there(), "a pid is nobody without its start");
    }
}
