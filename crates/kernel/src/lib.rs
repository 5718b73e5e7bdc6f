//! What the kernel tells and no library asks: how a process has ended that is not our child.
//!
//! Its parent alone gets its wait status, and until then `/proc/PID/stat` shows it to whoever is fast enough. But from Linux
//! 6.15 on whoever has held a descriptor of the process is told at any time later, as often as it asks (`PIDFD_GET_INFO`,
//! `include/uapi/linux/pidfd.h`).

#![expect(unsafe_code, reason = "no library has this question")]

#[cfg(test)]
mod tests;

use rustix::ioctl::{Opcode, Updater, ioctl, opcode};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

/// `struct pidfd_info` as it was when it first had an exit code: 64 bytes. A newer kernel takes this length as well.
#[repr(C)]
#[derive(Default)]
struct Info {
    /// What is asked for, and then what was told.
    mask: u64,
    cgroup: u64,
    /// Ids of the process, its group of threads and its parent, and four kinds each of users and of groups.
    ids: [u32; 11],
    exit_code: i32,
}

/// `PIDFD_INFO_EXIT`: the exit code, once its parent has collected it.
const EXIT: u64 = 1 << 3;

/// `PIDFD_GET_INFO`.
const GET_INFO: Opcode = opcode::read_write::<Info>(0xFF, 11);

/// A process, whoever's child it is and whichever user's. It is readable once the process has ended.
#[derive(Debug)]
pub struct ProcessFd(OwnedFd);

impl ProcessFd {
    /// The process that has this id now. It does not block whoever waits for it.
    ///
    /// # Errors
    /// Nobody has the id, the kernel is older than Linux 5.10, or there are no more descriptors.
    pub fn open(pid: u32) -> io::Result<Self> {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self(pidfd_open(pid, PidfdFlags::NONBLOCK)?))
    }

    /// Its wait status. `None` as long as its parent has not collected it, by an older kernel (before Linux 6.15), and of
    /// a process outside of our pid namespace.
    pub fn collected_end(&self) -> Option<ExitStatus> {
        let mut info = Info { mask: EXIT, ..Info::default() };
        // SAFETY: this is a descriptor of a process, of which the kernel reads and writes as many bytes as the opcode
        // says: those of `info`, for which all bits are good.
        unsafe {
            let question = Updater::<GET_INFO, Info>::new(&mut info);
            ioctl(&self.0, question).ok()?;
        }
        (info.mask & EXIT != 0).then(|| ExitStatus::from_raw(info.exit_code))
    }
}

impl AsFd for ProcessFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for ProcessFd {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
