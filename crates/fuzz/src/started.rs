//! What a hook reads of itself and of what has started it.

#[path = "../../headsup/src/hook/before.rs"]
mod before;
#[path = "../../front/src/process.rs"]
mod front;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../headsup/src/hook/process.rs"]
mod process;

use crate::text::Text;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

mod args {
    /// `headsup hook KIND EVENT`
    pub(super) const WORDS: usize = 4;
}

/// What was read ahead is handed over in a word, to the byte; other words hand over nothing but what stands in them.
pub(crate) fn handed_over(bytes: &[u8]) {
    let left = |word: Vec<u8>| {
        let words = ["headsup", "hook", "amp", "Stop", "--after"].map(OsString::from);
        before::left(words.into_iter().chain([OsString::from_vec(word)]))
    };
    let before::Before { started, read_at, body, id, is_tried } = left(bytes.to_vec());
    assert!(body.len() <= bytes.len());
    assert!(
        id.is_some() || (body.is_empty() && !is_tried && read_at.is_none() && started.is_none())
    );
    let mut room = vec![0; 2 * bytes.len() + 64];
    let mut word = Text::new(&mut room);
    let id = "0123456789abcdef0123456789abcdef01234567";
    word.push(format!("1:2:{id}:1:").as_bytes());
    word.without_zeros(bytes);
    let Some(word) = word.done() else { unreachable!("there is room") };
    let there = left(word.to_vec());
    assert!(there.body == bytes && there.id.as_deref() == Some(id) && there.is_tried);
}

/// `/proc/PID/stat`: both that read it read the same, however a process calls itself.
pub(crate) fn process(bytes: &[u8]) {
    let read = |bytes: &[u8]| {
        let mut line = vec![0; 1_024];
        crate::system::serve(bytes);
        let front = front::Process::read(7, &mut line);
        front.map(|front| (front.parent, front.start, front.name.to_vec()))
    };
    let line = &bytes[..bytes.len().min(1_024)];
    let both = read(line).zip(process::Process::parse(7, line));
    assert!(both.is_none_or(|(front, hook)| (front.0, front.1) == (hook.parent, hook.start)));
    let name: Vec<u8> = bytes.iter().copied().take(15).filter(|byte| *byte != 0).collect();
    let rest = b") S 41 7 7 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 1 0 4242 1 1";
    let line = [b"7 (", &name[..], rest].concat();
    assert_eq!(read(&line), Some((41, 4_242, name.clone())));
    let Some(process) = process::Process::parse(7, &line) else {
        panic!("{:?} hides the process", String::from_utf8_lossy(&name));
    };
    assert_eq!((process.pid, process.parent, process.start), (7, 41, 4_242));
    assert_eq!(process.comm, String::from_utf8_lossy(&name));
}
