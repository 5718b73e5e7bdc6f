//! Processes as the kernel shows them: is a known one still the same, who is above it.

use headsup_core::id::{AgentId, ProcessId};
use rustix::fs::{Mode, OFlags, major, minor};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

#[path = "process/left.rs"]
pub(crate) mod left;

/// How far up ancestors are looked for.
const MAX_ANCESTORS: usize = 8;
/// No shell is nested so deep; whoever is stands for nobody.
const LONGEST_LINE: usize = 4_096;
/// A clock tick as Linux shows it to programs, whatever it counts in itself (`USER_HZ`).
const TICK_MS: u64 = 10;
/// The variable in which an agent carries the id of its seat.
const AGENT_ID: &[u8] = b"HEADSUP_AGENT_ID=";
/// The fields of `/proc/PID/stat` that are read are shorter than this: a name of 64 letters, each written in four
/// bytes at most, and 20 numbers. Bytes.
const STAT: usize = 1_024;
/// Most environments are shorter. Bytes.
const ENVIRONMENT: usize = 8 << 10;

/// Looks a process up by pid and start time. One in another pid namespace that we do not see
/// counts as gone; so does one that has ended and was not collected by its parent yet.
pub(crate) fn is_alive(process: &ProcessId) -> bool {
    living(process).is_some()
}

/// What is to be seen of a process that is alive.
pub(crate) fn living(process: &ProcessId) -> Option<Stat> {
    let found = process.pid_here().and_then(Stat::read);
    found.filter(|stat| stat.start_ticks == process.start_ticks && !stat.has_ended)
}

/// Pid and start ticks of a process that is there.
pub(crate) fn identity(pid: u32) -> Option<(u32, u64)> {
    Stat::read(pid).map(|stat| (pid, stat.start_ticks))
}

/// Whether a process sees the same processes and files as we do: it is in no container.
pub(crate) fn is_beside_us(pid: u32) -> bool {
    ["pid", "mnt"].iter().all(|kind| {
        let of = |who: &str| std::fs::read_link(format!("/proc/{who}/ns/{kind}")).ok();
        of("self").is_some_and(|own| of(&pid.to_string()).is_some_and(|its| its == own))
    })
}

/// Pid and start ticks of the processes above this one, the nearest first.
pub(crate) fn ancestors(pid: u32) -> Vec<(u32, u64)> {
    let mut found = Vec::new();
    let mut next = Stat::read(pid).map_or(0, |stat| stat.parent);
    while next > 0 && found.len() < MAX_ANCESTORS {
        let Some(stat) = Stat::read(next) else { break };
        found.push((next, stat.start_ticks));
        next = stat.parent;
    }
    found
}

/// Pid and start ticks of a process and of all those above it, the nearest first, read as far as it is asked for.
pub(crate) fn upwards(pid: u32) -> impl Iterator<Item = (u32, u64)> {
    upwards_with_stat(pid).map(|(pid, stat)| (pid, stat.start_ticks))
}

fn upwards_with_stat(pid: u32) -> impl Iterator<Item = (u32, Stat)> {
    let mut next = pid;
    let above = move || {
        let pid = next;
        let stat = (pid > 0).then(|| Stat::read(pid)).flatten()?;
        next = stat.parent;
        Some((pid, stat))
    };
    std::iter::from_fn(above).take(LONGEST_LINE)
}

/// The seat that a process was started for.
pub(crate) fn claimed_seat(pid: u32) -> Option<AgentId> {
    let [id] = variables(pid, [AGENT_ID]);
    AgentId::new(id?).ok()
}

/// The values of these variables (`NAME=`) of a process. Nothing else of its environment is kept.
pub(crate) fn variables<const N: usize>(pid: u32, names: [&[u8]; N]) -> [Option<String>; N] {
    let environment = environment(pid).unwrap_or_default();
    let mut values = names.map(|_| None);
    let mut rest = environment.as_slice();
    while !rest.is_empty() {
        let end = memchr::memchr(0, rest).unwrap_or(rest.len());
        let variable = &rest[..end];
        for (name, found) in names.iter().zip(&mut values) {
            // The first of two is what the program itself finds.
            if found.is_none() {
                *found = variable.strip_prefix(*name);
            }
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    values.map(|value| str::from_utf8(value?).ok().map(str::to_owned))
}

fn environment(pid: u32) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(ENVIRONMENT);
    // With a bound the file is not asked for its size, which it does not know.
    File::open(format!("/proc/{pid}/environ"))?.take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The words that a process was started with. `None` where they are no text, or where it has written
/// something else over them: then zero bytes fill the rest of their room.
pub(crate) fn command_line(pid: u32) -> Option<Vec<String>> {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let text = str::from_utf8(bytes.strip_suffix(&[0])?).ok()?;
    let is_whole = !text.is_empty() && !text.ends_with('\0');
    is_whole.then(|| text.split('\0').map(str::to_owned).collect())
}

/// Where a process is.
pub(crate) fn folder(pid: u32) -> Option<String> {
    std::fs::read_link(format!("/proc/{pid}/cwd")).ok()?.into_os_string().into_string().ok()
}

/// The file that a process runs.
pub(crate) fn program(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// What a process has taken until now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// With that of its children that have ended.
    pub(crate) cpu_ms: u64,
    pub(crate) memory_bytes: u64,
}

pub(crate) fn taken(pid: u32) -> Option<Taken> {
    let stat = Stat::read(pid)?;
    let ticks = stat.computed.saturating_add(stat.computed_by_children);
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = resident.and_then(|text| text.trim().strip_suffix(" kB")?.parse().ok());
    let kib: u64 = kib.unwrap_or(0);
    Some(Taken { cpu_ms: ticks.saturating_mul(TICK_MS), memory_bytes: kib.saturating_mul(1_024) })
}

/// How long it has computed, in clock ticks.
pub(crate) fn computed(pid: u32) -> Option<u64> {
    Stat::read(pid).map(|stat| stat.computed)
}

/// The shell that a process is a job of, as it is in a terminal where a person has started it.
pub(crate) fn shell_of(process: &ProcessId) -> Option<ProcessId> {
    // The end of a container takes all of its processes along.
    let own = living(process).filter(|_| process.pid_namespace.is_none())?;
    own.shell().and_then(identity).map(|(pid, start_ticks)| ProcessId::new(pid, start_ticks))
}

/// Who leads the session of a process at its terminal and is no shell that has made a job of it: the terminal's own
/// command, as a program's launcher that waits for it.
pub(crate) fn leader_of(process: &ProcessId) -> Option<ProcessId> {
    let own = living(process).filter(|_| process.pid_namespace.is_none())?;
    let leader = own.leader().filter(|leader| *leader != process.pid);
    leader.and_then(identity).map(|(pid, start_ticks)| ProcessId::new(pid, start_ticks))
}

/// What has started a living process, and is still there.
pub(crate) fn parent_of(process: &ProcessId) -> Option<ProcessId> {
    let parent = living(process).map(|stat| stat.parent).filter(|parent| *parent > 1);
    parent.and_then(identity).map(|(pid, start_ticks)| ProcessId::new(pid, start_ticks))
}

/// The terminal that controls a living process, by the number that the kernel has for it.
pub(crate) fn terminal(process: &ProcessId) -> Option<i64> {
    living(process).map(|stat| stat.terminal).filter(|terminal| *terminal != 0)
}

/// The number of a terminal, as `/proc/PID/stat` has it: twelve bits of major behind eight bits of minor, and the rest
/// of the minor above them.
pub(crate) fn number_of_terminal(path: &Path) -> Option<i64> {
    let device = rustix::fs::stat(path).ok()?.st_rdev;
    let (major, minor) = (i64::from(major(device)), i64::from(minor(device)));
    Some((minor & 0xff) | (major << 8) | ((minor & !0xff) << 12))
}

/// The processes that these terminals control, each with what its terminal is called there.
pub(crate) fn at_terminals(terminals: &HashMap<i64, String>) -> Vec<(ProcessId, String)> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let there = pids.filter_map(|pid| {
        let stat = Stat::read(pid).filter(|stat| !stat.has_ended)?;
        let name = terminals.get(&stat.terminal)?;
        Some((ProcessId::new(pid, stat.start_ticks), name.clone()))
    });
    there.collect()
}

pub(crate) struct Stat {
    pub(crate) parent: u32,
    pub(crate) start_ticks: u64,
    /// Who leads its process group, and its session; nobody whom we see, where that is in another pid namespace.
    group: Option<u32>,
    session: Option<u32>,
    /// Its controlling terminal; 0 without one.
    terminal: i64,
    /// Which process group is in front at that terminal, if we see it.
    in_front: Option<u32>,
    /// In user and kernel mode. Clock ticks.
    computed: u64,
    /// Of its children that have ended and were collected.
    computed_by_children: u64,
    pub(crate) has_ended: bool,
    /// By a signal, as Ctrl-Z sends it.
    pub(crate) is_stopped: bool,
    /// The system's first process, or that of a user's session, by its name.
    is_systemd: bool,
}

impl Stat {
    /// Does a terminal control it?
    pub(crate) fn has_terminal(&self) -> bool {
        self.terminal != 0
    }

    /// Is it this terminal that controls it?
    pub(crate) fn is_at(&self, terminal: i64) -> bool {
        self.terminal == terminal
    }

    /// Is another job in front at its terminal, as behind `&` or Ctrl-Z?
    pub(crate) fn is_in_background(&self) -> bool {
        let groups = self.group.zip(self.in_front).filter(|_| self.terminal != 0);
        groups.is_some_and(|(own, in_front)| own != in_front)
    }

    /// Who leads its session at a terminal, and has put it into a process group of its own. Whoever merely runs a
    /// program, as `sh -c` does, does not, and ends with it.
    fn shell(&self) -> Option<u32> {
        self.session.filter(|_| self.terminal != 0 && self.group != self.session)
    }

    /// Who leads its session at a terminal, and its process group with it.
    fn leader(&self) -> Option<u32> {
        self.session.filter(|_| self.terminal != 0 && self.group == self.session)
    }

    pub(crate) fn read(pid: u32) -> Option<Self> {
        // With one read: each hook has the line above it looked at.
        let path = format!("/proc/{pid}/stat");
        let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let mut line = [0; STAT];
        let length = rustix::io::retry_on_intr(|| rustix::io::read(&file, &mut line)).ok()?;
        Self::parse(&line[..length])
    }

    /// Fields 2 to 8, 14 to 17, 20 and 22 of `/proc/PID/stat`. The name in field 2 may hold anything, its last `)`
    /// ends it.
    pub(crate) fn parse(stat: &[u8]) -> Option<Self> {
        let name_end = stat.iter().rposition(|&byte| byte == b')')?;
        let is_systemd = stat[..name_end].ends_with(b"(systemd");
        let rest = str::from_utf8(&stat[name_end + 1..]).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let mut leader = || fields.next()?.parse::<u32>().ok().filter(|pid| *pid > 0);
        let (group, session) = (leader(), leader());
        let terminal = fields.next()?.parse().ok()?;
        let in_front = fields.next()?.parse::<u32>().ok().filter(|group| *group > 0);
        let in_user: u64 = fields.nth(5)?.parse().ok()?;
        let in_kernel: u64 = fields.next()?.parse().ok()?;
        let of_children =
            [fields.next()?.parse().unwrap_or(0), fields.next()?.parse().unwrap_or(0)];
        let threads: u64 = fields.nth(2)?.parse().ok()?;
        let start_ticks = fields.nth(1)?.parse().ok()?;
        let computed = in_user.saturating_add(in_kernel);
        let computed_by_children = of_children.iter().sum();
        Some(Self {
            parent,
            start_ticks,
            group,
            session,
            terminal,
            in_front,
            computed,
            computed_by_children,
            // Its first thread may have left before the others.
            has_ended: state == "X" || state == "Z" && threads <= 1,
            is_stopped: state == "T",
            is_systemd,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::left::{LeftAlone, is_left, is_runner, left_alone};
    use super::*;

    #[test]
    fn a_pid_alone_is_no_identity() {
        let pid = std::process::id();
        let start_ticks = Stat::read(pid).unwrap().start_ticks;
        let own = ProcessId::new(pid, start_ticks);
        assert!(is_alive(&own));
        assert!(!is_alive(&ProcessId { start_ticks: start_ticks + 1, ..own.clone() }));
        assert!(!is_alive(&ProcessId { pid_namespace: Some(1), ..own }));
        assert_eq!(
            ancestors(pid).first().map(|(pid, _)| *pid),
            Some(std::os::unix::process::parent_id())
        );
    }

    #[test]
    fn a_process_that_nobody_has_collected_has_ended() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        let start_ticks = Stat::read(pid).unwrap().start_ticks;
        while !Stat::read(pid).unwrap().has_ended {
            std::thread::yield_now();
        }
        assert!(!is_alive(&ProcessId::new(pid, start_ticks)));
        child.wait().unwrap();
    }

    /// A shell that says who it is and stays until its input ends, started by one that may have gone.
    fn with_a_shell(outer: &str, check: impl FnOnce(u32, &mut std::process::Child)) {
        use std::io::{BufRead as _, BufReader};
        let mut shell = std::process::Command::new("sh")
            .args(["-c", outer])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = shell.stdin.take();
        let mut said = String::new();
        BufReader::new(shell.stdout.take().unwrap()).read_line(&mut said).unwrap();
        check(said.trim().parse().unwrap(), &mut shell);
        drop(stdin);
        shell.kill().ok();
        shell.wait().unwrap();
    }

    #[test]
    fn a_process_that_was_left_alone_is_told_from_one_that_is_somebodys() {
        let detached = "exec 3<&0; setsid sh -c 'echo $$; read line <&3' & wait";
        with_a_shell(detached, |pid, shell| {
            // Above us somebody may have been left alone.
            let ours = [pid, shell.id()];
            let is_ours = |left: &LeftAlone| ours.contains(&left.pid);
            assert_eq!(left_alone(pid).filter(is_ours), None, "its line ends in ours");
            shell.kill().unwrap();
            shell.wait().unwrap();
            let left = left_alone(pid).filter(is_ours);
            // Elsewhere than with the first process it may be with whoever takes such children in.
            let is_init = Stat::read(pid).unwrap().parent == 1 && !is_runner(1);
            let itself = identity(pid).map(|(pid, start_ticks)| LeftAlone { pid, start_ticks });
            assert_eq!(left, itself.filter(|_| is_init));
        });
    }

    #[test]
    fn what_gives_a_terminal_to_a_person_is_told_from_what_runs_others() {
        use std::io::Write as _;
        use std::process::{Command, Stdio};
        let system = |terminal| Stat { terminal, ..Stat::read(std::process::id()).unwrap() };
        let by = |pid| LeftAlone { pid, start_ticks: 1 };
        with_a_shell("echo $$; read line", |shell, _| {
            let own = std::process::id();
            assert!(is_left(by(own), own, &system(0), 0), "no terminal");
            assert!(is_left(by(shell), own, &system(0), 7), "a shell gives nobody a terminal");
            assert!(!is_left(by(shell), own, &system(7), 7), "it is the first one's own");
            assert!(!is_left(by(own), shell, &system(0), 0), "a shell has started it");
            for (seat, is_an_agents) in [("", false), ("api", true)] {
                let mut program = Command::new("cat");
                program.env("HEADSUP_AGENT_ID", seat).stdin(Stdio::piped()).stdout(Stdio::piped());
                let mut program = program.spawn().unwrap();
                // Its environment is there a little later than its name; it answers once both are.
                program.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
                program.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
                let left = is_left(by(program.id()), own, &system(0), 7);
                program.kill().unwrap();
                program.wait().unwrap();
                assert_eq!(left, is_an_agents, "a terminal program's, for {seat:?}");
            }
        });
    }

    #[test]
    fn all_that_is_read_of_the_longest_line_comes_with_one_read() {
        let (name, longest) = (")".repeat(4 * 64), u64::MAX / 2);
        let numbers = vec![longest.to_string(); 15].join(" ");
        let line = format!("4194304 ({name}) S 4194304 {longest} {longest} 7 {numbers} {longest}");
        assert!(line.len() < STAT, "{}", line.len());
        let whole = format!("{line} {}", vec![longest.to_string(); 30].join(" "));
        let stat = Stat::parse(&whole.as_bytes()[..STAT]).unwrap();
        assert_eq!((stat.parent, stat.terminal, stat.start_ticks), (4_194_304, 7, longest));
    }

    #[test]
    fn a_job_of_a_shell_is_told_from_what_a_script_runs_and_from_what_leads_its_session() {
        let stat = |state: &str, leaders: &str| {
            let rest = "50 0 0 0 0 0 1 1 0 0 20 0 1 0 777 0";
            Stat::parse(format!("50 (agent) {state} 49 {leaders} {rest}").as_bytes()).unwrap()
        };
        let job = stat("T", "50 40 34816");
        assert_eq!((job.shell(), job.is_stopped, job.start_ticks), (Some(40), true, 777));
        assert_eq!(job.leader(), None);
        assert_eq!(stat("S", "40 40 34816").leader(), Some(40));
        assert_eq!(stat("S", "40 40 0").leader(), None, "it has no terminal");
        for leaders in ["40 40 34816", "50 50 34816", "50 40 0", "0 0 0"] {
            assert_eq!(stat("S", leaders).shell(), None, "{leaders}");
        }
        assert!(!stat("t", "50 40 34816").is_stopped, "a debugger holds it");
    }

    #[test]
    fn a_job_in_front_of_its_terminal_is_told_from_one_in_the_background() {
        let stat = |fields: &str| {
            let rest = "0 0 0 0 0 1 1 0 0 20 0 1 0 777 0";
            Stat::parse(format!("50 (agent) S 49 {fields} {rest}").as_bytes()).unwrap()
        };
        for in_front in ["50 40 34816 50", "50 40 0 -1", "50 40 34816 0", "0 0 34816 60"] {
            assert!(!stat(in_front).is_in_background(), "{in_front}");
        }
        assert!(stat("50 40 34816 60").is_in_background());
    }

    #[test]
    fn a_process_whose_first_thread_alone_has_left_goes_on() {
        for (state, threads, has_ended) in
            [("Z", 1, true), ("X", 1, true), ("Z", 2, false), ("S", 1, false)]
        {
            let rest = format!("49 50 40 0 0 0 0 0 0 0 1 1 0 0 20 0 {threads} 0 777 0");
            let line = format!("50 (agent) {state} {rest}");
            assert_eq!(Stat::parse(line.as_bytes()).unwrap().has_ended, has_ended, "{line}");
        }
    }

    #[test]
    fn a_seat_is_found_behind_an_environment_of_any_length() {
        for length in [1, ENVIRONMENT - 40, ENVIRONMENT, 100_000] {
            let mut shell = std::process::Command::new("sh")
                .args(["-c", "read line"])
                .env_clear()
                .envs([("A", "x".repeat(length).as_str()), ("HEADSUP_AGENT_ID", "api")])
                .stdin(std::process::Stdio::piped())
                .spawn()
                .unwrap();
            let claimed = claimed_seat(shell.id());
            shell.kill().unwrap();
            shell.wait().unwrap();
            assert_eq!(claimed, Some(AgentId::new("api").unwrap()), "{length}");
        }
    }

    #[test]
    fn the_first_process_of_a_users_session_is_known_by_its_name() {
        let line =
            |name: &str| format!("1 ({name}) S 0 1 1 0 -1 4194560 1 1 1 1 5 6 7 8 20 0 1 0 9 1");
        assert!(Stat::parse(line("systemd").as_bytes()).unwrap().is_systemd);
        assert!(!Stat::parse(line("systemd-logind").as_bytes()).unwrap().is_systemd);
        assert!(!Stat::parse(line("x) (systemd)").as_bytes()).unwrap().is_systemd);
    }
}
