//! `X-Headsup-Context`, as `headsup/src/hook/context.rs` writes it.

use crate::number::number;
use crate::process::Process;
use crate::surroundings::Surroundings;
use crate::system;
use crate::text::Text;

/// Bytes of one variable's value.
const MAX_VALUE: usize = 256;
/// Levels of ancestors: agent, its helpers, shells and wrappers are fewer.
const MAX_PARENTS: usize = 8;
/// The inode of a machine's first pid namespace (`PROC_PID_INIT_INO` of Linux).
const FIRST_NAMESPACE: u64 = 0xEFFF_FFFC;

/// `None`: something in it is not plain, or not to be had.
pub(crate) fn gather<'a>(around: &Surroundings, room: &'a mut [u8]) -> Option<&'a [u8]> {
    let mut text = Text::new(room);
    text.push(b"{\"env\":{");
    let mut is_first = true;
    for (name, value) in around.variables.iter().flatten() {
        if !core::mem::take(&mut is_first) {
            text.push(b",");
        }
        text.json(name)?;
        text.push(b":");
        text.json(value.get(..MAX_VALUE).unwrap_or(value))?;
    }
    text.push(b"},\"parents\":[");
    parents(&mut text, around.vendor_pid)?;
    text.push(b"]");
    let namespace = namespace()?;
    text.push(b",\"pidns\":");
    text.number(namespace);
    if namespace != FIRST_NAMESPACE {
        host(&mut text)?;
    }
    text.push(b"}");
    text.done()
}

/// Of our pid namespace, `pid:[4026531836]`: what the link says is cheaper than what it leads to.
fn namespace() -> Option<u64> {
    let mut room = [0; 32];
    let link = system::link(b"/proc/self/ns/pid\0", &mut room)?;
    number(link.strip_prefix(b"pid:[")?.strip_suffix(b"]")?)
}

/// The chain above us, and the agent's own process where it is not in the chain.
fn parents(text: &mut Text<'_>, vendor_pid: Option<u32>) -> Option<()> {
    let mut line = [0; 1024];
    let mut next = system::parents_pid();
    let mut is_vendor_told = false;
    for level in 0..MAX_PARENTS {
        if next == 0 {
            break;
        }
        let Some(process) = Process::read(next, &mut line) else { break };
        is_vendor_told |= vendor_pid == Some(next);
        write(text, level == 0, next, &process)?;
        next = process.parent;
    }
    let missing = vendor_pid.filter(|_| !is_vendor_told);
    let Some(pid) = missing else { return Some(()) };
    match Process::read(pid, &mut line) {
        Some(process) => write(text, text.ends_with(b'['), pid, &process),
        None => Some(()),
    }
}

fn write(text: &mut Text<'_>, is_first: bool, pid: u32, process: &Process<'_>) -> Option<()> {
    text.push(if is_first { b"{\"pid\":" } else { b",{\"pid\":" });
    text.number(pid.into());
    text.push(b",\"start\":");
    text.number(process.start);
    text.push(b",\"comm\":");
    text.json(process.name)?;
    text.push(b"}");
    Some(())
}

/// The host's name, where it may be that of a container.
fn host(text: &mut Text<'_>) -> Option<()> {
    let mut name = [0; MAX_VALUE];
    let file = system::open(b"/proc/sys/kernel/hostname\0")?;
    let length = usize::try_from(file.read(&mut name)).ok()?;
    file.close();
    text.push(b",\"host\":");
    text.json(name.get(..length)?.trim_ascii_end())
}
