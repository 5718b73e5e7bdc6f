//! The kernel, spoken to without a library: the calls that a hook needs and no others.

#![expect(unsafe_code, reason = "there is no library yet")]

#[cfg(test)]
mod tests;

use core::arch::asm;
use core::ffi::{CStr, c_char};

pub(crate) const MONOTONIC: usize = 1;
pub(crate) const REALTIME: usize = 0;

pub(crate) const ENOENT: isize = -2;
pub(crate) const EINTR: isize = -4;
pub(crate) const EAGAIN: isize = -11;
const EACCES: isize = -13;
pub(crate) const EPIPE: isize = -32;
pub(crate) const ECONNRESET: isize = -104;
pub(crate) const ECONNREFUSED: isize = -111;

pub(crate) const POLLIN: i16 = 1;
pub(crate) const POLLOUT: i16 = 4;

const AT_FDCWD: usize = (-100_isize).cast_unsigned();
const O_NOFOLLOW: usize = 0o400_000;
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

    /// Of whoever listens at the other end of a unix socket.
    fn peers_user(self) -> Option<u32> {
        const SOCKET_LEVEL: usize = 1;
        const PEER: usize = 17;
        // Its process, its user, its group.
        let mut peer = [0_u32; 3];
        let mut length = 12_u32;
        let (to, size) = (&raw mut peer as usize, &raw mut length as usize);
        let result = call(55, [self.0, SOCKET_LEVEL, PEER, to, size, 0]);
        let [_, user, _] = peer;
        (result == 0).then_some(user)
    }

    /// `None` where it is closed.
    pub(crate) fn kind(self) -> Option<Kind> {
        self.status().map(|status| status.kind())
    }

    /// `None` where it is closed.
    pub(crate) fn status(self) -> Option<Stat> {
        let mut stat = Stat::EMPTY;
        let result = call(5, [self.0, &raw mut stat as usize, 0, 0, 0, 0]);
        (result == 0).then_some(stat)
    }

    /// Of what has this name in the folder, and be it a link.
    pub(crate) fn status_of(self, name: &[u8]) -> Option<Stat> {
        const NOFOLLOW: usize = 0x100;
        ends(name).then_some(())?;
        let mut stat = Stat::EMPTY;
        let place = &raw mut stat as usize;
        let result = call(262, [self.0, name.as_ptr() as usize, place, NOFOLLOW, 0, 0]);
        (result == 0).then_some(stat)
    }

    /// Opens the file of this name in the folder, for writing at its end; makes it, for us alone, where there is
    /// none. A pipe in its place is not waited for.
    pub(crate) fn open_to_append(self, name: &[u8]) -> Option<Self> {
        const WRONLY_CREAT_APPEND_NONBLOCK: usize = 1 | 0o100 | 0o2_000 | 0o4_000;
        ends(name).then_some(())?;
        let flags = WRONLY_CREAT_APPEND_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
        Self::of(call(257, [self.0, name.as_ptr() as usize, flags, 0o600, 0, 0]))
    }

    /// False where somebody else holds it in a way that keeps us out.
    pub(crate) fn lock(self, lock: Lock) -> bool {
        const NONBLOCK: usize = 4;
        let lock = match lock {
            Lock::Shared => 1,
            Lock::Exclusive => 2,
        };
        call(73, [self.0, lock | NONBLOCK, 0, 0, 0, 0]) == 0
    }

    /// Where the last write has ended.
    pub(crate) fn position(self) -> Option<u64> {
        const CURRENT: usize = 1;
        u64::try_from(call(8, [self.0, 0, CURRENT, 0, 0, 0])).ok()
    }

    pub(crate) fn cut(self, length: u64) {
        if let Ok(length) = usize::try_from(length) {
            call(77, [self.0, length, 0, 0, 0, 0]);
        }
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

/// Who else may hold it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lock {
    Shared,
    Exclusive,
}

/// The kernel's answer about a file, with what is asked for by name.
#[repr(C)]
pub(crate) struct Stat {
    device: u64,
    inode: u64,
    links: u64,
    mode: u32,
    pub(crate) owner: u32,
    group: u32,
    padding: u32,
    special: u64,
    pub(crate) size: u64,
    rest: [u64; 11],
}

impl Stat {
    const EMPTY: Self = Self {
        device: 0,
        inode: 0,
        links: 0,
        mode: 0,
        owner: 0,
        group: 0,
        padding: 0,
        special: 0,
        size: 0,
        rest: [0; _],
    };

    pub(crate) fn kind(&self) -> Kind {
        match self.mode & 0o170_000 {
            0o100_000 => Kind::File,
            0o010_000 | 0o140_000 => Kind::Stream,
            _ => Kind::Other,
        }
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// A path ends with a zero byte; whoever makes one sees to that.
fn ends(path: &[u8]) -> bool {
    path.last() == Some(&0)
}

pub(crate) fn open(path: &[u8]) -> Option<Fd> {
    ends(path).then_some(())?;
    Fd::of(call(257, [AT_FDCWD, path.as_ptr() as usize, O_CLOEXEC, 0, 0, 0]))
}

/// `None` also where a link has its name.
pub(crate) fn open_folder(path: &[u8]) -> Option<Fd> {
    const DIRECTORY: usize = 0o200_000;
    ends(path).then_some(())?;
    let flags = DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    Fd::of(call(257, [AT_FDCWD, path.as_ptr() as usize, flags, 0, 0, 0]))
}

/// What a symbolic link says.
pub(crate) fn link<'a>(path: &[u8], room: &'a mut [u8]) -> Option<&'a [u8]> {
    ends(path).then_some(())?;
    let length =
        call(89, [path.as_ptr() as usize, room.as_mut_ptr() as usize, room.len(), 0, 0, 0]);
    room.get(..usize::try_from(length).ok()?)
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

    pub(crate) fn is_there(&self) -> bool {
        is_there(&self.path)
    }
}

pub(crate) fn is_there(path: &[u8]) -> bool {
    ends(path) && call(21, [path.as_ptr() as usize, 0, 0, 0, 0, 0]) == 0
}

/// A connection that does not block, or the number of the error where there is none at once. Another user's
/// socket in the hub's place is an error, too: it is told nothing.
pub(crate) fn connect(address: &Address) -> Result<Fd, isize> {
    const UNIX: usize = 1;
    const STREAM_NONBLOCK_CLOEXEC: usize = 1 | 0o4_000 | O_CLOEXEC;
    let socket = call(41, [UNIX, STREAM_NONBLOCK_CLOEXEC, 0, 0, 0, 0]);
    let socket = Fd::of(socket).ok_or(socket)?;
    let length = 2 + address.length + 1;
    let error = match call(42, [socket.0, &raw const *address as usize, length, 0, 0, 0]) {
        0 if is_by(socket.peers_user(), own_user()) => return Ok(socket),
        0 => EACCES,
        error => error,
    };
    socket.close();
    Err(error)
}

/// Whether it is this user who listens. Where the kernel does not say, nobody is trusted.
fn is_by(peer: Option<u32>, own: Option<u32>) -> bool {
    peer.is_some() && peer == own
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

pub(crate) fn own_user() -> Option<u32> {
    u32::try_from(call(107, [0; 6])).ok()
}

/// How long a file may become. Beyond it the kernel would end us with a signal.
pub(crate) fn longest_file() -> u64 {
    const FILE_SIZE: usize = 1;
    let mut limits = [0_u64; 2];
    call(97, [FILE_SIZE, limits.as_mut_ptr() as usize, 0, 0, 0, 0]);
    limits[0]
}

/// From `moment` on, on the monotonic clock, this process has ended, with success, unless it has before: no
/// deadline reaches into a disk that hangs, and nothing but the end of the process wakes who waits for it.
/// Where there can be no second thread, the disk is trusted.
pub(crate) fn end_at(moment: u64, time: &'static mut [u64; 2]) {
    // It shares memory, working folder, descriptors, signals and the process with us.
    const THREAD: usize = 0x100 | 0x200 | 0x400 | 0x800 | 0x1_0000 | 0x4_0000;
    *time = [moment / 1_000_000_000, moment % 1_000_000_000];
    // A handler of a signal would run on its stack, which is ours.
    let before = block_signals(u64::MAX);
    // SAFETY: the second thread runs on our stack and touches none of it; the time stays as long as the process.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 3f",
            // It sleeps until then, and again if something has woken it.
            "2:",
            "mov eax, 230",
            "mov edi, 1",
            "mov esi, 1",
            "mov rdx, r9",
            "xor r10d, r10d",
            "syscall",
            "cmp rax, -4",
            "je 2b",
            // Where it may not sleep, it alone ends, and the disk is trusted.
            "mov ecx, 231",
            "test rax, rax",
            "mov eax, 60",
            "cmovz eax, ecx",
            "xor edi, edi",
            "syscall",
            "ud2",
            "3:",
            inlateout("rax") 56_usize => _,
            in("rdi") THREAD, in("rsi") 0_usize, in("rdx") 0_usize, in("r10") 0_usize,
            in("r8") 0_usize, in("r9") time.as_ptr(),
            lateout("rcx") _, lateout("r11") _,
        );
    }
    block_signals(before);
}

/// Of this thread. Returns which were blocked before.
fn block_signals(signals: u64) -> u64 {
    const SET: usize = 2;
    let mut before = 0_u64;
    call(14, [SET, &raw const signals as usize, &raw mut before as usize, 8, 0, 0]);
    before
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
