//! What a file has beside its text and its mode: who else may use it, and what its owner and the system have noted.

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use std::fs::File;

/// Who may use it, beside owner and group. Where there is such a list, its limit is the group's part of the mode.
const LIST: &str = "system.posix_acl_access";
/// As large as all their names, and each of their values, may be.
const LARGEST: usize = 64 << 10;

/// Gives the one what the other has, as far as the system lets us.
pub(super) fn copy(from: &File, to: &File) {
    // A new file may have one of its folder's.
    fremovexattr(to, LIST).ok();
    let mut names = vec![0_u8; LARGEST];
    let length = flistxattr(from, names.as_mut_slice()).unwrap_or_default();
    let names = names[..length].split(|byte| *byte == 0);
    let mut value = vec![0_u8; LARGEST];
    for name in names.filter_map(|name| str::from_utf8(name).ok()).filter(|name| stays(name)) {
        if let Ok(length) = fgetxattr(from, name, value.as_mut_slice()) {
            fsetxattr(to, name, &value[..length], XattrFlags::empty()).ok();
        }
    }
}

/// The rest is about the very bytes, as a signature is, or nothing that a user may set.
fn stays(name: &str) -> bool {
    [LIST, "security.selinux"].contains(&name) || name.starts_with("user.")
}
