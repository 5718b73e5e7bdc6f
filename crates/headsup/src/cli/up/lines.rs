//! Where a hub's log goes line by line. Its standard error may be a pipe that nobody empties, or a terminal that is
//! held (Ctrl-S): whoever writes there waits, and the hub with it. A line for which there is no room is left out.

use rustix::fs::{CWD, FileType, Mode, OFlags};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

const STANDARD_ERROR: &str = "/proc/self/fd/2";

/// Takes a line at a time, and keeps nobody waiting.
#[derive(Clone)]
pub(super) struct Lines(Arc<Mutex<Out>>);

struct Out {
    /// The same pipe or terminal, opened once more so that a write never waits: who else has it keeps it as it is.
    /// `None` where that is not needed, or cannot be.
    unwaiting: Option<File>,
    /// Lines since the last that found room.
    left_out: u64,
}

impl Lines {
    /// Those of this process.
    pub(super) fn of_stderr() -> Self {
        // A file always has room, and may be changed for another while we run.
        let is_file = rustix::fs::fstat(io::stderr())
            .is_ok_and(|meta| FileType::from_raw_mode(meta.st_mode) == FileType::RegularFile);
        // A socket cannot be opened again.
        Self::to(if is_file { None } else { again(Path::new(STANDARD_ERROR)).ok() })
    }

    fn to(unwaiting: Option<File>) -> Self {
        Self(Arc::new(Mutex::new(Out { unwaiting, left_out: 0 })))
    }
}

fn again(path: &Path) -> rustix::io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NONBLOCK | OFlags::NOCTTY;
    rustix::fs::openat(CWD, path, flags | OFlags::CLOEXEC, Mode::empty()).map(File::from)
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Out { unwaiting, left_out } = &mut *out;
        let Some(there) = unwaiting else { return io::stderr().write(line) };
        if *left_out > 0 {
            let said = format!("{left_out} lines are left out here: there was no room for them\n");
            if there.write_all(said.as_bytes()).is_err() {
                *left_out += 1;
                return Ok(line.len());
            }
            *left_out = 0;
        }
        // One that breaks off half-way is left out, too.
        if there.write_all(line).is_err() {
            *left_out += 1;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::os::fd::AsRawFd as _;

    #[test]
    fn a_log_that_nobody_reads_keeps_nobody_waiting_and_says_what_is_left_out() {
        let (mut reader, writer) = io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", writer.as_raw_fd());
        let mut lines = Lines::to(Some(again(Path::new(&path)).unwrap()));
        // More than any pipe holds by itself.
        for n in 0..20_000 {
            writeln!(lines, "{n:0100}").unwrap();
        }
        // All that is there, as no pipe gives more at once than it has.
        let mut taken = vec![0; 1 << 20];
        let length = reader.read(&mut taken).unwrap();
        assert!(taken[..length].starts_with("0".repeat(100).as_bytes()));
        writeln!(lines, "the last").unwrap();
        drop((lines, writer));
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        let said: Vec<&str> = rest.lines().collect();
        let [left_out, "the last"] = said[..] else { panic!("{rest}") };
        assert!(left_out.ends_with(" lines are left out here: there was no room for them"));
    }
}
