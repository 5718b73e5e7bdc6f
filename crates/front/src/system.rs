//! The kernel, spoken to without a library: the calls that a hook needs and no others.

#![expect(unsafe_code, reason = "there is no library yet")]

use core::arch::asm;
use core::ffi::{CStr, c_char};

pub(crate) const MONOTONIC: usize = 1;
pub(crate) const REALTIME: usize = 0;

pub(crate) const EINTR: isize = -4;
pub(crate) const EAGAIN: isize = -11;
pub(crate) const EPIPE: isize = -32;
pub(crate) const ECONNRESET: isize = -104;

pub(crate) const POLLIN: i16 = 1;
pub(crate) const POLLOUT: i16 = 4;

const AT_FDCWD: usize = (-100_isize).cast_unsigned();
const O_CLOEXEC: usize = 0o2_000_000;

/// Negative: an error's number.
fn call(number: usize, arguments: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: every caller is in this file and passes pointers to what it borrows.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") arguments[0], in("rsi") arguments[1], in("rdx") arguments[2],
            in("r10") arguments[3], in("r8") arguments[4], in("r9") arguments[5],
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// What is behind a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    /// A pipe or a socket.
    Stream,
    Other,
}

/// An open descriptor. The end of the process closes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fd(usize);

impl Fd {
    pub(crate) const STDIN: Self = Self(0);
    pub(crate) const STDOUT: Self = Self(1);
    pub(crate) const STDERR: Self = Self(2);

    #[cfg(test)]
    pub(crate) fn at(number: i32) -> Self {
        Self(usize::try_from(number).unwrap())
    }

    fn of(result: isize) -> Option<Self> {
        usize::try_from(result).ok().map(Self)
    }

    pub(crate) fn read(self, into: &mut [u8]) -> isize {
        call(0, [self.0, into.as_mut_ptr() as usize, into.len(), 0, 0, 0])
    }

    /// `EAGAIN` where nothing is there.
    pub(crate) fn read_at_once(self, into: &mut [u8]) -> isize {
        const RWF_NOWAIT: usize = 8;
        let piece = Piece { start: into.as_mut_ptr() as usize, length: into.len() };
        // An offset of -1 reads at the current position.
        call(327, [self.0, &raw const piece as usize, 1, usize::MAX, usize::MAX, RWF_NOWAIT])
    }

    pub(crate) fn write(self, bytes: &[u8]) -> isize {
        call(1, [self.0, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0])
    }

    /// To a socket. Whoever has hung up is an error and no signal.
    pub(crate) fn send_both(self, one: &[u8], other: &[u8]) -> isize {
        const NOSIGNAL: usize = 0x4000;
        let pieces =
            [one, other].map(|bytes| Piece { start: bytes.as_ptr() as usize, length: bytes.len() });
        // No name, the pieces, no control data, no flags.
        let message = [0, 0, pieces.as_ptr() as usize, 2, 0, 0, 0];
        call(46, [self.0, message.as_ptr() as usize, NOSIGNAL, 0, 0, 0])
    }

    pub(crate) fn close(self) {
        call(3, [self.0, 0, 0, 0, 0, 0]);
    }

    /// `None` where it is closed.
    pub(crate) fn kind(self) -> Option<Kind> {
        let mut stat = Stat::EMPTY;
        let result = call(5, [self.0, &raw mut stat as usize, 0, 0, 0, 0]);
        (result == 0).then_some(match stat.mode & 0o170_000 {
            0o100_000 => Kind::File,
            0o010_000 | 0o140_000 => Kind::Stream,
            _ => Kind::Other,
        })
    }

    /// Waits until it is ready or broken; false at the deadline, on the monotonic clock. One that has passed
    /// still finds what is ready now.
    pub(crate) fn wait(self, events: i16, deadline: u64) -> bool {
        #[repr(C)]
        struct Poll {
            fd: i32,
            events: i16,
            found: i16,
        }
        let Ok(fd) = i32::try_from(self.0) else { return false };
        loop {
            let left = deadline.saturating_sub(now(MONOTONIC).unwrap_or(deadline));
            // The kernel writes to it what is left at the end.
            let mut left = [left / 1_000_000_000, left % 1_000_000_000];
            let mut poll = Poll { fd, events, found: 0 };
            match call(271, [&raw mut poll as usize, 1, left.as_mut_ptr() as usize, 0, 8, 0]) {
                EINTR => {}
                ready => return ready > 0,
            }
        }
    }
}

#[repr(C)]
struct Piece {
    start: usize,
    length: usize,
}

/// The kernel's answer about a file, with what is asked for by name.
#[repr(C)]
struct Stat {
    device: u64,
    inode: u64,
    links: u64,
    mode: u32,
    rest: [u32; 29],
}

impl Stat {
    const EMPTY: Self = Self { device: 0, inode: 0, links: 0, mode: 0, rest: [0; _] };
}

/// A path ends with a zero byte; whoever makes one sees to that.
fn ends(path: &[u8]) -> bool {
    path.last() == Some(&0)
}

pub(crate) fn open(path: &[u8]) -> Option<Fd> {
    ends(path).then_some(())?;
    Fd::of(call(257, [AT_FDCWD, path.as_ptr() as usize, O_CLOEXEC, 0, 0, 0]))
}

pub(crate) fn inode(path: &[u8]) -> Option<u64> {
    ends(path).then_some(())?;
    let mut stat = Stat::EMPTY;
    let result = call(4, [path.as_ptr() as usize, &raw mut stat as usize, 0, 0, 0, 0]);
    (result == 0).then_some(stat.inode)
}

/// The address of a unix socket, as the kernel reads it.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Address {
    family: u16,
    /// With a zero byte behind it.
    path: [u8; 108],
    length: usize,
}

impl Address {
    pub(crate) fn new(path: &[u8]) -> Option<Self> {
        let mut address = Self { family: 1, path: [0; _], length: path.len() };
        // The last byte stays zero.
        let room = address.path.get_mut(..path.len()).filter(|room| room.len() < 108)?;
        for (to, from) in room.iter_mut().zip(path) {
            *to = *from;
        }
        Some(address)
    }
}

pub(crate) fn is_there(address: &Address) -> bool {
    call(21, [address.path.as_ptr() as usize, 0, 0, 0, 0, 0]) == 0
}

/// A connection that does not block; `None` where there is none at once.
pub(crate) fn connect(address: &Address) -> Option<Fd> {
    const UNIX: usize = 1;
    const STREAM_NONBLOCK_CLOEXEC: usize = 1 | 0o4_000 | O_CLOEXEC;
    let socket = Fd::of(call(41, [UNIX, STREAM_NONBLOCK_CLOEXEC, 0, 0, 0, 0]))?;
    let length = 2 + address.length + 1;
    if call(42, [socket.0, &raw const *address as usize, length, 0, 0, 0]) == 0 {
        return Some(socket);
    }
    socket.close();
    None
}

/// Nanoseconds.
pub(crate) fn now(clock: usize) -> Option<u64> {
    let mut time = [0_u64; 2];
    let result = call(228, [clock, time.as_mut_ptr() as usize, 0, 0, 0, 0]);
    let [seconds, nanoseconds] = time;
    (result == 0).then_some(seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds))
}

pub(crate) fn random() -> Option<u64> {
    const NONBLOCK: usize = 1;
    let mut bytes = [0; 8];
    let result = call(318, [bytes.as_mut_ptr() as usize, bytes.len(), NONBLOCK, 0, 0, 0]);
    (result == 8).then_some(u64::from_ne_bytes(bytes))
}

pub(crate) fn own_pid() -> u32 {
    u32::try_from(call(39, [0; 6])).unwrap_or(0)
}

pub(crate) fn parents_pid() -> u32 {
    u32::try_from(call(110, [0; 6])).unwrap_or(0)
}

/// Writing to a pipe that nobody reads is an error from now on, and no signal.
pub(crate) fn ignore_broken_pipes() {
    const SIGPIPE: usize = 13;
    const IGNORE: usize = 1;
    let action = [IGNORE, 0, 0, 0];
    call(13, [SIGPIPE, action.as_ptr() as usize, 0, 8, 0, 0]);
}

/// The end of the process, with success.
pub(crate) fn exit() -> ! {
    loop {
        call(231, [0; 6]);
    }
}

/// The words of the process where the kernel has laid them: their number, the arguments, a null, the
/// environment, a null, and what the C library is told.
pub(crate) struct Stack(*mut usize);

impl Stack {
    /// # Safety
    /// The words are as the kernel lays them, and the room of two more is free before them.
    pub(crate) unsafe fn at(words: *mut usize) -> Self {
        Self(words)
    }

    pub(crate) fn words(self) -> *mut usize {
        self.0
    }

    fn word(&self, index: usize) -> usize {
        // SAFETY: the callers stay before the null behind the environment.
        unsafe { self.0.add(index).read() }
    }

    pub(crate) fn argument_count(&self) -> usize {
        self.word(0)
    }

    fn text(&self, index: usize) -> Option<&'static [u8]> {
        let start = self.word(index) as *const c_char;
        // SAFETY: the kernel ends every word with a zero byte, and they stay as long as the process.
        (!start.is_null()).then(|| unsafe { CStr::from_ptr(start) }.to_bytes())
    }

    pub(crate) fn argument(&self, index: usize) -> Option<&'static [u8]> {
        (index < self.argument_count()).then(|| self.text(1 + index)).flatten()
    }

    pub(crate) fn environment(&self) -> impl Iterator<Item = &'static [u8]> {
        let mut next = self.argument_count() + 2;
        core::iter::from_fn(move || {
            let text = self.text(next);
            next += usize::from(text.is_some());
            text
        })
    }

    /// Two more arguments behind all others. Each ends with a zero byte.
    pub(crate) fn append(&mut self, more: [&'static [u8]; 2]) {
        let count = self.argument_count();
        if !more.iter().all(|text| ends(text)) {
            return;
        }
        // SAFETY: two words before the first are free; what is moved down is the number and the
        // arguments, and the two that become free are before the null.
        unsafe {
            let words = self.0.sub(2);
            words.write(count + 2);
            for index in 1..=count {
                words.add(index).write(self.0.add(index).read());
            }
            words.add(count + 1).write(more[0].as_ptr() as usize);
            words.add(count + 2).write(more[1].as_ptr() as usize);
            self.0 = words;
        }
    }
}
