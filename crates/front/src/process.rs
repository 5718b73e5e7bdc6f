//! What the kernel tells of a process, as `headsup/src/hook/process.rs` reads it.

use crate::number::number;
use crate::system;
use crate::text::Text;

/// One line of `/proc/PID/stat`, as far as it identifies the process.
pub(crate) struct Process<'a> {
    pub(crate) parent: u32,
    /// Clock ticks from boot to its start.
    pub(crate) start: u64,
    pub(crate) name: &'a [u8],
}

impl<'a> Process<'a> {
    pub(crate) fn read(pid: u32, line: &'a mut [u8]) -> Option<Self> {
        let mut room = [0; 24];
        let mut path = Text::new(&mut room);
        path.push(b"/proc/");
        path.number(pid.into());
        path.push(b"/stat\0");
        let file = system::open(path.done()?)?;
        let length = usize::try_from(file.read(line)).ok();
        file.close();
        Self::parse(line.get(..length?)?)
    }

    /// The name stands in parentheses and may itself hold spaces and parentheses.
    fn parse(line: &'a [u8]) -> Option<Self> {
        let open = line.iter().position(|byte| *byte == b'(')?;
        let close = line.iter().rposition(|byte| *byte == b')')?;
        let name = line.get(open + 1..close)?;
        let mut fields = line.get(close + 1..)?.split(u8::is_ascii_whitespace);
        let mut field = || fields.find(|field| !field.is_empty());
        // Behind the name stand state, parent (field 4) and, as field 22, the start.
        let (_state, parent) = (field()?, field()?);
        for _ in 5..22 {
            field()?;
        }
        let start = number(field()?)?;
        Some(Self { parent: u32::try_from(number(parent)?).ok()?, start, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_line_around_it() {
        let line = b"7 (a) S 1 (b) S 42 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 987654 3 4";
        let process = Process::parse(line).unwrap();
        assert_eq!((process.parent, process.start), (42, 987_654));
        assert_eq!(process.name, b"a) S 1 (b");
        for bad in ["", "7", "7 (a", "7 (a) S", "7 )a( S 1", "7 (a) S 1 2 3"] {
            assert!(Process::parse(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    #[test]
    fn the_one_that_tests_has_a_parent() {
        let mut line = [0; 1024];
        let process = Process::read(system::own_pid(), &mut line).unwrap();
        assert_eq!(process.parent, system::parents_pid());
        assert!(process.start > 0);
    }
}
