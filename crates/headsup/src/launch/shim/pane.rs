//! The reader of a pane's pipe: this program once more, started by tmux because the hub has asked for it. On its input
//! is what is said in the pane, and what an agent there reports of its status is told to the hub as from a shim.
//!
//! tmux keeps what a reader does not take, without bound, so a thread does nothing else: it keeps nothing but what was
//! found, which is bounded ([`super::found`]), and waits for nobody.
//!
//! The order is a file of the hub's. It ends with the hub, or when the agent has ended: then the pane gets rid of its
//! pipe. Where that was taken away, or replaced, nothing of what was heard counts any more.

use super::scan::{Finding, Scanner};
use super::shared::Shared;
use super::told::{self, News};
use crate::client::Client;
use crate::client::address::Address;
use crate::hook::deliver::{About, Mark};
use crate::hook::process::Process;
use crate::launch::seat::Seat;
use crate::launch::tmux::Tmux;
use crate::place::Url;
use bytes::Bytes;
use headsup_adapters::is_pane;
use headsup_daemon::{READ_PANE, ReaderOrder};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::stdio::stdin;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// One read.
const PIECE: usize = 64 * 1024;
/// The order is there before we are.
const ORDERED_WITHIN: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };
/// No order is longer (`PIPE_BUF`). Bytes.
const LONGEST: usize = 4_096;
/// The hub is there, or nobody needs to know.
const LAST_WITHIN: Duration = Duration::from_secs(1);
/// What a program says that takes back its status. Here it is not its own word.
const UNHEARD: &[u8] = b"state=clear";

/// Whether this process is one.
pub(crate) fn is_wanted() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == READ_PANE)
}

/// Is one.
pub(crate) fn run() -> ExitCode {
    let Some(path) = std::env::args_os().nth(2) else { return ExitCode::FAILURE };
    match ordered(Path::new(&path)).and_then(|(line, order)| read(line, &order)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// What is to be done, and the file that tells of its end.
fn ordered(path: &Path) -> io::Result<(File, ReaderOrder)> {
    let line = File::open(path)?;
    let mut fds = [PollFd::new(&line, PollFlags::IN)];
    if poll(&mut fds, Some(&ORDERED_WITHIN))? == 0 {
        return Err(Errno::TIMEDOUT.into());
    }
    let mut bytes = [0; LONGEST];
    let count = rustix::io::read(&line, &mut bytes)?;
    let order: ReaderOrder = serde_json::from_slice(&bytes[..count])?;
    match is_pane(&order.pane) {
        true => Ok((line, order)),
        false => Err(Errno::INVAL.into()),
    }
}

fn read(line: File, order: &ReaderOrder) -> io::Result<()> {
    let agent = Process::read(order.pid).filter(|agent| agent.start == order.start_ticks);
    let agent = agent.ok_or(Errno::SRCH)?;
    let shared = Arc::new(Shared::new(None)?);
    let (tell_end, is_over) = oneshot::channel();
    let (heard, pid) = (Arc::clone(&shared), order.pid);
    std::thread::Builder::new().name("pane".to_owned()).spawn(move || {
        listen(&heard, pid);
        tell_end.send(()).ok();
    })?;
    let (tell_left, is_left) = oneshot::channel();
    std::thread::Builder::new().name("hub".to_owned()).spawn(move || {
        // Nothing more comes on it.
        rustix::io::retry_on_intr(|| rustix::io::read(&line, &mut [0; 64])).ok();
        tell_left.send(()).ok();
    })?;
    let socket = PathBuf::from(&order.home).join("headsup.sock");
    let address = Address::of(&Url::Unix(socket)).map_err(|_| Errno::INVAL)?;
    let hub = Client::new(address, None);
    hub.speak_for(order.agent.as_str(), &order.key);
    let seat = Seat { id: order.agent.as_str(), hub: Some(&hub), home: None, token: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let is_ours = runtime.block_on(async {
        let mut news = News::default();
        tokio::select! {
            biased;
            _ = is_left => true,
            _ = is_over => {
                let body = Bytes::from(told::word(&agent, UNHEARD));
                let mark = Mark::now();
                seat.say(About::Terminal, Some(mark.id()), body, LAST_WITHIN).await;
                false
            }
            () = told::tell(&shared, &seat, Some(&agent), &mut news) => false,
        }
    });
    if is_ours {
        Tmux::unpipe(Path::new(&order.server), &order.pane);
    }
    Ok(())
}

/// Hears what is said in the pane, until it has another pipe, or none, or is gone.
fn listen(shared: &Shared, agent: u32) {
    let (mut scanner, mut passed, mut buffer) = (Scanner::new(), Vec::new(), vec![0; PIECE]);
    let mut has_ended = false;
    while let Ok(count @ 1..) =
        rustix::io::retry_on_intr(|| rustix::io::read(stdin(), &mut buffer[..]))
    {
        let may_be_its = may_be_its(agent, &mut has_ended);
        scanner.feed(&buffer[..count], &mut passed, |finding| {
            // Titles the hub sees for itself.
            if matches!(finding, Finding::Status(_)) && may_be_its {
                shared.found(finding);
            }
        });
        passed.clear();
    }
}

/// Whether what is said now in its terminal may come from this process: others write there only once it is not in the
/// foreground any more. The piece that comes when it has just ended are its last words, and what follows is another's.
fn may_be_its(pid: u32, has_ended: &mut bool) -> bool {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    is_in_front(&stat).unwrap_or_else(|| !std::mem::replace(has_ended, true))
}

/// Whether its process group is its terminal's foreground: fields 5 and 8 behind the name, which ends with the last `)`.
fn is_in_front(stat: &[u8]) -> Option<bool> {
    let name_end = stat.iter().rposition(|&byte| byte == b')')?;
    let mut fields = str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
    let group = fields.nth(2)?;
    Some(group == fields.nth(2)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_in_front_of_a_terminal_is_told_from_who_waits_behind() {
        let stat = |front: i32| format!("50 (a) b) S 49 50 40 34816 {front} 4194304 1 0");
        assert_eq!(is_in_front(stat(50).as_bytes()), Some(true));
        assert_eq!(is_in_front(stat(40).as_bytes()), Some(false));
        assert_eq!(is_in_front(b""), None);
        let mut has_ended = false;
        let mut may_be_its = || super::may_be_its(u32::MAX, &mut has_ended);
        assert_eq!([may_be_its(), may_be_its()], [true, false], "it has ended");
    }

    #[test]
    fn an_order_is_read_once_it_is_there_and_must_name_a_pane() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("order");
        let order = |pane: &str| {
            let order = serde_json::json!({
                "home": "/h", "agent": "api", "key": "k", "pid": 1, "start_ticks": 2,
                "server": "/s", "pane": pane,
            });
            std::fs::write(&path, order.to_string()).unwrap();
            ordered(&path).map(|(_, order)| order.pane)
        };
        assert_eq!(order("%5").unwrap(), "%5");
        for pane in ["", "5", "%5 ; kill-server"] {
            assert!(order(pane).is_err(), "{pane:?}");
        }
        assert!(ordered(&folder.path().join("none")).is_err());
    }
}
