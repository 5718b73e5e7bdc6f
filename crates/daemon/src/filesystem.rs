//! File systems on which a change may come from elsewhere, of which the kernel does not tell, and what is free on them.
//!
//! inotify sees what is done through this very mount, on this machine (inotify(7), "Limitations"):
//! neither what another machine writes, nor what is written below a container's layers.

use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Another machine has it, too.
    Remote(&'static str),
    /// It shows files that are elsewhere on this machine.
    Layered,
}

/// By the numbers of statfs(2) and linux/magic.h.
const KINDS: [(u32, Kind); 17] = [
    (0x6969, Kind::Remote("NFS")),
    (0x517b, Kind::Remote("SMB")),
    (0xff53_4d42, Kind::Remote("CIFS")),
    (0xfe53_4d42, Kind::Remote("SMB")),
    (0x0102_1997, Kind::Remote("9P")),
    (0x00c3_6400, Kind::Remote("Ceph")),
    (0x5346_414f, Kind::Remote("AFS")),
    (0x6b41_4653, Kind::Remote("AFS")),
    (0x7375_7245, Kind::Remote("Coda")),
    (0x0116_1970, Kind::Remote("GFS2")),
    (0x7461_636f, Kind::Remote("OCFS2")),
    (0x0bd0_0bd0, Kind::Remote("Lustre")),
    (0x4750_4653, Kind::Remote("GPFS")),
    (0x786f_4256, Kind::Remote("a shared folder of VirtualBox")),
    (0xbacb_acbc, Kind::Remote("a shared folder of VMware")),
    // FUSE: anything may be behind it.
    (0x6573_5546, Kind::Layered),
    // overlayfs
    (0x794c_7630, Kind::Layered),
];

/// Whether changes of what is at `path` may go untold. What is not there yet is asked for by its
/// folder.
pub(crate) fn may_be_mute(path: &Path) -> bool {
    kind(path).is_some()
}

/// What this folder is on, if it is on a file system that other machines have, too: `SQLite` keeps its
/// locks and its shared memory on one machine (sqlite.org/wal.html).
pub fn remote(path: &Path) -> Option<&'static str> {
    match kind(path)? {
        Kind::Remote(name) => Some(name),
        Kind::Layered => None,
    }
}

/// How many bytes an ordinary user may still write where this is. `None` where that cannot be told, as of a file system
/// that counts no blocks.
pub(crate) fn free(path: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(path).ok().filter(|stat| stat.f_blocks > 0)?;
    stat.f_bavail.checked_mul(stat.f_frsize)
}

fn kind(path: &Path) -> Option<Kind> {
    let stat = path.ancestors().find_map(|path| rustix::fs::statfs(path).ok())?;
    // The numbers have 32 bits, whatever the field has on this machine.
    let [a, b, c, d, ..] = stat.f_type.to_le_bytes();
    of(u32::from_le_bytes([a, b, c, d]))
}

fn of(number: u32) -> Option<Kind> {
    KINDS.iter().find(|(known, _)| *known == number).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_is_known_by_its_number() {
        assert_eq!(of(0x6969), Some(Kind::Remote("NFS")));
        assert_eq!(of(0x794c_7630), Some(Kind::Layered));
        for local in [0xef53, 0x0102_1994, 0x9123_683e, 0x5846_5342] {
            assert_eq!(of(local), None, "{local:x}");
        }
        assert!(!may_be_mute(Path::new("/proc/self/stat")), "the kernel's own");
        assert_eq!(kind(Path::new("/proc/no/such/thing")), None);
    }
}
