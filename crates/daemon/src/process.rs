//! Is a known process still the same one?

use headsup_core::id::ProcessId;

/// Looks a process up by pid and start time. One in another pid namespace cannot be looked up and
/// counts as gone.
pub(crate) fn is_alive(process: &ProcessId) -> bool {
    process.pid_namespace.is_none() && start_ticks(process.pid) == Some(process.start_ticks)
}

/// Field 22 of `/proc/PID/stat`. The name in field 2 may hold anything, its last `)` ends it.
fn start_ticks(pid: u32) -> Option<u64> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let name_end = stat.iter().rposition(|&byte| byte == b')')?;
    let rest = str::from_utf8(&stat[name_end + 1..]).ok()?;
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pid_alone_is_no_identity() {
        let pid = std::process::id();
        let start_ticks = start_ticks(pid).unwrap();
        let own = ProcessId { pid, start_ticks, pid_namespace: None };
        assert!(is_alive(&own));
        assert!(!is_alive(&ProcessId { start_ticks: start_ticks + 1, ..own.clone() }));
        assert!(!is_alive(&ProcessId { pid_namespace: Some(1), ..own }));
    }
}
