//! What the hub needs to know of the place the hook runs in: `X-Headsup-Context`.

use super::process::Process;
use headsup_adapters::hook_table::{self, Headless};
use headsup_adapters::{Above, is_shell};
use std::fmt::Write as _;

/// Bytes of the header's text, at most.
const MAX_CONTEXT: usize = 4096;
/// Bytes of one variable's value before it is written as JSON.
const MAX_VALUE: usize = 256;
/// Levels of ancestors: agent, its helpers, shells and wrappers are fewer.
const MAX_PARENTS: usize = 8;
/// The inode of a machine's first pid namespace (`PROC_PID_INIT_INO` of Linux).
const FIRST_NAMESPACE: u64 = 0xEFFF_FFFC;

/// One line of compact ASCII JSON: the variables that this kind of agent may report (never the
/// environment, which holds secrets), the process chain above the hook, the pid namespace.
/// `event`: which one it is, if the command line or the payload says so.
pub(super) fn gather(kind: &str, event: Option<&str>) -> String {
    let vendor_pid = hook_table::pid_variable(kind)
        .and_then(|name| std::env::var(name).ok())
        .and_then(|value| value.parse().ok());
    let headless = event.and_then(|event| hook_table::headless(kind, event));
    tell(kind, std::os::unix::process::parent_id(), vendor_pid, headless)
}

/// The same, with the chain that begins with this process.
pub(super) fn above(kind: &str, pid: u32) -> String {
    tell(kind, pid, None, None)
}

fn tell(kind: &str, pid: u32, vendor_pid: Option<u32>, headless: Option<Headless>) -> String {
    let parents = ancestors(pid, vendor_pid);
    let started = headless.and_then(|headless| started(kind, headless, &parents, vendor_pid));
    let namespace = rustix::fs::stat("/proc/self/ns/pid").ok().map(|stat| stat.st_ino);
    let variables = headsup_adapters::hook_environment(kind).iter();
    let variables = variables.filter_map(|name| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
        Some((*name, value.to_string_lossy().into_owned()))
    });
    write(variables, &parents, namespace, namespace.and_then(host).as_deref(), started)
}

/// The host's name, where it may be that of a container.
fn host(namespace: u64) -> Option<String> {
    let name = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    (namespace != FIRST_NAMESPACE).then(name)?.map(|name| name.trim_end().to_owned())
}

/// How a program was started that waits for nobody to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Started {
    /// Nobody can type to it; `is_prompted`: it was started with its prompt.
    Unattended { is_prompted: bool },
    /// Somebody can, and it was started with a prompt.
    Asked,
}

/// Whether nobody can type to the program above the hook, or it begins with a prompt: the words of its command line are
/// looked at here and leave this process never.
fn started(
    kind: &str,
    headless: Headless,
    parents: &[Process],
    vendor_pid: Option<u32>,
) -> Option<Started> {
    let named = parents.iter().find(|process| Some(process.pid) == vendor_pid);
    let what = |process: &Process| {
        let words = || {
            let (line, _) = process.start_of()?;
            let line = String::from_utf8_lossy(&line);
            Some(line.split_terminator('\0').map(str::to_owned).collect())
        };
        headsup_adapters::above(kind, &process.comm, words)
    };
    let mut chain = parents.iter().filter(|process| !is_shell(&process.comm));
    let nearest = chain.clone().next();
    // Behind scripts that call hooks; where it is not to be found there, they may be the program.
    let mut caller = || chain.find(|process| what(process) != Above::Script);
    let (line, terminal) = match named {
        Some(named) => named,
        None => caller().filter(|process| what(process) == Above::Program).or(nearest)?,
    }
    .start_of()?;
    let line = String::from_utf8_lossy(&line);
    let words: Vec<&str> = line.split_terminator('\0').collect();
    if headless.is(&words, terminal) {
        let is_prompted = headless.has_its_prompt(&words);
        return Some(Started::Unattended { is_prompted });
    }
    headless.begins_with_a_prompt(&words, terminal).then_some(Started::Asked)
}

/// The chain from `pid` upwards, and the agent's own process where it is not in the chain.
fn ancestors(pid: u32, vendor_pid: Option<u32>) -> Vec<Process> {
    let mut chain = Vec::with_capacity(MAX_PARENTS + 1);
    let mut next = pid;
    while next > 0 && chain.len() < MAX_PARENTS {
        let Some(process) = Process::read(next) else { break };
        next = process.parent;
        chain.push(process);
    }
    if let Some(pid) = vendor_pid
        && chain.iter().all(|process| process.pid != pid)
    {
        chain.extend(Process::read(pid));
    }
    chain
}

fn write(
    variables: impl Iterator<Item = (&'static str, String)>,
    parents: &[Process],
    namespace: Option<u64>,
    host: Option<&str>,
    started: Option<Started>,
) -> String {
    let mut tail = String::from("},\"parents\":[");
    for (index, process) in parents.iter().enumerate() {
        let Process { pid, start, comm, .. } = process;
        let comma = if index > 0 { "," } else { "" };
        write!(tail, "{comma}{{\"pid\":{pid},\"start\":{start},\"comm\":").ok();
        push_string(&mut tail, comm);
        tail.push('}');
    }
    tail.push(']');
    if let Some(inode) = namespace {
        write!(tail, ",\"pidns\":{inode}").ok();
    }
    if let Some(host) = host {
        tail.push_str(",\"host\":");
        push_string(&mut tail, cut(host));
    }
    match started {
        Some(Started::Unattended { is_prompted }) => {
            tail.push_str(",\"attach\":\"headless\"");
            if is_prompted {
                tail.push_str(",\"prompted\":true");
            }
        }
        Some(Started::Asked) => tail.push_str(",\"asked\":true"),
        None => {}
    }
    tail.push('}');

    let mut text = String::with_capacity(1024);
    text.push_str("{\"env\":{");
    let empty = text.len();
    for (name, value) in variables {
        let before = text.len();
        if before > empty {
            text.push(',');
        }
        push_string(&mut text, name);
        text.push(':');
        push_string(&mut text, cut(&value));
        if text.len() + tail.len() > MAX_CONTEXT {
            text.truncate(before);
        }
    }
    text.push_str(&tail);
    text
}

fn cut(value: &str) -> &str {
    let mut end = value.len().min(MAX_VALUE);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    &value[..end]
}

/// A JSON string of printable ASCII alone: it travels in a header.
fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").ok();
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command, Stdio};

    fn process(pid: u32, comm: &str) -> Process {
        Process { pid, parent: 1, start: 99, comm: comm.into() }
    }

    #[test]
    fn the_line_is_compact_ascii_json() {
        let variables = [("TMUX_PANE", "%3".to_owned()), ("TMUX", "é\n\"\\😀".to_owned())];
        let parents = [process(7, "sh"), process(5, "no(d e")];
        let text = write(variables.into_iter(), &parents, Some(4_026_531_836), None, None);
        assert_eq!(
            text,
            r#"{"env":{"TMUX_PANE":"%3","TMUX":"\u00e9\u000a\"\\\ud83d\ude00"},"parents":[{"pid":7,"start":99,"comm":"sh"},{"pid":5,"start":99,"comm":"no(d e"}],"pidns":4026531836}"#
        );
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["env"]["TMUX"], "é\n\"\\😀");
        let inside = write([].into_iter(), &[], Some(7), Some("0a1b2c3d4e5f"), None);
        assert_eq!(inside, r#"{"env":{},"parents":[],"pidns":7,"host":"0a1b2c3d4e5f"}"#);
        assert_eq!(write([].into_iter(), &[], None, None, None), r#"{"env":{},"parents":[]}"#);
        let asked = write([].into_iter(), &[], None, None, Some(Started::Asked));
        assert_eq!(asked, r#"{"env":{},"parents":[],"asked":true}"#);
    }

    #[test]
    fn long_values_are_cut_and_what_does_not_fit_is_left_out() {
        let value = "é".repeat(1000);
        let variables = ["A", "B", "C", "D", "E", "F"].map(|name| (name, value.clone()));
        let parents = [process(7, &"\u{1}".repeat(64)), process(5, "sh")];
        let started = Some(Started::Unattended { is_prompted: true });
        let text = write(variables.into_iter(), &parents, Some(1), Some("h"), started);
        assert!(text.len() <= MAX_CONTEXT, "{}", text.len());
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["env"]["A"].as_str().unwrap().len(), MAX_VALUE);
        assert_eq!(json["env"].as_object().unwrap().len(), 4);
        assert_eq!(json["parents"][1]["pid"], 5);
        assert_eq!(json["attach"], "headless");
        assert_eq!(json["prompted"], true);
    }

    #[test]
    fn a_program_is_looked_at_where_its_session_starts() {
        let headless = hook_table::headless("qwen-code", "SessionStart").unwrap();
        // It has answered: a program that is only being started has no command line yet.
        let mut program = Command::new("cat");
        program.arg0("qwen").args(["--", "-", "-p"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = program.spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(b"?").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let found = Process::read(child.id()).unwrap();
        let told = started("qwen-code", headless, &[process(1, "sh"), found], None);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(told, Some(Started::Unattended { is_prompted: true }));
        assert_eq!(started("qwen-code", headless, &[process(0, "sh")], None), None);
    }

    /// Both have answered: a program that is only being started has no command line yet.
    #[test]
    fn a_script_that_calls_the_hook_is_not_the_program_that_is_looked_at() {
        let headless = hook_table::headless("qwen-code", "SessionStart").unwrap();
        let runs = |name: &str, words: &[&str]| {
            let mut program = Command::new("cat");
            program.arg0(name).args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = program.spawn().unwrap();
            child.stdin.as_mut().unwrap().write_all(b"?").unwrap();
            child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
            child
        };
        let mut script = runs("python3", &["-"]);
        let mut program = runs("qwen", &["--", "-", "-p"]);
        let read = |child: &Child| Process::read(child.id()).unwrap();
        let look = |parents: &[Process]| started("qwen-code", headless, parents, None);
        let both = look(&[process(1, "sh"), read(&script), process(1, "sh"), read(&program)]);
        // Nobody else is there who may be it.
        let alone = look(&[process(1, "sh"), read(&script)]);
        for child in [&mut script, &mut program] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(both, Some(Started::Unattended { is_prompted: true }));
        assert_eq!(alone, Some(Started::Unattended { is_prompted: false }));
    }

    #[test]
    fn the_agents_own_process_is_named_once() {
        let me = std::process::id();
        let chain = ancestors(me, Some(me));
        assert_eq!(chain.iter().filter(|process| process.pid == me).count(), 1);
        let parent = std::os::unix::process::parent_id();
        let chain = ancestors(parent, Some(me));
        assert_eq!(chain.first().map(|process| process.pid), Some(parent));
        assert_eq!(chain.last().map(|process| process.pid), Some(me));
    }
}
