use super::*;
use std::process::{Command, Stdio};

/// From Linux 6.15 on.
fn is_told_here() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(15))
}

#[test]
fn how_a_process_has_ended_is_told_once_its_parent_has_collected_it() {
    for (ends, code, signal) in [
        ("exit 0", Some(0), None),
        ("exit 3", Some(3), None),
        ("kill -KILL $$", None, Some(9)),
        ("kill -HUP $$", None, Some(1)),
    ] {
        let mut child = Command::new("sh");
        child.args(["-c", &format!("read -r _; {ends}")]).stdin(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let process = ProcessFd::open(child.id()).unwrap();
        assert_eq!(process.collected_end(), None, "it lives");
        drop(child.stdin.take());
        child.wait().unwrap();
        let told = || process.collected_end().map(|end| (end.code(), end.signal()));
        let expected = is_told_here().then_some((code, signal));
        assert_eq!([told(), told()], [expected; 2], "{ends}: as often as it is asked");
    }
}

#[test]
fn nobody_has_the_id_of_none() {
    for pid in [0, u32::MAX] {
        assert_eq!(ProcessFd::open(pid).unwrap_err().kind(), io::ErrorKind::NotFound, "{pid}");
    }
}
